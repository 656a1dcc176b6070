//! Derivatives of steps with friction of generated robots, against closed forms and differences of steps.

use super::{Ball, Block, DT, G, Slope, settings};
use nalgebra::{Matrix2, SMatrix, SVector, UnitQuaternion, Vector2, Vector3};
use rbd::{
    ContactMode, ContactSurface, FrictionContacts, FrictionSettings, FrictionStepDerivatives, Mechanism,
};

type Tangent = SMatrix<f64, 12, 12>;
type State = (SVector<f64, 7>, SVector<f64, 6>);

/// A block slides down, and sideways: friction turns with the velocity, and takes less where the block is
/// lifted.
#[test]
fn a_sliding_block_has_derivatives_of_a_closed_form() {
    let (slope, friction, mass) = (Slope::of(0.3), 0.2, 3.0);
    for v in [[0.5, 0.2], [0.01, -0.4], [-1.0, 0.0]] {
        let (q, v) = (slope.at(0.05 - 1e-6), SVector::from([v[0], v[1], 0.0, 0.0, 0.0, 0.0]));
        let surfaces = slope.surfaces(&q, friction);
        let got =
            Block::friction_step_derivatives(&q, &v, &SVector::zeros(), DT, &surfaces, &settings(), None);
        assert!(got.contacts.converged && got.contacts.modes == [ContactMode::Slide; 4] && got.margin > 0.0);
        // Without friction it had the velocity w. It loses mu times what the ground gives, along w.
        let w = Vector2::new(v[0] + DT * G * slope.angle.sin(), v[1]);
        let lift = 0.2 * 1e-6 / DT;
        let loss = friction * (G * slope.angle.cos() * DT + lift);
        let along = w.normalize();
        let turned = (Matrix2::identity() - along * along.transpose()) * (1.0 - loss / w.norm());
        let by_w = along * along.transpose() + turned;
        let near = |got: SMatrix<f64, 2, 2>, expected: Matrix2<f64>| {
            assert!((got - expected).amax() < 1e-8 * expected.amax(), "{got}{expected}");
        };
        near(got.step.dv_dv.fixed_view::<2, 2>(0, 0).into_owned(), by_w);
        near(got.step.dv_dtau.fixed_view::<2, 2>(0, 0).into_owned(), by_w * (DT / mass));
        let by_lift = got.step.dv_dtau.fixed_view::<2, 1>(0, 2).into_owned();
        assert!((by_lift - along * (friction * DT / mass)).amax() < 1e-8 * DT, "{by_lift}");
        // It neither leaves the slope nor tips.
        for row in 2..5 {
            let still = got.step.dv_dv.row(row).amax().max(got.step.dv_dtau.row(row).amax());
            assert!(still < 1e-8, "{row} {still:.1e}");
        }
        // A penetration loses its share.
        assert!((got.step.dv_dq[(2, 2)] + 0.2 / DT).abs() < 1e-6, "{}", got.step.dv_dq[(2, 2)]);
    }
}

/// A ball that does not slide keeps 5/7 of its speed, and takes 2/7 of its spin.
#[test]
fn a_rolling_ball_has_derivatives_of_a_closed_form() {
    let (q, zero, radius) = (Slope::of(0.0).at(0.1), SVector::zeros(), 0.1);
    let surface = [Some(ContactSurface::ground(-1e-6, 0.6))];
    let got = Ball::friction_step_derivatives(&q, &zero, &zero, DT, &surface, &settings(), None);
    assert!(got.contacts.converged && got.contacts.modes == [ContactMode::Stick]);
    let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-9, "{got} {expected}");
    let by = &got.step.dv_dv;
    near(by[(0, 0)], 5.0 / 7.0);
    near(by[(0, 4)], radius * 2.0 / 7.0);
    near(by[(4, 0)], 5.0 / 7.0 / radius);
    near(by[(4, 4)], 2.0 / 7.0);
    near(by[(2, 2)], 0.0);
    near(by[(5, 5)], 1.0);
    // A force at the centre meets 2/7 of itself, and a weight all of it.
    near(got.impulses_dtau[(0, 0)], -DT * 2.0 / 7.0);
    near(got.impulses_dtau[(1, 1)], -DT * 2.0 / 7.0);
    near(got.impulses_dtau[(2, 2)], -DT);
}

/// An impact multiplies the velocity by the restitution.
#[test]
fn an_impact_has_derivatives_of_a_closed_form() {
    let (q, v) = (Slope::of(0.0).at(0.1), SVector::from([0.0, 0.0, -2.0, 0.0, 0.0, 0.0]));
    for e in [0.0, 0.3, 1.0] {
        let surface = [Some(ContactSurface::ground(0.0, 0.5).with_restitution(e))];
        let got =
            Ball::friction_step_derivatives(&q, &v, &SVector::zeros(), 0.0, &surface, &settings(), None);
        assert!((got.step.dv_dv[(2, 2)] + e).abs() < 1e-12, "{}", got.step.dv_dv[(2, 2)]);
        assert!((got.impulses_dv[(2, 2)] + 2.0 * (1.0 + e)).abs() < 1e-9);
        assert!(got.step.dv_dtau.amax() == 0.0 && got.step.dq_dtau.amax() == 0.0);
        assert!((got.step.dq_dq - SMatrix::<f64, 6, 6>::identity()).amax() < 1e-12);
    }
}

/// The surface is a plane in the world, and each contact is at its distance.
fn surfaces<R, const NC: usize, const NR: usize>(
    q: &SVector<f64, 7>,
    of: &[Option<ContactSurface<f64>>; NC],
) -> [Option<ContactSurface<f64>>; NC]
where
    R: FrictionContacts<7, 6, NC, NR>,
{
    let at = R::contact_placements(q);
    core::array::from_fn(|k| {
        let plane = of[k]?;
        Some(ContactSurface { distance: plane.normal.dot(&at[k].translation) + plane.distance, ..plane })
    })
}

/// A step from a state moved in its tangent space, and the state that it leads to.
fn step<R, const NC: usize, const NR: usize>(
    (q, v): &State,
    tau: &SVector<f64, 6>,
    planes: &[Option<ContactSurface<f64>>; NC],
) -> (FrictionStepDerivatives<f64, 7, 6, NC, NR>, [ContactMode; NC])
where
    R: FrictionContacts<7, 6, NC, NR>,
{
    let settings = FrictionSettings { tolerance: 1e-11, ..settings() };
    let got = R::friction_step_derivatives(q, v, tau, DT, &surfaces::<R, NC, NR>(q, planes), &settings, None);
    assert!(got.contacts.converged, "{:?}", got.contacts.residuals);
    (got, got.contacts.modes)
}

fn moved<R: Mechanism<7, 6>>((q, v): &State, by: &SVector<f64, 12>) -> State {
    (R::integrate(q, &by.fixed_rows::<6>(0).into_owned()), v + by.fixed_rows::<6>(6))
}

fn apart<R: Mechanism<7, 6>>(from: &State, to: &State) -> SVector<f64, 12> {
    let mut out = SVector::<f64, 12>::zeros();
    out.fixed_rows_mut::<6>(0).copy_from(&R::difference(&from.0, &to.0));
    out.fixed_rows_mut::<6>(6).copy_from(&(to.1 - from.1));
    out
}

/// Central differences of two sizes.
fn difference<const N: usize>(along: impl Fn(f64) -> SVector<f64, N>) -> SVector<f64, N> {
    let central = |h: f64| (along(h) - along(-h)) / (2.0 * h);
    (central(5e-6) * 4.0 - central(1e-5)) / 3.0
}

/// The matrix A of a step.
fn matrix<const NC: usize, const NR: usize>(of: &FrictionStepDerivatives<f64, 7, 6, NC, NR>) -> Tangent {
    let mut a = Tangent::zeros();
    let blocks = [(0, 0, of.step.dq_dq), (0, 6, of.step.dq_dv), (6, 0, of.step.dv_dq), (6, 6, of.step.dv_dv)];
    for (row, column, block) in blocks {
        a.fixed_view_mut::<6, 6>(row, column).copy_from(&block);
    }
    a
}

#[test]
fn matrices_of_a_step_are_those_of_differences() {
    // On two corners, which slide, and on one that sticks.
    let turned = UnitQuaternion::from_euler_angles(0.3, -0.4, 1.0).coords;
    let q = SVector::from([0.1, -0.2, 0.3, turned.x, turned.y, turned.z, turned.w]);
    let v = SVector::from([0.4, -0.3, -1.0, 0.5, 0.8, -0.6]);
    let tau = SVector::from([1.0, 2.0, -3.0, 0.4, 0.1, -0.2]);
    let at = Block::contact_placements(&q);
    // Planes with the contact a little inside.
    let plane = |k: usize, normal: Vector3<f64>, friction: f64| {
        let normal = normal.normalize();
        Some(ContactSurface::new(normal, -normal.dot(&at[k].translation) - 1e-3, friction))
    };
    let up = Vector3::new(0.2, 0.1, 1.0);
    for (planes, v, expected) in [
        ([plane(0, up, 0.3), None, None, None], v, ContactMode::Slide),
        ([None, None, plane(2, up, 9.0), None], v * 0.1, ContactMode::Stick),
        ([plane(0, up, 0.2), plane(1, Vector3::z(), 0.1), None, None], v, ContactMode::Slide),
    ] {
        let (got, modes) = step::<Block, 4, 12>(&(q, v), &tau, &planes);
        assert!(modes.contains(&expected) && got.margin > 1e-3, "{modes:?} {}", got.margin);
        // The plain step is the same.
        let of = (surfaces::<Block, 4, 12>(&q, &planes), FrictionSettings { tolerance: 1e-11, ..settings() });
        assert_eq!(got.contacts, Block::friction_step(&q, &v, &tau, DT, &of.0, &of.1, None));
        let (next, a) = ((got.step.q, got.step.v), matrix(&got));
        let both = |x: &State, tau: &SVector<f64, 6>| {
            let (found, now) = step::<Block, 4, 12>(x, tau, &planes);
            assert_eq!(now, modes);
            let mut out = SVector::<f64, 24>::zeros();
            out.fixed_rows_mut::<12>(0).copy_from(&apart::<Block>(&next, &(found.step.q, found.step.v)));
            out.fixed_rows_mut::<12>(12).copy_from(&found.contacts.impulses);
            out
        };
        let near = |got: &[f64], expected: &[f64], scale: f64| {
            let error = got.iter().zip(expected).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
            assert!(error < 1e-6 * scale.max(1.0), "{error:.1e} of {scale:.1e}");
        };
        for k in 0..12 {
            let found = difference(|h| both(&moved::<Block>(&(q, v), &(SVector::ith(k, h))), &tau));
            near(a.column(k).as_slice(), &found.as_slice()[..12], a.amax());
            let by = if k < 6 { &got.impulses_dq } else { &got.impulses_dv };
            near(by.column(k % 6).as_slice(), &found.as_slice()[12..], by.amax());
        }
        for k in 0..6 {
            let found = difference(|h| both(&(q, v), &(tau + SVector::ith(k, h))));
            near(got.step.dq_dtau.column(k).as_slice(), &found.as_slice()[..6], 1.0);
            near(got.step.dv_dtau.column(k).as_slice(), &found.as_slice()[6..12], 1.0);
            near(got.impulses_dtau.column(k).as_slice(), &found.as_slice()[12..], 1.0);
        }
    }
}

/// A spinning ball falls, rebounds several times and slides: products of the steps' matrices are the
/// derivative of where it gets.
#[test]
fn a_gradient_goes_through_impacts() {
    let planes = [Some(ContactSurface::ground(0.0, 0.2).with_restitution(0.6))];
    let start: State = (Slope::of(0.0).at(0.115), SVector::from([0.7, 0.2, -0.5, 0.1, -0.2, 0.3]));
    let roll = |start: &State| {
        let (mut x, mut by, mut modes, mut margin) = (*start, Tangent::identity(), Vec::new(), f64::INFINITY);
        for _ in 0..300 {
            let (next, now) = step::<Ball, 1, 3>(&x, &SVector::zeros(), &planes);
            by = matrix(&next) * by;
            margin = margin.min(next.margin);
            (x, _) = ((next.step.q, next.step.v), modes.push(now));
        }
        (x, by, modes, margin)
    };
    let (end, by, modes, margin) = roll(&start);
    let impacts = modes.iter().filter(|modes| modes[0] != ContactMode::Open).count();
    assert!(impacts > 2 && margin > 1e-6, "{impacts} {margin:.1e}");
    for k in 0..12 {
        let found = difference(|h| {
            let (to, _, now, _) = roll(&moved::<Ball>(&start, &SVector::ith(k, h)));
            assert_eq!(now, modes);
            apart::<Ball>(&end, &to)
        });
        let error = (by.column(k) - found).amax();
        assert!(error < 1e-6 * by.amax().max(1.0), "{k}: {error:.1e} of {:.1e}", by.amax());
    }
}

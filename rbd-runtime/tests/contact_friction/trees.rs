//! Steps with friction of random trees of every kind of joint: the equations of motion and the laws of
//! contact, in the world's axes, from the reference's mass matrix and Jacobians.

use crate::common::for_all;
use crate::contact_friction::laws::of_surface;
use crate::contacting::Padded;
use nalgebra::{DMatrix, DVector, SVector, Vector3};
use rbd_runtime::contact::{self, FrictionVelocities};
use rbd_runtime::friction::{ContactMode, ContactSurface, FrictionSettings};
use rbd_runtime::random::{Random, State};
use rbd_runtime::reference::*;
use rbd_runtime::{ContactKind, Model, ReferenceFrame};

/// Degrees of freedom of the largest tree, its bodies, contacts and their rows.
pub const NV: usize = 40;
pub const NB: usize = 9;
pub const NC: usize = 4;
pub const NR: usize = 12;
pub const DT: f64 = 0.01;

pub type Surfaces = [Option<ContactSurface<f64>>; NC];
type Found = FrictionVelocities<f64, NV, NC, NR>;

/// Frames of the contacts; a closed loop has a second one.
pub struct Places {
    pub first: [usize; NC],
    pub second: [Option<usize>; NC],
    /// True if the robot has code for factors of its mass matrix.
    pub has_factors: bool,
}

/// How a robot is made: with a closed loop, without, or without and with factors of its mass matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Closed,
    Open,
    OpenWithFactors,
}

impl Places {
    pub fn of(model: &Model<f64>, kind: Kind) -> Self {
        let n = model.frames.len();
        let second = [None, None, None, (kind == Kind::Closed).then_some(n - 4)];
        let first = core::array::from_fn(|k| n - 1 - [0, 7, 1, 4][k]);
        Self { first, second, has_factors: kind == Kind::OpenWithFactors }
    }

    pub fn robot<'m>(&self, model: &'m Model<f64>, q: &[f64]) -> Padded<'m, f64, NV, NB, NC> {
        let points = self.first.map(|frame| (frame, ContactKind::Point));
        let robot = Padded::closed(model, model, q, points, self.second);
        if self.has_factors { robot.with_factors() } else { robot }
    }

    fn step(
        &self,
        model: &Model<f64>,
        x: &State,
        surfaces: &Surfaces,
        settings: &FrictionSettings<f64>,
        start: Option<&SVector<f64, NR>>,
    ) -> Found {
        let robot = self.robot(model, x.q.as_slice());
        let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
        contact::friction_step(&robot, (&v, &tau, DT), surfaces, settings, start)
    }
}

/// Three rows of a frame's velocity in the world's axes.
pub fn rows_of(model: &Model<f64>, q: &[f64], frame: usize) -> DMatrix<f64> {
    let mut data = Data::new(model);
    let axes = ReferenceFrame::LocalWorldAligned;
    frame_jacobian(model, &mut data, q, frame, axes).rows(0, 3).into_owned()
}

/// Surfaces under which a robot may stand still, or `any`: then a robot that cannot move away from them is
/// asked for what is impossible.
pub fn surfaces(random: &mut Random, any: bool) -> Surfaces {
    let all = core::array::from_fn(|_| ContactSurface {
        normal: random.unit3() * random.uniform(0.1, 3.0),
        distance: random.uniform(if any { -0.02 } else { 0.0 }, 0.02),
        friction: if random.chance(0.1) { 0.0 } else { random.uniform(0.0, 1.5) },
        restitution: if any && random.chance(0.5) { random.uniform(0.0, 1.0) } else { 0.0 },
        compliance: if random.chance(0.7) { 0.0 } else { random.uniform(0.0, 0.5) },
    });
    all.map(|surface| (!random.chance(0.1)).then_some(surface))
}

fn check(kind: Kind, any: bool) {
    let (mut random, mut seen, mut tried, mut solved) = (Random::new(7), [0; 3], 0, 0);
    // Velocity zero keeps loops closed, unless they are open and to be closed.
    let correction = if any { 0.2 } else { 0.0 };
    let settings = FrictionSettings { correction, ..Default::default() };
    for_all(|model, x| {
        let places = Places::of(model, kind);
        let surfaces = surfaces(&mut random, any);
        let found = places.step(model, x, &surfaces, &settings, None);
        tried += 1;
        assert!(found.v.iter().chain(&found.impulses).all(|x| x.is_finite()));
        assert!(found.report.converged || any, "{:?}", found.report);
        if !found.report.converged {
            return;
        }
        solved += 1;
        let (n, q) = (model.nv, x.q.as_slice());
        let own = |v: &SVector<f64, NV>| DVector::from_column_slice(&v.as_slice()[..n]);
        let after = own(&found.v);
        assert!((own(&found.motion) - &after * DT).amax() < 1e-12);
        // Momentum: M (v+ - v) = dt (tau - b) + J^T f.
        let mut data = Data::new(model);
        let mass = crba(model, &mut data, q).clone();
        let bias = bias(model, &mut data, q, x.v.as_slice()).clone();
        let mut left = &mass * (&after - &x.v) - (&x.tau - bias) * DT;
        let scale = (&mass * (&after - &x.v)).amax().max(1.0);
        for k in 0..NC {
            let rows = rows_of(model, q, places.first[k]);
            let f = found.impulses.fixed_rows::<3>(3 * k).into_owned();
            let (before, c) = (Vector3::from_iterator((&rows * &x.v).iter().copied()), &rows * &after);
            let c = Vector3::from_iterator(c.iter().copied());
            if let Some(second) = places.second[k] {
                // Impulses of a loop are in the axes of its first frame. Its rows are those of two points.
                let [a, b] =
                    [places.first[k], second].map(|frame| frame_placement(model, &mut data, q, frame));
                let rows = &rows - rows_of(model, q, second);
                left -= rows.transpose() * (a.rotation * f);
                let apart = (a.translation - b.translation) * (correction / DT);
                // A loop may be locked: no motion closes it.
                let closing = &rows * &after + apart;
                let can = (&rows * mass.clone().try_inverse().unwrap() * rows.transpose()).determinant();
                assert!(closing.amax() < 1e-7 * apart.amax().max(1.0) || can < 1e-6, "{closing} {can:.1e}");
                assert_eq!(found.modes[k], ContactMode::Stick);
                continue;
            }
            left -= rows.transpose() * f;
            let Some(surface) = &surfaces[k] else {
                assert!(f.amax() == 0.0 && found.modes[k] == ContactMode::Open);
                continue;
            };
            let worst = of_surface(surface, (settings.correction, DT), [&before, &c, &f]);
            assert!(worst < 1e-8, "{worst:.1e}: {surface:?} {c} {f}");
            seen[found.modes[k] as usize] += 1;
        }
        assert!(left.amax() < 1e-9 * scale, "{:.1e} of {scale:.1e}", left.amax());
        // From the solution, the solution is found again.
        let again = places.step(model, x, &surfaces, &settings, Some(&found.impulses));
        assert!(again.report.converged && again.report.iterations.admm == 0, "{:?}", again.report);
        assert!((again.v - found.v).amax() < 1e-7 * found.v.amax().max(1.0));
    });
    println!("{kind:?}: {solved} of {tried} trees; open, sticking, sliding: {seen:?}");
    assert!(
        solved * 10 >= tried * if any { 8 } else { 10 } && seen.iter().all(|x| *x > 3),
        "{solved} of {tried} {seen:?}"
    );
}

#[test]
fn steps_of_random_trees_obey_the_laws() {
    check(Kind::Open, false);
    check(Kind::OpenWithFactors, false);
}

#[test]
fn closed_loops_are_held_beside_contacts() {
    check(Kind::Closed, false);
}

/// What cannot be solved is said, and what is called solved obeys the laws.
#[test]
fn penetrations_and_impacts_obey_the_laws() {
    check(Kind::Open, true);
    check(Kind::OpenWithFactors, true);
    check(Kind::Closed, true);
}

/// Without a surface near, a step is free.
#[test]
fn nothing_near_is_a_free_step() {
    for_all(|model, x| {
        let found = Places::of(model, Kind::OpenWithFactors).step(
            model,
            x,
            &[None; NC],
            &FrictionSettings::default(),
            None,
        );
        let mut data = Data::new(model);
        let ddq = aba(model, &mut data, x.q.as_slice(), x.v.as_slice(), x.tau.as_slice(), None).clone();
        let expected = &x.v + ddq * DT;
        let got = DVector::from_column_slice(&found.v.as_slice()[..model.nv]);
        assert!((got - &expected).amax() < 1e-9 * expected.amax().max(1.0));
        assert!(found.report.converged && found.impulses.amax() == 0.0);
    });
}

/// Planes have no cone of three rows: they are left out.
#[test]
fn planes_are_left_out() {
    let model = rbd_runtime::random::random_model(1, &rbd_runtime::random::Options::everything(6, true));
    let x = rbd_runtime::random::random_state(&model, 0);
    let robot: Padded<'_, f64, NV, NB, 1> =
        Padded::of(&model, &model, x.q.as_slice(), [(2, ContactKind::Plane)]);
    let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
    let surface = [Some(ContactSurface::ground(-0.1, 0.5))];
    let found: FrictionVelocities<f64, NV, 1, 6> =
        contact::friction_step(&robot, (&v, &tau, DT), &surface, &FrictionSettings::default(), None);
    assert!(found.impulses.amax() == 0.0 && found.modes == [ContactMode::Open]);
}

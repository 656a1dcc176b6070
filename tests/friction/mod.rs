//! Steps with friction of generated robots, against closed forms: a block, a ball and a gripper.

mod derivatives;
mod gripper;
mod joints;
mod quadruped;

use nalgebra::{SVector, UnitQuaternion, Vector3};
use rbd::{ContactMode, ContactSurface, FrictionContacts, FrictionSettings, FrictionStep};

// 0.4 m long, 0.2 m wide and 0.1 m high. By the name that generated code has for its type parameter.
rbd::rbd_robot! {
    pub struct T {
        urdf: "tests/friction/block.urdf",
        base: floating,
        functions: [crba],
        frames: {
            "a": { link: "block", xyz: [0.2, 0.1, -0.05] },
            "b": { link: "block", xyz: [0.2, -0.1, -0.05] },
            "c": { link: "block", xyz: [-0.2, 0.1, -0.05], rpy: [0.3, -0.7, 1.1] },
            "d": { link: "block", xyz: [-0.2, -0.1, -0.05] },
        },
        contacts: ["a", "b", "c", "d"],
    }
}
type Block = T;

// A solid ball of radius 0.1 m: its inertia is 2/5 m r^2.
rbd::rbd_robot! {
    pub struct Ball {
        urdf: "tests/friction/ball.urdf",
        base: floating,
        functions: [crba],
        frames: { "bottom": { link: "ball", xyz: [0.0, 0.0, -0.1] } },
        contacts: ["bottom"],
    }
}

const G: f64 = 9.81;
const DT: f64 = 1e-3;

type OfBlock<S> = FrictionStep<S, 7, 6, 4, 12>;

/// A block on a slope: its axes are those of the slope, x downhill.
struct Slope {
    turned: UnitQuaternion<f64>,
    angle: f64,
}

impl Slope {
    fn of(angle: f64) -> Self {
        Self { turned: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle), angle }
    }

    fn normal(&self) -> Vector3<f64> {
        self.turned * Vector3::z()
    }

    /// A configuration at this height over the slope.
    fn at(&self, height: f64) -> SVector<f64, 7> {
        let (place, x) = (self.normal() * height, self.turned.coords);
        SVector::from([place.x, place.y, place.z, x.x, x.y, x.z, x.w])
    }

    fn surfaces(&self, q: &SVector<f64, 7>, friction: f64) -> [Option<ContactSurface<f64>>; 4] {
        Block::contact_placements(q).map(|corner| {
            let distance = self.normal().dot(&corner.translation);
            Some(ContactSurface::new(self.normal(), distance, friction))
        })
    }
}

fn settings() -> FrictionSettings<f64> {
    FrictionSettings::default()
}

/// Steps of a block from rest, and the last one's result.
fn slide(slope: &Slope, friction: f64, steps: usize) -> OfBlock<f64> {
    let (mut q, mut v) = (slope.at(0.05), SVector::zeros());
    let mut last: Option<OfBlock<f64>> = None;
    for _ in 0..steps {
        let surfaces = slope.surfaces(&q, friction);
        let next = Block::friction_step(&q, &v, &SVector::zeros(), DT, &surfaces, &settings(), last.as_ref());
        assert!(next.converged, "{:?}", next.residuals);
        (q, v, last) = (next.q, next.v, Some(next));
    }
    last.unwrap()
}

#[test]
fn a_block_sticks_inside_of_the_cone() {
    for angle in [0.1, 0.4, 0.7_f64] {
        let slope = Slope::of(angle);
        let found = slide(&slope, angle.tan() * (1.0 + 1e-6), 100);
        // Of impulses that four contacts share, some may be on their cones.
        assert!(!found.modes.contains(&ContactMode::Open), "{angle}");
        assert!(found.v.amax() < 1e-8 && (found.q - slope.at(0.05)).amax() < 1e-9, "{}", found.v);
        // The impulses carry the weight.
        let sum: Vector3<f64> = (0..4).map(|k| found.impulses.fixed_rows::<3>(3 * k).into_owned()).sum();
        assert!((sum - Vector3::z() * (3.0 * G * DT)).amax() < 1e-8, "{sum}");
    }
}

#[test]
fn a_block_slides_outside_of_the_cone() {
    for (angle, share) in [(0.1, 1.0 - 1e-6), (0.4, 0.5), (0.7, 0.9), (0.3, 0.0_f64)] {
        let (slope, friction, steps) = (Slope::of(angle), share * f64::tan(angle), 100);
        let found = slide(&slope, friction, steps);
        assert_eq!(found.modes, [ContactMode::Slide; 4], "{angle}");
        let a = G * (slope.angle.sin() - friction * slope.angle.cos());
        let n = steps as f64;
        // Velocities are in the block's axes, which are those of the slope.
        let speed = SVector::from([n * DT * a, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!((found.v - speed).amax() < 1e-9, "{}{speed}", found.v);
        let way = slope.turned * Vector3::x() * (DT * DT * a * n * (n + 1.0) / 2.0);
        let moved = (found.q - slope.at(0.05)).fixed_rows::<3>(0).into_owned();
        assert!((moved - way).amax() < 1e-9, "{moved}{way}");
    }
}

/// A ball turned back after each step: all its axes are alike, and its lowest point is the contact again.
///
/// Its velocity has the axes of the turning ball, so that a step is exact to the first order of its time.
fn roll(slope: &Slope, friction: f64, speed: f64, steps: usize) -> Vec<SVector<f64, 6>> {
    let mut v = SVector::from([speed, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let surface = [Some(ContactSurface::new(slope.normal(), 0.0, friction))];
    let step = |_| {
        let next =
            Ball::friction_step(&slope.at(0.1), &v, &SVector::zeros(), DT, &surface, &settings(), None);
        assert!(next.converged, "{:?}", next.residuals);
        // From the ball's axes to the slope's.
        let turned = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            next.q[6], next.q[3], next.q[4], next.q[5],
        ));
        let by = slope.turned.inverse() * turned;
        let [linear, angular] = [0, 3].map(|k| by * next.v.fixed_rows::<3>(k).into_owned());
        v = SVector::from([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]);
        v
    };
    (0..steps).map(step).collect()
}

#[test]
fn a_ball_slides_until_it_rolls() {
    let (friction, speed) = (0.3, 1.0);
    let seen = roll(&Slope::of(0.0), friction, speed, 200);
    // It rolls from the time 2 v / (7 mu g) on, with 5/7 of the speed.
    let sliding = (2.0 * speed / (7.0 * friction * G) / DT) as usize;
    for (k, v) in seen.iter().enumerate().take(sliding) {
        let lost = friction * G * DT * (k + 1) as f64;
        assert!((v[0] - (speed - lost)).abs() < 1e-3, "{k} {v}");
        assert!((v[4] * 0.1 - 2.5 * lost).abs() < 1e-3, "{k} {v}");
    }
    for v in &seen[sliding + 1..] {
        assert!((v[0] - speed * 5.0 / 7.0).abs() < 2e-3 && (v[0] - v[4] * 0.1).abs() < 2e-3, "{v}");
    }
}

#[test]
fn a_ball_rolls_down_a_slope() {
    let slope = Slope::of(0.3);
    let least = 2.0 / 7.0 * f64::tan(0.3);
    for (friction, a) in [
        (least * 1.001, 5.0 / 7.0 * G * f64::sin(0.3)),
        (least * 0.7, G * (f64::sin(0.3) - least * 0.7 * f64::cos(0.3))),
    ] {
        let seen = roll(&slope, friction, 0.0, 100);
        for (k, v) in seen.iter().enumerate() {
            assert!((v[0] - a * DT * (k + 1) as f64).abs() < 2e-4 && v[2].abs() < 1e-3, "{k} {v}");
        }
    }
}

#[test]
fn impacts_rebound_by_the_restitution() {
    let flat = Slope::of(0.0);
    let v = SVector::from([0.0, 0.0, -2.0, 0.0, 0.0, 0.0]);
    for e in [0.0, 0.3, 1.0] {
        let surfaces = flat.surfaces(&flat.at(0.05), 0.5).map(|s| s.map(|s| s.with_restitution(e)));
        // With no time, an impact alone.
        let hit =
            Block::friction_step(&flat.at(0.05), &v, &SVector::zeros(), 0.0, &surfaces, &settings(), None);
        assert!(hit.converged && (hit.v + v * e).amax() < 1e-10, "{}", hit.v);
        assert!((hit.q - flat.at(0.05)).amax() < 1e-15);
        let up: f64 = (0..4).map(|k| hit.impulses[3 * k + 2]).sum();
        assert!((up - 3.0 * 2.0 * (1.0 + e)).abs() < 1e-9);
        // What would hit the ground within the step rebounds; with none, it stops at the ground.
        let q = flat.at(0.05 + 0.5e-3);
        let surfaces = flat.surfaces(&q, 0.5).map(|s| s.map(|s| s.with_restitution(e)));
        let next = Block::friction_step(&q, &v, &SVector::zeros(), DT, &surfaces, &settings(), None);
        let expected = if e > 0.0 { 2.0 * e } else { -0.5 };
        assert!((next.v[2] - expected).abs() < 1e-9, "{}", next.v);
    }
    // Slow ones do not rebound.
    let calm = FrictionSettings { least_impact: 2.1, ..settings() };
    let surfaces = flat.surfaces(&flat.at(0.05), 0.5).map(|s| s.map(|s| s.with_restitution(1.0)));
    let next = Block::friction_step(&flat.at(0.05), &v, &SVector::zeros(), 0.0, &surfaces, &calm, None);
    assert!(next.v.amax() < 1e-10);
}

#[test]
fn penetrations_lose_their_share() {
    let flat = Slope::of(0.0);
    for correction in [0.0, 0.2, 1.0] {
        let (q, settings) = (flat.at(0.05 - 1e-4), FrictionSettings { correction, ..settings() });
        let zero = SVector::zeros();
        let next = Block::friction_step(&q, &zero, &zero, DT, &flat.surfaces(&q, 0.5), &settings, None);
        assert!((next.q[2] - q[2] - 1e-4 * correction).abs() < 1e-12);
    }
}

/// What the last step found is where the next one begins.
#[test]
fn warm_starts_need_no_sweeps() {
    let slope = Slope::of(0.3);
    let first = slide(&slope, 0.2, 1);
    let zero = SVector::zeros();
    let surfaces = slope.surfaces(&first.q, 0.2);
    let step = |last| Block::friction_step(&first.q, &first.v, &zero, DT, &surfaces, &settings(), last);
    let (cold, warm) = (step(None), step(Some(&first)));
    assert!(cold.iterations.sweeps > 0 && warm.iterations.sweeps == 0, "{warm:?}");
    assert!((cold.v - warm.v).amax() < 1e-10);
}

/// A surface without a direction, and none at all, are no contact.
#[test]
fn no_surface_is_a_free_fall() {
    let q = Slope::of(0.0).at(0.05);
    let free = SVector::from([0.0, 0.0, -G * DT, 0.0, 0.0, 0.0]);
    let nowhere = ContactSurface::new(Vector3::zeros(), -0.1, 0.5);
    for surfaces in [[None; 4], [Some(nowhere); 4]] {
        let zero = SVector::zeros();
        let next = Block::friction_step(&q, &zero, &zero, DT, &surfaces, &settings(), None);
        assert!(next.converged && (next.v - free).amax() < 1e-12 && next.modes == [ContactMode::Open; 4]);
    }
}

#[test]
fn numbers_of_seven_digits_stand() {
    let (q, zero) = (Slope::of(0.0).at(0.05).map(|x| x as f32), SVector::zeros());
    let surfaces = [Some(ContactSurface::ground(0.0_f32, 0.5)); 4];
    let next = Block::friction_step(&q, &zero, &zero, 1e-3, &surfaces, &FrictionSettings::default(), None);
    assert!(next.converged && next.v.amax() < 1e-6, "{:?} {}", next.residuals, next.v);
}

/// Code for any robot: the upward impulse of all contacts on level ground.
fn carried<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(q: &SVector<f64, NQ>) -> f64
where
    R: FrictionContacts<NQ, NV, NC, NR>,
{
    let ground = R::contact_placements(q).map(|at| Some(ContactSurface::ground(at.translation.z, 0.5)));
    let zero = SVector::zeros();
    let next = R::friction_step(q, &zero, &zero, DT, &ground, &FrictionSettings::default(), None);
    (0..NR / 3).map(|k| next.impulses[3 * k + 2]).sum()
}

#[test]
fn the_trait_is_for_any_robot() {
    let flat = Slope::of(0.0);
    assert!((carried::<Block, 7, 6, 4, 12>(&flat.at(0.05)) - 3.0 * G * DT).abs() < 1e-10);
    assert!((carried::<Ball, 7, 6, 1, 3>(&flat.at(0.1)) - 2.0 * G * DT).abs() < 1e-10);
}

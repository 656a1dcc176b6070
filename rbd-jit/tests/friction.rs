//! The step with friction: contacts, closed loops and parameters in both precisions beside compiled robots,
//! and large robots beside Newton's law.

use super::contacts::{UNITS, within};
use super::some;
use nalgebra::SVector;
use rbd::spatial::Inertia;
use rbd_build::Robot;
use rbd_jit::{
    Base, ContactAxes, ContactKind, ContactMode, ContactSurface, Engine, FrictionSettings, FrictionStep, Id,
    Loaded, Options, Parameters,
};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    pub struct Faller {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [crba],
        contacts: ["base_link", "link2"],
        inertia: { runtime: ["link1"] },
        gravity: runtime,
    }
}
rbd::rbd_robot! {
    pub struct Linkage {
        urdf: "../rbd-build/tests/good/four_bar.urdf",
        base: floating,
        functions: [aba],
        contacts: ["ground", "rod"],
        closed_loops: { "bar": { frames: ["rod_end", "rocker_end"], rows: 3 } },
    }
}

pub fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

pub fn faller() -> Robot {
    Robot::from_urdf(path("robots/double_pendulum.urdf"))
        .base(Base::Floating)
        .functions([Id::Crba])
        .contacts(["base_link", "link2"])
        .inertia_at_run_time(["link1"])
        .gravity_at_run_time(true)
}

pub fn linkage() -> Robot {
    Robot::from_urdf(path("rbd-build/tests/good/four_bar.urdf"))
        .base(Base::Floating)
        .functions([Id::Aba])
        .contacts(["ground", "rod"])
        .closed_loop("bar", ["rod_end", "rocker_end"], ContactKind::Point)
}

/// Surfaces at which contacts open, stick, slide and rebound.
macro_rules! cases {
    ($number:ident) => {{
        let near = |distance: $number, friction: $number| {
            let normal = nalgebra::Vector3::new(0.2, -0.1, 1.0);
            Some(ContactSurface::new(normal, distance, friction))
        };
        [
            [None, None],
            [near(0.0, 0.8), None],
            [near(-0.01, 0.5), near(0.002, 0.3)],
            [near(0.0, 0.05), near(-0.003, 5.0)],
            [near(0.0, 0.4).map(|s| s.with_restitution(0.6)), near(0.0, 0.4).map(|s| s.with_compliance(0.1))],
        ]
    }};
}
pub(crate) use cases;

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $new:ident, $step:expr, $inertia:expr, $gravity:expr) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            const NC: usize = $robot::NC;
            const UNIT: f64 = $number::EPSILON as f64;
            let generated = $loaded.trace().unwrap();
            let mut modes = Vec::new();
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let loaded = Loaded::$new(generated.clone(), options).unwrap();
                let given_inertia: Vec<$number> = <[$number]>::to_vec($inertia);
                let robot = loaded.contacts_with(Parameters { inertia: &given_inertia, gravity: $gravity });
                let mut work = loaded.workspace();
                let numbers = |first: f64| {
                    SVector::<$number, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number)
                };
                let q = $robot::integrate(&$robot::neutral(), &(numbers(0.3) * 0.2));
                let (v, tau) = (numbers(1.1), numbers(2.4) * 0.5);
                let settings = FrictionSettings::<$number> { correction: 0.3, ..FrictionSettings::default() };
                for first in cases!($number) {
                    let mut surfaces = [None; NC];
                    surfaces[..2].copy_from_slice(&first);
                    let (mut last, mut before) = (None, FrictionStep::default());
                    // The second one begins from the impulses of the first one.
                    for warm in [false, true] {
                        let (dt, mut out) = (0.01, FrictionStep::default());
                        let expected = $step(&q, &v, &tau, dt, &surfaces, &settings, last.as_ref());
                        let (q, v, tau) = (q.as_slice(), v.as_slice(), tau.as_slice());
                        let given = warm.then_some(&before);
                        robot
                            .friction_step(&mut work, q, v, tau, dt, &surfaces, &settings, given, &mut out)
                            .unwrap();
                        assert!(out.converged && expected.converged);
                        // Modes follow from numbers that agree.
                        assert_eq!(out.modes, expected.modes);
                        let tolerance = UNITS * UNIT;
                        within(tolerance, &out.q, expected.q.as_slice());
                        within(tolerance, &out.v, expected.v.as_slice());
                        within(tolerance, &out.impulses, expected.impulses.as_slice());
                        modes.extend(out.modes.iter().copied());
                        (last, before) = (Some(expected), out);
                    }
                }
            }
            for mode in [ContactMode::Open, ContactMode::Stick, ContactMode::Slide] {
                assert!(modes.contains(&mode), "no contact is {mode:?}");
            }
        }
    };
}

/// Inertia of `link1`, as ten numbers.
pub fn inertia() -> Inertia<f64> {
    Inertia::from_com(2.0, &nalgebra::Vector3::new(0.1, 0.0, 0.2), &nalgebra::Matrix3::identity())
}

pub const GRAVITY: [f64; 3] = [1.0, -2.0, -8.0];

pub mod doubles {
    use super::*;

    pub fn given() -> FallerParameters<f64> {
        let mut given = FallerParameters::default().with(FallerInertia::Link1, inertia());
        given.gravity = GRAVITY;
        given
    }

    beside_compiled!(
        steps_with_parameters_are_those_of_compiled_rust,
        Faller,
        faller(),
        f64,
        new,
        |q: &_, v: &_, tau: &_, dt, surfaces: &_, settings: &_, last: Option<&_>| {
            Faller::friction_step_with(&given(), q, v, tau, dt, surfaces, settings, last)
        },
        &inertia().parameters()[..],
        &GRAVITY[..]
    );
    beside_compiled!(
        steps_are_those_of_compiled_rust,
        Faller,
        faller(),
        f64,
        new,
        Faller::friction_step,
        &[],
        &[]
    );
    beside_compiled!(
        steps_with_closed_loops_are_those_of_compiled_rust,
        Linkage,
        linkage(),
        f64,
        new,
        Linkage::friction_step,
        &[],
        &[]
    );
}

mod singles {
    use super::*;

    beside_compiled!(
        steps_are_those_of_compiled_rust,
        Faller,
        faller(),
        f32,
        new_f32,
        Faller::friction_step,
        &[],
        &[]
    );
}

/// Newton's law and the laws of contact of robots whose matrices are of every size.
fn law(asked: Robot, least: usize) {
    let options = Options { check: false, ..Options::default() };
    let robot = rbd_jit::Robot::from(asked).load_with(options).unwrap();
    let (n, mut work) = (robot.nv(), robot.workspace());
    let (nc, rows) = (robot.contacts().len(), 3 * robot.contacts().len());
    assert!(n >= least, "{n}");
    let numbers = |first: f64| (0..n).map(|k| 0.3 * (first + 1.7 * k as f64).sin()).collect::<Vec<f64>>();
    let (v, tau, dt) = (numbers(1.1), numbers(2.4), 1e-3);
    let (mut neutral, mut q) = (vec![0.0; robot.nq()], vec![0.0; robot.nq()]);
    robot.neutral(&mut neutral).unwrap();
    robot.integrate(&neutral, &numbers(0.3), &mut q).unwrap();
    let surfaces: Vec<_> =
        (0..nc).map(|k| (k % 4 != 3).then(|| ContactSurface::ground(-1e-4, 0.3 * k as f64))).collect();
    let (settings, mut out) = (FrictionSettings::default(), FrictionStep::default());
    robot.friction_step(&mut work, &q, &v, &tau, dt, &surfaces, &settings, None, &mut out).unwrap();
    assert!(out.converged, "{:?}", out.residuals);
    assert!(out.modes.iter().any(|mode| *mode != ContactMode::Open));

    let (mut mass, mut bias, mut jacobian) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; rows * n]);
    robot.crba(&mut work, &q, &mut mass).unwrap();
    robot.bias(&mut work, &q, &v, &mut bias).unwrap();
    let axes = ContactAxes::LocalWorldAligned;
    robot.contact_jacobian(&mut work, &q, &vec![true; nc], axes, &mut jacobian).unwrap();
    let (mut left, mut right, mut velocity) = (vec![0.0; n], vec![0.0; n], vec![0.0; rows]);
    for k in 0..n {
        left.iter_mut().zip(&mass[k * n..]).for_each(|(left, m)| *left += m * (out.v[k] - v[k]));
        let column = &jacobian[k * rows..][..rows];
        right[k] = dt * (tau[k] - bias[k]);
        right[k] += column.iter().zip(&out.impulses).map(|(j, f)| j * f).sum::<f64>();
        velocity.iter_mut().zip(column).for_each(|(c, j)| *c += j * out.v[k]);
    }
    within(1e-9, &left, &right);
    let moved: Vec<f64> = out.v.iter().map(|x| x * dt).collect();
    robot.integrate(&q, &moved, &mut neutral).unwrap();
    within(1e-12, &out.q, &neutral);
    for (k, surface) in surfaces.iter().enumerate() {
        let (f, c) = (&out.impulses[3 * k..][..3], &velocity[3 * k..][..3]);
        let Some(surface) = surface else {
            assert_eq!(f, [0.0; 3]);
            continue;
        };
        // Less of the penetration is left.
        let normal = c[2] + settings.correction * surface.distance / dt;
        assert!(f[2] >= 0.0 && normal > -1e-7 && (f[2] * normal).abs() < 1e-7, "{f:?}, {normal}");
        assert!(f[0].hypot(f[1]) <= surface.friction * f[2] + 1e-9);
        match out.modes[k] {
            ContactMode::Open => assert_eq!(f, [0.0; 3]),
            ContactMode::Stick => assert!(c[0].hypot(c[1]) < 1e-7),
            ContactMode::Slide => assert!(f[0] * c[0] + f[1] * c[1] <= 1e-9),
        }
    }
}

/// One robot for each size that matrices have here.
#[test]
fn robots_of_every_size_obey_the_laws() {
    let of = |name: &str| Robot::from_urdf(path(name)).base(Base::Floating).functions([Id::Crba, Id::Bias]);
    law(of("robots/hyq.urdf").contacts(["lf_foot", "rf_foot", "lh_foot", "rh_foot"]), 18);
    let feet = ["left_ankle_roll_link", "right_ankle_roll_link", "left_wrist_yaw_link"];
    // A humanoid, with `RBD_ALL_SEEDS`.
    for feet in some(0, &[feet]) {
        law(of("robots/g1.urdf").contacts(*feet), 25);
    }
    for &(links, least) in some(1, &[(36, 41), (60, 65)]) {
        let text = super::large::tree(links);
        let robot = Robot::from_urdf_text("large.urdf", text).base(Base::Floating);
        let last = format!("l{}", links - 1);
        law(robot.functions([Id::Crba, Id::Bias]).contacts(["l20", "l30", "l10", last.as_str()]), least);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let pendulum = || Robot::from_urdf(path("robots/double_pendulum.urdf")).functions([Id::Crba]);
    let load = |robot: Robot| rbd_jit::Robot::from(robot).load().unwrap();
    let said = |robot: &Loaded, surfaces: usize, last: Option<usize>| {
        let (x, mut out, surfaces) = ([0.0; 2], FrictionStep::default(), vec![None; surfaces]);
        let (settings, work) = (FrictionSettings::default(), &mut robot.workspace());
        let last = last.map(|n| FrictionStep { impulses: vec![0.0; n], ..FrictionStep::default() });
        match robot.friction_step(work, &x, &x, &x, 0.1, &surfaces, &settings, last.as_ref(), &mut out) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let message = "`friction_step` is not among the functions that this robot was loaded with";
    assert_eq!(said(&load(pendulum()), 1, None), message);
    let message = "`friction_step`: the contact `link2` is a plane; list its corners as points, with the option `frames`";
    assert_eq!(said(&load(pendulum().contact("link2", ContactKind::Plane)), 1, None), message);
    let robot = load(pendulum().contacts(["link2"]));
    assert_eq!(said(&robot, 1, Some(3)), "");
    assert_eq!(said(&robot, 2, None), "`friction_step`: `surfaces` has 1 numbers, and was given 2");
    assert_eq!(said(&robot, 1, Some(2)), "`friction_step`: `last.impulses` has 3 numbers, and was given 2");
}

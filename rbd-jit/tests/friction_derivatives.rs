//! Derivatives of the step with friction: contacts, closed loops and parameters in both precisions beside
//! compiled robots, and robots of every size beside differences of their steps.

use super::contacts::{UNITS, within};
use super::friction::doubles::given;
use super::friction::{Faller, GRAVITY, Linkage, cases, faller, inertia, linkage, path};
use super::some;
use nalgebra::{SVector, Vector3};
use rbd_build::Robot;
use rbd_jit::{
    Base, ContactMode, ContactSurface, Engine, FrictionSettings, FrictionStep, FrictionStepDerivatives, Id,
    Loaded, Options, Parameters,
};

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $new:ident, $derivatives:expr, $inertia:expr, $gravity:expr) => {
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
                    for dt in [0.01, 0.0] {
                        let expected = $derivatives(&q, &v, &tau, dt, &surfaces, &settings, None);
                        let (q, v, tau) = (q.as_slice(), v.as_slice(), tau.as_slice());
                        let mut step = FrictionStep::default();
                        let none = None;
                        robot
                            .friction_step(&mut work, q, v, tau, dt, &surfaces, &settings, none, &mut step)
                            .unwrap();
                        let mut out = FrictionStepDerivatives::default();
                        robot
                            .friction_step_derivatives(
                                &mut work, q, v, tau, dt, &surfaces, &settings, none, &mut out,
                            )
                            .unwrap();
                        // The step is that of the other function, bit for bit.
                        assert_eq!(out.contacts, step);
                        assert_eq!((&out.step.q, &out.step.v), (&step.q, &step.v));
                        assert!(step.converged && expected.contacts.converged);
                        assert_eq!(step.modes, expected.contacts.modes);
                        let tolerance = UNITS * UNIT;
                        let (of, found) = (&expected.step, &out.step);
                        for (found, expected) in [
                            (&found.dq_dq, &of.dq_dq),
                            (&found.dq_dv, &of.dq_dv),
                            (&found.dq_dtau, &of.dq_dtau),
                            (&found.dv_dq, &of.dv_dq),
                            (&found.dv_dv, &of.dv_dv),
                            (&found.dv_dtau, &of.dv_dtau),
                        ] {
                            within(tolerance, found, expected.as_slice());
                        }
                        within(tolerance, &out.impulses_dq, expected.impulses_dq.as_slice());
                        within(tolerance, &out.impulses_dv, expected.impulses_dv.as_slice());
                        within(tolerance, &out.impulses_dtau, expected.impulses_dtau.as_slice());
                        within(tolerance, &[out.margin], &[expected.margin]);
                        modes.extend(step.modes);
                    }
                }
            }
            for mode in [ContactMode::Open, ContactMode::Stick, ContactMode::Slide] {
                assert!(modes.contains(&mode), "no contact is {mode:?}");
            }
        }
    };
}

beside_compiled!(
    with_parameters_they_are_those_of_compiled_rust,
    Faller,
    faller(),
    f64,
    new,
    |q: &_, v: &_, tau: &_, dt, surfaces: &_, settings: &_, last: Option<&_>| {
        Faller::friction_step_derivatives_with(&given(), q, v, tau, dt, surfaces, settings, last)
    },
    &inertia().parameters()[..],
    &GRAVITY[..]
);
beside_compiled!(
    they_are_those_of_compiled_rust,
    Faller,
    faller(),
    f64,
    new,
    Faller::friction_step_derivatives,
    &[],
    &[]
);
beside_compiled!(
    with_closed_loops_they_are_those_of_compiled_rust,
    Linkage,
    linkage(),
    f64,
    new,
    Linkage::friction_step_derivatives,
    &[],
    &[]
);
beside_compiled!(
    in_single_precision_they_are_those_of_compiled_rust,
    Faller,
    faller(),
    f32,
    new_f32,
    Faller::friction_step_derivatives,
    &[],
    &[]
);

/// Derivatives along a direction beside differences of steps, with surfaces that stay where they are.
fn differences(asked: Robot, least: usize) {
    let options = Options { check: false, ..Options::default() };
    let robot = rbd_jit::Robot::from(asked).load_with(options).unwrap();
    let (n, nc, mut work) = (robot.nv(), robot.contacts().len(), robot.workspace());
    assert!(n >= least, "{n}");
    let numbers = |first: f64| (0..n).map(|k| 0.3 * (first + 1.7 * k as f64).sin()).collect::<Vec<f64>>();
    let (v, tau, dt) = (numbers(1.1), numbers(2.4), 1e-3);
    let (mut neutral, mut q) = (vec![0.0; robot.nq()], vec![0.0; robot.nq()]);
    robot.neutral(&mut neutral).unwrap();
    robot.integrate(&neutral, &numbers(0.3), &mut q).unwrap();
    let normal = Vector3::new(0.1, -0.2, 1.0).normalize();
    let settings = FrictionSettings::default();
    let mut step =
        |q: &[f64], v: &[f64], tau: &[f64], distances: &[f64], out: &mut FrictionStepDerivatives| {
            let of = |k: usize| ContactSurface::new(normal, distances[k], 0.3 * k as f64 + 0.1);
            let surfaces: Vec<_> = (0..nc).map(|k| (k % 4 != 3).then(|| of(k))).collect();
            robot
                .friction_step_derivatives(&mut work, q, v, tau, dt, &surfaces, &settings, None, out)
                .unwrap();
            assert!(out.contacts.converged, "{:?}", out.contacts.residuals);
        };
    let heights = |q: &[f64]| -> Vec<f64> {
        let (mut placements, mut work) = (vec![0.0; 12 * nc], robot.workspace());
        robot.contact_placements(&mut work, q, &mut placements).unwrap();
        placements.chunks(12).map(|at| Vector3::from_column_slice(&at[9..]).dot(&normal)).collect()
    };
    let (at, begin) = (heights(&q), -1e-4);
    let mut found = FrictionStepDerivatives::default();
    step(&q, &v, &tau, &vec![begin; nc], &mut found);
    assert!(found.margin > 1e-6, "{}", found.margin);
    assert!(found.contacts.modes.iter().any(|mode| *mode != ContactMode::Open));

    let direction = numbers(4.2);
    let product = |matrix: &[f64]| -> Vec<f64> {
        let rows = matrix.len() / n;
        (0..rows).map(|row| (0..n).map(|k| matrix[k * rows + row] * direction[k]).sum()).collect()
    };
    let of = &found.step;
    let known = [
        [&of.dq_dq, &of.dv_dq, &found.impulses_dq],
        [&of.dq_dv, &of.dv_dv, &found.impulses_dv],
        [&of.dq_dtau, &of.dv_dtau, &found.impulses_dtau],
    ];
    for (by, [dq, dv, df]) in known.into_iter().enumerate() {
        let mut there = [1e-6, -1e-6].map(|size| {
            let moved = |x: &[f64], k: usize| -> Vec<f64> {
                let by = if k == by { size } else { 0.0 };
                x.iter().zip(&direction).map(|(x, d)| x + by * d).collect()
            };
            let mut next = q.clone();
            robot.integrate(&q, &moved(&vec![0.0; n], 0), &mut next).unwrap();
            let distances: Vec<f64> = heights(&next).iter().zip(&at).map(|(a, b)| begin + a - b).collect();
            let mut out = FrictionStepDerivatives::default();
            step(&next, &moved(&v, 1), &moved(&tau, 2), &distances, &mut out);
            assert_eq!(out.contacts.modes, found.contacts.modes);
            out
        });
        let difference =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (a - b) / 2e-6).collect() };
        let [more, less] = &mut there;
        within(1e-6, &product(dv), &difference(&more.step.v, &less.step.v));
        within(1e-6, &product(df), &difference(&more.contacts.impulses, &less.contacts.impulses));
        let [mut a, mut b] = [(); 2].map(|()| vec![0.0; n]);
        robot.difference(&of.q, &more.step.q, &mut a).unwrap();
        robot.difference(&of.q, &less.step.q, &mut b).unwrap();
        within(1e-6, &product(dq), &difference(&a, &b));
    }
}

/// One robot for each size that matrices have here.
#[test]
fn robots_of_every_size_agree_with_differences() {
    let of = |name: &str| Robot::from_urdf(path(name)).base(Base::Floating).functions([Id::Crba]);
    differences(of("robots/hyq.urdf").contacts(["lf_foot", "rf_foot", "lh_foot", "rh_foot"]), 18);
    let feet = ["left_ankle_roll_link", "right_ankle_roll_link", "left_wrist_yaw_link"];
    // A humanoid, with `RBD_ALL_SEEDS`.
    for feet in some(0, &[feet]) {
        differences(of("robots/g1.urdf").contacts(*feet), 25);
    }
    for &(links, least) in some(1, &[(36, 41), (60, 65)]) {
        let text = super::large::tree(links);
        let robot = Robot::from_urdf_text("large.urdf", text).base(Base::Floating);
        let last = format!("l{}", links - 1);
        differences(robot.functions([Id::Crba]).contacts(["l20", "l30", "l10", last.as_str()]), least);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let robot = Robot::from_urdf(path("robots/double_pendulum.urdf")).functions([Id::Crba]);
    let load = |robot: Robot| rbd_jit::Robot::from(robot).load().unwrap();
    let said = |robot: &Loaded, length: usize| {
        let (x, mut out) = (vec![0.0; length], FrictionStepDerivatives::default());
        let (settings, work) = (FrictionSettings::default(), &mut robot.workspace());
        let done = robot.friction_step_derivatives(work, &x, &x, &x, 0.1, &[None], &settings, None, &mut out);
        done.map_or_else(|error| error.to_string(), |()| String::new())
    };
    let message = "`friction_step_derivatives` is not among the functions that this robot was loaded with";
    assert_eq!(said(&load(robot.clone()), 2), message);
    let robot = load(robot.contacts(["link2"]));
    assert_eq!(said(&robot, 2), "");
    assert_eq!(said(&robot, 3), "`friction_step_derivatives`: `q` has 2 numbers, and was given 3");
}

//! Rollouts, their derivative along a direction and their gradient, beside compiled robots.

use nalgebra::SVector;
use rbd::{DiscreteDynamics, Step};
use rbd_jit::{Base, Engine, Integrator, Options, Robot};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Tree { urdf: "../tests/step/joints.urdf", base: floating, functions: [crba], step: semi_implicit }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

/// The largest difference is so many units of the last place of the largest entry. Of doubles that is 2e-12:
/// rounding grows from step to step.
const UNITS: f64 = 9000.0;

#[track_caller]
fn close<T: Copy + Into<f64>>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    let unit = if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max((*b).into().abs()));
    for (a, b) in found.iter().zip(expected) {
        let [a, b]: [f64; 2] = [(*a).into(), (*b).into()];
        assert!((a - b).abs() <= UNITS * unit * largest, "{a:e} is not {b:e}");
    }
}

macro_rules! beside_compiled {
    ($test:ident, $number:ident, $load:ident) => {
        #[test]
        fn $test() {
            const NV: usize = Tree::NV;
            const N: usize = 5;
            type Vector = SVector<$number, NV>;
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let asked = Robot::from_urdf(path("tests/step/joints.urdf")).base(Base::Floating);
                let robot = asked.functions(["crba"]).step(Integrator::SemiImplicit).$load(options).unwrap();
                let mut work = robot.workspace();
                let numbers = |first: f64| Vector::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number);
                let q = Tree::integrate(&Tree::neutral(), &numbers(0.3));
                let (v, dt) = (numbers(1.1) * 0.3, 0.01);
                let rows = |first: f64| -> [Vector; N] { std::array::from_fn(|k| numbers(first + k as f64)) };
                let flat = |rows: &[Vector; N]| rows.iter().flatten().copied().collect::<Vec<_>>();
                let (controls, of_controls) = (rows(0.7), rows(5.2));
                let mut states = [Step::zeros(); N];
                Tree::rollout(&q, &v, &controls, dt, &mut states);
                let mut expected_q: Vec<$number> = Vec::new();
                let mut expected_v: Vec<$number> = Vec::new();
                for state in &states {
                    expected_q.extend(state.q.iter());
                    expected_v.extend(state.v.iter());
                }
                let (mut qs, mut vs) = (vec![$number::NAN; N * q.len()], vec![$number::NAN; N * NV]);
                let (given, q0, v0) = (flat(&controls), q.as_slice(), v.as_slice());
                robot.rollout(&mut work, q0, v0, &given, dt, &mut qs, &mut vs).unwrap();
                close(&qs, &expected_q);
                close(&vs, &expected_v);

                let mut changes = [(Vector::zeros(), Vector::zeros()); N];
                let (of_q, of_v) = (numbers(2.2), numbers(3.1));
                let direction = (&of_q, &of_v, &of_controls[..]);
                Tree::rollout_sensitivity(&q, &v, &controls, dt, direction, &mut states, &mut changes);
                qs.fill($number::NAN);
                vs.fill($number::NAN);
                let [mut dqs, mut dvs] = [(); 2].map(|()| vec![$number::NAN; N * NV]);
                let along = flat(&of_controls);
                let direction = [of_q.as_slice(), of_v.as_slice(), &along];
                let (to, moved) = ([&mut qs[..], &mut vs], [&mut dqs[..], &mut dvs]);
                robot.rollout_sensitivity(&mut work, q0, v0, &given, dt, direction, to, moved).unwrap();
                close(&qs, &expected_q);
                close(&vs, &expected_v);
                close(&dqs, &flat(&changes.map(|(q, _)| q)));
                close(&dvs, &flat(&changes.map(|(_, v)| v)));

                let (alone_q, alone_v) = (rows(4.4), rows(6.1));
                let mut gradient: [_; N] = std::array::from_fn(|k| (alone_q[k], alone_v[k]));
                let mut by_controls = [Vector::zeros(); N];
                let first =
                    Tree::rollout_adjoint(&q, &v, &controls, dt, &states, &mut gradient, &mut by_controls);
                let (mut gq, mut gv) = (flat(&alone_q), flat(&alone_v));
                let mut by = vec![$number::NAN; N * NV];
                let [mut first_q, mut first_v] = [(); 2].map(|()| vec![$number::NAN; NV]);
                let (of, to) = ([&mut gq[..], &mut gv], [&mut first_q[..], &mut first_v]);
                robot.rollout_adjoint(&mut work, q0, v0, &given, dt, [&qs, &vs], of, &mut by, to).unwrap();
                close(&gq, &flat(&gradient.map(|(q, _)| q)));
                close(&gv, &flat(&gradient.map(|(_, v)| v)));
                close(&by, &flat(&by_controls));
                close(&first_q, first.0.as_slice());
                close(&first_v, first.1.as_slice());

                // Both are one derivative: of the costs along the direction.
                let dot = |a: &[$number], b: &[$number]| -> f64 {
                    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
                };
                let forward = dot(&dqs, &flat(&alone_q)) + dot(&dvs, &flat(&alone_v));
                let [own_q, own_v] = [of_q.as_slice(), of_v.as_slice()];
                let back = dot(&by, &along) + dot(&first_q, own_q) + dot(&first_v, own_v);
                close(&[back as $number], &[forward as $number]);
            }
        }
    };
}

beside_compiled!(rollouts_are_those_of_compiled_rust, f64, load_with);
beside_compiled!(rollouts_in_single_precision, f32, load_f32_with);

#[test]
fn what_does_not_fit_is_refused() {
    let urdf = path("robots/double_pendulum.urdf");
    let robot = Robot::from_urdf(&urdf).functions(["aba"]);
    let without = robot.clone().load().unwrap();
    let with = robot.step(Integrator::Rk4).load().unwrap();
    let said = |robot: &rbd_jit::Loaded, controls: usize, states: usize| {
        let (x, mut qs, mut vs) = (vec![0.0; controls], vec![0.0; states], vec![0.0; states]);
        match robot.rollout(&mut robot.workspace(), &[0.0; 2], &[0.0; 2], &x, 0.1, &mut qs, &mut vs) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let message = "`rollout` comes with the option `step`, without which this robot was loaded";
    assert_eq!(said(&without, 4, 4), message);
    let message = "`rollout`: `controls` has 2 numbers a step, and 5 are no whole number of steps";
    assert_eq!(said(&with, 5, 4), message);
    assert_eq!(said(&with, 4, 6), "`rollout`: `qs` has 4 numbers, and was given 6");
    assert_eq!(said(&with, 4, 4), "");
    assert_eq!(said(&with, 0, 0), "");
}

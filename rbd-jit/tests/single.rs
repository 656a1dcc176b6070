//! Single precision: bit for bit the arithmetic of compiled Rust in `f32`, one by one and in batches.

use nalgebra::SVector;
use rbd_build::Generated;
use rbd_build::plan::Plan;
use rbd_build::signature::{A, FEXT, Param, Q, TAU_GIVEN, V};
use rbd_jit::{Base, Engine, Function, Id, Loaded, Options, Robot, Shape};
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};
use rbd_runtime::random::{State, random_state};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Pendulum {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [rnea, aba, crba, aba_derivatives],
    }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot)
}

fn engines() -> impl Iterator<Item = Engine> {
    let all = [Engine::Avx512, Engine::Avx2, Engine::Neon, Engine::Interpreter];
    all.into_iter().filter(|engine| engine.is_there())
}

fn argument(param: Param, state: &State) -> Vec<f32> {
    let numbers: Vec<f64> = match param {
        Q => state.q.as_slice().to_vec(),
        V => state.v.as_slice().to_vec(),
        A => state.a.as_slice().to_vec(),
        TAU_GIVEN => state.tau.as_slice().to_vec(),
        FEXT => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        other => panic!("{} has no value here", other.name),
    };
    numbers.into_iter().map(|x| x as f32).collect()
}

/// A plan, run with the arithmetic that compiled Rust has on this processor.
struct Interpreted<'a>(&'a Plan, &'a State);

impl Dispatched<f32> for Interpreted<'_> {
    type Output = Vec<Vec<f32>>;

    fn run<S: Scalar>(self, recast: Recast<f32, S>) -> Vec<Vec<f32>> {
        let Self(plan, state) = self;
        let results = plan.run_with_loops::<S>(|param| recast.slice(&argument(param, state)).to_vec());
        results.into_iter().map(|(_, all)| all.into_iter().map(|x| recast.back(x)).collect()).collect()
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// Results of a function for these states, by rows: in a batch, or of one state by a call.
fn computed(robot: &Loaded<f32>, function: &Function<f32>, plan: &Plan, states: &[State]) -> Vec<Vec<f32>> {
    let params = plan.spec().params;
    let inputs: Vec<Vec<f32>> =
        params.iter().map(|p| states.iter().flat_map(|state| argument(*p, state)).collect()).collect();
    let inputs: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
    let mut found: Vec<Vec<f32>> =
        function.outputs().iter().map(|o| vec![f32::NAN; o.length * states.len()]).collect();
    let mut outputs: Vec<&mut [f32]> = found.iter_mut().map(Vec::as_mut_slice).collect();
    if states.len() == 1 {
        function.call(&mut robot.workspace(), &inputs, &mut outputs).unwrap();
    } else {
        robot.batch().threads(2).call(function, &inputs, &mut outputs).unwrap();
    }
    found
}

/// How many functions were compared.
fn check(robot: &rbd_build::Robot) -> usize {
    let generated: Generated = robot.trace().unwrap();
    // More than registers hold side by side, and no multiple of that.
    let states: Vec<State> = (0..37).map(|k| random_state(&generated.model, k)).collect();
    let mut compared = 0;
    for engine in engines() {
        // The reference is looked at while loading.
        let options = Options { engine: Some(engine), check: true, ..Options::default() };
        let loaded = Loaded::new_f32(generated.clone(), options).unwrap();
        assert_eq!(loaded.left_out().next(), None);
        compared = 0;
        for (function, plan) in loaded.functions().iter().zip(&generated.functions) {
            assert_eq!(plan.spec().name, function.name());
            let is_native = matches!(engine, Engine::Avx512 | Engine::Avx2);
            assert_eq!(function.is_native(), is_native);
            let batch = computed(&loaded, function, plan, &states);
            for (k, state) in states.iter().enumerate().filter(|(k, _)| k % 6 == 0) {
                let one = computed(&loaded, function, plan, std::slice::from_ref(state));
                let expected = f32::dispatch(Interpreted(plan, state));
                let each = function.outputs().iter().zip(&one).zip(&batch).zip(&expected);
                for (((output, one), batch), expected) in each {
                    let what = format!("{}: {} ({engine}), state {k}", function.name(), output.name);
                    assert_eq!(bits(one), bits(expected), "{what}");
                    let row = &batch[k * output.length..][..output.length];
                    assert_eq!(bits(row), bits(expected), "{what}, in a batch");
                }
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn arms_and_quadrupeds() {
    let functions = || Id::ALL.into_iter().filter(|f| !f.is_by_parameters());
    let arm = rbd_build::Robot::from_urdf(path("iiwa14.urdf")).functions(functions());
    assert!(check(&arm) >= 30);
    let functions = [Id::Rnea, Id::AbaFext, Id::Crba, Id::Minv, Id::RneaDerivatives, Id::AbaDerivatives];
    let hyq = rbd_build::Robot::from_urdf(path("hyq.urdf")).base(Base::Floating).functions(functions);
    assert_eq!(check(&hyq), functions.len());
}

/// Loops over tables, which this robot would not have by cost.
#[test]
fn loops_over_tables() {
    let functions = [Id::Rnea, Id::AbaFext, Id::Crba, Id::Minv, Id::RneaDerivativesFext, Id::AbaDerivatives];
    let arm = rbd_build::Robot::from_urdf(path("iiwa14.urdf")).functions(functions).shape(Shape::Loops);
    assert_eq!(check(&arm), functions.len());
}

#[test]
fn results_are_those_of_a_compiled_robot() {
    const NV: usize = Pendulum::NV;
    let functions = ["rnea", "aba", "crba", "aba_derivatives"];
    let asked = Robot::from_urdf(path("double_pendulum.urdf")).base(Base::Floating).functions(functions);
    for engine in engines() {
        let options = Options { engine: Some(engine), ..Options::default() };
        let robot = asked.clone().load_f32_with(options).unwrap();
        let mut work = robot.workspace();
        let numbers = |first: f32| SVector::<f32, NV>::from_fn(|k, _| (first + 1.7 * k as f32).sin());
        let q = Pendulum::integrate(&Pendulum::neutral(), &numbers(0.3));
        let (v, x) = (numbers(1.1), numbers(2.4));
        let mut next = vec![f32::NAN; q.len()];
        robot.integrate(q.as_slice(), v.as_slice(), &mut next).unwrap();
        assert_eq!(bits(&next), bits(Pendulum::integrate(&q, &v).as_slice()));
        let [qs, vs, xs] = [q.as_slice(), v.as_slice(), x.as_slice()];
        let (mut torques, mut m) = ([f32::NAN; NV], [f32::NAN; NV * NV]);
        robot.rnea(&mut work, qs, vs, xs, &mut torques).unwrap();
        assert_eq!(bits(&torques), bits(Pendulum::rnea(&q, &v, &x).as_slice()));
        robot.aba(&mut work, qs, vs, xs, &mut torques).unwrap();
        assert_eq!(bits(&torques), bits(Pendulum::aba(&q, &v, &x).as_slice()));
        robot.crba(&mut work, qs, &mut m).unwrap();
        assert_eq!(bits(&m), bits(Pendulum::crba(&q).as_slice()));
        let mut out = rbd_jit::AbaDerivatives::default();
        robot.aba_derivatives(&mut work, qs, vs, xs, &mut out).unwrap();
        let expected = Pendulum::aba_derivatives(&q, &v, &x);
        assert_eq!(bits(&out.ddq_dq), bits(expected.ddq_dq.as_slice()));
        assert_eq!(bits(&out.ddq_dv), bits(expected.ddq_dv.as_slice()));
    }
}

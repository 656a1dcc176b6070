//! Published robots: every function that can be had, bit for bit against the interpreter of kernels with
//! the arithmetic of compiled Rust, and against the generic reference.

use rbd_build::Generated;
use rbd_build::Robot;
use rbd_build::plan::Plan;
use rbd_build::signature::{A, FEXT, Param, Q, TAU_GIVEN, V};
use rbd_jit::{Base, Engine, Id, Loaded, Options, Shape};
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};
use rbd_runtime::random::{State, random_state};
use std::path::{Path, PathBuf};

/// Every function that is a kernel.
fn functions() -> impl Iterator<Item = Id> {
    Id::ALL.into_iter().filter(|f| !f.is_by_parameters())
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot)
}

fn builder(robot: &str, base: Base) -> Robot {
    Robot::from_urdf(path(robot)).base(base)
}

/// The engines of this processor; says which are not there.
fn engines() -> Vec<Engine> {
    let is_there = |engine: &Engine| {
        if !engine.is_there() {
            println!("skipped: this processor has no {engine}");
        }
        engine.is_there()
    };
    [Engine::Avx512, Engine::Avx2, Engine::Neon, Engine::Interpreter].into_iter().filter(is_there).collect()
}

fn argument(param: Param, state: &State) -> Vec<f64> {
    match param {
        Q => state.q.as_slice().to_vec(),
        V => state.v.as_slice().to_vec(),
        A => state.a.as_slice().to_vec(),
        TAU_GIVEN => state.tau.as_slice().to_vec(),
        FEXT => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        other => panic!("{} has no value here", other.name),
    }
}

/// A plan, run with the arithmetic that compiled Rust has on this processor.
struct Interpreted<'a>(&'a Plan, &'a State);

impl Dispatched<f64> for Interpreted<'_> {
    type Output = Vec<Vec<f64>>;

    fn run<S: Scalar>(self, recast: Recast<f64, S>) -> Vec<Vec<f64>> {
        let Self(plan, state) = self;
        let results = plan.run_with_loops::<S>(|param| recast.slice(&argument(param, state)).to_vec());
        results.into_iter().map(|(_, all)| all.into_iter().map(|x| recast.back(x)).collect()).collect()
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// How many functions were compared.
fn check(robot: &Robot) -> usize {
    let generated = robot.trace().expect("a sound robot");
    let robot = robot.urdf_path();
    let state = random_state(&generated.model, 3);
    let mut compared = 0;
    for engine in engines() {
        // The reference is looked at while loading.
        let options = Options { engine: Some(engine), check: true, ..Options::default() };
        let loaded = Loaded::new(generated.clone(), options).expect("it loads");
        assert_eq!(loaded.engine(), engine);
        let mut workspace = loaded.workspace();
        let mut plans = generated.functions.iter().filter(|plan| loaded.by_id(plan.function).is_ok());
        for function in loaded.functions() {
            let plan = plans.next().expect("functions are in the plans' order");
            assert_eq!(plan.spec().name, function.name());
            assert_eq!(function.is_native(), engine != Engine::Interpreter);
            let inputs: Vec<Vec<f64>> = plan.spec().params.iter().map(|p| argument(*p, &state)).collect();
            let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            let mut found: Vec<Vec<f64>> =
                function.outputs().iter().map(|o| vec![f64::NAN; o.length]).collect();
            let mut outputs: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
            function.call(&mut workspace, &inputs, &mut outputs).expect("arguments fit");
            // Limbs side by side are other kernels.
            let packed = if engine == Engine::Interpreter { None } else { plan.packed() };
            let expected = f64::dispatch(Interpreted(packed.as_ref().unwrap_or(plan), &state));
            for ((output, found), expected) in function.outputs().iter().zip(&found).zip(&expected) {
                assert_eq!(
                    bits(found),
                    bits(expected),
                    "{robot:?}, {}: {} ({engine})",
                    function.name(),
                    output.name
                );
            }
            compared += 1;
        }
    }
    compared / engines().len()
}

#[test]
fn a_double_pendulum() {
    assert!(check(&builder("double_pendulum.urdf", Base::Fixed).functions(functions())) >= 30);
}

#[test]
fn an_arm() {
    assert!(check(&builder("iiwa14.urdf", Base::Fixed).functions(functions())) >= 30);
}

#[test]
fn a_quadruped() {
    assert!(check(&builder("hyq.urdf", Base::Floating).functions(functions())) >= 30);
}

/// Straight lines, limbs in lanes, products and inverses of other robots.
#[test]
fn other_robots() {
    let others = [
        ("allegro_hand.urdf", Base::Fixed),
        ("go2.urdf", Base::Floating),
        ("panda.urdf", Base::Fixed),
        ("so100.urdf", Base::Fixed),
        ("solo12.urdf", Base::Floating),
        ("talos_left_arm.urdf", Base::Fixed),
        ("ur5.urdf", Base::Fixed),
        ("xarm7.urdf", Base::Fixed),
        ("z1.urdf", Base::Fixed),
    ];
    for (robot, base) in super::some(3, &others) {
        let functions = [Id::Rnea, Id::Aba, Id::AbaDerivatives];
        assert_eq!(check(&builder(robot, *base).functions(functions)), functions.len());
    }
}

/// Loops over tables, which these robots would not have by cost.
#[test]
fn loops_over_tables() {
    let functions = [Id::Rnea, Id::AbaFext, Id::Crba, Id::Minv, Id::RneaDerivativesFext, Id::AbaDerivatives];
    for (robot, base) in [("iiwa14.urdf", Base::Fixed), ("hyq.urdf", Base::Floating)] {
        let robot = builder(robot, base).functions(functions).shape(Shape::Loops);
        assert_eq!(check(&robot), functions.len());
    }
}

/// Each state of a batch is what a call gives.
#[test]
fn batches_are_calls() {
    for (robot, base) in [("iiwa14.urdf", Base::Fixed), ("hyq.urdf", Base::Floating)] {
        let builder = builder(robot, base).functions([Id::Rnea, Id::Aba, Id::AbaDerivatives]);
        let generated = builder.trace().expect("a sound robot");
        for engine in engines() {
            let loaded = Loaded::new(
                generated.clone(),
                Options { engine: Some(engine), check: false, ..Options::default() },
            )
            .expect("it loads");
            for (states, threads) in [(0, 1), (1, 1), (3, 1), (8, 2), (21, 3)] {
                for function in loaded.functions() {
                    batch(&loaded, function, &generated, states, threads);
                }
            }
        }
    }
}

fn batch(
    loaded: &Loaded,
    function: &rbd_jit::Function,
    generated: &Generated,
    states: usize,
    threads: usize,
) {
    let all: Vec<State> = (0..states).map(|k| random_state(&generated.model, k as u64)).collect();
    let plan =
        generated.functions.iter().find(|plan| plan.spec().name == function.name()).expect("it is there");
    let params = plan.spec().params;
    let inputs: Vec<Vec<f64>> =
        params.iter().map(|p| all.iter().flat_map(|state| argument(*p, state)).collect()).collect();
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let rows = |count: usize| -> Vec<Vec<f64>> {
        function.outputs().iter().map(|o| vec![f64::NAN; o.length * count]).collect()
    };
    let mut found = rows(states);
    let mut outputs: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
    loaded.batch().threads(threads).call(function, &inputs, &mut outputs).expect("arguments fit");
    for (k, state) in all.iter().enumerate() {
        // By the kernels for every scalar, and not those with limbs side by side.
        let expected = f64::dispatch(Interpreted(plan, state));
        for ((output, found), expected) in function.outputs().iter().zip(&found).zip(&expected) {
            let row = &found[k * output.length..][..output.length];
            assert_eq!(
                bits(row),
                bits(expected),
                "{} {}, state {k} of {states}",
                function.name(),
                output.name
            );
        }
    }
}

#[test]
fn structures_name_what_is_not_zero() {
    let functions = ["aba_derivatives", "crba", "frame_jacobian", "rnea_hessian"];
    let hyq = rbd_jit::Robot::from_urdf(path("hyq.urdf")).base(Base::Floating).frames(["lf_foot"]);
    let robot = hyq.functions(functions).load().unwrap();
    let state = random_state(robot.model(), 3);
    let mut workspace = robot.workspace();
    for name in functions {
        let function = robot.function(name).unwrap();
        let inputs: Vec<Vec<f64>> = function
            .inputs()
            .iter()
            .map(|input| match input.name {
                "q" => state.q.as_slice().to_vec(),
                "v" => state.v.as_slice().to_vec(),
                _ => state.a.as_slice().to_vec(),
            })
            .collect();
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let mut outputs: Vec<Vec<f64>> =
            function.outputs().iter().map(|o| vec![f64::NAN; o.length]).collect();
        let mut slices: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        function.call(&mut workspace, &inputs, &mut slices).unwrap();
        for (output, found) in function.outputs().iter().zip(&outputs) {
            let Some(structure) = function.structure(output.name) else {
                assert!(output.length < 18 * 6, "{name}: {}", output.name);
                continue;
            };
            assert_eq!(structure.rows() * structure.columns(), output.length);
            let nonzeros: Vec<(usize, usize)> = (0..output.length)
                .filter(|k| found[*k] != 0.0)
                .map(|k| (k % structure.rows(), k / structure.rows()))
                .collect();
            assert_eq!(structure.nonzeros().collect::<Vec<_>>(), nonzeros, "{name}: {}", output.name);
        }
    }
    assert_eq!(robot.structure("crba", "m").unwrap().count(), 196);
    assert!(robot.structure("crba", "minv").is_none() && robot.structure("minv", "minv").is_none());
}

/// Tensors of an arm are a straight line at run time, where compiled Rust has loops over tables. Calls have
/// loops too where the line is long.
#[test]
fn tensors_of_an_arm_are_a_straight_line_or_loops_where_that_is_long() {
    let id = Id::RneaSecondDerivatives;
    for (urdf, is_long) in [("iiwa14.urdf", true), ("ur5.urdf", false)] {
        let arm = || rbd_jit::Robot::from(builder(urdf, Base::Fixed).functions([id]));
        let (line, loops) = (arm().load().unwrap(), arm().shape(Shape::Loops).load().unwrap());
        let function = |robot: &Loaded| robot.by_id(id).unwrap().bytes();
        let is_native = line.engine() != Engine::Interpreter;
        assert_eq!(function(&line) > 0, is_native && !is_long, "{urdf}");
        assert_eq!(function(&loops), 0);
        assert_eq!(line.by_id(id).unwrap().has_lanes(), is_native);
        let state = random_state(line.model(), 5);
        let inputs = [state.q.as_slice(), state.v.as_slice(), state.a.as_slice()];
        let tensors = |robot: &Loaded, is_batch: bool| -> Vec<Vec<f64>> {
            let function = robot.by_id(id).unwrap();
            let mut all: Vec<Vec<f64>> =
                function.outputs().iter().map(|a| vec![f64::NAN; a.length]).collect();
            let mut outputs: Vec<&mut [f64]> = all.iter_mut().map(Vec::as_mut_slice).collect();
            if is_batch {
                robot.batch().call(function, &inputs, &mut outputs).unwrap();
            } else {
                function.call(&mut robot.workspace(), &inputs, &mut outputs).unwrap();
            }
            all
        };
        let expected = tensors(&loops, false);
        for found in [tensors(&line, false), tensors(&line, true)] {
            for (found, expected) in found.iter().zip(&expected) {
                let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                let are_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-12 * largest);
                assert!(are_near, "{urdf}");
            }
        }
    }
}

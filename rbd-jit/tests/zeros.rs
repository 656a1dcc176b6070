//! Calls that leave entries alone that are zero in every state.

use crate::some;
use rbd_jit::{Base, Engine, Function, Id, Loaded, Number, Options, Robot, Workspace};
use rbd_runtime::random::{State, random_state};
use std::path::{Path, PathBuf};

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot)
}

fn inputs<T: Number>(function: &Function<T>, state: &State) -> Vec<Vec<T>> {
    let of = |name: &str| match name {
        "q" => state.q.as_slice(),
        "v" => state.v.as_slice(),
        "a" => state.a.as_slice(),
        _ => state.tau.as_slice(),
    };
    function.inputs().iter().map(|a| of(a.name).iter().copied().map(T::from_f64).collect()).collect()
}

fn call<T: Number>(
    function: &Function<T>,
    workspace: &mut Workspace<T>,
    inputs: &[Vec<T>],
    results: &mut [Vec<T>],
) -> Result<(), rbd_jit::Error> {
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let mut results: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    function.call(workspace, &inputs, &mut results)
}

/// Batches that leave zeros alone give what those give that write them, on one thread and on two.
fn batches<T: Number>(robot: &Loaded<T>, function: &Function<T>) {
    const STATES: usize = 37;
    let states: Vec<_> =
        (0..STATES as u64).map(|seed| inputs(function, &random_state(robot.model(), seed))).collect();
    let rows = |k: usize| -> Vec<T> { states.iter().flat_map(|inputs| inputs[k].iter().copied()).collect() };
    let rows: Vec<Vec<T>> = (0..function.inputs().len()).map(rows).collect();
    let rows: Vec<&[T]> = rows.iter().map(Vec::as_slice).collect();
    let made = |x: f64| -> Vec<Vec<T>> {
        function.outputs().iter().map(|a| vec![T::from_f64(x); a.length * STATES]).collect()
    };
    let (mut expected, mut found) = (made(7.0), made(0.0));
    let slices = |all: &mut Vec<Vec<T>>, batch: rbd_jit::Batch<'_, T>| {
        let mut all: Vec<&mut [T]> = all.iter_mut().map(Vec::as_mut_slice).collect();
        batch.call(function, &rows, &mut all)
    };
    slices(&mut expected, robot.batch()).unwrap();
    for threads in [1, 2] {
        slices(&mut found, robot.batch().threads(threads).leaving_zeros()).unwrap();
        assert_eq!(found, expected, "batches of {} by {}", function.name(), robot.engine());
    }
}

/// How many functions have matrices with zeros, and of how many these are written nevertheless.
fn check<T: Number>(robot: &Loaded<T>) -> (usize, usize) {
    let (mut usual, mut leaving) = (robot.workspace(), robot.workspace().leaving_zeros());
    let (mut count, mut whole) = (0, 0);
    for function in robot.functions() {
        let made = |x: f64| -> Vec<Vec<T>> {
            function.outputs().iter().map(|a| vec![T::from_f64(x); a.length]).collect()
        };
        let mut kept = made(0.0);
        for seed in 0..3 {
            let inputs = inputs(function, &random_state(robot.model(), seed));
            let mut expected = made(7.0);
            call(function, &mut usual, &inputs, &mut expected).unwrap();
            call(function, &mut leaving, &inputs, &mut kept).unwrap();
            assert_eq!(kept, expected, "{} by {}", function.name(), robot.engine());
        }
        batches(robot, function);
        let zero = function.outputs().iter().enumerate().find_map(|(k, output)| {
            let structure = function.structure(output.name)?;
            let is_zero =
                |entry: &usize| structure.is_zero(entry % structure.rows(), entry / structure.rows());
            (0..output.length).find(is_zero).map(|entry| (k, entry))
        });
        let Some((k, entry)) = zero.filter(|_| function.frame().is_none()) else { continue };
        count += 1;
        kept[k][entry] = T::one();
        let inputs = inputs(function, &random_state(robot.model(), 3));
        let mut expected = made(7.0);
        call(function, &mut usual, &inputs, &mut expected).unwrap();
        match call(function, &mut leaving, &inputs, &mut kept) {
            Err(error) => {
                let expected = format!(
                    "`{}`: entry {entry} of `{}` is zero in every state, and was given another number; with \
                     `leaving_zeros`, give zeros, or what this function gave",
                    function.name(),
                    function.outputs()[k].name
                );
                assert_eq!(error.to_string(), expected);
            }
            // Loops write this matrix, or nobody looks.
            Ok(()) if kept == expected => whole += 1,
            Ok(()) if cfg!(debug_assertions) => panic!("{}: another number was left", function.name()),
            Ok(()) => {}
        }
    }
    (count, whole)
}

/// How many functions have states side by side, of which each is what a call gives, to a tolerance relative
/// to the largest entry: calls may have limbs side by side.
fn states_are_calls<T: Number>(robot: &Loaded<T>, tolerance: f64) -> usize {
    const STATES: usize = 21;
    let states: Vec<_> =
        (0..STATES as u64).map(|seed| inputs_of(robot, &random_state(robot.model(), seed))).collect();
    let mut workspace = robot.workspace();
    for (f, function) in robot.functions().iter().enumerate() {
        let rows = |k: usize| -> Vec<T> { states.iter().flat_map(|all| all[f][k].iter().copied()).collect() };
        let rows: Vec<Vec<T>> = (0..function.inputs().len()).map(rows).collect();
        let rows: Vec<&[T]> = rows.iter().map(Vec::as_slice).collect();
        let made = |count: usize| -> Vec<Vec<T>> {
            function.outputs().iter().map(|a| vec![T::from_f64(7.0); a.length * count]).collect()
        };
        let mut found = made(STATES);
        let mut outputs: Vec<&mut [T]> = found.iter_mut().map(Vec::as_mut_slice).collect();
        robot.batch().call(function, &rows, &mut outputs).unwrap();
        for (state, all) in states.iter().enumerate() {
            let mut expected = made(1);
            call(function, &mut workspace, &all[f], &mut expected).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                let found = &found[state * expected.len()..][..expected.len()];
                let of = |x: &T| x.double();
                let largest = expected.iter().map(of).fold(0.0, |most: f64, x| most.max(x.abs()));
                for (found, expected) in found.iter().zip(expected) {
                    let error = (of(found) - of(expected)).abs();
                    assert!(error <= tolerance * largest, "{}, state {state}: {error:e}", function.name());
                }
            }
        }
    }
    robot.functions().iter().filter(|function| function.has_lanes()).count()
}

fn inputs_of<T: Number>(robot: &Loaded<T>, state: &State) -> Vec<Vec<Vec<T>>> {
    robot.functions().iter().map(|function| inputs(function, state)).collect()
}

/// Second derivatives that join the results of other functions, with states side by side.
#[test]
fn second_derivatives_of_states_side_by_side_are_those_of_calls() {
    let of = |robot: &str| Robot::from_urdf(path(robot)).functions([Id::RneaHessian, Id::AbaHessian]);
    let floating = of("hyq.urdf").base(Base::Floating);
    let gripper = of("../rbd-build/tests/good/gripper.urdf").friction(0.1);
    let engines = [Engine::Avx512, Engine::Avx2, Engine::Interpreter];
    let there: Vec<Engine> = engines.into_iter().filter(|engine| engine.is_there()).collect();
    for &engine in some(1, &there) {
        let options = Options { engine: Some(engine), check: false, ..Options::default() };
        let mut side_by_side = 0;
        for robot in
            some(2, &[floating.clone(), gripper.clone(), of("iiwa14.urdf"), of("xarm7.urdf").friction(0.1)])
        {
            let double = robot.clone().load_with(options.clone()).unwrap();
            side_by_side += states_are_calls(&double, 1e-12);
            let single = robot.clone().load_f32_with(options.clone()).unwrap();
            let _ = states_are_calls(&single, 1e-3);
        }
        assert!(engine == Engine::Interpreter || side_by_side >= 4, "{side_by_side} functions");
    }
}

#[test]
fn results_are_those_that_are_written_whole() {
    let functions = [Id::RneaDerivatives, Id::AbaDerivatives, Id::Crba, Id::Minv, Id::FrameJacobian];
    let hyq = Robot::from_urdf(path("hyq.urdf")).base(Base::Floating).frames(["lf_foot"]);
    let hyq = hyq.functions(functions).fused("Now: ddq, m, com".parse().unwrap());
    let engines = [Engine::Avx512, Engine::Avx2, Engine::Neon, Engine::Interpreter];
    for engine in engines.into_iter().filter(|engine| engine.is_there()) {
        let options = Options { engine: Some(engine), check: false, ..Options::default() };
        for (count, whole) in [
            check(&hyq.clone().load_with(options.clone()).unwrap()),
            check(&hyq.clone().load_f32_with(options).unwrap()),
        ] {
            assert!(count == 4 && whole < 2, "{count} functions, of which {whole} write zeros");
        }
    }
}

/// Tensors too, by straight lines and by loops, of mimic joints and with joint friction, which is added.
#[test]
fn tensors_are_those_that_are_written_whole() {
    let functions = [Id::RneaSecondDerivatives, Id::AbaSecondDerivatives, Id::RneaHessian, Id::AbaHessian];
    let of = |robot: &str| Robot::from_urdf(path(robot)).functions(functions);
    let gripper = of("../rbd-build/tests/good/gripper.urdf").friction(0.1);
    let floating = of("hyq.urdf").base(Base::Floating);
    let all = [floating, gripper, of("xarm7.urdf").friction(0.1), of("panda.urdf").friction(0.1)];
    for robot in some(1, &all) {
        let options = Options { check: false, ..Options::default() };
        let _ = check(&robot.clone().load_with(options.clone()).unwrap());
        let _ = check(&robot.clone().load_f32_with(options).unwrap());
    }
}

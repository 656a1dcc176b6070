//! Calls that leave entries alone that are zero in every state.

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
    for robot in [floating, of("xarm7.urdf").friction(0.1), of("panda.urdf").friction(0.1), gripper] {
        let options = Options { check: false, ..Options::default() };
        let _ = check(&robot.clone().load_with(options.clone()).unwrap());
        let _ = check(&robot.load_f32_with(options).unwrap());
    }
}

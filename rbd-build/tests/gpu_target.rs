//! Text for GPUs against its kernels, compiled as C, where threads are loops.
//!
//! Values are compared to the last bit: in C each operation is rounded on its own, as the
//! interpreter rounds it. Without a compiler, a message says so and nothing is tested.
//! `tests/gpu/run.py` runs the same text as OpenCL, and `tools/gpu_budget.py` compiles it as CUDA.

mod c_compiler;
#[path = "common/steps.rs"]
#[allow(dead_code, reason = "derivatives alone")]
mod common_steps;
#[path = "gpu/contacts.rs"]
mod contacts;
#[path = "gpu/fused.rs"]
mod fused;
#[path = "gpu/run_time.rs"]
mod run_time;
#[path = "gpu/second_order.rs"]
mod second_order;
#[path = "gpu/step.rs"]
mod step;
#[path = "gpu/zeros.rs"]
mod zeros;

use c_compiler::{Batch, all_seeds, argument, batches, compilers, name_in_c, some};
use rbd_build::emit::c::Real;
use rbd_build::emit::gpu::Writer;
use rbd_build::plan::Plan;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Function, Generated, Gpu, Robot};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model, random_state};
use std::path::Path;

const PLAIN: [&str; 1] = ["-ffp-contract=off"];
const STATES: usize = 3;
/// So few values alive that every kernel is cut.
const FEW: usize = 50;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn robot(name: &str) -> Robot {
    Robot::from_urdf(root().join(format!("robots/{name}.urdf")))
}

/// Entry k of state i at `k * states + i`.
fn side_by_side(states: &[Vec<f64>]) -> Vec<f64> {
    (0..states[0].len()).flat_map(|k| states.iter().map(move |state| state[k])).collect()
}

/// The kernels of a function, in order.
fn kernels(text: &str, function: &str) -> Vec<String> {
    let defined = format!("#define {}_KERNELS ", function.to_uppercase());
    match text.split_once(&defined) {
        None => vec![format!("{function}_kernel")],
        Some((_, count)) => {
            let count = count.split_once('\n').unwrap().0.parse::<usize>().unwrap();
            (1..=count).map(|k| format!("{function}_kernel{k}")).collect()
        }
    }
}

/// A function with its arguments and results: first each one's numbers of all states, or of all sets.
struct Called {
    function: String,
    /// Parameters at run time, of each set.
    given: Vec<Vec<Vec<f64>>>,
    arguments: Vec<Vec<Vec<f64>>>,
    results: Vec<Vec<Vec<f64>>>,
}

impl Called {
    /// Batches for all states at once and for one state, with their expected results.
    fn both(self, text: &str) -> [(Batch, Vec<f64>); 2] {
        let (states, sets) = (self.results[0].len(), self.given.first().map(Vec::len));
        let (inputs, one) = (self.given.iter().chain(&self.arguments), |x: &Vec<Vec<f64>>| x[0].clone());
        let all = Batch {
            functions: kernels(text, &self.function),
            whole: [states].into_iter().chain(sets).collect(),
            arguments: inputs.clone().map(|x| side_by_side(x)).collect(),
            outputs: self.results.iter().map(|x| x[0].len() * states).collect(),
        };
        let alone = Batch {
            functions: vec![self.function],
            whole: [1].into_iter().chain(sets.map(|_| 1)).collect(),
            arguments: inputs.map(one).collect(),
            outputs: self.results.iter().map(|x| x[0].len()).collect(),
        };
        let expected = self.results.iter().flat_map(|x| side_by_side(x)).collect();
        [(all, expected), (alone, self.results.iter().flat_map(one).collect())]
    }
}

/// From all results of each state to all states of each result.
fn by_result(of_states: &[Vec<Vec<f64>>]) -> Vec<Vec<Vec<f64>>> {
    (0..of_states[0].len()).map(|k| of_states.iter().map(|of| of[k].clone()).collect()).collect()
}

fn states(model: &Model<f64>) -> Vec<State> {
    (0..STATES as u64).map(|seed| random_state(model, seed)).collect()
}

/// Every function, for all states at once and for one state, with the expected results.
fn cases(text: &str, prefix: &str, model: &Model<f64>, plans: &[Plan]) -> Vec<(Batch, Vec<f64>)> {
    let states = states(model);
    let of = |plan: &Plan| {
        let results = |state| plan.run(|p| argument(state, p)).into_iter().map(|(_, x)| x).collect();
        Called {
            function: format!("{prefix}_{}", name_in_c(plan, model)),
            given: Vec::new(),
            arguments: plan
                .spec()
                .params
                .iter()
                .map(|p| states.iter().map(|state| argument(state, *p)).collect())
                .collect(),
            results: by_result(&states.iter().map(results).collect::<Vec<_>>()),
        }
    };
    plans.iter().flat_map(|plan| of(plan).both(text)).collect()
}

/// The largest difference, of the largest entry of a batch.
fn error(expected: &[f64], found: &[f64]) -> f64 {
    assert_eq!(expected.len(), found.len());
    let largest = expected.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
    // A NaN is the largest difference.
    expected
        .iter()
        .zip(found)
        .fold(0.0, |m, (a, b)| if (a - b).abs() / largest <= m { m } else { (a - b).abs() / largest })
}

#[track_caller]
fn check(
    name: &str,
    file: &(String, String),
    real: &str,
    cases: &[(Batch, Vec<f64>)],
    (compilers, tolerance): (&[&str], f64),
) {
    let (all, expected): (Vec<Batch>, Vec<Vec<f64>>) = cases.iter().cloned().unzip();
    for compiler in compilers {
        let found = batches(compiler, &format!("gpu_{name}_{compiler}"), file, real, &PLAIN, &all);
        for ((batch, expected), found) in all.iter().zip(&expected).zip(&found) {
            let error = error(expected, found);
            assert!(error <= tolerance, "{name}, {compiler}, {:?}: {error:e}", batch.functions);
        }
    }
}

fn check_robot(name: &str, generated: &Generated, real: &str, tolerance: f64) {
    let file = generated.files().remove(0);
    let cases = cases(&file.1, &generated.name, &generated.model, &generated.functions);
    check(name, &file, real, &cases, (&compilers(), tolerance));
}

#[test]
fn an_arm_to_the_last_bit() {
    let functions = [Function::Rnea, Function::Minv, Function::AbaDerivatives, Function::FrameJacobian];
    let arm = robot("iiwa14").frames(["iiwa_link_7"]).functions(functions);
    check_robot("arm", &arm.plan(Gpu::default()).unwrap(), "double", 0.0);
    check_robot("arm_float", &arm.plan(Gpu { float: true }).unwrap(), "float", 2e-5);
}

/// Every kind of joint, mimic joints, angles with offsets; whole, and cut into many parts.
#[test]
fn random_trees() {
    for &(seed, floating) in some(1, &[(4, true), (3, false)]) {
        let options =
            Options { friction: !floating, ..Options::everything(if all_seeds() { 5 } else { 4 }, floating) };
        let model = random_model(seed, &options);
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        let functions = Function::ALL.into_iter().filter(|f| !f.is_of_frame() && !f.is_by_parameters());
        // The last strategy is in stages, with loops, if there is one.
        let plans: Vec<Plan> = functions.map(|f| f.trace_all(&tree).pop().unwrap()).collect();
        // The last compiler found is the fastest.
        let (found, derivatives) = (compilers(), [Function::AbaDerivatives, Function::RneaDerivativesFext]);
        for most_alive in [FEW, usize::MAX] {
            let cut = |plan: &&Plan| most_alive > FEW || derivatives.contains(&plan.function);
            let plans: Vec<Plan> = plans.iter().filter(cut).cloned().collect();
            let gpu = Writer { prefix: "tree", real: Real::F64, origin: "a test", most_alive };
            let file = ("tree.cuh".to_owned(), gpu.robot(&model, &plans));
            assert_eq!(file.1.contains("TREE_ABA_DERIVATIVES_KERNEL3_PARTS"), most_alive == FEW);
            let cases = cases(&file.1, "tree", &model, &plans);
            let name = format!("tree{seed}_{}", most_alive == FEW);
            check(&name, &file, "double", &cases, (&found[found.len().saturating_sub(1)..], 1e-12));
        }
    }
}

/// A quadruped's derivatives do not fit a thread: parts, and products by loops after them.
#[test]
fn a_quadruped_in_parts() {
    let functions = [Function::Minv, Function::RneaDerivatives];
    let hyq = robot("hyq").base(Base::Floating).functions(functions);
    let hyq = hyq.plan(Gpu::default()).unwrap();
    assert!(hyq.files().remove(0).1.contains("HYQ_RNEA_DERIVATIVES_KERNEL1_PARTS"));
    check_robot("hyq", &hyq, "double", 2e-15);
}

#[test]
fn the_generated_file_is_the_recorded_one() {
    let text = || robot("double_pendulum").plan(Gpu { float: true }).unwrap().files().remove(0);
    let (name, once) = text();
    assert_eq!(once, text().1);
    let path = root().join("tests/golden").join(&name);
    if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
        std::fs::write(&path, &once).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let line = known.lines().zip(once.lines()).take_while(|(a, b)| a == b).count();
    assert!(
        known == once,
        "{name} is not what is written now, from line {} on; if that is meant, run \
             `cargo xtask bless`, and read the difference",
        line + 1
    );
}

/// Names of joints and links are not written at all, and the robot's own is in a comment.
#[test]
fn hostile_names_stay_names() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpu_names");
    std::fs::create_dir_all(&folder).unwrap();
    let hostile = std::fs::read_to_string(root().join("tests/golden/hostile_names.urdf")).unwrap();
    let path = folder.join("a\"; }\n int x = 1; \\?? * \u{202e}.urdf");
    std::fs::write(&path, &hostile).unwrap();
    let robot = Robot::from_urdf(path).functions([Function::Rnea]).plan(Gpu::default()).unwrap();
    assert_eq!(&robot.name, "a_int_x_1");
    let file = robot.files().remove(0);
    assert!(file.1.is_ascii() && file.1.chars().all(|c| c == '\n' || !c.is_control()));
    let document = roxmltree::Document::parse(&hostile).unwrap();
    let code = c_compiler::without_strings_and_comments(&file.1);
    for name in document.descendants().filter_map(|n| n.attribute("name")).filter(|name| name.len() > 3) {
        assert!(!code.contains(name), "{name}");
    }
    check_robot("names", &robot, "double", 1e-12);
}

#[test]
fn options_are_checked() {
    let fault = |robot: &Robot| robot.plan(Gpu::default()).unwrap_err().to_string();
    let in_loops = robot("double_pendulum").shape_of(Function::Minv, rbd_build::Shape::Loops);
    assert!(
        fault(&in_loops).contains("`minv` is asked for in loops, but loops are not written for GPUs yet")
    );
    let tensors = fault(&robot("double_pendulum").functions([Function::RneaSecondDerivatives]));
    assert!(tensors.contains("gives tensors, which are not written for GPUs"), "{tensors}");
    for name in ["", "int x; int", "a__b", "7"] {
        assert!(fault(&robot("double_pendulum").name(name)).contains("cannot begin names in C"), "{name}");
    }
}

/// An argument and a result of a function have names of their own.
#[test]
fn arrays_of_a_function_have_different_names() {
    for spec in &rbd_build::functions::FUNCTIONS {
        let arguments = spec.params.iter().map(|param| param.name);
        let mut names: Vec<&str> = arguments.chain(spec.outputs.iter().map(|output| output.name)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", spec.name);
    }
}

/// nvcc computes constants of constants when it reads them, which takes exponential time in the length of a
/// chain.
#[test]
fn values_are_no_constants() {
    let text = robot("iiwa14").functions([Function::Aba]).plan(Gpu::default()).unwrap().files().remove(0).1;
    let values = |line: &&str| line.trim_start().starts_with("double x") && line.contains(" = ");
    assert!(text.lines().filter(values).count() > 100);
    assert!(!text.lines().any(|line| line.trim_start().starts_with("const double x")));
}

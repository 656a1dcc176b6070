//! Zeros that `RBD_LEAVE_ZEROS` leaves alone.

use crate::c_compiler::{batches, compilers};
use crate::{FEW, PLAIN, cases, robot, states};
use rbd_build::emit::c::Real;
use rbd_build::emit::gpu::Writer;
use rbd_build::measure::Entry;
use rbd_build::plan::Plan;
use rbd_build::signature::{Dims, Sizes};
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Function, Gpu};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, random_model};

/// Whether each number of a batch's results is zero in every state, in the order of the results.
fn zeros(plan: &Plan, sizes: Sizes, states: usize) -> Vec<bool> {
    let mut all = Vec::new();
    for output in plan.spec().outputs {
        let (rows, columns) = output.shape.extent(sizes);
        let pattern = matches!(output.shape, Dims::Matrix(..)).then(|| plan.pattern(output.name).unwrap());
        for k in 0..rows * columns {
            let is_zero = pattern.as_ref().is_some_and(|of| of.entry(k % rows, k / rows) == Entry::Zero);
            all.extend(std::iter::repeat_n(is_zero, states));
        }
    }
    all
}

/// Entries that are not written are NaN. `whole` are functions that leave all their zeros alone.
fn check(
    name: &str,
    file: &(String, String),
    prefix: &str,
    model: &Model<f64>,
    plans: &[Plan],
    whole: &[Function],
) {
    let sizes = Sizes::from(model);
    let calls: Vec<_> = cases(&file.1, prefix, model, plans);
    let all: Vec<_> = calls.iter().map(|(batch, _)| batch.clone()).collect();
    for compiler in compilers() {
        let run = |name: String, more: &[&str]| {
            batches(compiler, &name, file, "double", &[&PLAIN[..], more].concat(), &all)
        };
        let written = run(format!("gpu_{name}_{compiler}"), &[]);
        let left = run(format!("gpu_{name}_left_{compiler}"), &["-DRBD_LEAVE_ZEROS"]);
        let of_plans = plans.iter().flat_map(|plan| [(plan, states(model).len()), (plan, 1)]);
        let mut count = 0;
        for (((plan, states), written), left) in of_plans.zip(&written).zip(&left) {
            let zeros = zeros(plan, sizes, states);
            let of = format!("{name}, {compiler}, {}", plan.function.name());
            assert!(written.len() == zeros.len() && left.len() == zeros.len(), "{of}");
            for (k, is_zero) in zeros.iter().enumerate() {
                let (written, left) = (written[k], left[k]);
                assert!(!written.is_nan(), "{of} leaves entries alone");
                if left.is_nan() {
                    assert!(*is_zero && written == 0.0, "{of}, {k}");
                    count += 1;
                } else {
                    assert_eq!(left.to_bits(), written.to_bits(), "{of}, {k}");
                    assert!(!is_zero || !whole.contains(&plan.function), "{of}, {k}");
                }
            }
        }
        assert!(count > 0, "{name} leaves nothing alone");
    }
}

#[test]
fn of_a_quadruped_are_left_alone() {
    let whole = [Function::Crba, Function::RneaDerivatives];
    let functions = [Function::Minv, whole[0], whole[1]];
    let hyq = robot("hyq").base(Base::Floating).functions(functions).plan(Gpu::default()).unwrap();
    let file = hyq.files().remove(0);
    check("zeros_hyq", &file, &hyq.name, &hyq.model, &hyq.functions, &whole);
}

/// Cut into many parts, with stages that keep numbers in the memory of later results.
#[test]
fn of_random_trees_are_left_alone() {
    let model = random_model(17, &Options { friction: true, ..Options::everything(9, false) });
    let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
    let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
    let functions = [Function::Crba, Function::Minv, Function::RneaDerivatives, Function::AbaDerivatives];
    for most_alive in [FEW, usize::MAX] {
        let plans: Vec<Plan> = functions.iter().map(|f| f.trace_all(&tree).pop().unwrap()).collect();
        let gpu = Writer { prefix: "tree", real: Real::F64, origin: "a test", most_alive };
        let file = ("tree.cuh".to_owned(), gpu.robot(&model, &plans));
        check(&format!("zeros_tree_{}", most_alive == FEW), &file, "tree", &model, &plans, &[Function::Crba]);
    }
}

//! Second derivatives for GPUs against the reference's tensors, which share no code with them.

use crate::c_compiler::hessians::{expected, value};
use crate::c_compiler::{all_seeds, compilers, some};
use crate::{Called, FEW, PLAIN, batches, by_result, states};
use rbd_build::emit::c::Real;
use rbd_build::emit::gpu::Writer;
use rbd_build::plan::Plan;
use rbd_build::signature::Sizes;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Function, Gpu};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model};

const HESSIANS: [Function; 4] =
    [Function::RneaHessian, Function::RneaHessianFext, Function::AbaHessian, Function::AbaHessianFext];

/// All second derivatives from a tree's straight lines, those of first derivatives in stages.
fn plans(model: &Model<f64>, tree: &Tree) -> Vec<Plan> {
    let of = |function: Function| {
        let made_of = function.dependencies_without_loops();
        if made_of.is_empty() {
            return function.trace_all(tree).pop().unwrap();
        }
        let parts: Vec<Plan> = made_of.iter().map(|f| f.trace_all(tree).pop().unwrap()).collect();
        Plan::composed(function, model, parts)
    };
    HESSIANS.into_iter().map(of).collect()
}

/// The results of a state in the order of the arrays: first derivatives of forward dynamics before
/// its Hessian.
fn results(plan: &Plan, model: &Model<f64>, state: &State) -> Vec<Vec<f64>> {
    let sizes = Sizes::from(model);
    let mut all = Vec::new();
    if !plan.dependencies().is_empty() {
        let fext = (plan.function == Function::AbaHessianFext).then_some(&state.fext[..]);
        let d = model.aba_derivatives(state.q.as_slice(), state.v.as_slice(), state.tau.as_slice(), fext);
        all.push(d.ddq.as_slice().to_vec());
        all.extend([d.ddq_dq, d.ddq_dv, d.ddq_dtau].map(|x| x.as_slice().to_vec()));
    }
    let mut hessian = expected(plan.function, model, state).into_iter();
    for output in plan.spec().outputs {
        let (rows, columns) = output.shape.extent(sizes);
        all.push(hessian.by_ref().take(rows * columns).collect());
    }
    assert!(hessian.next().is_none());
    all
}

/// Each result within a tolerance of its largest entry.
fn check(name: &str, file: &(String, String), model: &Model<f64>, plans: &[Plan], compilers: &[&str]) {
    let states = states(model);
    let mut cases = Vec::new();
    for plan in plans {
        let of_states: Vec<_> = states.iter().map(|state| results(plan, model, state)).collect();
        let arguments = plan.spec().params.iter().map(|p| states.iter().map(|s| value(s, *p)).collect());
        let called = Called {
            function: format!("{}_{}", file.0.trim_end_matches(".cuh"), plan.spec().name),
            given: Vec::new(),
            arguments: arguments.collect(),
            results: by_result(&of_states),
        };
        cases.extend(called.both(&file.1));
    }
    let (all, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    for compiler in compilers {
        let found = batches(compiler, &format!("gpu_{name}_{compiler}"), file, "double", &PLAIN, &all);
        for ((batch, expected), found) in all.iter().zip(&expected).zip(&found) {
            let mut from = 0;
            for (k, n) in batch.outputs.iter().enumerate() {
                let error = crate::error(&expected[from..from + n], &found[from..from + n]);
                assert!(error <= 1e-10, "{name}, {compiler}, {:?}, {k}: {error:e}", batch.functions);
                from += n;
            }
            assert_eq!(from, found.len());
        }
    }
}

#[test]
fn of_random_trees() {
    for &(seed, floating) in some(1, &[(4, true), (3, false)]) {
        let model = random_model(seed, &Options::everything(if all_seeds() { 4 } else { 3 }, floating));
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let plans = plans(&model, &Tree::new(&model, Rewrite::uniform(&model, true, form)));
        let found = compilers();
        for most_alive in [FEW, usize::MAX] {
            let gpu = Writer { prefix: "tree", real: Real::F64, origin: "a test", most_alive };
            let file = ("tree.cuh".to_owned(), gpu.robot(&model, &plans));
            assert_eq!(file.1.contains("#define TREE_RNEA_HESSIAN_KERNEL1_PARTS"), most_alive == FEW);
            let name = format!("hessians{seed}_{}", most_alive == FEW);
            check(&name, &file, &model, &plans, &found[found.len().saturating_sub(1)..]);
        }
    }
}

/// Through the builder, with all compilers: only requested functions are written.
#[test]
fn of_a_robot() {
    let pendulum = super::robot("double_pendulum").functions([Function::AbaHessian]);
    let made = pendulum.plan(Gpu::default()).unwrap();
    assert_eq!(made.functions.len(), 1);
    check("pendulum_hessian", &made.files().remove(0), &made.model, &made.functions, &compilers());
}

/// A humanoid's would not fit the registers of a thread.
#[test]
fn of_humanoids_are_refused() {
    let refused = |robot: &str, function| {
        let robot = super::robot(robot).base(Base::Floating).functions([function]);
        robot.plan(Gpu::default()).unwrap_err().to_string()
    };
    for function in [Function::RneaHessian, Function::AbaHessian] {
        let said = refused("g1", function);
        let expected = format!(
            "`{}` of this robot is too long for a straight line; loops are not written for GPUs yet",
            function.name()
        );
        assert!(said.contains(&expected), "{said}");
    }
}

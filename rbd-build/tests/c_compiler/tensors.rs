//! Tensors of second derivatives by loops over tables in C, against the reference's and against the
//! Hessians of weighted sums.

use crate::c_compiler::composed::TENSORS;
use crate::c_compiler::hessians::{value, weights};
use crate::c_compiler::{Case, compilers, run, some, traced_loops};
use crate::second_order::check;
use crate::{robot, states};
use rbd_build::emit::c::Real;
use rbd_build::plan::Plan;
use rbd_build::strategy::Strategy;
use rbd_build::{Base, C, Function, Shape};
use rbd_runtime::random::{Options, random_model};
use rbd_runtime::{JointKind, Model};

/// These tensors by loops, and the first derivatives that they are made from.
fn in_loops(model: &Model<f64>, tensors: &[Function]) -> Vec<Plan> {
    use Function as F;
    let mut all = [F::AbaDerivatives, F::AbaDerivativesFext].map(|f| traced_loops(f, model)).to_vec();
    for &function in tensors {
        let parts =
            all.iter().filter(|p| function.dependencies(model).contains(&p.function)).cloned().collect();
        all.push(Plan::composed(function, model, parts));
    }
    all
}

/// Every kind of joint, mimic joints, rotors, dampers, friction and forces; with and without vectors.
#[test]
fn of_random_trees() {
    for &(seed, bodies, floating) in
        some(2, &[(1, 1, false), (4, 5, true), (3, 4, false), (9, 9, false), (5, 12, true)])
    {
        let options = Options { friction: bodies % 4 != 0, ..Options::everything(bodies, floating) };
        let model = random_model(seed, &options);
        let flags = if seed == 5 { ["-O2"] } else { ["-DRBD_VECTORS=0"] };
        let name = format!("tensors{seed}");
        check(&name, &model, &in_loops(&model, &TENSORS), Real::F64, &flags, 1e-10);
    }
}

/// A floating base next to other roots, which it does not carry; trees of joints that move along
/// and about one axis, without mimic joints; and a chain.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn of_several_roots_and_of_a_chain() {
    let floating =
        Options { bodies: 4, kinds: vec![JointKind::Floating], on_world: 0.7, ..Options::default() };
    let roots = random_model(2, &floating);
    assert!(roots.bodies[1..].iter().any(|body| body.parent.is_none()));
    check("tensor_roots", &roots, &in_loops(&roots, &TENSORS), Real::F64, &["-O2"], 1e-10);
    let kinds = vec![JointKind::Revolute, JointKind::Prismatic];
    let tree = random_model(8, &Options { bodies: 10, kinds, floating: true, ..Options::default() });
    check("tensor_tree", &tree, &in_loops(&tree, &TENSORS), Real::F64, &["-O2"], 1e-10);
    let chain = Options { bodies: 17, branching: 0.0, on_world: 0.0, ..Options::default() };
    let chain = random_model(7, &chain);
    // The condition number of M is large, so nothing of forward dynamics is compared.
    check("tensor_chain", &chain, &in_loops(&chain, &TENSORS[..2]), Real::F64, &["-O2"], 1e-12);
}

/// To as many units of rounding as the torques in Rust.
#[test]
fn in_single_precision() {
    let model = random_model(6, &Options { friction: true, ..Options::everything(6, true) });
    let units = 64.0 * f64::from(f32::EPSILON);
    let plans = in_loops(&model, &TENSORS[..2]);
    check("tensor_float", &model, &plans, Real::F32, &["-DREAL=float"], units);
}

/// Weighted sums of all tensors' rows are the Hessians: of a humanoid, whose first derivatives are
/// loops as well, and of an arm, where they are straight lines.
#[test]
fn weighted_are_hessians() {
    use Function as F;
    let arm = robot("iiwa14").name("tree").shape_of(F::AbaDerivatives, Shape::Straight);
    let arm =
        arm.shape_of(F::RneaSecondDerivatives, Shape::Loops).shape_of(F::AbaSecondDerivatives, Shape::Loops);
    let humanoid = robot("g1").name("tree").base(Base::Floating);
    for (name, robot) in [("arm", arm), ("humanoid", humanoid)] {
        let functions = [F::RneaHessian, F::AbaHessian, F::RneaSecondDerivatives, F::AbaSecondDerivatives];
        let made = robot.functions(functions).plan(C::default()).unwrap();
        let first = made.functions.iter().find(|plan| plan.function == F::AbaDerivatives).unwrap();
        assert_eq!(first.strategy == Strategy::LOOPS, name == "humanoid");
        let (n, state) = (made.model.nv, &states(&made.model)[0]);
        let case = |function: F| {
            let spec = function.spec();
            let lengths = spec.outputs.iter().map(|o| {
                let (rows, columns) = o.shape.extent((&made.model).into());
                (o.name, rows * columns)
            });
            let outputs: Vec<_> = lengths.collect();
            let all: usize = outputs.iter().map(|(_, n)| n).sum();
            Case {
                function: format!("tree_{}", spec.name),
                result: Some(format!("tree_{}_t", spec.name)),
                arguments: spec.params.iter().map(|p| value(state, *p)).collect(),
                outputs,
                expected: vec![0.0; all],
            }
        };
        let cases = functions.map(case);
        let weights = weights(n);
        for compiler in compilers() {
            let found =
                run(compiler, &format!("weighted_{name}_{compiler}"), &made.files(), &["-O0"], &cases);
            for (hessian, tensors) in [(&found[0], &found[2]), (&found[1], &found[3])] {
                let hessian = &hessian[1 + 3 * n..];
                assert_eq!((hessian.len(), tensors.len()), (4 * n * n, 4 * n * n * n));
                for block in 0..4 {
                    let of = |at: usize| {
                        let rows = &tensors[(block * n * n + at) * n..][..n];
                        rows.iter().zip(&weights).map(|(x, weight)| x * weight).sum::<f64>()
                    };
                    let hessian = &hessian[block * n * n..][..n * n];
                    let largest = hessian.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    for (at, expected) in hessian.iter().enumerate() {
                        let error = (of(at) - expected).abs() / largest;
                        assert!(error <= 1e-9, "{name}, {compiler}, block {block}, {at}: {error:e}");
                    }
                }
            }
        }
    }
}

/// A humanoid's tensors are tens of kilobytes by default. Their parts come with them, but no
/// Hessian.
#[test]
fn are_small() {
    use Function as F;
    let humanoid =
        || robot("g1").base(Base::Floating).functions([F::RneaSecondDerivatives, F::AbaSecondDerivatives]);
    let made = humanoid().plan(C::default()).unwrap();
    let names: Vec<F> = made.functions.iter().map(|plan| plan.function).collect();
    assert_eq!(names, [F::AbaDerivatives, F::RneaSecondDerivatives, F::AbaSecondDerivatives]);
    assert!(made.functions.iter().all(|plan| plan.strategy == Strategy::LOOPS));
    let size = made.files()[1].1.len();
    assert!(size < 120_000, "{size} bytes");
    // A row at a time, where straight lines are asked for.
    let pendulum = robot("double_pendulum").functions([F::RneaSecondDerivatives]);
    let straight = pendulum.shape_of(F::RneaSecondDerivatives, Shape::Straight).plan(C::default()).unwrap();
    assert!(straight.functions.iter().any(|plan| plan.function == F::RneaHessian));
    assert!(!straight.files()[1].1.contains("_table_"));
}

//! Second derivatives in JavaScript against the reference's tensors, which share no code with them.

use super::js::composed::{TENSORS, straight, with_composed};
use super::js::hessians::{expected, value};
use crate::js::{self, Case};
use crate::robot;
use rbd_build::emit::js::{LONGEST, Writer};
use rbd_build::plan::Plan;
use rbd_build::strategy::Strategy;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Function, Js, Robot, Shape};
use rbd_runtime::random::{Options, random_model, random_state};
use rbd_runtime::{JointKind, Model};

use Function as F;

const HESSIANS: [F; 4] = [F::RneaHessian, F::RneaHessianFext, F::AbaHessian, F::AbaHessianFext];

/// Made of loops, which know joint friction.
fn in_loops(model: &Model<f64>, tensors: &[F]) -> Vec<Plan> {
    let plain = Model { friction_smoothing: None, ..model.clone() };
    let first = [F::AbaDerivatives, F::AbaDerivativesFext].map(|f| f.trace_loops(&plain).unwrap());
    let hessians = HESSIANS[..2].iter().map(|f| Plan::composed(*f, model, Vec::new()));
    with_composed(model, first.into_iter().chain(hessians).collect(), tensors)
}

/// Second derivatives among these plans agree with the reference: each result to the tolerance, of its
/// largest entry. A result that is zero has the rounding of the others.
#[track_caller]
fn check(name: &str, module: &str, model: &Model<f64>, plans: &[Plan], tolerance: f64) {
    let state = random_state(model, 11);
    let mut cases = Vec::new();
    for plan in plans.iter().filter(|plan| plan.function.is_second_order()) {
        let spec = plan.spec();
        assert_eq!(plan.verify(), Ok(()));
        cases.push(Case {
            function: spec.name.into(),
            arguments: spec.params.iter().map(|param| value(&state, *param)).collect(),
            outputs: Some(spec.outputs.iter().map(|output| output.name).collect()),
            expected: expected(plan.function, model, &state),
        });
    }
    assert!(!cases.is_empty());
    let Some(found) = js::run(name, module, &cases) else { return };
    for ((case, found), plan) in
        cases.iter().zip(&found).zip(plans.iter().filter(|p| p.function.is_second_order()))
    {
        let all = case.expected.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
        let (mut from, sizes) = (0, model.into());
        for output in plan.spec().outputs {
            let (rows, columns) = output.shape.extent(sizes);
            let of = from..from + rows * columns;
            from = of.end;
            let (found, expected) = (&found[of.clone()], &case.expected[of]);
            let largest = expected.iter().fold(1e-6 * all, |m, x| m.max(x.abs()));
            let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest);
            // A NaN is the largest difference.
            let error = differences.fold(0.0, |m, d| if d <= m { m } else { d });
            assert!(error < tolerance, "{name}, {}, {}: {error:e}", case.function, output.name);
        }
        assert_eq!(from, found.len());
    }
}

#[track_caller]
fn check_plans(name: &str, model: &Model<f64>, plans: &[Plan], tolerance: f64) {
    let module = Writer { origin: "a test", longest: LONGEST }.module(model, plans, &[]);
    check(&format!("hessians_{name}"), &module, model, plans, tolerance);
}

#[test]
fn of_random_trees() {
    for &(seed, floating) in js::some(1, &[(4, true), (3, false)]) {
        let model = random_model(seed, &Options::everything(4, floating));
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        check_plans(&format!("straight{seed}"), &model, &straight(&model, &tree), 1e-10);
    }
}

/// Every kind of joint, mimic joints, rotors, dampers, friction and forces.
#[test]
fn of_random_trees_in_loops() {
    for &(seed, bodies, floating) in
        js::some(2, &[(1, 1, false), (4, 5, true), (3, 4, false), (9, 9, false), (5, 12, true)])
    {
        let options = Options { friction: bodies % 4 != 0, ..Options::everything(bodies, floating) };
        let model = random_model(seed, &options);
        let tensors: &[F] = if bodies < 4 { &TENSORS } else { &[] };
        check_plans(&format!("loops{seed}"), &model, &in_loops(&model, tensors), 1e-10);
    }
}

/// A floating base next to other roots, which it does not carry; and segments of a chain, which are one here.
#[test]
fn of_several_roots_and_of_a_chain_in_loops() {
    let bodies = Options { bodies: 4, kinds: vec![JointKind::Floating], on_world: 0.7, ..Options::default() };
    let roots = random_model(2, &bodies);
    assert!(roots.bodies[1..].iter().any(|body| body.parent.is_none()));
    check_plans("roots", &roots, &in_loops(&roots, &[]), 1e-10);
    if !js::all_seeds() {
        return;
    }
    let chain = random_model(7, &Options { bodies: 33, branching: 0.0, on_world: 0.0, ..Options::default() });
    // The condition number of M is large, so nothing of forward dynamics is compared.
    let of_torques = HESSIANS[..2].iter().map(|f| Plan::composed(*f, &chain, Vec::new()));
    check_plans("chain", &chain, &of_torques.collect::<Vec<_>>(), 1e-12);
}

/// As they are planned: an arm's and a quadruped's in straight lines, and the quadruped's in loops, with the
/// functions that they are made of.
#[test]
fn of_robots_as_planned() {
    let hyq = || robot("hyq").base(Base::Floating);
    let all = [
        ("iiwa14", robot("iiwa14"), 240_000),
        ("hyq_loops", hyq().shape(Shape::Loops), 90_000),
        ("hyq", hyq(), 720_000),
    ];
    for (name, robot, most) in js::some(2, &all) {
        let made = robot.clone().functions([F::AbaHessian]).plan(Js).unwrap();
        let functions: Vec<F> = made.functions.iter().map(|plan| plan.function).collect();
        assert_eq!(functions, [F::AbaDerivatives, F::RneaHessian, F::AbaHessian]);
        let in_loops = |plan: &Plan| plan.strategy == Strategy::LOOPS;
        assert!(made.functions[..2].iter().all(|plan| in_loops(plan) == name.ends_with("loops")));
        let files = made.files();
        let bytes: usize =
            files.iter().filter(|(name, _)| name.ends_with(".js")).map(|(_, text)| text.len()).sum();
        assert!(bytes < *most, "{name}: {bytes} bytes");
        check(&format!("hessians_{name}"), &made.source(), &made.model, &made.functions, 1e-10);
    }
}

/// A function with `_with_first` gives the bits of the one without, and of first derivatives.
#[test]
fn come_with_first_derivatives() {
    let made = robot("double_pendulum").functions([F::AbaHessian]).plan(Js).unwrap();
    let program = "
const [q, v, tau, lambda] = [[0.3, -0.5], [0.7, 1.1], [0.2, -0.4], [0.6, -1.3]];
const first = robot.aba_derivatives(q, v, [0, 0]), out = robot.aba_hessian_with_first(q, v, tau, lambda, first);
for (const [found, known] of [[first, robot.aba_derivatives(q, v, tau)], [out, robot.aba_hessian(q, v, tau, lambda)]]) {
    for (const name in known) if (known[name].some((x, k) => !Object.is(x, found[name][k]))) console.log(`${name} differs`);
}
console.log(Object.keys(out).length, robot.aba_hessian_with_first(q, v, tau, lambda, first, out) === out);
for (const f of [() => robot.aba_hessian(q, v, tau, [1], out), () => robot.aba_hessian_with_first(q, v, tau, lambda, { ...first, ddq: [1] })]) {
    try { f(); } catch (error) { console.log(error.message); }
}";
    let Some(printed) = js::printed("hessians_first", &made.source(), program) else { return };
    let said = "8 true\naba_hessian: lambda has 1 numbers instead of 2\naba_derivatives: ddq has 1 numbers instead of 2\n";
    assert_eq!(printed, said);
    let types = &made.files()[1].1;
    assert!(
        types.contains("export function aba_hessian_with_first(")
            && types.contains("export interface AbaHessian {")
    );
}

/// Tensors are made of a Hessian for each row: there are no loops for them.
#[test]
fn of_tensors_have_no_loops_of_their_own() {
    let arm = || robot("iiwa14").functions([F::AbaSecondDerivatives]);
    let names = |robot: Robot| -> Vec<F> {
        robot.plan(Js).unwrap().functions.iter().map(|plan| plan.function).collect()
    };
    let parts = [F::AbaDerivatives, F::RneaHessian, F::AbaHessian, F::AbaSecondDerivatives];
    assert_eq!(names(arm().shape(Shape::Loops)), parts);
    let fault = arm().shape_of(F::AbaSecondDerivatives, Shape::Loops).plan(Js).unwrap_err().to_string();
    assert!(fault.contains("loops for tensors are not written in JavaScript yet"), "{fault}");
}

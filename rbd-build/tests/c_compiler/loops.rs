//! Loops over tables in C against the reference and Pinocchio's stored values, which share no code
//! with them.

use crate::c_compiler::{Case, argument, compilers, run, some, traced_loops};
use crate::{PLAIN, robot, root, states};
use rbd_build::emit::c::{Files, Real, Writer};
use rbd_build::plan::Plan;
use rbd_build::signature::{Q, Sizes};
use rbd_build::strategy::Strategy;
use rbd_build::{Base, C, Function, Shape};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model};

const ALL: [Function; 6] = [
    Function::RneaDerivatives,
    Function::RneaDerivativesFext,
    Function::Crba,
    Function::Minv,
    Function::AbaDerivatives,
    Function::AbaDerivativesFext,
];

/// Outputs of the reference, one after the other.
fn expected(function: Function, model: &Model<f64>, state: &State) -> Vec<f64> {
    use Function as F;
    let [q, v, a, tau] = [&state.q, &state.v, &state.a, &state.tau].map(|x| x.as_slice());
    let fext = [F::RneaDerivativesFext, F::AbaDerivativesFext].contains(&function).then_some(&state.fext[..]);
    let (value, matrices) = match function {
        F::Crba => (Vec::new(), vec![model.crba(q)]),
        F::Minv => (Vec::new(), vec![model.minv(q)]),
        F::RneaDerivatives | F::RneaDerivativesFext => {
            let d = model.rnea_derivatives(q, v, a, fext);
            (d.tau.as_slice().to_vec(), vec![d.dtau_dq, d.dtau_dv, d.dtau_da])
        }
        _ => {
            let d = model.aba_derivatives(q, v, tau, fext);
            (d.ddq.as_slice().to_vec(), vec![d.ddq_dq, d.ddq_dv, d.ddq_dtau])
        }
    };
    value.into_iter().chain(matrices.iter().flat_map(|m| m.as_slice().to_vec())).collect()
}

fn case(model: &Model<f64>, plan: &Plan, state: &State, at: bool) -> Case {
    let (spec, sizes) = (plan.spec(), Sizes::from(model));
    let mut arguments = Vec::new();
    for param in spec.params {
        let values = argument(state, *param);
        arguments.push(values.clone());
        if at && *param == Q {
            arguments.extend([f64::sin, f64::cos].map(|of| values.iter().map(|x| of(*x)).collect()));
        }
    }
    let outputs = spec.outputs.iter().map(|o| (o.name, o.shape.extent(sizes)));
    Case {
        function: format!("tree_{}{}", spec.name, if at { "_at" } else { "" }),
        result: spec.result.map(|_| format!("tree_{}_t", spec.name.trim_end_matches("_fext"))),
        arguments,
        outputs: outputs.map(|(name, (rows, columns))| (name, rows * columns)).collect(),
        expected: expected(plan.function, model, state),
    }
}

/// Largest difference of each output, relative to its largest entry. The tolerance may depend on
/// whether M is inverted.
#[track_caller]
fn check(
    name: &str,
    files: &[(String, String)],
    flags: &[&str],
    cases: &[Case],
    tolerance: impl Fn(bool) -> f64,
) {
    for compiler in compilers() {
        let found = run(compiler, &format!("{name}_{compiler}"), files, flags, cases);
        for (case, found) in cases.iter().zip(&found) {
            assert_eq!(case.expected.len(), found.len(), "{}", case.function);
            let tolerance = tolerance(case.function.contains("minv") || case.function.contains("aba"));
            let mut from = 0;
            for (output, n) in &case.outputs {
                let (found, expected) = (&found[from..from + n], &case.expected[from..from + n]);
                let largest = expected.iter().fold(1e-9_f64, |m, x| m.max(x.abs()));
                let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest);
                // A NaN is the largest difference.
                let error = differences.fold(0.0, |m, d| if d <= m { m } else { d });
                assert!(error <= tolerance, "{name}, {compiler}, {}, {output}: {error:e}", case.function);
                from += n;
            }
        }
    }
}

fn in_loops(model: &Model<f64>) -> Vec<Plan> {
    ALL.iter().map(|f| traced_loops(*f, model)).collect()
}

fn cases(model: &Model<f64>, plans: &[Plan]) -> Vec<Case> {
    let states = states(model);
    let each = states.iter().flat_map(|s| plans.iter().map(move |p| (p, s)));
    each.flat_map(|(plan, state)| [false, true].map(|at| case(model, plan, state, at))).collect()
}

fn files(model: &Model<f64>, plans: &[Plan], real: Real) -> Vec<(String, String)> {
    let Files { header, source } = Writer { prefix: "tree", real, origin: "a test" }.robot(model, plans);
    vec![("tree.h".into(), header), ("tree.c".into(), source)]
}

/// In double precision.
fn rounding(inverts: bool) -> f64 {
    if inverts { 1e-10 } else { 1e-12 }
}

/// Every kind of joint, mimic joints, rotors, dampers, friction and external forces, on fixed and
/// floating bases, in one segment and in several; with and without vectors.
#[test]
fn of_random_trees() {
    for &(seed, bodies, floating) in some(2, &[(1, 1, false), (4, 10, true), (3, 9, false), (5, 14, true)]) {
        let options = Options { friction: bodies > 9, ..Options::everything(bodies, floating) };
        let model = random_model(seed, &options);
        let plans = in_loops(&model);
        let (files, cases) = (files(&model, &plans, Real::F64), cases(&model, &plans));
        check(&format!("loops{seed}"), &files, &PLAIN, &cases, rounding);
        if seed == 5 {
            check("loops_vectors", &files, &["-O2"], &cases, rounding);
        }
    }
}

/// Long enough for several segments that follow one another, and no whole number of vectors.
#[test]
fn of_a_chain() {
    let options = Options { bodies: 33, branching: 0.0, on_world: 0.0, ..Options::default() };
    let model = random_model(7, &options);
    let plans =
        [Function::RneaDerivatives, Function::Crba].map(|f| f.trace_loops(&model).expect("it has loops"));
    check("chain", &files(&model, &plans, Real::F64), &["-O2"], &cases(&model, &plans), rounding);
}

#[test]
fn in_single_precision() {
    let arm = robot("iiwa14").shape(Shape::Loops).functions(ALL);
    let arm = arm.name("tree").plan(C { float: true, casadi: false, ..C::default() }).unwrap();
    assert!(arm.functions.iter().all(|plan| plan.strategy == Strategy::LOOPS));
    // As in Rust: 64 units of rounding, times the condition number of M if M is inverted.
    let eigenvalues =
        states(&arm.model).into_iter().map(|s| arm.model.crba(s.q.as_slice()).symmetric_eigenvalues());
    let condition = eigenvalues.map(|e| e.max() / e.min()).fold(0.0, f64::max);
    let units = |inverts: bool| if inverts { condition } else { 64.0 } * f64::from(f32::EPSILON);
    check("loops_float", &arm.files(), &["-DREAL=float"], &cases(&arm.model, &arm.functions), units);
}

/// Against Pinocchio's values for a humanoid.
#[test]
fn of_a_humanoid() {
    let text = std::fs::read_to_string(root().join("tests/values/talos_reduced.floating.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    let functions = [Function::RneaDerivatives, Function::Crba, Function::Minv, Function::AbaDerivatives];
    let humanoid = robot("talos_reduced").base(Base::Floating).shape(Shape::Loops).functions(functions);
    let humanoid = humanoid.name("tree").snap(0.0).plan(C::default()).unwrap();
    let size = humanoid.files()[1].1.len();
    assert!(size < 300_000, "{size} bytes");
    fn numbers(x: &serde_json::Value) -> Vec<f64> {
        match x {
            serde_json::Value::Array(list) => list.iter().flat_map(numbers).collect(),
            x => vec![x.as_f64().unwrap()],
        }
    }
    let n = humanoid.model.nv;
    // By columns here, by rows there.
    let turned = |x: Vec<f64>| (0..n * n).map(|k| x[(k % n) * n + k / n]).collect::<Vec<_>>();
    let mut all = Vec::new();
    for state in stored["states"].as_array().unwrap() {
        for (name, third, outputs) in [
            ("rnea_derivatives", "a", &[("tau", "rnea"), ("dtau_dq", "dtau_dq"), ("dtau_dv", "dtau_dv")][..]),
            ("aba_derivatives", "tau", &[("ddq", "aba"), ("ddq_dq", "ddq_dq"), ("ddq_dv", "ddq_dv")]),
        ] {
            let expected = outputs.iter().map(|(_, stored)| numbers(&state[stored]));
            let expected = expected.map(|x| if x.len() == n { x } else { turned(x) });
            all.push(Case {
                function: format!("tree_{name}"),
                result: Some(format!("tree_{name}_t")),
                arguments: ["q", "v", third].map(|name| numbers(&state[name])).to_vec(),
                outputs: outputs.iter().zip([n, n * n, n * n]).map(|((name, _), n)| (*name, n)).collect(),
                expected: expected.flatten().collect(),
            });
        }
        for (name, output) in [("crba", "m"), ("minv", "minv")] {
            all.push(Case {
                function: format!("tree_{name}"),
                result: None,
                arguments: vec![numbers(&state["q"])],
                outputs: vec![(output, n * n)],
                expected: numbers(&state[name]),
            });
        }
    }
    check("humanoid", &humanoid.files(), &["-O2"], &all, |_| 1e-10);
}

/// Joint friction takes roots: it is there where it is asked for.
#[test]
fn friction_is_part_of_them() {
    let loops = || robot("talos_reduced").shape_of(Function::RneaDerivatives, Shape::Loops);
    let text = |robot: rbd_build::Robot| {
        let robot = robot.base(Base::Floating).functions([Function::RneaDerivatives]);
        robot.plan(C::default()).unwrap().files()[1].1.clone()
    };
    for (text, has_friction) in [(text(loops().friction(0.01)), true), (text(loops()), false)] {
        assert!(text.contains("_table_rnea_derivatives("));
        assert_eq!(text.contains("_table_friction("), has_friction);
        assert_eq!(text.contains("RBD_HYPOT"), has_friction);
    }
}

//! Loops over tables in JavaScript against the reference and Pinocchio's stored values, which share no code
//! with them.

use crate::js::{self, Case, argument};
use crate::{numbers, robot, root, states};
use rbd_build::emit::js::{LONGEST, LOOPS_FILE, Writer};
use rbd_build::plan::Plan;
use rbd_build::strategy::Strategy;
use rbd_build::{Base, Function, Js, Robot, Shape};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model};
use serde_json::Value;

const ALL: [Function; 12] = [
    Function::Rnea,
    Function::RneaFext,
    Function::Bias,
    Function::Gravity,
    Function::Aba,
    Function::AbaFext,
    Function::Crba,
    Function::Minv,
    Function::RneaDerivatives,
    Function::RneaDerivativesFext,
    Function::AbaDerivatives,
    Function::AbaDerivativesFext,
];

/// Results of the reference, each by itself.
fn expected(function: Function, model: &Model<f64>, state: &State) -> Vec<Vec<f64>> {
    use Function as F;
    let [q, v, a, tau] = [&state.q, &state.v, &state.a, &state.tau].map(|x| x.as_slice());
    let pushed = [F::RneaDerivativesFext, F::AbaDerivativesFext].contains(&function);
    let fext = pushed.then_some(&state.fext[..]);
    match function {
        F::Rnea => vec![model.rnea(q, v, a).as_slice().to_vec()],
        F::RneaFext => vec![model.rnea_fext(q, v, a, &state.fext).as_slice().to_vec()],
        F::Bias => vec![model.bias(q, v).as_slice().to_vec()],
        F::Gravity => vec![model.gravity_torques(q).as_slice().to_vec()],
        F::Aba => vec![model.aba(q, v, tau).as_slice().to_vec()],
        F::AbaFext => vec![model.aba_fext(q, v, tau, &state.fext).as_slice().to_vec()],
        F::Crba => vec![model.crba(q).as_slice().to_vec()],
        F::Minv => vec![model.minv(q).as_slice().to_vec()],
        F::RneaDerivatives | F::RneaDerivativesFext => {
            let d = model.rnea_derivatives(q, v, a, fext);
            let matrices = [d.dtau_dq, d.dtau_dv, d.dtau_da].map(|m| m.as_slice().to_vec());
            [vec![d.tau.as_slice().to_vec()], matrices.into()].concat()
        }
        _ => {
            let d = model.aba_derivatives(q, v, tau, fext);
            let matrices = [d.ddq_dq, d.ddq_dv, d.ddq_dtau].map(|m| m.as_slice().to_vec());
            [vec![d.ddq.as_slice().to_vec()], matrices.into()].concat()
        }
    }
}

/// Results of all functions, each compared relative to its largest entry.
#[track_caller]
fn check(name: &str, module: &str, cases: &[(Case, Vec<Vec<f64>>)], tolerance: impl Fn(bool) -> f64) {
    let calls: Vec<Case> = cases.iter().map(|(case, _)| case.clone()).collect();
    let Some(found) = js::run(name, module, &calls) else { return };
    for ((case, expected), found) in cases.iter().zip(&found) {
        let inverts = case.function.contains("minv") || case.function.contains("aba");
        let (tolerance, mut rest) = (tolerance(inverts), &found[..]);
        for (k, expected) in expected.iter().enumerate() {
            let (own, others) = rest.split_at(expected.len());
            rest = others;
            let largest = expected.iter().fold(1e-9_f64, |m, x| m.max(x.abs()));
            let differences = own.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest);
            // A NaN is the largest difference.
            let error = differences.fold(0.0, |m, d| if d <= m { m } else { d });
            assert!(error <= tolerance, "{name}, {}, result {k}: {error:e}", case.function);
        }
    }
}

/// A call of a plan's function, and what it is compared with.
fn case(plan: &Plan, model: &Model<f64>, state: &State) -> (Case, Vec<Vec<f64>>) {
    let spec = plan.spec();
    let expected = expected(plan.function, model, state);
    let case = Case {
        function: spec.name.into(),
        arguments: spec.params.iter().map(|param| argument(state, *param)).collect(),
        outputs: spec.result.map(|_| spec.outputs.iter().map(|o| o.name).collect()),
        expected: expected.concat(),
    };
    (case, expected)
}

fn rounding(inverts: bool) -> f64 {
    if inverts { 1e-10 } else { 1e-12 }
}

#[track_caller]
fn check_model(name: &str, model: &Model<f64>, plans: &[Plan]) {
    assert!(plans.iter().all(|plan| plan.strategy == Strategy::LOOPS));
    let module = Writer { origin: "a test", longest: LONGEST }.module(model, plans, &[]);
    assert!(module.contains("import { tableLoops }") && module.len() < 100_000, "{} bytes", module.len());
    let states = states(model);
    let cases = states.iter().flat_map(|state| plans.iter().map(move |plan| case(plan, model, state)));
    check(name, &module, &cases.collect::<Vec<_>>(), rounding);
}

/// Plans by loops. They know joint friction.
fn in_loops(model: &Model<f64>) -> Vec<Plan> {
    let plain = Model { friction_smoothing: None, ..model.clone() };
    ALL.iter().filter_map(|function| function.trace_loops(&plain)).collect()
}

/// Every kind of joint, mimic joints, rotors, dampers, friction and external forces, on fixed and floating
/// bases, in one segment and in several.
#[test]
fn of_random_trees() {
    for (seed, bodies, floating, mimic) in
        [(1, 1, false, 0.2), (2, 6, true, 0.0), (3, 9, false, 0.2), (4, 10, true, 0.2), (5, 14, true, 0.0)]
    {
        let options = Options { friction: bodies > 9, mimic, ..Options::everything(bodies, floating) };
        let model = random_model(seed, &options);
        let plans = in_loops(&model);
        let has_aba = plans.iter().any(|plan| plan.function == Function::Aba);
        assert_eq!(has_aba, model.bodies.iter().all(|body| body.mimic.is_none()));
        check_model(&format!("loops{seed}"), &model, &plans);
    }
}

/// Several trees on the world, and a chain long enough for several segments that follow one another.
#[test]
fn of_several_roots_and_of_a_chain() {
    let several = Options { bodies: 12, on_world: 0.3, ..Options::default() };
    let chain = Options { bodies: 33, branching: 0.0, on_world: 0.0, ..Options::default() };
    for (name, options) in [("roots", several), ("chain", chain)] {
        let model = random_model(7, &options);
        let plans: Vec<Plan> = ALL.iter().filter_map(|function| function.trace_loops(&model)).collect();
        assert_eq!(plans.len(), ALL.len());
        check_model(name, &model, &plans);
    }
}

/// Against Pinocchio's values for a humanoid.
#[test]
fn of_a_humanoid() {
    let text = std::fs::read_to_string(root().join("tests/values/talos_reduced.floating.json")).unwrap();
    let stored: Value = serde_json::from_str(&text).unwrap();
    let functions = [
        Function::Rnea,
        Function::Aba,
        Function::Crba,
        Function::Minv,
        Function::RneaDerivatives,
        Function::AbaDerivatives,
    ];
    let humanoid = robot("talos_reduced").base(Base::Floating).shape(Shape::Loops).functions(functions);
    let made = humanoid.snap(0.0).plan(Js).unwrap();
    assert!(made.functions.iter().all(|plan| plan.strategy == Strategy::LOOPS));
    let files: Vec<(String, usize)> =
        made.files().iter().map(|(name, text)| (name.clone(), text.len())).collect();
    assert!(files.len() == 3 && files[2].0 == LOOPS_FILE && files[0].1 + files[2].1 < 120_000, "{files:?}");
    // By columns here, by rows there.
    let columns = |x: &Value| {
        let rows: Vec<Vec<f64>> = x.as_array().unwrap().iter().map(numbers).collect();
        (0..rows.len()).flat_map(|c| rows.iter().map(move |row| row[c])).collect::<Vec<f64>>()
    };
    let mut cases = Vec::new();
    for state in stored["states"].as_array().unwrap() {
        for plan in &made.functions {
            let spec = plan.spec();
            let expected: Vec<Vec<f64>> = match spec.name {
                "rnea" | "aba" => vec![numbers(&state[spec.name])],
                "crba" | "minv" => vec![columns(&state[spec.name])],
                "rnea_derivatives" => {
                    [vec![numbers(&state["rnea"])], ["dtau_dq", "dtau_dv"].map(|m| columns(&state[m])).into()]
                        .concat()
                }
                _ => [vec![numbers(&state["aba"])], ["ddq_dq", "ddq_dv"].map(|m| columns(&state[m])).into()]
                    .concat(),
            };
            let outputs = spec.result.map(|_| spec.outputs[..3].iter().map(|o| o.name).collect());
            let arguments = spec.params.iter().map(|param| numbers(&state[param.name])).collect();
            let case = Case { function: spec.name.into(), arguments, outputs, expected: expected.concat() };
            cases.push((case, expected));
        }
    }
    check("loops_humanoid", &made.source(), &cases, |_| 1e-10);
}

/// A chain of revolute joints as a URDF.
fn chain(bodies: usize) -> String {
    let link = |k: usize| {
        format!(
            r#"<link name="l{k}"><inertial><origin xyz="0.01 0.02 0.05"/><mass value="0.{}"/>
            <inertia ixx="0.002" iyy="0.003" izz="0.0015" ixy="0.0001" ixz="0.0002" iyz="-0.0001"/></inertial></link>"#,
            3 + k % 5
        )
    };
    let joint = |k: usize| {
        let axis = ["1 0 0", "0 1 0", "0 0 1"][k % 3];
        format!(
            r#"<joint name="j{k}" type="continuous"><origin xyz="0 0.01 0.1" rpy="0.3 0 0.2"/><parent link="l{k}"/>
            <child link="l{}"/><axis xyz="{axis}"/></joint>"#,
            k + 1
        )
    };
    let all: String = (0..bodies).map(|k| joint(k) + &link(k + 1)).collect();
    format!(r#"<robot name="chain"><link name="l0"/>{all}</robot>"#)
}

/// Without a word of the user, long functions are loops and short ones straight lines.
#[test]
fn are_chosen_where_straight_lines_are_long() {
    let functions = [Function::Minv, Function::RneaDerivatives, Function::AbaDerivatives];
    let made = |bodies: usize| {
        Robot::from_urdf_text("chain.urdf", chain(bodies)).functions(functions).plan(Js).unwrap()
    };
    let long = made(40);
    assert!(long.functions.iter().all(|plan| plan.strategy == Strategy::LOOPS));
    assert!(long.source().len() < 60_000, "{} bytes", long.source().len());
    let short = made(3);
    assert!(short.functions.iter().all(|plan| plan.strategy != Strategy::LOOPS));
    assert_eq!(short.files().len(), 2);
}

/// A fused function may have parts in loops.
#[test]
fn are_parts_of_fused_functions() {
    let robot = Robot::from_urdf_text("chain.urdf", chain(40)).functions([]);
    let made = robot.fused("Step: minv, com".parse().unwrap()).plan(Js).unwrap();
    let plan = &made.fused[0];
    assert!(plan.strategy.contains(&Strategy::LOOPS), "{:?}", plan.strategy);
    assert_eq!(made.files()[2].0, LOOPS_FILE);
    let of = |state: &State| {
        let results = plan.run_with_loops(|param| argument(state, param));
        let expected: Vec<Vec<f64>> = results.into_iter().map(|(_, values)| values).collect();
        let case = Case {
            function: "step".into(),
            arguments: plan.function.params.iter().map(|param| argument(state, *param)).collect(),
            outputs: Some(plan.function.fields.iter().map(|field| field.output.name).collect()),
            expected: expected.concat(),
        };
        (case, expected)
    };
    let cases: Vec<_> = states(&made.model).iter().map(of).collect();
    check("loops_fused", &made.source(), &cases, |_| 1e-10);
}

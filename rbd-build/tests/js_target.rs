//! Robots in JavaScript against their kernels, run by Node.js if it is installed.
//!
//! Values are compared to the last bit: JavaScript rounds each operation on its own, as the
//! interpreter does. Without Node.js, a message says so and nothing is run.

#[path = "common/steps.rs"]
mod common_steps;
#[path = "js/hessians.rs"]
mod hessians;
mod js;
#[path = "js/loops.rs"]
mod loops;
#[path = "js/steps.rs"]
mod steps;

use js::{Case, argument, run};
use rbd_build::emit::js::{LONGEST, Writer};
use rbd_build::plan::Plan;
use rbd_build::signature::Sizes;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Function, Generated, Js, Robot};
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::{Model, ReferenceFrame};
use serde_json::Value;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn robot(name: &str) -> Robot {
    Robot::from_urdf(root().join(format!("robots/{name}.urdf")))
}

fn states(model: &Model<f64>) -> Vec<State> {
    (0..2).map(|seed| random_state(model, seed)).collect()
}

/// Name of a function, for frames whose names are identifiers in lower case.
fn name(plan: &Plan, model: &Model<f64>) -> String {
    let name = plan.spec().name;
    let Some(at) = plan.frame else { return name.into() };
    let reference = match at.reference {
        _ if !plan.function.has_reference() => "",
        ReferenceFrame::Local => "_local",
        ReferenceFrame::World => "_world",
        ReferenceFrame::LocalWorldAligned => "_local_world_aligned",
    };
    format!("{}_{name}{reference}", model.frames[at.index].name)
}

/// Calls of each function at each state, with the kernels' results.
fn cases(model: &Model<f64>, plans: &[Plan]) -> Vec<Case> {
    let of = |plan: &Plan, state: &State| {
        let results = plan.run(|param| argument(state, param));
        Case {
            function: name(plan, model),
            arguments: plan.spec().params.iter().map(|param| argument(state, *param)).collect(),
            outputs: plan.spec().result.map(|_| plan.spec().outputs.iter().map(|o| o.name).collect()),
            expected: results.into_iter().flat_map(|(_, values)| values).collect(),
        }
    };
    let states = states(model);
    states.iter().flat_map(|state| plans.iter().map(move |plan| of(plan, state))).collect()
}

/// The largest difference, of the largest entry.
fn error(case: &Case, found: &[f64]) -> f64 {
    assert_eq!(case.expected.len(), found.len(), "{}", case.function);
    let largest = case.expected.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
    let differences = case.expected.iter().zip(found).map(|(a, b)| (a - b).abs() / largest);
    // A NaN is the largest difference.
    differences.fold(0.0, |m, d| if d <= m { m } else { d })
}

#[track_caller]
fn check(name: &str, module: &str, cases: &[Case], tolerance: f64) {
    let Some(found) = run(name, module, cases) else { return };
    for (case, found) in cases.iter().zip(&found) {
        let error = error(case, found);
        assert!(error <= tolerance, "{name}, {}: {error:e}", case.function);
    }
}

#[track_caller]
fn check_robot(name: &str, made: &Generated) {
    check(name, &made.source(), &cases(&made.model, &made.functions), 0.0);
}

#[test]
fn an_arm_to_the_last_bit() {
    let arm = robot("iiwa14").frames(["iiwa_link_7", "iiwa_link_3"]);
    check_robot("arm", &arm.plan(Js).unwrap());
}

/// Long kernels, in parts, and looped products.
#[test]
fn a_quadruped_to_the_last_bit() {
    let functions = [Function::Rnea, Function::Aba, Function::AbaFext, Function::AbaDerivatives];
    let hyq = robot("hyq").base(Base::Floating).functions(functions).plan(Js).unwrap();
    let text = hyq.source();
    assert!(text.contains("function _aba_part2(") && text.contains("function _negative_product("));
    check_robot("quadruped", &hyq);
}

#[test]
fn a_humanoid_to_the_last_bit() {
    let functions = [Function::Aba, Function::Minv, Function::ForwardKinematics];
    check_robot("humanoid", &robot("g1").base(Base::Floating).functions(functions).plan(Js).unwrap());
}

/// Every kind of joint, mimic joints, angles with offsets, joint friction; whole, and in short parts.
#[test]
fn random_trees() {
    for (seed, floating) in [(4, true), (3, false)] {
        let options = Options { friction: !floating, ..Options::everything(5, floating) };
        let model = random_model(seed, &options);
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        let functions = Function::ALL.into_iter().filter(|f| !f.is_of_frame() && !f.is_by_parameters());
        for longest in [LONGEST, 40] {
            // The first strategy is a straight line, the last in stages with loops, if there are several.
            let pick = |f: Function| {
                let mut all = f.trace_all(&tree);
                if longest == LONGEST { all.remove(0) } else { all.pop().unwrap() }
            };
            let plans: Vec<Plan> = functions.clone().map(pick).collect();
            let module = Writer { origin: "a test", longest }.module(&model, &plans, &[]);
            let name = format!("tree{seed}_{longest}");
            check(&name, &module, &cases(&model, &plans), 0.0);
            check(&format!("{name}_manifold"), &module, &manifold(&model), 1e-12);
        }
    }
}

/// Functions of the manifold, with small and large steps.
fn manifold(model: &Model<f64>) -> Vec<Case> {
    let case = |function: &str, arguments: &[&[f64]], expected: &[f64]| Case {
        function: function.into(),
        arguments: arguments.iter().map(|x| x.to_vec()).collect(),
        outputs: None,
        expected: expected.to_vec(),
    };
    let mut all = vec![case("neutral", &[], model.neutral().as_slice())];
    for (seed, size) in (1..).zip([1e-3, 0.3, 1.5]) {
        let q = random_state(model, seed).q;
        let dv = random_state(model, seed + 10).v * size;
        let to = model.integrate(q.as_slice(), dv.as_slice());
        let back = model.difference(q.as_slice(), to.as_slice());
        let part = model.integrate(q.as_slice(), (&back * 0.3).as_slice());
        all.push(case("integrate", &[q.as_slice(), dv.as_slice()], to.as_slice()));
        all.push(case("difference", &[q.as_slice(), to.as_slice()], back.as_slice()));
        // A number is an array of one, which multiplies like one.
        all.push(case("interpolate", &[q.as_slice(), to.as_slice(), &[0.3]], part.as_slice()));
    }
    all
}

/// Several quantities at once; arguments and results may have equal names.
#[test]
fn fused_functions() {
    let fused = "Step: ddq, com, tau, m".parse().unwrap();
    let arm = robot("iiwa14").functions([]).fused(fused).plan(Js).unwrap();
    let plan = &arm.fused[0];
    let of = |state: &State| {
        let results = plan.run_with_loops(|param| argument(state, param));
        Case {
            function: "step".into(),
            arguments: plan.function.params.iter().map(|param| argument(state, *param)).collect(),
            outputs: Some(plan.function.fields.iter().map(|field| field.output.name).collect()),
            expected: results.into_iter().flat_map(|(_, values)| values).collect(),
        }
    };
    let cases: Vec<Case> = states(&arm.model).iter().map(of).collect();
    check("fused", &arm.source(), &cases, 0.0);
    for (list, said) in [
        ("Integrate: ddq", "another function `integrate`"),
        ("New: ddq", "`new` is a word of JavaScript"),
        ("Aba: com", "another function `aba`"),
    ] {
        let robot = robot("iiwa14").functions([Function::Aba]).fused(list.parse().unwrap());
        let fault = robot.plan(Js).unwrap_err().to_string();
        assert!(fault.contains(said), "{fault}");
    }
}

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// Against Pinocchio's values, which share no code with this project: an arm, a quadruped, a humanoid.
#[test]
fn stored_values() {
    for (name, base) in [("iiwa14", "fixed"), ("go2", "floating"), ("g1", "floating")] {
        let text = std::fs::read_to_string(root().join(format!("tests/values/{name}.{base}.json"))).unwrap();
        let stored: Value = serde_json::from_str(&text).unwrap();
        let functions =
            [Function::Rnea, Function::RneaFext, Function::Aba, Function::AbaFext, Function::Crba];
        // Right angles as they are written, which is how Pinocchio reads them.
        let robot = robot(name).snap(0.0).functions(functions);
        let robot = if base == "floating" { robot.base(Base::Floating) } else { robot };
        let made = robot.plan(Js).unwrap();
        let mut cases = Vec::new();
        for state in stored["states"].as_array().unwrap() {
            for spec in made.functions.iter().map(Plan::spec) {
                let of = |name: &str| match name {
                    "fext" => state["fext"].as_array().unwrap().iter().flat_map(numbers).collect(),
                    name => numbers(&state[name]),
                };
                let expected = &state[spec.name];
                cases.push(Case {
                    function: spec.name.into(),
                    arguments: spec.params.iter().map(|param| of(param.name)).collect(),
                    outputs: None,
                    expected: match spec.function {
                        // Symmetric: rows are columns.
                        Function::Crba => expected.as_array().unwrap().iter().flat_map(numbers).collect(),
                        _ => numbers(expected),
                    },
                });
            }
            let [q, v] = ["q", "v"].map(|name| numbers(&state[name]));
            let sizes = Sizes::from(&made.model);
            assert_eq!([q.len(), v.len()], [sizes.nq, sizes.nv], "{name}");
        }
        assert!(cases.len() >= 5, "{name}");
        check(&format!("stored_{name}"), &made.source(), &cases, 1e-10);
        let x = &stored["manifold"];
        let case = |function: &str, arguments: [&str; 2]| Case {
            function: function.into(),
            arguments: arguments.map(|name| numbers(&x[name])).to_vec(),
            outputs: None,
            expected: numbers(&x[function]),
        };
        let cases = [case("integrate", ["q0", "dv"]), case("difference", ["q0", "q1"])];
        check(&format!("stored_{name}_manifold"), &made.source(), &cases, 1e-12);
    }
}

#[test]
fn the_generated_files_are_the_recorded_ones() {
    let files = || robot("double_pendulum").plan(Js).unwrap().files();
    let once = files();
    assert_eq!(once, files());
    for (name, text) in once {
        let path = root().join("tests/golden").join(&name);
        if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
            std::fs::write(&path, &text).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        let line = known.lines().zip(text.lines()).take_while(|(a, b)| a == b).count();
        assert!(
            known == text,
            "{name} is not what is written now, from line {} on; if that is meant, run \
             `cargo xtask bless`, and read the difference",
            line + 1
        );
    }
}

/// Names are only ever strings, whatever they are, and safe within HTML.
#[test]
fn hostile_names_stay_names() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("js_names");
    std::fs::create_dir_all(&folder).unwrap();
    let hostile = std::fs::read_to_string(root().join("tests/golden/hostile_names.urdf")).unwrap();
    let path = folder.join("a`${1}\"; } *x = 1; <script> \u{202e}.urdf");
    std::fs::write(&path, &hostile).unwrap();
    let made = Robot::from_urdf(path).functions([Function::Rnea]).plan(Js).unwrap();
    assert_eq!(&made.name, "a_1_x_1_script");
    for (_, text) in made.files() {
        assert!(text.is_ascii() && text.chars().all(|c| c == '\n' || !c.is_control()));
        assert!(!text.contains("</"), "an end tag");
    }
    check_robot("names", &made);
    let Some(names) = js::printed("names", &made.source(), js::NAMES) else { return };
    let names: Vec<String> = names.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let joints = made.model.bodies.iter().map(|body| &body.joint);
    let expected: Vec<&String> = [&made.model.name].into_iter().chain(joints).collect();
    assert_eq!(names.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn options_are_checked() {
    let fault = |robot: Robot| robot.plan(Js).unwrap_err().to_string();
    let contacts = fault(robot("hyq").base(Base::Floating).contacts(["lf_foot"]));
    assert!(contacts.contains("functions of contacts are not written in JavaScript yet"), "{contacts}");
    let second = robot("double_pendulum").functions([Function::RneaHessian]).gravity_at_run_time(true);
    assert!(fault(second).contains("parameters at run time are not written in JavaScript yet"));
    for name in ["", "a/b", "a__b", "7", "../x"] {
        assert!(fault(robot("double_pendulum").name(name)).contains("is no name for a module"), "{name}");
    }
}

/// Arrays of wrong lengths are refused, and results are written where they are asked for.
#[test]
fn wrong_lengths_are_refused() {
    let arm = robot("iiwa14").functions([Function::Aba, Function::AbaDerivatives]).plan(Js).unwrap();
    let Some(said) = js::printed("lengths", &arm.source(), js::LENGTHS) else { return };
    let expected = [
        "aba: q has 6 numbers instead of 7",
        "aba: ddq has 8 numbers instead of 7",
        "aba_derivatives: ddq_dq has 7 numbers instead of 49",
        "true",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

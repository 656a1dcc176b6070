//! Robots in C against their kernels, compiled by the compilers that are installed.
//!
//! Values are compared to the last bit if sines and cosines are the same: without fused
//! instructions each operation is rounded on its own, in C as in the interpreter. Without a
//! compiler, a message says so and nothing is tested.

#[path = "c_compiler/acados.rs"]
mod acados;
#[path = "c_compiler/actuated.rs"]
mod actuated;
#[path = "c_compiler/as_compiled.rs"]
mod as_compiled;
mod c_compiler;
#[path = "c_compiler/casadi.rs"]
mod casadi;
#[path = "common/steps.rs"]
mod common_steps;
#[path = "c_compiler/contact_hessians.rs"]
mod contact_hessians;
#[path = "c_compiler/contact_paths.rs"]
mod contact_paths;
#[path = "c_compiler/contact_steps.rs"]
mod contact_steps;
#[path = "c_compiler/contacts.rs"]
mod contacts;
#[path = "c_compiler/friction.rs"]
mod friction;
#[path = "c_compiler/friction_block.rs"]
mod friction_block;
#[path = "c_compiler/friction_derivatives.rs"]
mod friction_derivatives;
#[path = "c_compiler/friction_joints.rs"]
mod friction_joints;
#[path = "c_compiler/friction_problems.rs"]
mod friction_problems;
#[path = "c_compiler/friction_robots.rs"]
mod friction_robots;
#[path = "c_compiler/fused.rs"]
mod fused;
#[path = "c_compiler/loops.rs"]
mod loops;
#[path = "c_compiler/rollouts.rs"]
mod rollouts;
#[path = "c_compiler/run_time.rs"]
mod run_time;
#[path = "c_compiler/second_order.rs"]
mod second_order;
#[path = "c_compiler/steps.rs"]
mod steps;
#[path = "c_compiler/tensors.rs"]
mod tensors;
#[path = "c_compiler/written.rs"]
mod written;
#[path = "c_compiler/zeros.rs"]
mod zeros;

use c_compiler::{Case, argument, compilers, name_in_c, run, some};
use nalgebra::{DMatrix, DVector};
use rbd_build::emit::c::{Files, Real, Writer};
use rbd_build::plan::Plan;
use rbd_build::signature::{Q, Sizes};
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, C, Function, Generated, Robot};
use rbd_runtime::manifold::random;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::{JointKind, Model};
use std::f64::consts::PI;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn robot(name: &str) -> Robot {
    Robot::from_urdf(root().join(format!("robots/{name}.urdf")))
}

fn traced(robot: &Robot) -> Generated {
    robot.plan(C::default()).unwrap()
}

/// Calls of each function at each state, and the kernels' results.
fn cases(prefix: &str, model: &Model<f64>, plans: &[Plan], states: &[State]) -> Vec<Case> {
    let sizes = Sizes::from(model);
    let of_plan = |plan: &Plan, state: &State, at: bool| {
        let mut arguments = Vec::new();
        for param in plan.spec().params {
            let values = argument(state, *param);
            let of_values: Vec<(f64, f64)> =
                values.iter().map(|x| rbd_runtime::sincos::sin_cos(*x)).collect();
            arguments.push(values);
            if at && *param == Q {
                arguments.push(of_values.iter().map(|(s, _)| *s).collect());
                arguments.push(of_values.iter().map(|(_, c)| *c).collect());
            }
        }
        let results = plan.run(|param| argument(state, param));
        let lengths = plan.spec().outputs.iter().map(|o| {
            let (rows, columns) = o.shape.extent(sizes);
            (o.name, rows * columns)
        });
        Case {
            function: format!("{prefix}_{}{}", name_in_c(plan, model), if at { "_at" } else { "" }),
            result: plan
                .spec()
                .result
                .map(|_| format!("{prefix}_{}_t", plan.spec().name.trim_end_matches("_fext"))),
            arguments,
            outputs: lengths.collect(),
            expected: results.into_iter().flat_map(|(_, values)| values).collect(),
        }
    };
    let each = states.iter().flat_map(|state| plans.iter().map(move |plan| (plan, state)));
    each.flat_map(|(plan, state)| [of_plan(plan, state, false), of_plan(plan, state, true)]).collect()
}

/// The largest difference, of the largest entry.
fn error(case: &Case, found: &[f64]) -> f64 {
    assert_eq!(case.expected.len(), found.len(), "{}", case.function);
    let largest = case.expected.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
    let differences = case.expected.iter().zip(found).map(|(a, b)| (a - b).abs() / largest);
    // A NaN is the largest difference.
    differences.fold(0.0, |m, d| if d <= m { m } else { d })
}

/// Compiles and runs; every case is within the tolerance.
#[track_caller]
fn check(name: &str, files: &[(String, String)], flags: &[&str], cases: &[Case], tolerance: f64) {
    for compiler in compilers() {
        let found = run(compiler, &format!("{name}_{compiler}"), files, flags, cases);
        for (case, found) in cases.iter().zip(&found) {
            let error = error(case, found);
            assert!(error <= tolerance, "{name}, {compiler}, {}: {error:e}", case.function);
        }
    }
}

fn states(model: &Model<f64>) -> Vec<State> {
    (0..2).map(|seed| random_state(model, seed)).collect()
}

const PLAIN: [&str; 2] = ["-DRBD_VECTORS=0", "-ffp-contract=off"];

#[test]
fn an_arm_to_the_last_bit() {
    let arm = traced(&robot("iiwa14").functions([Function::Rnea, Function::Minv, Function::AbaDerivatives]));
    let cases = cases(&arm.name, &arm.model, &arm.functions, &states(&arm.model));
    check("arm", &arm.files(), &PLAIN, &cases, 0.0);
    // Sines in vectors, products in tiles: the same operations in the same order.
    check("arm_vectors", &arm.files(), &["-ffp-contract=off"], &cases, 0.0);
    // Another sine, and another way to multiply and add.
    let own = [
        "-include",
        "math.h",
        "-DRBD_SINCOS(x,s,c)=(*(s)=sin(x),*(c)=cos(x))",
        "-DRBD_FMA(a,b,c)=fma(a,b,c)",
    ];
    check("arm_own", &arm.files(), &own, &cases, 1e-12);
}

#[test]
fn functions_of_frames() {
    let arm = traced(&robot("iiwa14").frames(["iiwa_link_7", "iiwa_link_3"]).functions([
        Function::FramePlacement,
        Function::FrameJacobian,
        Function::FrameVelocityDerivatives,
    ]));
    assert_eq!(arm.functions.len(), 2 * (1 + 3 + 3));
    let cases = cases(&arm.name, &arm.model, &arm.functions, &states(&arm.model));
    check("frames", &arm.files(), &PLAIN, &cases, 0.0);
}

/// Frames whose names are equal but for odd characters, or end as functions' names do.
#[test]
fn frames_have_names_of_their_own() {
    let text = std::fs::read_to_string(root().join("robots/double_pendulum.urdf")).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let links: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("link"))
        .filter_map(|n| n.attribute("name"))
        .collect();
    let odd = ["a-b", "A b", "a_b_at", "\u{e9}"];
    let renamed = links
        .iter()
        .zip(odd)
        .fold(text.clone(), |text, (link, odd)| text.replace(&format!("\"{link}\""), &format!("\"{odd}\"")));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_frames");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("frames.urdf"), renamed).unwrap();
    let robot = Robot::from_urdf(folder.join("frames.urdf")).frames(odd.into_iter().take(links.len()));
    let files = traced(&robot.functions([Function::FramePlacement, Function::FrameVelocity])).files();
    // They compile, so no name is there twice.
    check("frame_names", &files, &[], &[], 0.0);
    for name in
        ["frames_a_b_frame_placement(", "frames_a_bx_frame_placement_at(", "frames_a_b_frame_velocity_world("]
    {
        assert!(files[0].1.contains(name), "{name}");
    }
}

#[test]
fn limbs_side_by_side() {
    let functions = [Function::Rnea, Function::Crba, Function::Minv];
    let hyq = traced(&robot("hyq").base(Base::Floating).functions(functions));
    assert!(hyq.functions.iter().any(|plan| plan.packed().is_some()), "no limbs are side by side");
    let states = states(&hyq.model);
    let straight = cases(&hyq.name, &hyq.model, &hyq.functions, &states);
    // Some joints' angles have offsets: by the sine of a sum, and not of the summed angle.
    check("straight", &hyq.files(), &PLAIN, &straight, 2e-15);
    let packed: Vec<Plan> =
        hyq.functions.iter().map(|plan| plan.packed().unwrap_or_else(|| plan.clone())).collect();
    let packed = cases(&hyq.name, &hyq.model, &packed, &states);
    // A sum over limbs is in another order there.
    check("limbs", &hyq.files(), &["-ffp-contract=off"], &packed, 2e-15);
}

/// Every kind of joint, mimic joints, and angles with offsets.
fn random_tree(seed: u64, floating: bool) {
    let options = Options { friction: !floating, ..Options::everything(5, floating) };
    let model = random_model(seed, &options);
    let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
    let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
    // Functions of frames have a test of their own. C has no derivatives by parameters at run time.
    let functions = Function::ALL.into_iter().filter(|f| !f.is_of_frame() && !f.is_by_parameters());
    let plans: Vec<Plan> = functions.map(|f| f.trace_all(&tree).remove(0)).collect();
    let c = Writer { prefix: "tree", real: Real::F64, origin: "a test" };
    let Files { header, source } = c.robot(&model, &plans);
    let files = [("tree.h".into(), header), ("tree.c".into(), source)];
    let mut cases = cases("tree", &model, &plans, &states(&model));
    cases.extend(manifold(&model, &[1e-3, 0.3, 1.5]));
    let flags = [&PLAIN[..], &[PART_OF_THE_WAY]].concat();
    check(&format!("tree{seed}"), &files, &flags, &cases, 1e-12);
    let c = Writer { real: Real::F32, ..c };
    let Files { header, source } = c.robot(&model, &plans[..1]);
    let files = [("tree.h".into(), header), ("tree.c".into(), source)];
    let flags = [&PLAIN[..], &[PART_OF_THE_WAY, "-DREAL=float"]].concat();
    check(&format!("tree{seed}_float"), &files, &flags, &manifold(&model, &[0.3, 1.5]), 1e-5);
}

/// `interpolate` where it is called with arrays alone.
const PART_OF_THE_WAY: &str = "-Dtree_part_of_the_way(q0,q1,to)=tree_interpolate(q0,q1,(REAL)0.3,to)";

#[test]
fn random_trees() {
    some(1, &[(4, true), (3, false)]).iter().for_each(|(seed, floating)| random_tree(*seed, *floating));
}

/// Functions of the manifold, with steps of these sizes.
fn manifold(model: &Model<f64>, sizes: &[f64]) -> Vec<Case> {
    let case =
        |name: &str, arguments: &[&DVector<f64>], output: &'static str, expected: &DVector<f64>| Case {
            function: format!("tree_{name}"),
            result: None,
            arguments: arguments.iter().map(|x| x.as_slice().to_vec()).collect(),
            outputs: vec![(output, expected.len())],
            expected: expected.as_slice().to_vec(),
        };
    let jacobians =
        |name: &str, arguments: &[&DVector<f64>], outputs: [(&'static str, &DMatrix<f64>); 2]| Case {
            function: format!("tree_{name}"),
            result: Some(format!("tree_{name}_t")),
            arguments: arguments.iter().map(|x| x.as_slice().to_vec()).collect(),
            outputs: outputs.iter().map(|(name, m)| (*name, m.len())).collect(),
            expected: outputs.iter().flat_map(|(_, m)| m.iter().copied()).collect(),
        };
    let mut all = vec![case("neutral", &[], "q", &model.neutral())];
    for (seed, size) in (1..).zip(sizes) {
        let q = random_state(model, seed).q;
        let dv = random_state(model, seed + 10).v * *size;
        let to = model.integrate(q.as_slice(), dv.as_slice());
        let back = model.difference(q.as_slice(), to.as_slice());
        let part = model.integrate(q.as_slice(), (&back * 0.3).as_slice());
        all.push(case("integrate", &[&q, &dv], "to", &to));
        all.push(case("difference", &[&q, &to], "dv", &back));
        all.push(case("part_of_the_way", &[&q, &to], "to", &part));
        let by = model.integrate_jacobians(dv.as_slice());
        all.push(jacobians("integrate_jacobians", &[&q, &dv], [("dq", &by.dq), ("dv", &by.dv)]));
        let by = model.difference_jacobians(q.as_slice(), to.as_slice());
        all.push(jacobians("difference_jacobians", &[&q, &to], [("dq0", &by.dq0), ("dq1", &by.dq1)]));
        let uniform = dv.map(|x| x.abs().fract());
        all.push(case("random_configuration", &[&uniform], "q", &random_configuration(model, &uniform)));
    }
    all
}

/// Joint by joint, of the numbers from 0 to 1.
fn random_configuration(model: &Model<f64>, uniform: &DVector<f64>) -> DVector<f64> {
    let mut q = model.neutral();
    for b in model.bodies.iter().filter(|b| b.mimic.is_none()) {
        let u = &uniform.as_slice()[b.idx_v..];
        let within = |(lower, range): (f64, f64), u: f64| lower + range * u;
        let turn = |u: &[f64]| random::rotation([u[0], u[1], u[2]]).to_vec();
        let metre = |u: f64| within((-1.0, 2.0), u);
        let of_joint = match b.kind {
            JointKind::Planar => vec![metre(u[0]), metre(u[1]), within((-PI, 2.0 * PI), u[2])],
            JointKind::Spherical => turn(u),
            JointKind::Floating => [vec![metre(u[0]), metre(u[1]), metre(u[2])], turn(&u[3..])].concat(),
            kind => vec![within(random::range(kind, b.limits.lower, b.limits.upper), u[0])],
        };
        q.as_mut_slice()[b.idx_q..b.idx_q + of_joint.len()].copy_from_slice(&of_joint);
    }
    q
}

#[test]
fn single_precision() {
    let arm = robot("iiwa14").functions([Function::Rnea, Function::AbaDerivatives]);
    let arm = arm.plan(C { float: true, casadi: false, ..C::default() }).unwrap();
    let cases = cases(&arm.name, &arm.model, &arm.functions, &states(&arm.model));
    check("float", &arm.files(), &["-DREAL=float"], &cases, 2e-5);
}

/// Fused where the processor has it; how it is rounded differs.
#[test]
fn fused() {
    if !c_compiler::has_fma() {
        println!("skipped: this processor has no FMA");
        return;
    }
    let functions = [Function::Rnea, Function::Aba];
    let hyq = traced(&robot("hyq").base(Base::Floating).functions(functions));
    let cases = cases(&hyq.name, &hyq.model, &hyq.functions, &states(&hyq.model));
    for compiler in compilers().into_iter().filter(|c| *c != "tcc") {
        let found = run(compiler, &format!("fused_{compiler}"), &hyq.files(), &["-mavx2", "-mfma"], &cases);
        for (case, found) in cases.iter().zip(&found) {
            assert!(error(case, found) <= 1e-11, "{compiler}, {}", case.function);
        }
    }
}

/// Against Pinocchio's values, which share no code with this project.
#[test]
fn stored_values() {
    let text = std::fs::read_to_string(root().join("tests/values/iiwa14.fixed.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    let arm = traced(&robot("iiwa14").functions([Function::Rnea, Function::Aba, Function::Crba]));
    let numbers = |x: &serde_json::Value| -> Vec<f64> {
        x.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let mut cases = Vec::new();
    for state in stored["states"].as_array().unwrap() {
        for (name, third, output) in [("rnea", "a", "tau"), ("aba", "tau", "ddq")] {
            cases.push(Case {
                function: format!("iiwa14_{name}"),
                result: None,
                arguments: ["q", "v", third].map(|name| numbers(&state[name])).to_vec(),
                outputs: vec![(output, 7)],
                expected: numbers(&state[name]),
            });
        }
        cases.push(Case {
            function: "iiwa14_crba".into(),
            result: None,
            arguments: vec![numbers(&state["q"])],
            outputs: vec![("m", 49)],
            // Symmetric: rows are columns.
            expected: state["crba"].as_array().unwrap().iter().flat_map(numbers).collect(),
        });
    }
    check("stored", &arm.files(), &[], &cases, 1e-12);
}

#[test]
fn headers_are_for_cpp_too() {
    let files = traced(&robot("double_pendulum").functions([Function::AbaDerivatives])).files();
    c_compiler::as_cpp(&files[0]);
}

/// CasADi's interface as CasADi calls it: by pointers, some of which are null.
#[test]
fn casadis_interface() {
    let robot = robot("double_pendulum");
    let generated = robot.plan(C { float: false, casadi: true, ..C::default() }).unwrap();
    let state = random_state(&generated.model, 5);
    let plan = |f: Function| generated.functions.iter().find(|plan| plan.function == f).unwrap();
    let mut rest_in_place = state.clone();
    rest_in_place.v.fill(0.0);
    let aba = plan(Function::Aba).run(|param| argument(&rest_in_place, param));
    let derivatives = plan(Function::AbaDerivatives).run(|param| argument(&state, param));
    for compiler in compilers() {
        let found = c_compiler::casadi(compiler, &generated.files(), &state);
        assert_eq!(&found[..2], &[3.0, 1.0], "arguments and results");
        assert_eq!(&found[2..5], &[2.0, 1.0, 1.0], "rows, columns, and that it is dense");
        let close =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()));
        assert!(close(&found[5..7], &aba[0].1), "without velocity: {found:?}");
        assert!(close(&found[7..11], &derivatives[1].1), "by q: {found:?}");
        assert!(close(&found[11..15], &derivatives[3].1), "by tau: {found:?}");
    }
    // By default exact-Hessian solvers find all that they ask for.
    for (form, function) in
        ["jac", "adj1", "jac_adj1"].iter().flat_map(|form| ["rnea", "aba"].map(|f| (form, f)))
    {
        let name = format!("int {form}_double_pendulum_casadi_{function}(");
        assert!(generated.files()[2].1.contains(&name), "{name}");
    }
    // So they do of robots whose coordinates are not those of the tangent space.
    let body = Robot::from_urdf(root().join("tests/golden/body.urdf")).base(Base::Floating);
    let body = body.plan(C { float: false, casadi: true, ..C::default() }).unwrap().files();
    assert!(body[2].1.contains("int jac_adj1_body_casadi_rnea(") && body[2].1.contains("casadi_posed("));
    assert!(!generated.files()[2].1.contains("casadi_posed("));
    // Hessians know constant gravity.
    let moon = robot
        .gravity_at_run_time(true)
        .plan(C { float: false, casadi: true, ..C::default() })
        .unwrap()
        .files();
    assert!(moon[2].1.contains(" adj1_") && !moon[2].1.contains("jac_adj1_"));
}

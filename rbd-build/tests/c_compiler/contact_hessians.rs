//! Hessians under contacts in C: against the runtime's on the reference's matrices, and against differences
//! of C's own first derivatives.

use crate::c_compiler::hessians::weights;
use crate::c_compiler::{all_seeds, compilers, printed, some};
use crate::contact_paths;
use crate::contacts::contacting::Padded;
use crate::contacts::{Asked, Contacts, error, frame};
use crate::robot;
use crate::steps::joints;
use nalgebra::{Rotation3, SMatrix, SVector, Vector3};
use rbd_build::emit::c::{Contacts as Rows, Files, Real, Writer};
use rbd_build::frames::{ContactAt, FrameAt};
use rbd_build::plan::Plan;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, C, Function, Generated, Robot, RowsPlan, Shape};
use rbd_runtime::contact::{self, ContactDynamicsHessian, ContactSettings};
use rbd_runtime::model::Frame;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactAxes, ContactDynamicsDerivatives, ContactKind, JointKind, Model, ReferenceFrame};
use std::collections::HashSet;
use std::fmt::Write;

/// Fields of the result.
const FIELDS: [&str; 8] = ["value", "dq", "dv", "dtau", "dqdq", "dqdv", "dvdv", "dqdtau"];

fn length(field: usize, n: usize) -> usize {
    [1, n, n, n, n * n, n * n, n * n, n * n][field]
}

/// Results of the runtime, in the order of the fields.
fn expected<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    model: &Model<f64>,
    (contacts, second): &Contacts<NC>,
    Asked { state, active, settings }: &Asked<'_, NC>,
) -> [Vec<f64>; 8] {
    let n = model.nv;
    let at: Padded<'_, f64, NV, NB, NC> =
        Padded::closed(model, model, state.q.as_slice(), *contacts, *second);
    let (mut first, mut of) = (ContactDynamicsDerivatives::zeros(), ContactDynamicsHessian::zeros());
    let lambda = SVector::<f64, NV>::from_fn(|k, _| if k < n { weights(n)[k] } else { 0.0 });
    let kappa = SVector::<f64, NR>::from_vec(weights(NR));
    let given = (&at.pad(&state.v), &at.pad(&state.tau));
    contact::hessian_with_first_into(&at, given, active, settings, (&lambda, &kappa), &mut first, &mut of);
    let list = |x: &SVector<f64, NV>| x.as_slice()[..n].to_vec();
    let block = |x: &SMatrix<f64, NV, NV>| x.view((0, 0), (n, n)).iter().copied().collect();
    [
        vec![of.value],
        list(&of.dq),
        list(&of.dv),
        list(&of.dtau),
        block(&of.dqdq),
        block(&of.dqdv),
        block(&of.dvdv),
        block(&of.dqdtau),
    ]
}

/// A program that prints, at each state: the result, its value and gradients from the first derivatives that
/// come with it, and its blocks by differences.
fn program<const NC: usize>(
    p: &str,
    model: &Model<f64>,
    rows: usize,
    real: &str,
    all: &[Asked<'_, NC>],
    given: &str,
) -> String {
    let (nq, n) = (model.nq, model.nv);
    let list = |x: &[f64]| x.iter().map(|x| format!("({real}){x:?}")).collect::<Vec<_>>().join(", ");
    // The form of a function, and the argument that it begins with.
    let (with, given) = if given.is_empty() { ("", "") } else { ("_with", given) };
    let mut text = format!(
        "#include \"{p}.h\"\n#include <stdio.h>\n{given}\
         static const {real} lambda[] = {{{}}}, kappa[] = {{{}}};\n",
        list(&weights(n)),
        list(&weights(rows)),
    );
    let first = if given.is_empty() { "" } else { "&given, " };
    let _ = write!(
        text,
        "static void show(const {real} *x, int n)\n{{\n    int i;\n    \
         for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n\
         static {real} sum(const {real} *ddq, const {real} *forces)\n{{\n    \
         {real} all = 0;\n    int i;\n    \
         for (i = 0; i < {n}; i++) all += lambda[i] * ddq[i];\n    \
         for (i = 0; i < {rows}; i++) all += kappa[i] * forces[i];\n    return all;\n}}\n\
         /* Gradients by q and by v. */\n\
         static void gradients(const {p}_contact_dynamics_derivatives_t *d, {real} *q, {real} *v, {real} *tau)\n{{\n    \
         int i;\n    for (i = 0; i < {n}; i++) {{\n        \
         q[i] = sum(d->ddq_dq + {n} * i, d->forces_dq + {rows} * i);\n        \
         v[i] = sum(d->ddq_dv + {n} * i, d->forces_dv + {rows} * i);\n        \
         tau[i] = sum(d->ddq_dtau + {n} * i, d->forces_dtau + {rows} * i);\n    }}\n}}\n\
         static {p}_contact_dynamics_hessian_t h, again;\nstatic {p}_contact_dynamics_derivatives_t d;\n\
         static void check(const {real} *q, const {real} *v, const {real} *u, const int *active, const {p}_contact_settings_t *s)\n{{\n    \
         static {real} moved[{nq}], along[{n}], x[2][3][{n}], value[1], qq[{n} * {n}], qv[{n} * {n}], vv[{n} * {n}], qu[{n} * {n}];\n    \
         const {real} step = sizeof({real}) < 8 ? ({real})1e-2 : ({real})1e-5;\n    int i, j, k, by;\n    \
         {p}_contact_dynamics_hessian{with}({first}q, v, u, active, s, lambda, kappa, &h);\n    \
         {p}_contact_dynamics_hessian_with_first{with}({first}q, v, u, active, s, lambda, kappa, &d, &again);\n"
    );
    for (field, name) in FIELDS.iter().enumerate() {
        let n = length(field, n);
        let _ = write!(
            text,
            "    show(h.{name}, {n});\n    for (i = 0; i < {n}; i++) if (h.{name}[i] != again.{name}[i]) printf(\"nan\\n\");\n"
        );
    }
    let _ = write!(
        text,
        "    value[0] = sum(d.ddq, d.forces);\n    gradients(&d, x[0][0], x[0][1], x[0][2]);\n    \
         show(value, 1);\n    for (k = 0; k < 3; k++) show(x[0][k], {n});\n    \
         for (by = 0; by < 3; by++) {{\n        for (j = 0; j < {n}; j++) {{\n            \
         for (k = 0; k < 2; k++) {{\n                const {real} *const at = by == 1 ? v : u;\n                \
         for (i = 0; i < {n}; i++) along[i] = (by ? at[i] : 0) + (i == j ? (k ? step : -step) : 0);\n                \
         if (by == 0) {p}_integrate(q, along, moved);\n                \
         {p}_contact_dynamics_derivatives{with}({first}by ? q : moved, by == 1 ? along : v, by == 2 ? along : u, active, s, &d);\n                \
         gradients(&d, x[k][0], x[k][1], x[k][2]);\n            }}\n            \
         for (i = 0; i < {n}; i++) {{\n                \
         const {real} of_q = (x[1][0][i] - x[0][0][i]) / (2 * step), of_v = (x[1][1][i] - x[0][1][i]) / (2 * step);\n                \
         if (by == 0) qq[{n} * j + i] = of_q;\n                \
         if (by == 1) qv[{n} * j + i] = of_q, vv[{n} * j + i] = of_v;\n                \
         if (by == 2) qu[{n} * j + i] = of_q;\n            }}\n        }}\n    }}\n    \
         show(qq, {n} * {n});\n    show(qv, {n} * {n});\n    show(vv, {n} * {n});\n    show(qu, {n} * {n});\n}}\n"
    );
    let mut calls = String::new();
    for (k, Asked { state, active, settings }) in all.iter().enumerate() {
        for (name, x) in [("q", &state.q), ("v", &state.v), ("u", &state.tau)] {
            let _ = writeln!(text, "static const {real} {name}{k}[] = {{{}}};", list(x.as_slice()));
        }
        let mut anchors = Vec::new();
        for (j, anchor) in settings.anchors.iter().enumerate() {
            anchors.push(anchor.map_or_else(
                || "0".into(),
                |at| {
                    let numbers = [at.rotation.as_slice(), at.translation.as_slice()].concat();
                    let _ = writeln!(text, "static const {real} at{k}_{j}[] = {{{}}};", list(&numbers));
                    format!("at{k}_{j}")
                },
            ));
        }
        let active = active.map(|x| u8::from(x).to_string()).join(", ");
        let ContactSettings { mu, iterations, kp, kd, axes, .. } = settings;
        let _ = writeln!(
            text,
            "static const int active{k}[] = {{{active}}};\n\
             static const {p}_contact_settings_t s{k} = {{({real}){mu:?}, {iterations}, ({real}){kp:?}, ({real}){kd:?}, {{{}}}, {}}};",
            anchors.join(", "),
            *axes as u8
        );
        let s = if *settings == ContactSettings::default() { "0".into() } else { format!("&s{k}") };
        let _ = writeln!(calls, "    (void)s{k};\n    check(q{k}, v{k}, u{k}, active{k}, {s});");
    }
    text + &format!("int main(void)\n{{\n{calls}    return 0;\n}}\n")
}

/// A robot's text, and its model with the parameters that it is called with.
struct Written<'a> {
    name: &'a str,
    prefix: &'a str,
    files: &'a [(String, String)],
    model: &'a Model<f64>,
    /// Definition of the parameters at run time, if it takes them.
    given: String,
}

/// Checks each of these to tolerances: of the runtime's result, and of differences.
fn check<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &Written<'_>,
    contacts: &Contacts<NC>,
    asked: &[Asked<'_, NC>],
    real: &str,
    (tolerance, of_differences): (f64, f64),
) {
    let Written { name, prefix, files, model, given } = robot;
    let n = model.nv;
    let main = program::<NC>(prefix, model, NR, real, asked, given);
    // Warnings of optimising compilers, which take three to eight times as long.
    let optimised = if all_seeds() && files[1].1.len() < 2_000_000 { "-O1" } else { "-O0" };
    for compiler in compilers() {
        let text = printed(compiler, &format!("hessian_{name}_{compiler}"), files, &main, &[optimised]);
        let text = String::from_utf8(text).unwrap();
        let numbers: Vec<f64> = text.lines().map(|line| line.parse().unwrap_or(f64::NAN)).collect();
        let mut from = 0;
        let mut next = |n: usize| {
            from += n;
            numbers.get(from - n..from).expect("as many numbers as there are")
        };
        for (k, asked) in asked.iter().enumerate() {
            let expected = expected::<NV, NB, NC, NR>(model, contacts, asked);
            // Blocks that are zero have the rounding of the others.
            let all = expected.iter().flatten().fold(1e-3_f64, |m, x| m.max(x.abs()));
            let close = |what: &str, field: usize, found: &[f64], tolerance: f64| {
                let error = error(found, &expected[field], 1e-6 * all);
                assert!(error <= tolerance, "{name}, {compiler}, {k}, {what} {}: {error:e}", FIELDS[field]);
            };
            for field in 0..8 {
                close("result", field, next(length(field, n)), tolerance);
            }
            for field in 0..4 {
                close("first derivatives", field, next(length(field, n)), tolerance);
            }
            for field in 4..8 {
                close("differences", field, next(length(field, n)), of_differences);
            }
        }
        assert_eq!(from, numbers.len(), "{compiler}");
    }
}

fn anchor() -> Placement<f64> {
    let turned = Rotation3::new(Vector3::new(0.4, -0.2, 0.3)).into_inner();
    Placement { rotation: turned, translation: Vector3::new(0.1, 0.4, -0.2) }
}

/// Masks and settings: exact, soft, pulled back, in both axes.
fn asked<const NC: usize>(states: &[State]) -> Vec<Asked<'_, NC>> {
    let exact = ContactSettings::default();
    let world = exact.in_axes(ContactAxes::LocalWorldAligned);
    let pulled = world.proximal(0.05, 1).baumgarte(9.0, 5.0, [Some(anchor()); NC]);
    [
        ([true; NC], exact.proximal(0.05, 1)),
        ([true; NC], pulled),
        (core::array::from_fn(|k| k == 2), exact.proximal(0.1, 1).baumgarte(4.0, 4.0, [None; NC])),
        (core::array::from_fn(|k| k == 0 || k == 3), world.proximal(0.1, 1)),
        (core::array::from_fn(|k| k == 1), exact.proximal(0.02, 1).baumgarte(4.0, 4.0, [Some(anchor()); NC])),
        ([false; NC], world),
    ]
    .into_iter()
    .enumerate()
    .map(|(k, (active, settings))| Asked { state: &states[k % states.len()], active, settings })
    .collect()
}

fn states(model: &Model<f64>) -> Vec<State> {
    (0..4).map(|seed| random_state(model, seed + 20)).collect()
}

/// Its matrices by loops over tables: they are traced in no time.
fn hyq() -> Robot {
    robot("hyq").base(Base::Floating).shape(Shape::Loops).functions([Function::RneaHessian])
}

fn of<'a>(name: &'a str, c: &'a Generated, files: &'a [(String, String)]) -> Written<'a> {
    Written { name, prefix: &c.name, files, model: &c.model, given: String::new() }
}

/// Held exactly by four feet, by two, and softly.
#[test]
fn of_a_quadruped_on_its_feet() {
    const NC: usize = 4;
    let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"];
    let c = hyq().shape(Shape::Loops).contacts(feet).plan(C::default()).unwrap();
    let contacts: Contacts<NC> = (feet.map(|foot| (frame(&c.model, foot), ContactKind::Point)), [None; NC]);
    let states = states(&c.model);
    let mut all = asked::<NC>(&states);
    let exact = ContactSettings::default();
    all.push(Asked { state: &states[3], active: [true; NC], settings: exact });
    let world = exact.in_axes(ContactAxes::LocalWorldAligned);
    all.push(Asked { state: &states[2], active: [true, false, false, true], settings: world });
    check::<18, 13, NC, 12>(&of("feet", &c, &c.files()), &contacts, &all, "double", (1e-9, 1e-6));
}

/// A point, a plane, two points and two frames of the robot that coincide.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn of_a_quadruped_with_closed_loops() {
    const NC: usize = 4;
    let robot = hyq()
        .contact("lf_foot", ContactKind::Point)
        .contact("rf_foot", ContactKind::Plane)
        .closed_loop("hind legs", ["lh_foot", "rh_foot"], ContactKind::Point)
        .closed_loop("a leg and the trunk", ["rh_lowerleg", "trunk"], ContactKind::Plane);
    let c = robot.plan(C::default()).unwrap();
    let of_name = |name| frame(&c.model, name);
    let contacts: Contacts<NC> = (
        [
            (of_name("lf_foot"), ContactKind::Point),
            (of_name("rf_foot"), ContactKind::Plane),
            (of_name("lh_foot"), ContactKind::Point),
            (of_name("rh_lowerleg"), ContactKind::Plane),
        ],
        [None, None, Some(of_name("rh_foot")), Some(of_name("trunk"))],
    );
    let states = states(&c.model);
    check::<18, 13, NC, 18>(
        &of("loops", &c, &c.files()),
        &contacts,
        &asked::<NC>(&states),
        "double",
        (1e-9, 1e-6),
    );
}

/// Contacts of four different bodies of a tree: two points of the robot, a plane on the world, two frames of
/// the robot, a point on a frame of the world's.
fn of_tree(model: &Model<f64>) -> (Contacts<4>, Vec<ContactAt>) {
    let n = model.bodies.len();
    let of_name = |name: &str| frame(model, name);
    let link = |k: usize| of_name(&format!("frame_{k}"));
    let contacts = [
        (link(n - 1), ContactKind::Point),
        (link(n - 4), ContactKind::Plane),
        (link(n - 2), ContactKind::Plane),
        (link(n - 3), ContactKind::Point),
    ];
    let second = [Some(link(1)), None, Some(link(0)), Some(of_name("pivot"))];
    let named = |(k, ((frame, kind), second)): (usize, ((usize, ContactKind), Option<usize>))| ContactAt {
        name: format!("contact {k}"),
        kind,
        frame,
        second,
    };
    ((contacts, second), contacts.into_iter().zip(second).enumerate().map(named).collect())
}

fn tree_of(model: &Model<f64>) -> Tree {
    let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
    Tree::new(model, Rewrite::uniform(model, true, form))
}

/// Functions that contacts call, and Hessians of torques, traced of a tree.
fn plans(model: &Model<f64>, contacts: &[ContactAt]) -> Vec<Plan> {
    use Function as F;
    let tree = tree_of(model);
    let of_robot = [F::Minv, F::Bias, F::RneaFext, F::RneaDerivativesFext, F::RneaHessian];
    let mut all: Vec<Plan> = of_robot.map(|f| f.trace_all(&tree).remove(0)).to_vec();
    let mut frames: Vec<usize> =
        contacts.iter().flat_map(|at| [Some(at.frame), at.second]).flatten().collect();
    frames.sort_unstable();
    frames.dedup();
    for index in frames {
        let Frame { body, placement, .. } = model.frames[index];
        let at = FrameAt { index, body, placement, reference: ReferenceFrame::Local };
        let of_frame = F::ALL.into_iter().filter(|f| f.is_of_frame() && f.is_for_contacts());
        all.extend(of_frame.map(|f| f.trace_all_of(&tree, at).remove(0)));
    }
    all
}

/// Every joint kind on the way to a contact, and joints that follow others.
#[test]
fn of_random_trees() {
    let mut trees = Vec::new();
    for (seed, floating) in (0..300).zip([true, false].into_iter().cycle()) {
        let mut model = random_model(seed, &Options::everything(5, floating));
        let placement = model.frames[0].placement;
        model.frames.push(Frame { name: "pivot".into(), body: None, placement });
        let (contacts, named) = of_tree(&model);
        let paths: Option<Vec<_>> = named.iter().map(|contact| contact.paths(&model)).collect();
        if let Some(paths) = paths.filter(|_| model.nv <= 18) {
            let bodies: HashSet<usize> = paths.iter().flatten().flatten().map(|joint| joint.body).collect();
            let kinds: HashSet<JointKind> = bodies.iter().map(|body| model.bodies[*body].kind).collect();
            let follows = bodies.iter().any(|body| model.bodies[*body].mimic.is_some());
            trees.push((seed, follows, kinds, model, contacts, named));
        }
    }
    // Those with joints that follow others first, and of them those with most kinds.
    trees.sort_by_key(|(_, follows, kinds, ..)| std::cmp::Reverse((*follows, kinds.len())));
    trees.truncate(8);
    let kinds: HashSet<_> = trees[..2].iter().flat_map(|(_, _, kinds, ..)| kinds).collect();
    assert!(trees[1].1 && kinds.len() > 4, "{kinds:?}");
    for (seed, _, _, model, contacts, named) in some(1, &trees) {
        let c = Writer { prefix: "tree", real: Real::F64, origin: "a test" };
        let all_rows = RowsPlan::trace_all(model, &tree_of(model), named);
        let rows = Rows { at: named, rows: &all_rows };
        let Files { header, source } = c.robot_with(model, rows, &plans(model, named), &[], None);
        let files = [("tree.h".into(), header), ("tree.c".into(), source)];
        let (name, given) = (&format!("tree{seed}"), String::new());
        let robot = Written { name, prefix: "tree", files: &files, model, given };
        check::<18, 5, 4, 18>(&robot, contacts, &asked::<4>(&states(model)), "double", (1e-9, 1e-6));
    }
}

/// A robot with a joint of every kind, two points and two frames of which coincide.
fn arm() -> Robot {
    joints(Base::Floating)
        .damping(false)
        .functions([Function::RneaHessian])
        .contact("arm", ContactKind::Point)
        .contact("kite", ContactKind::Plane)
        .closed_loop("string", ["ball", "kite"], ContactKind::Point)
        .closed_loop("knot", ["slide", "kite"], ContactKind::Plane)
}

fn contacts_of_arm(model: &Model<f64>) -> Contacts<4> {
    let of_name = |name| frame(model, name);
    let [arm, kite, ball, slide] = ["arm", "kite", "ball", "slide"].map(of_name);
    (
        [
            (arm, ContactKind::Point),
            (kite, ContactKind::Plane),
            (ball, ContactKind::Point),
            (slide, ContactKind::Plane),
        ],
        [None, None, Some(kite), Some(kite)],
    )
}

/// In `float`, by the largest entry of each block.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn in_single_precision() {
    let c = arm().shape(Shape::Loops).plan(C { float: true, ..C::default() }).unwrap();
    let (files, states) = (c.files(), states(&c.model));
    let robot = of("float", &c, &files);
    check::<21, 8, 4, 18>(&robot, &contacts_of_arm(&c.model), &asked::<4>(&states), "float", (1e-3, 0.05));
}

/// With other inertias and another gravity at run time, and with those of the URDF.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_parameters() {
    let c = arm().inertia_at_run_time(["arm", "kite"]).gravity_at_run_time(true).plan(C::default()).unwrap();
    let (files, contacts, states) = (c.files(), contacts_of_arm(&c.model), states(&c.model));
    let asked = asked::<4>(&states);
    check::<21, 8, 4, 18>(&of("default", &c, &files), &contacts, &asked, "double", (1e-9, 1e-6));
    let mut other = c.model.clone();
    let mut numbers = Vec::new();
    for (k, inertia) in c.model.run_time.inertias.iter().enumerate() {
        let to = &mut other.bodies[inertia.body].inertia;
        to.mass *= 1.7;
        to.h *= 0.6 + k as f64;
        to.j *= 1.9;
        numbers.extend(to.parameters());
    }
    other.gravity = Vector3::new(0.3, -1.0, -4.0);
    let list = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    let (inertia, gravity) = (list(&numbers), list(other.gravity.as_slice()));
    let given = format!("static const {}_parameters_t given = {{{{{inertia}}}, {{{gravity}}}}};\n", c.name);
    let robot = Written { name: "given", prefix: &c.name, files: &files, model: &other, given };
    check::<21, 8, 4, 18>(&robot, &contacts, &asked, "double", (1e-9, 1e-6));
}

/// Without `rnea_hessian` there are none, and of two joints with one coordinate on the way to a contact the
/// header says so.
#[test]
fn are_there_or_refused() {
    let header = |robot: Robot| robot.plan(C::default()).unwrap().files()[0].1.clone();
    let limbs = || contact_paths::robot("limbs_hessian");
    let text = header(limbs().functions([Function::RneaHessian]));
    assert!(text.contains("There is no limbs_contact_dynamics_hessian: a mimic joint"), "{text}");
    assert!(!text.contains("limbs_contact_dynamics_hessian("));
    assert!(!header(limbs()).contains("contact_dynamics_hessian"));
    let text = header(hyq().contact("lf_foot", ContactKind::Point));
    assert!(text.contains("void hyq_contact_dynamics_hessian_with_first("));
    assert!(!text.contains("There is no hyq_contact"));
}

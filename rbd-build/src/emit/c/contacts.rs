//! Dynamics under contacts: fixed text in `text/contacts.c` and `text/contact_functions.c`, which asks for the motion of a robot's
//! contacts by number, and what answers.

use super::body::{Body, Layout};
use super::interface::{length, taken, wrapped};
use super::spell::{comment, prefix};
use super::{C, frames, run_time};
use crate::frames::ContactAt;
use crate::functions::Function;
use crate::naming::distinct;
use crate::plan::{Plan, Stage};
use crate::signature::Sizes;
use rbd_runtime::{ContactKind, Model, ReferenceFrame};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What holds contacts.
pub(super) const HOLD: &str = concat!(include_str!("text/contacts.c"), include_str!("text/contact_axes.c"));
/// What users call.
pub(super) const FUNCTIONS: &str = include_str!("text/contact_functions.c");

/// What the fixed text calls of a robot's dynamics.
const DYNAMICS: [Function; 4] =
    [Function::Minv, Function::Bias, Function::RneaFext, Function::RneaDerivativesFext];

/// Of what users call, what depends on what is given at run time, where the first of [`DYNAMICS`] do.
fn takes_parameters(model: &Model<f64>, name: &str) -> bool {
    let needs = match name {
        "contact_dynamics" | "contact_dynamics_derivatives" | "contact_impulse_derivatives" => &DYNAMICS[..],
        "contact_impulse" | "delassus" | "delassus_in" => &DYNAMICS[..1],
        "contact_inverse_dynamics" | "contact_inverse_dynamics_in" => &DYNAMICS[2..3],
        _ => &[],
    };
    needs.iter().any(|function| function.takes_parameters(model))
}

/// What users call: where it depends on what is given at run time, with that and without.
pub(super) fn functions(model: &Model<f64>) -> String {
    if model.run_time.is_none() {
        return FUNCTIONS.into();
    }
    let parameter = "const ROBOT_parameters_t *parameters";
    let mut text = FUNCTIONS.to_owned();
    for function in DYNAMICS.iter().filter(|f| f.takes_parameters(model)) {
        let name = format!("ROBOT_{}", function.name());
        text = text.replace(&format!("{name}_at("), &format!("{name}_with_at(parameters, "));
    }
    // What rows in other axes are turned from.
    for name in
        ["delassus", "contact_inverse_dynamics"].into_iter().filter(|name| takes_parameters(model, name))
    {
        let call = |form: &str| format!("    ROBOT_{name}{form}(");
        text = text.replace(&call(""), &format!("{}parameters, ", call("_with")));
    }
    // Each head is followed by its body, and begins a line.
    let mut out = String::new();
    for (k, piece) in text.split("\nvoid ROBOT_").enumerate() {
        let (name, rest) = piece.split_once('(').unwrap_or_default();
        if k == 0 {
            out.push_str(piece);
        } else if takes_parameters(model, name) {
            let head = rest.split(")\n{").next().unwrap_or_default();
            let _ = write!(
                out,
                "\nvoid ROBOT_{name}_with({parameter}, {rest}\nvoid ROBOT_{name}({head})\n{{\n    \
                 ROBOT_{name}_with(&ROBOT_given, {});\n}}\n",
                arguments(head)
            );
        } else {
            let _ = write!(out, "\nvoid ROBOT_{piece}");
        }
    }
    out
}

/// The names of the parameters in a function's head.
fn arguments(head: &str) -> String {
    let name = |parameter: &str| {
        let before = parameter.split('[').next().unwrap_or_default();
        before.rsplit([' ', '*']).next().unwrap_or_default().to_owned()
    };
    head.split(',').map(name).collect::<Vec<_>>().join(", ")
}

/// Rows of all contacts.
fn rows(contacts: &[ContactAt]) -> usize {
    contacts.iter().map(|contact| contact.kind.rows()).sum()
}

/// What the fixed text asks of a frame, the functions that answer, and what they take and give beside the posture.
const ANSWERS: [(&str, Function, &str, &str); 6] = [
    ("placement", Function::FramePlacement, "", "REAL *to"),
    ("jacobian", Function::FrameJacobian, "", "REAL *to"),
    ("velocity", Function::FrameVelocity, "v", "REAL *to"),
    ("bias_acceleration", Function::FrameBiasAcceleration, "v", "REAL *to"),
    (
        "velocity_derivatives",
        Function::FrameVelocityDerivatives,
        "v",
        "ROBOT_frame_velocity_derivatives_t *to",
    ),
    (
        "acceleration_derivatives",
        Function::FrameAccelerationDerivatives,
        "v, a",
        "ROBOT_frame_acceleration_derivatives_t *to",
    ),
];

/// The types, names and declarations, for the header.
pub fn declare(text: &mut String, c: &C<'_>, model: &Model<f64>, contacts: &[ContactAt]) {
    if contacts.is_empty() {
        return;
    }
    let (real, guard, p) = (c.real.name(), c.prefix.to_uppercase(), c.prefix);
    let (nc, nr) = (contacts.len(), rows(contacts));
    let (nq, nv) = (length(model.nq), length(model.nv));
    let _ = write!(
        text,
        "#define {guard}_NC {nc} /* contacts and closed loops, the active ones and the others */\n\
         #define {guard}_CONTACT_ROWS {nr} /* rows of all contacts: 3 of a point, 6 of a plane */\n\
         #define {guard}_CONTACT_AXES_LOCAL 0 /* rows in the axes of the contacts' frames */\n\
         #define {guard}_CONTACT_AXES_LOCAL_WORLD_ALIGNED 1 /* rows in the world's axes, moments about the frames' origins */\n"
    );
    let mut known =
        ["ROWS", "AXES_LOCAL", "AXES_LOCAL_WORLD_ALIGNED"].map(|of| format!("{guard}_CONTACT_{of}")).to_vec();
    let mut row = 0;
    for (k, contact) in contacts.iter().enumerate() {
        let name = format!("{guard}_CONTACT_{}", prefix(&contact.name).to_uppercase());
        let name = distinct(name, |name| known.iter().any(|known| known == name));
        let kind = match (contact.kind, contact.second) {
            (ContactKind::Point, None) => "a point",
            (ContactKind::Plane, None) => "a plane",
            (ContactKind::Point, Some(_)) => "a closed loop, two points that coincide",
            (ContactKind::Plane, Some(_)) => "a closed loop, two frames that coincide",
        };
        let end = row + contact.kind.rows();
        let _ = writeln!(
            text,
            "#define {name} {k} /* {}: {kind}, rows {row} to {} */",
            comment(&contact.name),
            end - 1
        );
        known.push(name);
        row = end;
    }
    let _ = write!(
        text,
        "\n/* How constraints are held; null, or all zero: exactly, without Baumgarte's terms. */\n\
         typedef struct {{\n    \
         {real} mu; /* added on the diagonal of the Delassus matrix, 1/kg; rotations 1/(kg m^2) */\n    \
         int iterations; /* how often the system is solved, each time for what the last time left; below 1 is once */\n    \
         {real} kp, kd; /* Baumgarte's stiffness, 1/s^2, and damping, 1/s */\n    \
         const {real} *anchors[{nc}]; /* where contacts were made, each [3 x 4], or null: only these are pulled back by kp */\n    \
         int axes; /* of all rows in results, {guard}_CONTACT_AXES_.. */\n\
         }} {p}_contact_settings_t;\n\n"
    );
    let vector = |name: &str, n: usize, doc: &str| format!("    {real} {name}[{n}]; /* {doc} */\n");
    let held = vector("ddq", nv, "accelerations: rad/s^2, m/s^2")
        + &vector("forces", nr, "what the world does to the robot, row by row: N, N m")
        + &vector("residual", nr, "how far each row is from holding: m/s^2, rad/s^2");
    let hit = vector("v_plus", nv, "velocities after it: rad/s, m/s")
        + &vector("impulses", nr, "what the world does to the robot, row by row: N s, N m s")
        + &vector("residual", nr, "how far each row is from holding: m/s, rad/s");
    let matrix = |name: &str, rows: usize, doc: &str| {
        vector(name, rows * nv, &format!("[{rows} x {}] {doc}", model.nv))
    };
    let _ = write!(
        text,
        "typedef struct {{\n{held}}} {p}_contact_dynamics_t;\n\n\
         typedef struct {{\n{held}{}{}{}{}{}{}}} {p}_contact_dynamics_derivatives_t;\n\n\
         typedef struct {{\n{hit}}} {p}_contact_impulse_t;\n\n\
         typedef struct {{\n{hit}{}{}{}{}{}{}}} {p}_contact_impulse_derivatives_t;\n\n",
        matrix("ddq_dq", nv, "in the tangent space of q: 1/s^2"),
        matrix("ddq_dv", nv, "by the velocity: 1/s"),
        matrix("ddq_dtau", nv, "by the torques: 1/(kg m^2)"),
        matrix("forces_dq", nr, "in the tangent space of q: N/rad"),
        matrix("forces_dv", nr, "by the velocity: N s/rad"),
        matrix("forces_dtau", nr, "by the torques: 1/m"),
        matrix("v_plus_dq", nv, "in the tangent space of q: 1/s"),
        matrix("v_plus_dv", nv, "by the velocity before: 1"),
        vector("v_plus_drestitution", nv, "by the restitution: rad/s, m/s"),
        matrix("impulses_dq", nr, "in the tangent space of q: N s/rad"),
        matrix("impulses_dv", nr, "by the velocity before: kg/rad, kg m/rad"),
        vector("impulses_drestitution", nr, "by the restitution: N s, N m s"),
    );
    let given = |name: &str, n: usize| format!("const {real} {name}[{n}]");
    let (q, v) = (given("q", nq), given("v", nv));
    let active = format!("const int active[{nc}]");
    let settings = format!("const {p}_contact_settings_t *settings");
    let tau = given("tau", nv);
    let all = [
        (
            "Forward dynamics under contacts: M ddq + C v + g = tau + J^T forces, and the rows of the active contacts,\n \
             * J ddq + dJ/dt v + kd J v + kp e, are zero. Rows are in the axes that the settings say, by default those of the contacts' frames.",
            format!("contact_dynamics({q}, {v}, {tau}, {active}, {settings}, {p}_contact_dynamics_t *out)"),
        ),
        (
            "The same with the derivatives of accelerations and forces by q, v and tau.",
            format!(
                "contact_dynamics_derivatives({q}, {v}, {tau}, {active}, {settings}, \
                 {p}_contact_dynamics_derivatives_t *out)"
            ),
        ),
        (
            "Velocities after an impact: M (v_plus - v) = J^T impulses, J v_plus = -restitution J v. Of the settings, mu and\n \
             * iterations are used.",
            format!(
                "contact_impulse({q}, {v}, {active}, {real} restitution, {settings}, {p}_contact_impulse_t *out)"
            ),
        ),
        (
            "contact_impulse with the derivatives of velocities and impulses by q, v and the restitution.",
            format!(
                "contact_impulse_derivatives({q}, {v}, {active}, {real} restitution, {settings}, \
                 {p}_contact_impulse_derivatives_t *out)"
            ),
        ),
        (
            "Inverse dynamics under contact forces: tau = M a + C v + g - J^T forces.",
            format!(
                "contact_inverse_dynamics({q}, {v}, {}, {}, {real} tau[{nv}])",
                given("a", nv),
                given("forces", nr)
            ),
        ),
        (
            "contact_inverse_dynamics under forces in these axes, CONTACT_AXES_..",
            format!(
                "contact_inverse_dynamics_in({q}, {v}, {}, {}, int axes, {real} tau[{nv}])",
                given("a", nv),
                given("forces", nr)
            ),
        ),
        (
            "[rows x nv] The Jacobian of the active contacts; rows of the others are zero.",
            format!("contact_jacobian({q}, {active}, {real} jacobian[{}])", nr * nv),
        ),
        (
            "contact_jacobian with rows in these axes.",
            format!("contact_jacobian_in({q}, {active}, int axes, {real} jacobian[{}])", nr * nv),
        ),
        (
            "[rows x rows] J M^-1 J^T of the active contacts; rows and columns of the others are zero.",
            format!("delassus({q}, {active}, {real} delassus[{}])", nr * nr),
        ),
        (
            "delassus of rows in these axes.",
            format!("delassus_in({q}, {active}, int axes, {real} delassus[{}])", nr * nr),
        ),
        (
            "How far active contacts are from where they are to be, row by row: closed loops from being closed, contacts with\n \
             * the world from their anchors.",
            format!("contact_errors({q}, {active}, {settings}, {real} errors[{nr}])"),
        ),
        (
            "[3 x 4] each: where the contacts' frames are in the world, which are anchors where contacts are made.",
            format!("contact_placements({q}, {real} placements[{}])", 12 * nc),
        ),
    ];
    for (doc, head) in all {
        let _ = writeln!(text, "/* {doc} */\n{};\n", wrapped(&format!("void {p}_{head}")));
        let (name, rest) = head.split_once('(').unwrap_or_default();
        if takes_parameters(model, name) {
            let with = format!("void {p}_{name}_with({}, {rest}", run_time::parameter(c, ""));
            let _ = writeln!(text, "/* {p}_{name} with other parameters. */\n{};\n", wrapped(&with));
        }
    }
}

/// The tables and answers that the fixed text needs, before it.
pub fn define(c: &C<'_>, model: &Model<f64>, plans: &[Plan], contacts: &[ContactAt]) -> String {
    let (p, real, nc) = (c.prefix, c.real.name(), contacts.len());
    let mut text = format!(
        "\nenum {{\n    {p}_hold_nc = {nc},\n    {p}_hold_nr = {},\n    {p}_hold_nb = {},\n    {p}_hold_nq = {}\n}};\n",
        rows(contacts),
        length(model.bodies.len()),
        length(model.nq)
    );
    // Second frames after all first ones.
    let all: Vec<Option<usize>> =
        contacts.iter().map(|at| Some(at.frame)).chain(contacts.iter().map(|at| at.second)).collect();
    let list = |numbers: Vec<String>| numbers.join(", ");
    let first_rows = contacts.iter().scan(0, |row, contact| {
        *row += contact.kind.rows();
        Some(row.to_string())
    });
    let first_rows = std::iter::once("0".to_owned()).chain(first_rows).collect();
    let body = |frame: &Option<usize>| {
        let body = frame.and_then(|frame| model.frames[frame].body);
        body.map_or("-1".into(), |body| body.to_string())
    };
    let placed = |frame: &Option<usize>| {
        let numbers: Vec<f64> = frame.map_or(vec![0.0; 12], |frame| {
            let at = &model.frames[frame].placement;
            at.rotation.as_slice().iter().chain(at.translation.as_slice()).copied().collect()
        });
        format!("    {{{}}}", list(numbers.iter().map(|x| c.real.number(*x)).collect()))
    };
    let _ = write!(
        text,
        "static const short {p}_hold_row[{}] = {{{}}};\n\
         static const short {p}_hold_is_loop[{nc}] = {{{}}};\n\
         static const short {p}_hold_body[{}] = {{{}}};\n\
         /* Frames in the joint frames of the bodies that carry them. */\n\
         static const {real} {p}_hold_carried[{}][12] = {{\n{}\n}};\n\n",
        nc + 1,
        list(first_rows),
        list(contacts.iter().map(|at| u8::from(at.second.is_some()).to_string()).collect()),
        2 * nc,
        list(all.iter().map(body).collect()),
        2 * nc,
        all.iter().map(placed).collect::<Vec<_>>().join(",\n"),
    );
    for (name, function, takes, gives) in ANSWERS {
        answer(&mut text, c, model, plans, &all, (name, function, takes, gives));
    }
    let _ = write!(
        text,
        "static void {p}_hold_posture(const {real} *q, {real} *sin_q, {real} *cos_q)\n{{\n{}}}\n",
        posture(c, model, plans)
    );
    text
}

/// A function that asks one of a frame's.
fn answer(
    text: &mut String,
    c: &C<'_>,
    model: &Model<f64>,
    plans: &[Plan],
    all: &[Option<usize>],
    (name, function, takes, gives): (&str, Function, &str, &str),
) {
    let (p, real) = (c.prefix, c.real.name());
    let given: String =
        takes.split(", ").filter(|x| !x.is_empty()).map(|x| format!("const {real} *{x}, ")).collect();
    let gives = gives.replace("REAL", real).replace("ROBOT", p);
    let _ = write!(
        text,
        "static void {p}_hold_{name}(const {real} *const at[3], int frame, {given}{gives})\n{{\n    switch (frame) {{\n"
    );
    let takes = if takes.is_empty() { String::new() } else { format!("{takes}, ") };
    for (k, frame) in all.iter().enumerate() {
        let Some(frame) = frame else { continue };
        let of_frame = |plan: &&Plan| {
            plan.function == function
                && plan.frame.is_some_and(|at| at.index == *frame && at.reference == ReferenceFrame::Local)
        };
        let plan = plans.iter().find(of_frame).expect("the functions that contacts need are generated");
        // The compiler is not told that there are no other numbers.
        let case = if k == 0 { "default".into() } else { format!("case {k}") };
        let _ = writeln!(
            text,
            "    {case}: {p}_{}_at(at[0], at[1], at[2], {takes}to); break;",
            frames::name(model, plan)
        );
    }
    text.push_str("    }\n}\n\n");
}

/// What takes the sines and cosines that the functions read.
fn posture(c: &C<'_>, model: &Model<f64>, plans: &[Plan]) -> String {
    let mut coordinates = BTreeSet::new();
    for plan in plans {
        for version in plan.stages.iter().flat_map(Stage::versions) {
            let body = Body::new(c, Layout::OneState, plan.spec().result.is_some(), version);
            coordinates.extend(body.coordinates());
        }
    }
    let taken = taken(c, Sizes::from(model), &coordinates);
    match taken.split_once('\n') {
        // What is declared there is given here.
        Some((_, lines)) => lines.to_owned(),
        None => "    (void)q;\n    sin_q[0] = cos_q[0] = 0;\n".into(),
    }
}

//! The step with friction, as fixed text in `text/friction/` (docs/friction.md#in-c).
//!
//! That text ports the solver of `rbd-runtime/src/friction/` and the robot's part in
//! `rbd-runtime/src/contact/friction*.rs`, operation by operation. It follows the functions of contacts
//! (`contacts`), and calls some of them. Names of its own begin with `cones_`.

use super::step::{DERIVATIVES, Field, by_default, fields, form};
use super::{Contacts, Writer, contact_rows, run_time};
use crate::emit::c_family::text::{length, wrapped};
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{Dim, Dims, Sizes};
use crate::table::functions::Function;
use rbd_runtime::{ContactKind, Model};
use std::fmt::Write;

/// The solver, which knows no robot.
const SOLVER: [&str; 10] = [
    include_str!("text/friction/cone.c"),
    include_str!("text/friction/dense.c"),
    include_str!("text/friction/joints.c"),
    include_str!("text/friction/problem.c"),
    include_str!("text/friction/gauss_seidel.c"),
    include_str!("text/friction/newton.c"),
    include_str!("text/friction/search.c"),
    include_str!("text/friction/admm.c"),
    include_str!("text/friction/solve.c"),
    include_str!("text/friction/differentiate.c"),
];
/// The robot's part.
const SURFACE: &str = include_str!("text/friction/surface.c");
const LOOPS: &str = include_str!("text/friction/loops.c");
const TOUCHING: &str = include_str!("text/friction/touching.c");
/// The step by the inverse of the mass matrix, or by its factors.
const WAYS: [&str; 2] =
    [include_str!("text/friction/step_by_inverse.c"), include_str!("text/friction/step_by_factors.c")];
const STEPS: [&str; 3] = [
    include_str!("text/friction/step.c"),
    include_str!("text/friction/joint_step.c"),
    include_str!("text/friction/derivatives.c"),
];
/// In the steps' text, it begins lines of robots with closed loops.
const OF_LOOPS: &str = "LOOPS";

/// A function: its name, the result of a step, and the result.
#[derive(Clone, Copy)]
struct Step {
    name: &'static str,
    last: &'static str,
    result: &'static str,
}

const NAME: &str = "friction_step";
const PLAIN: Step = Step { name: NAME, last: NAME, result: NAME };
const WITH_JOINTS: Step =
    Step { name: "friction_step_with_joints", last: "joint_friction_step", result: "joint_friction_step" };
const DERIVATIVES_OF_PLAIN: Step =
    Step { name: "friction_step_derivatives", result: "friction_step_derivatives", ..PLAIN };
const DERIVATIVES_WITH_JOINTS: Step = Step {
    name: "friction_step_with_joints_derivatives",
    result: "joint_friction_step_derivatives",
    ..WITH_JOINTS
};
const ALL: [Step; 4] = [PLAIN, WITH_JOINTS, DERIVATIVES_OF_PLAIN, DERIVATIVES_WITH_JOINTS];

const IMPULSES: Dims = Dims::Matrix(Dim::Nr, Dim::Nv);
const JOINTS: Dims = Dims::Matrix(Dim::Nv, Dim::Nv);
/// Derivatives of impulses, and of those on coordinates.
const OF_IMPULSES: [Field; 3] = [
    ("impulses_dq", IMPULSES, "derivative of the contacts' impulses by q"),
    ("impulses_dv", IMPULSES, "derivative of the contacts' impulses by v"),
    ("impulses_dtau", IMPULSES, "derivative of the contacts' impulses by tau, s"),
];
const OF_JOINTS: [Field; 3] = [
    ("joints_dq", JOINTS, "derivative of the impulses on coordinates by q"),
    ("joints_dv", JOINTS, "derivative of the impulses on coordinates by v"),
    ("joints_dtau", JOINTS, "derivative of the impulses on coordinates by tau, s"),
];

impl Step {
    fn takes_joints(self) -> bool {
        self.last != NAME
    }
}

/// True if the robot has the step: some contacts, and all of them points. Closed loops may be of either kind.
fn is_there(contacts: &[ContactAt]) -> bool {
    let mut with_the_world = contacts.iter().filter(|contact| contact.second.is_none()).peekable();
    with_the_world.peek().is_some() && with_the_world.all(|contact| contact.kind == ContactKind::Point)
}

/// The head of a step, with parameters at run time or without.
fn head(c: &Writer<'_>, model: &Model<f64>, sizes: Sizes, of: Step, with: bool) -> String {
    let (p, real) = (c.prefix, c.real.name());
    let Step { name, last, result } = of;
    let (called, parameters) = if with { form(c, model, name) } else { (name.into(), None) };
    let joints = of.takes_joints().then(|| format!("const {p}_joint_contacts_t *joints"));
    let array = |name: &str, n: usize| format!("const {real} {name}[{}]", length(n));
    let state = [
        array("q", sizes.nq),
        array("v", sizes.nv),
        array("tau", sizes.nv),
        format!("{real} dt"),
        format!("const {p}_contact_surface_t surfaces[{}]", sizes.nc),
    ];
    let rest = [
        format!("const {p}_friction_settings_t *settings"),
        format!("const {p}_{last}_t *last"),
        format!("{p}_{result}_t *out"),
    ];
    let all: Vec<String> = parameters.into_iter().chain(state).chain(joints).chain(rest).collect();
    wrapped(&format!("void {p}_{called}({})", all.join(", ")))
}

/// Writes structs and declarations for the header, after those of contacts.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, contacts: &[ContactAt]) {
    if !is_there(contacts) {
        return;
    }
    let (p, real, guard) = (c.prefix, c.real.name(), c.prefix.to_uppercase());
    let sizes = Sizes::from(model).with_contacts(contacts);
    let Sizes { nc, nr, nq, nv, .. } = sizes;
    let _ = write!(
        text,
        "/* What a contact does during a step: it carries no impulse, it does not move, or it slides. */\n\
         #define {guard}_MODE_OPEN 0\n\
         #define {guard}_MODE_STICK 1\n\
         #define {guard}_MODE_SLIDE 2\n\n\
         /* What a contact meets. If it is all zero, nothing is near. */\n\
         typedef struct {{\n    \
         {real} normal[3]; /* of the surface in the world, towards the robot; of any length, zero for no surface */\n    \
         {real} distance; /* along the normal, m; negative inside of the surface */\n    \
         {real} friction; /* coefficient of friction, from 0 on */\n    \
         {real} restitution; /* velocity of separation over that of approach, 0 to 1 */\n    \
         {real} compliance; /* velocity by which the contact yields over its impulse, from 0 on, 1/kg */\n\
         }} {p}_contact_surface_t;\n\n\
         /* How a step with friction is solved. The counts bound the number of operations. */\n\
         typedef struct {{\n    \
         {real} tolerance; /* largest residual of a converged solution */\n    \
         int sweeps; /* of projected Gauss-Seidel */\n    \
         int newton_steps; /* in each run of Newton's method */\n    \
         int admm_iterations; /* of the method of multipliers, in each round */\n    \
         int rounds; /* of the method of multipliers, each followed by Newton's steps */\n    \
         int continuations; /* how often friction is lowered and grows again, in 4, 8, 16 .. levels */\n    \
         {real} correction; /* share of a penetration, and of a closed loop's error, that a step takes back */\n    \
         {real} least_impact; /* approach velocity below which nothing rebounds, m/s */\n\
         }} {p}_friction_settings_t;\n\n\
         /* How far a solution is from the laws of contact: the largest over all contacts. */\n\
         typedef struct {{\n    \
         {real} signorini; /* |f_n c_n|, J */\n    \
         {real} coulomb; /* |f_t . c_t + mu f_n |c_t||, J */\n    \
         {real} feasibility; /* what is outside of the cones, m/s and N s */\n    \
         {real} natural; /* how far a fixed-point step moves the impulses, without a unit */\n\
         }} {p}_friction_residuals_t;\n\n\
         /* What a solution took. */\n\
         typedef struct {{\n    \
         unsigned long sweeps, newton, admm; /* sweeps, Newton's steps, iterations of the method of multipliers */\n\
         }} {p}_friction_iterations_t;\n\n\
         typedef struct {{\n    \
         {real} q[{}]; /* [{nq}] configuration after the step */\n    \
         {real} v[{}]; /* [{nv}] joint velocities after the step */\n    \
         {real} impulses[{nr}]; /* [{nr}] of the world on the robot, in the world's axes; of closed loops in the first frame's; N s */\n    \
         int modes[{nc}]; /* {guard}_MODE_..; closed loops stick */\n    \
         {p}_friction_residuals_t residuals;\n    \
         {p}_friction_iterations_t iterations;\n    \
         int converged; /* 1 if all residuals are at most the tolerance, else 0: impulses are then in their cones, and the best found */\n\
         }} {p}_{NAME}_t;\n\n",
        length(nq),
        length(nv),
    );
    let _ = write!(
        text,
        "/* Settings by default: tolerance 1e-9 (of float 1e-4), 5 sweeps, 20 Newton's steps, 100 iterations, 4 rounds,\n \
         * 3 continuations, correction 0.2, least_impact 0. */\n\
         void {p}_friction_settings({p}_friction_settings_t *out);\n\n\
         /* The state after a time dt (s) under the torques tau (N m, N), with contacts that push, stick and slide:\n \
         * M (v+ - v) = dt (tau - b) + J^T impulses, q+ = integrate(q, dt v+).\n \
         *\n \
         * The solver finds which contact does what; out->converged says whether it did. Closed loops are held, and their surfaces\n \
         * ignored. With dt = 0 it is an impact: velocities change, and positions do not.\n \
         * settings may be null: those of {p}_friction_settings. last may be null: it is the result of the step before, from whose\n \
         * impulses the solver begins. Arrays of *out may be q and v, and out may be last.\n \
         * Source: docs/math.md#contacts-with-friction. */\n{};\n\n",
        head(c, model, sizes, PLAIN, false)
    );
    declare_joints(text, c, model, sizes);
    declare_derivatives(text, c, model, sizes);
    if !model.run_time.is_none() {
        for step in ALL {
            let with = head(c, model, sizes, step, true);
            let _ = write!(text, "/* {p}_{} with other parameters. */\n{with};\n\n", step.name);
        }
    }
}

/// Writes what the header has of friction and limits of joints.
fn declare_joints(text: &mut String, c: &Writer<'_>, model: &Model<f64>, sizes: Sizes) {
    let (p, real, nv) = (c.prefix, c.real.name(), sizes.nv);
    let (n, nq) = (length(nv), length(sizes.nq));
    let _ = write!(
        text,
        "/* Dry friction of coordinates, and how far they are from their limits. */\n\
         typedef struct {{\n    \
         {real} friction[{n}]; /* [{nv}] largest torque or force of dry friction; zero for none; N m, N */\n    \
         {real} to_lower[{n}]; /* [{nv}] q - lower; infinite, or the largest number, for no limit; rad, m */\n    \
         {real} to_upper[{n}]; /* [{nv}] upper - q, likewise */\n\
         }} {p}_joint_contacts_t;\n\n\
         typedef struct {{\n    \
         {p}_{NAME}_t step;\n    \
         {real} joints[{n}]; /* [{nv}] impulses of dry friction and limits on coordinates; N m s, N s */\n\
         }} {p}_joint_friction_step_t;\n\n\
         /* Friction and limits of the URDF at q. Joints of several coordinates, continuous and mimic joints have no limits. */\n\
         void {p}_joint_contacts(const {real} q[{nq}], {p}_joint_contacts_t *out);\n\n\
         /* {p}_{NAME} with dry friction and limits of joints. Friction sticks without creeping; a joint stops at a limit without\n \
         * a rebound. joints may be null: those of {p}_joint_contacts.\n \
         * Source: docs/math.md#contacts-with-friction. */\n{};\n\n",
        head(c, model, sizes, WITH_JOINTS, false)
    );
}

/// Writes structs and declarations of derivatives.
fn declare_derivatives(text: &mut String, c: &Writer<'_>, model: &Model<f64>, sizes: Sizes) {
    let (p, real) = (c.prefix, c.real.name());
    let of_state = fields(c, sizes, &DERIVATIVES[2..]);
    let [of_impulses, of_joints] = [OF_IMPULSES, OF_JOINTS].map(|of| fields(c, sizes, &of));
    let [plain, with_joints] =
        [DERIVATIVES_OF_PLAIN, DERIVATIVES_WITH_JOINTS].map(|step| head(c, model, sizes, step, false));
    let _ = write!(
        text,
        "typedef struct {{\n{of_state}{of_impulses}    \
         {p}_{NAME}_t contacts; /* next state, impulses, modes, and whether they converged */\n    \
         {real} margin; /* distance of the nearest contact from another mode, without a unit; at 0 there is no derivative */\n\
         }} {p}_{NAME}_derivatives_t;\n\n\
         /* {p}_{NAME} with derivatives by q, v and tau, in the tangent spaces of the old and the new state. Column j of a\n \
         * derivative by q is that along integrate(q, e * unit(j)).\n \
         *\n \
         * They are derivatives of the solution: each contact keeps its mode. Surfaces are planes that do not move, and distances\n \
         * change with q along the normals. Without a contact that touches, the margin is the largest number.\n \
         * last may be &out->contacts. Arrays of *out may not be q or v.\n \
         * Source: docs/math.md#contacts-with-friction. */\n{plain};\n\n\
         typedef struct {{\n{of_state}{of_impulses}{of_joints}    \
         {p}_joint_friction_step_t contacts; /* next state, impulses, modes, and whether they converged */\n    \
         {real} margin; /* distance of the nearest contact or coordinate from another mode, without a unit */\n\
         }} {p}_joint_friction_step_derivatives_t;\n\n\
         /* {p}_friction_step_with_joints with derivatives, as those of {p}_{NAME}_derivatives. Coordinates keep their modes too. The\n \
         * distance from a limit changes with its own coordinate.\n \
         * Source: docs/math.md#contacts-with-friction. */\n{with_joints};\n\n"
    );
}

/// Definitions, or nothing if the robot has no such step. `text` makes a robot's text of fixed text.
pub fn define(
    c: &Writer<'_>,
    model: &Model<f64>,
    Contacts { at: contacts, rows }: Contacts<'_>,
    text: impl Fn(&str) -> String,
) -> String {
    if !is_there(contacts) {
        return String::new();
    }
    let sizes = Sizes::from(model).with_contacts(contacts);
    let has_loops = contacts.iter().any(|contact| contact.second.is_some());
    let loops = if has_loops { LOOPS } else { "" };
    // Closed loops are held by the inverse of the mass matrix.
    let way = WAYS[usize::from(!has_loops && contact_rows::has(rows, "row_factors"))];
    let fixed = [&SOLVER.concat(), SURFACE, loops, &steps(model, has_loops, way)].concat();
    let mut all = text(&fixed);
    for step in ALL {
        all = all.replace(&format!("HEAD({})", step.name), &head(c, model, sizes, step, true));
    }
    if !model.run_time.is_none() {
        for step in ALL {
            let joints = if step.takes_joints() { "joints, " } else { "" };
            let arguments = format!("q, v, tau, dt, surfaces, {joints}settings, last, out");
            all.push_str(&by_default(c, &head(c, model, sizes, step, false), step.name, &arguments));
        }
    }
    all
}

/// Fixed text of the steps. Functions that depend on parameters at run time take them.
fn steps(model: &Model<f64>, has_loops: bool, way: &str) -> String {
    let mut text = String::new();
    for line in [TOUCHING, way, &STEPS.concat()].concat().lines() {
        match line.strip_prefix(OF_LOOPS) {
            Some(_) if !has_loops => continue,
            Some(line) => text.push_str(line),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    for function in Function::needed_by_contacts().filter(|function| function.takes_parameters(model)) {
        let name = format!("ROBOT_{}", function.name());
        text = text.replace(&format!("{name}_at("), &format!("{name}_with_at(parameters, "));
    }
    run_time::between(model, &text)
}

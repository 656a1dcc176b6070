//! The discrete step, as fixed text in `text/step/` (docs/math.md#discrete-step).
//!
//! That text joins `aba`, `aba_derivatives`, `aba_hessian` and `integrate`. Tables of the joints are written
//! here. Joints of several coordinates have a group each, others add ones.
//!
//! `contact_step` has the steps under contacts, which are made of the same pieces.
//!
//! Of robots with parameters at run time, functions take them and pass them on ([`passing`]). Their forms
//! without parameters follow the text.
//!
//! In the functions, `HEAD(f)` stands for the head of function f, and `DYNAMICS_f(` for the call of forward
//! dynamics or of its derivatives: the robot's own or those under contacts ([`Source`]), or of either under
//! implicit damping.

use super::{Writer, run_time};
use crate::emit::c_family::documentation::{equation_of_step, shown};
use crate::emit::c_family::text::{extent, length, wrapped};
use crate::emit::manifold::{is_flat, owners};
use crate::signatures::signature::{Dim, Dims, Sizes};
use crate::table::functions::{CONTACT_FUNCTIONS, Function};
use rbd_runtime::{Integrator, JointKind, Model};
use std::fmt::Write;

use JointKind::{Floating, Planar, Spherical};

/// The discrete step that is written.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The integrator.
    pub integrator: Integrator,
    /// Velocity coordinates of the controls of the option `actuated`.
    pub controls: &'a [usize],
}

/// Groups of joints, with the joints that need each piece.
const GROUPS: [(&str, &[JointKind]); 4] = [
    (include_str!("text/step/rotation.c"), &[Spherical, Floating]),
    (include_str!("text/step/planar.c"), &[Planar]),
    (include_str!("text/step/spherical.c"), &[Spherical]),
    (include_str!("text/step/floating.c"), &[Floating]),
];

/// A text for robots with joints of several coordinates, and one for others.
struct Pair {
    turning: &'static str,
    flat: &'static str,
}

const GROUP: &str = include_str!("text/step/group.c");
const JOINING: &str = include_str!("text/step/joining.c");
const THROUGH: Pair =
    Pair { turning: include_str!("text/step/turning.c"), flat: include_str!("text/step/flat.c") };
const ALONG: Pair =
    Pair { turning: include_str!("text/step/turning_euler.c"), flat: include_str!("text/step/flat_euler.c") };
const RATE: Pair =
    Pair { turning: include_str!("text/step/turning_rate.c"), flat: include_str!("text/step/flat_rate.c") };
const EULER: &str = include_str!("text/step/euler.c");
const EULER_HESSIAN: &str = include_str!("text/step/euler_hessian.c");
const DAMPED: &str = include_str!("text/step/damped.c");
const DAMPED_ABA: &str = include_str!("text/step/damped_aba.c");
const DAMPED_DERIVATIVES: &str = include_str!("text/step/damped_derivatives.c");
const DAMPED_HESSIAN: &str = include_str!("text/step/damped_hessian.c");
const RK4: &str = include_str!("text/step/rk4.c");
const RK4_JOINING: &str = include_str!("text/step/rk4_joining.c");
const RK4_STAGE: &str = include_str!("text/step/rk4_stage.c");
const RK4_FUNCTIONS: &str = include_str!("text/step/rk4_functions.c");
const RK4_HESSIAN: &str = include_str!("text/step/rk4_hessian.c");

impl Pair {
    fn of(&self, model: &Model<f64>) -> &'static str {
        if is_flat(model) { self.flat } else { self.turning }
    }
}

/// A field of a result: its name, the shape, and what it is.
pub(super) type Field = (&'static str, Dims, &'static str);

const NUMBER: Dims = Dims::Scalar;
const CONFIGURATION: Dims = Dims::Vector(Dim::Nq);
const VELOCITY: Dims = Dims::Vector(Dim::Nv);
const SQUARE: Dims = Dims::Matrix(Dim::Nv, Dim::Nv);

/// The next state.
pub(super) const STATE: [Field; 2] =
    [("q", CONFIGURATION, "next configuration"), ("v", VELOCITY, "next velocity; rad/s, m/s")];
/// The next state and its derivatives.
pub(super) const DERIVATIVES: [Field; 8] = [
    STATE[0],
    STATE[1],
    ("dq_dq", SQUARE, "derivative of q+ by q"),
    ("dq_dv", SQUARE, "derivative of q+ by v, s"),
    ("dq_dtau", SQUARE, "derivative of q+ by tau"),
    ("dv_dq", SQUARE, "derivative of v+ by q, 1/s"),
    ("dv_dv", SQUARE, "derivative of v+ by v"),
    ("dv_dtau", SQUARE, "derivative of v+ by tau"),
];
/// Value, gradient and Hessian of a weighted step.
pub(super) const HESSIAN: [Field; 10] = [
    ("value", NUMBER, "lambda_q . q+ + lambda_v . v+; of q+ only joints of one coordinate count"),
    ("dq", VELOCITY, "gradient by q"),
    ("dv", VELOCITY, "gradient by v"),
    ("dtau", VELOCITY, "gradient by tau"),
    ("dqdq", SQUARE, "derivative of dq by q; with quaternions it is not symmetric"),
    ("dqdv", SQUARE, "derivative of dq by v"),
    ("dvdv", SQUARE, "derivative of dv by v"),
    ("dqdtau", SQUARE, "derivative of dq by tau"),
    ("dvdtau", SQUARE, "derivative of dv by tau"),
    ("dtaudtau", SQUARE, "derivative of dtau by tau"),
];

/// Functions: name, fields of the result, and whether weights are arguments.
const FUNCTIONS: [(&str, &[Field], bool); 3] =
    [("step", &STATE, false), ("step_derivatives", &DERIVATIVES, false), ("step_hessian", &HESSIAN, true)];

/// Fields of a result in C, each with a comment.
pub(super) fn fields(c: &Writer<'_>, sizes: Sizes, of: &[Field]) -> String {
    let line = |(field, shape, doc): &Field| {
        let (n, shown) = (extent(*shape, sizes), shown(*shape, sizes));
        format!("    {} {field}[{n}]; /* {shown} {doc} */\n", c.real.name())
    };
    of.iter().map(line).collect()
}

/// Functions of the fixed text that call functions of the robot.
const CALLERS: [&str; 13] = [
    "damped_find",
    "damped_aba",
    "damped_aba_derivatives",
    "damped_aba_hessian_with_first",
    "damped_find_held",
    "damped_held_find",
    "damped_held_aba",
    "damped_held_aba_hessian_with_first",
    "held_aba",
    "held_aba_derivatives",
    "held_aba_hessian_with_first",
    "joining_add_stage",
    "joining_held_add_stage",
];

/// Functions of forward dynamics that steps call.
const FORWARD: [&str; 3] = ["aba", "aba_derivatives", "aba_hessian_with_first"];

/// Source of a step's accelerations.
pub(super) struct Source {
    /// Prefix of function names, in place of `SOURCE_`.
    name: &'static str,
    /// Parameters before the state, in place of `TAKES `.
    takes: &'static str,
    /// Arguments that callers pass before the state, in place of `PASSES `.
    passes: &'static str,
}

impl Source {
    /// The robot's own functions.
    const FREE: Self = Self { name: "", takes: "", passes: "" };
    /// Functions with the active contacts held, of `text/step/held.c` and its neighbours.
    pub(super) const HELD: Self = Self {
        name: "held_",
        takes: "const int *active, const ROBOT_contact_settings_t *settings, ",
        passes: "active, settings, ",
    };

    /// Fixed text of functions that call this source, under damping at the end of the step or without.
    fn calls(&self, fixed: &str, is_damped: bool) -> String {
        let Self { name, takes, passes } = self;
        let text = fixed.replace("SOURCE_", name).replace("TAKES ", takes).replace("PASSES ", passes);
        let (damped, dt) = if is_damped { ("damped_", "dt, ") } else { ("", "") };
        FORWARD.iter().fold(text, |text, f| {
            text.replace(&format!("DYNAMICS_{f}("), &format!("ROBOT_{damped}{name}{f}({dt}{passes}"))
        })
    }

    /// Fixed text of the weighted Hessian of a step, after that of the step.
    pub(super) fn hessian(&self, integrator: Integrator) -> String {
        match integrator {
            Integrator::Rk4 => self.calls(RK4_HESSIAN, false),
            Integrator::ImplicitDamping => {
                self.calls(DAMPED_HESSIAN, false) + &self.calls(EULER_HESSIAN, true)
            }
            Integrator::SemiImplicit | Integrator::Explicit => self.calls(EULER_HESSIAN, false),
        }
    }

    /// Fixed text of forward dynamics under damping at the end of the step.
    pub(super) fn damped(&self) -> String {
        self.calls(DAMPED_ABA, false)
    }

    /// Fixed text of a stage of Runge and Kutta's method.
    pub(super) fn stage(&self) -> String {
        self.calls(RK4_STAGE, false)
    }
}

/// Fixed text whose functions take parameters at run time and pass them on, if the robot has any.
pub(super) fn passing(fixed: &str, model: &Model<f64>) -> String {
    let mut text = fixed.to_owned();
    if model.run_time.is_none() {
        return text;
    }
    let mut pass = |name: &str, with: &str| {
        text = text.replace(&format!("ROBOT_{name}("), &format!("ROBOT_{with}(parameters, "));
    };
    let of_robot = [Function::Aba, Function::Minv, Function::AbaDerivatives].into_iter();
    for function in of_robot.filter(|function| function.takes_parameters(model)) {
        pass(function.name(), &format!("{}_with", function.name()));
    }
    pass("aba_hessian_with_first", "aba_hessian_with_first_with");
    pass("contact_dynamics_hessian_with_first", "contact_dynamics_hessian_with_first_with");
    for spec in CONTACT_FUNCTIONS.iter().filter(|spec| spec.takes_parameters(model)) {
        pass(spec.name, &format!("{}_with", spec.name));
    }
    for (name, ..) in FUNCTIONS {
        pass(name, &format!("{name}_with"));
    }
    for name in CALLERS {
        pass(name, name);
    }
    // Where functions are defined, they take them.
    let takes = "const ROBOT_parameters_t *parameters, ";
    CALLERS.iter().fold(text, |text, name| {
        text.replace(&format!("void ROBOT_{name}(parameters, "), &format!("void ROBOT_{name}({takes}"))
    })
}

/// The form of a function that takes parameters, if the robot has any: its name, and the first argument in
/// heads.
pub(super) fn form(c: &Writer<'_>, model: &Model<f64>, name: &str) -> (String, Option<String>) {
    match model.run_time.is_none() {
        true => (name.into(), None),
        false => (format!("{name}_with"), Some(run_time::parameter(c, ""))),
    }
}

/// Definition of a function that passes the default parameters on, of its head and the names of its
/// arguments.
pub(super) fn by_default(c: &Writer<'_>, head: &str, name: &str, arguments: &str) -> String {
    format!("\n{head}\n{{\n    {p}_{name}_with(&{p}_given, {arguments});\n}}\n", p = c.prefix)
}

/// The head of a function, with parameters at run time or without.
fn head(c: &Writer<'_>, model: &Model<f64>, of: (&str, &[Field], bool), with: bool) -> String {
    let (name, _, has_weights) = of;
    let (form, parameters) = if with { form(c, model, name) } else { (name.into(), None) };
    let (real, [nq, nv]) = (c.real.name(), [model.nq, model.nv].map(length));
    let array = |name: &str, n: usize| format!("const {real} {name}[{n}]");
    let mut all: Vec<String> = parameters.into_iter().collect();
    all.extend([array("q", nq), array("v", nv), array("tau", nv), format!("{real} dt")]);
    if has_weights {
        all.extend(["lambda_q", "lambda_v"].map(|name| array(name, nv)));
    }
    wrapped(&format!("void {p}_{form}({}, {p}_{name}_t *out)", all.join(", "), p = c.prefix))
}

/// Writes structs and declarations for the header.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, integrator: Integrator) {
    let sizes = Sizes::from(model);
    let comments = [
        format!(
            "The state after a time dt (s) under the torques tau, which are constant meanwhile:\n * {}.",
            equation_of_step(integrator)
        ),
        "The state after a time dt (s), and its derivatives in the tangent spaces of the old and the new state. Column j of a\n \
         * derivative by q is that along integrate(q, e * unit(j))."
            .into(),
        format!(
            "The next state, weighted: value, gradient and Hessian of lambda_q . difference(at, q+) + lambda_v . v+, `at` being\n \
             * the next configuration itself. Blocks that are not there are the transposed ones.{}",
            match integrator {
                Integrator::Rk4 => " It keeps 50 matrices on the stack.",
                _ => "",
            }
        ),
    ];
    for (function, comment) in FUNCTIONS.into_iter().zip(comments) {
        let fields = fields(c, sizes, function.1);
        let _ = write!(
            text,
            "typedef struct {{\n{fields}}} {}_{}_t;\n\n/* {comment} */\n{};\n\n",
            c.prefix,
            function.0,
            head(c, model, function, false)
        );
        if !model.run_time.is_none() {
            let name = format!("{}_{}", c.prefix, function.0);
            let _ =
                write!(text, "/* {name} with other parameters. */\n{};\n\n", head(c, model, function, true));
        }
    }
}

/// Tables of the joints that the fixed text reads.
fn tables(c: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> String {
    let (p, real) = (c.prefix, c.real.name());
    let is_single = |kind: JointKind| kind.nv() == 1;
    let turns = owners(model).filter(|b| !is_single(b.kind)).count();
    let mut text = format!(
        "\nenum {{\n    {p}_joining_nq = {},\n    {p}_joining_nv = {},\n    {p}_joining_turns = {turns},\n    {p}_joining_semi = {}\n}};\n",
        length(model.nq),
        model.nv,
        u8::from(matches!(integrator, Integrator::SemiImplicit | Integrator::ImplicitDamping))
    );
    let single = || owners(model).filter(|b| is_single(b.kind));
    let _ = writeln!(text, "\nstatic void {p}_joining_ones({real} *m)\n{{");
    for b in single() {
        let _ = writeln!(text, "    m[{}] += 1;", (model.nv + 1) * b.idx_v);
    }
    let unused = if single().next().is_none() { "    (void)m;\n" } else { "" };
    let _ = write!(
        text,
        "{unused}}}\n\nstatic {real} {p}_joining_value(const {real} *q, const {real} *lambda)\n{{\n    {real} sum = 0;\n"
    );
    for b in single() {
        let _ = writeln!(text, "    sum = RBD_FMA(q[{}], lambda[{}], sum);", b.idx_q, b.idx_v);
    }
    let unused = if single().next().is_none() { "    (void)q, (void)lambda;\n" } else { "" };
    let _ = write!(text, "{unused}    return sum;\n}}\n");
    text
}

/// Damping of each velocity coordinate.
fn damping(c: &Writer<'_>, model: &Model<f64>) -> String {
    let (real, n) = (c.real.name(), length(model.nv));
    let numbers: Vec<String> = model.damping().into_iter().map(|x| c.real.number(x)).collect();
    let numbers = if numbers.is_empty() { c.real.number(0.0) } else { numbers.join(", ") };
    let table = format!("static const {real} {}_damped_damping[{n}] = {{{numbers}}};", c.prefix);
    format!("\n/* Joint damping, N m s/rad or N s/m. */\n{}\n", wrapped(&table))
}

/// The joints of several coordinates: first velocity, and group.
fn turning(c: &Writer<'_>, model: &Model<f64>) -> String {
    let p = c.prefix;
    let rows: Vec<String> = owners(model)
        .filter(|b| b.kind.nv() > 1)
        .map(|b| {
            let group = format!("{:?}", b.kind).to_lowercase();
            format!("    {{{}, &{p}_joining_{group}}}", b.idx_v)
        })
        .collect();
    format!(
        "\n/* The first velocity of each joint that turns, and its group. */\nstatic const struct {{\n    int at;\n    \
         const {p}_joining_group *group;\n}} {p}_joining_turning[{}] = {{\n{}\n}};\n",
        rows.len(),
        rows.join(",\n")
    )
}

/// Definitions of the functions. `text` makes a robot's text of fixed text.
pub fn define(
    c: &Writer<'_>,
    model: &Model<f64>,
    integrator: Integrator,
    text: impl Fn(&str) -> String,
) -> String {
    let mut all = tables(c, model, integrator);
    all.push_str(&text(JOINING));
    if !is_flat(model) {
        all.push_str(&text(GROUP));
        for (piece, of) in GROUPS {
            if owners(model).any(|b| of.contains(&b.kind)) {
                all.push_str(&text(piece));
            }
        }
        all.push_str(&turning(c, model));
    }
    all.push_str(&text(THROUGH.of(model)));
    let free = Source::FREE;
    let functions = if integrator == Integrator::Rk4 {
        all.push_str(&text(RK4));
        all.push_str(&text(RATE.of(model)));
        all.push_str(&text(RK4_JOINING));
        free.stage() + &free.calls(RK4_FUNCTIONS, false)
    } else {
        all.push_str(&text(ALONG.of(model)));
        let is_damped = integrator == Integrator::ImplicitDamping;
        if is_damped {
            all.push_str(&damping(c, model));
            let functions = format!("{DAMPED}{}{DAMPED_DERIVATIVES}", free.damped());
            all.push_str(&text(&passing(&functions, model)));
        }
        free.calls(EULER, is_damped)
    };
    let mut functions = text(&passing(&(functions + &free.hessian(integrator)), model));
    for function in FUNCTIONS {
        functions = functions.replace(&format!("HEAD({})", function.0), &head(c, model, function, true));
    }
    if !model.run_time.is_none() {
        for function @ (name, _, has_weights) in FUNCTIONS {
            let weights = if has_weights { "lambda_q, lambda_v, " } else { "" };
            let (head, arguments) = (head(c, model, function, false), format!("q, v, tau, dt, {weights}out"));
            functions.push_str(&by_default(c, &head, name, &arguments));
        }
    }
    all.push_str(&functions);
    all.push('\n');
    all
}

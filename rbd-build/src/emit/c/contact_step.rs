//! The discrete step under contacts, as fixed text in `text/step/contacts_*.c` (docs/step.md#under-contacts).
//!
//! That text joins functions of contacts (`contacts`) with the pieces of steps (`step`), and follows both.

use super::step::{STATE, Source, by_default, fields, form, passing};
use super::{Writer, contact_hessian};
use crate::emit::c_family::documentation::equation_of_step;
use crate::emit::c_family::text::{length, wrapped};
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::Sizes;
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

const EULER: &str = include_str!("text/step/contacts_euler.c");
const RK4: &str = include_str!("text/step/contacts_rk4.c");
const DAMPED: &str = include_str!("text/step/contacts_damped.c");

const HELD: &str = include_str!("text/step/held.c");
const HELD_ABA: &str = include_str!("text/step/held_aba.c");
const HELD_DERIVATIVES: &str = include_str!("text/step/held_derivatives.c");
const HELD_DAMPED: &str = include_str!("text/step/held_damped.c");

const NAMES: [&str; 2] = ["contact_step", "contact_step_derivatives"];
const HESSIAN: &str = "contact_step_hessian";

/// Fixed text of the weighted Hessian: that of free steps, on dynamics with contacts held.
fn hessian(integrator: Integrator) -> String {
    let of_integrator = match integrator {
        Integrator::Rk4 => format!("{HELD_DERIVATIVES}{}", Source::HELD.stage()),
        Integrator::ImplicitDamping => format!("{HELD_DAMPED}{}", Source::HELD.damped()),
        Integrator::SemiImplicit | Integrator::Explicit => HELD_ABA.into(),
    };
    let of_step = Source::HELD.hessian(integrator).replace("HEAD(step_hessian)", &format!("HEAD({HESSIAN})"));
    format!("{HELD}{of_integrator}{of_step}")
}

/// The head of a function, with parameters at run time or without.
fn head(c: &Writer<'_>, model: &Model<f64>, sizes: Sizes, name: &str, with: bool) -> String {
    let (p, real) = (c.prefix, c.real.name());
    let (called, parameters) = if with { form(c, model, name) } else { (name.into(), None) };
    let array = |name: &str, n: usize| format!("const {real} {name}[{}]", length(n));
    let weights = (name == HESSIAN).then(|| ["lambda_q", "lambda_v"].map(|name| array(name, sizes.nv)));
    let result = if name == HESSIAN { "step_hessian" } else { name };
    let state = [
        array("q", sizes.nq),
        array("v", sizes.nv),
        array("tau", sizes.nv),
        format!("{real} dt"),
        format!("const int active[{}]", sizes.nc),
        format!("const {p}_contact_settings_t *settings"),
    ];
    let mut all: Vec<String> = parameters.into_iter().chain(state).collect();
    all.extend(weights.into_iter().flatten());
    all.push(format!("{p}_{result}_t *out"));
    wrapped(&format!("void {p}_{called}({})", all.join(", ")))
}

/// Writes structs and declarations for the header, after those of contacts and of steps.
pub fn declare(
    text: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    (plans, contacts): (&[Plan], &[ContactAt]),
    integrator: Integrator,
) {
    if contacts.is_empty() {
        return;
    }
    let (p, sizes) = (c.prefix, Sizes::from(model).with_contacts(contacts));
    let state = fields(c, sizes, &STATE);
    let (accelerations, when) = match integrator {
        Integrator::ImplicitDamping => (
            "v+ = v + dt ddq(q, v, tau - D (v+ - v)), q+ = integrate(q, dt v+), D being joint damping",
            "under the torques tau - D (v+ - v), which act during the step",
        ),
        other => (equation_of_step(other), "at the beginning of the step"),
    };
    let [of_step, of_derivatives] = NAMES.map(|name| head(c, model, sizes, name, false));
    let _ = write!(
        text,
        "typedef struct {{\n{state}    \
         {p}_contact_dynamics_t dynamics; /* accelerations and contact forces */\n\
         }} {p}_contact_step_t;\n\n\
         /* The state after a time dt (s) under the torques tau (N m, N), with the active contacts held:\n \
         * {accelerations}.\n \
         * Accelerations are those of {p}_contact_dynamics. tau, active and settings, which may be null, are constant meanwhile.\n \
         * Without an active contact it is {p}_step. A contact that is made takes an impact first: {p}_contact_impulse.\n \
         * out->dynamics are accelerations and forces {when}.\n \
         * Source: docs/math.md#discrete-step, docs/math.md#contacts. */\n\
         {of_step};\n\n\
         typedef struct {{\n    \
         {p}_step_derivatives_t step; /* next state and its derivatives */\n    \
         {p}_contact_dynamics_derivatives_t dynamics; /* accelerations, contact forces, and their derivatives */\n\
         }} {p}_contact_step_derivatives_t;\n\n\
         /* {p}_contact_step with derivatives in the tangent spaces of the old and the new state:\n \
         * A = [dq_dq dq_dv; dv_dq dv_dv] and B = [dq_dtau; dv_dtau] of out->step, and those of out->dynamics. They are exact with one\n \
         * iteration of the settings, and where further ones change nothing. Columns by q are along integrate(q, e * unit(j)). */\n\
         {of_derivatives};\n\n",
    );
    let mut names = NAMES.to_vec();
    if contact_hessian::is_there(model, plans, contacts) {
        names.push(HESSIAN);
        let head = head(c, model, sizes, HESSIAN, false);
        let _ = write!(
            text,
            "/* Value, gradient and Hessian of {p}_contact_step, weighted with lambda_q and lambda_v as {p}_step_hessian is.\n \
             * Source: docs/math.md#second-derivatives-under-contacts, docs/math.md#discrete-step. */\n{head};\n\n"
        );
    }
    if !model.run_time.is_none() {
        for name in names {
            let head = head(c, model, sizes, name, true);
            let _ = write!(text, "/* {p}_{name} with other parameters. */\n{head};\n\n");
        }
    }
}

/// Definitions of the functions. `text` makes a robot's text of fixed text.
pub fn define(
    c: &Writer<'_>,
    model: &Model<f64>,
    (plans, contacts): (&[Plan], &[ContactAt]),
    integrator: Integrator,
    text: impl Fn(&str) -> String,
) -> String {
    let sizes = Sizes::from(model).with_contacts(contacts);
    let fixed = match integrator {
        Integrator::SemiImplicit | Integrator::Explicit => EULER,
        Integrator::Rk4 => RK4,
        Integrator::ImplicitDamping => DAMPED,
    };
    let mut functions = text(&passing(fixed, model));
    let mut names = vec![(NAMES[0], ""), (NAMES[1], "")];
    if contact_hessian::is_there(model, plans, contacts) {
        functions.push_str(&text(&passing(&hessian(integrator), model)));
        names.push((HESSIAN, "lambda_q, lambda_v, "));
    }
    for (name, _) in &names {
        functions = functions.replace(&format!("HEAD({name})"), &head(c, model, sizes, name, true));
    }
    if !model.run_time.is_none() {
        for (name, weights) in names {
            let head = head(c, model, sizes, name, false);
            let arguments = format!("q, v, tau, dt, active, settings, {weights}out");
            functions.push_str(&by_default(c, &head, name, &arguments));
        }
    }
    functions
}

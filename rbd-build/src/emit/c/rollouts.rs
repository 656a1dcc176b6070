//! Many steps one after the other, their derivative along a direction, and the gradient of a cost of their
//! states, as fixed text in `text/step/rollouts.c` (docs/step.md#rollouts).
//!
//! That text calls the functions of `step`, or those of `actuated`.

use super::Writer;
use super::step::{Steps, form};
use crate::emit::c_family::text::{length, wrapped};
use rbd_runtime::Model;
use std::fmt::Write;

const TEXT: &str = include_str!("text/step/rollouts.c");
const PRODUCTS: &str = include_str!("text/step/rollouts_products.c");

/// Functions, and the names of their arguments after the time.
const FUNCTIONS: [(&str, &str); 3] = [
    ("rollout", "steps, states"),
    ("rollout_sensitivity", "steps, direction, CONTROLS_direction, states, changes"),
    ("rollout_adjoint", "steps, states, gradient, by_CONTROLS, by_first"),
];

/// Steps of which rollouts are made.
#[derive(Clone, Copy)]
struct Form {
    /// Prefix of the step functions' names.
    prefix: &'static str,
    /// Name of the controls.
    controls: &'static str,
    /// Number of controls, in C.
    count: &'static str,
}

/// Forms under torques, and under controls if there are any.
fn forms(steps: &Steps<'_>) -> impl Iterator<Item = Form> {
    let torques = Form { prefix: "", controls: "tau", count: "ROBOT_joining_nv" };
    let controls = Form { prefix: "actuated_", controls: "u", count: "ROBOT_joining_nu" };
    std::iter::once(torques).chain((!steps.controls.is_empty()).then_some(controls))
}

impl Form {
    /// Fixed text, with the names of this form.
    fn spelled(&self, text: &str) -> String {
        text.replace("FORM", self.prefix).replace("COUNT", self.count).replace("CONTROLS", self.controls)
    }

    /// Fixed text whose steps are given the parameters at run time, if the robot has any.
    fn passing(&self, model: &Model<f64>, text: String) -> String {
        let pass = |text: String, name: &str| {
            let called = format!("ROBOT_{}{name}", self.prefix);
            text.replace(&format!("{called}("), &format!("{called}_with(parameters, "))
        };
        if model.run_time.is_none() { text } else { pass(pass(text, "step"), "step_derivatives") }
    }

    /// The head of a function, with parameters at run time or without.
    fn head(&self, c: &Writer<'_>, model: &Model<f64>, name: &str, with: bool) -> String {
        let (p, real) = (c.prefix, c.real.name());
        let Self { prefix, controls, .. } = self;
        let (called, parameters) = if with { form(c, model, name) } else { (name.into(), None) };
        let [nq, nv] = [model.nq, model.nv].map(length);
        let state = format!(
            "const {real} q[{nq}], const {real} v[{nv}], const {real} *{controls}, {real} dt, int steps"
        );
        let more = match name {
            "rollout" => format!("{p}_step_t *states"),
            "rollout_sensitivity" => format!(
                "const {p}_tangent_t *direction, const {real} *{controls}_direction, {p}_step_t *states, \
                 {p}_tangent_t *changes"
            ),
            _ => format!(
                "const {p}_step_t *states, {p}_tangent_t *gradient, {real} *by_{controls}, {p}_tangent_t *by_first"
            ),
        };
        let all: Vec<String> = parameters.into_iter().chain([state, more]).collect();
        wrapped(&format!("void {p}_{prefix}{called}({})", all.join(", ")))
    }
}

/// Writes the struct and the declarations for the header, after those of steps.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, steps: &Steps<'_>) {
    let (p, real, n) = (c.prefix, c.real.name(), length(model.nv));
    let _ = write!(
        text,
        "/* A motion in the tangent space of a state, or a gradient by it. */\ntypedef struct {{\n    \
         {real} q[{n}]; /* [{}] of the configuration */\n    {real} v[{n}]; /* [{}] of the velocity */\n}} {p}_tangent_t;\n\n",
        model.nv, model.nv
    );
    for of in forms(steps) {
        let Form { prefix, controls, .. } = of;
        let n = if controls == "u" { steps.controls.len() } else { model.nv };
        let comments = [
            format!(
                "The state after each of `steps` steps by {p}_{prefix}step, which begin at q and v. {controls} is [{n} x steps]: step k \
                 takes column k.\n * Source: docs/step.md#rollouts."
            ),
            format!(
                "{p}_{prefix}rollout, and the change of each state along one direction. The direction changes the first state by\n \
                 * `direction` and {controls} by `{controls}_direction` [{n} x steps]."
            ),
            format!(
                "The gradient of a cost by {controls} [{n} x steps] and by the first state. `gradient` is first that of the cost by each \
                 state alone.\n * What later states add to it is added. `states` are those of {p}_{prefix}rollout. Each step is linearised \
                 once, and nothing else is stored."
            ),
        ];
        for ((name, _), comment) in FUNCTIONS.into_iter().zip(comments) {
            let _ = write!(text, "/* {comment} */\n{};\n\n", of.head(c, model, name, false));
            if !model.run_time.is_none() {
                let head = of.head(c, model, name, true);
                let _ = write!(text, "/* {p}_{prefix}{name} with other parameters. */\n{head};\n\n");
            }
        }
    }
}

/// Definitions of the functions. `text` makes a robot's text of fixed text.
pub fn define(
    c: &Writer<'_>,
    model: &Model<f64>,
    steps: &Steps<'_>,
    text: impl Fn(&str) -> String,
) -> String {
    let p = c.prefix;
    let mut all = text(PRODUCTS);
    for of in forms(steps) {
        let mut functions = text(&of.passing(model, of.spelled(TEXT)));
        for (name, _) in FUNCTIONS {
            functions = functions.replace(&format!("HEAD({name})"), &of.head(c, model, name, true));
        }
        if !model.run_time.is_none() {
            for (name, more) in FUNCTIONS {
                let (head, more) = (of.head(c, model, name, false), of.spelled(more));
                let _ = write!(
                    functions,
                    "\n{head}\n{{\n    {p}_{}{name}_with(&{p}_given, q, v, {}, dt, {more});\n}}\n",
                    of.prefix, of.controls
                );
            }
        }
        all.push_str(&functions);
    }
    all.push('\n');
    all
}

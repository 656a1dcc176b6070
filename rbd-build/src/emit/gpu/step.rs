//! The discrete step: forward dynamics, then the joints' maps on what it gives (docs/math.md#discrete-step).
//!
//! Maps of planar, spherical and floating joints are fixed text in `text/`, on a thread's own numbers.
//! `damped` has what implicit damping adds, `runge_kutta` the method of four stages, `actuated` the forms
//! under controls of some joints.

use super::contacts::Made;
use super::function::{Array, Callee, Heading, Step, joined};
use super::interface::given;
use super::joints::{self, Along, turns};
use super::memory::Memory;
use super::{Writer, actuated, contact_step, damped, runge_kutta, step_hessian};
use crate::emit::c_family::documentation::{param_doc, result_doc, shown};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::manifold::owners;
use crate::search::plan::{Plan, Version, Wire};
use crate::signatures::signature::{
    DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, Dim, Dims, Output, Q, Sizes, TAU_GIVEN, V,
};
use crate::table::functions::Function;
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

pub const DT: Array = Array { name: "dt", shape: Dims::Scalar };
pub const Q_NEXT: Array = Array { name: "q_next", shape: Dims::Vector(Dim::Nq) };
pub const V_NEXT: Array = Array { name: "v_next", shape: Dims::Vector(Dim::Nv) };

/// Fixed text, with the joints that need each piece.
const PIECES: [(&str, &[JointKind]); 5] = [
    (include_str!("text/turning.c"), &[Planar, Spherical, Floating]),
    (include_str!("text/rotation.c"), &[Spherical, Floating]),
    (include_str!("text/planar.c"), &[Planar]),
    (include_str!("text/spherical.c"), &[Spherical]),
    (include_str!("text/floating.c"), &[Floating]),
];

/// The integrator that is written: where nothing is damped, implicit damping is semi-implicit Euler.
fn written(model: &Model<f64>, integrator: Integrator) -> Integrator {
    let is_damped = model.damping().iter().any(|x| *x != 0.0);
    match integrator {
        Integrator::ImplicitDamping if !is_damped => Integrator::SemiImplicit,
        // A robot without joints has no stages.
        Integrator::Rk4 if model.nv == 0 => Integrator::SemiImplicit,
        other => other,
    }
}

/// The fixed text, and the functions with their kernels. `plans` has forward dynamics.
///
/// Derivatives of the step are written if they are there for accelerations. `under_contacts` are the dynamics
/// under contacts.
pub fn definition(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    steps: Steps<'_>,
    plans: &[Plan],
    under_contacts: &[Made],
) -> Written {
    let integrator = written(model, steps.integrator);
    let of = |function| plans.iter().find(|plan| plan.function == function);
    let derivatives = of(Function::AbaDerivatives).filter(|_| model.nv > 0);
    let mut text = String::new();
    for (piece, of) in PIECES {
        if owners(model).any(|b| of.contains(&b.kind)) {
            text += &gpu.text(piece, model);
        }
    }
    let turns = turns(model);
    let hessian = of(Function::AbaHessian).filter(|_| model.nv > 0);
    let has_brackets = integrator == Integrator::Rk4;
    if turns && (has_brackets || derivatives.is_some() || hessian.is_some() || under_contacts.len() > 1) {
        text += &gpu.text(include_str!("text/twists.c"), model);
    }
    if turns && hessian.is_some() {
        text += &gpu.text(include_str!("text/twists_second.c"), model);
    }
    if integrator == Integrator::ImplicitDamping {
        text += &gpu.text(include_str!("text/damped.c"), model);
    }
    let mut all = Written::from(text);
    if turns {
        all.needs(Helper::Sines);
    }
    let parts = Parts { gpu, model, integrator, plans };
    let mut functions = vec![parts.step()];
    all.push(functions[0].text.clone());
    all.text.extend(derivatives.is_none().then(|| {
        format!("/* With the function aba_derivatives there is {}_step_derivatives too. */\n\n", gpu.prefix)
    }));
    let mut add = |all: &mut Written, function: StepFunction| {
        all.push(function.text.clone());
        functions.push(function);
    };
    if let Some(first) = derivatives {
        add(&mut all, parts.step_derivatives(first));
    }
    all.text.extend(hessian.is_none().then(|| {
        format!("/* With the function aba_hessian there is {}_step_hessian too. */\n\n", gpu.prefix)
    }));
    if let Some(plan) = hessian {
        add(&mut all, step_hessian::definition(&parts, plan));
    }
    let under_contacts = contact_step::definitions(gpu, model, integrator, under_contacts);
    under_contacts.into_iter().for_each(|function| add(&mut all, function));
    all.push(actuated::definitions(gpu, model, steps.controls, &functions));
    all
}

/// A function of steps.
pub struct StepFunction {
    /// Name without the robot's prefix, and without the ending of parameters at run time.
    pub name: &'static str,
    /// Documentation and definition.
    pub text: Written,
    /// The function for others that call it.
    pub callee: Callee,
    /// The sizes of its arrays.
    pub sizes: Sizes,
}

/// A function of the state and the time: its name, and its results.
pub fn heading(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    of: Function,
    name: &str,
    outputs: Vec<Array>,
) -> Heading {
    let (with_parameters, name) = (of.takes_parameters(model), format!("{}_{name}", gpu.prefix));
    Heading {
        name: if with_parameters { format!("{name}_with") } else { name },
        given: if with_parameters { given(model) } else { Vec::new() },
        params: [Q, V, TAU_GIVEN].map(Array::from).into_iter().chain([DT]).collect(),
        outputs,
    }
}

/// Context from which free steps are made.
pub struct Parts<'a> {
    pub gpu: &'a Writer<'a>,
    pub model: &'a Model<f64>,
    pub integrator: Integrator,
    pub plans: &'a [Plan],
}

impl Parts<'_> {
    /// Kernels of a function, with their arrays elsewhere.
    pub fn kernels(&self, function: Function, to: impl Fn(Wire) -> Wire) -> Vec<Step> {
        let plan = self.plans.iter().find(|plan| plan.function == function).expect("steps ask for it");
        let stages: Vec<Version> = plan.stages.iter().map(|stage| stage.scalar.rewired(&to)).collect();
        self.gpu.steps(Sizes::from(self.model), &stages.iter().collect::<Vec<_>>())
    }

    /// Steps up to the next state, with the accelerations by which it moves in the array `ddq`. `more` are
    /// statements after them.
    pub fn to_the_next(&self, more: &str) -> Vec<Step> {
        let mut steps = self.kernels(Function::Aba, |wire| wire);
        if self.integrator == Integrator::ImplicitDamping {
            steps.extend(damped::found(self));
        }
        let next = joining(self.gpu, self.model, self.integrator) + more;
        steps.push(Step::Parts(vec![next.into()]));
        steps
    }

    fn step(&self) -> StepFunction {
        let (steps, memory) = match self.integrator {
            Integrator::Rk4 => runge_kutta::step(self),
            Integrator::ImplicitDamping => (self.to_the_next(""), damped::memory(self.model)),
            _ => (self.to_the_next(""), Memory::default()),
        };
        let what = "The state after a time dt";
        self.function(Function::Aba, "step", what, &[], (joined(steps), memory))
    }

    fn step_derivatives(&self, first: &Plan) -> StepFunction {
        let (gpu, model, integrator) = (self.gpu, self.model, self.integrator);
        let (steps, memory) = match integrator {
            Integrator::Rk4 => return self.by_stages(first),
            Integrator::ImplicitDamping => {
                let mut steps = joined(self.to_the_next(""));
                steps.extend(self.kernels(first.function, |wire| damped::at_found(of_velocity(wire))));
                (steps, damped::memory(model).and([damped::later(model)]))
            }
            _ => {
                let mut steps = self.kernels(first.function, of_velocity);
                steps.push(Step::Parts(vec![joining(gpu, model, integrator).into()]));
                (steps, Memory::default())
            }
        };
        let steps = steps.into_iter().chain([columns(gpu, model, integrator)]).collect();
        self.function(first.function, "step_derivatives", DIFFERENTIATED, &blocks(), (steps, memory))
    }

    /// Derivatives of the method of stages, after the function that each of them calls.
    fn by_stages(&self, first: &Plan) -> StepFunction {
        let (mut text, callee) = runge_kutta::stage_derivatives(self, first, "stage_derivatives");
        let written = runge_kutta::step_derivatives(self, &callee);
        let of = self.function(first.function, "step_derivatives", DIFFERENTIATED, &blocks(), written);
        text.push(of.text);
        StepFunction { text, ..of }
    }

    /// The text of a function, made of the kernels of `of`. Its results are the next state, accelerations,
    /// `outputs`, and the memory that steps share, if there is any.
    fn function(
        &self,
        of: Function,
        name: &'static str,
        what: &str,
        outputs: &[Output],
        (steps, memory): (Vec<Step>, Memory),
    ) -> StepFunction {
        let (gpu, model) = (self.gpu, self.model);
        let sizes = Sizes::from(model);
        let arrays = [Q_NEXT, V_NEXT, DDQ.into()].into_iter().chain(outputs.iter().map(|x| (*x).into()));
        let heading = heading(gpu, model, of, name, arrays.chain(memory.array()).collect());
        let steps: Vec<Step> = steps.into_iter().map(|step| memory.in_step(gpu, step)).collect();
        let (definition, callee) = heading.defined(gpu, sizes, &steps);
        let text = documentation(self.integrator, what, sizes, "", outputs)
            + &memory.documentation(gpu, name)
            + " */\n"
            + &memory.defined(gpu, name)
            + &definition.text;
        StepFunction { name, text: Written { text, ..definition }, callee, sizes }
    }
}

const DIFFERENTIATED: &str = "The state after a time dt, and its derivatives";

/// Blocks of derivatives of the next velocity, whose memory has those of accelerations before.
const OF_V: [Output; 3] = [
    Output { name: "dv_dq", unit: "1/s", doc: "derivative of v_next in the tangent space of q", ..DDQ_DQ },
    Output { name: "dv_dv", unit: "1", doc: "derivative of v_next by v", ..DDQ_DV },
    Output {
        name: "dv_dtau",
        unit: "s/(kg m^2)",
        doc: "derivative of v_next by tau",
        symmetric: false,
        ..DDQ_DTAU
    },
];
/// Blocks of derivatives of the next configuration, in its tangent space.
const OF_Q: [Output; 3] = [
    Output {
        name: "dq_dq",
        unit: "1",
        doc: "derivative of q_next, in its tangent space, in that of q",
        ..DDQ_DQ
    },
    Output { name: "dq_dv", unit: "s", doc: "derivative of q_next by v", ..DDQ_DV },
    Output {
        name: "dq_dtau",
        unit: "s^2/(kg m^2)",
        doc: "derivative of q_next by tau",
        symmetric: false,
        ..DDQ_DTAU
    },
];

/// All blocks, those of the configuration first.
pub fn blocks() -> [Output; 6] {
    let [dq_dq, dq_dv, dq_dtau] = OF_Q;
    let [dv_dq, dv_dv, dv_dtau] = OF_V;
    [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau]
}

/// The block whose memory has a derivative of accelerations before, or the output itself.
pub fn in_blocks(output: Output) -> Output {
    let of = [DDQ_DQ, DDQ_DV, DDQ_DTAU].map(|output| output.name);
    of.iter().position(|name| *name == output.name).map_or(output, |k| OF_V[k])
}

const COLUMNS: &str = "/* A column of the derivatives by q, by v or by tau. */";

/// Derivatives of accelerations, in the memory of those of velocities.
fn of_velocity(wire: Wire) -> Wire {
    match wire {
        Wire::Output(output) => Wire::Output(in_blocks(output)),
        other => other,
    }
}

/// The motion from the old configuration to the next one, of Euler's steps.
pub fn along(integrator: Integrator) -> Along {
    Along { times: Some("time"), of: moves_by(integrator) }
}

/// A column of the derivatives in each part, from that of accelerations.
pub fn columns(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> Step {
    let moves = if integrator == Integrator::Explicit { "own" } else { "x" };
    let is_damped = integrator == Integrator::ImplicitDamping;
    let solve = if is_damped { "ROBOT_damped_solve(stride, factors, of_v);\n" } else { "" };
    let text = include_str!("text/step_columns.c").replace("SOLVE\n", solve).replace("MOVES", moves);
    let text = gpu.text(&text, model) + &joints::through(gpu, model, "of_q", along(integrator));
    Step::Alike { parts: (3 * model.nv).into(), doc: COLUMNS, text }
}

/// Documentation up to its last lines. `more` has lines on further arguments.
pub fn documentation(
    integrator: Integrator,
    what: &str,
    sizes: Sizes,
    more: &str,
    outputs: &[Output],
) -> String {
    let (equation, of_ddq) = match integrator {
        Integrator::Rk4 => ("Runge and Kutta's method of order 4, on the manifold", " at the beginning"),
        Integrator::ImplicitDamping => (
            "v_next = v + dt (M + dt D)^-1 (tau - b(q, v)), D being joint damping\n *   q_next = integrate(q, dt v_next)",
            ", (v_next - v) / dt",
        ),
        Integrator::SemiImplicit => {
            ("v_next = v + dt ddq(q, v, tau)\n *   q_next = integrate(q, dt v_next)", "")
        }
        Integrator::Explicit => ("v_next = v + dt ddq(q, v, tau)\n *   q_next = integrate(q, dt v)", ""),
    };
    let mut text =
        format!("/* {what}, under torques that are constant meanwhile.\n *\n *   {equation}\n *\n");
    for param in [Q, V, TAU_GIVEN] {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(param));
    }
    let [q, v, ddq] = [Q_NEXT.shape, V_NEXT.shape, DDQ.shape].map(|shape| shown(shape, sizes));
    let _ = write!(
        text,
        " * dt: time, s, a number for each state\n{more} * gives q_next {q}: configuration after it\n \
         * gives v_next {v}: velocity after it; rad/s, m/s\n * gives ddq {ddq}: {}{of_ddq}; {}",
        DDQ.doc, DDQ.unit
    );
    for output in outputs {
        let _ = write!(text, "\n * gives {} {}", output.name, result_doc(*output, sizes));
    }
    text
}

/// The velocity by which a configuration moves.
pub fn moves_by(integrator: Integrator) -> &'static str {
    match integrator {
        Integrator::Explicit => "v",
        _ => "v_next",
    }
}

/// Statements after forward dynamics.
pub fn joining(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> String {
    let text = format!(
        "const {} time = RBD_AT(dt, 0);\nRBD_NOT_UNROLLED\nfor (int k = 0; k < {}; k++) {{\n    \
         RBD_AT(v_next, k) = RBD_FMA(time, RBD_AT(ddq, k), RBD_AT(v, k));\n}}\n",
        gpu.real.name(),
        model.nv
    );
    text + &joints::integrate(gpu, model, "q_next", along(integrator))
}

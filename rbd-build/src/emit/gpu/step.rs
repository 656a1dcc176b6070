//! The discrete step: forward dynamics, then the joints' maps on what it gives (docs/math.md#discrete-step).
//!
//! Maps of planar, spherical and floating joints are fixed text in `text/`, on a thread's own numbers.

use super::contacts::Made;
use super::function::{Array, Heading, Step};
use super::interface::given;
use super::{Writer, contact_step, step_hessian};
use crate::emit::c_family::documentation::{param_doc, result_doc, shown};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::text::wrapped;
use crate::emit::manifold::{curved, owners};
use crate::search::plan::{Plan, Version, Wire};
use crate::signatures::signature::{
    DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, Dim, Dims, Output, Q, Sizes, TAU_GIVEN, V,
};
use crate::table::functions::Function;
use rbd_runtime::{Integrator, JointKind, Model};
use std::fmt::Write;

use JointKind::{Floating, Planar, Spherical};

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

/// The fixed text, and the functions with their kernels. `plans` has forward dynamics.
///
/// Derivatives of the step are written if they are there for accelerations. `under_contacts` are the dynamics
/// under contacts.
pub fn definition(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    integrator: Integrator,
    plans: &[Plan],
    under_contacts: &[Made],
) -> Written {
    let of = |function| plans.iter().find(|plan| plan.function == function);
    let aba = of(Function::Aba).expect("steps ask for it");
    let derivatives = of(Function::AbaDerivatives).filter(|_| model.nv > 0);
    let mut text = String::new();
    for (piece, of) in PIECES {
        if owners(model).any(|b| of.contains(&b.kind)) {
            text += &gpu.text(piece, model);
        }
    }
    let turns = owners(model).any(|b| b.kind.nv() > 1);
    let hessian = of(Function::AbaHessian).filter(|_| model.nv > 0);
    if turns && (derivatives.is_some() || hessian.is_some() || under_contacts.len() > 1) {
        text += &gpu.text(include_str!("text/twists.c"), model);
    }
    if turns && hessian.is_some() {
        text += &gpu.text(include_str!("text/twists_second.c"), model);
    }
    let mut all = Written::from(text);
    if turns {
        all.needs(Helper::Sines);
    }
    all.push(step(gpu, model, integrator, aba));
    all.text.extend(derivatives.is_none().then(|| {
        format!("/* With the function aba_derivatives there is {}_step_derivatives too. */\n\n", gpu.prefix)
    }));
    if let Some(first) = derivatives {
        all.push(step_derivatives(gpu, model, integrator, first));
    }
    all.text.extend(hessian.is_none().then(|| {
        format!("/* With the function aba_hessian there is {}_step_hessian too. */\n\n", gpu.prefix)
    }));
    if let Some(plan) = hessian {
        all.push(step_hessian::definition(gpu, model, integrator, plan));
    }
    under_contacts.iter().for_each(|made| all.push(contact_step::definition(gpu, model, integrator, made)));
    all
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

fn step(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator, aba: &Plan) -> Written {
    let sizes = Sizes::from(model);
    let stages: Vec<&Version> = aba.stages.iter().map(|stage| &stage.scalar).collect();
    let (mut steps, last) = (gpu.steps(sizes, &stages), joining(gpu, model, integrator));
    match &mut steps[..] {
        [Step::Parts(parts)] if parts.len() == 1 => parts[0].push(last),
        _ => steps.push(Step::Parts(vec![last])),
    }
    let heading = heading(gpu, model, Function::Aba, "step", vec![Q_NEXT, V_NEXT, DDQ.into()]);
    let definition = heading.definition(gpu, sizes, &steps);
    let text =
        documentation(integrator, "The state after a time dt", sizes, "", &[]) + " */\n" + &definition.text;
    Written { text, helpers: definition.helpers }
}

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
/// And of the next configuration, in its tangent space.
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
pub fn blocks() -> impl Iterator<Item = Output> {
    OF_Q.into_iter().chain(OF_V)
}

/// The block whose memory has a derivative of accelerations before, or the output itself.
pub fn in_blocks(output: Output) -> Output {
    let of = [DDQ_DQ, DDQ_DV, DDQ_DTAU].map(|output| output.name);
    of.iter().position(|name| *name == output.name).map_or(output, |k| OF_V[k])
}

const COLUMNS: &str = "/* A column of the derivatives by q, by v or by tau. */";

fn step_derivatives(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator, first: &Plan) -> Written {
    let sizes = Sizes::from(model);
    let stages: Vec<Version> = first.stages.iter().map(|stage| of_velocity(&stage.scalar)).collect();
    let mut steps = gpu.steps(sizes, &stages.iter().collect::<Vec<_>>());
    steps.push(Step::Parts(vec![joining(gpu, model, integrator)]));
    steps.push(columns(gpu, model, integrator));
    let outputs = [Q_NEXT, V_NEXT, DDQ.into()].into_iter().chain(blocks().map(Array::from));
    let heading = heading(gpu, model, Function::AbaDerivatives, "step_derivatives", outputs.collect());
    let definition = heading.definition(gpu, sizes, &steps);
    let what = "The state after a time dt, and its derivatives";
    let blocks: Vec<Output> = blocks().collect();
    let text = documentation(integrator, what, sizes, "", &blocks) + " */\n" + &definition.text;
    Written { text, helpers: definition.helpers }
}

/// Derivatives of accelerations, in the memory of those of velocities.
fn of_velocity(version: &Version) -> Version {
    let wire = |wire: &Wire| match *wire {
        Wire::Output(output) => Wire::Output(in_blocks(output)),
        other => other,
    };
    Version { wires: version.wires.iter().map(wire).collect(), ..version.clone() }
}

/// Entries of a twist, [linear; angular], that a joint's motions have.
pub fn of_twist(kind: JointKind) -> &'static [usize] {
    match kind {
        Planar => &[0, 1, 5],
        Spherical => &[3, 4, 5],
        _ => &[0, 1, 2, 3, 4, 5],
    }
}

/// A column of the derivatives in each part, from that of accelerations.
pub fn columns(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> Step {
    let (real, p, by) = (gpu.real.name(), gpu.prefix, moves_by(integrator));
    let moves = if integrator == Integrator::Explicit { "own" } else { "x" };
    let mut text = gpu.text(&include_str!("text/step_columns.c").replace("MOVES", moves), model);
    let single = owners(model).filter(|b| b.kind.nv() == 1).map(|b| format!("part == {}", b.idx_v));
    let single: Vec<String> = single.collect();
    if !single.is_empty() {
        let _ =
            writeln!(text, "{}", wrapped(&format!("if ({}) RBD_AT(of_q, part) += 1;", single.join(" || "))));
    }
    for b in owners(model).filter(|b| b.kind.nv() > 1) {
        let (at, n) = (b.idx_v, b.kind.nv());
        let of_twist = of_twist(b.kind);
        let _ = writeln!(text, "{{\n    {real} u[6] = {{0}}, x[6] = {{0}}, moved[6], c[4], of_own[4];");
        for (k, i) in of_twist.iter().enumerate() {
            let _ = writeln!(
                text,
                "    u[{i}] = time * RBD_AT({by}, {0});\n    x[{i}] = RBD_AT(of_q, {0});",
                at + k
            );
        }
        let _ = writeln!(text, "    {p}_coefficients(u, c, of_own);\n    {p}_moved_by(u, c, x, moved);");
        for (k, i) in of_twist.iter().enumerate() {
            let _ = writeln!(text, "    RBD_AT(of_q, {}) = moved[{i}];", at + k);
        }
        // The derivative by q of a joint's own coordinates.
        let from = if at == 0 { String::new() } else { format!("part >= {at} && ") };
        let _ = writeln!(
            text,
            "    if ({from}part < {}) {{\n        for (int k = 0; k < 6; k++) x[k] = 0;",
            at + n
        );
        for (k, i) in of_twist.iter().enumerate() {
            let _ = writeln!(text, "        if (part == {}) x[{i}] = 1;", at + k);
        }
        let _ = writeln!(text, "        {p}_moved_by(u, of_own, x, moved);");
        for (k, i) in of_twist.iter().enumerate() {
            let _ = writeln!(text, "        RBD_AT(of_q, {}) += moved[{i}];", at + k);
        }
        text += "    }\n}\n";
    }
    Step::Alike { count: 3 * model.nv, doc: COLUMNS, text }
}

/// Documentation up to its last lines. `more` has lines on further arguments.
pub fn documentation(
    integrator: Integrator,
    what: &str,
    sizes: Sizes,
    more: &str,
    outputs: &[Output],
) -> String {
    let of = moves_by(integrator);
    let mut text = format!(
        "/* {what}, under torques that are constant meanwhile.\n *\n \
         *   v_next = v + dt ddq(q, v, tau)\n *   q_next = integrate(q, dt {of})\n *\n"
    );
    for param in [Q, V, TAU_GIVEN] {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(param));
    }
    let [q, v, ddq] = [Q_NEXT.shape, V_NEXT.shape, DDQ.shape].map(|shape| shown(shape, sizes));
    let _ = write!(
        text,
        " * dt: time, s, a number for each state\n{more} * gives q_next {q}: configuration after it\n \
         * gives v_next {v}: velocity after it; rad/s, m/s\n * gives ddq {ddq}: {}; {}",
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
pub fn joining(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> Written {
    let (real, p, by) = (gpu.real.name(), gpu.prefix, moves_by(integrator));
    let mut text = format!(
        "const {real} time = RBD_AT(dt, 0);\nRBD_NOT_UNROLLED\nfor (int k = 0; k < {}; k++) {{\n    \
         RBD_AT(v_next, k) = RBD_FMA(time, RBD_AT(ddq, k), RBD_AT(v, k));\n}}\n",
        model.nv
    );
    for b in owners(model) {
        let (q, v, kind) = (b.idx_q, b.idx_v, b.kind);
        let Some(map) = curved(kind) else {
            let _ = writeln!(text, "RBD_AT(q_next, {q}) = RBD_FMA(time, RBD_AT({by}, {v}), RBD_AT(q, {q}));");
            continue;
        };
        let _ = write!(
            text,
            "{{\n    {real} from[{nq}], along[{nv}], to[{nq}];\n    \
             for (int k = 0; k < {nq}; k++) from[k] = RBD_AT(q, {q} + k);\n    \
             for (int k = 0; k < {nv}; k++) along[k] = time * RBD_AT({by}, {v} + k);\n    \
             {p}_integrate_{map}(from, along, to);\n    \
             for (int k = 0; k < {nq}; k++) RBD_AT(q_next, {q} + k) = to[k];\n}}\n",
            nq = kind.nq(),
            nv = kind.nv()
        );
    }
    text.into()
}

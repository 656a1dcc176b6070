//! The discrete step: forward dynamics, then the joints' maps on what it gives (docs/math.md#discrete-step).
//!
//! Maps of planar, spherical and floating joints are fixed text in `text/`, on a thread's own numbers.

use super::Writer;
use super::function::{Array, Heading, Step};
use super::interface::given;
use crate::emit::c_family::documentation::{param_doc, shown};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::manifold::{curved, owners};
use crate::search::plan::{Plan, Version};
use crate::signatures::signature::{DDQ, Dim, Dims, Q, Sizes, TAU_GIVEN, V};
use crate::table::functions::Function;
use rbd_runtime::{Integrator, JointKind, Model};
use std::fmt::Write;

use JointKind::{Floating, Planar, Spherical};

const DT: Array = Array { name: "dt", shape: Dims::Scalar };
const Q_NEXT: Array = Array { name: "q_next", shape: Dims::Vector(Dim::Nq) };
const V_NEXT: Array = Array { name: "v_next", shape: Dims::Vector(Dim::Nv) };

/// Fixed text, with the joints that need each piece.
const PIECES: [(&str, &[JointKind]); 5] = [
    (include_str!("text/turning.c"), &[Planar, Spherical, Floating]),
    (include_str!("text/rotation.c"), &[Spherical, Floating]),
    (include_str!("text/planar.c"), &[Planar]),
    (include_str!("text/spherical.c"), &[Spherical]),
    (include_str!("text/floating.c"), &[Floating]),
];

/// The fixed text, and the function with its kernels. `plans` has forward dynamics.
pub fn definition(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator, plans: &[Plan]) -> Written {
    let sizes = Sizes::from(model);
    let aba = plans.iter().find(|plan| plan.function == Function::Aba).expect("steps ask for it");
    let stages: Vec<&Version> = aba.stages.iter().map(|stage| &stage.scalar).collect();
    let (mut steps, last) = (gpu.steps(sizes, &stages), joining(gpu, model, integrator));
    match &mut steps[..] {
        [Step::Parts(parts)] if parts.len() == 1 => parts[0].push(last),
        _ => steps.push(Step::Parts(vec![last])),
    }
    let with_parameters = Function::Aba.takes_parameters(model);
    let name = format!("{}_step", gpu.prefix);
    let heading = Heading {
        name: if with_parameters { format!("{name}_with") } else { name },
        given: if with_parameters { given(model) } else { Vec::new() },
        params: [Q, V, TAU_GIVEN].map(Array::from).into_iter().chain([DT]).collect(),
        outputs: vec![Q_NEXT, V_NEXT, DDQ.into()],
    };
    let definition = heading.definition(gpu, sizes, &steps);
    let mut text = String::new();
    for (piece, of) in PIECES {
        if owners(model).any(|b| of.contains(&b.kind)) {
            text += &gpu.text(piece, model);
        }
    }
    text += &documentation(model, integrator);
    let mut all = Written { text, helpers: definition.helpers };
    if owners(model).any(|b| b.kind.nv() > 1) {
        all.needs(Helper::Sines);
    }
    all.text += &definition.text;
    all
}

fn documentation(model: &Model<f64>, integrator: Integrator) -> String {
    let (sizes, of) = (Sizes::from(model), moves_by(integrator));
    let mut text = format!(
        "/* The state after a time dt under torques that are constant meanwhile.\n *\n \
         *   v_next = v + dt ddq(q, v, tau)\n *   q_next = integrate(q, dt {of})\n *\n"
    );
    for param in [Q, V, TAU_GIVEN] {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(param));
    }
    let [q, v, ddq] = [Q_NEXT.shape, V_NEXT.shape, DDQ.shape].map(|shape| shown(shape, sizes));
    let _ = write!(
        text,
        " * dt: time, s, a number for each state\n * gives q_next {q}: configuration after it\n \
         * gives v_next {v}: velocity after it; rad/s, m/s\n * gives ddq {ddq}: {}; {} */\n",
        DDQ.doc, DDQ.unit
    );
    text
}

/// The velocity by which a configuration moves.
fn moves_by(integrator: Integrator) -> &'static str {
    match integrator {
        Integrator::Explicit => "v",
        _ => "v_next",
    }
}

/// Statements after forward dynamics.
fn joining(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> Written {
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

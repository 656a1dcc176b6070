//! Impacts under contacts for GPUs (docs/math.md#contacts).
//!
//! Steps of forward dynamics are called. Impulses stand in the place of forces, and no torques act.

use super::Writer;
use super::contacts::{ACTIVE, Contacts, Forced, Made, SETTINGS, forced, memory};
use super::function::{Array, Heading, Step};
use crate::emit::c_family::documentation::{param_doc, result_doc, shown};
use crate::emit::c_family::helpers::Written;
use crate::signatures::signature::{Dim, Dims, Q, V};
use crate::table::functions::{ContactParam, ContactSpec};
use rbd_runtime::Model;
use std::fmt::Write;

const RESTITUTION: Array = Array { name: "restitution", shape: Dims::Vector(Dim::Fixed(1)) };

const IMPULSES: Forced = Forced {
    name: "impulses",
    rate: "RBD_FMA(RBD_AT(restitution, 0), RBD_AT(row_velocity, r), RBD_AT(row_velocity, r))",
    begin: "0",
};

const LATER: &str = "/* Impulses change the velocity before. */";

/// Documentation, device function and kernels.
pub fn definition(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    contacts: &Contacts<'_>,
    (dynamics, spec): (&Made, &ContactSpec),
) -> Written {
    let (sizes, steps) = (dynamics.sizes, steps(gpu, model, contacts, (dynamics, spec)));
    let memory = memory(sizes, false);
    // Steps of the dynamics read gravity, which does not matter here.
    let given = dynamics.callee.heading().given.clone();
    let name = format!("{}_{}", gpu.prefix, spec.name);
    let params = spec.params.iter().map(|param| match param {
        ContactParam::State(param) => (*param).into(),
        ContactParam::Active => ACTIVE,
        ContactParam::Restitution => RESTITUTION,
        ContactParam::Settings => SETTINGS,
        ContactParam::Forces | ContactParam::Axes => unreachable!("impacts have neither"),
    });
    let heading = Heading {
        name: if given.is_empty() { name } else { format!("{name}_with") },
        given,
        params: params.collect(),
        outputs: spec.outputs.iter().map(|output| (*output).into()).chain(memory.array()).collect(),
    };
    let mut text = format!("/* {}\n *\n", spec.doc);
    for line in spec.equation.iter().flat_map(|equation| equation.split(", ")) {
        let _ = writeln!(text, " *   {line}");
    }
    text += " *\n";
    for param in [Q, V] {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(param));
    }
    let _ = write!(
        text,
        " * active {}: contacts whose number is above a half hold, the others have no impulses\n \
         * restitution [1]: separation velocity over approach velocity\n \
         * settings {}: mu, added on the diagonal of J M^-1 J^T, 1/kg; the second number is not read\n",
        shown(ACTIVE.shape, sizes),
        shown(SETTINGS.shape, sizes)
    );
    let results =
        spec.outputs.iter().map(|output| format!(" * gives {} {}", output.name, result_doc(*output, sizes)));
    text += &results.collect::<Vec<_>>().join("\n");
    text += &Made::about_work(&memory, gpu, spec.name);
    let steps: Vec<Step> = steps.into_iter().map(|step| memory.in_step(gpu, step)).collect();
    let Written { text: definition, helpers } = heading.definition(gpu, sizes, &steps);
    Written { text: text + &definition, helpers }
}

/// Steps of the dynamics are called. Those that make forces are replaced by such that make impulses.
fn steps(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    contacts: &Contacts<'_>,
    (dynamics, spec): (&Made, &ContactSpec),
) -> Vec<Step> {
    let later = spec.outputs[0].name;
    // What torques lead to is not read.
    let mut steps = dynamics.callee.calls(|name| match name {
        "tau" => V.name,
        "ddq" => later,
        "forces" => IMPULSES.name,
        other => other,
    });
    let accelerations = contacts.accelerations(gpu).len();
    let own = forced(gpu, model, dynamics.sizes, &IMPULSES);
    let from = steps.len() - accelerations - own.len();
    steps.splice(from..from + own.len(), own);
    let text = format!("RBD_AT({later}, part) += RBD_AT(v, part);\n");
    steps.push(Step::Alike { parts: dynamics.sizes.nv.into(), doc: LATER, text });
    steps
}

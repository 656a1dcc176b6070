//! Fused functions on GPUs. Each result is an array, named after its field with the prefix `out_`.

use super::Writer;
use super::function::Heading;
use crate::emit::c_family::documentation::{param_doc, shown};
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::spelling::comment;
use crate::emit::rust::described;
use crate::fused::{Fused, FusedFunction};
use crate::names::interned;
use crate::search::plan::Plan;
use crate::search::plan::{Version, Wire};
use crate::signatures::signature::{Output, Sizes};
use rbd_runtime::Model;
use std::fmt::Write;

/// Functions and macros of the text that fused functions might be called like.
const HELPERS: [&str; 22] = [
    "add_change",
    "at",
    "bracket",
    "coefficient_changes",
    "coefficients",
    "combine",
    "damped_forward",
    "damped_solve",
    "dual_bracket",
    "hessian_stage",
    "integrate_floating",
    "integrate_planar",
    "integrate_spherical",
    "moved_by",
    "sin_cos",
    "sin_cos_one",
    "sinc_cos",
    "stage_derivatives",
    "states",
    "stride",
    "turn",
    "turned_by",
];

/// Reason why a fused function cannot have its name, if there is one.
///
/// Names of the table's functions are checked elsewhere.
pub fn fault(fused: &Fused) -> Option<String> {
    let method = fused.method();
    let plain = method.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = plain.len() < method.len();
    let of_kernel = plain.ends_with("_kernel") || plain.ends_with("_step") && is_numbered;
    (of_kernel || method.starts_with("contact_") || HELPERS.contains(&method.as_str()))
        .then(|| format!("`{method}` may be another function for GPUs; call the result something else"))
}

/// A result under a name that no parameter has: `tau` may be both.
fn output(output: Output) -> Output {
    Output { name: interned(&format!("out_{}", output.name)), ..output }
}

/// Documentation, device function and kernels.
pub fn definition(gpu: &Writer<'_>, model: &Model<f64>, plan: &Plan<FusedFunction>) -> Written {
    let (sizes, call, count) = (Sizes::from(model), &plan.function, plan.count());
    let mut text =
        String::from("/* Several quantities at once: what they have in common is computed once.\n *\n");
    for param in &call.params {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(*param));
    }
    for field in &call.fields {
        let Output { name, shape, .. } = output(field.output);
        let _ = writeln!(text, " * gives {name} {} {}", shown(shape, sizes), comment(&described(field)));
    }
    let _ = writeln!(
        text,
        " *\n * {} additions, {} multiplications, {} divisions, {} angles. */",
        count.adds, count.muls, count.divs, count.sin_cos
    );
    let heading = Heading {
        name: format!("{}_{}", gpu.prefix, call.fused.method()),
        given: Vec::new(),
        params: call.params.iter().map(|param| (*param).into()).collect(),
        outputs: call.fields.iter().map(|field| output(field.output).into()).collect(),
    };
    let renamed = |version: &Version| {
        version.rewired(|wire| match wire {
            Wire::Output(of) => Wire::Output(output(of)),
            other => other,
        })
    };
    let stages: Vec<Version> = plan.stages.iter().map(|stage| renamed(&stage.scalar)).collect();
    let steps = gpu.steps(sizes, &stages.iter().collect::<Vec<_>>());
    let Written { text: definition, helpers } = heading.definition(gpu, sizes, &steps);
    Written { text: text + &definition, helpers }
}

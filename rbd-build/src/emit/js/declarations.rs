//! Text of the types for TypeScript, with the documentation of functions.

use super::function::Function;
use super::second_order::{WITH_FIRST, gives_first};
use super::{Step, Writer, actuated, second_order, step};
use crate::emit::c_family::documentation::{equations, param_doc, result_doc, shown};
use crate::emit::c_family::names;
use crate::emit::c_family::spelling::comment;
use crate::emit::c_family::text::first_lines;
use crate::emit::rust::described;
use crate::fused::FusedFunction;
use crate::search::plan::Plan;
use crate::signatures::signature::{Signature, Sizes};
use rbd_ir::graph::OperationCount;
use rbd_runtime::Model;
use std::fmt::Write;

const HEAD: &str = include_str!("text/types.ts");

/// The whole file.
pub fn text(
    js: &Writer<'_>,
    model: &Model<f64>,
    (plans, fused): (&[Plan], &[Plan<FusedFunction>]),
    step: Option<Step<'_>>,
) -> String {
    let sizes = Sizes::from(model);
    let mut text = first_lines(js.origin);
    let _ = write!(
        text,
        "/* Dynamics of {}. Matrices are stored by columns: entry (i, j) of a matrix with n rows is [n * j + i]. */\n\n\
         /** The robot's name in the URDF. */\nexport const NAME: string;\n\
         /** Configuration coordinates. */\nexport const NQ: {};\n\
         /** Velocity coordinates. */\nexport const NV: {};\n\
         /** Moving bodies. */\nexport const NB: {};\n\n",
        comment(&model.name),
        sizes.nq,
        sizes.nv,
        sizes.nb
    );
    text += HEAD;
    let mut known: Vec<String> = Vec::new();
    for plan in plans {
        let (function, spec) = (Function::of_plan(model, plan), plan.spec());
        let mut lines = vec![spec.doc.to_owned(), String::new()];
        lines.extend(equations(spec.equation).iter().map(|equation| format!("`{equation}`")));
        lines.extend(names::doc(model, plan).into_iter().flat_map(|frame| [String::new(), frame]));
        let results: Vec<String> = spec.outputs.iter().map(|o| result_doc(*o, sizes)).collect();
        let cost = second_order::made_of(model, plan).unwrap_or_else(|| operations(plan.count()));
        let documented = Documented { function: &function.signature, lines, results, cost };
        write_function(&mut text, &mut known, sizes, documented);
        if gives_first(plan.function) {
            write_with_first(&mut text, &function.signature);
        }
    }
    for plan in fused {
        let lines = vec!["Several quantities at once: what they have in common is computed once.".to_owned()];
        let fields = plan.function.fields.iter();
        let results: Vec<String> = fields
            .map(|field| format!("{} {}", shown(field.output.shape, sizes), comment(&described(field))))
            .collect();
        let function = Function::of_fused(plan);
        let cost = operations(plan.count());
        write_function(
            &mut text,
            &mut known,
            sizes,
            Documented { function: &function.signature, lines, results, cost },
        );
    }
    if let Some((integrator, controls)) = step {
        let has_hessian = step::has_hessian(plans);
        text += &step::declarations(model, integrator, has_hessian);
        text += &actuated::declarations(model, controls, has_hessian);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// A function with what is said of it.
struct Documented<'a> {
    function: &'a Signature,
    lines: Vec<String>,
    /// Documentation of each result.
    results: Vec<String>,
    /// Operations of the function, or what it is made of.
    cost: String,
}

fn operations(OperationCount { adds, muls, divs, sin_cos, .. }: OperationCount) -> String {
    format!("{adds} additions, {muls} multiplications, {divs} divisions, {sin_cos} angles.")
}

/// Writes the function of a Hessian that also returns the first derivatives.
fn write_with_first(text: &mut String, of: &Signature) {
    let result = of.result.as_deref().expect("Hessians have several results");
    let parameters: String = of.params.iter().map(|param| format!("{}: Numbers, ", param.name)).collect();
    let name = of.name.clone();
    let _ = writeln!(
        text,
        "/** `{name}`, and the first derivatives that it is made from, which `first` takes. */\n\
         export function {name}{WITH_FIRST}({parameters}first: AbaDerivatives, out?: {result}): {result};\n"
    );
}

/// Writes the type of several results, if it is new, and the function.
fn write_function(text: &mut String, known: &mut Vec<String>, sizes: Sizes, documented: Documented<'_>) {
    let Documented { function, mut lines, results, cost } = documented;
    lines.extend([String::new(), cost, String::new()]);
    for param in &function.params {
        lines.push(format!(
            "@param {} {}: {}",
            param.name,
            shown(param.kind.shape(), sizes),
            param_doc(*param)
        ));
    }
    let mut parameters: Vec<String> =
        function.params.iter().map(|param| format!("{}: Numbers", param.name)).collect();
    let returned = match &function.result {
        None => {
            let output = function.outputs[0];
            lines.push(format!("@returns {} {}", output.name, results[0]));
            parameters.push(format!("{}?: Float64Array", output.name));
            "Float64Array"
        }
        Some(result) => {
            if !known.contains(result) {
                known.push(result.clone());
                let _ = writeln!(text, "export interface {result} {{");
                for (output, doc) in function.outputs.iter().zip(&results) {
                    let _ = writeln!(text, "    /** {doc} */\n    {}: Float64Array;", output.name);
                }
                text.push_str("}\n\n");
            }
            parameters.push(format!("out?: {result}"));
            result
        }
    };
    let lines: String = lines.iter().map(|line| format!(" * {line}").trim_end().to_owned() + "\n").collect();
    let _ = writeln!(
        text,
        "/**\n{lines} */\nexport function {}({}): {returned};\n",
        function.name,
        parameters.join(", ")
    );
}

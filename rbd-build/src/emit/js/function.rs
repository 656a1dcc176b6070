//! A function: its head, and its kernels in parts.

use super::body::Body;
use super::parts::parts;
use super::{Writer, spell};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::fused::FusedFunction;
use crate::search::plan::{Plan, Stage};
use crate::signatures::signature::{Output, Signature, Sizes};
use rbd_ir::kernel::Stmt;
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A function of the module: one of the table, or a fused one.
pub struct Function<'a> {
    /// Name that is exported, parameters and results. A single result is an array.
    pub signature: Signature,
    /// Kernels, one after the other.
    stages: &'a [Stage],
    /// Prefix of local names of results, which may have names that parameters have.
    of_result: &'static str,
}

/// A function's text, and the memory that all functions share.
#[derive(Debug, Default)]
pub struct Definition {
    /// Functions, and the memory and tables of each.
    pub text: String,
    /// Fixed text that is called.
    pub helpers: BTreeSet<Helper>,
    /// Values that pass from part to part.
    pub values: usize,
    /// Angles whose sines are computed at once.
    pub angles: usize,
}

impl<'a> Function<'a> {
    /// Function of a plan.
    pub fn of_plan(model: &Model<f64>, plan: &'a Plan) -> Self {
        let signature = Signature { name: spell::name(model, plan), ..plan.signature() };
        Self { signature, stages: &plan.stages, of_result: "" }
    }

    /// Fused function.
    pub fn of_fused(plan: &'a Plan<FusedFunction>) -> Self {
        Self { signature: plan.signature(), stages: &plan.stages, of_result: "out_" }
    }

    /// Arrays of arguments and results, by their local names, with their lengths.
    fn arrays(&self, sizes: Sizes) -> Vec<(String, usize)> {
        let length = |(rows, columns): (usize, usize)| rows * columns;
        let params =
            self.signature.params.iter().map(|p| (p.name.into(), length(p.kind.shape().extent(sizes))));
        let results = self
            .signature
            .outputs
            .iter()
            .map(|o| (format!("{}{}", self.of_result, o.name), length(o.shape.extent(sizes))));
        params.chain(results).collect()
    }

    /// Text of the function, with parts of at most the writer's `longest` statements.
    pub fn definition(&self, js: &Writer<'_>, sizes: Sizes) -> Definition {
        let (mut all, mut bodies) = (Definition::default(), Vec::new());
        for (k, Stage { scalar: version, .. }) in self.stages.iter().enumerate() {
            let body = Body {
                version,
                own: format!("_{}_{}", self.signature.name, k + 1),
                of_result: self.of_result,
            };
            all.text += &(body.memory() + &body.tables());
            let (parts, values) = parts(&version.kernel, js.longest);
            all.values = all.values.max(values);
            for part in parts {
                let Written { text, helpers } = body.text(&part);
                all.helpers.extend(helpers);
                bodies.push(indented(&text));
            }
            let angles = version.kernel.body.iter().map(|stmt| match stmt {
                Stmt::SinCos(angles) => angles.len(),
                _ => 0,
            });
            all.angles = angles.max().unwrap_or_default().max(all.angles);
        }
        let arrays = self.arrays(sizes);
        let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        // A part that is alone is the function itself.
        let body = if let [body] = &bodies[..] {
            body.clone()
        } else {
            let mut calls = String::new();
            for (k, body) in bodies.iter().enumerate() {
                let part = format!("_{}_part{}", self.signature.name, k + 1);
                let _ = write!(all.text, "function {part}({names}) {{\n{body}}}\n\n");
                let _ = writeln!(calls, "    {part}({names});");
            }
            calls
        };
        let _ =
            write!(all.text, "{}{body}    return {};\n}}\n\n", self.head(sizes, "", &[]), self.returned());
        all
    }

    /// Head of the function, and the checks of its arguments. Its name may have another end, and it more
    /// arguments before the results.
    pub fn head(&self, sizes: Sizes, end: &str, more: &[&str]) -> String {
        let name = format!("{}{end}", self.signature.name);
        let mut parameters: Vec<String> =
            self.signature.params.iter().map(|param| param.name.into()).collect();
        parameters.extend(more.iter().map(|name| (*name).to_owned()));
        let mut unpacked = String::new();
        if self.signature.result.is_some() {
            parameters.push(format!("out = {}", fresh(&self.signature.outputs, sizes)));
            let local = |o: &Output| match self.of_result {
                "" => o.name.to_owned(),
                prefix => format!("{}: {prefix}{}", o.name, o.name),
            };
            let locals: Vec<String> = self.signature.outputs.iter().map(local).collect();
            unpacked = format!("    const {{ {} }} = out;\n", locals.join(", "));
        } else {
            let output = &self.signature.outputs[0];
            parameters.push(format!("{} = {}", output.name, fresh_array(output, sizes)));
        }
        let mut text = format!("export function {name}({}) {{\n{unpacked}", parameters.join(", "));
        for (array, length) in self.arrays(sizes) {
            let _ = writeln!(text, "    _check(\"{name}: {array}\", {array}, {length});");
        }
        text
    }

    fn returned(&self) -> &str {
        if self.signature.result.is_some() { "out" } else { self.signature.outputs[0].name }
    }
}

/// A new array for a result.
fn fresh_array(output: &Output, sizes: Sizes) -> String {
    let (rows, columns) = output.shape.extent(sizes);
    format!("new Float64Array({})", rows * columns)
}

/// A new object for several results.
pub fn fresh(outputs: &[Output], sizes: Sizes) -> String {
    let made: Vec<String> =
        outputs.iter().map(|output| format!("{}: {}", output.name, fresh_array(output, sizes))).collect();
    format!("{{ {} }}", made.join(", "))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

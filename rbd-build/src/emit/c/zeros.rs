//! Forms of functions that leave structural zeros of results alone. Their names end in `_nonzeros`.
//!
//! A function and its form share a body, which writes no structural zero. The function writes the zeros
//! first, in runs, and the form checks that they are there. A function with few zeros has no such form.

use super::interface::{Form, Stages, all_names, arguments, forms, signature};
use super::spell::table;
use super::{Writer, run_time};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::text::extent;
use crate::search::plan::{Plan, Stage, Version};
use crate::signatures::signature::{Output, Signature, Sizes};
use crate::table::functions::Function;
use rbd_ir::kernel::Role;
use rbd_runtime::Model;
use std::fmt::Write;

/// End of the names of these forms, before `_with` and `_at`.
const END: &str = "_nonzeros";

/// Part of a result's matrices and tensors that must be left alone, or the form gains nothing.
///
/// Measured with HyQ, of whose `rnea_derivatives` 408 of 972 entries are zeros: the form takes a tenth less
/// time. With iiwa14, where 11 of 147 are, no difference was seen.
const LEAST: usize = 4;

/// Matrices and tensors with the runs of entries that a body leaves alone.
type Runs = Vec<(Output, Vec<(usize, usize)>)>;

/// True if a name is that of such a form.
pub(super) fn is_name(name: &str) -> bool {
    name.strip_suffix(END).is_some_and(|of| Function::ALL.iter().any(|function| function.name() == of))
}

/// Name, parameters and results of the form.
fn form_of(of: &Signature) -> Signature {
    Signature { name: format!("{}{END}", of.name), ..of.clone() }
}

/// Stages of a body that leaves zeros alone, with what it leaves.
struct Body {
    stages: Vec<Stage>,
    /// Zeros of the versions for every scalar.
    scalar: Runs,
    /// Zeros of the versions with limbs side by side.
    vectors: Runs,
}

impl Body {
    /// The body of a plan. `None` if it leaves few entries alone.
    fn of(plan: &Plan, sizes: Sizes) -> Option<Self> {
        let stages: Vec<Stage> = (0..plan.stages.len()).map(|k| plan.without_zeros(k)).collect();
        let scalar = unwritten(stages.iter().map(|stage| &stage.scalar));
        let vectors = unwritten(stages.iter().flat_map(Stage::fastest));
        let body = Self { stages, scalar, vectors };
        let (left, all) = (body.left(), entries(&plan.signature(), sizes));
        (left > 0 && LEAST * left >= all).then_some(body)
    }

    /// Number of entries that it leaves alone.
    fn left(&self) -> usize {
        self.scalar.iter().flat_map(|(_, runs)| runs).map(|(from, to)| to - from).sum()
    }
}

/// Number of entries of a function's matrices and tensors.
fn entries(of: &Signature, sizes: Sizes) -> usize {
    let matrices = of.outputs.iter().filter(|output| output.shape.leaves_zeros());
    matrices.map(|output| extent(output.shape, sizes)).sum()
}

/// Entries of matrices and tensors that these versions do not write.
fn unwritten<'a>(versions: impl Iterator<Item = &'a Version>) -> Runs {
    let runs = |version: &'a Version| {
        let matrices = version.outputs(Role::Out).filter(|(_, output)| output.shape.leaves_zeros());
        matrices.map(|(id, output)| (output, version.unwritten(id))).filter(|(_, runs)| !runs.is_empty())
    };
    let mut all: Runs = versions.flat_map(runs).collect();
    all.sort_by_key(|(output, _)| output.name);
    all
}

/// True if the function has the form.
pub(super) fn are_left_by(model: &Model<f64>, plan: &Plan) -> bool {
    Body::of(plan, Sizes::from(model)).is_some()
}

/// Writes documentation and declarations of the form, if the function has it.
pub(super) fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, plan: &Plan) {
    let (of, sizes) = (signature(model, plan), Sizes::from(model));
    let Some(body) = Body::of(plan, sizes) else { return };
    let _ = writeln!(
        text,
        "/* {}_{} that does not write the {} of {} entries which are zero in every state.\n \
         * Fill `{}` with zeros before the first call. */",
        c.prefix,
        of.name,
        body.left(),
        entries(&of, sizes),
        result(&of)
    );
    text.push_str(&c.declarations(sizes, &form_of(&of)));
    run_time::declarations_of(text, c, model, plan, form_of(&of));
}

fn result(of: &Signature) -> &'static str {
    if of.result.is_some() { "out" } else { of.outputs[0].name }
}

/// Definitions of a function and of its form, if it has one.
pub(super) fn definition(c: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> Option<Written> {
    let (sizes, of) = (Sizes::from(model), signature(model, plan));
    let body = Body::of(plan, sizes)?;
    let parameters = plan.function.takes_parameters(model);
    let stages = Stages::of(c, of.result.is_some(), &arguments(&of, parameters), &body.stages);
    let (prefix, result) = (c.prefix, result(&of));
    let name = |what: &str| format!("zeros_{what}_{}", of.name);
    let (write, are, apart) = (name("into"), name("are_in"), name("left_by"));
    let mut text = String::new();
    for (head, by) in [
        (format!("static void {prefix}_{write}({})", taken(c, sizes, &of, false)), cleared as By),
        (format!("RBD_PERHAPS_UNUSED\nstatic int {prefix}_{are}({})", taken(c, sizes, &of, true)), checked),
    ] {
        let [scalar, vectors] = [&body.scalar, &body.vectors].map(|runs| by(prefix, &of, runs));
        let block = match scalar == vectors {
            true => scalar,
            false => format!("#if RBD_VECTORS\n{vectors}#else\n{scalar}#endif\n"),
        };
        let _ = write!(text, "{head}\n{{\n{block}}}\n\n");
    }
    let apart = Signature { name: apart, ..of.clone() };
    let form = Form { given: true, parameters, defined: true, ..Form::default() };
    let _ = write!(text, "static {}\n{{\n{}}}\n\n", c.head(sizes, &apart, &form), stages.text);
    let mut names: Vec<&str> = parameters.then_some("parameters").into_iter().collect();
    names.extend(all_names(&of));
    let with = if parameters { "_with" } else { "" };
    let call = format!("    {prefix}_{}{with}_at({});\n", apart.name, names.join(", "));
    let before = [
        format!("    {prefix}_{write}({result});\n"),
        format!(
            "    RBD_ASSERT({prefix}_{are}({result}) && \"pass a result of zeros, or of an earlier call\");\n"
        ),
    ];
    for (of, before) in [of.clone(), form_of(&of)].iter().zip(before) {
        let body = before + &call;
        text.push_str(&forms(c, sizes, of, &body, &stages.coordinates, parameters));
    }
    let mut helpers = stages.helpers;
    helpers.insert(Helper::Zeros);
    Some(Written { text, helpers })
}

/// The result as a parameter.
fn taken(c: &Writer<'_>, sizes: Sizes, of: &Signature, is_read: bool) -> String {
    let constant = if is_read { "const " } else { "" };
    match &of.result {
        Some(result) => format!("{constant}{} *out", c.result_type(result)),
        None => {
            let output = of.outputs[0];
            format!("{constant}{} {}[{}]", c.real.name(), output.name, extent(output.shape, sizes))
        }
    }
}

/// Writes statements about the runs of a function of the robot with this prefix.
type By = fn(&str, &Signature, &Runs) -> String;

fn place(of: &Signature, output: Output) -> String {
    if of.result.is_some() { format!("out->{}", output.name) } else { output.name.into() }
}

/// Statements that write zeros.
fn cleared(_: &str, of: &Signature, all: &Runs) -> String {
    let mut text = unused(of, all);
    for (output, runs) in all {
        let place = place(of, *output);
        for (from, to) in runs {
            let _ = match to - from {
                1 => writeln!(text, "    {place}[{from}] = 0;"),
                _ => writeln!(text, "    for (int i = {from}; i < {to}; i++) {place}[i] = 0;"),
            };
        }
    }
    text
}

/// Statements that return whether the zeros are there.
fn checked(prefix: &str, of: &Signature, all: &Runs) -> String {
    let mut text = unused(of, all);
    let mut tests = Vec::new();
    for (output, runs) in all {
        let numbers: Vec<usize> = runs.iter().flat_map(|(from, to)| [*from, *to]).collect();
        let (name, place, count) = (output.name, place(of, *output), runs.len());
        let (length, numbers) = (numbers.len(), table(&numbers));
        let _ = writeln!(text, "    static const int runs_of_{name}[{length}] = {{\n        {numbers}}};");
        tests.push(format!("{prefix}_zeros_are_in({place}, runs_of_{name}, {count})"));
    }
    let tests = if tests.is_empty() { "1".into() } else { tests.join("\n        && ") };
    let _ = writeln!(text, "    return {tests};");
    text
}

/// A statement that reads the result, if nothing else does.
fn unused(of: &Signature, all: &Runs) -> String {
    if all.is_empty() { format!("    (void){};\n", result(of)) } else { String::new() }
}

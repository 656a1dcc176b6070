//! Fused functions in C: a struct of results and a function that fills it.

use super::interface::{GIVEN, indented, taken};
use super::spell::is_word;
use super::{Real, Writer, contacts, manifold, text};
use crate::emit::c_family::documentation::{param_doc, shown};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::spelling::{comment, names};
use crate::emit::c_family::text::{extent, length, wrapped};
use crate::emit::rust::described;
use crate::fused::{Fused, FusedPlan};
use crate::search::plan::Version;
use crate::table::signature::{Kind, Sizes};
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Reason why a fused function cannot have its name in C, if there is one. Rust reserves other names.
pub fn fault(real: Real, fused: &Fused) -> Option<String> {
    let method = fused.method();
    if let Some(field) = fused.entries().iter().map(|entry| entry.field()).find(|field| is_word(field)) {
        return Some(format!("`{field}` is a word of C or C++; call the result something else"));
    }
    let pieces =
        [text::HYPOT, text::ROWS, text::NEGATIVE, text::GRAM, text::FORWARD_HESSIAN, contacts::FUNCTIONS];
    let of_tables = method.starts_with("table_") || method.starts_with("hold_");
    let own = pieces.concat() + &manifold::pieces() + text::macros(real) + &text::sines(real);
    let of_robot = ["joints", "parameters", "given", "contact_settings", "pinocchio_q", "pinocchio_v"]
        .contains(&method.as_str());
    (of_robot || of_tables || names(&own, &format!("ROBOT_{method}")))
        .then(|| format!("there is another function `{method}` in C; call the result something else"))
}

/// Head of the function, with sines and cosines as arguments or without.
fn head(c: &Writer<'_>, sizes: Sizes, plan: &FusedPlan, given: bool, defined: bool) -> String {
    let (real, restrict) = (c.real.name(), if defined { "RBD_RESTRICT " } else { "" });
    let array = |name: &str, n: usize| format!("const {real} {name}[{restrict}{n}]");
    let mut parameters = Vec::new();
    for param in &plan.call.params {
        parameters.push(array(param.name, extent(param.kind.shape(), sizes)));
        if given && param.kind == Kind::Configuration {
            parameters.extend(GIVEN.map(|name| array(name, length(sizes.nq))));
        }
    }
    let method = plan.call.fused.method();
    parameters.push(format!("{} *{restrict}out", type_name(c, plan)));
    let at = if given { "_at" } else { "" };
    wrapped(&format!("void {}_{method}{at}({})", c.prefix, parameters.join(", ")))
}

fn type_name(c: &Writer<'_>, plan: &FusedPlan) -> String {
    format!("{}_{}_t", c.prefix, plan.call.fused.method())
}

/// Writes the struct and the declarations for the header.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, plan: &FusedPlan) {
    let (sizes, real, method) = (Sizes::from(model), c.real.name(), plan.call.fused.method());
    text.push_str("typedef struct {\n");
    for field in &plan.call.fields {
        let output = field.output;
        let _ = writeln!(
            text,
            "    {real} {}[{}]; /* {} {} */",
            output.name,
            extent(output.shape, sizes),
            shown(output.shape, sizes),
            comment(&described(field))
        );
    }
    let _ = writeln!(text, "}} {};\n", type_name(c, plan));
    let _ = writeln!(text, "/* Several quantities at once: what they have in common is computed once.\n *");
    for param in &plan.call.params {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(*param));
    }
    let count = plan.count();
    let _ = writeln!(
        text,
        " *\n * {} additions, {} multiplications, {} divisions, {} angles. */\n{};",
        count.adds,
        count.muls,
        count.divs,
        count.sin_cos,
        head(c, sizes, plan, false, false)
    );
    let _ = writeln!(
        text,
        "/* {}_{method} where sines and cosines are known. */\n{};\n",
        c.prefix,
        head(c, sizes, plan, true, false)
    );
}

/// Definition of the function, and of its form without sines and cosines.
pub fn definition(c: &Writer<'_>, model: &Model<f64>, plan: &FusedPlan) -> Written {
    let sizes = Sizes::from(model);
    let (mut texts, mut coordinates) = (Vec::<Written>::new(), BTreeSet::new());
    let mut blocks = |versions: &[&Version]| -> String {
        let of = |version: &&Version| {
            let body = c.body(true, version);
            coordinates.extend(body.coordinates());
            texts.push(body.text());
            texts.last().map(|body| format!("    {{\n{}    }}\n", indented(&body.text))).unwrap_or_default()
        };
        versions.iter().map(of).collect()
    };
    let scalar = blocks(&plan.scalar.iter().collect::<Vec<_>>());
    let limbs = blocks(&plan.limbs.iter().collect::<Vec<_>>());
    let stages = match plan.limbs.is_empty() {
        true => scalar,
        false => format!("#if RBD_VECTORS\n{limbs}#else\n{scalar}#endif\n"),
    };
    let mut arguments: Vec<&str> = Vec::new();
    for param in &plan.call.params {
        arguments.push(param.name);
        if param.kind == Kind::Configuration {
            arguments.extend(GIVEN);
        }
    }
    arguments.push("out");
    let mut unused = String::new();
    for name in &arguments {
        if !texts.iter().all(|body| names(&body.text, name)) {
            let _ = writeln!(unused, "    (void){name};");
        }
    }
    // If no sines are read, the arguments may point anywhere.
    let passed: Vec<&str> = arguments
        .iter()
        .map(|name| if coordinates.is_empty() && GIVEN.contains(name) { "q" } else { name })
        .collect();
    let mut helpers: BTreeSet<Helper> = texts.into_iter().flat_map(|body| body.helpers).collect();
    if !coordinates.is_empty() {
        helpers.insert(Helper::Sines);
    }
    let text = format!(
        "{}\n{{\n{unused}{stages}}}\n\n{}\n{{\n{}    {}_{}_at({});\n}}\n\n",
        head(c, sizes, plan, true, true),
        head(c, sizes, plan, false, true),
        taken(c, sizes, &coordinates),
        c.prefix,
        plan.call.fused.method(),
        passed.join(", ")
    );
    Written { text, helpers }
}

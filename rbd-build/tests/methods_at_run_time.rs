//! Methods and results of robots at run time are those of the table of functions.

use rbd_build::functions::{FUNCTIONS, Spec};
use rbd_build::signature::{Dim, Dims, Kind, Output};
use std::fmt::Write;
use std::path::Path;

/// Width of a line of documentation.
const WIDTH: usize = 105;

/// `rbd-jit/src/typed.rs` is the text of the table; `cargo xtask bless` writes it again.
#[test]
fn methods_are_the_tables() {
    let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rbd-jit/src/typed.rs");
    let text = text();
    if std::env::var_os("RBD_BLESS").is_some() {
        std::fs::write(&at, &text).expect("can be written");
    }
    let there = std::fs::read_to_string(&at).expect("is there");
    assert!(there == text, "{}: run `cargo xtask bless`", at.display());
}

fn text() -> String {
    let mut text = "\
//! A method for each function of the table, and a struct for each set of results.
// Written from the generator's table of functions. Do not edit: `cargo xtask bless` writes it again.

use crate::results::{Results, fit, states};
use crate::{Batch, Error, Id, Loaded, Number, ReferenceFrame, Workspace};
"
    .to_string();
    let mut structs: Vec<&str> = Vec::new();
    for spec in &FUNCTIONS {
        if let Some(name) = spec.result.filter(|name| !structs.contains(name)) {
            structs.push(name);
            result(&mut text, name, spec);
        }
    }
    text += "\n#[allow(clippy::too_many_arguments, reason = \"as many as the function has\")]\nimpl<T: Number> Loaded<T> {\n";
    let methods: Vec<String> = FUNCTIONS.iter().map(|spec| method(spec, false)).collect();
    text += &methods.join("\n");
    text += "}\n\n#[allow(clippy::too_many_arguments, reason = \"as many as the function has\")]\nimpl<T: Number> Batch<'_, T> {\n";
    let methods: Vec<String> = FUNCTIONS.iter().map(|spec| method(spec, true)).collect();
    text + &methods.join("\n") + "}\n"
}

/// Struct of several results.
fn result(text: &mut String, name: &str, spec: &Spec) {
    let makers = FUNCTIONS.iter().filter(|other| other.result == Some(name));
    let makers: Vec<String> = makers.map(|spec| format!("`{}`", spec.name)).collect();
    text.push('\n');
    doc(text, "", &format!("Results of {}.", makers.join(" and ")));
    text.push_str("///\n");
    doc(text, "", &format!("`{}`", spec.equation));
    let _ = writeln!(text, "#[derive(Clone, Debug, Default, PartialEq)]\npub struct {name}<T = f64> {{");
    for output in spec.outputs {
        doc(text, "    ", &described(output));
        let _ = writeln!(text, "    pub {}: Vec<T>,", output.name);
    }
    let fields =
        |of: &str| spec.outputs.iter().map(|o| format!("{of}{}", o.name)).collect::<Vec<_>>().join(", ");
    let n = spec.outputs.len();
    let _ = write!(
        text,
        "}}\n\nimpl<T> Results<T, {n}> for {name}<T> {{\n    fn all(&mut self) -> [&mut Vec<T>; {n}] {{\n        [{}]\n    }}\n}}\n",
        fields("&mut self.")
    );
}

/// A result in words: what it is, its shape and its unit.
fn described(output: &Output) -> String {
    let dim = |dim: Dim| match dim {
        Dim::Nq => "nq".to_string(),
        Dim::Nv => "nv".to_string(),
        Dim::Nb => "bodies".to_string(),
        Dim::Np => "parameters".to_string(),
        Dim::Nc => "contacts".to_string(),
        Dim::Nr => "rows".to_string(),
        Dim::Nf => "factors".to_string(),
        Dim::Fixed(n) => n.to_string(),
    };
    let shape = match output.shape {
        Dims::Scalar => "1".to_string(),
        Dims::Vector(rows) => dim(rows),
        Dims::Matrix(rows, columns) => format!("{} x {}, by columns", dim(rows), dim(columns)),
        Dims::Tensor(rows, columns, slices) => {
            format!("{} x {} x {}, matrices by columns", dim(rows), dim(columns), dim(slices))
        }
        Dims::Placement => "a rotation by columns, then a translation".to_string(),
        Dims::Placements(of) => format!("{} times a rotation by columns and a translation", dim(of)),
    };
    let mut words = output.doc.chars();
    let first: String = words.next().into_iter().flat_map(char::to_uppercase).collect();
    let what = format!("{first}{}", words.as_str());
    format!("{} ({shape}); {}.", what.trim_end_matches('.'), output.unit)
}

/// Method of a loaded robot, or of its batches.
fn method(spec: &Spec, is_batch: bool) -> String {
    let mut text = String::new();
    let pad = "    ";
    doc(&mut text, pad, spec.doc);
    text.push_str("    ///\n");
    doc(&mut text, pad, &format!("`{}`", spec.equation));
    text.push_str("    ///\n");
    for param in spec.params {
        let shape = match param.kind {
            Kind::Configuration => "nq",
            Kind::Tangent => "nv",
            Kind::Forces => "6 x bodies, by columns",
            Kind::Inertias => "10 x parameters, by columns",
            Kind::Gravity => "3",
        };
        doc(&mut text, pad, &format!("- `{}` ({shape}): {}.", param.name, param.doc));
    }
    if let Some(output) = spec.only_output() {
        doc(&mut text, pad, &format!("- `{}`: {}", output.name, described(&output)));
    }
    text.push_str("    ///\n    /// # Errors\n");
    let call = if is_batch { "Batch::call" } else { "Function::call" };
    doc(&mut text, pad, &format!("Those of [`{call}`](crate::{call}), and if the function was not loaded."));
    let (is_of_frame, has_reference) = (spec.function.is_of_frame(), spec.function.has_reference());
    let _ = writeln!(text, "    pub fn {}(\n        &self,", spec.name);
    if !is_batch {
        text.push_str("        workspace: &mut Workspace<T>,\n");
    }
    if is_of_frame {
        text.push_str("        frame: &str,\n");
    }
    if has_reference {
        text.push_str("        reference: ReferenceFrame,\n");
    }
    for param in spec.params {
        let _ = writeln!(text, "        {}: &[T],", param.name);
    }
    let results = match spec.result {
        Some(name) => {
            let _ = writeln!(text, "        out: &mut {name}<T>,");
            "&mut out.slices()".to_string()
        }
        None => {
            let _ = writeln!(text, "        {}: &mut [T],", spec.outputs[0].name);
            format!("&mut [{}]", spec.outputs[0].name)
        }
    };
    let robot = if is_batch { "self.robot()" } else { "self" };
    let function = if is_of_frame {
        let reference = if has_reference { "reference" } else { "ReferenceFrame::Local" };
        format!("{robot}.frame_function(\"{}\", frame, {reference})?", spec.name)
    } else {
        format!("{robot}.by_id(Id::{:?})?", spec.function)
    };
    let _ = writeln!(text, "    ) -> Result<(), Error> {{\n        let function = {function};");
    let params: Vec<&str> = spec.params.iter().map(|param| param.name).collect();
    let params = params.join(", ");
    if spec.result.is_some() {
        let states = if is_batch { "states(function, q)" } else { "1" };
        let _ = writeln!(text, "        fit(out, function, {states});");
    }
    let _ = if is_batch {
        writeln!(text, "        self.call(function, &[{params}], {results})")
    } else {
        writeln!(text, "        function.call(workspace, &[{params}], {results})")
    };
    text.push_str("    }\n");
    text
}

/// A paragraph of documentation, in lines of the width.
fn doc(text: &mut String, pad: &str, paragraph: &str) {
    // Lines of an item of a list are indented after its first.
    let next = if paragraph.starts_with("- ") { format!("{pad}///  ") } else { format!("{pad}///") };
    let mut line = format!("{pad}///");
    for word in paragraph.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line.clone_from(&next);
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

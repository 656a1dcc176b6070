//! Spelling of names, numbers and strings in JavaScript, safe for any names in a URDF.

use crate::emit::Asked;
use crate::emit::c_family::names;
use crate::emit::c_family::spelling::{Real, is_prefix};
use crate::emit::error::Error;
use crate::fused::Fused;
use crate::search::plan::Plan;
use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;
use rbd_runtime::Model;
use std::fmt::Write;

/// Words that cannot name a function of a module, and are no keywords of Rust.
const WORDS: [&str; 28] = [
    "arguments",
    "case",
    "catch",
    "class",
    "debugger",
    "default",
    "delete",
    "eval",
    "export",
    "finally",
    "function",
    "implements",
    "import",
    "instanceof",
    "interface",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "switch",
    "this",
    "throw",
    "undefined",
    "var",
    "void",
    "with",
];

/// Functions that every module has.
pub const MANIFOLD: [&str; 4] = ["neutral", "integrate", "difference", "interpolate"];

/// Checks the names of the module and of fused functions.
pub fn check(asked: &Asked<'_>) -> Result<(), Error> {
    let refused = |name, what| Err(Error::Option { name, what });
    if !is_prefix(asked.name) {
        let what = format!(
            "`{}` is no name for a module: write a letter of ASCII, then letters, digits and single `_`",
            asked.name
        );
        return refused("name", what);
    }
    let of_table = |method: &str| {
        asked.functions.iter().any(|(function, at)| method == name_of(asked.model, *function, *at))
    };
    let fault = |fused: &Fused| {
        let method = fused.method();
        let mut all = fused.entries().iter().map(|entry| entry.field()).chain([method.as_str()]);
        if let Some(name) = all.find(|name| !is_prefix(name)) {
            return Some(format!(
                "`{name}` is no name in JavaScript; write letters of ASCII, digits and single `_`"
            ));
        }
        if WORDS.contains(&method.as_str()) {
            return Some(format!("`{method}` is a word of JavaScript; call the result something else"));
        }
        (MANIFOLD.contains(&method.as_str()) || of_table(&method)).then(|| {
            format!("there is another function `{method}` in JavaScript; call the result something else")
        })
    };
    asked.fused.iter().find_map(fault).map_or(Ok(()), |what| refused("fused", what))
}

/// Name of a plan's function. A function of a frame begins with the frame's name.
pub fn name(model: &Model<f64>, plan: &Plan) -> String {
    name_of(model, plan.function, plan.frame)
}

fn name_of(model: &Model<f64>, function: Function, frame: Option<FrameAt>) -> String {
    let name = names::name_of(model, function, frame);
    // Frames may begin with a digit. No other name begins with `_` and a digit.
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// A number, in parentheses if it is negative.
pub fn number(x: f64) -> String {
    Real::F64.number(x)
}

/// A number as an item of a list, which may be infinite.
pub fn item(x: f64) -> String {
    match x {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        x => format!("{x:?}"),
    }
}

/// A string literal. Everything but plain characters is escaped, so that it is safe in HTML as well.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, ' '..='~') && !"\"\\<>&'`".contains(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out + "\""
}

/// Items of a list of integers, twenty a line.
pub fn table(numbers: impl IntoIterator<Item = usize>) -> String {
    let all: Vec<String> = numbers.into_iter().map(|x| x.to_string()).collect();
    all.chunks(20).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_they_should() {
        assert_eq!(
            string("a\"\\\n</script>\u{e9}\u{1f980}\u{2028}"),
            "\"a\\u0022\\u005c\\u000a\\u003c/script\\u003e\\u00e9\\ud83e\\udd80\\u2028\""
        );
        assert_eq!([item(f64::NEG_INFINITY), item(-0.5), number(-0.5)], ["-Infinity", "-0.5", "(-0.5)"]);
    }
}

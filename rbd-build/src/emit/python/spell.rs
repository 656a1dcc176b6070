//! Names and strings in Python, whatever a URDF calls things.

use std::fmt::Write;

/// Python's keywords, of all versions from 3.10 on, in lower case.
const KEYWORDS: [&str; 39] = [
    "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif",
    "else", "except", "false", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "lazy", "match", "none", "nonlocal", "not", "or", "pass", "raise", "return", "true", "try", "type",
    "while", "with", "yield",
];

/// A parameter's name, where it is a keyword with `_` behind it.
pub fn parameter(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.into() }
}

/// Why a module cannot have this name, if so.
pub fn module_fault(name: &str) -> Option<&'static str> {
    if !crate::emit::c_family::spelling::is_prefix(name) {
        return Some("is no name for a module: write a letter of ASCII, then letters, digits and single `_`");
    }
    if KEYWORDS.contains(&name.to_lowercase().as_str()) || syn::parse_str::<syn::Ident>(name).is_err() {
        return Some("is a keyword of Python or Rust; choose another name");
    }
    // What the module itself needs, and what it would hide from those who import it.
    if ["collections", "numpy", "std", "core", "alloc", "test"].contains(&name) {
        return Some("is a module that this one needs; choose another name");
    }
    None
}

/// A string literal: what is no plain character is escaped.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let _ = match (c, u32::from(c)) {
            ('"' | '\\', code) => write!(out, "\\x{code:02x}"),
            (' '..='~', _) => write!(out, "{c}"),
            (_, code @ ..=0xff) => write!(out, "\\x{code:02x}"),
            (_, code @ ..=0xffff) => write!(out, "\\u{code:04x}"),
            (_, code) => write!(out, "\\U{code:08x}"),
        };
    }
    out + "\""
}

/// For a comment or a documentation string: what could end it, or change how it reads, is replaced.
pub fn comment(text: &str) -> String {
    crate::emit::c_family::spelling::comment(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_they_should() {
        assert_eq!(
            string("a\"\\\n\u{e9}\u{202e}\u{1f980}\""),
            "\"a\\x22\\x5c\\x0a\\xe9\\u202e\\U0001f980\\x22\""
        );
    }

    #[test]
    fn modules_have_names_that_can_be_imported() {
        for name in ["iiwa14", "Panda", "go2_12dof"] {
            assert_eq!(module_fault(name), None, "{name}");
        }
        for name in ["", "7dof", "a b", "lambda", "None", "loop", "Self", "numpy", "a-b", "\u{e9}"] {
            assert!(module_fault(name).is_some(), "{name}");
        }
        assert_eq!(parameter("lambda"), "lambda_");
        assert_eq!(parameter("mu"), "mu");
    }
}

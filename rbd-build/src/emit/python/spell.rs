//! Spelling of names and strings in Python, safe for any names in a URDF.

use std::fmt::Write;

/// Keywords of Python in lower case, of all versions from 3.10 on.
const KEYWORDS: [&str; 39] = [
    "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif",
    "else", "except", "false", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "lazy", "match", "none", "nonlocal", "not", "or", "pass", "raise", "return", "true", "try", "type",
    "while", "with", "yield",
];

/// Name of a parameter. A keyword gets the suffix `_`.
pub fn parameter(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.into() }
}

/// Reason why a module cannot have a name, if there is one.
pub fn module_fault(name: &str) -> Option<&'static str> {
    if !crate::emit::c_family::spelling::is_prefix(name) {
        return Some("is no name for a module: write a letter of ASCII, then letters, digits and single `_`");
    }
    if KEYWORDS.contains(&name.to_lowercase().as_str()) || syn::parse_str::<syn::Ident>(name).is_err() {
        return Some("is a keyword of Python or Rust; choose another name");
    }
    // Modules that this one needs, or would hide from its users.
    if ["collections", "numpy", "std", "core", "alloc", "test"].contains(&name) {
        return Some("is a module that this one needs; choose another name");
    }
    None
}

/// A string literal. Special characters are escaped.
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

/// Text made safe for a comment or docstring: characters that could end or alter it are replaced.
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

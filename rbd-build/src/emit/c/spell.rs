//! Spelling of strings and tables in C, and reserved words.

use std::fmt::Write;

/// Words that cannot name a field: macros of included headers, and keywords of C and C++ that Rust lacks.
const WORDS: [&str; 70] = [
    "NAN",
    "INFINITY",
    "NULL",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "constexpr",
    "decltype",
    "default",
    "delete",
    "double",
    "dynamic_cast",
    "errno",
    "explicit",
    "export",
    "float",
    "friend",
    "goto",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "restrict",
    "short",
    "signed",
    "sizeof",
    "static_assert",
    "static_cast",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "xor",
    "xor_eq",
];

/// Headers of C's standard library. A robot's header must not hide one.
const HEADERS: [&str; 24] = [
    "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math",
    "setjmp", "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "tgmath",
    "time", "wchar", "wctype",
];

/// True if a struct cannot have a field of this name.
pub fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// True if a robot's header of this name would hide one of the standard library.
pub fn is_header(prefix: &str) -> bool {
    HEADERS.contains(&prefix)
}

/// String literal for `const char *`. Special bytes become octal escapes.
///
/// Escapes always have three digits, so that a digit after them does not join.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        // A question mark may begin a trigraph.
        let plain = byte.is_ascii_graphic() && !b"\"\\?".contains(&byte) || byte == b' ';
        if plain {
            out.push(byte.into());
        } else {
            let _ = write!(out, "\\{byte:03o}");
        }
    }
    out + "\""
}

/// Numbers of a table, twenty a line.
pub fn table(numbers: &[usize]) -> String {
    let lines =
        numbers.chunks(20).map(|line| line.iter().map(usize::to_string).collect::<Vec<_>>().join(", "));
    lines.collect::<Vec<_>>().join(",\n        ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_they_should() {
        assert_eq!(string("a\"\\\n??/1\u{e9}"), "\"a\\042\\134\\012\\077\\077/1\\303\\251\"");
    }
}

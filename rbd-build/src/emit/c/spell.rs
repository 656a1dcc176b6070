//! Spelling of strings and tables in C, and words that C keeps for itself.

use std::fmt::Write;

/// Words that cannot name a field: keywords of C and C++ that are none of Rust, and macros of the headers that are included.
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

/// Headers of the standard library of C, which a robot's own may not hide.
const HEADERS: [&str; 24] = [
    "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math",
    "setjmp", "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "tgmath",
    "time", "wchar", "wctype",
];

/// Whether a struct cannot have a field of this name.
pub fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// Whether a robot's header of this name would be taken for one of the standard library.
pub fn is_header(prefix: &str) -> bool {
    HEADERS.contains(&prefix)
}

/// An initialiser of `const char *`: a string literal, in which every byte that is no plain character is written in
/// octal, always with three digits, so that no digit after it joins it.
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

/// Numbers of a table, some a line.
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

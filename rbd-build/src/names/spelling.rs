//! Legal Rust names from whatever a file is called.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// `ur5_robot` becomes `Ur5Robot`: a capital at the start and after whatever is not a letter or digit.
/// The result is a legal type name, whatever the input.
pub fn upper_camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut capital = true;
    for c in name.chars() {
        if !unicode_ident::is_xid_continue(c) || c == '_' {
            capital = true;
        } else if capital {
            out.extend(c.to_uppercase());
            capital = false;
        } else {
            out.push(c);
        }
    }
    if !out.chars().next().is_some_and(unicode_ident::is_xid_start) {
        out.insert_str(0, "Robot");
    }
    // The one keyword that starts with a capital.
    if out == "Self" {
        out.push('_');
    }
    out
}

/// Snake case: `WholeBody` becomes `whole_body`, `LF_FOOT` becomes `lf_foot`.
///
/// A run of other characters than letters and digits becomes one `_`. A capital after a small
/// letter or a digit begins a word.
pub fn snake_case(name: &str) -> String {
    let (mut out, mut small) = (String::new(), false);
    for c in name.chars() {
        if !unicode_ident::is_xid_continue(c) || c == '_' {
            if !out.ends_with('_') {
                out.push('_');
            }
            small = false;
            continue;
        }
        if c.is_uppercase() && small {
            out.push('_');
        }
        small = !c.is_uppercase();
        out.extend(c.to_lowercase());
    }
    out.trim_matches('_').to_owned()
}

/// The name with as many `X` appended as make it new: different names of the URDF may be equal in
/// Rust.
pub fn distinct(mut name: String, is_known: impl Fn(&str) -> bool) -> String {
    while is_known(&name) {
        name.push('X');
    }
    name
}

/// Returns whether this is a legal name of a field, a function or a type, and no keyword. `rt` is
/// reserved: generated code names its runtime so.
pub fn legal_name(name: &str) -> bool {
    let is_name = syn::parse_str::<syn::Ident>(name).is_ok_and(|parsed| parsed == name);
    is_name && !name.starts_with("r#") && !["gen", "rt", "_"].contains(&name)
}

/// The text with static lifetime, for the array names of kernels. It leaks one string for each name
/// in lists of fused functions.
pub fn interned(name: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    // A set of texts is whole whoever panicked meanwhile.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    known.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::{interned, legal_name, snake_case, upper_camel_case};

    #[test]
    fn snakes() {
        for (name, expected) in [
            ("Step", "step"),
            ("WholeBody", "whole_body"),
            ("LF_FOOT", "lf_foot"),
            ("tool0", "tool0"),
            ("my tip.2", "my_tip_2"),
            ("iiwa7Step", "iiwa7_step"),
            ("--", ""),
        ] {
            assert_eq!(snake_case(name), expected);
        }
        assert!(legal_name("Step") && !legal_name("loop") && !legal_name("") && !legal_name("a b"));
        assert!(std::ptr::eq(interned("of_tool0"), interned(&format!("of_{}", "tool0"))));
    }

    #[test]
    fn any_file_name_gives_a_legal_type_name() {
        for (name, expected) in [
            ("iiwa14", "Iiwa14"),
            ("ur5_robot", "Ur5Robot"),
            ("my robot.v2", "MyRobotV2"),
            ("7dof-arm", "Robot7dofArm"),
            ("self", "Self_"),
            ("", "Robot"),
            ("--", "Robot"),
            ("élan", "Élan"),
            ("a\"; compile_error!(\"x", "ACompileErrorX"),
            ("ßs", "SSs"),
        ] {
            assert_eq!(upper_camel_case(name), expected);
        }
    }
}

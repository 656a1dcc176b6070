//! Checks of names of fused functions in a Python module.

use super::spell;
use crate::emit::c_family::spelling::is_prefix;
use crate::fused::Fused;
use crate::table::functions::{CONTACT_FUNCTIONS, FUNCTIONS};

/// Functions, classes and modules of every package, and items that Rust needs there.
const TAKEN: [&str; 9] = [
    "CoordinateOrder",
    "Joint",
    "Mimic",
    "call",
    "contact_rows",
    "contents",
    "default_gravity",
    "default_inertia",
    "joint_names",
];

/// Reason why a fused function cannot have its name in Python, if there is one.
///
/// Names in Rust are checked elsewhere.
pub fn fused_fault(fused: &Fused) -> Option<String> {
    let (method, class) = (fused.method(), fused.name());
    let fields = fused.entries().iter().map(|entry| entry.field());
    for name in fields.chain([method.as_str(), class]) {
        if !is_prefix(name) || spell::parameter(name) != name || name == "None" {
            return Some(format!(
                "`{name}` is no name in Python; write letters of ASCII, digits and single `_`, and no keyword"
            ));
        }
    }
    let classes = FUNCTIONS.iter().filter_map(|spec| spec.result);
    let of_contacts = CONTACT_FUNCTIONS.iter().filter_map(|spec| spec.result);
    let mut taken = TAKEN.into_iter().chain(of_contacts).chain(classes);
    let name = taken.find(|taken| *taken == method || *taken == class)?;
    Some(format!("there is another `{name}` in Python; call the result something else"))
}

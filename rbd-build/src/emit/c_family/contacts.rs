//! Numbers of contacts: a macro for each.

use super::spelling::{comment, prefix};
use crate::names::distinct;
use crate::signatures::frames::ContactAt;
use rbd_runtime::ContactKind;
use std::fmt::Write;

/// Writes the number of each contact, such as `HYQ_CONTACT_LF_FOOT`.
///
/// `is_taken` is true of words that may not follow `HYQ_CONTACT_`.
pub fn numbers(text: &mut String, guard: &str, contacts: &[ContactAt], is_taken: impl Fn(&str) -> bool) {
    let (mut known, mut row) = (Vec::<String>::new(), 0);
    let begin = format!("{guard}_CONTACT_");
    for (k, contact) in contacts.iter().enumerate() {
        let name = format!("{begin}{}", prefix(&contact.name).to_uppercase());
        let name =
            distinct(name, |name| known.iter().any(|known| known == name) || is_taken(&name[begin.len()..]));
        let kind = match (contact.kind, contact.second) {
            (ContactKind::Point, None) => "a point",
            (ContactKind::Plane, None) => "a plane",
            (ContactKind::Point, Some(_)) => "a closed loop, two points that coincide",
            (ContactKind::Plane, Some(_)) => "a closed loop, two frames that coincide",
        };
        let end = row + contact.kind.rows();
        let _ = writeln!(
            text,
            "#define {name} {k} /* {}: {kind}, rows {row} to {} */",
            comment(&contact.name),
            end - 1
        );
        known.push(name);
        row = end;
    }
}

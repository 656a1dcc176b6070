//! Verilog-2001 text of circuits, pipelines and their test benches.
//!
//! Only numbers of a URDF enter the text. Names of joints or links cannot be mistaken for Verilog.

pub(crate) mod bench;
mod control;
mod kept;
pub(crate) mod module;
mod pipeline;
mod units;

/// Identifier in Verilog: lower case, with `_` between words. The prefix `rbd` avoids keywords.
pub(crate) fn identifier(name: &str) -> String {
    let mut out = String::from("rbd");
    let mut previous = '_';
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        let apart = out == "rbd" || (c.is_ascii_uppercase() && previous.is_ascii_lowercase()) || c == '_';
        if apart && !out.ends_with('_') {
            out.push('_');
        }
        if c != '_' {
            out.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    out.trim_end_matches('_').to_owned()
}

/// Bits of numbers below `n`, at least one.
fn width(n: usize) -> usize {
    (usize::BITS - n.saturating_sub(1).leading_zeros()).max(1) as usize
}

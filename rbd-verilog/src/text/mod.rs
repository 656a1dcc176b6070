//! Verilog-2001: the text of a circuit, of a pipeline, and of their test benches.
//!
//! The URDF contributes numbers only: no name of a joint or a link can be taken for Verilog.

pub(crate) mod bench;
mod control;
mod kept;
pub(crate) mod module;
mod pipeline;
mod units;

/// A name in Verilog: in lower case, words apart, and none of its keywords.
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

/// Bits that numbers below `n` have; at least one.
fn width(n: usize) -> usize {
    (usize::BITS - n.saturating_sub(1).leading_zeros()).max(1) as usize
}

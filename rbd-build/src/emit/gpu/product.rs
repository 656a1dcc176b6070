//! Products of matrices whose entries are far apart in memory.
//!
//! Loops run over columns and rows. Sums are unrolled, so that a column of the right factor stays in
//! registers.

use crate::emit::c_family::spelling::Real;
use rbd_ir::kernel::ArrayId;
use rbd_ir::products::{ColumnGroup, Product, ProductKind};
use std::fmt::Write;

/// Most numbers of the right factor that a thread keeps in registers.
const MOST_KEPT: usize = 96;

/// Writes the statements. `entry` spells an entry from its array and an index expression.
pub fn product(
    text: &mut String,
    real: Real,
    product: &Product,
    rows: usize,
    entry: impl Fn(ArrayId, &str) -> String,
) {
    for group in &product.groups {
        self::group(text, real, product.kind, group, rows, &entry);
    }
}

fn group(
    text: &mut String,
    real: Real,
    kind: ProductKind,
    group: &ColumnGroup,
    rows: usize,
    entry: &impl Fn(ArrayId, &str) -> String,
) {
    let mut terms: Vec<usize> = group.blocks.iter().flat_map(|block| block.terms()).collect();
    terms.sort_unstable();
    terms.dedup();
    let (first, end) = group.columns;
    // Columns computed together. Each entry of the left factor is read once for all of them.
    let fits = |width: &usize| (end - first).is_multiple_of(*width) && width * terms.len() <= MOST_KEPT;
    let width = [3, 2].into_iter().find(fits).unwrap_or(1);
    let (left, result) = match kind {
        ProductKind::Negative { a, x } => (a, x),
        ProductKind::Gram { g, out, .. } => (g, out),
    };
    let number = real.name();
    let _ = writeln!(text, "RBD_NOT_UNROLLED\nfor (int c = {first}; c < {end}; c += {width}) {{");
    for column in 0..width {
        for &k in &terms {
            let value = match kind {
                ProductKind::Negative { x, .. } => {
                    format!("-{}", entry(x, &format!("(c + {column}) * {rows} + {k}")))
                }
                ProductKind::Gram { g, d, .. } => {
                    format!(
                        "{} * {}",
                        entry(g, &format!("{} + c", k * rows + column)),
                        entry(d, &k.to_string())
                    )
                }
            };
            let _ = writeln!(text, "    const {number} t{column}_{k} = {value};");
        }
    }
    for block in &group.blocks {
        let (from, to) = block.rows;
        // Rows wait for memory together: on an H200 up to ten times as fast as one after the other
        // (docs/gpu.md).
        let _ = writeln!(text, "    RBD_UNROLLED\n    for (int r = {from}; r < {to}; r++) {{");
        for column in 0..width {
            let _ = writeln!(text, "        {number} sum{column} = {};", real.number(0.0));
        }
        for k in block.terms() {
            let value = entry(left, &format!("{} + r", k * rows));
            let _ = writeln!(text, "        const {number} a{k} = {value};");
            for column in 0..width {
                let _ = writeln!(text, "        sum{column} = RBD_FMA(a{k}, t{column}_{k}, sum{column});");
            }
        }
        for column in 0..width {
            let to = entry(result, &format!("(c + {column}) * {rows} + r"));
            let _ = match kind {
                ProductKind::Negative { .. } => writeln!(text, "        {to} = sum{column};"),
                // Entries above the diagonal are mirrored.
                ProductKind::Gram { .. } => {
                    let mirror = entry(result, &format!("r * {rows} + c + {column}"));
                    writeln!(
                        text,
                        "        if (r >= c + {column}) {{ {to} = sum{column}; {mirror} = sum{column}; }}"
                    )
                }
            };
        }
        text.push_str("    }\n");
    }
    text.push_str("}\n");
}

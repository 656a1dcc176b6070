//! Tables of products' nonzero terms, which loops read.

use rbd_ir::products::ColumnGroup;

/// Integers that loops over products read.
///
/// For each group: its first column, the one after its last, and the number of its blocks. For each block:
/// its first row, the one after its last, the number of its runs of terms, and the first and the end of each.
pub fn numbers(groups: &[ColumnGroup]) -> Vec<usize> {
    let mut numbers = Vec::new();
    for group in groups {
        numbers.extend([group.columns.0, group.columns.1, group.blocks.len()]);
        for block in &group.blocks {
            numbers.extend([block.rows.0, block.rows.1, block.terms.len()]);
            numbers.extend(block.terms.iter().flat_map(|run| [run.0, run.1]));
        }
    }
    numbers
}

//! Large results are filled block by block, before the first store to a block.

use super::body::Body;
use super::loops::has_any;
use rbd_ir::kernel::{ArrayId, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Length of a result above which it is filled block by block, and largest block, in numbers.
///
/// A first-level cache holds few results of that length, besides other data.
/// Entries filled long before their store would have to be fetched again.
const FILLED_AT_ONCE: usize = 2048;
const BLOCK: usize = 512;

/// Arrays that are filled block by block: the value, and the blocks not yet filled.
pub(super) type Fills = BTreeMap<ArrayId, (f64, BTreeSet<usize>)>;

impl Body<'_> {
    /// Registers an array to be filled block by block. Returns false if it is too short for that.
    pub(super) fn fills_in_blocks(&self, array: ArrayId, with: f64) -> bool {
        let decl = self.version.kernel.array(array);
        let pays = decl.len() > FILLED_AT_ONCE && !has_any(&self.version.kernel);
        if pays {
            let blocks = decl.columns.div_ceil(self.block(array));
            self.fills.borrow_mut().insert(array, (with, (0..blocks).collect()));
        }
        pays
    }

    /// Columns in a block of an array.
    fn block(&self, array: ArrayId) -> usize {
        (BLOCK / self.version.kernel.array(array).rows.max(1)).max(1)
    }

    /// Fills the block of an entry, unless it is filled.
    pub(super) fn fill_around(&self, text: &mut String, at: Place) {
        let rows = self.version.kernel.array(at.array).rows;
        let block = at.index as usize / rows / self.block(at.array);
        let mut fills = self.fills.borrow_mut();
        if let Some((with, blocks)) = fills.get_mut(&at.array)
            && blocks.remove(&block)
        {
            self.fill_block(text, at.array, block, *with);
        }
    }

    /// Fills the blocks without stores.
    pub(super) fn fill_rest(&self, text: &mut String) {
        for (array, (with, blocks)) in self.fills.take() {
            for block in blocks {
                self.fill_block(text, array, block, with);
            }
        }
    }

    fn fill_block(&self, text: &mut String, array: ArrayId, block: usize, with: f64) {
        let (decl, width) = (self.version.kernel.array(array), self.block(array));
        let (name, rows, from) = (decl.name, decl.rows, block * width);
        let (to, zero) = ((from + width).min(decl.columns), self.constant(with));
        // `get_mut`, since an index could panic.
        let _ = writeln!(
            text,
            "if let rt::Some(columns) = to_{name}.get_mut({from}..{to}) {{ columns.fill([{zero}; {rows}]); }}"
        );
    }
}

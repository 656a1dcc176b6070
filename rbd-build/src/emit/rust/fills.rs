//! Large results are filled block by block, where they are first stored to, and not as a whole at first.

use super::body::Body;
use super::loops::has_any;
use crate::kernel::{ArrayId, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Numbers of a result beyond which it is filled block by block, and those of a block at most: a first-level cache holds few
/// results of such a size beside what else is read, and what was filled first would be fetched again to be stored to.
const FILLED_AT_ONCE: usize = 2048;
const BLOCK: usize = 512;

/// Arrays that are filled block by block, with what, and the blocks that are not yet.
pub(super) type Fills = BTreeMap<ArrayId, (f64, BTreeSet<usize>)>;

impl Body<'_> {
    /// Notes that an array is to be filled block by block, where that is so.
    pub(super) fn fills_in_blocks(&self, array: ArrayId, with: f64) -> bool {
        let decl = self.version.kernel.array(array);
        let pays = decl.len() > FILLED_AT_ONCE && !has_any(&self.version.kernel);
        if pays {
            let blocks = decl.columns.div_ceil(self.block(array));
            self.fills.borrow_mut().insert(array, (with, (0..blocks).collect()));
        }
        pays
    }

    /// Columns of an array that are filled together.
    fn block(&self, array: ArrayId) -> usize {
        (BLOCK / self.version.kernel.array(array).rows.max(1)).max(1)
    }

    /// Fills the block that an entry is in, unless that is done.
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

    /// Fills the blocks that nothing is stored to.
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
        // Not by index: nothing that could panic.
        let _ = writeln!(
            text,
            "if let rt::Some(columns) = to_{name}.get_mut({from}..{to}) {{ columns.fill([{zero}; {rows}]); }}"
        );
    }
}

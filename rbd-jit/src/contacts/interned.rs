//! Descriptions of products with a static lifetime, as the runtime borrows them.
//!
//! One copy of each is leaked. They follow from a robot's tree and contacts alone.

use rbd_build::products;
use rbd_runtime::linalg::{ColumnGroup, RowBlock};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Copies with a static lifetime, by the keys that they were made of.
struct Interned<K, V: ?Sized + 'static>(Mutex<BTreeMap<K, &'static V>>);

impl<K: Ord + Clone, V: ?Sized> Interned<K, V> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn get(&self, of: K, make: impl FnOnce(K) -> Box<V>) -> &'static V {
        // A map is whole whoever panicked meanwhile.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&of) {
            return known;
        }
        let made = Box::leak(make(of.clone()));
        known.insert(of, made);
        made
    }
}

/// First coordinates, and those after the last.
type Runs = Vec<(usize, usize)>;

/// Runs of coordinates.
pub(super) fn runs(of: Runs) -> &'static [(usize, usize)] {
    static KNOWN: Interned<Runs, [(usize, usize)]> = Interned::new();
    KNOWN.get(of, Vec::into_boxed_slice)
}

/// Groups of columns of a product.
pub(super) fn groups(of: Vec<products::ColumnGroup>) -> &'static [ColumnGroup<'static>] {
    static KNOWN: Interned<Vec<products::ColumnGroup>, [ColumnGroup<'static>]> = Interned::new();
    let block = |block: products::RowBlock| RowBlock { rows: block.rows, terms: runs(block.terms) };
    let group = |group: products::ColumnGroup| {
        let blocks: Box<[RowBlock<'static>]> = group.blocks.into_iter().map(block).collect();
        ColumnGroup { columns: group.columns, blocks: Box::leak(blocks) }
    };
    KNOWN.get(of, |of| of.into_iter().map(group).collect())
}

//! A concurrent memo table.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Memo table: each value is computed once, by the first thread that asks.
///
/// Other threads wait for that value only if they ask for the same key.
#[derive(Debug)]
pub(super) struct Memo<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Memo<K, V> {
    /// Value of a key, computed by `find` if it is new.
    pub(super) fn get(&self, key: K, find: impl FnOnce() -> V) -> V {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = all.entry(key).or_default().clone();
        drop(all);
        one.get_or_init(find).clone()
    }
}

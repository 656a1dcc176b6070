//! What several threads ask for and one of them finds.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What was found so far. Who asks for what another thread is looking for waits, and others do not.
#[derive(Debug)]
pub(super) struct Once<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Once<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Once<K, V> {
    /// What is found by `find`, or was before.
    pub(super) fn get(&self, key: K, find: impl FnOnce() -> V) -> V {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = all.entry(key).or_default().clone();
        drop(all);
        one.get_or_init(find).clone()
    }
}

//! The lock of an imported pool, over imports of any type: the models in `tests/models` run it.

use std::collections::HashMap;
use std::hash::Hash;

use crate::drop_hook::Postponed;
use crate::lock::lock;
use crate::sync::{Arc, Condvar, Mutex, Weak};

/// The imports that are open or are just being freed, by what identifies them. At most one of each exists.
#[derive(Debug)]
pub(crate) struct Imports<K, V> {
    open: Mutex<HashMap<K, Weak<V>>>,
    /// Notified when an import has been freed.
    given_back: Condvar,
}

impl<K: Eq + Hash, V> Imports<K, V> {
    pub(crate) fn new() -> Self {
        Self { open: Mutex::new(HashMap::new()), given_back: Condvar::new() }
    }

    /// Returns the import of a key. If there is none, makes one.
    pub(crate) fn get_or_import<E>(&self, key: K, import: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let mut open = lock(&self.open);
        while let Some(import) = open.get(&key) {
            if let Some(import) = import.upgrade() {
                return Ok(import);
            }
            // Another thread is freeing this import. That free would unmap a new import too.
            open = open.wait(&self.given_back);
        }
        let import = Arc::new(import()?);
        open.insert(key, Arc::downgrade(&import));
        Ok(import)
    }

    /// Frees the import of a key, which was made here and which nothing holds any more.
    pub(crate) fn give_back<T>(&self, key: &K, free: impl FnOnce() -> T) -> T {
        // A drop hook that opens the pointer would wait in `get_or_import` for this very free.
        let _postponed = Postponed::new();
        let freed = free();
        lock(&self.open).remove(key);
        self.given_back.notify_all();
        freed
    }
}

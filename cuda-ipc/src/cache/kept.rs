//! The locks of the cache, over imports of any type: the models in `tests/models` run them.

use std::hash::Hash;
use std::ops::Deref;

use lru::LruCache;

use crate::fork;
use crate::lock::{lock, try_lock};
use crate::sync::{Arc, AtomicUsize, Mutex, MutexGuard, Ordering, PoisonError, fence};

/// An import, which its drop closes.
pub(crate) trait Import {
    /// Returns how many bytes it maps.
    fn size(&self) -> usize;
}

/// Imports that stay open within a budget. An import is idle if only this value holds it.
///
/// When all calls have returned, either the imports are within the budget or none is idle.
#[derive(Debug)]
pub(crate) struct Kept<K: Eq + Hash, V> {
    budget: usize,
    /// Held while an import is opened or closed: drivers return an error if two threads open one handle at the same
    /// time. A drop hook that calls the cache meanwhile would wait for its own thread, so it runs afterwards.
    opening: Mutex<()>,
    imports: Mutex<LruCache<K, Arc<V>>>,
    /// The sum of the sizes of the imports.
    bytes: AtomicUsize,
}

impl<K: Copy + Eq + Hash, V: Import> Kept<K, V> {
    pub(crate) fn new(budget: usize) -> Self {
        let imports = Mutex::new(LruCache::unbounded());
        Self { budget, opening: Mutex::new(()), imports, bytes: AtomicUsize::new(0) }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the import of a key. If there is none, opens it while no other is opened or closed.
    pub(crate) fn get_or_open<E>(
        self: &Arc<Self>,
        key: &K,
        open: impl FnOnce() -> Result<V, E>,
    ) -> Result<InUse<K, V>, E> {
        if let Some(import) = self.find(key) {
            return Ok(self.in_use(import));
        }
        let import = self.alone(|| {
            // Another thread may have opened it in the meantime.
            if let Some(import) = self.find(key) {
                return Ok(import);
            }
            let import = Arc::new(open()?);
            let mut imports = self.imports();
            self.bytes.fetch_add(import.size(), Ordering::Relaxed);
            imports.push(*key, Arc::clone(&import));
            drop(imports);
            drop(self.take_idle_above(self.budget));
            Ok(import)
        })?;
        Ok(self.in_use(import))
    }

    /// Opens an import that is not kept.
    pub(crate) fn open_once<E>(self: &Arc<Self>, open: impl FnOnce() -> Result<V, E>) -> Result<InUse<K, V>, E> {
        Ok(self.in_use(Arc::new(self.alone(open)?)))
    }

    /// Closes the idle ones of the imports that `which` selects. The others are closed when their last use ends. Returns
    /// whether there were any.
    pub(crate) fn forget(&self, which: impl Fn(&K) -> bool) -> bool {
        self.alone(|| !self.take(|key, _| which(key)).is_empty())
    }

    /// Closes idle imports, least recently used first, until at most `bytes` bytes are kept.
    pub(crate) fn trim_to(&self, bytes: usize) {
        self.alone(|| drop(self.take_idle_above(bytes)));
    }

    /// Removes the imports that `which` selects, to which it passes whether they are idle. The caller closes them by
    /// dropping the result, inside the function that opens an import.
    pub(crate) fn take(&self, which: impl Fn(&K, bool) -> bool) -> Vec<Arc<V>> {
        let mut imports = self.imports();
        let keys: Vec<_> =
            imports.iter().filter(|(key, import)| which(key, is_idle(import))).map(|(key, _)| *key).collect();
        self.pop(&mut imports, keys)
    }

    fn in_use(self: &Arc<Self>, import: Arc<V>) -> InUse<K, V> {
        InUse { import: Some(import), kept: Arc::clone(self) }
    }

    fn imports(&self) -> MutexGuard<'_, LruCache<K, Arc<V>>> {
        self.imports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &K) -> Option<Arc<V>> {
        self.imports().get(key).cloned()
    }

    /// Runs a function that opens or closes imports, while no other thread does.
    fn alone<T>(&self, run: impl FnOnce() -> T) -> T {
        let opening = lock(&self.opening);
        let result = run();
        drop(opening);
        self.keep_to_budget();
        result
    }

    /// Closes idle imports above the budget, unless another thread is opening or closing some. That thread then does it:
    /// it calls this function after it has unlocked `opening`, so it sees everything that this thread saw under the lock
    /// of the imports.
    fn keep_to_budget(&self) {
        // One thread has ended a use and reads the sum, another has raised the sum and reads whether the use has ended.
        // Between the two fences, one of them sees what the other did. Shuttle does not check this.
        fence(Ordering::SeqCst);
        while self.has_idle_above_budget() {
            let Some(_opening) = try_lock(&self.opening) else { return };
            drop(self.take_idle_above(self.budget));
        }
    }

    fn has_idle_above_budget(&self) -> bool {
        // Most ends of a use take no lock.
        self.bytes() > self.budget && self.imports().iter().any(|(_, import)| is_idle(import))
    }

    /// Removes idle imports, least recently used first, until at most `bytes` bytes are kept.
    fn take_idle_above(&self, bytes: usize) -> Vec<Arc<V>> {
        let mut imports = self.imports();
        let mut excess = self.bytes().saturating_sub(bytes);
        let mut keys = Vec::new();
        for (key, import) in imports.iter().rev() {
            if excess == 0 {
                break;
            }
            if is_idle(import) {
                excess = excess.saturating_sub(import.size());
                keys.push(*key);
            }
        }
        self.pop(&mut imports, keys)
    }

    /// Removes imports. Their drop closes them, so it must not happen under the lock that a hit needs.
    fn pop(&self, imports: &mut LruCache<K, Arc<V>>, keys: Vec<K>) -> Vec<Arc<V>> {
        let taken: Vec<_> = keys.iter().filter_map(|key| imports.pop(key)).collect();
        self.bytes.fetch_sub(taken.iter().map(|import| import.size()).sum(), Ordering::Relaxed);
        taken
    }
}

/// Returns whether only the cache holds an import. Under the lock of the imports, none that is idle gets a new use.
fn is_idle<V>(import: &Arc<V>) -> bool {
    Arc::strong_count(import) == 1
}

/// An import that is not closed before this value is dropped.
#[derive(Debug)]
pub(crate) struct InUse<K: Copy + Eq + Hash, V: Import> {
    /// `None` only after the drop has begun.
    import: Option<Arc<V>>,
    kept: Arc<Kept<K, V>>,
}

impl<K: Copy + Eq + Hash, V: Import> Deref for InUse<K, V> {
    type Target = V;

    fn deref(&self) -> &V {
        self.import.as_ref().expect("the drop has not begun")
    }
}

impl<K: Copy + Eq + Hash, V: Import> Drop for InUse<K, V> {
    fn drop(&mut self) {
        drop(self.import.take());
        if !fork::is_child() {
            self.kept.keep_to_budget();
        }
    }
}

//! An explicit cache, which keeps imported memory mapped.
//!
//! Opening memory costs tens of microseconds on one GPU and up to 10 milliseconds across GPUs. Finding it in a
//! [`Cache`] costs tens of nanoseconds. The cache keeps an import under its exporter and the generation of the
//! allocation. If the imports exceed the budget, the cache closes those that are not in use, least recently used first.
#![allow(unsafe_code)] // Opens handles of other processes.

mod key;

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::lock::{Locked, lock, try_lock};
use crate::memory::DeviceMemory;
use crate::parcel::{ImportedMemory, Parcel};
use crate::sys::CUresult;
use crate::ticket::Ticket;
use crate::vmm::Access;
use crate::{Context, Error, ExporterIdentity, fork};
use key::{Allocation, access};

/// A cache that keeps imports of other processes' memory mapped, within a budget. Clones refer to the same cache,
/// and threads may share it.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    budget: usize,
    /// Held while an import is opened or closed: drivers return an error if two threads open one handle at the same
    /// time. A drop hook that calls the cache meanwhile would wait for its own thread, so it runs afterwards.
    opening: Mutex<()>,
    kept: Mutex<LruCache<Key, Arc<ImportedMemory>>>,
    /// The sum of the sizes of the imports in `kept`.
    bytes: AtomicUsize,
}

/// An allocation, its access, and the address of the context that it is mapped for. The context lives as long as the
/// mapping.
type Key = (Allocation, Access, usize);

impl Cache {
    /// Creates a cache that keeps at most `budget` bytes mapped. Imports that are in use stay mapped even above the
    /// budget.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        let kept = Mutex::new(LruCache::unbounded());
        Self(Arc::new(Shared { budget, opening: Mutex::new(()), kept, bytes: AtomicUsize::new(0) }))
    }

    /// Opens a parcel as [`Parcel::open`] does, or returns what the cache already has of the same allocation in the
    /// same context.
    ///
    /// If the exporter has reused an address that is still mapped here, the driver returns `ALREADY_MAPPED`. The cache
    /// then closes all imports from the exporter's process that are not in use, and tries once more. It also forgets an
    /// import that is stale because the same handle now names a later allocation.
    ///
    /// The cache does not keep memory under a lease ([`Parcel::lease`]), because the exporter waits until the import is
    /// closed.
    ///
    /// # Errors
    /// As [`Parcel::open`].
    ///
    /// # Safety
    /// As [`Parcel::open`], for as long as the cache keeps the memory: nothing else in this process opens memory of a pool
    /// that the cache has open. Before the exporter frees the memory, it must
    /// ask its importers to [`forget`](Cache::forget) it, or to end.
    pub unsafe fn open(&self, context: &Context, parcel: &Parcel) -> Result<CachedMemory, Error> {
        // First of all: in a forked child, a lock that another thread of the parent held is never released.
        fork::check()?;
        let import = if parcel.tenancy.is_some() {
            let _opening = self.0.opening();
            // SAFETY: the caller makes the same promise.
            Arc::new(unsafe { parcel.open(context)? })
        } else {
            let key = (Allocation::of(&parcel.ticket), access(&parcel.ticket), context.raw().addr());
            match self.0.find(&key) {
                Some(import) => import,
                // SAFETY: the caller makes the same promise.
                None => unsafe { self.open_and_keep(context, parcel, key)? },
            }
        };
        let memory = import.part(&parcel.ticket)?;
        Ok(CachedMemory { memory, import: Some(import), cache: self.clone() })
    }

    /// # Safety
    /// As [`Cache::open`].
    unsafe fn open_and_keep(&self, context: &Context, parcel: &Parcel, key: Key) -> Result<Arc<ImportedMemory>, Error> {
        let _opening = self.0.opening();
        // Another thread may have opened it in the meantime.
        if let Some(import) = self.0.find(&key) {
            return Ok(import);
        }
        drop(self.0.take(|(allocation, ..), _| allocation.is_outdated_by(&key.0)));
        // SAFETY: the caller makes the same promise.
        let import = match unsafe { parcel.open(context) } {
            Err(error) if error.code() == Some(CUresult::CUDA_ERROR_ALREADY_MAPPED) => {
                let is_idle = |import: &Arc<_>| Arc::strong_count(import) == 1;
                drop(self.0.take(|(allocation, ..), import| {
                    allocation.exporter.process == key.0.exporter.process && is_idle(import)
                }));
                // SAFETY: the caller makes the same promise.
                unsafe { parcel.open(context)? }
            }
            opened => opened?,
        };
        let import = Arc::new(import);
        self.0.bytes.fetch_add(import.whole().size(), Ordering::Relaxed);
        self.0.kept().push(key, Arc::clone(&import));
        drop(self.0.take_idle_above(self.0.budget));
        Ok(import)
    }

    /// Forgets an allocation. An exporter asks its importers for this before it frees the memory. Returns whether the
    /// cache had an import of the allocation.
    ///
    /// The import is closed at once if it is not in use, otherwise when its last use ends.
    pub fn forget(&self, ticket: &Ticket) -> bool {
        let forgotten = Allocation::of(ticket);
        self.forget_all(|allocation| *allocation == forgotten)
    }

    /// Forgets all memory of an exporter, for example because its process has ended. Returns whether the cache had any.
    ///
    /// Imports that are not in use are closed at once. The others are closed when their last use ends.
    pub fn forget_exporter(&self, exporter: &ExporterIdentity) -> bool {
        self.forget_all(|allocation| allocation.exporter == *exporter)
    }

    fn forget_all(&self, is_of: impl Fn(&Allocation) -> bool) -> bool {
        if fork::is_child() {
            return false;
        }
        let _opening = self.0.opening();
        !self.0.take(|(allocation, ..), _| is_of(allocation)).is_empty()
    }

    /// Closes imports that are not in use, least recently used first, until at most `bytes` bytes are mapped.
    pub fn trim_to(&self, bytes: usize) {
        if fork::is_child() {
            return;
        }
        let _opening = self.0.opening();
        drop(self.0.take_idle_above(bytes));
    }

    /// Returns how many bytes the cache keeps mapped, in use or not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn opening(&self) -> Locked<'_, ()> {
        lock(&self.opening)
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<Key, Arc<ImportedMemory>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &Key) -> Option<Arc<ImportedMemory>> {
        self.kept().get(key).cloned()
    }

    /// Removes the imports that `which` selects from the cache. The caller closes them by dropping the result, while it
    /// holds no lock that a hit needs.
    fn take(&self, which: impl Fn(&Key, &Arc<ImportedMemory>) -> bool) -> Vec<Arc<ImportedMemory>> {
        let mut kept = self.kept();
        let keys: Vec<_> = kept.iter().filter(|(key, import)| which(key, import)).map(|(key, _)| *key).collect();
        self.pop(&mut kept, keys)
    }

    /// Removes imports that are not in use, least recently used first, until at most `bytes` bytes are kept.
    fn take_idle_above(&self, bytes: usize) -> Vec<Arc<ImportedMemory>> {
        let mut kept = self.kept();
        let mut excess = self.bytes.load(Ordering::Relaxed).saturating_sub(bytes);
        let mut keys = Vec::new();
        for (key, import) in kept.iter().rev() {
            if excess == 0 {
                break;
            }
            if Arc::strong_count(import) == 1 {
                excess = excess.saturating_sub(import.whole().size());
                keys.push(*key);
            }
        }
        self.pop(&mut kept, keys)
    }

    fn pop(&self, kept: &mut LruCache<Key, Arc<ImportedMemory>>, keys: Vec<Key>) -> Vec<Arc<ImportedMemory>> {
        let taken: Vec<_> = keys.iter().filter_map(|key| kept.pop(key)).collect();
        self.bytes.fetch_sub(taken.iter().map(|import| import.whole().size()).sum(), Ordering::Relaxed);
        taken
    }
}

/// The part of another process's memory that was shared, mapped in this process. It stays mapped as long as this value
/// lives, and the cache may keep it mapped after that.
#[derive(Debug)]
pub struct CachedMemory {
    memory: DeviceMemory,
    /// `None` only after the drop has begun.
    import: Option<Arc<ImportedMemory>>,
    cache: Cache,
}

impl Deref for CachedMemory {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}

impl Drop for CachedMemory {
    fn drop(&mut self) {
        drop(self.import.take());
        if self.cache.bytes() <= self.cache.0.budget || fork::is_child() {
            return;
        }
        // If another thread holds the lock to open memory, that thread enforces the budget afterwards.
        if let Some(_opening) = try_lock(&self.cache.0.opening) {
            drop(self.cache.0.take_idle_above(self.cache.0.budget));
        }
    }
}

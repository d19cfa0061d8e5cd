//! Imports that stay mapped: an explicit cache.
//!
//! To open memory costs tens of microseconds on one GPU and up to 10 milliseconds across GPUs, to find it in a
//! [`Cache`] tens of nanoseconds. What was opened is kept, by exporter and generation of the allocation, until the
//! budget is used up; then what was used least recently, and by nobody now, is closed.
#![allow(unsafe_code)] // Opens what other processes made.

mod key;

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::memory::DeviceMemory;
use crate::parcel::{ImportedMemory, Parcel};
use crate::sys::CUresult;
use crate::ticket::Ticket;
use crate::{Context, Error, ProcessIdentity, fork};
use key::Allocation;

/// Imports of other processes' memory, kept mapped under a budget. Clones are the same cache, and threads may share it.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    budget: usize,
    /// Held while something is opened or closed: a driver fails threads that open one handle at the same time.
    opening: Mutex<()>,
    kept: Mutex<LruCache<Key, Arc<ImportedMemory>>>,
    /// The sum of the sizes of what is kept.
    bytes: AtomicUsize,
}

/// An allocation, and the address of the context that it is mapped for, which lives as long as the mapping.
type Key = (Allocation, usize);

impl Cache {
    /// A cache that keeps no more than so many bytes mapped, apart from what is in use.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        let kept = Mutex::new(LruCache::unbounded());
        Self(Arc::new(Shared { budget, opening: Mutex::new(()), kept, bytes: AtomicUsize::new(0) }))
    }

    /// [`Parcel::open`], or what is there already of the same allocation in the same context.
    ///
    /// Where the driver says `ALREADY_MAPPED`, since the exporter uses an address again that is still mapped here, what
    /// nobody uses of this exporter is closed, and it is tried once more. What was opened of an earlier allocation by
    /// the same handle is stale, and forgotten.
    ///
    /// Memory under a lease ([`Parcel::lease`]) is not kept: its exporter waits for the end of its use.
    ///
    /// # Errors
    /// As [`Parcel::open`].
    ///
    /// # Safety
    /// As [`Parcel::open`], for as long as the cache keeps the memory: before the exporter frees it, it asks its
    /// importers to [`forget`](Cache::forget) it, or to end.
    pub unsafe fn open(&self, context: &Context, parcel: &Parcel) -> Result<CachedMemory, Error> {
        // First of all: in a child another thread of the parent may hold a lock for ever.
        fork::check()?;
        let import = if parcel.tenancy.is_some() {
            let _opening = self.0.opening();
            // SAFETY: the caller's promise is the same.
            Arc::new(unsafe { parcel.open(context)? })
        } else {
            let key = (Allocation::of(&parcel.ticket), context.raw().addr());
            match self.0.find(&key) {
                Some(import) => import,
                // SAFETY: the caller's promise is the same.
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
        // Another thread may have been quicker.
        if let Some(import) = self.0.find(&key) {
            return Ok(import);
        }
        drop(self.0.take(|(allocation, _), _| allocation.is_outdated_by(&key.0)));
        // SAFETY: the caller's promise.
        let import = match unsafe { parcel.open(context) } {
            Err(error) if error.code() == Some(CUresult::CUDA_ERROR_ALREADY_MAPPED) => {
                let is_idle = |import: &Arc<_>| Arc::strong_count(import) == 1;
                drop(self.0.take(|(allocation, _), import| allocation.exporter == key.0.exporter && is_idle(import)));
                // SAFETY: the caller's promise.
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

    /// Forget an allocation, as its exporter asks before it frees it: whether there was something to forget. It is
    /// closed at once, or with its last use.
    pub fn forget(&self, ticket: &Ticket) -> bool {
        let forgotten = Allocation::of(ticket);
        self.forget_all(|allocation| allocation.is_same_memory(&forgotten))
    }

    /// Forget all memory of a process, for example since it has ended: whether there was something to forget. It is
    /// closed at once, or with its last use.
    pub fn forget_exporter(&self, exporter: &ProcessIdentity) -> bool {
        self.forget_all(|allocation| allocation.exporter == *exporter)
    }

    fn forget_all(&self, is_of: impl Fn(&Allocation) -> bool) -> bool {
        if fork::is_child() {
            return false;
        }
        let _opening = self.0.opening();
        !self.0.take(|(allocation, _), _| is_of(allocation)).is_empty()
    }

    /// Close what nobody uses, least recently used first, until no more than so many bytes are mapped.
    pub fn trim_to(&self, bytes: usize) {
        if fork::is_child() {
            return;
        }
        let _opening = self.0.opening();
        drop(self.0.take_idle_above(bytes));
    }

    /// How many bytes are kept mapped, in use or not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn opening(&self) -> MutexGuard<'_, ()> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<Key, Arc<ImportedMemory>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &Key) -> Option<Arc<ImportedMemory>> {
        self.kept().get(key).cloned()
    }

    /// Keep these no longer. They are closed by whoever drops the answer, without a lock that a hit needs.
    fn take(&self, which: impl Fn(&Key, &Arc<ImportedMemory>) -> bool) -> Vec<Arc<ImportedMemory>> {
        let mut kept = self.kept();
        let keys: Vec<_> = kept.iter().filter(|(key, import)| which(key, import)).map(|(key, _)| *key).collect();
        self.pop(&mut kept, keys)
    }

    /// The same of the least recently used that nobody uses, until only so many bytes are kept.
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

/// Memory of another process, mapped here: the part of it that was shared. It stays mapped as long as this value, and
/// in the cache after that.
#[derive(Debug)]
pub struct CachedMemory {
    memory: DeviceMemory,
    /// Taken when it is dropped, and only then.
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
        // Whoever opens something meanwhile sees to the budget afterwards.
        if let Ok(_opening) = self.cache.0.opening.try_lock() {
            drop(self.cache.0.take_idle_above(self.cache.0.budget));
        }
    }
}

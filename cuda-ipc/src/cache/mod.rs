//! An explicit cache, which keeps imported memory mapped.
//!
//! Opening memory costs tens of microseconds on one GPU and up to 10 milliseconds across GPUs. Finding it in a
//! [`Cache`] costs tens of nanoseconds. The cache keeps an import under its exporter and the generation of the
//! allocation. If the imports exceed the budget, the cache closes those that are not in use, least recently used first.
#![allow(unsafe_code)] // Opens handles of other processes.

mod kept;
mod key;

use std::ops::Deref;
use std::sync::Arc;

use crate::memory::DeviceMemory;
use crate::parcel::{ImportedMemory, Parcel};
use crate::sys::CUresult;
use crate::ticket::Ticket;
use crate::vmm::Access;
use crate::{Context, Error, ExporterIdentity, fork};
use kept::{Import, InUse, Kept};
use key::{Allocation, access};

/// A cache that keeps imports of other processes' memory mapped, within a budget. Clones refer to the same cache,
/// and threads may share it.
///
/// The ticket alone names what is found again. So a peer that knows another exporter's identity can send a forged ticket
/// first, and its own memory then stands for the other's. Use one cache for exporters that trust each other, or sealed
/// tickets (feature `mac`).
///
/// Closing an import waits for the work of its device. Meanwhile, threads that open what is not open yet wait too.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Kept<Key, ImportedMemory>>);

/// An allocation, its access, and the address of the context that it is mapped for. The context lives as long as the
/// mapping.
type Key = (Allocation, Access, usize);

impl Cache {
    /// Creates a cache that keeps at most `budget` bytes mapped. Imports that are in use stay mapped even above the
    /// budget.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self(Arc::new(Kept::new(budget)))
    }

    /// Opens a parcel as [`Parcel::open`] does. If the cache already has the allocation open in this context, the
    /// result is a part of that import.
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
    /// The promises of [`Parcel::open`], for as long as the cache keeps the memory. In particular, nothing else in this
    /// process opens memory of a pool that the cache has open. Before the exporter frees the memory, it must ask its
    /// importers to [`forget`](Cache::forget) it, or to end.
    pub unsafe fn open(&self, context: &Context, parcel: &Parcel) -> Result<CachedMemory, Error> {
        // First of all: in a forked child, a lock that another thread of the parent held is never released.
        fork::check()?;
        let import = if parcel.tenancy.is_some() {
            // SAFETY: the caller makes the same promise.
            self.0.open_once(|| unsafe { parcel.open(context) })?
        } else {
            let key = (Allocation::of(&parcel.ticket), access(&parcel.ticket), context.raw().addr());
            // SAFETY: the caller makes the same promise.
            self.0.get_or_open(&key, || unsafe { self.open_new(context, parcel, &key.0) })?
        };
        let part = import.part(&parcel.ticket)?;
        Ok(CachedMemory { part, import })
    }

    /// Maps a parcel as [`Parcel::map`] does, and keeps the import as [`Cache::open`] does. It needs no promise.
    ///
    /// If the cache already has the memory mapped in this context, it uses only the ticket. So a program can close the
    /// parcel's descriptors after the first call, and ask the exporter for the parcel again once this call returns
    /// [`Error::Descriptors`].
    ///
    /// # Errors
    /// As [`Parcel::map`].
    pub fn map(&self, context: &Context, parcel: &Parcel) -> Result<CachedMemory, Error> {
        parcel.require_descriptors()?;
        // SAFETY: the descriptors decide which memory it is, and the kernel keeps it. A ticket that names other memory of
        // the cache gives a part of that import, within its bounds and with its access.
        unsafe { self.open(context, parcel) }
    }

    /// # Safety
    /// As [`Cache::open`].
    unsafe fn open_new(
        &self,
        context: &Context,
        parcel: &Parcel,
        opened: &Allocation,
    ) -> Result<ImportedMemory, Error> {
        drop(self.0.take(|(allocation, ..), _| allocation.is_outdated_by(opened)));
        // SAFETY: the caller makes the same promise.
        match unsafe { parcel.open(context) } {
            Err(error) if error.code() == Some(CUresult::CUDA_ERROR_ALREADY_MAPPED) => {
                let is_of_the_process =
                    |allocation: &Allocation| allocation.exporter.process == opened.exporter.process;
                drop(self.0.take(|(allocation, ..), is_idle| is_of_the_process(allocation) && is_idle));
                // SAFETY: the caller makes the same promise.
                unsafe { parcel.open(context) }
            }
            opened => opened,
        }
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
        !fork::is_child() && self.0.forget(|(allocation, ..)| is_of(allocation))
    }

    /// Closes imports that are not in use, least recently used first, until at most `bytes` bytes are mapped.
    pub fn trim_to(&self, bytes: usize) {
        if !fork::is_child() {
            self.0.trim_to(bytes);
        }
    }

    /// Returns how many bytes the cache keeps mapped, in use or not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl Import for ImportedMemory {
    fn size(&self) -> usize {
        self.whole().size()
    }
}

/// The part of another process's memory that was shared, mapped in this process. It stays mapped as long as this value
/// lives, and the cache may keep it mapped after that.
#[derive(Debug)]
pub struct CachedMemory {
    /// `None` if the whole allocation was shared. A hit then has no context to count a reference to.
    part: Option<DeviceMemory>,
    import: InUse<Key, ImportedMemory>,
}

impl Deref for CachedMemory {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        self.part.as_ref().unwrap_or_else(|| self.import.whole())
    }
}

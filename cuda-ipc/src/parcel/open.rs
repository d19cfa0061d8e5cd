//! Opens parcels in the importer.
#![allow(unsafe_code)] // Opens handles of other processes.

use std::ops::Deref;
use std::os::fd::AsFd as _;

use crate::ipc::{ImportedBuffer, ImportedEvent};
use crate::liveness::Tenancy;
use crate::memory::DeviceMemory;
use crate::parcel::Parcel;
use crate::pool::{ImportedPool, ImportedPoolBuffer};
use crate::ticket::{Chunks, Handle, PhysicalMemory, PoolHandle, PoolPointer, Ticket};
use crate::vmm::{Access, ImportedAllocation, Mapping, Physical};
use crate::{Context, Driver, Error, ExporterIdentity, fork};

/// The part of another process's memory that was shared, mapped in this process.
#[derive(Debug)]
pub struct ImportedMemory {
    memory: DeviceMemory,
    /// Dropped before the lease on it, which is the next field.
    mapping: Imported,
    tenancy: Option<Tenancy>,
}

/// The mapping, by the way in which the memory was imported.
#[derive(Debug)]
enum Imported {
    Legacy(ImportedBuffer),
    Virtual(Mapping),
    Pool(ImportedPoolBuffer),
}

impl Imported {
    fn whole(&self) -> &DeviceMemory {
        match self {
            Self::Legacy(buffer) => buffer,
            Self::Virtual(mapping) => mapping,
            Self::Pool(buffer) => buffer,
        }
    }
}

impl Parcel {
    /// `cuIpcOpenMemHandle`, `cuMemImportFromShareableHandle`, `cuMemPoolImportPointer`: maps the shared memory, of any
    /// kind, and holds its lease as long as it is mapped.
    ///
    /// The parcel can be opened again afterwards.
    ///
    /// # Errors
    /// [`Error::OwnTicket`] in the process that exported the memory; [`Error::OtherTicket`] if the ticket is for an
    /// event; [`Error::OutOfBounds`] if the memory is smaller than the ticket says; [`Error::UnknownPool`] if the
    /// parcel comes without its pool and the pool is not open here; [`Error::Descriptors`] if a descriptor is missing;
    /// [`Error::Refused`] with the driver's error code.
    ///
    /// # Safety
    /// Another process decides what the ticket means, and the driver trusts it. The caller promises that
    /// - a process of this machine (or, for fabric handles, of this fabric) made the ticket with this crate;
    /// - the ticket was sealed, or came over a transport that nobody else can write to;
    /// - that process does not free the memory before the returned value is closed or dropped. It can ensure this by
    ///   waiting for a lease ([`Parcel::lease`]);
    /// - work that was given [`DeviceMemory::pointer`] is complete before the value is closed or dropped;
    /// - if it is memory of a pool, nothing else in this process has it open meanwhile: no [`ImportedPool`] of the
    ///   caller's, no other library and no raw call. The driver returns one address for all imports of it, and the first
    ///   close of any of them unmaps it. Other parcels that are opened with this crate share one import.
    ///
    /// Virtual memory shared by descriptors needs no such promises: see [`Parcel::map`].
    #[doc(alias = "cuIpcOpenMemHandle")]
    #[doc(alias = "cuMemImportFromShareableHandle")]
    #[doc(alias = "cuMemPoolImportPointer")]
    pub unsafe fn open(&self, context: &Context) -> Result<ImportedMemory, Error> {
        // First of all: in a forked child, a lock that another thread of the parent held is never released.
        fork::check()?;
        let ticket = &self.ticket;
        self.refuse_own()?;
        let mapping = match &ticket.handle {
            // SAFETY: the caller promises that the handle is valid.
            Handle::LegacyMemory(handle) => Imported::Legacy(unsafe { ImportedBuffer::open(context, handle)? }),
            Handle::PhysicalMemory(memory) => {
                // SAFETY: the caller promises that the handles are valid.
                let chunks = unsafe { self.chunks(context, memory)? };
                Imported::Virtual(map(context, &chunks, memory)?)
            }
            Handle::PoolPointer(pointer) => {
                // SAFETY: the caller promises pool and pointer.
                Imported::Pool(unsafe { self.pool(context, pointer)?.open(context, &pointer.pointer)? })
            }
            Handle::Event(_) => return Err(Error::OtherTicket { found: "an event", wanted: "memory" }),
        };
        let tenancy = self.tenancy.as_ref().map(Tenancy::try_clone).transpose()?;
        let memory = part(mapping.whole(), ticket)?;
        Ok(ImportedMemory { memory, mapping, tenancy })
    }

    /// `cuMemImportFromShareableHandle`, `cuMemMap`: maps virtual memory that was shared by descriptors.
    ///
    /// This is [`Parcel::open`] without promises: the kernel knows which memory a descriptor refers to, and the memory
    /// lives as long as the mapping, whatever the exporter does.
    ///
    /// # Errors
    /// As [`Parcel::open`]; [`Error::OtherTicket`] if the ticket is for anything else.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    #[doc(alias = "cuMemMap")]
    pub fn map(&self, context: &Context) -> Result<ImportedMemory, Error> {
        self.require_descriptors()?;
        // SAFETY: the descriptors decide which memory it is, whatever the ticket says; sizes are checked.
        unsafe { self.open(context) }
    }

    /// Refuses everything but virtual memory that was shared by descriptors.
    pub(crate) fn require_descriptors(&self) -> Result<(), Error> {
        match &self.ticket.handle {
            Handle::PhysicalMemory(PhysicalMemory { chunks: Chunks::Descriptors(_), .. }) => Ok(()),
            handle => Err(Error::OtherTicket { found: name(handle), wanted: "virtual memory by descriptors" }),
        }
    }

    /// `cuDeviceGetUuid`, `cuDevicePrimaryCtxRetain`: returns the primary context of the device that the memory or the
    /// event is on. The device is found by its UUID, because two processes may number the devices differently.
    ///
    /// # Errors
    /// [`Error::DeviceNotVisible`] if this process does not see the device: then open the memory in a context of
    /// another device that can reach it; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDeviceGetUuid")]
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn context(&self) -> Result<Context, Error> {
        let uuid = self.ticket.device;
        let device = Driver::get()?.device_by_uuid(uuid)?;
        Context::primary(device.ok_or(Error::DeviceNotVisible { uuid })?)
    }

    /// `cuIpcOpenEventHandle`: opens the event that was shared.
    ///
    /// # Errors
    /// [`Error::OwnTicket`] in the process that exported the event; [`Error::OtherTicket`] if the ticket is for memory;
    /// [`Error::Refused`] with the driver's error code.
    ///
    /// # Safety
    /// As [`ImportedEvent::open`].
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open_event(&self, context: &Context) -> Result<ImportedEvent, Error> {
        self.refuse_own()?;
        match &self.ticket.handle {
            // SAFETY: the caller promises that the handle is valid.
            Handle::Event(handle) => unsafe { ImportedEvent::open(context, handle) },
            handle => Err(Error::OtherTicket { found: name(handle), wanted: "an event" }),
        }
    }

    /// Refuses this process's own tickets. The driver itself would refuse only legacy handles.
    fn refuse_own(&self) -> Result<(), Error> {
        if self.ticket.is_from(&ExporterIdentity::current()?) { Err(Error::OwnTicket) } else { Ok(()) }
    }

    /// # Safety
    /// Fabric handles are those that the driver gave the exporting process.
    unsafe fn chunks(&self, context: &Context, memory: &PhysicalMemory) -> Result<Vec<ImportedAllocation>, Error> {
        let driver = context.driver();
        match &memory.chunks {
            Chunks::Descriptors(chunks) => chunks
                .iter()
                .map(|chunk| {
                    let descriptor =
                        self.descriptors.get(usize::from(chunk.handle)).ok_or_else(|| self.incomplete())?;
                    ImportedAllocation::import(driver, descriptor.as_fd(), bytes(chunk.size)?)
                })
                .collect(),
            Chunks::Fabric(chunks) => chunks
                .iter()
                .map(|chunk| {
                    let size = bytes(chunk.size)?;
                    // SAFETY: the caller promises that the handle is valid.
                    unsafe { ImportedAllocation::import_fabric(driver, &chunk.handle, size) }
                })
                .collect(),
        }
    }

    /// Returns the ticket's pool, which may already be open through another ticket.
    ///
    /// # Safety
    /// A fabric handle is the one that the driver gave the exporting process.
    unsafe fn pool(&self, context: &Context, pointer: &PoolPointer) -> Result<ImportedPool, Error> {
        let device = context.device();
        let pool = ImportedPool::known((self.ticket.exporter, pointer.pool), || match &pointer.pool_handle {
            Some(PoolHandle::Descriptor(index)) => {
                let descriptor = self.descriptors.get(usize::from(*index)).ok_or_else(|| self.incomplete())?;
                ImportedPool::import(device, descriptor.as_fd())
            }
            // SAFETY: the caller promises that the handle is valid.
            Some(PoolHandle::Fabric(handle)) => unsafe { ImportedPool::import_fabric(device, handle) },
            None => Err(Error::UnknownPool { pool: pointer.pool }),
        })?;
        // The pool's own device already has access, which cannot be set.
        if device.uuid()? != self.ticket.device {
            pool.set_access(device, Access::ReadWrite)?;
        }
        Ok(pool)
    }

    fn incomplete(&self) -> Error {
        Error::Descriptors { found: self.descriptors.len(), wanted: self.ticket.descriptor_count() }
    }
}

fn map(context: &Context, chunks: &[ImportedAllocation], memory: &PhysicalMemory) -> Result<Mapping, Error> {
    let chunks: Vec<&Physical> = chunks.iter().map(|chunk| &**chunk).collect();
    Mapping::new(context, &chunks, memory.access)
}

/// Returns the part of a mapping that a ticket shares. The mapping may be smaller than the ticket says.
fn part(whole: &DeviceMemory, ticket: &Ticket) -> Result<DeviceMemory, Error> {
    let (offset, length) = (bytes(ticket.offset)?, bytes(ticket.length)?);
    whole.sub(offset, length)
}

/// Converts a number of bytes to `usize`. Fails if this machine cannot address so many.
fn bytes(number: u64) -> Result<usize, Error> {
    usize::try_from(number).map_err(|_| Error::OutOfBounds { offset: 0, length: usize::MAX, size: usize::MAX })
}

const fn name(handle: &Handle) -> &'static str {
    match handle {
        Handle::LegacyMemory(_) => "legacy memory",
        Handle::Event(_) => "an event",
        Handle::PhysicalMemory(PhysicalMemory { chunks: Chunks::Descriptors(_), .. }) => {
            "virtual memory by descriptors"
        }
        Handle::PhysicalMemory(PhysicalMemory { chunks: Chunks::Fabric(_), .. }) => "virtual memory by fabric handles",
        Handle::PoolPointer(_) => "memory of a pool",
    }
}

impl ImportedMemory {
    /// Returns the whole mapping.
    pub(crate) fn whole(&self) -> &DeviceMemory {
        self.mapping.whole()
    }

    /// Returns the part of the mapping that another ticket shares, or `None` if it shares the whole.
    pub(crate) fn part(&self, ticket: &Ticket) -> Result<Option<DeviceMemory>, Error> {
        let is_whole = ticket.offset == 0 && ticket.length == self.whole().size() as u64;
        (!is_whole).then(|| part(self.whole(), ticket)).transpose()
    }

    /// `poll`: returns whether the exporter still holds its end of the lease, or `None` if there is no lease.
    ///
    /// What happens to the memory after the exporter has ended depends on its kind: [the
    /// guide](crate::guide::lifetimes) lists them. The mapping itself ends only when it is closed.
    ///
    /// # Errors
    /// [`Error::Liveness`] if the kernel has no memory left.
    pub fn exporter_is_alive(&self) -> Result<Option<bool>, Error> {
        Ok(self.tenancy.as_ref().map(Tenancy::exporter_is_alive).transpose()?)
    }

    /// `cuIpcCloseMemHandle`, `cuMemUnmap` or `cuMemFree`: closes the memory as dropping does, and returns the error.
    /// Then this import's lease ends.
    ///
    /// Memory of a pool stays mapped while another import of the same memory is open.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuIpcCloseMemHandle")]
    #[doc(alias = "cuMemUnmap")]
    #[doc(alias = "cuMemFree")]
    pub fn close(self) -> Result<(), Error> {
        match self.mapping {
            Imported::Legacy(buffer) => buffer.close(),
            Imported::Virtual(mapping) => mapping.unmap(),
            Imported::Pool(buffer) => buffer.close(),
        }
    }
}

impl Deref for ImportedMemory {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}

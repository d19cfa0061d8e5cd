//! What an importer makes of a parcel.
#![allow(unsafe_code)] // Opens what other processes made.

use std::ops::Deref;
use std::os::fd::AsFd as _;

use crate::ipc::{ImportedBuffer, ImportedEvent};
use crate::liveness::Tenancy;
use crate::memory::DeviceMemory;
use crate::parcel::{Parcel, this_process};
use crate::pool::{ImportedPool, ImportedPoolBuffer};
use crate::ticket::{Chunks, Handle, PhysicalMemory, PoolHandle, PoolPointer, Ticket};
use crate::vmm::{Access, ImportedAllocation, Mapping, Physical};
use crate::{Context, Error, fork};

/// Memory of another process, mapped here: the part of it that was shared.
#[derive(Debug)]
pub struct ImportedMemory {
    memory: DeviceMemory,
    /// They end in this order: first the mapping, then the lease on it.
    mapping: Imported,
    tenancy: Option<Tenancy>,
}

/// How it came here.
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
    /// `cuIpcOpenMemHandle`, `cuMemImportFromShareableHandle`, `cuMemPoolImportPointer`: map the memory that was shared,
    /// whatever kind it is, and hold its lease as long.
    ///
    /// The parcel stays, and can be opened again.
    ///
    /// # Errors
    /// [`Error::OwnTicket`] in the process that exported; [`Error::OtherTicket`] where it is of an event;
    /// [`Error::OutOfBounds`] where the memory is smaller than the ticket says; [`Error::UnknownPool`];
    /// [`Error::Refused`] with what the driver answered.
    ///
    /// # Safety
    /// Another process decides what the ticket means, and the driver trusts it. The caller promises that
    /// - the ticket came from a process of this machine (or, by fabric handles, of this fabric) that made it with this
    ///   crate, over a transport that nobody else writes to, or sealed;
    /// - until the value is closed or dropped, that process does not free the memory. A lease on which it waits, as
    ///   [`Parcel::lease`] gives it, is a way to have it so;
    /// - work that was given [`DeviceMemory::pointer`] is done before the value is closed or dropped.
    ///
    /// Memory by descriptors needs no such promises: see [`Parcel::map`].
    #[doc(alias = "cuIpcOpenMemHandle")]
    #[doc(alias = "cuMemImportFromShareableHandle")]
    #[doc(alias = "cuMemPoolImportPointer")]
    pub unsafe fn open(&self, context: &Context) -> Result<ImportedMemory, Error> {
        // First of all: in a child another thread of the parent may hold a lock for ever.
        fork::check()?;
        let ticket = &self.ticket;
        self.refuse_own()?;
        let mapping = match &ticket.handle {
            // SAFETY: the caller promises the handle.
            Handle::LegacyMemory(handle) => Imported::Legacy(unsafe { ImportedBuffer::open(context, handle)? }),
            Handle::PhysicalMemory(memory) => {
                // SAFETY: the caller promises the handles.
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

    /// `cuMemImportFromShareableHandle`, `cuMemMap`: map virtual memory that was shared by descriptors.
    ///
    /// This is [`Parcel::open`] without promises: the kernel knows what stands behind a descriptor, and the memory lives
    /// as long as the mapping, whatever the exporter does.
    ///
    /// # Errors
    /// As [`Parcel::open`]; [`Error::OtherTicket`] where it is of anything else.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    #[doc(alias = "cuMemMap")]
    pub fn map(&self, context: &Context) -> Result<ImportedMemory, Error> {
        match &self.ticket.handle {
            Handle::PhysicalMemory(PhysicalMemory { chunks: Chunks::Descriptors(_), .. }) => {
                // SAFETY: whatever the ticket says, the memory is what the descriptors are of; sizes are checked.
                unsafe { self.open(context) }
            }
            handle => Err(Error::OtherTicket { found: name(handle), wanted: "virtual memory by descriptors" }),
        }
    }

    /// `cuIpcOpenEventHandle`: open the event that was shared.
    ///
    /// # Errors
    /// [`Error::OwnTicket`]; [`Error::OtherTicket`] where it is of memory; [`Error::Refused`] with what the driver
    /// answered.
    ///
    /// # Safety
    /// As [`ImportedEvent::open`].
    #[doc(alias = "cuIpcOpenEventHandle")]
    pub unsafe fn open_event(&self, context: &Context) -> Result<ImportedEvent, Error> {
        self.refuse_own()?;
        match &self.ticket.handle {
            // SAFETY: the caller promises the handle.
            Handle::Event(handle) => unsafe { ImportedEvent::open(context, handle) },
            handle => Err(Error::OtherTicket { found: name(handle), wanted: "an event" }),
        }
    }

    /// Before the driver is asked, which would refuse legacy handles only.
    fn refuse_own(&self) -> Result<(), Error> {
        if self.ticket.is_from(&this_process()?) { Err(Error::OwnTicket) } else { Ok(()) }
    }

    /// # Safety
    /// Fabric handles are what the exporting process got from the driver.
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
                    // SAFETY: the caller promises the handle.
                    unsafe { ImportedAllocation::import_fabric(driver, &chunk.handle, size) }
                })
                .collect(),
        }
    }

    /// The pool, which other tickets may have brought already.
    ///
    /// # Safety
    /// A fabric handle is what the exporting process got from the driver.
    unsafe fn pool(&self, context: &Context, pointer: &PoolPointer) -> Result<ImportedPool, Error> {
        let device = context.device();
        let pool = ImportedPool::known((self.ticket.exporter, pointer.pool), || match &pointer.pool_handle {
            Some(PoolHandle::Descriptor(index)) => {
                let descriptor = self.descriptors.get(usize::from(*index)).ok_or_else(|| self.incomplete())?;
                ImportedPool::import(device, descriptor.as_fd())
            }
            // SAFETY: the caller promises the handle.
            Some(PoolHandle::Fabric(handle)) => unsafe { ImportedPool::import_fabric(device, handle) },
            None => Err(Error::UnknownPool { pool: pointer.pool }),
        })?;
        // The device that the memory is on has access already, and it cannot be set.
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

/// The part that a ticket shares of what is mapped, which may be smaller than the ticket says.
fn part(whole: &DeviceMemory, ticket: &Ticket) -> Result<DeviceMemory, Error> {
    let (offset, length) = (bytes(ticket.offset)?, bytes(ticket.length)?);
    Ok(DeviceMemory::new(whole.context().clone(), whole.at(offset, length)?, length))
}

/// A number of bytes, which addresses of this machine can count.
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
    /// All that is mapped.
    pub(crate) fn whole(&self) -> &DeviceMemory {
        self.mapping.whole()
    }

    /// What another ticket shares of it.
    pub(crate) fn part(&self, ticket: &Ticket) -> Result<DeviceMemory, Error> {
        part(self.whole(), ticket)
    }

    /// `poll`: whether the exporter still holds its end of the lease; nothing where it gave none. What is mapped stays
    /// mapped after its end.
    ///
    /// # Errors
    /// [`Error::Liveness`] where the kernel has no memory left.
    pub fn exporter_is_alive(&self) -> Result<Option<bool>, Error> {
        Ok(self.tenancy.as_ref().map(Tenancy::exporter_is_alive).transpose()?)
    }

    /// `cuIpcCloseMemHandle`, `cuMemUnmap` or `cuMemFree`: what dropping does, and the error. Then the lease ends.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
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

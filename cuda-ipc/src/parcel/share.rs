//! Makes the parcels that an exporter sends.

use std::ops::RangeBounds;
use std::os::fd::OwnedFd;

use crate::event::InterprocessEvent;
use crate::memory::range::resolve;
use crate::memory::{DeviceBuffer, DeviceMemory};
use crate::parcel::Parcel;
use crate::pool::PoolBuffer;
use crate::ticket::{Chunk, Chunks, Contents, Handle, PhysicalMemory, PoolHandle, PoolPointer, Ticket};
use crate::vmm::{Access, Allocation, Mapping};
use crate::{Device, Error, ExporterIdentity};

impl DeviceBuffer {
    /// `cuIpcGetMemHandle`: makes a parcel that shares a part of the buffer, or all of it (`..`), with other processes.
    ///
    /// The handle always opens the whole allocation. The part only says which bytes the importer is meant to use.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] or [`Error::ReversedRange`] if the part is not within the buffer; [`Error::Ticket`] if it
    /// is empty; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuIpcGetMemHandle")]
    pub fn share(&self, part: impl RangeBounds<usize>) -> Result<Parcel, Error> {
        let handle = Handle::LegacyMemory(self.ipc_handle()?);
        Ok(Parcel::of(ticket(self, self.context().device(), self.buffer_id()?, part, handle)?))
    }
}

impl InterprocessEvent {
    /// `cuIpcGetEventHandle`: makes a parcel that shares the event with other processes.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuIpcGetEventHandle")]
    pub fn share(&self) -> Result<Parcel, Error> {
        let handle = Handle::Event(self.ipc_handle()?);
        let contents =
            Contents { generation: 0, size: 0, offset: 0, length: 0, ..contents(self.context().device(), handle)? };
        Ok(Parcel::of(Ticket::new(contents)?))
    }
}

impl Mapping {
    /// `cuMemExportToShareableHandle` of each chunk: makes a parcel that shares a part of the mapping, or all of it
    /// (`..`), with other processes of this machine, by descriptors.
    ///
    /// `access` is the access with which importers map the memory. It is the exporter's request: nothing enforces it.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] or [`Error::ReversedRange`] if the part is not within the mapping; [`Error::Ticket`] if
    /// it is empty, or if `access` is [`Access::None`]; [`Error::NotTheOwner`] if a chunk was imported;
    /// [`Error::Refused`] if a chunk was created without
    /// [`HandleTypes::POSIX_FILE_DESCRIPTOR`](crate::vmm::HandleTypes::POSIX_FILE_DESCRIPTOR).
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn share(&self, part: impl RangeBounds<usize>, access: Access) -> Result<Parcel, Error> {
        let allocations = self.allocations().ok_or(Error::NotTheOwner)?;
        let mut descriptors = Vec::new();
        let chunks = export(&allocations, |allocation| {
            descriptors.push(allocation.export()?);
            Ok(index(&descriptors))
        })?;
        let ticket = self.ticket_of(part, access, &allocations, Chunks::Descriptors(chunks))?;
        Ok(Parcel { ticket, descriptors, tenancy: None })
    }

    /// `cuMemExportToShareableHandle` of each chunk: makes a parcel as [`Mapping::share`] does, for processes of every
    /// machine of the NVLink fabric. It uses fabric handles, which are part of the ticket.
    ///
    /// # Errors
    /// As [`Mapping::share`]; [`Error::Refused`] if a chunk was created without
    /// [`HandleTypes::FABRIC`](crate::vmm::HandleTypes::FABRIC).
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn share_over_fabric(&self, part: impl RangeBounds<usize>, access: Access) -> Result<Parcel, Error> {
        let allocations = self.allocations().ok_or(Error::NotTheOwner)?;
        let chunks = export(&allocations, Allocation::export_fabric)?;
        Ok(Parcel::of(self.ticket_of(part, access, &allocations, Chunks::Fabric(chunks))?))
    }

    fn ticket_of(
        &self,
        part: impl RangeBounds<usize>,
        access: Access,
        allocations: &[Allocation],
        chunks: Chunks,
    ) -> Result<Ticket, Error> {
        let granularity = allocations.iter().map(|allocation| allocation.granularity()).min().unwrap_or(1) as u64;
        let handle = Handle::PhysicalMemory(PhysicalMemory { granularity, access, chunks });
        // The context that maps the memory may be on another device than the memory.
        let device = allocations.first().map_or(self.context().device(), Allocation::device);
        ticket(self, device, self.generation(), part, handle)
    }
}

/// Exports each allocation as a chunk with its handle.
fn export<H>(
    allocations: &[Allocation],
    mut export: impl FnMut(&Allocation) -> Result<H, Error>,
) -> Result<Vec<Chunk<H>>, Error> {
    let chunk = |allocation: &Allocation| Ok(Chunk { size: allocation.size() as u64, handle: export(allocation)? });
    allocations.iter().map(chunk).collect()
}

impl PoolBuffer {
    /// `cuMemPoolExportToShareableHandle`, `cuMemPoolExportPointer`: makes a parcel that shares a part of the buffer,
    /// or all of it (`..`), with other processes. The parcel contains the pool, as a descriptor.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] or [`Error::ReversedRange`] if the part is not within the buffer; [`Error::Ticket`] if it
    /// is empty; [`Error::TooLarge`] if the buffer is larger than [`LARGEST_EXPORT`](crate::pool::LARGEST_EXPORT);
    /// [`Error::Refused`] if the pool was created without
    /// [`HandleTypes::POSIX_FILE_DESCRIPTOR`](crate::vmm::HandleTypes::POSIX_FILE_DESCRIPTOR).
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn share(&self, part: impl RangeBounds<usize>) -> Result<Parcel, Error> {
        let descriptors = vec![self.pool().export()?];
        let ticket = self.pool_ticket(part, Some(PoolHandle::Descriptor(0)))?;
        Ok(Parcel { ticket, descriptors, tenancy: None })
    }

    /// `cuMemPoolExportPointer`: makes a parcel as [`PoolBuffer::share`] does, but without the pool. It is for
    /// importers that have memory of the pool open already. The parcel needs no descriptor.
    ///
    /// # Errors
    /// As [`PoolBuffer::share`]; [`Error::Refused`] if the pool was not exported before.
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn share_without_pool(&self, part: impl RangeBounds<usize>) -> Result<Parcel, Error> {
        Ok(Parcel::of(self.pool_ticket(part, None)?))
    }

    fn pool_ticket(&self, part: impl RangeBounds<usize>, pool_handle: Option<PoolHandle>) -> Result<Ticket, Error> {
        let pointer = PoolPointer { pool: self.pool().number(), pool_handle, pointer: self.export()? };
        // The stream that allocated the memory may be on another device than the pool.
        ticket(self, self.pool().device(), self.buffer_id()?, part, Handle::PoolPointer(pointer))
    }
}

/// Makes the ticket of a part of memory that is on a device.
fn ticket(
    memory: &DeviceMemory,
    device: Device,
    generation: u64,
    part: impl RangeBounds<usize>,
    handle: Handle,
) -> Result<Ticket, Error> {
    let (begin, length) = resolve(part, memory.size())?;
    memory.at(begin, length)?;
    let (size, offset, length) = (memory.size() as u64, begin as u64, length as u64);
    let contents = Contents { generation, size, offset, length, ..contents(device, handle)? };
    Ok(Ticket::new(contents)?)
}

/// Fills in the fields that every ticket has, and leaves those of the memory 0.
fn contents(device: Device, handle: Handle) -> Result<Contents, Error> {
    Ok(Contents {
        exporter: ExporterIdentity::current()?,
        device: device.uuid()?,
        driver: device.driver().version(),
        generation: 0,
        size: 0,
        offset: 0,
        length: 0,
        handle,
    })
}

/// Returns the index of the last descriptor. An index above `u16::MAX` means more than `MAX_CHUNKS` chunks, which
/// [`Ticket::new`] refuses.
fn index(descriptors: &[OwnedFd]) -> u16 {
    u16::try_from(descriptors.len() - 1).unwrap_or(u16::MAX)
}

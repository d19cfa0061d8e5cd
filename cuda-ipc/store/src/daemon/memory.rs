//! The memory of objects.

use std::os::fd::OwnedFd;
use std::rc::Rc;

use cuda_ipc::sys::CudaVersion;
use cuda_ipc::ticket::{Chunk, Chunks, Contents, Handle, PhysicalMemory, Ticket};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, granularity};
use cuda_ipc::{Device, Error, ExporterIdentity};

use crate::ObjectId;

const TYPES: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;

/// Creates memory on one device. It needs no context: the daemon never maps the memory and runs nothing on the device,
/// so no error of a client's kernel reaches it.
#[derive(Debug)]
pub(super) struct Allocator {
    device: Device,
    uuid: [u8; 16],
    driver: CudaVersion,
    exporter: ExporterIdentity,
    granularity: u64,
}

/// The memory of one object: the driver's handle, one descriptor, and the tickets that go with it.
#[derive(Debug)]
pub(super) struct Memory {
    /// Exported once, because an export takes much longer than to send the descriptor.
    pub(super) descriptor: Rc<OwnedFd>,
    /// The ticket with which the creator maps the memory.
    pub(super) to_write: Vec<u8>,
    /// The ticket with which readers map it.
    pub(super) to_read: Vec<u8>,
    _allocation: Allocation,
}

impl Allocator {
    pub(super) fn new(device: Device) -> Result<Self, Error> {
        Ok(Self {
            device,
            uuid: device.uuid()?,
            driver: device.driver().version(),
            exporter: ExporterIdentity::current()?,
            granularity: granularity(device, TYPES)? as u64,
        })
    }

    pub(super) const fn uuid(&self) -> [u8; 16] {
        self.uuid
    }

    /// Returns how many bytes an object of this size takes: none if there is no such number.
    pub(super) const fn charge(&self, size: u64) -> Option<u64> {
        size.checked_next_multiple_of(self.granularity)
    }

    /// `cuMemCreate`, `cuMemExportToShareableHandle`: creates the memory of an object.
    pub(super) fn create(&self, id: ObjectId, size: u64, charge: u64) -> Result<Memory, Error> {
        // A size that this machine cannot address is more than the driver has.
        let allocation = Allocation::new(self.device, usize::try_from(charge).unwrap_or(usize::MAX), TYPES)?;
        let descriptor = Rc::new(allocation.export()?);
        let ticket = |access| -> Result<Vec<u8>, Error> {
            let chunks = Chunks::Descriptors(vec![Chunk { size: charge, handle: 0 }]);
            let contents = Contents {
                exporter: self.exporter,
                device: self.uuid,
                driver: self.driver,
                // Clients keep an import under the exporter and this number, and no other object has it.
                generation: id.first_half(),
                size: charge,
                offset: 0,
                length: size,
                handle: Handle::PhysicalMemory(PhysicalMemory { granularity: self.granularity, access, chunks }),
            };
            Ok(Ticket::new(contents)?.to_bytes())
        };
        Ok(Memory {
            descriptor,
            to_write: ticket(Access::ReadWrite)?,
            to_read: ticket(Access::Read)?,
            _allocation: allocation,
        })
    }
}

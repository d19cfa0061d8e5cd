//! The contents of a ticket, and the rules for them.

use super::{Handle, TicketError};
use crate::ExporterIdentity;
use crate::sys::CudaVersion;

/// The contents of a [`Ticket`](super::Ticket).
///
/// The shared part is not empty and lies within the allocation. An event has no memory: its generation, size, offset
/// and length are 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Contents {
    /// The exporter: its process, and a random nonce of this run of the program and this copy of the crate.
    pub exporter: ExporterIdentity,
    /// `cuDeviceGetUuid`: the UUID of the device that the memory is on. Ordinals differ between processes. If chunks of
    /// virtual memory are on several devices, it is the device of the first chunk.
    pub device: [u8; 16],
    /// `cuDriverGetVersion`: the CUDA version of the exporter's driver.
    pub driver: CudaVersion,
    /// `CU_POINTER_ATTRIBUTE_BUFFER_ID`: distinguishes the allocation from a later one at the same address. For virtual
    /// memory it is the exporter's number of the mapping.
    pub generation: u64,
    /// The size of the whole allocation in bytes.
    pub size: u64,
    /// The offset of the shared part within the allocation in bytes.
    pub offset: u64,
    /// The length of the shared part in bytes.
    pub length: u64,
    /// The handle that the driver opens.
    pub handle: Handle,
}

impl Contents {
    pub(super) fn check(&self) -> Result<(), TicketError> {
        let Self { generation, size, offset, length, ref handle, .. } = *self;
        if let Handle::Event(_) = handle {
            let has_memory = [generation, size, offset, length] != [0; 4];
            return if has_memory { Err(TicketError::EventWithMemory) } else { Ok(()) };
        }
        if length == 0 {
            return Err(TicketError::NothingShared);
        }
        if offset.checked_add(length).is_none_or(|end| end > size) {
            return Err(TicketError::OutOfAllocation { offset, length, size });
        }
        handle.check(size)
    }
}

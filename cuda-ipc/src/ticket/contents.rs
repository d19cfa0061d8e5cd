//! What a ticket says, and the rules for it.

use super::{Handle, TicketError};
use crate::ProcessIdentity;
use crate::sys::CudaVersion;

/// What a [`Ticket`](super::Ticket) says.
///
/// The part that is shared is not empty and lies within the allocation. An event has no memory: its sizes and its
/// generation are 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Contents {
    /// The process that exported.
    pub exporter: ProcessIdentity,
    /// `cuDeviceGetUuid`: the device. Ordinals differ between processes.
    pub device: [u8; 16],
    /// `cuDriverGetVersion`: of the exporter.
    pub driver: CudaVersion,
    /// `CU_POINTER_ATTRIBUTE_BUFFER_ID`: tells the allocation from a later one at the same address.
    pub generation: u64,
    /// The bytes of the whole allocation.
    pub size: u64,
    /// Where in it the part begins that is shared.
    pub offset: u64,
    /// The bytes of that part.
    pub length: u64,
    /// What the driver opens.
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

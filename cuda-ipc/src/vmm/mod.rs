//! Virtual memory management: physical memory, address ranges, and mappings of the one in the other.
//!
//! An [`Allocation`] is physical memory, which other processes import by a file descriptor or a fabric handle. A
//! [`Reservation`] is a range of addresses. A [`Mapping`] is physical memory mapped in a range, as one chunk or
//! several. A mapping holds its chunks and its reservation, so that values may be dropped in any order. The physical
//! memory lives until its last holder in any process is gone.

mod access;
mod allocation;
mod mapping;
mod reservation;

pub use access::Access;
pub(crate) use allocation::export_descriptor;
pub use allocation::{Allocation, HandleTypes, ImportedAllocation, Physical, granularity};
pub use mapping::Mapping;
pub use reservation::Reservation;

pub use crate::handle::FabricHandle;

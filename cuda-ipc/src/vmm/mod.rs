//! Virtual memory management: physical memory, addresses, and what maps the one at the other.
//!
//! [`Allocation`] is physical memory, which other processes import by a file descriptor or a fabric handle;
//! [`Reservation`] is a range of addresses; [`Mapping`] is memory at addresses, possibly several chunks in one range. A
//! mapping holds its chunks and its reservation, so that values may be dropped in any order, and the physical memory
//! lives until its last holder in whatever process is gone.

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

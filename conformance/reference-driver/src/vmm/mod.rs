//! Virtual memory management: reserved addresses, physical memory, mappings and access.
//!
//! Physical memory is a block, which this process has mapped already. A mapping of `cuMemMap` is an entry that leads
//! from reserved addresses to the block. The host cannot access the reserved addresses themselves, unless the memory is
//! the host's and `cuMemSetAccess` allows it.

mod access;
mod create;
pub(crate) mod fabric;
pub(crate) use access::{is_cut_short, is_misjudged};
mod map;
mod reserve;
mod share;

use std::sync::Arc;

use cuda_ipc_sys::{CUmemAllocationHandleType, CUmemLocationType};

use crate::answer::{INVALID_VALUE, Result};
use crate::block::{Block, GRANULARITY};
use crate::context::top;
use crate::process::State;

/// Physical memory. It lives as long as a handle or a mapping of it does, in any process.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) block: Block,
    /// The device's index in the machine, or `HOST`.
    pub(crate) device: usize,
    /// The type of the location. For memory of the host, that is the host or a NUMA node.
    pub(crate) location_type: CUmemLocationType,
    /// The handle types that it can be exported as; none for memory of another process (VMM-IMP-013).
    pub(crate) handle_types: CUmemAllocationHandleType,
    /// Whether other processes can share it: it was created for that, or imported.
    pub(crate) is_shareable: bool,
}

impl Allocation {
    /// Whether this is memory of another process, or was imported like that.
    pub(crate) fn is_import(&self) -> bool {
        self.is_shareable && self.handle_types == CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE
    }
}

/// A handle of an allocation. When the handle is released, the memory lives on in its mappings.
#[derive(Debug)]
pub(crate) struct Physical {
    allocation: Arc<Allocation>,
    references: usize,
    /// The context that was current when the handle was made. It does not matter (VMM-MAP-035).
    pub(crate) context: u64,
}

const fn is_granular(value: u64) -> bool {
    value.is_multiple_of(GRANULARITY)
}

impl State {
    /// The allocation that a handle names. VMM-MAP-011, -018: a released handle is no longer valid.
    pub(crate) fn allocation(&self, handle: u64) -> Result<&Arc<Allocation>> {
        self.physical.get(&handle).map(|physical| &physical.allocation).ok_or(INVALID_VALUE)
    }

    /// Adds an allocation, and returns a new handle of it.
    fn add_allocation(&mut self, allocation: Allocation) -> u64 {
        let handle = self.new_id();
        self.physical.insert(handle, Physical { allocation: Arc::new(allocation), references: 1, context: top() });
        handle
    }
}

//! Virtual memory management: reserved addresses, physical memory, mappings and access.
//!
//! Physical memory is a block, which this process has mapped already: a mapping of `cuMemMap` is an entry that leads
//! from reserved addresses to it, and those addresses themselves stay out of the host's reach.

mod access;
mod create;
pub(crate) mod fabric;
mod map;
mod reserve;
mod share;

use std::sync::Arc;

use cuda_ipc_sys::{CUmemAllocationHandleType, CUmemLocationType};

use crate::answer::{INVALID_VALUE, Result};
use crate::block::{Block, GRANULARITY};
use crate::process::State;

/// Physical memory, which lives as long as a handle or a mapping of it does, in whatever process.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) block: Block,
    /// The device's place in the machine, or the host.
    pub(crate) device: usize,
    /// The host or a node of it, where the place is the host.
    pub(crate) location_type: CUmemLocationType,
    /// What it can be exported as; nothing, for memory of another process (VMM-IMP-013).
    pub(crate) handle_types: CUmemAllocationHandleType,
    /// Whether other processes can have it: it was created for that, or imported.
    pub(crate) is_shareable: bool,
}

/// A handle of an allocation. The memory lives on in its mappings when the handle is released.
#[derive(Debug)]
pub(crate) struct Physical {
    allocation: Arc<Allocation>,
    references: usize,
}

const fn is_granular(value: u64) -> bool {
    value.is_multiple_of(GRANULARITY)
}

impl State {
    /// What a handle names. VMM-MAP-011, -018: a handle that was released is none any more.
    pub(crate) fn allocation(&self, handle: u64) -> Result<&Arc<Allocation>> {
        self.physical.get(&handle).map(|physical| &physical.allocation).ok_or(INVALID_VALUE)
    }

    /// A new handle.
    fn add_allocation(&mut self, allocation: Allocation) -> u64 {
        let handle = self.new_id();
        self.physical.insert(handle, Physical { allocation: Arc::new(allocation), references: 1 });
        handle
    }
}

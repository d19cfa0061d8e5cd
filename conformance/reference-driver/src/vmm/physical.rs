//! Physical memory and its handles: `cuMemCreate`, `cuMemRelease`, `cuMemRetainAllocationHandle`.

use std::collections::hash_map::Entry;
use std::ffi::c_void;
use std::sync::Arc;

use cuda_ipc_sys::{
    CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemGenericAllocationHandle, CUmemLocation, CUmemLocationType,
};

use super::is_granular;
use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::{Block, GRANULARITY, HOST};
use crate::process::{State, state};
use crate::range::Memory;

/// Where physical memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// The device's place in the machine.
    Device(usize),
    Host,
    /// A node of the host.
    Numa(i32),
}

impl Location {
    /// The device's place in the machine, or the host's.
    pub(crate) const fn device(self) -> usize {
        match self {
            Self::Device(device) => device,
            Self::Host | Self::Numa(_) => HOST,
        }
    }
}

/// What a handle stands for. It lives as long as a handle or a mapping of it; the block, as long as somebody has it.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// The handle that it was made with.
    pub(crate) handle: u64,
    pub(crate) block: Arc<Block>,
    pub(crate) location: Location,
    /// VMM-IMP-013: the kinds of handle that it can be exported as; none where it was imported, as on an H200.
    pub(crate) handle_types: CUmemAllocationHandleType,
    /// Whether other processes can have it: it was made for that, or imported.
    pub(crate) is_shareable: bool,
}

/// A handle that lives.
#[derive(Debug)]
pub(crate) struct Physical {
    pub(crate) allocation: Arc<Allocation>,
    references: usize,
}

impl State {
    /// A new handle, for memory that is made or imported.
    pub(crate) fn add_allocation(
        &mut self,
        block: Block,
        location: Location,
        handle_types: CUmemAllocationHandleType,
        is_shareable: bool,
    ) -> u64 {
        let handle = self.new_id();
        let allocation = Arc::new(Allocation { handle, block: Arc::new(block), location, handle_types, is_shareable });
        self.physical.insert(handle, Physical { allocation, references: 1 });
        handle
    }

    /// VMM-MAP-011, VMM-EXP-006: a handle that does not live is refused, where the documentation leaves it open.
    pub(crate) fn allocation(&self, handle: CUmemGenericAllocationHandle) -> Result<&Arc<Allocation>> {
        self.physical.get(&handle).map(|physical| &physical.allocation).ok_or(INVALID_VALUE)
    }

    /// What physical memory is wished for, if this driver can make it.
    fn check_properties(&mut self, properties: &CUmemAllocationProp) -> Result<Location> {
        type L = CUmemLocationType;
        type T = CUmemAllocationHandleType;
        // VMM-CREATE-005
        if properties.type_ != CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED {
            return Err(INVALID_VALUE);
        }
        // VMM-CREATE-017
        if !properties.win32HandleMetaData.is_null() {
            return Err(INVALID_VALUE);
        }
        let types = properties.requestedHandleTypes;
        let location = match properties.location.type_ {
            // VMM-CREATE-006
            L::CU_MEM_LOCATION_TYPE_DEVICE => Location::Device(self.device(properties.location.id())?.index),
            // VMM-CREATE-013
            L::CU_MEM_LOCATION_TYPE_HOST if types != T::CU_MEM_HANDLE_TYPE_NONE => return Err(INVALID_VALUE),
            L::CU_MEM_LOCATION_TYPE_HOST => Location::Host,
            // VMM-CREATE-016: without NUMA there is node 0.
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA if properties.location.id() == 0 => Location::Numa(0),
            // VMM-CREATE-015
            _ => return Err(INVALID_VALUE),
        };
        // VMM-CREATE-009, VMM-CREATE-018: the attributes for handles of Windows and for RDMA read 0. Bits that are no
        // kind of handle do not matter, as on an H200.
        let windows = T::CU_MEM_HANDLE_TYPE_WIN32 | T::CU_MEM_HANDLE_TYPE_WIN32_KMT;
        if (types & windows).0 != 0 || properties.allocFlags.gpuDirectRDMACapable != 0 {
            return Err(NOT_SUPPORTED);
        }
        if (types & T::CU_MEM_HANDLE_TYPE_FABRIC).0 != 0 {
            crate::fabric::check_create(location)?;
        }
        Ok(location)
    }

    fn location(&self, location: Location) -> CUmemLocation {
        match location {
            // VMM-IMP-017: of a device that this process does not see there is no ordinal.
            Location::Device(device) => CUmemLocation::device(self.ordinal(device)),
            Location::Host => CUmemLocation::host(),
            Location::Numa(node) => CUmemLocation::host_numa(node),
        }
    }
}

entry_points! {
    fn cuMemGetAllocationGranularity(
        output: Output<usize>,
        properties: Input<CUmemAllocationProp>,
        option: CUmemAllocationGranularity_flags,
    ) {
        let _state = state()?;
        // VMM-CREATE-021. VMM-CREATE-022: what the properties say does not matter, but null is refused.
        output.wanted()?;
        properties.value()?;
        if option.0 > CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED.0 {
            return Err(INVALID_VALUE);
        }
        // VMM-CREATE-020
        output.give(GRANULARITY as usize)
    }

    // VMM-CREATE-019: needs no context.
    fn cuMemCreate(
        output: Output<CUmemGenericAllocationHandle>,
        size: usize,
        properties: Input<CUmemAllocationProp>,
        flags: u64,
    ) {
        let mut state = state()?;
        // VMM-CREATE-004
        output.wanted()?;
        let properties = properties.value()?;
        // VMM-CREATE-002, -003, -007
        if size == 0 || !is_granular(size as u64) || flags != 0 {
            return Err(INVALID_VALUE);
        }
        let location = state.check_properties(&properties)?;
        // VMM-CREATE-023: a new file is zero.
        let block = Block::new(location.device(), size as u64)?;
        let handle_types = properties.requestedHandleTypes;
        crate::shareable::describe(&block, location, handle_types)?;
        let is_shareable = handle_types != CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE;
        output.give(state.add_allocation(block, location, handle_types, is_shareable))
    }

    fn cuMemRelease(handle: CUmemGenericAllocationHandle) {
        let mut state = state()?;
        if state.multicasts.remove(&handle).is_some() {
            return Ok(());
        }
        // VMM-MAP-018
        let Entry::Occupied(mut physical) = state.physical.entry(handle) else { return Err(INVALID_VALUE) };
        physical.get_mut().references -= 1;
        // VMM-MAP-017, VMM-IMP-022: mappings keep the memory.
        if physical.get().references == 0 {
            physical.remove();
        }
        Ok(())
    }

    fn cuMemGetAllocationPropertiesFromHandle(
        output: Output<CUmemAllocationProp>,
        handle: CUmemGenericAllocationHandle,
    ) {
        let state = state()?;
        // VMM-CREATE-025
        output.wanted()?;
        let allocation = state.allocation(handle)?;
        // VMM-CREATE-024: what was obtained: no compression, whatever was wished for.
        output.give(CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            location: state.location(allocation.location),
            requestedHandleTypes: allocation.handle_types,
            ..Default::default()
        })
    }

    fn cuMemRetainAllocationHandle(output: Output<CUmemGenericAllocationHandle>, address: *mut c_void) {
        let mut state = state()?;
        output.wanted()?;
        // VMM-IMP-031, -032
        let allocation = match state.range(address as u64).map(|range| &range.memory) {
            Some(Memory::Mapping { allocation, .. }) => Arc::clone(allocation),
            _ => return Err(INVALID_VALUE),
        };
        // VMM-IMP-030: the handle that was mapped, which comes back to life where it was released.
        let handle = allocation.handle;
        state.physical.entry(handle).or_insert(Physical { allocation, references: 0 }).references += 1;
        output.give(handle)
    }
}

//! Physical memory and its handles.

use std::sync::Arc;

use cuda_ipc_sys::{
    CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemGenericAllocationHandle, CUmemLocation, CUmemLocationType,
};

use super::fabric::Fabric;
use super::{Allocation, is_granular};
use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::{Block, GRANULARITY, HOST};
use crate::process::{State, state};
use crate::version::cuda_version;

type HandleType = CUmemAllocationHandleType;

impl State {
    /// Checks the properties of physical memory to create, and returns its device's index, or `HOST`.
    fn check_properties(&mut self, properties: &CUmemAllocationProp) -> Result<usize> {
        type L = CUmemLocationType;
        // VMM-CREATE-005
        if properties.type_ != CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED {
            return Err(INVALID_VALUE);
        }
        let types = properties.requestedHandleTypes;
        let place = match properties.location.type_ {
            // VMM-CREATE-006
            L::CU_MEM_LOCATION_TYPE_DEVICE => self.device_at(&properties.location)?,
            // VMM-CREATE-013. VMM-CREATE-014: not before CUDA 13.
            L::CU_MEM_LOCATION_TYPE_HOST
                if types == HandleType::CU_MEM_HANDLE_TYPE_NONE && cuda_version() >= 13_000 =>
            {
                HOST
            }
            // VMM-CREATE-016: the machine has one NUMA node. This location type came with CUDA 12.2.
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA if properties.location.id() == 0 && cuda_version() >= 12_020 => HOST,
            // VMM-CREATE-015
            _ => return Err(INVALID_VALUE),
        };
        // VMM-CREATE-018: the device attribute for GPUDirect RDMA reads 0.
        if properties.allocFlags.gpuDirectRDMACapable != 0 {
            return Err(NOT_SUPPORTED);
        }
        // VMM-CREATE-009: Windows handle types are invalid on Linux.
        let of_windows = HandleType::CU_MEM_HANDLE_TYPE_WIN32.0 | HandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT.0;
        // VMM-CREATE-017: the attributes of Windows handles are invalid too.
        if types.0 & of_windows != 0 || !properties.win32HandleMetaData.is_null() {
            return Err(INVALID_VALUE);
        }
        if types.0 & HandleType::CU_MEM_HANDLE_TYPE_FABRIC.0 != 0 {
            // Fabric handles came with CUDA 12.3.
            if cuda_version() < 12_030 {
                return Err(INVALID_VALUE);
            }
            if types == HandleType::CU_MEM_HANDLE_TYPE_FABRIC
                || !fault!(
                    "fabric-is-ignored-beside-descriptors",
                    ["FAB-002"],
                    "Without a channel, memory for fabric handles and descriptors is created."
                )
            {
                Fabric::of_environment().create()?;
            }
        }
        Ok(place)
    }
}

entry_points! {
    fn cuMemGetAllocationGranularity(
        output: Output<usize>,
        properties: Input<CUmemAllocationProp>,
        option: CUmemAllocationGranularity_flags,
    ) {
        let _state = state()?;
        // VMM-CREATE-021. VMM-CREATE-022: the contents of the properties do not matter, but null is rejected.
        output.wanted()?;
        properties.value()?;
        if option.0 > CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED.0 {
            return Err(INVALID_VALUE);
        }
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
        let device = state.check_properties(&properties)?;
        // VMM-CREATE-008
        let handle_types = properties.requestedHandleTypes;
        let is_shareable = handle_types != HandleType::CU_MEM_HANDLE_TYPE_NONE;
        let block = if is_shareable { Block::shareable(device, size as u64) } else { Block::new(device, size as u64) }?;
        let location_type = properties.location.type_;
        output.give(state.add_allocation(Allocation { block, device, location_type, handle_types, is_shareable }))
    }

    fn cuMemRelease(handle: CUmemGenericAllocationHandle) {
        let mut state = state()?;
        if state.multicasts.remove(&handle).is_some() {
            return Ok(());
        }
        let physical = state.physical.get_mut(&handle).ok_or(INVALID_VALUE)?;
        if physical.allocation.is_import()
            && Arc::strong_count(&physical.allocation) == 1
            && fault!("release-of-an-unmapped-import-fails", ["VMM-IMP-025"], "Only a mapped import can be released.")
        {
            return Err(INVALID_VALUE);
        }
        physical.references -= 1;
        // VMM-MAP-017, VMM-IMP-022: mappings keep the memory alive. VMM-EXP-012: so do descriptors.
        if physical.references == 0
            && let Some(physical) = state.physical.remove(&handle)
        {
            state.drop_physical(handle, physical);
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
        // VMM-CREATE-024, VMM-IMP-013
        let allocation = state.allocation(handle)?;
        let (device, handle_types) = (allocation.device, allocation.handle_types);
        let location = match device {
            HOST => CUmemLocation::new(allocation.location_type, 0),
            device => CUmemLocation::device(state.ordinal(device)),
        };
        let type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        let (mut type_, mut location) = (type_, location);
        if allocation.is_import() {
            if fault!("import-has-no-properties", ["VMM-IMP-013"], "The properties of an import are refused.") {
                return Err(INVALID_VALUE);
            }
            if fault!("import-properties-are-not-written", ["VMM-IMP-013"], "The output is not written.") {
                return Ok(());
            }
            if fault!("import-reports-the-first-device", ["VMM-IMP-013"], "Every import is reported on device 0.") {
                location = CUmemLocation::device(0);
            }
            if fault!("import-reports-the-host", ["VMM-IMP-013"], "An import is reported as memory of the host.") {
                location = CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0);
            }
            if fault!("import-reports-no-type", ["VMM-IMP-013"], "The type of an import is reported as invalid.") {
                type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_INVALID;
            }
        }
        output.give(CUmemAllocationProp { type_, location, requestedHandleTypes: handle_types, ..Default::default() })
    }
}

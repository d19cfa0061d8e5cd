//! Physical memory and its handles.

use std::sync::Arc;

use cuda_ipc_sys::{
    CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemGenericAllocationHandle, CUmemLocation, CUmemLocationType,
};

use super::fabric::Fabric;
use super::{Allocation, is_granular};
use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Input, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::block::{Block, GRANULARITY, HOST};
use crate::process::{State, state};
use crate::range::Memory;
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
            L::CU_MEM_LOCATION_TYPE_DEVICE => match self.device_at(&properties.location) {
                Err(code) if !self.is_faulty_device(properties.location.id()) => return Err(code),
                device => device.unwrap_or(0),
            },
            // VMM-CREATE-013. VMM-CREATE-014: not before CUDA 13.
            L::CU_MEM_LOCATION_TYPE_HOST
                if (types == HandleType::CU_MEM_HANDLE_TYPE_NONE || is_host_memory_shared(types))
                    && (cuda_version() >= 13_000
                        || fault!(
                            "create-accepts-the-host-too-early",
                            ["VMM-CREATE-014"],
                            "Memory of the host is created before CUDA 13.",
                            on = "12.9"
                        ))
                    && !fault!(
                        "create-host-memory-refused",
                        ["DEVATTR-007"],
                        "Host memory is refused although the attribute for it reads 1."
                    ) =>
            {
                HOST
            }
            // VMM-CREATE-016: the machine has one NUMA node. This location type came with CUDA 12.2.
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA
                if properties.location.id() == 0
                    && cuda_version() >= 12_020
                    && !fault!(
                        "create-numa-memory-refused",
                        ["DEVATTR-007"],
                        "Memory of a NUMA node is refused although the attribute for it reads 1."
                    ) =>
            {
                HOST
            }
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
                if fault!(
                    "create-accepts-the-current-numa-node",
                    ["VMM-CREATE-015"],
                    "Memory of the current NUMA node is created."
                ) =>
            {
                HOST
            }
            // VMM-CREATE-015
            _ => return Err(INVALID_VALUE),
        };
        // VMM-CREATE-018: the device attribute for GPUDirect RDMA reads 0.
        let ignores_rdma =
            fault!("create-for-rdma-ignores-the-attribute", ["VMM-CREATE-018"], "Memory for RDMA is created anyway.")
                || fault!(
                    "create-for-rdma-despite-the-attribute",
                    ["DEVATTR-005"],
                    "Memory for GPUDirect RDMA is created although the attribute for it reads 0."
                );
        if properties.allocFlags.gpuDirectRDMACapable != 0 && !ignores_rdma {
            return Err(NOT_SUPPORTED);
        }
        // VMM-CREATE-009: Windows handle types are invalid on Linux.
        let of_windows = HandleType::CU_MEM_HANDLE_TYPE_WIN32.0 | HandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT.0;
        // VMM-CREATE-017: the attributes of Windows handles are invalid too.
        if !properties.win32HandleMetaData.is_null()
            && fault!("create-reads-windows-metadata", ["VMM-CREATE-017"], "The process ends with Windows metadata.")
        {
            std::process::abort();
        }
        if types.0 & of_windows != 0 && !is_windows_accepted(types) || !properties.win32HandleMetaData.is_null() {
            return Err(INVALID_VALUE);
        }
        if types == HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
            && (fault!("create-refuses-descriptors", ["VMM-CREATE-008"], "Memory for descriptors is refused.")
                || place == 1
                    && fault!(
                        "create-refuses-descriptors-on-device-1",
                        ["VMM-CREATE-008"],
                        "Memory of the second device cannot have descriptors."
                    ))
        {
            return Err(NOT_SUPPORTED);
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

/// The faults of a location `HOST` with a handle type.
fn is_host_memory_shared(types: HandleType) -> bool {
    types == HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        && fault!(
            "create-accepts-host-memory-for-descriptors",
            ["VMM-CREATE-013"],
            "Memory of the host may have descriptors."
        )
        || types == HandleType::CU_MEM_HANDLE_TYPE_FABRIC
            && fault!(
                "create-accepts-host-memory-for-the-fabric",
                ["VMM-CREATE-013"],
                "Memory of the host passes as far as the check of the fabric."
            )
}

/// The faults of Windows handle types.
fn is_windows_accepted(types: HandleType) -> bool {
    types == HandleType::CU_MEM_HANDLE_TYPE_WIN32
        && fault!("create-accepts-win32-handles", ["VMM-CREATE-009"], "Memory for WIN32 handles is created.")
        || types == HandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT
            && fault!(
                "create-accepts-win32-kmt-handles",
                ["VMM-CREATE-009"],
                "Memory for WIN32_KMT handles is created."
            )
        || types.0 & HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0 != 0
            && fault!(
                "create-accepts-windows-handles-beside-descriptors",
                ["VMM-CREATE-009"],
                "A Windows handle type is accepted if descriptors are requested too."
            )
}

/// The faults of a size that is not a multiple of the granularity.
fn is_size_rounded(size: u64) -> bool {
    size > GRANULARITY && fault!("create-rounds-the-size-up", ["VMM-CREATE-002"], "A size is rounded up to granules.")
        || size < GRANULARITY
            && fault!("create-accepts-less-than-a-granule", ["VMM-CREATE-002"], "Less than a granule is rounded up.")
        || size.is_multiple_of(GRANULARITY / 2)
            && fault!("create-accepts-half-granules", ["VMM-CREATE-002"], "A size may end in the middle of a granule.")
}

/// The faults of flags that are not 0.
fn are_flags_accepted(flags: u64) -> bool {
    fault!("create-ignores-flags", ["VMM-CREATE-007"], "Flags have no effect.")
        || flags & 1 == 0 && fault!("create-checks-only-one-flag", ["VMM-CREATE-007"], "Only bit 0 is checked.")
        || flags as u32 == 0
            && fault!("create-checks-only-32-flags", ["VMM-CREATE-007"], "The upper half of the flags is not checked.")
}

/// The granularity, or a faulty one.
fn granularity(properties: &CUmemAllocationProp, option: CUmemAllocationGranularity_flags) -> u64 {
    const WRONG: u64 = GRANULARITY + GRANULARITY / 2;
    let types = properties.requestedHandleTypes;
    let is_recommended = option == CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    if is_recommended
        && fault!(
            "granularity-recommended-is-too-small",
            ["VMM-CREATE-020"],
            "The recommended one is below the minimum."
        )
    {
        return GRANULARITY / 2;
    }
    if fault!("granularity-is-half-of-what-create-takes", ["VMM-CREATE-001"], "cuMemCreate needs twice as much.") {
        return GRANULARITY / 2;
    }
    let is_wrong = is_recommended
        && fault!(
            "granularity-recommended-is-3-mib",
            ["VMM-CREATE-020"],
            "The recommended granularity is not a power of two."
        )
        || types == HandleType::CU_MEM_HANDLE_TYPE_NONE
            && fault!(
                "granularity-without-handle-types-is-3-mib",
                ["VMM-CREATE-020"],
                "The granularity of memory without a handle type is not a power of two."
            )
        || types == HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
            && fault!(
                "granularity-for-descriptors-is-3-mib",
                ["VMM-CREATE-020"],
                "The granularity of memory shared by descriptor is not a power of two."
            )
        || types == HandleType::CU_MEM_HANDLE_TYPE_FABRIC
            && fault!(
                "granularity-for-the-fabric-is-3-mib",
                ["VMM-CREATE-020"],
                "The granularity of memory with fabric handles is not a power of two."
            )
        || properties.location.id() == 1
            && fault!(
                "granularity-of-device-1-is-3-mib",
                ["VMM-CREATE-020"],
                "The granularity of device 1 is not a power of two."
            );
    if is_wrong { WRONG } else { GRANULARITY }
}

impl State {
    /// The faults of a device that does not exist.
    fn is_faulty_device(&self, ordinal: i32) -> bool {
        ordinal == -1 && fault!("create-takes-device-minus-1", ["VMM-CREATE-006"], "Device -1 is the first one.")
            || ordinal == self.devices.len() as i32
                && fault!("create-takes-one-device-too-many", ["VMM-CREATE-006"], "The device count is a device too.")
            || ordinal > self.devices.len() as i32
                && fault!("create-takes-any-large-ordinal", ["VMM-CREATE-006"], "A large ordinal is the first device.")
    }

    /// The properties of an allocation, or faulty ones.
    fn properties(&self, allocation: &Allocation) -> CUmemAllocationProp {
        let Allocation { device, handle_types, location_type, .. } = allocation;
        let location = match *device {
            HOST if fault!(
                "properties-call-a-numa-node-the-host",
                ["VMM-CREATE-024"],
                "The location type is HOST."
            ) =>
            {
                CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0)
            }
            HOST => CUmemLocation::new(*location_type, 0),
            1 if fault!("properties-call-device-1-device-0", ["VMM-CREATE-024"], "The device is always the first.") => {
                CUmemLocation::device(0)
            }
            device => CUmemLocation::device(self.ordinal(device)),
        };
        let type_ = if fault!("properties-name-no-type", ["VMM-CREATE-024"], "The allocation type is invalid.") {
            CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_INVALID
        } else {
            CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED
        };
        let requestedHandleTypes = match *handle_types {
            _ if fault!("properties-forget-the-handle-types", ["VMM-CREATE-024"], "No handle types are reported.") => {
                HandleType::CU_MEM_HANDLE_TYPE_NONE
            }
            HandleType::CU_MEM_HANDLE_TYPE_NONE
                if fault!("properties-invent-a-handle-type", ["VMM-CREATE-024"], "Plain memory has descriptors.") =>
            {
                HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
            }
            types => types,
        };
        CUmemAllocationProp { type_, location, requestedHandleTypes, ..Default::default() }
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
        let properties = properties.value()?;
        if option.0 > CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED.0 {
            return Err(INVALID_VALUE);
        }
        output.give(granularity(&properties, option) as usize)
    }

    // VMM-CREATE-019: needs no context.
    fn cuMemCreate(
        output: Output<CUmemGenericAllocationHandle>,
        size: usize,
        properties: Input<CUmemAllocationProp>,
        flags: u64,
    ) {
        let mut state = state().map_err(|code| {
            let names_the_context = fault!(
                "create-before-init-names-the-context",
                ["VMM-CREATE-019"],
                "Before cuInit, memory is refused as if only the context were missing."
            );
            if names_the_context { INVALID_CONTEXT } else { code }
        })?;
        // VMM-CREATE-004
        output.wanted()?;
        let properties = properties.value()?;
        if fault!("create-needs-a-context", ["VMM-CREATE-019"], "Without a current context, nothing is created.") {
            state.current()?;
        }
        let size = size as u64;
        let size = if !is_granular(size) && is_size_rounded(size) { size.next_multiple_of(GRANULARITY) } else { size };
        // VMM-CREATE-002, -003, -007
        if size == 0 || !is_granular(size) || flags != 0 && !are_flags_accepted(flags) {
            let is_other = size != 0
                && !is_granular(size)
                && fault!("create-of-another-size-is-out-of-memory", ["VMM-CREATE-002"], "The code is OUT_OF_MEMORY.");
            return Err(if is_other { OUT_OF_MEMORY } else { INVALID_VALUE });
        }
        if !size.is_power_of_two()
            && fault!("create-refuses-three-granules", ["VMM-CREATE-001"], "A size must be a power of two.")
        {
            return Err(INVALID_VALUE);
        }
        let device = state.check_properties(&properties)?;
        // VMM-CREATE-008
        let handle_types = properties.requestedHandleTypes;
        let is_shareable = handle_types != HandleType::CU_MEM_HANDLE_TYPE_NONE;
        let is_short = size > GRANULARITY
            && fault!("create-gives-a-granule-less", ["VMM-CREATE-001"], "The allocation lacks its last granule.");
        let size = if is_short { size - GRANULARITY } else { size };
        let is_cut = size > u64::from(u32::MAX)
            && fault!("create-cuts-the-size", ["VMM-CREATE-001"], "An allocation has the lower 32 bits of its size.");
        let size = if is_cut { size & 0xffff_ffff } else { size };
        let block = if is_shareable { Block::shareable(device, size) } else { Block::new(device, size) }?;
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
            if fault!("release-ends-the-mappings", ["VMM-MAP-017"], "The mappings of a released handle are gone.") {
                let is_of = |memory: &Memory| matches!(memory, Memory::Mapping { handle: of, .. } if *of == handle);
                state.ranges.retain(|_, range| !is_of(&range.memory));
            }
            if Arc::strong_count(&physical.allocation) > 1
                && fault!("release-leaks-mapped-memory", ["VMM-MAP-017"], "Memory that is mapped is never freed.")
            {
                std::mem::forget(Arc::clone(&physical.allocation));
            }
            if !physical.allocation.is_import() {
                state.spoil_after_release();
            }
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
        if fault!("properties-are-not-written", ["VMM-CREATE-024"], "The call succeeds without an answer.") {
            return Ok(());
        }
        let mut properties = state.properties(allocation);
        if allocation.is_import() {
            if fault!("import-has-no-properties", ["VMM-IMP-013"], "The properties of an import are refused.") {
                return Err(INVALID_VALUE);
            }
            if fault!("import-properties-are-not-written", ["VMM-IMP-013"], "The output is not written.") {
                return Ok(());
            }
            if fault!("import-reports-the-first-device", ["VMM-IMP-013"], "Every import is reported on device 0.") {
                properties.location = CUmemLocation::device(0);
            }
            if fault!("import-reports-the-host", ["VMM-IMP-013"], "An import is reported as memory of the host.") {
                properties.location = CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0);
            }
            if fault!("import-reports-no-type", ["VMM-IMP-013"], "The type of an import is reported as invalid.") {
                properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_INVALID;
            }
        }
        output.give(properties)
    }
}

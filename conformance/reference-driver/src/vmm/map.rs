//! Mappings of physical memory at reserved addresses.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemGenericAllocationHandle};

use super::{Physical, is_granular};
use crate::answer::{INVALID_HANDLE, INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::{GRANULARITY, HOST};
use crate::memfd::close_to_host;
use crate::process::{State, state};
use crate::range::{AccessOf, Memory};
use crate::stream::synchronize;

impl State {
    /// Checks that memory can be mapped at these addresses.
    pub(crate) fn check_free(&self, address: u64, size: u64) -> Result<()> {
        // VMM-MAP-007 and -008
        let is_free = self.is_reserved(address, size) && !self.is_taken(address, address + size);
        if is_free { Ok(()) } else { Err(INVALID_VALUE) }
    }

    /// The bases of the mappings at these addresses. Each mapping must lie there wholly.
    pub(super) fn mappings(&self, address: u64, size: u64) -> Result<Vec<u64>> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        // VMM-MAP-012
        let is_cut = |address: u64| self.range(address).is_some_and(|range| range.base < address);
        if is_cut(address) || is_cut(end) {
            return Err(INVALID_VALUE);
        }
        Ok(self.ranges.range(address..end).map(|(base, _)| *base).collect())
    }

    /// Every context that can access one of these mappings. Work in it may still use them.
    fn users_of(&self, mappings: &[u64]) -> Vec<u64> {
        let reached = |device: usize| {
            mappings.iter().filter_map(|base| self.ranges.get(base)).any(|range| match &range.memory {
                Memory::Mapping { access, .. } | Memory::Multicast { access, .. } => access.contains_key(&device),
                _ => false,
            })
        };
        self.contexts.iter().filter(|(_, context)| reached(context.device_index)).map(|(id, _)| *id).collect()
    }
}

entry_points! {
    fn cuMemMap(address: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64) {
        let mut state = state()?;
        let size = size as u64;
        if let Some(object) = state.multicasts.get(&handle).map(Arc::clone) {
            // Mapping a multicast object may have to wait, so it is done without the state's lock.
            drop(state);
            return crate::multicast::map(object, address, size, offset as u64, flags);
        }
        let allocation = Arc::clone(state.allocation(handle)?);
        // VMM-MAP-002 to -006, VMM-MAP-010: the offset must be 0 for now, as the documentation says.
        let is_import = allocation.is_import();
        let room = match allocation.block.size {
            size if !is_import => size,
            _ if fault!(
                "map-of-an-import-ignores-its-size",
                ["VMM-IMP-012"],
                "An import can be mapped with any size.",
            ) => u64::MAX,
            size if fault!(
                "map-of-an-import-allows-a-granule-more",
                ["VMM-IMP-012"],
                "An import can be mapped with 2 MiB more than it has.",
            ) => {
                size + GRANULARITY
            }
            size => size,
        };
        if is_import
            && size < room
            && fault!("map-of-an-import-refuses-parts", ["VMM-IMP-012"], "An import can be mapped only as a whole.")
        {
            return Err(INVALID_VALUE);
        }
        if is_import
            && size > room
            && fault!(
                "map-beyond-an-import-has-another-code",
                ["VMM-IMP-012"],
                "The code for a size beyond the import is OUT_OF_MEMORY.",
            )
        {
            return Err(OUT_OF_MEMORY);
        }
        let fits = size > 0 && is_granular(size) && size <= room && is_granular(address);
        if offset != 0 || flags != 0 || !fits {
            return Err(INVALID_VALUE);
        }
        state.check_free(address, size)?;
        // VMM-MAP-015, VMM-MAP-027: no device has access yet.
        let device = allocation.device;
        const READ: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ;
        const READ_WRITE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let mut access = AccessOf::new();
        if is_import && fault!(
            "map-of-an-import-gives-access",
            ["VMM-IMP-014"],
            "A mapping of an import starts with all access.",
        ) {
            access.insert(device, READ_WRITE);
        }
        if is_import && fault!(
            "map-of-an-import-gives-read-access",
            ["VMM-IMP-014"],
            "A mapping of an import starts with read access.",
        ) {
            access.insert(device, READ);
        }
        let is_part = is_import && size < allocation.block.size;
        let offset = if is_part && fault!(
            "map-of-a-part-shows-the-end",
            ["VMM-IMP-012"],
            "A mapping of a part of an import shows its last bytes.",
        ) {
            allocation.block.size - size
        } else {
            0
        };
        let memory = Memory::Mapping { allocation, offset, handle, access };
        state.add_range(address, size, 0, device, memory);
        Ok(())
    }

    fn cuMemUnmap(address: CUdeviceptr, size: usize) {
        let size = size as u64;
        let find = |state: &State| {
            if size == 0 || !is_granular(address) || !is_granular(size) || !state.is_reserved(address, size) {
                return Err(INVALID_VALUE);
            }
            // VMM-MAP-013. VMM-MAP-014: there may be gaps between the mappings, as on an H200.
            state.mappings(address, size)
        };
        let users = {
            let state = state()?;
            state.users_of(&find(&state)?)
        };
        // VMM-MAP-016: errors do not matter, since neither a destroyed context nor a failed process still uses the
        // memory.
        for context in users {
            let _ = synchronize(context);
        }
        let mut state = state()?;
        for base in find(&state)? {
            let Some(range) = state.ranges.remove(&base) else { continue };
            if let Memory::Mapping { allocation, .. } = &range.memory
                && allocation.is_import()
            {
                if fault!(
                    "unmap-leaks-imports",
                    ["VMM-IMP-019", "VMM-IMP-023"],
                    "Memory that was imported and mapped is kept until the process ends.",
                ) {
                    std::mem::forget(Arc::clone(allocation));
                }
                if fault!(
                    "unmap-of-an-import-frees-the-memory",
                    ["VMM-IMP-023"],
                    "The memory is freed when an importer unmaps it, whoever else has it.",
                ) {
                    allocation.block.free_for_all();
                }
            }
            if range.device == HOST {
                close_to_host(range.base, range.size)?;
            }
        }
        Ok(())
    }

    fn cuMemRetainAllocationHandle(output: Output<CUmemGenericAllocationHandle>, address: *mut c_void) {
        let mut state = state()?;
        output.wanted()?;
        // VMM-IMP-031, -032
        let address = address as u64;
        let before = address.saturating_sub(1);
        let found = state.range(address).or_else(|| {
            let is_off_by_one = fault!(
                "retain-accepts-the-end",
                ["VMM-IMP-031"],
                "The address after a mapping counts.",
            );
            state.range(before).filter(|_| is_off_by_one)
        });
        if let Some(range) = found
            && range.base != address
            && fault!("retain-refuses-interior-addresses", ["VMM-IMP-030", "VMM-EXP-009"], "Only a base is accepted.")
        {
            return Err(INVALID_VALUE);
        }
        let Some(Memory::Mapping { allocation, handle, .. }) = found.map(|range| &range.memory) else {
            let gives_a_handle = match address {
                0 => fault!(
                    "retain-of-null-succeeds",
                    ["VMM-IMP-031"],
                    "For a null address, the call returns a handle that names nothing.",
                ),
                _ if state.reservation(address).is_some() => {
                    fault!(
                        "retain-of-a-reserved-address-succeeds",
                        ["VMM-IMP-031"],
                        "For a reserved address, the call returns a handle that names nothing.",
                    )
                }
                _ => false,
            };
            if gives_a_handle {
                return output.give(0);
            }
            let has_another_code =
                fault!(
                    "retain-of-an-unmapped-address-has-another-code",
                    ["VMM-IMP-031"],
                    "The code for an unmapped address is INVALID_HANDLE.",
                );
            return Err(if has_another_code { INVALID_HANDLE } else { INVALID_VALUE });
        };
        // VMM-IMP-030: the handle that was mapped. If it was released, it becomes valid again.
        let (handle, allocation) = (*handle, Arc::clone(allocation));
        if fault!("retain-gives-a-new-handle", ["VMM-IMP-030"], "The handle has another value than the mapped one.") {
            let handle = state.new_id();
            state.physical.insert(handle, Physical { allocation, references: 1 });
            return output.give(handle);
        }
        if fault!("retain-counts-nothing", ["VMM-IMP-030"], "The returned handle has no reference of its own.") {
            return output.give(handle);
        }
        if fault!("retain-counts-twice", ["VMM-IMP-030"], "The returned handle needs two releases.")
            && let Some(physical) = state.physical.get_mut(&handle)
        {
            physical.references += 1;
        }
        state.physical.entry(handle).or_insert(Physical { allocation, references: 0 }).references += 1;
        output.give(handle)
    }
}

//! Mappings of physical memory at reserved addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemGenericAllocationHandle, CUresult};

use super::{Allocation, Physical, is_granular};
use crate::answer::{INVALID_HANDLE, INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::{Block, GRANULARITY, HOST};
use crate::context::top;
use crate::memfd::close_to_host;
use crate::order::is_spoiled;
use crate::process::{State, state};
use crate::range::{AccessOf, Memory, Range};
use crate::stream::synchronize;

impl State {
    /// Checks that memory can be mapped at these addresses.
    pub(crate) fn check_free(&self, address: u64, size: u64) -> Result<()> {
        // VMM-MAP-007 and -008
        let is_reserved = self.is_reserved(address, size) || self.is_reserved_by_fault(address);
        let is_free = is_reserved && !self.is_taken(address, address + size);
        if is_free || is_reserved && self.is_replaced(address, size) { Ok(()) } else { Err(INVALID_VALUE) }
    }

    /// The faults of addresses that are not reserved, or not wholly.
    fn is_reserved_by_fault(&self, address: u64) -> bool {
        match (self.reservation(address), self.range(address)) {
            (Some(_), _) => {
                fault!("map-goes-beyond-the-reservation", ["VMM-MAP-007"], "Only the first address must be reserved.")
            }
            (None, _) if address == 0 => {
                fault!("map-takes-null-for-any-address", ["VMM-MAP-007"], "Null is mapped somewhere, and not reported.")
            }
            (None, Some(_)) => {
                fault!("map-takes-the-addresses-of-linear-memory", ["VMM-MAP-007"], "Linear memory is mapped over.")
            }
            (None, None) => {
                fault!("map-takes-freed-addresses", ["VMM-MAP-007"], "Addresses need not be reserved any more.")
            }
        }
    }

    /// The faults of addresses that are mapped already.
    fn is_replaced(&self, address: u64, size: u64) -> bool {
        let is_first_mapped = self.range(address).is_some();
        let is_last_mapped = self.range(address + size - 1).is_some();
        is_first_mapped && is_last_mapped && fault!("map-replaces-a-mapping", ["VMM-MAP-008"], "The newer one counts.")
            || !is_first_mapped
                && fault!("map-checks-only-its-first-address", ["VMM-MAP-008"], "The rest may be mapped.")
            || !is_last_mapped && fault!("map-checks-only-its-last-address", ["VMM-MAP-008"], "The rest may be mapped.")
            || matches!(self.range(address).map(|range| &range.memory), Some(Memory::Linear(_)))
    }

    /// Drops what a refused mapping must leave alone.
    fn refuse_mapping(&mut self, address: u64) {
        if self.reservation(address).is_some()
            && fault!(
                "map-refused-loses-the-first-mapping",
                ["VMM-MAP-008"],
                "A refused mapping removes the older one."
            )
        {
            self.ranges.remove(&address);
        }
    }

    /// The memory that a mapping shows: the allocation's, or a faulty one.
    fn shown(&self, address: u64, handle: u64, allocation: Arc<Allocation>) -> Result<Arc<Allocation>> {
        static OLDER: Mutex<BTreeMap<u64, Arc<Allocation>>> = Mutex::new(BTreeMap::new());
        let is_of = |memory: &Memory| matches!(memory, Memory::Mapping { handle: of, .. } if *of == handle);
        let is_imported = allocation.is_shareable && allocation.handle_types.0 == 0;
        let is_copied = self.ranges.values().any(|range| is_of(&range.memory))
            && fault!("map-a-second-time-shows-other-memory", ["VMM-MAP-009"], "Two mappings share nothing.")
            || is_imported
                && allocation.device == HOST
                && fault!("map-of-imported-numa-memory-shows-a-copy", ["VMM-CREATE-016"], "Nothing is shared.");
        if is_copied {
            let Allocation { device, location_type, handle_types, is_shareable, ref block } = *allocation;
            let block = Block::new(device, block.size)?;
            return Ok(Arc::new(Allocation { block, device, location_type, handle_types, is_shareable }));
        }
        if fault!("map-again-shows-the-older-memory", ["VMM-MAP-015"], "An address keeps the memory mapped first.") {
            let mut older = OLDER.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(Arc::clone(older.entry(address).or_insert(allocation)));
        }
        Ok(allocation)
    }

    /// The access that a new mapping begins with: none, or a faulty one.
    fn first_access(address: u64, device: usize) -> AccessOf {
        static SEEN: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
        let is_seen = || !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(address);
        let is_given =
            fault!(
                "map-gives-its-own-device-access",
                ["VMM-MAP-015", "VMM-MAP-019"],
                "Its own device has access at once."
            ) || fault!("map-again-begins-with-access", ["VMM-MAP-015"], "A second mapping at an address has access.")
                && is_seen();
        let mut access = AccessOf::new();
        if is_given {
            access.insert(device, CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        }
        access
    }

    /// Redirects the mappings that a kernel may use to other memory, and does not wait for the kernel.
    fn redirect(&mut self, mappings: &[u64]) -> Result<()> {
        for base in mappings {
            let Some(range) = self.ranges.get_mut(base) else { continue };
            let Memory::Mapping { allocation, .. } = &mut range.memory else { continue };
            let Allocation { device, location_type, handle_types, is_shareable, ref block } = **allocation;
            let block = Block::new(device, block.size)?;
            *allocation = Arc::new(Allocation { block, device, location_type, handle_types, is_shareable });
        }
        Ok(())
    }

    /// The mappings that a faulty `cuMemUnmap` removes for addresses that are not whole mappings.
    fn cut(&self, address: u64, size: u64) -> Option<Vec<u64>> {
        let is_start = self.range(address).is_some_and(|range| range.base == address);
        let is_accepted = if is_start {
            fault!("unmap-of-the-first-half-unmaps-all", ["VMM-MAP-012"], "The first half stands for the mapping.")
        } else {
            fault!("unmap-of-the-last-half-unmaps-all", ["VMM-MAP-012"], "The last half stands for the mapping.")
        };
        let touched = || self.ranges.values().filter(|range| range.base < address + size && address < range.end());
        is_accepted.then(|| touched().map(|range| range.base).collect())
    }

    /// The mapping that a faulty `cuMemUnmap` removes although it refuses, or although it is another.
    fn lose_a_mapping(&mut self, address: u64, is_refused: bool) {
        let lost = if is_refused {
            fault!("unmap-refused-loses-the-mapping", ["VMM-MAP-012"], "A refused call removes the mapping.")
                .then(|| self.range(address).map(|range| range.base))
                .flatten()
        } else {
            (self.range(address).is_none()
                && fault!(
                    "unmap-of-nothing-removes-the-next-mapping",
                    ["VMM-MAP-014"],
                    "It removes the mapping after it."
                ))
            .then(|| self.ranges.range(address..).next().map(|(base, _)| *base))
            .flatten()
        };
        if let Some(base) = lost {
            self.ranges.remove(&base);
        }
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

/// The faults of addresses and sizes that are not whole granules.
fn is_unaligned_accepted(address: u64, size: u64) -> bool {
    const PAGE: u64 = 4096;
    if !is_granular(address) {
        return address.is_multiple_of(PAGE)
            && fault!(
                "map-checks-addresses-to-pages",
                ["VMM-MAP-006"],
                "An address need only be a multiple of a page."
            )
            || is_granular(address * 2)
                && fault!("map-accepts-half-granules-as-addresses", ["VMM-MAP-006"], "Half a granule is enough.")
            || fault!("map-ignores-the-alignment-of-addresses", ["VMM-MAP-006"], "Any address is mapped.");
    }
    size.is_multiple_of(PAGE)
        && fault!("map-checks-sizes-to-pages", ["VMM-MAP-006"], "A size need only be a multiple of a page.")
        || fault!("map-ignores-the-alignment-of-sizes", ["VMM-MAP-006"], "Any size is mapped.")
}

/// The faults of a size beyond the allocation.
fn is_too_much_accepted(size: u64, all: u64) -> bool {
    size == all + GRANULARITY && fault!("map-maps-one-granule-too-many", ["VMM-MAP-004"], "One granule more is mapped.")
        || fault!("map-ignores-the-size-of-the-allocation", ["VMM-MAP-004"], "Any size is mapped.")
}

/// The faults of flags that are not 0.
fn are_flags_accepted(flags: u64) -> bool {
    fault!("map-ignores-flags", ["VMM-MAP-010"], "Flags have no effect.")
        || flags & 1 == 0 && fault!("map-checks-only-one-flag", ["VMM-MAP-010"], "Only bit 0 is checked.")
        || flags as u32 == 0
            && fault!("map-checks-only-32-flags", ["VMM-MAP-010"], "The upper half of the flags is not checked.")
}

/// Whether a context has pending work.
fn has_work(context: u64) -> bool {
    state().is_ok_and(|state| state.streams_of(context).iter().any(|stream| !stream.now().is_done()))
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
        let all = allocation.block.size;
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
        let is_aligned = is_granular(size) && is_granular(address) || is_unaligned_accepted(address, size);
        let fits = size > 0 && is_aligned && (size <= room || is_too_much_accepted(size, all));
        let is_offset_accepted = offset as u64 + size <= all
            && fault!("map-accepts-an-offset-and-ignores-it", ["VMM-MAP-002"], "The memory is mapped from its start.");
        if offset != 0 && !is_offset_accepted || flags != 0 && !are_flags_accepted(flags) || !fits {
            return Err(INVALID_VALUE);
        }
        let is_refused = size == all
            && fault!("map-refuses-the-whole-allocation", ["VMM-MAP-003"], "A mapping must be smaller.")
            || size < all && fault!("map-refuses-a-part", ["VMM-MAP-005"], "A mapping must be the whole.");
        if is_refused {
            return Err(INVALID_VALUE);
        }
        state.check_free(address, size).inspect_err(|_| state.refuse_mapping(address))?;
        let is_whole = fault!("map-of-a-part-maps-all", ["VMM-MAP-005"], "The size of a mapping is always that of the memory.");
        let size = if is_whole { all } else { size };
        // VMM-MAP-015, VMM-MAP-027: no device has access yet.
        let device = allocation.device;
        const READ: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ;
        const READ_WRITE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let is_import = allocation.is_import();
        let allocation = state.shown(address, handle, allocation)?;
        let mut access = State::first_access(address, device);
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
        if is_import
            && fault!(
                "map-of-an-import-is-refused-while-a-kernel-runs",
                ["IPCMEM-CLOSE-019"],
                "No import can be mapped while a kernel of the process runs.",
            )
            && state.is_busy()
        {
            return Err(INVALID_VALUE);
        }
        let maps_an_import =
            |range: &&Range| matches!(&range.memory, Memory::Mapping { allocation, .. } if allocation.is_import());
        if is_import
            && state.ranges.values().filter(maps_an_import).count() >= 32
            && fault!("map-maps-32-imports-at-most", ["VMM-IMP-001"], "A process can have 32 imports mapped.")
        {
            return Err(OUT_OF_MEMORY);
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
        let size = if fault!("map-cuts-the-size", ["VMM-MAP-003"], "A mapping has the lower 32 bits of its size.") {
            size & 0xffff_ffff
        } else {
            size
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
            state.mappings(address, size).or_else(|code| state.cut(address, size).ok_or(code))
        };
        let users = {
            let mut state = state()?;
            let found = find(&state);
            state.lose_a_mapping(address, found.is_err());
            state.users_of(&found?)
        };
        if users.iter().any(|context| has_work(*context))
            && fault!("unmap-lets-a-kernel-write-elsewhere", ["VMM-MAP-016"], "A kernel's stores go to other memory.")
        {
            let mut state = state()?;
            let found = find(&state)?;
            return state.redirect(&found);
        }
        // VMM-MAP-016: errors do not matter, since neither a destroyed context nor a failed process still uses the
        // memory.
        for context in users {
            if has_work(context)
                && fault!("unmap-ends-a-kernel-with-another-code", ["VMM-MAP-016"], "The kernel ends as LAUNCH_FAILED.")
            {
                state()?.context(context)?.health.fail(CUresult::CUDA_ERROR_LAUNCH_FAILED);
            }
            let _ = synchronize(context);
        }
        let mut state = state()?;
        let found = find(&state)?;
        if found.iter().filter_map(|base| state.ranges.get(base)).map(|range| range.size).sum::<u64>() < size
            && fault!("unmap-of-more-than-mapped-unmaps-nothing", ["VMM-MAP-014"], "The call succeeds, the mapping stays.")
        {
            return Ok(());
        }
        let is_import = |base: &u64| {
            let memory = state.ranges.get(base).map(|range| &range.memory);
            matches!(memory, Some(Memory::Mapping { allocation, .. }) if allocation.is_import())
        };
        if found.iter().any(|base| is_import(base) && is_spoiled(*base)) {
            return Err(INVALID_VALUE);
        }
        for base in found {
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
                    "unmap-of-a-second-mapping-leaks",
                    ["VMM-IMP-023"],
                    "Memory that was imported and mapped twice is kept until the process ends.",
                ) && state.ranges.values().any(|other| other.is_of(allocation))
                {
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
            if let Memory::Mapping { allocation, .. } = &range.memory
                && fault!("unmap-ends-every-alias", ["VMM-MAP-009"], "The other addresses of the memory are unmapped too.")
            {
                let allocation = Arc::clone(allocation);
                state.ranges.retain(|_, other| !other.is_of(&allocation));
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
        if !state.physical.contains_key(&handle)
            && fault!("retain-needs-a-handle", ["VMM-IMP-030"], "Memory whose handle was released gives none.")
        {
            return Err(INVALID_VALUE);
        }
        if allocation.is_import()
            && fault!("retain-of-an-import-fails", ["VMM-IMP-030"], "Mapped memory of another process gives no handle.")
        {
            return Err(INVALID_VALUE);
        }
        if fault!("retain-gives-a-new-handle", ["VMM-IMP-030"], "The handle has another value than the mapped one.") {
            let handle = state.new_id();
            state.physical.insert(handle, Physical { allocation, references: 1, context: top() });
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
        state.physical.entry(handle).or_insert(Physical { allocation, references: 0, context: top() }).references += 1;
        output.give(handle)
    }
}

//! Who may do what with mappings: `cuMemSetAccess`, `cuMemGetAccess`.

use std::ffi::c_void;
use std::os::fd::AsRawFd as _;

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType};

use crate::answer::{INVALID_VALUE, Input, OUT_OF_MEMORY, Output, Result};
use crate::block::{Block, HOST};
use crate::process::{State, state};
use crate::range::{AccessOf, Memory, Range};

type F = CUmemAccess_flags;

impl State {
    /// The device of a location, or the host. A node's number does not matter here, as the documentation says.
    fn asker_at(&mut self, location: &CUmemLocation) -> Result<usize> {
        type L = CUmemLocationType;
        match location.type_ {
            // VMM-MAP-026
            L::CU_MEM_LOCATION_TYPE_DEVICE => self.device(location.id()).map(|device| device.index),
            L::CU_MEM_LOCATION_TYPE_HOST | L::CU_MEM_LOCATION_TYPE_HOST_NUMA => Ok(HOST),
            // VMM-MAP-025, -028
            _ => Err(INVALID_VALUE),
        }
    }

    fn check_mapping_access(&mut self, wanted: &[CUmemAccessDesc]) -> Result<AccessOf> {
        let known =
            [F::CU_MEM_ACCESS_FLAGS_PROT_NONE, F::CU_MEM_ACCESS_FLAGS_PROT_READ, F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE];
        let mut access = AccessOf::new();
        for CUmemAccessDesc { location, flags } in wanted {
            // VMM-MAP-025
            if !known.contains(flags) {
                return Err(INVALID_VALUE);
            }
            // VMM-MAP-029: any device, since all are peers.
            access.insert(self.asker_at(location)?, *flags);
        }
        Ok(access)
    }

    /// The mappings that a place consists of, without holes, all of which may be given such access.
    fn mappings_to_open(&self, address: u64, size: u64, wanted: &AccessOf) -> Result<Vec<u64>> {
        // VMM-MAP-024: a mapping has one access.
        let mappings = self.mappings(address, size)?;
        let mut mapped = 0;
        for range in mappings.iter().filter_map(|base| self.ranges.get(base)) {
            let is_the_hosts = match &range.memory {
                Memory::Mapping { allocation, .. } => allocation.location.device() == HOST,
                Memory::Multicast { .. } => false,
                _ => return Err(INVALID_VALUE),
            };
            // VMM-MAP-031: the host reaches its own memory only.
            if wanted.contains_key(&HOST) && !is_the_hosts {
                return Err(INVALID_VALUE);
            }
            mapped += range.size;
        }
        // VMM-MAP-023
        if mapped == size { Ok(mappings) } else { Err(INVALID_VALUE) }
    }
}

/// Let the host itself, or no more, use the addresses of a mapping.
pub(super) fn show_to_host(range: &Range, block: &Block, flags: CUmemAccess_flags) -> Result<()> {
    let shared = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE;
    let hidden = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    let (protection, kind, file) = match flags {
        F::CU_MEM_ACCESS_FLAGS_PROT_READ => (libc::PROT_READ, shared, block.file().as_raw_fd()),
        F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE => (libc::PROT_READ | libc::PROT_WRITE, shared, block.file().as_raw_fd()),
        _ => (libc::PROT_NONE, hidden, -1),
    };
    // SAFETY: the addresses are a reservation's, which this driver owns, and which nothing else lies in.
    let address = unsafe { libc::mmap(range.base as *mut c_void, range.size as usize, protection, kind, file, 0) };
    if address == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(()) }
}

entry_points! {
    fn cuMemSetAccess(address: CUdeviceptr, size: usize, wanted: Input<CUmemAccessDesc>, count: usize) {
        let mut state = state()?;
        // VMM-MAP-025
        if size == 0 || count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises so many.
        let wanted = unsafe { wanted.values(count) }?;
        let wanted = state.check_mapping_access(&wanted)?;
        let mappings = state.mappings_to_open(address, size as u64, &wanted)?;
        for base in mappings {
            let Some(range) = state.ranges.get_mut(&base) else { continue };
            if let (Some(flags), Memory::Mapping { allocation, .. }) = (wanted.get(&HOST), &range.memory) {
                show_to_host(range, &allocation.block, *flags)?;
            }
            // VMM-MAP-022, VMM-IMP-014: of this process and this mapping; other locations keep what they have.
            if let Memory::Mapping { access, .. } | Memory::Multicast { access, .. } = &mut range.memory {
                access.extend(wanted.iter().map(|(asker, flags)| (*asker, *flags)));
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(output: Output<u64>, location: Input<CUmemLocation>, address: CUdeviceptr) {
        let mut state = state()?;
        output.wanted()?;
        let asker = state.asker_at(&location.value()?)?;
        // VMM-MAP-027, -028
        match state.range(address).map(|range| &range.memory) {
            Some(Memory::Mapping { access, .. } | Memory::Multicast { access, .. }) => output.give(access.get(&asker).map_or(0, |flags| flags.0.into())),
            _ => Err(INVALID_VALUE),
        }
    }
}

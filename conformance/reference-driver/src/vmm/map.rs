//! Mappings of physical memory at reserved addresses.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUmemGenericAllocationHandle};

use super::{Physical, is_granular};
use crate::answer::{INVALID_VALUE, Output, Result};
use crate::block::HOST;
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
        let fits = size > 0 && is_granular(size) && size <= allocation.block.size && is_granular(address);
        if offset != 0 || flags != 0 || !fits {
            return Err(INVALID_VALUE);
        }
        state.check_free(address, size)?;
        // VMM-MAP-015, VMM-MAP-027: no device has access yet.
        let device = allocation.device;
        let memory = Memory::Mapping { allocation, offset: 0, handle, access: AccessOf::new() };
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
            if let Some(range) = state.ranges.remove(&base)
                && range.device == HOST
            {
                close_to_host(range.base, range.size)?;
            }
        }
        Ok(())
    }

    fn cuMemRetainAllocationHandle(output: Output<CUmemGenericAllocationHandle>, address: *mut c_void) {
        let mut state = state()?;
        output.wanted()?;
        // VMM-IMP-031, -032
        let Some(Memory::Mapping { allocation, handle, .. }) = state.range(address as u64).map(|range| &range.memory)
        else {
            return Err(INVALID_VALUE);
        };
        // VMM-IMP-030: the handle that was mapped. If it was released, it becomes valid again.
        let (handle, allocation) = (*handle, Arc::clone(allocation));
        state.physical.entry(handle).or_insert(Physical { allocation, references: 0 }).references += 1;
        output.give(handle)
    }
}

//! Linear device memory: `cuMemAlloc` and related calls.

use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUresult};

use crate::account::free_memory;
use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::Block;
use crate::environment::environment;
use crate::ipc::range_of;
use crate::process::{State, state};
use crate::range::Memory;
use crate::stream::synchronize;

/// Rows of pitched memory begin at multiples of this.
const PITCH: u64 = 512;

impl State {
    fn allocate(&mut self, context: u64, size: u64) -> Result<u64> {
        let owner = self.context_mut(context)?;
        let device = owner.device_index;
        let piece = owner.memory.divide(size, |size| Block::new(device, size).map(Arc::new))?;
        let base = piece.base();
        self.add_range(base, size, context, device, Memory::Linear(piece));
        Ok(base)
    }

    /// The context whose work may still use memory that `cuMemFree` frees. `None` if the caller is responsible for such
    /// work.
    fn user_of(&self, pointer: u64) -> Result<Option<u64>> {
        match self.ranges.get(&pointer).filter(|range| !range.is_freed).map(|range| (&range.memory, range.context)) {
            Some((Memory::Linear(_) | Memory::Managed(_), context)) => Ok(Some(context)),
            // POOL-PTR-014: `cuMemFree` frees imports from a pool too.
            Some((Memory::Pool { .. } | Memory::PoolImport { .. } | Memory::Graph(_), _)) => Ok(None),
            // IPCMEM-OPEN-042, VMM-MAP-034: memory of any other kind is released by a function of its own.
            _ => Err(INVALID_VALUE),
        }
    }
}

entry_points! {
    fn cuMemGetInfo_v2(free: Output<usize>, total: Output<usize>) {
        let device = {
            let state = state()?;
            state.context(state.current()?)?.device_index
        };
        free.wanted()?;
        total.give(environment().memory as usize)?;
        free.give(free_memory(device) as usize)
    }

    fn cuMemAlloc_v2(pointer: Output<CUdeviceptr>, size: usize) {
        let mut state = state()?;
        let context = state.current()?;
        pointer.wanted()?;
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        pointer.give(state.allocate(context, size as u64)?)
    }

    fn cuMemAllocPitch_v2(
        pointer: Output<CUdeviceptr>,
        pitch: Output<usize>,
        width: usize,
        height: usize,
        element_size: u32,
    ) {
        let mut state = state()?;
        let context = state.current()?;
        pointer.wanted()?;
        pitch.wanted()?;
        if width == 0 || height == 0 || !matches!(element_size, 4 | 8 | 16) {
            return Err(INVALID_VALUE);
        }
        let row = (width as u64).checked_next_multiple_of(PITCH).ok_or(OUT_OF_MEMORY)?;
        let size = row.checked_mul(height as u64).ok_or(OUT_OF_MEMORY)?;
        pointer.give(state.allocate(context, size)?)?;
        pitch.give(row as usize)
    }

    fn cuMemFree_v2(pointer: CUdeviceptr) {
        let user = {
            let mut state = state()?;
            state.current()?;
            if let Some(result) = state.free_import(pointer) {
                return result;
            }
            state.user_of(pointer)?
        };
        if let Some(context) = user {
            synchronize(context)?;
        }
        let mut state = state()?;
        // Another thread may have freed the memory meanwhile.
        state.user_of(pointer)?;
        state.free_exported(pointer)?;
        state.begin_free(pointer)?;
        state.release(pointer);
        Ok(())
    }

    // RANGE-001: either output may be null. RANGE-003: for adjacent mappings, the range is only that of the pointer's
    // mapping.
    fn cuMemGetAddressRange_v2(base: Output<CUdeviceptr>, size: Output<usize>, pointer: CUdeviceptr) {
        let state = state()?;
        state.current()?;
        // RANGE-002: the documentation lists two codes, and this is the more specific one.
        let range = state.range(pointer).ok_or(CUresult::CUDA_ERROR_NOT_FOUND)?;
        let (begin, length) = range_of(range, pointer)?;
        base.give_if_wanted(begin);
        size.give_if_wanted(length as usize);
        Ok(())
    }
}

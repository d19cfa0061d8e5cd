//! Linear device memory: `cuMemAlloc` and related calls.

use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUmemAccess_flags, CUresult};

use crate::account::free_memory;
use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::Block;
use crate::dma_buf::check_free;
use crate::environment::environment;
use crate::host::is_mapped;
use crate::ipc::range_of;
use crate::process::{State, state};
use crate::range::{By, Memory, Range};
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
            Some((Memory::PoolImport { .. }, _))
                if fault!(
                    "pool-free-refuses-an-import",
                    ["POOL-PTR-014"],
                    "cuMemFree refuses an import of a pool."
                ) =>
            {
                Err(INVALID_VALUE)
            }
            // POOL-PTR-014: `cuMemFree` frees imports from a pool too.
            Some((Memory::Pool { .. } | Memory::PoolImport { .. } | Memory::Graph(_), _)) => Ok(None),
            Some((Memory::Mapping { .. }, _))
                if fault!("mem-free-unmaps-a-mapping", ["VMM-MAP-034"], "cuMemFree of a mapping unmaps it.") =>
            {
                Ok(None)
            }
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
            state.check_current_if_any()?;
            if pointer == 0 {
                return Ok(());
            }
            if fault!("free-needs-a-context", ["IPCMEM-GET-033"], "cuMemFree is refused without a current context.") {
                state.current()?;
            }
            if state.current().is_err()
                && fault!("free-without-a-context-is-lost", ["IPCMEM-GET-033"], "It succeeds and frees nothing.")
            {
                return Ok(());
            }
            if let Some(result) = state.free_import(pointer) {
                return result;
            }
            if matches!(state.ranges.get(&pointer), Some(Range { memory: Memory::Mapping { .. }, .. }))
                && fault!("mem-free-of-a-mapping-does-nothing", ["VMM-MAP-034"], "cuMemFree of a mapping succeeds.")
            {
                return Ok(());
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
        check_free(pointer)?;
        state.begin_free(pointer)?;
        state.release(pointer);
        Ok(())
    }

    // RANGE-001: either output may be null. RANGE-003: for adjacent mappings, the range is only that of the pointer's
    // mapping.
    fn cuMemGetAddressRange_v2(base: Output<CUdeviceptr>, size: Output<usize>, pointer: CUdeviceptr) {
        let state = state()?;
        let context = state.current()?;
        if state.range(pointer).is_some_and(|range| state.is_opened_in_another_context(range, context)) {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        }
        if let Some(range) = state.range(pointer).filter(|range| matches!(range.memory, Memory::PoolImport { .. })) {
            // Seen on an H200: a device without access to the pool does not know the memory.
            if state.access_flags(range, context, By::Kernel) == CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE {
                return Err(CUresult::CUDA_ERROR_NOT_FOUND);
            }
            if fault!("pool-import-has-no-range", ["POOL-PTR-019"], "cuMemGetAddressRange refuses an import of a pool.") {
                return Err(INVALID_VALUE);
            }
            if fault!("pool-import-has-a-huge-range", ["POOL-PTR-019"], "The range of an import of a pool is 1 TiB.") {
                base.give_if_wanted(range.base);
                size.give_if_wanted(1 << 40);
                return Ok(());
            }
            if fault!("pool-import-range-begins-at-the-pointer", ["POOL-PTR-019"], "The range of an import of a pool begins at the pointer that was asked for.") {
                base.give_if_wanted(pointer);
                size.give_if_wanted((range.end() - pointer) as usize);
                return Ok(());
            }
            if fault!("pool-import-range-has-no-size", ["POOL-PTR-019"], "The size of the range of an import of a pool is not written.") {
                base.give_if_wanted(range.base);
                return Ok(());
            }
        }
        if state.range(pointer).is_some_and(|range| range.device == 1)
            && fault!("range-of-the-second-device-is-unknown", ["RANGE-001"], "Only memory of GPU 0 has a range.")
        {
            return Err(INVALID_VALUE);
        }
        let (mut found, mut length) = state.address_range(pointer)?;
        if let Some(range) = state.range(pointer) {
            let (begin, size) = range_of(range, pointer)?;
            if (begin, size) != (range.base, range.size) {
                (found, length) = (begin, size);
            }
        }
        if fault!("range-cuts-the-size", ["RANGE-001"], "The size of a range has 32 bits.") {
            length &= 0xffff_ffff;
        }
        if base.wanted().is_err() && fault!("range-null-base-refused", ["RANGE-001"], "A null base is refused.") {
            return Err(INVALID_VALUE);
        }
        if size.wanted().is_err() && fault!("range-null-size-refused", ["RANGE-001"], "A null size is refused.") {
            return Err(INVALID_VALUE);
        }
        if (base.wanted().is_err() || size.wanted().is_err())
            && fault!(
                "range-writes-both-or-nothing",
                ["RANGE-001"],
                "If one output is null, the other one is not written."
            )
        {
            return Ok(());
        }
        base.give_if_wanted(found);
        size.give_if_wanted(length as usize);
        Ok(())
    }
}

impl State {
    /// The base and the size of the range that an address lies in.
    fn address_range(&self, pointer: u64) -> Result<(u64, u64)> {
        // RANGE-002: the documentation lists two codes, and this is the more specific one.
        let Some(range) = self.range(pointer) else { return unknown(self, pointer) };
        let (base, size) = (range.base, range.size);
        let is_of_pool = matches!(range.memory, Memory::Pool { .. });
        if pointer == base && fault!("range-begins-late", ["RANGE-001"], "The first byte of an allocation is unknown.")
        {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        }
        if pointer != base
            && fault!("range-of-interior-pointers-refused", ["RANGE-001"], "A pointer into an allocation is unknown.")
        {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        }
        if pointer + 1 == range.end()
            && fault!("range-ends-early", ["RANGE-001"], "The last byte of an allocation is unknown.")
        {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        }
        if fault!("range-starts-at-the-pointer", ["RANGE-001"], "The base is the pointer asked for.") {
            return Ok((pointer, size));
        }
        if fault!("range-size-from-the-pointer-on", ["RANGE-001"], "The size is that of the rest after the pointer.") {
            return Ok((base, range.end() - pointer));
        }
        if let Memory::Linear(piece) = &range.memory
            && fault!(
                "range-of-the-block",
                ["RANGE-001"],
                "The range of a small allocation is the block that it shares with others."
            )
        {
            let block = piece.block();
            return Ok((block.base, block.size));
        }
        if matches!(range.memory, Memory::Mapping { .. })
            && fault!(
                "range-is-the-reservation",
                ["PTRATTR-004"],
                "cuMemGetAddressRange describes the reservation, not the mapping."
            )
        {
            return Ok(self.reservation(pointer).unwrap_or((base, size)));
        }
        if matches!(range.memory, Memory::Mapping { .. })
            && fault!("range-joins-mappings", ["RANGE-003"], "The range of adjacent mappings is all of them.")
        {
            let is_mapping = |range: &&Range| matches!(range.memory, Memory::Mapping { .. });
            let (mut begin, mut end) = (base, range.end());
            while let Some(earlier) = self.range(begin - 1).filter(is_mapping) {
                begin = earlier.base;
            }
            while let Some(later) = self.range(end).filter(is_mapping) {
                end = later.end();
            }
            return Ok((begin, end - begin));
        }
        if matches!(range.memory, Memory::Managed(_))
            && fault!("range-of-managed-memory-is-empty", ["RANGE-004"], "The range of managed memory has 0 bytes.")
        {
            return Ok((base, 0));
        }
        if matches!(range.memory, Memory::Host(_))
            && fault!("range-of-pinned-memory-is-one-page", ["RANGE-004"], "The range of pinned memory is one page.")
        {
            return Ok((base, 4096));
        }
        if is_of_pool
            && fault!(
                "range-of-pool-memory-begins-elsewhere",
                ["RANGE-004"],
                "The range of pool memory begins one page before the allocation."
            )
        {
            return Ok((base - 4096, size + 4096));
        }
        Ok((base, size))
    }
}

/// RANGE-002: the result for an address outside every range.
fn unknown(state: &State, pointer: u64) -> Result<(u64, u64)> {
    if fault!("range-of-heap-memory", ["RANGE-002"], "Memory of the process has a range, which begins there.")
        && is_mapped(pointer, 1)
    {
        return Ok((pointer, 1));
    }
    if pointer == 0 && fault!("range-of-null", ["RANGE-002"], "The null pointer has a range of 0 bytes.") {
        return Ok((0, 0));
    }
    if pointer != 0
        && fault!("range-of-freed-memory", ["RANGE-002"], "An address that was freed has a range of 0 bytes.")
        && !is_mapped(pointer, 1)
    {
        return Ok((pointer, 0));
    }
    if let Some(range) = state.range(pointer.saturating_sub(1))
        && fault!("range-one-too-long", ["RANGE-002"], "The address after an allocation belongs to it.")
    {
        return Ok((range.base, range.size));
    }
    if fault!("range-of-unknown-memory-code", ["RANGE-002"], "An unknown pointer is CUDA_ERROR_INVALID_CONTEXT.") {
        return Err(INVALID_CONTEXT);
    }
    Err(CUresult::CUDA_ERROR_NOT_FOUND)
}

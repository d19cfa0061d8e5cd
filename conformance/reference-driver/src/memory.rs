//! Address ranges, and linear memory: `cuMemAlloc` and what belongs to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuda_ipc_sys::{CUdeviceptr, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Result, give, give_if_asked, wanted};
use crate::block::{Block, GRANULARITY, UNIT, free_memory};
use crate::context::synchronize;
use crate::environment::environment;
use crate::process::{State, state};

/// What a range of addresses is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Memory of `cuMemAlloc`: its block, and the serial that its handles carry.
    Linear {
        block: Arc<Block>,
        serial: u64,
    },
    /// Memory of another process, opened by a legacy handle. Its whole block is in reach, neighbours included.
    Import {
        block: Arc<Block>,
    },
    /// Memory of a pool.
    StreamOrdered {
        block: Arc<Block>,
        pool: u64,
    },
    /// Memory of a graph's allocation node.
    GraphOwned {
        block: Arc<Block>,
    },
    /// Page-locked memory that the driver allocated.
    PinnedHost,
    /// Page-locked memory of the caller.
    RegisteredHost,
    Managed,
    /// A mapping of physical memory.
    Mapped {
        physical: Arc<Block>,
        handle: u64,
        access: BTreeMap<i32, u32>,
    },
}

/// A range of addresses that the driver knows.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) kind: Kind,
    /// The context that it belongs to; for an import, the one that opened it.
    pub(crate) context: u64,
    /// The place in the machine of the device that holds the memory.
    pub(crate) device_index: usize,
    /// PTRATTR-006: a number that no other allocation of this process gets.
    pub(crate) buffer_id: u64,
    pub(crate) sync_memops: bool,
}

impl Range {
    pub(crate) const fn is_host(&self) -> bool {
        matches!(self.kind, Kind::PinnedHost | Kind::RegisteredHost)
    }

    /// What keeps the memory alive while a stream still works on it.
    pub(crate) fn memory(&self) -> Option<Arc<Block>> {
        match &self.kind {
            Kind::Linear { block, .. }
            | Kind::Import { block }
            | Kind::StreamOrdered { block, .. }
            | Kind::GraphOwned { block }
            | Kind::Mapped { physical: block, .. } => Some(Arc::clone(block)),
            Kind::PinnedHost | Kind::RegisteredHost | Kind::Managed => None,
        }
    }
}

/// A 2 MiB block that small allocations of one context share.
#[derive(Debug)]
pub(crate) struct SmallBlock {
    block: Arc<Block>,
    context: u64,
    /// Which units are taken.
    taken: Vec<bool>,
}

impl SmallBlock {
    /// The first run of free units, taken.
    fn take(&mut self, units: usize) -> Option<u64> {
        let mut free = 0;
        for index in 0..self.taken.len() {
            free = if self.taken[index] { 0 } else { free + 1 };
            if free == units {
                let first = index + 1 - units;
                self.taken[first..=index].fill(true);
                return Some(first as u64 * UNIT);
            }
        }
        None
    }
}

/// A number for every allocation of this process.
fn next_serial() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

fn units(size: u64) -> usize {
    size.div_ceil(UNIT) as usize
}

impl State {
    pub(crate) fn add_range(&mut self, base: u64, size: u64, kind: Kind, context: u64, device_index: usize) {
        let buffer_id = self.new_id() >> 8;
        let range = Range { base, size, kind, context, device_index, buffer_id, sync_memops: false };
        self.ranges.insert(base, range);
    }

    /// The range that holds an address.
    pub(crate) fn range(&self, address: u64) -> Option<&Range> {
        let (_, range) = self.ranges.range(..=address).next_back()?;
        (address - range.base < range.size).then_some(range)
    }

    /// The range that holds all of these bytes, as a copy wants it.
    pub(crate) fn holding(&self, address: u64, size: u64) -> Result<&Range> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        self.range(address).filter(|range| end <= range.base + range.size).ok_or(INVALID_VALUE)
    }

    /// The range that lets device code reach all of these bytes. IPCMEM-OPEN-025: the whole block of an import is
    /// mapped, its neighbours included.
    pub(crate) fn mapped(&self, address: u64, size: u64) -> Result<&Range> {
        let end = address.checked_add(size).ok_or(INVALID_VALUE)?;
        let covers = |range: &&Range| match &range.kind {
            Kind::Import { block } => block.base <= address && end <= block.base + block.size,
            _ => false,
        };
        let imports = || self.imports.iter().filter_map(|import| self.ranges.get(&import.pointer)).find(covers);
        self.holding(address, size).ok().or_else(imports).ok_or(INVALID_VALUE)
    }

    /// The range that begins at an address.
    pub(crate) fn range_at(&self, base: u64) -> Result<&Range> {
        self.ranges.get(&base).ok_or(INVALID_VALUE)
    }

    fn allocate(&mut self, size: u64) -> Result<u64> {
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        let context = self.current()?;
        let device_index = self.context(context)?.device_index;
        let (block, offset) = if size >= GRANULARITY {
            (Arc::new(Block::new(device_index, size)?), 0)
        } else {
            self.allocate_small(context, device_index, size)?
        };
        let serial = next_serial();
        block.serial(offset).store(serial, Ordering::Release);
        let base = block.base + offset;
        self.add_range(base, size, Kind::Linear { block, serial }, context, device_index);
        Ok(base)
    }

    fn allocate_small(&mut self, context: u64, device_index: usize, size: u64) -> Result<(Arc<Block>, u64)> {
        for small in self.small_blocks.iter_mut().filter(|small| small.context == context) {
            if let Some(offset) = small.take(units(size)) {
                return Ok((Arc::clone(&small.block), offset));
            }
        }
        let block = Arc::new(Block::new(device_index, GRANULARITY)?);
        let taken = vec![false; (GRANULARITY / UNIT) as usize];
        let mut small = SmallBlock { block: Arc::clone(&block), context, taken };
        let offset = small.take(units(size)).ok_or(CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        self.small_blocks.push(small);
        Ok((block, offset))
    }

    /// Forget a range, and give its memory back: it lives on where another process maps it.
    pub(crate) fn forget(&mut self, base: u64) {
        let Some(range) = self.ranges.remove(&base) else { return };
        match range.kind {
            Kind::Linear { block, .. } => {
                let offset = base - block.base;
                // IPCMEM-OPEN-016: from here on the handle names nothing.
                block.serial(offset).store(0, Ordering::Release);
                if let Some(small) = self.small_blocks.iter_mut().find(|small| small.block.inode == block.inode) {
                    let first = (offset / UNIT) as usize;
                    small.taken[first..first + units(range.size)].fill(false);
                }
                self.small_blocks.retain(|small| small.taken.contains(&true));
            }
            Kind::PinnedHost | Kind::Managed => crate::block::unmap(base, range.size),
            _ => {}
        }
    }

    /// IPCMEM-GET-025: allocations die with their context. Physical memory and pinned host memory stay.
    pub(crate) fn forget_ranges_of(&mut self, context: u64) {
        let own = |range: &&Range| {
            range.context == context && !matches!(range.kind, Kind::Mapped { .. } | Kind::Import { .. })
        };
        let bases: Vec<_> = self.ranges.values().filter(own).map(|range| range.base).collect();
        for base in bases {
            self.forget(base);
        }
        self.small_blocks.retain(|small| small.context != context);
    }
}

/// `cuMemFree`: waits for the context's work, because that may still use the memory.
fn free(pointer: u64) -> Result<()> {
    if pointer == 0 {
        return Ok(());
    }
    let owner = {
        let state = state()?;
        state.current()?;
        let range = state.range_at(pointer)?;
        match range.kind {
            Kind::Linear { .. } | Kind::Managed | Kind::StreamOrdered { .. } | Kind::GraphOwned { .. } => range.context,
            // IPCMEM-OPEN-042, VMM-MAP-034: what came another way goes back that way.
            _ => return Err(INVALID_VALUE),
        }
    };
    synchronize(owner)?;
    state()?.forget(pointer);
    Ok(())
}

entry_points! {
    fn cuMemAlloc_v2(pointer: *mut CUdeviceptr, size: usize) {
        let mut state = state()?;
        wanted(pointer)?;
        let base = state.allocate(size as u64)?;
        give(pointer, base)
    }

    fn cuMemAllocPitch_v2(pointer: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, element: u32) {
        const PITCH: usize = 512;
        let mut state = state()?;
        wanted(pointer)?;
        wanted(pitch)?;
        if !matches!(element, 4 | 8 | 16) {
            return Err(INVALID_VALUE);
        }
        let row = width.checked_next_multiple_of(PITCH).ok_or(INVALID_VALUE)?;
        let base = state.allocate(row.checked_mul(height).ok_or(INVALID_VALUE)? as u64)?;
        give(pitch, row)?;
        give(pointer, base)
    }

    fn cuMemFree_v2(pointer: CUdeviceptr) {
        free(pointer)
    }

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let state = state()?;
        let context = state.current()?;
        give(free, free_memory(state.context(context)?.device_index) as usize)?;
        give(total, environment().memory as usize)
    }

    fn cuMemGetAddressRange_v2(base: *mut CUdeviceptr, size: *mut usize, pointer: CUdeviceptr) {
        let state = state()?;
        let known = state.contexts.contains_key(&crate::context::top());
        if !known {
            return Err(INVALID_CONTEXT);
        }
        // RANGE-002
        let range = state.range(pointer).ok_or(CUresult::CUDA_ERROR_NOT_FOUND)?;
        give_if_asked(base, range.base);
        give_if_asked(size, range.size as usize);
        Ok(())
    }
}

//! Stream-ordered allocation and freeing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cuda_ipc_sys::{CUdeviceptr, CUmemoryPool, CUstream};

use super::Target;
use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Output, Result};
use crate::block::{GRANULARITY, HOST};
use crate::order::is_spoiled;
use crate::process::{State, state};
use crate::range::Memory;

/// Bytes of a pool.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) used: u64,
    pub(super) reserved: u64,
}

impl State {
    /// The bytes that a pool holds now. POOL-IMP-014: for an imported pool, the bytes that this process has imported
    /// from it.
    pub(super) fn usage(&self, id: u64) -> Usage {
        let (mut used, mut blocks, mut granules) = (0, BTreeMap::new(), BTreeSet::new());
        for range in self.ranges.values().filter(|range| range.memory.pool() == Some(id)) {
            // Memory that a stream is going to free no longer counts as used, as on an H200.
            let is_import = matches!(range.memory, Memory::PoolImport { .. });
            used += match () {
                () if range.is_freed => 0,
                () if is_import
                    && fault!(
                        "pool-usage-rounds-imports",
                        ["POOL-IMP-014"],
                        "The usage of an imported pool counts whole chunks of 32 MiB."
                    ) =>
                {
                    range.size.next_multiple_of(16 * GRANULARITY)
                }
                () => range.size,
            };
            match &range.memory {
                Memory::Pool { piece, .. } => {
                    blocks.insert(piece.block().base, piece.block().size);
                }
                Memory::PoolImport { place, .. } => {
                    granules.extend(place / GRANULARITY..(place + range.size).div_ceil(GRANULARITY));
                }
                _ => {}
            }
        }
        let in_use = blocks.values().sum::<u64>() + granules.len() as u64 * GRANULARITY;
        let mut reserved = match self.pools.get(&id) {
            Some(pool) if pool.is_imported() => in_use,
            // POOL-IMP-015: a pool that can be shared never shrinks.
            Some(pool) => pool.memory.file.as_ref().map_or(in_use + pool.memory.kept_bytes(), |file| file.size()),
            None => in_use,
        };
        let imported = self.pools.get(&id).filter(|pool| pool.is_imported());
        if let Some(pool) = imported {
            if fault!(
                "pool-usage-of-an-import-is-the-exporters",
                ["POOL-IMP-014"],
                "The usage of an imported pool counts what the exporter allocated."
            ) {
                used = pool.memory.file.as_ref().map_or(0, |file| file.size());
            }
            if fault!(
                "pool-usage-of-an-import-never-falls",
                ["POOL-IMP-014"],
                "The usage of an imported pool does not fall when an import is freed."
            ) {
                used = used.max(pool.high.used);
            }
            if fault!("pool-reserved-of-an-import-is-0", ["POOL-IMP-014"], "An imported pool reserves no memory.") {
                reserved = 0;
            }
            if fault!(
                "pool-reserved-of-an-import-is-the-exporters",
                ["POOL-IMP-014"],
                "The reserved memory of an imported pool is that of the exporter's pool."
            ) || in_use > 0
                && fault!(
                    "pool-reserved-of-an-import-becomes-the-exporters",
                    ["POOL-IMP-014"],
                    "From the first import on, the reserved memory of an imported pool is that of the exporter's pool."
                )
            {
                reserved = pool.memory.file.as_ref().map_or(0, |file| file.size());
            }
        }
        Usage { used, reserved }
    }

    pub(super) fn note_high_water(&mut self, id: u64) {
        let now = self.usage(id);
        if let Some(pool) = self.pools.get_mut(&id) {
            let is_import = pool.is_imported();
            if !(is_import
                && fault!(
                    "pool-used-mark-of-an-import-stays-0",
                    ["POOL-IMP-014"],
                    "The high-water mark of used memory does not rise in an imported pool."
                ))
            {
                pool.high.used = pool.high.used.max(now.used);
            }
            if !(is_import
                && fault!(
                    "pool-reserved-mark-of-an-import-stays-0",
                    ["POOL-IMP-014"],
                    "The high-water mark of reserved memory does not rise in an imported pool."
                ))
            {
                pool.high.reserved = pool.high.reserved.max(now.reserved);
            }
        }
    }

    /// Releases the unused memory that a pool keeps beyond a number of bytes.
    pub(super) fn trim(&mut self, id: u64, bytes_to_keep: u64) {
        let reserved = self.usage(id).reserved;
        if let Some(pool) = self.pools.get_mut(&id) {
            let in_use = reserved.saturating_sub(pool.memory.kept_bytes());
            pool.memory.trim(bytes_to_keep, in_use);
        }
    }

    /// Allocates memory, which exists at once. Work that uses it keeps the stream's order, as the caller has promised.
    fn allocate_from(&mut self, id: u64, size: u64) -> Result<u64> {
        let used = self.usage(id).used;
        let pool = self.pool(id as CUmemoryPool)?;
        // POOL-IMP-006
        let refuses = pool.is_imported()
            && !fault!(
                "pool-allocate-takes-an-import",
                ["POOL-IMP-006"],
                "Memory can be allocated from an imported pool."
            );
        if refuses {
            return Err(INVALID_VALUE);
        }
        // Seen on an H200: an allocation of nothing has the address 0.
        if size == 0 {
            return match () {
                () if fault!("an-empty-allocation-is-refused", ["POOL-PTR-023"], "0 bytes are an invalid value.") => {
                    Err(INVALID_VALUE)
                }
                () if fault!("an-empty-allocation-has-memory", ["POOL-PTR-023"], "It is a granule of the pool.") => {
                    self.allocate_from(id, GRANULARITY)
                }
                () => Ok(0),
            };
        }
        // POOL-CREATE-009
        let counted = if fault!(
            "pool-allocate-limits-each-request",
            ["POOL-CREATE-009"],
            "The maximum size limits each request and not the pool."
        ) {
            0
        } else {
            used
        };
        let counted = if fault!(
            "pool-maximum-counts-freed-memory",
            ["POOL-CREATE-009"],
            "Memory that was freed still counts towards the maximum size."
        ) {
            pool.allocated
        } else {
            counted
        };
        pool.allocated = pool.allocated.saturating_add(size);
        let is_full = pool.max_size != 0
            && size == pool.max_size
            && fault!(
                "pool-maximum-is-not-reached",
                ["POOL-CREATE-009"],
                "The maximum size itself cannot be allocated."
            );
        if is_full {
            return Err(OUT_OF_MEMORY);
        }
        let maximum = pool.max_size
            * if fault!(
                "pool-allocate-doubles-the-maximum",
                ["POOL-CREATE-009"],
                "The pool grows to twice its maximum size."
            ) {
                2
            } else {
                1
            };
        if maximum != 0
            && counted.saturating_add(size) > maximum
            && !fault!("pool-allocate-ignores-the-maximum", ["POOL-CREATE-009"], "The maximum size has no effect.")
        {
            let is_wrong = fault!(
                "pool-allocate-beyond-the-maximum-is-an-invalid-value",
                ["POOL-CREATE-009"],
                "An allocation beyond the maximum size is refused with INVALID_VALUE."
            );
            return Err(if is_wrong { INVALID_VALUE } else { OUT_OF_MEMORY });
        }
        let target = pool.target;
        let piece = pool.memory.take(target.place(), size)?;
        let base = piece.base();
        self.add_range(base, size, 0, self.device_of_target(target), Memory::Pool { piece, pool: id, target });
        self.note_high_water(id);
        Ok(base)
    }

    /// The device that memory is attributed to. Host memory counts as the first device's, as on an H200.
    pub(super) fn device_of_target(&self, target: Target) -> usize {
        match target.place() {
            HOST => self.devices.first().map_or(0, |device| device.index),
            device => device,
        }
    }

    /// Marks the memory at an address as about to be freed. Returns an error if it cannot be freed or is already
    /// marked.
    pub(crate) fn begin_free(&mut self, pointer: u64) -> Result<()> {
        let is_freeable = self.ranges.get(&pointer).is_some_and(|range| !range.is_freed);
        if is_freeable {
            self.spoil_after_free(pointer);
        }
        let pools = &self.pools;
        let range = self.ranges.get_mut(&pointer).filter(|_| is_freeable).ok_or(INVALID_VALUE)?;
        let is_import = matches!(range.memory, Memory::PoolImport { .. });
        if is_import && is_spoiled(pointer) {
            return Err(INVALID_VALUE);
        }
        let is_orphan = range.memory.pool().is_some_and(|id| pools.get(&id).is_none_or(|pool| pool.is_destroyed));
        if is_import
            && is_orphan
            && fault!(
                "pool-free-needs-the-imported-pool",
                ["POOL-IMP-018"],
                "An import whose pool was destroyed cannot be freed."
            )
        {
            return Err(INVALID_VALUE);
        }
        range.is_freed = match &mut range.memory {
            // POOL-PTR-018: a pointer can be freed as often as it was imported.
            Memory::PoolImport { references, frees, .. } => {
                *frees += 1;
                frees == references
            }
            _ => true,
        };
        Ok(())
    }

    /// Frees the memory at an address, after `begin_free`.
    pub(crate) fn release(&mut self, pointer: u64) {
        if let Some(Memory::PoolImport { references, frees, .. }) =
            self.ranges.get_mut(&pointer).map(|range| &mut range.memory)
            && *references > 1
            && !fault!(
                "pool-free-ends-every-import",
                ["POOL-PTR-008"],
                "The first free of memory that was imported twice unmaps it."
            )
        {
            // POOL-PTR-008: the other imports at this address stay valid.
            *references -= 1;
            *frees -= 1;
            return;
        }
        let is_import =
            self.ranges.get(&pointer).is_some_and(|range| matches!(range.memory, Memory::PoolImport { .. }));
        if is_import
            && fault!(
                "pool-free-keeps-an-import-mapped",
                ["POOL-PTR-014"],
                "Freeing an import succeeds, but leaves it mapped."
            )
        {
            return;
        }
        let Some(range) = self.ranges.remove(&pointer) else { return };
        if let Memory::PoolImport { block, place, .. } = &range.memory {
            if fault!(
                "pool-free-of-an-import-clears-the-memory",
                ["POOL-PTR-015"],
                "Freeing an import zeroes the exporter's memory."
            ) {
                // SAFETY: the block is mapped, and the range lies in it.
                unsafe { std::ptr::write_bytes(range.base as *mut u8, 0, range.size as usize) };
            }
            if fault!(
                "pool-free-of-an-import-ends-the-allocation",
                ["POOL-PTR-015"],
                "Freeing an import marks the exporter's allocation as freed."
            ) {
                block.set_serial(place % GRANULARITY, 0);
            }
        }
        let is_orphan = range.memory.pool().is_some_and(|id| self.pools.get(&id).is_none_or(|pool| pool.is_destroyed));
        if is_orphan
            && !is_import
            && fault!(
                "pool-free-after-the-destruction-leaks",
                ["POOL-CREATE-011"],
                "Memory that outlived its pool is never given back."
            )
        {
            std::mem::forget(range);
            return;
        }
        if is_orphan
            && (!is_import
                && fault!(
                    "pool-free-after-the-destruction-frees-all",
                    ["POOL-CREATE-011"],
                    "Freeing one allocation of a destroyed pool frees its others."
                )
                || is_import
                    && fault!(
                        "pool-free-of-an-import-after-the-destruction-frees-all",
                        ["POOL-IMP-018"],
                        "Freeing one import from a destroyed pool frees its others."
                    ))
        {
            let pool = range.memory.pool();
            self.ranges.retain(|_, other| other.memory.pool() != pool);
        }
        if let Memory::Pool { piece, pool: id, .. } = range.memory {
            let block = Arc::clone(piece.block());
            drop(piece);
            let lies_there =
                |memory: &Memory| matches!(memory, Memory::Pool { piece, .. } if Arc::ptr_eq(piece.block(), &block));
            let is_used = self.ranges.values().any(|range| lies_there(&range.memory));
            if let Some(pool) = self.pools.get_mut(&id).filter(|_| !is_used) {
                let threshold = pool.release_threshold;
                pool.memory.keep(block);
                // The documentation applies the threshold at the next synchronisation, which cannot come before this.
                self.trim(id, threshold);
            }
        }
        self.forget_pools();
    }

    /// Forgets pools that are destroyed and have no memory left.
    pub(super) fn forget_pools(&mut self) {
        let alive = |id: u64| self.ranges.values().any(|range| range.memory.pool() == Some(id));
        let gone = self.pools.iter().filter(|(id, pool)| pool.is_destroyed && !alive(**id)).map(|(id, _)| *id);
        for id in gone.collect::<Vec<_>>() {
            self.pools.remove(&id);
        }
    }
}

entry_points! {
    fn cuMemAllocAsync(pointer: Output<CUdeviceptr>, size: usize, stream: CUstream) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        pointer.wanted()?;
        state.check_ordered_memory(&stream)?;
        let device = state.context(stream.context)?.device;
        let pool = state.current_pool_of(device)?;
        pointer.give(state.allocate_from(pool, size as u64)?)
    }

    fn cuMemAllocFromPoolAsync(pointer: Output<CUdeviceptr>, size: usize, pool: CUmemoryPool, stream: CUstream) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        pointer.wanted()?;
        state.check_ordered_memory(&stream)?;
        pointer.give(state.allocate_from(pool as u64, size as u64)?)
    }

    fn cuMemFreeAsync(pointer: CUdeviceptr, stream: CUstream) {
        let mut locked = state()?;
        let stream = locked.stream(stream)?;
        stream.start()?;
        if pointer == 0 {
            if fault!("an-empty-allocation-is-not-freed", ["POOL-PTR-023"], "cuMemFreeAsync refuses the null pointer.") {
                return Err(INVALID_VALUE);
            }
            return Ok(());
        }
        locked.check_ordered_memory(&stream)?;
        if let Some(result) = locked.free_import_async(pointer) {
            return result;
        }
        // IPCMEM-OPEN-043: memory from `cuIpcOpenMemHandle` is closed, not freed. POOL-PTR-014: an import from a pool
        // is freed.
        let memory = &locked.ranges.get(&pointer).ok_or(INVALID_VALUE)?.memory;
        if !matches!(memory, Memory::Pool { .. } | Memory::PoolImport { .. } | Memory::Graph(_) | Memory::Linear(_)) {
            return Err(INVALID_VALUE);
        }
        let is_import = matches!(memory, Memory::PoolImport { .. });
        let is_own = matches!(memory, Memory::Pool { .. });
        if is_import && fault!("pool-free-async-refuses-an-import", ["POOL-PTR-014"], "cuMemFreeAsync refuses an import.") {
            return Err(INVALID_VALUE);
        }
        locked.begin_free(pointer)?;
        if is_own && fault!("pool-free-async-frees-at-once", ["POOL-PTR-017"], "cuMemFreeAsync frees the memory without waiting for the stream.") {
            locked.release(pointer);
            return Ok(());
        }
        // The memory is freed even if the context ends before the stream reaches the free.
        let free = OnDrop(move || {
            if let Ok(mut state) = state() {
                state.release(pointer);
            }
        });
        locked.enqueue(&stream, move |_| {
            drop(free);
            Ok(())
        })?;
        Ok(())
    }
}

/// Calls a function when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

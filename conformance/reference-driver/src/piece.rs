//! Divides physical memory. An allocation of 2 MiB or more has its own block; smaller ones share blocks.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::answer::Result;
use crate::block::{Block, GRANULARITY, UNIT};

/// The memory of one allocation. It lives as long as this value.
#[derive(Debug)]
pub(crate) struct Piece {
    block: Arc<SharedBlock>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) serial: u64,
}

impl Piece {
    pub(crate) fn block(&self) -> &Arc<Block> {
        &self.block.block
    }

    pub(crate) fn base(&self) -> u64 {
        self.block.block.base + self.offset
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.block.block.set_serial(self.offset, 0);
        self.block.units().set(self.offset, self.size, false);
    }
}

#[derive(Debug)]
struct SharedBlock {
    block: Arc<Block>,
    units: Mutex<Units>,
}

impl SharedBlock {
    fn units(&self) -> std::sync::MutexGuard<'_, Units> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives out pieces of memory to one owner: different owners never share a block.
#[derive(Debug, Default)]
pub(crate) struct Divider {
    shared: Vec<Weak<SharedBlock>>,
    /// A block with room for a second allocation of whole granules.
    half: Weak<SharedBlock>,
}

impl Divider {
    /// Allocates zeroed memory; only a device that declares it would leave old bytes there. If no block has room,
    /// `new_block` allocates one of the given size.
    pub(crate) fn divide(&mut self, size: u64, new_block: impl FnOnce(u64) -> Result<Arc<Block>>) -> Result<Piece> {
        if size >= GRANULARITY {
            if size <= 2 * GRANULARITY
                && fault!(
                    "alloc-puts-two-granules-into-one-block",
                    ["IPCMEM-OPEN-027"],
                    "Two allocations share a block."
                )
            {
                return self.divide_large(size, new_block);
            }
            let block = Arc::new(SharedBlock::new(new_block(size)?));
            return Ok(Self::piece(block, 0, size));
        }
        self.shared.retain(|block| block.strong_count() > 0);
        for block in self.shared.iter().filter_map(Weak::upgrade) {
            let found = block.units().take(size);
            if let Some(offset) = found {
                let address = (block.block.base + offset) as *mut u8;
                // SAFETY: the place is free and lies in the block. Another process may see it change, as documented for
                // allocations that share a block.
                unsafe { ptr::write_bytes(address, 0, size as usize) };
                return Ok(Self::piece(block, offset, size));
            }
        }
        let block = Arc::new(SharedBlock::new(new_block(GRANULARITY)?));
        self.shared.push(Arc::downgrade(&block));
        block.units().set(0, size, true);
        Ok(Self::piece(block, 0, size))
    }

    /// Puts two allocations of whole granules into one block.
    fn divide_large(&mut self, size: u64, new_block: impl FnOnce(u64) -> Result<Arc<Block>>) -> Result<Piece> {
        if let Some(block) = self.half.upgrade().filter(|block| block.block.size == 2 * size) {
            self.half = Weak::new();
            return Ok(Self::piece(block, size, size));
        }
        let block = Arc::new(SharedBlock::new(new_block(2 * size)?));
        self.half = Arc::downgrade(&block);
        Ok(Self::piece(block, 0, size))
    }

    /// Whether an address lies in a shared block.
    pub(crate) fn holds(&self, address: u64) -> bool {
        let mut blocks = self.shared.iter().filter_map(Weak::upgrade);
        blocks.any(|shared| (shared.block.base..shared.block.base + shared.block.size).contains(&address))
    }

    fn piece(block: Arc<SharedBlock>, offset: u64, size: u64) -> Piece {
        static LAST_SERIAL: AtomicU64 = AtomicU64::new(0);
        let mut serial = LAST_SERIAL.fetch_add(1, Ordering::Relaxed) + 1;
        let is_small = size < GRANULARITY;
        if is_small
            && fault!(
                "get-repeats-the-handle-of-a-piece",
                ["IPCMEM-GET-003", "IPCMEM-OPEN-017"],
                "A new allocation at an old address has the old handle, if it shares a block.",
            )
            || !is_small && Block::repeats_large()
        {
            serial = 1;
        }
        if is_small
            && fault!(
                "get-repeats-the-handle-before-the-last",
                ["IPCMEM-GET-003"],
                "Only two handles take turns for the allocations at one address.",
            )
        {
            serial = 1 + block.block.last_serial().fetch_xor(1, Ordering::AcqRel) % 2;
        }
        let offset = if size < UNIT - 4
            && fault!("alloc-misaligns-small-sizes", ["IPCMEM-GET-026"], "Small allocations are aligned to 4 bytes.")
        {
            offset + 4
        } else {
            offset
        };
        block.block.set_serial(offset, serial);
        Piece { block, offset, size, serial }
    }
}

impl SharedBlock {
    fn new(block: Arc<Block>) -> Self {
        Self { block, units: Mutex::default() }
    }
}

const COUNT: usize = (GRANULARITY / UNIT) as usize;

/// Which units of a block are taken, one bit each.
#[derive(Debug)]
struct Units([u64; COUNT / 64]);

impl Default for Units {
    fn default() -> Self {
        Self([0; COUNT / 64])
    }
}

impl Units {
    /// Takes the first free place of this size, and returns its offset.
    fn take(&mut self, size: u64) -> Option<u64> {
        let wanted = size.div_ceil(UNIT) as usize;
        let (mut unit, mut free) = (0, 0);
        while unit < COUNT {
            let word = self.0[unit / 64];
            if unit % 64 == 0 && (word == u64::MAX || word == 0) {
                free = if word == 0 { free + 64 } else { 0 };
                unit += 64;
            } else {
                free = if word >> (unit % 64) & 1 == 0 { free + 1 } else { 0 };
                unit += 1;
            }
            if free >= wanted {
                let offset = (unit - free) as u64 * UNIT;
                self.set(offset, size, true);
                return Some(offset);
            }
        }
        None
    }

    fn set(&mut self, offset: u64, size: u64, taken: bool) {
        let first = (offset / UNIT) as usize;
        let end = first + size.div_ceil(UNIT) as usize;
        // A block that is not shared has more units than there are bits. The rest does not matter.
        for unit in first..end.min(COUNT) {
            let bit = 1 << (unit % 64);
            self.0[unit / 64] = if taken { self.0[unit / 64] | bit } else { self.0[unit / 64] & !bit };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_reused_and_never_overlap() {
        let mut units = Units::default();
        assert_eq!(units.take(1), Some(0));
        assert_eq!(units.take(513), Some(512));
        assert_eq!(units.take(512), Some(1536));
        units.set(512, 513, false);
        assert_eq!(units.take(1025), Some(2048), "two free units are not three");
        assert_eq!(units.take(1024), Some(512));
        assert_eq!(units.take(GRANULARITY - 3584), Some(3584));
        assert_eq!(units.take(1), None);
    }
}

//! The memory of a pool: a file if the pool can be shared, otherwise blocks. The pool keeps some unused blocks.

use std::sync::Arc;

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::block::{Block, GRANULARITY};
use crate::piece::{Divider, Piece};
use crate::pool::PoolFile;

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) divider: Divider,
    pub(crate) file: Option<Arc<PoolFile>>,
    /// Blocks that were freed but not released.
    kept: Vec<Arc<Block>>,
}

impl Store {
    pub(crate) fn new(file: Option<Arc<PoolFile>>) -> Self {
        Self { divider: Divider::default(), file, kept: Vec::new() }
    }

    pub(crate) fn take(&mut self, device: usize, size: u64) -> Result<Piece> {
        let Self { divider, file, kept } = self;
        divider.divide(size, |size| {
            if let Some(file) = file {
                return Block::in_pool(file, file.take(size)?).map(Arc::new);
            }
            match take_kept(kept, size)? {
                Some(block) => Ok(block),
                None => new_block(device, size, kept),
            }
        })
    }

    /// Keeps a block that no longer holds an allocation of the pool.
    pub(crate) fn keep(&mut self, block: Arc<Block>) {
        // POOL-IMP-015: space in a file stays the pool's in any case.
        if self.file.is_none() {
            self.kept.push(block);
        }
    }

    /// Releases kept blocks, the oldest first, until the pool holds at most `bytes_to_keep`, of which `in_use` are in
    /// use.
    pub(crate) fn trim(&mut self, bytes_to_keep: u64, in_use: u64) {
        while !self.kept.is_empty() && in_use + self.kept_bytes() > bytes_to_keep {
            self.kept.remove(0);
        }
    }

    pub(crate) fn kept_bytes(&self) -> u64 {
        self.kept.iter().map(|block| block.size).sum()
    }
}

/// Takes a kept block that is large enough but not much larger, and zeroes it.
fn take_kept(kept: &mut Vec<Arc<Block>>, size: u64) -> Result<Option<Arc<Block>>> {
    let wanted = size.checked_next_multiple_of(GRANULARITY).ok_or(OUT_OF_MEMORY)?;
    // Work in progress may still use the block.
    let fits = |block: &Arc<Block>| (wanted..=wanted * 2).contains(&block.size) && Arc::strong_count(block) == 1;
    let best = kept.iter().enumerate().filter(|(_, block)| fits(block)).min_by_key(|(_, block)| block.size);
    let Some(index) = best.map(|(index, _)| index) else { return Ok(None) };
    let block = kept.swap_remove(index);
    block.clear()?;
    Ok(Some(block))
}

/// Allocates new memory. If there is too little, the kept blocks are released first.
fn new_block(device: usize, size: u64, kept: &mut Vec<Arc<Block>>) -> Result<Arc<Block>> {
    let block = match Block::new(device, size) {
        Err(OUT_OF_MEMORY) if !kept.is_empty() => {
            kept.clear();
            Block::new(device, size)
        }
        other => other,
    };
    block.map(Arc::new)
}

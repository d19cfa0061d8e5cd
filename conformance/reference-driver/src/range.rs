//! The ranges of addresses that the driver knows, and the memory that each stands for.

mod access;
mod buffer_id;
mod granted;
mod reach;

use std::sync::Arc;

use crate::block::{Block, HOST};
use crate::host::HostMemory;
use crate::multicast::Object;
use crate::piece::Piece;
use crate::pool::Target;
use crate::process::State;
use crate::vmm::Allocation;

pub(crate) use access::{Access, AccessOf, By, Span};

/// A range of addresses that stand for memory.
#[derive(Debug)]
pub(crate) struct Range {
    pub(crate) base: u64,
    pub(crate) size: u64,
    /// The context that the range belongs to; 0 for memory that belongs to the process.
    pub(crate) context: u64,
    /// The index in the machine of the device that has the memory, or a constant such as `HOST`.
    pub(crate) device: usize,
    /// PTRATTR-006: a number that no other range of this process ever has.
    pub(crate) buffer_id: u64,
    pub(crate) sync_memops: bool,
    /// Whether a stream or a graph is going to free it.
    pub(crate) is_freed: bool,
    pub(crate) memory: Memory,
}

#[derive(Debug)]
pub(crate) enum Memory {
    /// `cuMemAlloc` and `cuMemAllocPitch`.
    Linear(Piece),
    /// `cuIpcOpenMemHandle`: a block of another process.
    Import(Arc<Block>),
    /// `cuMemAllocAsync`, from a pool.
    Pool { piece: Piece, pool: u64, target: Target },
    /// `cuMemPoolImportPointer`: whole granules of a pool's file, the allocation's offset in the file's data and its
    /// serial, and how often it was imported and is going to be freed.
    PoolImport {
        block: Arc<Block>,
        pool: u64,
        target: Target,
        place: u64,
        serial: u64,
        references: usize,
        frees: usize,
    },
    /// An allocation node of a graph.
    Graph(Arc<Block>),
    /// A global variable of a module.
    Global(Arc<Block>),
    /// `cuMemMap`: physical memory from an offset on, and the handle that was mapped.
    Mapping { allocation: Arc<Allocation>, offset: u64, handle: u64, access: AccessOf },
    /// `cuMemMap` of a multicast object.
    Multicast { object: Arc<Object>, access: AccessOf },
    /// `cuMemAllocHost` and `cuMemHostAlloc`.
    Host(Arc<HostMemory>),
    /// `cuMemHostRegister`: the caller's own memory.
    Registered,
    /// `cuMemAllocManaged`.
    Managed(Arc<HostMemory>),
}

impl Memory {
    pub(crate) const fn is_managed(&self) -> bool {
        matches!(self, Self::Managed(_) | Self::Pool { target: Target { is_managed: true, .. }, .. })
    }

    /// Whether another process allocated the memory.
    pub(crate) fn is_import(&self) -> bool {
        match self {
            Self::Import(_) | Self::PoolImport { .. } => true,
            Self::Mapping { allocation, .. } => allocation.is_import(),
            _ => false,
        }
    }

    /// The pool that the memory comes from.
    pub(crate) const fn pool(&self) -> Option<u64> {
        match self {
            Self::Pool { pool, .. } | Self::PoolImport { pool, .. } => Some(*pool),
            _ => None,
        }
    }

    /// Whether this is memory of a pool whose location is the host.
    pub(crate) fn is_of_host_pool(&self) -> bool {
        matches!(self, Self::Pool { target, .. } | Self::PoolImport { target, .. } if target.is_host())
    }

    /// Whether this is page-locked memory of the host.
    pub(crate) fn is_host(&self) -> bool {
        match self {
            Self::Host(_) | Self::Registered => true,
            Self::Pool { target, .. } | Self::PoolImport { target, .. } => target.is_host(),
            Self::Mapping { allocation, .. } => allocation.device == HOST,
            _ => false,
        }
    }
}

impl Range {
    /// Whether this is a mapping of an allocation.
    pub(crate) fn is_of(&self, allocation: &Arc<Allocation>) -> bool {
        matches!(&self.memory, Memory::Mapping { allocation: of, .. } if Arc::ptr_eq(of, allocation))
    }

    pub(crate) const fn end(&self) -> u64 {
        self.base + self.size
    }
}

impl State {
    /// The range that an address lies in.
    pub(crate) fn range(&self, address: u64) -> Option<&Range> {
        self.ranges.range(..=address).next_back().map(|(_, range)| range).filter(|range| address < range.end())
    }

    /// Whether the memory at an address is that of another process.
    pub(crate) fn is_import(&self, address: u64) -> bool {
        self.range(address).is_some_and(|range| range.memory.is_import())
    }

    pub(crate) fn range_mut(&mut self, address: u64) -> Option<&mut Range> {
        self.ranges.range_mut(..=address).next_back().map(|(_, range)| range).filter(|range| address < range.end())
    }

    pub(crate) fn add_range(&mut self, base: u64, size: u64, context: u64, device: usize, memory: Memory) {
        let buffer_id = self.new_buffer_id(base, context, &memory);
        let range = Range { base, size, context, device, buffer_id, sync_memops: false, is_freed: false, memory };
        self.ranges.insert(base, range);
    }

    /// Whether any range overlaps these addresses.
    pub(crate) fn is_taken(&self, from: u64, to: u64) -> bool {
        self.ranges.range(..to).next_back().is_some_and(|(_, range)| range.end() > from)
    }
}

//! What the driver opens: the kinds of handles, and their rules.

use super::TicketError;
use crate::handle::{EventHandle, FabricHandle, MemHandle, PoolPointerData};
use crate::vmm::Access;

/// The most chunks in a ticket: 80 GiB in pieces of 20 MiB.
pub const MAX_CHUNKS: usize = 4096;

/// What the driver opens.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Handle {
    /// `cuIpcOpenMemHandle`: memory of `cuMemAlloc`.
    LegacyMemory(MemHandle),
    /// `cuIpcOpenEventHandle`: an event.
    Event(EventHandle),
    /// `cuMemImportFromShareableHandle`: physical memory, to be mapped into one range.
    PhysicalMemory(PhysicalMemory),
    /// `cuMemPoolImportPointer`: memory of a pool.
    PoolPointer(PoolPointer),
}

/// Physical memory in chunks, which make up the allocation in this order.
///
/// There are 1 to [`MAX_CHUNKS`]. The granularity is a power of two, the size of each chunk a multiple of it, and the
/// sum of them the size of the allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PhysicalMemory {
    /// `cuMemGetAllocationGranularity`: what sizes and addresses of mappings are multiples of.
    pub granularity: u64,
    /// What the importer asks `cuMemSetAccess` for. It is the exporter's wish: the ticket enforces nothing.
    pub access: Access,
    /// The chunks.
    pub chunks: Chunks,
}

/// Chunks, all of them exported in the same way.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Chunks {
    /// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`: indices into the descriptors that travel beside the ticket, where a
    /// descriptor's number in the exporter would mean nothing. No two are the same.
    Descriptors(Vec<Chunk<u16>>),
    /// `CU_MEM_HANDLE_TYPE_FABRIC`: handles that travel in the ticket itself.
    Fabric(Vec<Chunk<FabricHandle>>),
}

/// One physical allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chunk<H> {
    /// Its bytes.
    pub size: u64,
    /// What it is imported from.
    pub handle: H,
}

/// Memory of a pool.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PoolPointer {
    /// The exporter's number for the pool, the same in the tickets of all its pointers: one import of the pool serves
    /// them.
    pub pool: u64,
    /// What the pool is imported from, or nothing where an earlier ticket brought it.
    pub pool_handle: Option<PoolHandle>,
    /// `cuMemPoolExportPointer`: the memory in the pool.
    pub pointer: PoolPointerData,
}

/// `cuMemPoolImportFromShareableHandle`: what a pool is imported from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolHandle {
    /// An index into the descriptors that travel beside the ticket.
    Descriptor(u16),
    /// A handle that travels in the ticket itself.
    Fabric(FabricHandle),
}

impl Handle {
    /// The indices of the descriptors that it needs.
    pub(super) fn descriptors(&self) -> Vec<u16> {
        match self {
            Self::PhysicalMemory(PhysicalMemory { chunks: Chunks::Descriptors(chunks), .. }) => {
                chunks.iter().map(|chunk| chunk.handle).collect()
            }
            Self::PoolPointer(PoolPointer { pool_handle: Some(PoolHandle::Descriptor(index)), .. }) => vec![*index],
            _ => Vec::new(),
        }
    }

    pub(super) fn check(&self, allocation: u64) -> Result<(), TicketError> {
        let Self::PhysicalMemory(PhysicalMemory { granularity, access, chunks }) = self else {
            return Ok(());
        };
        let granularity = *granularity;
        if *access == Access::None {
            return Err(TicketError::UnknownAccess { access: 0 });
        }
        if !granularity.is_power_of_two() {
            return Err(TicketError::Granularity { granularity });
        }
        let sizes = chunks.sizes();
        check_count(sizes.len())?;
        for (chunk, &size) in sizes.iter().enumerate() {
            if size == 0 || !size.is_multiple_of(granularity) {
                return Err(TicketError::ChunkSize { chunk, size, granularity });
            }
        }
        // So few numbers of 64 bits do not overflow one of 128.
        let sum = sizes.into_iter().map(u128::from).sum();
        if sum != u128::from(allocation) {
            return Err(TicketError::ChunkSum { sum, size: allocation });
        }
        let mut indices = self.descriptors();
        indices.sort_unstable();
        match indices.iter().zip(indices.iter().skip(1)).find(|(first, second)| first == second) {
            Some((&index, _)) => Err(TicketError::DescriptorTwice { index }),
            None => Ok(()),
        }
    }
}

impl Chunks {
    fn sizes(&self) -> Vec<u64> {
        match self {
            Self::Descriptors(chunks) => chunks.iter().map(|chunk| chunk.size).collect(),
            Self::Fabric(chunks) => chunks.iter().map(|chunk| chunk.size).collect(),
        }
    }
}

pub(super) const fn check_count(count: usize) -> Result<(), TicketError> {
    match count {
        1..=MAX_CHUNKS => Ok(()),
        _ => Err(TicketError::ChunkCount { count }),
    }
}

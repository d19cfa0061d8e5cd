//! The kinds of handles that a ticket can hold, and the rules for them.

use super::TicketError;
use crate::handle::{EventHandle, FabricHandle, MemHandle, PoolPointerData};
use crate::vmm::Access;

/// The largest number of chunks in a ticket: enough for 80 GiB in chunks of 20 MiB.
pub const MAX_CHUNKS: usize = 4096;

/// The handle that the driver opens.
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
/// There are 1 to [`MAX_CHUNKS`] chunks. The granularity is a power of two. The size of each chunk is a multiple of the
/// granularity, and the sum of the sizes is the size of the allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PhysicalMemory {
    /// `cuMemGetAllocationGranularity`: the sizes and addresses of mappings are multiples of it.
    pub granularity: u64,
    /// The access that the importer passes to `cuMemSetAccess`. It is the exporter's request: the ticket enforces
    /// nothing.
    pub access: Access,
    /// The chunks.
    pub chunks: Chunks,
}

/// Chunks, all of them exported in the same way.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Chunks {
    /// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`: indices into the descriptors that are sent with the ticket, because
    /// the exporter's descriptor numbers mean nothing in the importer. No two indices are the same.
    Descriptors(Vec<Chunk<u16>>),
    /// `CU_MEM_HANDLE_TYPE_FABRIC`: handles that are part of the ticket.
    Fabric(Vec<Chunk<FabricHandle>>),
}

/// One physical allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chunk<H> {
    /// The size in bytes.
    pub size: u64,
    /// The handle from which it is imported.
    pub handle: H,
}

/// Memory of a pool.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PoolPointer {
    /// The exporter's number for the pool. It is the same in the tickets of all pointers of the pool, so that one
    /// import of the pool serves them all.
    pub pool: u64,
    /// The handle from which the pool is imported, or `None` if an earlier ticket contained it.
    pub pool_handle: Option<PoolHandle>,
    /// `cuMemPoolExportPointer`: the bytes that name the memory in the pool.
    pub pointer: PoolPointerData,
}

/// `cuMemPoolImportFromShareableHandle`: the handle from which a pool is imported.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolHandle {
    /// An index into the descriptors that are sent with the ticket.
    Descriptor(u16),
    /// A handle that is part of the ticket.
    Fabric(FabricHandle),
}

impl Handle {
    /// Returns the indices of the descriptors that the handle needs.
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
        // At most MAX_CHUNKS 64-bit numbers do not overflow 128 bits.
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

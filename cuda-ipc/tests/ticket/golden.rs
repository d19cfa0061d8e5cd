//! Format version 2, in files that never change. Tickets that other releases wrote are still read, and are written with
//! the same bytes. Tickets of version 1 are refused.

use cuda_ipc::ipc::{EventHandle, MemHandle};
use cuda_ipc::pool::PoolPointerData;
use cuda_ipc::ticket::{Chunk, Chunks, Contents, Handle, PhysicalMemory, PoolHandle, PoolPointer, Ticket, TicketError};
use cuda_ipc::vmm::{Access, FabricHandle};
use rstest::rstest;

use crate::{contents, counting_from};

macro_rules! golden {
    ($name:literal) => {
        include_bytes!(concat!("golden/", $name, ".bin"))
    };
}

pub(crate) const LEGACY_MEMORY: &[u8] = golden!("v2-legacy-memory");
pub(crate) const EVENT: &[u8] = golden!("v2-event");
pub(crate) const BY_DESCRIPTOR: &[u8] = golden!("v2-physical-memory-descriptors");
pub(crate) const BY_FABRIC: &[u8] = golden!("v2-physical-memory-fabric");
pub(crate) const POINTER: &[u8] = golden!("v2-pool-pointer-imported");
pub(crate) const POINTER_AND_DESCRIPTOR: &[u8] = golden!("v2-pool-pointer-descriptor");
pub(crate) const POINTER_AND_FABRIC: &[u8] = golden!("v2-pool-pointer-fabric");
/// The ticket of legacy memory, sealed.
pub(crate) const SEALED: &[u8] = golden!("v2-sealed");

/// Tickets that an older release wrote.
pub(crate) const VERSION_1: &[u8] = golden!("v1-legacy-memory");
pub(crate) const VERSION_1_SEALED: &[u8] = golden!("v1-sealed");

pub(crate) const UNSEALED: [&[u8]; 7] =
    [LEGACY_MEMORY, EVENT, BY_DESCRIPTOR, BY_FABRIC, POINTER, POINTER_AND_DESCRIPTOR, POINTER_AND_FABRIC];

pub(crate) fn legacy_memory() -> Contents {
    contents(Handle::LegacyMemory(MemHandle::from_bytes(counting_from(0x40))))
}

pub(crate) fn event() -> Contents {
    let handle = Handle::Event(EventHandle::from_bytes(counting_from(0x41)));
    Contents { generation: 0, size: 0, offset: 0, length: 0, ..contents(handle) }
}

pub(crate) fn by_descriptor() -> Contents {
    contents(Handle::PhysicalMemory(PhysicalMemory {
        granularity: 2 << 20,
        access: Access::ReadWrite,
        chunks: Chunks::Descriptors(vec![Chunk { size: 4 << 20, handle: 258 }, Chunk { size: 2 << 20, handle: 0 }]),
    }))
}

pub(crate) fn by_fabric() -> Contents {
    contents(Handle::PhysicalMemory(PhysicalMemory {
        granularity: 2 << 20,
        access: Access::Read,
        chunks: Chunks::Fabric(vec![
            Chunk { size: 2 << 20, handle: FabricHandle::from_bytes(counting_from(0x42)) },
            Chunk { size: 4 << 20, handle: FabricHandle::from_bytes(counting_from(0x43)) },
        ]),
    }))
}

pub(crate) fn pointer(pool_handle: Option<PoolHandle>) -> Contents {
    contents(Handle::PoolPointer(PoolPointer {
        pool: 0x1122_3344_5566_7788,
        pool_handle,
        pointer: PoolPointerData::from_bytes(counting_from(0x44)),
    }))
}

pub(crate) fn fabric_pool() -> PoolHandle {
    PoolHandle::Fabric(FabricHandle::from_bytes(counting_from(0x45)))
}

#[rstest]
#[case::legacy_memory(LEGACY_MEMORY, legacy_memory(), 0)]
#[case::event(EVENT, event(), 0)]
#[case::physical_memory_by_descriptor(BY_DESCRIPTOR, by_descriptor(), 259)]
#[case::physical_memory_by_fabric(BY_FABRIC, by_fabric(), 0)]
#[case::pool_pointer(POINTER, pointer(None), 0)]
#[case::pool_pointer_and_descriptor(POINTER_AND_DESCRIPTOR, pointer(Some(PoolHandle::Descriptor(3))), 4)]
#[case::pool_pointer_and_fabric(POINTER_AND_FABRIC, pointer(Some(fabric_pool())), 0)]
fn version_2(#[case] bytes: &[u8], #[case] contents: Contents, #[case] descriptors: usize) {
    let ticket = Ticket::from_bytes(bytes).unwrap();
    assert_eq!(*ticket, contents);
    assert_eq!(ticket.to_bytes(), bytes);
    assert_eq!(ticket.descriptor_count(), descriptors);
    assert_eq!(Ticket::try_from(contents), Ok(ticket.clone()));
    assert_eq!(Ticket::try_from(bytes), Ok(ticket));
}

#[rstest]
fn version_1_is_refused(#[values(VERSION_1, VERSION_1_SEALED)] bytes: &[u8]) {
    assert!(matches!(Ticket::from_bytes(bytes), Err(TicketError::OtherVersion { version: 1, .. })));
}

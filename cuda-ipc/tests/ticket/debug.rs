//! The debug text of a ticket is one readable line, without any complete handle.

use cuda_ipc::ticket::{Contents, PoolHandle, Ticket};
use rstest::rstest;

use crate::golden::{by_descriptor, by_fabric, event, fabric_pool, legacy_memory, pointer};

const START: &str = "Ticket(Contents { exporter: 4711 of namespace 4026531836, since 123456789 of boot \
    80818283-8485-8687-8889-8a8b8c8d8e8f, nonce 90919293-9495-9697-9899-9a9b9c9d9e9f, device: GPU-10111213-1415-1617-1819-1a1b1c1d1e1f, driver: 13.0, ";
const MEMORY: &str = "generation: 72623859790382856, size: 6291456, offset: 4096, length: 144470, ";

#[rstest]
#[case::legacy_memory(legacy_memory(), MEMORY, "LegacyMemory(4041424344454647…)")]
#[case::event(event(), "generation: 0, size: 0, offset: 0, length: 0, ", "Event(4142434445464748…)")]
#[case::by_descriptor(
    by_descriptor(),
    MEMORY,
    "PhysicalMemory { granularity: 2097152, access: ReadWrite, chunks: 2 descriptors }"
)]
#[case::by_fabric(
    by_fabric(),
    MEMORY,
    "PhysicalMemory { granularity: 2097152, access: Read, chunks: 2 fabric handles }"
)]
#[case::pointer(
    pointer(None),
    MEMORY,
    "PoolPointer { pool: 1234605616436508552, pool_handle: None, pointer: 4445464748494a4b… }"
)]
#[case::pointer_and_descriptor(
    pointer(Some(PoolHandle::Descriptor(3))),
    MEMORY,
    "PoolPointer { pool: 1234605616436508552, pool_handle: Some(Descriptor(3)), pointer: 4445464748494a4b… }"
)]
#[case::pointer_and_fabric(
    pointer(Some(fabric_pool())),
    MEMORY,
    "PoolPointer { pool: 1234605616436508552, pool_handle: Some(Fabric(45464748494a4b4c…)), \
     pointer: 4445464748494a4b… }"
)]
fn one_line(#[case] contents: Contents, #[case] memory: &str, #[case] handle: &str) {
    let ticket = Ticket::new(contents).unwrap();
    assert_eq!(format!("{ticket:?}"), format!("{START}{memory}handle: {handle} }})"));
}

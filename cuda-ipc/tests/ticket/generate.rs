//! Generates tickets with contents that obey the rules.

use cuda_ipc::ipc::{EventHandle, MemHandle};
use cuda_ipc::pool::PoolPointerData;
use cuda_ipc::sys::CudaVersion;
use cuda_ipc::ticket::{Chunk, Chunks, Contents, Handle, PhysicalMemory, PoolHandle, PoolPointer, Ticket};
use cuda_ipc::vmm::{Access, FabricHandle};
use cuda_ipc::{ExporterIdentity, ProcessIdentity};
use proptest::collection::{hash_set, vec};
use proptest::option;
use proptest::prelude::*;

pub(crate) fn ticket() -> impl Strategy<Value = Ticket> {
    contents().prop_map(|contents| Ticket::new(contents).unwrap())
}

fn contents() -> impl Strategy<Value = Contents> {
    let any_size = 1..=u64::MAX;
    prop_oneof![
        event(),
        (any_size.clone(), bytes().prop_map(|bytes| Handle::LegacyMemory(MemHandle::from_bytes(bytes))))
            .prop_flat_map(memory),
        physical_memory().prop_flat_map(memory),
        (any_size, pool_pointer()).prop_flat_map(memory),
    ]
}

fn event() -> impl Strategy<Value = Contents> {
    (exporter(), any::<[u8; 16]>(), any::<u32>(), bytes()).prop_map(|(exporter, device, driver, handle)| Contents {
        exporter,
        device,
        driver: CudaVersion(driver),
        generation: 0,
        size: 0,
        offset: 0,
        length: 0,
        handle: Handle::Event(EventHandle::from_bytes(handle)),
    })
}

fn memory((size, handle): (u64, Handle)) -> impl Strategy<Value = Contents> {
    let part = (0..size).prop_flat_map(move |offset| (Just(offset), 1..=size - offset));
    let rest = (exporter(), any::<[u8; 16]>(), any::<u32>(), any::<u64>());
    (part, rest).prop_map(move |((offset, length), (exporter, device, driver, generation))| {
        let (driver, handle) = (CudaVersion(driver), handle.clone());
        Contents { exporter, device, driver, generation, size, offset, length, handle }
    })
}

fn physical_memory() -> impl Strategy<Value = (u64, Handle)> {
    let granularity = (0..=40).prop_map(|shift| 1_u64 << shift);
    let access = prop_oneof![Just(Access::Read), Just(Access::ReadWrite)];
    let multiples = vec(1..=1_u64 << 16, 1..=9);
    (granularity, access, multiples, any::<bool>()).prop_flat_map(|(granularity, access, multiples, fabric)| {
        let sizes: Vec<u64> = multiples.iter().map(|multiple| multiple * granularity).collect();
        let size = sizes.iter().sum();
        let chunks = if fabric { fabric_chunks(sizes).boxed() } else { descriptor_chunks(sizes).boxed() };
        chunks.prop_map(move |chunks| (size, Handle::PhysicalMemory(PhysicalMemory { granularity, access, chunks })))
    })
}

fn descriptor_chunks(sizes: Vec<u64>) -> impl Strategy<Value = Chunks> {
    hash_set(any::<u16>(), sizes.len()).prop_map(move |indices| Chunks::Descriptors(chunks(&sizes, indices)))
}

fn fabric_chunks(sizes: Vec<u64>) -> impl Strategy<Value = Chunks> {
    vec(fabric_handle(), sizes.len()).prop_map(move |handles| Chunks::Fabric(chunks(&sizes, handles)))
}

fn chunks<H>(sizes: &[u64], handles: impl IntoIterator<Item = H>) -> Vec<Chunk<H>> {
    sizes.iter().zip(handles).map(|(&size, handle)| Chunk { size, handle }).collect()
}

fn pool_pointer() -> impl Strategy<Value = Handle> {
    let pool_handle =
        prop_oneof![any::<u16>().prop_map(PoolHandle::Descriptor), fabric_handle().prop_map(PoolHandle::Fabric),];
    (any::<u64>(), option::of(pool_handle), bytes()).prop_map(|(pool, pool_handle, pointer)| {
        Handle::PoolPointer(PoolPointer { pool, pool_handle, pointer: PoolPointerData::from_bytes(pointer) })
    })
}

fn exporter() -> impl Strategy<Value = ExporterIdentity> {
    any::<(u32, u64, u64, [u8; 16], [u8; 16])>().prop_map(|(pid, pid_namespace, start_time, boot_id, nonce)| {
        ExporterIdentity { process: ProcessIdentity { pid, pid_namespace, start_time, boot_id }, nonce }
    })
}

fn fabric_handle() -> impl Strategy<Value = FabricHandle> {
    bytes().prop_map(FabricHandle::from_bytes)
}

fn bytes() -> impl Strategy<Value = [u8; 64]> {
    any::<[[u8; 32]; 2]>().prop_map(|halves| std::array::from_fn(|index| halves[index / 32][index % 32]))
}

//! Attributes of memory of another process.

use conformance::{Expect as _, MIB, MemProperties, Outcome, Pointer, Pool, Role, Stop, check, observe};
use cuda_ipc_sys::{
    CUmemAccess_flags, CUmemAllocationHandleType, CUmemorytype, CUpointer_attribute as Attribute, CUresult,
};
use rstest::rstest;

use crate::fixtures::{exporter, importer};

const SIZE: u64 = 2 * MIB;
const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const MEMORY_TYPE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;

/// Memory of the exporter, in the importer.
type Import = fn(&Role, &Role) -> Result<Pointer, Stop>;

fn import(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?)
}

fn import_with_its_pool(exporter: &Role, importer: &Role) -> Result<(Pool, Pointer), Stop> {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
    let imported = importer.mem_pool_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
    let there = exporter.mem_alloc_from_pool_async(SIZE, exported)?;
    Ok((imported, importer.mem_pool_import_pointer(imported, exporter.mem_pool_export_pointer(there)?)?))
}

fn import_of_a_pool(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    import_with_its_pool(exporter, importer).map(|(_, pointer)| pointer)
}

fn import_and_map(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, imported, 0)?;
    importer.mem_set_access(address, SIZE, 0, CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0)?;
    Ok(address)
}

fn pool_of(role: &Role, pointer: Pointer) -> Result<u64, Stop> {
    role.pointer_get_wide_attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE.0, pointer)
}

/// Imported memory is a device's; whose context and device it names is recorded.
fn is_a_devices(exporter: &Role, importer: &Role) -> Outcome {
    let pointer = import(exporter, importer)?;
    check!(importer.pointer_get_attribute(MEMORY_TYPE, pointer)? == CUmemorytype::CU_MEMORYTYPE_DEVICE.0);
    let context = importer.pointer_get_wide_attribute(Attribute::CU_POINTER_ATTRIBUTE_CONTEXT.0, pointer)?;
    observe("context is the importer's", (context == importer.ctx_get_current()?.0).to_string());
    let ordinal = importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.0, pointer)?;
    observe("device", ordinal.cast_signed().to_string());
    Ok(())
}

/// Imported memory is a device's, for an importer on that device.
#[rstest]
#[conformance::test("PTRATTR-009")]
fn imported_memory_is_a_devices(exporter: Role, importer: Role) -> Outcome {
    is_a_devices(&exporter, &importer)
}

/// Imported memory is a device's, for an importer on another device.
#[rstest]
#[conformance::test("PTRATTR-009", needs(gpus = 2, peer_access))]
fn memory_of_another_device_is_a_devices(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    is_a_devices(&exporter, &importer)
}

/// What an import says of its kind is recorded: whether it exports again, whether it is of a pool, and of which.
#[rstest]
#[case::legacy(import)]
#[case::pool(import_of_a_pool)]
#[case::virtual_memory(import_and_map)]
#[conformance::test("PTRATTR-001", "PTRATTR-003", "PTRATTR-017", needs(pool_descriptors, memory_descriptors))]
fn the_kind_of_an_import_is_recorded(exporter: Role, importer: Role, #[case] import: Import) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    for (name, attribute) in [
        ("legacy handle", Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE),
        ("GPUDirect RDMA", Attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE),
    ] {
        observe(name, importer.pointer_get_attribute(attribute.0, pointer)?.to_string());
    }
    observe("is of a pool", (pool_of(&importer, pointer)? != 0).to_string());
    Ok(())
}

/// Whether imported memory of a pool names the imported pool is recorded.
#[rstest]
#[conformance::test("PTRATTR-003", needs(pool_descriptors))]
fn the_pool_of_an_import_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let (pool, pointer) = import_with_its_pool(&exporter, &importer)?;
    observe("names the imported pool", (pool_of(&importer, pointer)? == pool.0).to_string());
    Ok(())
}

/// Imported memory is not managed.
#[rstest]
#[conformance::test("PTRATTR-010")]
fn imported_memory_is_not_managed(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    check!(importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED.0, pointer)? == 0);
    Ok(())
}

/// Once closed, an import has no attributes.
#[rstest]
#[conformance::test("PTRATTR-014")]
fn a_closed_import_has_no_attributes(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    importer.ipc_close_mem_handle(pointer)?;
    importer.pointer_get_attribute(MEMORY_TYPE, pointer).refused(&[CUresult::CUDA_ERROR_INVALID_VALUE])?;
    Ok(())
}

/// Whether memory operations on an import can be made synchronous is recorded.
#[rstest]
#[conformance::test("PTRATTR-008")]
fn synchronous_operations_on_an_import_are_recorded(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    importer.pointer_set_sync_memops(pointer, true).recorded("code")?;
    Ok(())
}

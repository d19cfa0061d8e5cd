//! Attributes of memory of another process.

use conformance::{Expect as _, Outcome, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::{CUmemorytype, CUpointer_attribute as Attribute, CUresult};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::ImportKind;

const MEMORY_TYPE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;
const POOL: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE.0;

fn import(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?)
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

/// What an import says of its kind is recorded: a legacy handle, GPUDirect RDMA, a pool.
#[rstest]
#[conformance::test("PTRATTR-001", "PTRATTR-003", "PTRATTR-017", needs(pool_descriptors, memory_descriptors))]
fn the_kind_of_an_import_is_recorded(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    let pointer = kind.make(&exporter, &importer, 0)?.here;
    for (name, attribute) in [
        ("legacy handle", Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE),
        ("GPUDirect RDMA", Attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE),
    ] {
        observe(name, importer.pointer_get_attribute(attribute.0, pointer)?.to_string());
    }
    observe("is of a pool", (importer.pointer_get_wide_attribute(POOL, pointer)? != 0).to_string());
    Ok(())
}

/// Whether imported memory of a pool names the imported pool is recorded.
#[rstest]
#[conformance::test("PTRATTR-003", needs(pool_descriptors))]
fn the_pool_of_an_import_is_recorded(exporter: Role, importer: Role) -> Outcome {
    let pool = crate::pool::share(&exporter, &importer)?;
    let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?)?;
    let pointer = importer.mem_pool_import_pointer(pool.imported, data)?;
    let named = importer.pointer_get_wide_attribute(POOL, pointer)?;
    observe("names the imported pool", (named == pool.imported.0).to_string());
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

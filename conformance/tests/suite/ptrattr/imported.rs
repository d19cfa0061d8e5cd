//! Attributes of imported memory.

use conformance::{Expect as _, Outcome, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::{CUmemorytype, CUpointer_attribute as Attribute};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{INVALID_VALUE, READ_WRITE};
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::{ImportKind, SIZE as SIZE_OF_IMPORT};

const MEMORY_TYPE: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0;
const BUFFER_ID: u32 = Attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID.0;
const POOL: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE.0;
const ORDINAL: u32 = Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.0;
const LEGACY: u32 = Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE.0;
const MANAGED: u32 = Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED.0;
const CONTEXT: u32 = Attribute::CU_POINTER_ATTRIBUTE_CONTEXT.0;
const DEVICE_POINTER: u32 = Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER.0;
const RANGE_START: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR.0;
const RANGE_SIZE: u32 = Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE.0;

fn import(exporter: &Role, importer: &Role) -> Result<Pointer, Stop> {
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?)
}

/// Checks that imported memory is device memory. Records the context and the device that its attributes name.
fn is_a_devices(importer: &Role, pointer: Pointer) -> Outcome {
    for address in [pointer, pointer.offset(SIZE - 1)] {
        check!(importer.pointer_get_attribute(MEMORY_TYPE, address)? == CUmemorytype::CU_MEMORYTYPE_DEVICE.0);
    }
    let context = importer.pointer_get_wide_attribute(Attribute::CU_POINTER_ATTRIBUTE_CONTEXT.0, pointer)?;
    observe("context is the importer's", (context == importer.ctx_get_current()?.0).to_string());
    let ordinal = importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.0, pointer)?;
    observe("device", ordinal.cast_signed().to_string());
    Ok(())
}

/// `MEMORY_TYPE` of imported memory is that of device memory. The context and the device are recorded.
#[rstest]
#[conformance::test("PTRATTR-009")]
fn imported_memory_is_device_memory(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    is_a_devices(&importer, kind.make(&exporter, &importer, 0)?.here)
}

/// Checks that memory imported on its own device has the ordinal of that device, at both ends.
fn names_its_device(importer: &Role, pointer: Pointer, device: u32) -> Outcome {
    for address in [pointer, pointer.offset(SIZE - 1)] {
        check!(importer.pointer_get_attribute(ORDINAL, address)? == device);
    }
    Ok(())
}

/// `DEVICE_ORDINAL` of memory that is imported on its own device is the ordinal of that device.
#[rstest]
#[conformance::test("PTRATTR-009")]
fn imported_memory_names_its_device(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    names_its_device(&importer, kind.make(&exporter, &importer, 0)?.here, 0)
}

/// `DEVICE_ORDINAL` of memory of the second GPU that is imported there is 1.
#[rstest]
#[conformance::test("PTRATTR-009", needs(legacy_memory, gpus = 2))]
fn memory_imported_on_the_second_gpu_names_it(#[with(1)] exporter: Role, #[with(1)] importer: Role) -> Outcome {
    names_its_device(&importer, import(&exporter, &importer)?, 1)
}

/// `cuPointerGetAttributes` returns for many attributes of an import what `cuPointerGetAttribute` returns for each.
#[rstest]
#[conformance::test("PTRATTR-009", needs(legacy_memory))]
fn many_attributes_are_queried_at_once(exporter: Role, importer: Role) -> Outcome {
    // Eight that are addresses or numbers of 64 bits, whose width is documented, and then the memory type.
    const WIDE: [u32; 8] = [BUFFER_ID, CONTEXT, DEVICE_POINTER, RANGE_START, RANGE_SIZE, POOL, CONTEXT, BUFFER_ID];
    let pointer = import(&exporter, &importer)?;
    let all = [&WIDE[..], &[MEMORY_TYPE]].concat();
    let values = importer.pointer_get_attributes(all, pointer)?;
    for (attribute, value) in WIDE.into_iter().zip(&values) {
        check!(
            importer.pointer_get_wide_attribute(attribute, pointer)? == *value,
            "attribute {attribute}: {values:#x?}"
        );
    }
    let memory_type = importer.pointer_get_attribute(MEMORY_TYPE, pointer)?;
    check!(values[WIDE.len()] as u32 == memory_type, "{values:#x?}");
    Ok(())
}

/// `cuPointerGetAttributes` returns for the device and the booleans of an import what `cuPointerGetAttribute` returns.
#[rstest]
#[conformance::test("PTRATTR-009")]
fn several_attributes_agree_with_each(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    const SEVERAL: [u32; 3] = [ORDINAL, MANAGED, LEGACY];
    let pointer = kind.make(&exporter, &importer, 0)?.here;
    let values = importer.pointer_get_attributes(SEVERAL.to_vec(), pointer)?;
    for (attribute, value) in SEVERAL.into_iter().zip(&values) {
        // The width of a boolean is not documented.
        let number = u64::from(importer.pointer_get_attribute(attribute, pointer)?);
        check!(number & 0xFF == *value & 0xFF, "attribute {attribute}: {values:#x?}");
    }
    Ok(())
}

/// `cuPointerGetAttributes` returns for an interior address of each kind of import what `cuPointerGetAttribute` returns.
#[rstest]
#[conformance::test("PTRATTR-009")]
fn attributes_of_interior_addresses_are_queried_at_once(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    // These are addresses or numbers of 64 bits, whose width is documented.
    const WIDE: [u32; 5] = [BUFFER_ID, DEVICE_POINTER, RANGE_START, RANGE_SIZE, POOL];
    let pointer = kind.make(&exporter, &importer, 0)?.here.offset(SIZE / 2 + 1);
    let values = importer.pointer_get_attributes([&WIDE[..], &[MEMORY_TYPE]].concat(), pointer)?;
    for (attribute, value) in WIDE.into_iter().zip(&values) {
        check!(
            importer.pointer_get_wide_attribute(attribute, pointer)? == *value,
            "attribute {attribute}: {values:#x?}"
        );
    }
    check!(values[WIDE.len()] as u32 == importer.pointer_get_attribute(MEMORY_TYPE, pointer)?, "{values:#x?}");
    Ok(())
}

/// `IS_MANAGED` of memory that is opened on a peer is 0.
#[rstest]
#[conformance::test("PTRATTR-010", needs(legacy_memory, gpus = 2, peer_access))]
fn memory_imported_from_another_device_is_not_managed(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    check!(importer.pointer_get_attribute(MANAGED, pointer)? == 0);
    Ok(())
}

/// Pointers into an import of a pool, or into a mapped import, have one `BUFFER_ID`.
#[rstest]
#[case::pool(ImportKind::Pool)]
#[case::virtual_memory(ImportKind::VirtualMemory)]
#[conformance::test("PTRATTR-007")]
fn pointers_into_an_import_share_the_buffer_id(exporter: Role, importer: Role, #[case] kind: ImportKind) -> Outcome {
    let pointer = kind.make(&exporter, &importer, 0)?.here;
    let id = importer.pointer_get_wide_attribute(BUFFER_ID, pointer)?;
    for offset in [1, SIZE / 2, SIZE - 1] {
        check!(importer.pointer_get_wide_attribute(BUFFER_ID, pointer.offset(offset))? == id);
    }
    Ok(())
}

/// `DEVICE_POINTER` of mapped memory of another process is refused while the current context's device has no access to it.
#[rstest]
#[conformance::test("PTRATTR-018", needs(gpus = 2, peer_access, memory_descriptors))]
fn the_device_pointer_of_an_import_needs_access(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let pointer = ImportKind::VirtualMemory.make(&exporter, &importer, 0)?.here;
    let look = || importer.pointer_get_wide_attribute(DEVICE_POINTER, pointer);
    look().refused(INVALID_VALUE)?;
    importer.mem_set_access(pointer, SIZE_OF_IMPORT, 1, READ_WRITE)?;
    check!(look()? == pointer.0);
    Ok(())
}

/// `DEVICE_POINTER` of an address in an import is that address.
#[rstest]
#[conformance::test("PTRATTR-018")]
fn the_device_pointer_of_an_import_is_its_address(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    let pointer = kind.make(&exporter, &importer, 0)?.here;
    for address in [pointer, pointer.offset(1), pointer.offset(SIZE - 1)] {
        check!(importer.pointer_get_wide_attribute(DEVICE_POINTER, address)? == address.0);
    }
    Ok(())
}

/// `MEMORY_TYPE` of memory imported from another device is that of device memory. The context and the device are
/// recorded.
#[rstest]
#[conformance::test("PTRATTR-009", needs(legacy_memory, gpus = 2, peer_access))]
fn memory_imported_from_another_device_is_device_memory(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    is_a_devices(&importer, import(&exporter, &importer)?)
}

/// The attributes of an import for legacy handles, GPUDirect RDMA and pools are recorded.
#[rstest]
#[conformance::test("PTRATTR-001", "PTRATTR-003", "PTRATTR-017")]
fn the_attributes_of_an_import(
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
    observe("has a pool", (importer.pointer_get_wide_attribute(POOL, pointer)? != 0).to_string());
    Ok(())
}

/// Whether `MEMPOOL_HANDLE` of imported pool memory is the imported pool is recorded.
#[rstest]
#[conformance::test("PTRATTR-003", needs(pool_descriptors))]
fn the_pool_of_an_import(exporter: Role, importer: Role) -> Outcome {
    let pool = crate::support::shared_pool::share(&exporter, &importer)?;
    let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?)?;
    let pointer = importer.mem_pool_import_pointer(pool.imported, data)?;
    let named = importer.pointer_get_wide_attribute(POOL, pointer)?;
    observe("names the imported pool", (named == pool.imported.0).to_string());
    Ok(())
}

/// `IS_MANAGED` is 0 for imported memory.
#[rstest]
#[conformance::test("PTRATTR-010")]
fn imported_memory_is_not_managed(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    let pointer = kind.make(&exporter, &importer, 0)?.here;
    for address in [pointer, pointer.offset(SIZE - 1)] {
        check!(importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED.0, address)? == 0);
    }
    Ok(())
}

/// The driver refuses an attribute query for a closed import.
#[rstest]
#[conformance::test("PTRATTR-014", needs(legacy_memory))]
fn a_closed_import_has_no_attributes(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    importer.ipc_close_mem_handle(pointer)?;
    importer.pointer_get_attribute(MEMORY_TYPE, pointer).refused(INVALID_VALUE)?;
    Ok(())
}

/// Pointers into an import have one `BUFFER_ID`, which no other buffer of the importer has.
#[rstest]
#[conformance::test("PTRATTR-007", needs(legacy_memory))]
fn an_import_has_a_buffer_id_of_its_own(exporter: Role, importer: Role) -> Outcome {
    let id_of = |pointer| importer.pointer_get_wide_attribute(BUFFER_ID, pointer);
    let mut others = vec![id_of(importer.mem_alloc(SIZE)?)?];
    for _ in 0..3 {
        let pointer = import(&exporter, &importer)?;
        let id = id_of(pointer)?;
        for other in &others {
            check!(id != *other);
        }
        check!(id_of(pointer.offset(SIZE - 1))? == id);
        others.push(id);
    }
    Ok(())
}

/// The code of setting `SYNC_MEMOPS` on an import is recorded.
#[rstest]
#[conformance::test("PTRATTR-008", needs(legacy_memory))]
fn the_code_of_making_an_import_synchronous(exporter: Role, importer: Role) -> Outcome {
    let pointer = import(&exporter, &importer)?;
    importer.pointer_set_sync_memops(pointer, true).recorded("code")?;
    Ok(())
}

//! Queries of unknown memory and unknown attributes, buffer ids, and synchronous memory operations.

use conformance::calls::pointer::UNWRITTEN;
use conformance::{Expect as _, MemProperties, Outcome, Pointer, Role, Stop, check};
use cuda_ipc_sys::CUpointer_attribute as Attribute;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{DESCRIPTOR, INVALID_VALUE};
use crate::support::distinct::check_distinct;
use crate::support::fixtures::{exporter, importer};
use crate::support::pointer_kind::PointerKind;
use crate::support::shared_pool::share;
use crate::support::virtual_memory::import;

const BUFFER_ID: u32 = Attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID.0;
const SYNC: u32 = Attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.0;

/// The driver refuses a query of one attribute of memory that CUDA does not know, and returns zeros if several are
/// queried at once.
#[rstest]
#[conformance::test("PTRATTR-013")]
fn foreign_memory_has_no_attributes(importer: Role) -> Outcome {
    const SEVERAL: [Attribute; 6] = [
        Attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
        Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
        Attribute::CU_POINTER_ATTRIBUTE_MAPPED,
    ];
    let heap = importer.heap_alloc(SIZE)?;
    importer.pointer_get_attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE.0, heap).refused(INVALID_VALUE)?;
    let values = importer.pointer_get_attributes(SEVERAL.map(|attribute| attribute.0).to_vec(), heap)?;
    check!(values[0] == 0, "{values:#x?}");
    check!(values[2] == 0, "{values:#x?}");
    check!(values[4] == 0, "{values:#x?}");
    // The memory type has 4 bytes. The width of a boolean is not documented.
    check!(values[1] == UNWRITTEN << 32, "{values:#x?}");
    check!(values[3] & 0xFF == 0, "{values:#x?}");
    check!(values[5] & 0xFF == 0, "{values:#x?}");
    Ok(())
}

/// The driver refuses an unknown pointer attribute.
#[rstest]
#[conformance::test("PTRATTR-015")]
fn unknown_attributes_are_refused(importer: Role, #[values(0, 9999, u32::MAX)] attribute: u32) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    importer.pointer_get_wide_attribute(attribute, buffer).refused(INVALID_VALUE)?;
    Ok(())
}

/// The code of an attribute query without a current context is recorded.
#[rstest]
#[case::memory_type(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)]
#[case::device_pointer(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER)]
#[case::access_flags(Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS)]
#[case::range_size(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE)]
#[conformance::test("PTRATTR-016")]
fn the_code_without_a_context(importer: Role, #[case] attribute: Attribute) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    let context = importer.ctx_get_current()?;
    importer.ctx_set_current(None)?;
    importer.pointer_get_wide_attribute(attribute.0, buffer).recorded("code")?;
    importer.ctx_set_current(Some(context))
}

/// All pointers into a buffer have the same `BUFFER_ID`, and another buffer has a different one.
#[rstest]
#[conformance::test("PTRATTR-007")]
fn interior_pointers_share_the_buffer_id(importer: Role) -> Outcome {
    let (buffer, other) = (importer.mem_alloc(SIZE)?, importer.mem_alloc(SIZE)?);
    let number = importer.pointer_get_wide_attribute(BUFFER_ID, buffer)?;
    for offset in [1, SIZE / 2, SIZE - 1] {
        check!(importer.pointer_get_wide_attribute(BUFFER_ID, buffer.offset(offset))? == number);
    }
    check!(importer.pointer_get_wide_attribute(BUFFER_ID, other)? != number);
    Ok(())
}

/// Checks that memory has a new `BUFFER_ID` each time it is made and given back, even if its address is used again.
fn is_new_each_time(
    role: &Role,
    make: impl Fn() -> Result<Pointer, Stop>,
    give_back: impl Fn(Pointer) -> Outcome,
) -> Outcome {
    let mut numbers = Vec::new();
    for _ in 0..50 {
        let pointer = make()?;
        numbers.push(role.pointer_get_wide_attribute(BUFFER_ID, pointer)?);
        give_back(pointer)?;
    }
    check_distinct("the buffer ids", &numbers)
}

/// A `BUFFER_ID` is not used again for new memory, not even after more than a thousand allocations.
#[rstest]
#[conformance::test("PTRATTR-006")]
fn a_buffer_id_is_not_used_again(importer: Role) -> Outcome {
    is_new_each_time(&importer, || importer.mem_alloc(SIZE), |buffer| importer.mem_free(buffer))?;
    check_distinct("the buffer ids", &importer.buffer_ids_of_new_memory(SIZE, 1100)?)
}

/// A `BUFFER_ID` is not used again for new pool memory.
#[rstest]
#[conformance::test("PTRATTR-006", needs(memory_pools))]
fn a_buffer_id_is_not_used_again_by_a_pool(importer: Role) -> Outcome {
    is_new_each_time(&importer, || importer.mem_alloc_async(SIZE), |memory| importer.mem_free_async_and_wait(memory))
}

/// A `BUFFER_ID` is not used again for an import of other memory.
#[rstest]
#[conformance::test("PTRATTR-006", needs(legacy_memory))]
fn a_buffer_id_is_not_used_again_by_an_import(exporter: Role, importer: Role) -> Outcome {
    let open = || importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?);
    is_new_each_time(&importer, open, |import| importer.ipc_close_mem_handle(import))
}

/// A `BUFFER_ID` is not used again for an import of other memory of a pool.
#[rstest]
#[conformance::test("PTRATTR-006", needs(pool_descriptors))]
fn a_buffer_id_is_not_used_again_by_an_import_of_a_pool(exporter: Role, importer: Role) -> Outcome {
    let pool = share(&exporter, &importer)?;
    let give = || {
        let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?)?;
        importer.mem_pool_import_pointer(pool.imported, data)
    };
    is_new_each_time(&importer, give, |import| importer.mem_free_async_and_wait(import))
}

/// A `BUFFER_ID` is not used again for an import of other memory that is mapped at the same address.
#[rstest]
#[conformance::test("PTRATTR-006", needs(memory_descriptors))]
fn a_buffer_id_is_not_used_again_by_a_mapped_import(exporter: Role, importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    let map = || {
        let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
        let imported = import(&exporter, physical, &importer)?;
        importer.mem_map(address, SIZE, 0, imported, 0)?;
        importer.mem_release(imported)?;
        Ok(address)
    };
    is_new_each_time(&importer, map, |address| importer.mem_unmap(address, SIZE))
}

/// A `BUFFER_ID` is not used again for new memory that is mapped at the same address.
#[rstest]
#[conformance::test("PTRATTR-006", needs(virtual_memory))]
fn a_buffer_id_is_not_used_again_by_a_mapping(importer: Role) -> Outcome {
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    let map = || {
        let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
        importer.mem_map(address, SIZE, 0, physical, 0)?;
        importer.mem_release(physical)?;
        Ok(address)
    };
    is_new_each_time(&importer, map, |address| importer.mem_unmap(address, SIZE))
}

/// `SYNC_MEMOPS` of a buffer can be set and cleared, and other buffers keep theirs. The driver refuses to set it on a
/// null pointer.
#[rstest]
#[conformance::test("PTRATTR-008")]
fn memory_operations_can_be_made_synchronous(importer: Role) -> Outcome {
    let (buffer, other) = (importer.mem_alloc(SIZE)?, importer.mem_alloc(SIZE)?);
    check!(importer.pointer_get_attribute(SYNC, buffer)? == 0);
    importer.pointer_set_sync_memops(buffer, true)?;
    check!(importer.pointer_get_attribute(SYNC, buffer)? == 1);
    check!(importer.pointer_get_attribute(SYNC, other)? == 0);
    importer.pointer_set_sync_memops(buffer, false)?;
    check!(importer.pointer_get_attribute(SYNC, buffer)? == 0);
    importer.pointer_set_sync_memops(Pointer::NULL, true).refused(&[])?;
    Ok(())
}

/// The code of setting `SYNC_MEMOPS` on pool memory and virtual memory is recorded. If it can be set, it reads 1.
#[rstest]
#[case::pool(PointerKind::DefaultPool)]
#[case::virtual_memory(PointerKind::VirtualMemory)]
#[conformance::test("PTRATTR-008", needs(memory_pools, virtual_memory))]
fn the_code_of_making_other_memory_synchronous(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    if importer.pointer_set_sync_memops(pointer, true).recorded("code")?.is_some() {
        check!(importer.pointer_get_attribute(SYNC, pointer)? == 1);
    }
    Ok(())
}

//! Attributes that differ between kinds of memory.

use conformance::machine::Fabric;
use conformance::{Outcome, Placement, Pointer, Role, check, observe};
use cuda_ipc_sys::CUpointer_attribute as Attribute;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{DESCRIPTOR, DEVICE, FABRIC, READ_WRITE};
use crate::support::fixtures::{importer, start};
use crate::support::pointer_kind::PointerKind;

const LEGACY: u32 = Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE.0;
const HANDLE_TYPES: u32 = Attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES.0;
const POOL: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE.0;
const RDMA: u32 = Attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE.0;

fn has_a_legacy_handle(role: &Role) -> Outcome {
    let buffer = role.mem_alloc(SIZE)?;
    check!(role.pointer_get_attribute(LEGACY, buffer)? == 1);
    check!(role.pointer_get_attribute(LEGACY, buffer.offset(SIZE - 1))? == 1);
    Ok(())
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 1 for memory from `cuMemAlloc`.
#[rstest]
#[conformance::test("PTRATTR-001")]
fn linear_memory_has_a_legacy_handle(importer: Role) -> Outcome {
    has_a_legacy_handle(&importer)
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 1 for memory from `cuMemAlloc` on the second device.
#[rstest]
#[conformance::test("PTRATTR-001", needs(gpus = 2))]
fn linear_memory_of_the_second_device_has_a_legacy_handle(#[with(1)] importer: Role) -> Outcome {
    has_a_legacy_handle(&importer)
}

fn has_no_legacy_handle(importer: &Role, kind: PointerKind) -> Outcome {
    let pointer = kind.make(importer)?;
    check!(importer.pointer_get_attribute(LEGACY, pointer)? == 0);
    // The width of a boolean is not documented.
    check!(importer.pointer_get_attributes(vec![LEGACY], pointer)?[0] & 0xFF == 0);
    Ok(())
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 0 for pinned and registered memory of the host.
#[rstest]
#[case::pinned(PointerKind::Pinned)]
#[case::write_combined(PointerKind::WriteCombined)]
#[case::registered(PointerKind::Registered)]
#[conformance::test("PTRATTR-001")]
fn host_memory_has_no_legacy_handle(importer: Role, #[case] kind: PointerKind) -> Outcome {
    has_no_legacy_handle(&importer, kind)
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 0 for managed memory, before and after a device used it.
#[rstest]
#[case::managed(PointerKind::Managed)]
#[case::touched(PointerKind::ManagedTouched)]
#[conformance::test("PTRATTR-001", needs(managed_memory))]
fn managed_memory_has_no_legacy_handle(importer: Role, #[case] kind: PointerKind) -> Outcome {
    has_no_legacy_handle(&importer, kind)
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 0 for pool memory, whether the pool can be exported or not.
#[rstest]
#[case::default_pool(PointerKind::DefaultPool)]
#[case::exportable_pool(PointerKind::DescriptorPool)]
#[conformance::test("PTRATTR-001", needs(pool_descriptors))]
fn pool_memory_has_no_legacy_handle(importer: Role, #[case] kind: PointerKind) -> Outcome {
    has_no_legacy_handle(&importer, kind)
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 0 for virtual memory, whether its memory can be exported or not.
#[rstest]
#[case::not_exportable(0)]
#[case::exportable(DESCRIPTOR)]
#[conformance::test("PTRATTR-001", needs(memory_descriptors))]
fn virtual_memory_has_no_legacy_handle(importer: Role, #[case] handle_types: u32) -> Outcome {
    let address = importer.mem_create_and_map(SIZE, handle_types)?;
    check!(importer.pointer_get_attribute(LEGACY, address)? == 0);
    Ok(())
}

/// `ALLOWED_HANDLE_TYPES` of a mapping is the mask of handle types with which its memory was created, also after the
/// handle is released. `cuPointerGetAttributes` returns the same.
#[rstest]
#[case::nothing(0)]
#[case::descriptor(DESCRIPTOR)]
#[conformance::test("PTRATTR-002", needs(memory_descriptors))]
fn a_mapping_names_its_handle_types(importer: Role, #[case] handle_types: u32) -> Outcome {
    let physical = importer.mem_create(SIZE, DEVICE.exportable(handle_types), 0)?;
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, physical, 0)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    let pointers = [address, address.offset(SIZE - 1)];
    let expected = u64::from(handle_types);
    for pointer in pointers {
        check!(importer.pointer_get_wide_attribute(HANDLE_TYPES, pointer)? == expected);
        // The width of a mask of handle types is not documented.
        check!(
            importer.pointer_get_attributes(vec![HANDLE_TYPES], pointer)?[0] as u32 == handle_types,
            "cuPointerGetAttributes returned another mask of handle types than {handle_types:#x}"
        );
    }
    importer.mem_release(physical)?;
    for pointer in pointers {
        check!(importer.pointer_get_wide_attribute(HANDLE_TYPES, pointer)? == expected);
    }
    Ok(())
}

/// `ALLOWED_HANDLE_TYPES` of a mapping has the bit of each handle type, fabric handles included.
#[rstest]
#[case::fabric(FABRIC)]
#[case::fabric_or_descriptor(FABRIC | DESCRIPTOR)]
#[conformance::test("PTRATTR-002", needs(memory_descriptors, fabric = Fabric::Channel))]
fn a_mapping_names_fabric_handles(#[case] handle_types: u32) -> Outcome {
    let role = start("importer", Placement::device(0).fabric(Fabric::Channel));
    let address = role.mem_create_and_map(SIZE, handle_types)?;
    let expected = u64::from(handle_types);
    check!(role.pointer_get_wide_attribute(HANDLE_TYPES, address)? == expected);
    Ok(())
}

/// `ALLOWED_HANDLE_TYPES` of linear and pool memory is recorded.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::pool(PointerKind::DefaultPool)]
#[conformance::test("PTRATTR-002", needs(memory_pools))]
fn the_handle_types_of_other_memory(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    observe("handle types", importer.pointer_get_wide_attribute(HANDLE_TYPES, pointer)?.to_string());
    Ok(())
}

/// `MEMPOOL_HANDLE` of pool memory is the pool that has it, not another pool of the process.
#[rstest]
#[case::not_exportable(0)]
#[case::exportable(DESCRIPTOR)]
#[conformance::test("PTRATTR-003", needs(pool_descriptors))]
fn memory_names_its_pool(importer: Role, #[case] handle_types: u32) -> Outcome {
    for _ in 0..2 {
        let pool = importer.mem_pool_create(handle_types)?;
        let pointer = importer.mem_alloc_from_pool_async(SIZE, pool)?;
        check!(importer.pointer_get_wide_attribute(POOL, pointer)? == pool.0);
        check!(importer.pointer_get_wide_attribute(POOL, pointer.offset(SIZE - 1))? == pool.0);
    }
    Ok(())
}

/// `MEMPOOL_HANDLE` of memory from `cuMemAllocAsync` is the default pool.
#[rstest]
#[conformance::test("PTRATTR-003", needs(memory_pools))]
fn memory_of_the_default_pool_names_it(importer: Role) -> Outcome {
    let (pool, pointer) = (importer.device_get_default_mem_pool()?, importer.mem_alloc_async(SIZE)?);
    check!(importer.pointer_get_wide_attribute(POOL, pointer)? == pool.0);
    Ok(())
}

/// `MEMPOOL_HANDLE` of linear and pinned memory is null.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::pinned(PointerKind::Pinned)]
#[conformance::test("PTRATTR-003")]
fn memory_without_a_pool_names_none(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    check!(importer.pointer_get_wide_attribute(POOL, pointer)? == 0);
    Ok(())
}

/// `MEMPOOL_HANDLE` of virtual memory is null.
#[rstest]
#[conformance::test("PTRATTR-003", needs(virtual_memory))]
fn virtual_memory_names_no_pool(importer: Role) -> Outcome {
    let address = importer.mem_create_and_map(SIZE, 0)?;
    check!(importer.pointer_get_wide_attribute(POOL, address)? == 0);
    Ok(())
}

/// In a created context, linear memory has a legacy handle, and memory of a pool names its pool.
#[rstest]
#[conformance::test("PTRATTR-001", "PTRATTR-003", needs(memory_pools))]
fn memory_of_a_created_context_has_the_same_attributes(importer: Role) -> Outcome {
    importer.ctx_create(0)?;
    check!(importer.pointer_get_attribute(LEGACY, importer.mem_alloc(SIZE)?)? == 1);
    let pool = importer.mem_pool_create(0)?;
    let pointer = importer.mem_alloc_from_pool_async(SIZE, pool)?;
    check!(importer.pointer_get_attribute(LEGACY, pointer)? == 0);
    check!(importer.pointer_get_wide_attribute(POOL, pointer)? == pool.0);
    importer.mem_free_async_and_wait(pointer)
}

/// `IS_GPU_DIRECT_RDMA_CAPABLE` of each kind of memory is recorded.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::pool(PointerKind::DefaultPool)]
#[case::exportable_pool(PointerKind::DescriptorPool)]
#[case::virtual_memory(PointerKind::VirtualMemory)]
#[case::managed(PointerKind::Managed)]
#[case::pinned(PointerKind::Pinned)]
#[case::registered(PointerKind::Registered)]
#[conformance::test("PTRATTR-017", needs(managed_memory, pool_descriptors, virtual_memory))]
fn the_rdma_capability_of_each_kind(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    observe("capable", importer.pointer_get_attribute(RDMA, pointer)?.to_string());
    Ok(())
}

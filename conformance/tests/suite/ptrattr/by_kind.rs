//! Attributes that differ between kinds of memory.

use conformance::{Outcome, Role, check, observe};
use cuda_ipc_sys::{CUmemAllocationHandleType, CUpointer_attribute as Attribute};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::importer;
use crate::support::pointer_kind::PointerKind;

const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const LEGACY: u32 = Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE.0;
const HANDLE_TYPES: u32 = Attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES.0;
const POOL: u32 = Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE.0;
const RDMA: u32 = Attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE.0;

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 1 for memory from `cuMemAlloc`.
#[rstest]
#[conformance::test("PTRATTR-001")]
fn linear_memory_has_a_legacy_handle(importer: Role) -> Outcome {
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.pointer_get_attribute(LEGACY, buffer)? == 1);
    Ok(())
}

/// `IS_LEGACY_CUDA_IPC_CAPABLE` is 0 for managed, pinned, pool and virtual memory.
#[rstest]
#[case::managed(PointerKind::Managed)]
#[case::pinned(PointerKind::Pinned)]
#[case::pool(PointerKind::DefaultPool)]
#[case::virtual_memory(PointerKind::VirtualMemory)]
#[conformance::test("PTRATTR-001", needs(managed_memory, memory_pools, virtual_memory))]
fn other_memory_has_no_legacy_handle(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    check!(importer.pointer_get_attribute(LEGACY, pointer)? == 0);
    Ok(())
}

/// `ALLOWED_HANDLE_TYPES` of a mapping is the mask of handle types with which its memory was created.
#[rstest]
#[case::nothing(0)]
#[case::descriptor(DESCRIPTOR)]
#[conformance::test("PTRATTR-002", needs(memory_descriptors))]
fn a_mapping_names_its_handle_types(importer: Role, #[case] handle_types: u32) -> Outcome {
    let address = importer.mem_create_and_map(SIZE, handle_types)?;
    check!(importer.pointer_get_wide_attribute(HANDLE_TYPES, address)? == u64::from(handle_types));
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

/// `MEMPOOL_HANDLE` of pool memory is its pool, and is null for other memory.
#[rstest]
#[conformance::test("PTRATTR-003", needs(memory_pools))]
fn memory_names_its_pool(importer: Role) -> Outcome {
    let pool = importer.mem_pool_create(0)?;
    let pointer = importer.mem_alloc_from_pool_async(SIZE, pool)?;
    check!(importer.pointer_get_wide_attribute(POOL, pointer)? == pool.0);
    let buffer = importer.mem_alloc(SIZE)?;
    check!(importer.pointer_get_wide_attribute(POOL, buffer)? == 0);
    Ok(())
}

/// `IS_GPU_DIRECT_RDMA_CAPABLE` of each kind of memory is recorded.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::pool(PointerKind::DefaultPool)]
#[case::virtual_memory(PointerKind::VirtualMemory)]
#[conformance::test("PTRATTR-017", needs(memory_pools, virtual_memory))]
fn the_rdma_capability_of_each_kind(importer: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&importer)?;
    observe("capable", importer.pointer_get_attribute(RDMA, pointer)?.to_string());
    Ok(())
}

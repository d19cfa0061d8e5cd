//! `cuMemPoolCreate` and `cuMemPoolDestroy`.

use conformance::Placement;
use conformance::{Expect as _, MIB, MemProperties, Outcome, Role, check};
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CUmemAllocationType, CUresult};
use rstest::rstest;

use crate::support::by_kernel::enqueue_fill;
use crate::support::constants::{
    DESCRIPTOR, DEVICE, HOST, HOST_NUMA_CURRENT, INVALID_VALUE, NONE, ON_DEVICE, READ_WRITE,
};
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, importer, start};
use crate::support::latch::Latch;
use crate::support::shared_pool::{SIZE, share_pool_of_numa_node};

/// The driver creates a pool for a handle type if and only if the attribute contains that handle type.
#[rstest]
#[conformance::test("POOL-CREATE-001", "POOL-CREATE-002", needs(memory_pools))]
fn handle_types_agree_with_the_attribute(exporter: Role, #[values(1, 2, 4)] handle_type: u32) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
    let mask = exporter.device_get_attribute(attribute.0, 0)?.cast_unsigned();
    let created = exporter.mem_pool_create(handle_type);
    if mask & handle_type == 0 {
        return created.refused(&[]).map(drop);
    }
    exporter.mem_alloc_from_pool_async(SIZE, created?).map(drop)
}

/// The driver refuses pool properties with a non-zero reserved byte.
#[rstest]
#[conformance::test("POOL-CREATE-003", needs(memory_pools))]
fn nonzero_reserved_bytes_are_refused(exporter: Role) -> Outcome {
    exporter.mem_pool_create_with(DEVICE, 0, 1).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses a pool with location type `HOST` and a handle type.
#[rstest]
#[conformance::test("POOL-CREATE-004", needs(memory_pools, cuda = 13_000))]
fn an_exportable_host_pool_is_refused(exporter: Role) -> Outcome {
    exporter.mem_pool_create_with(DEVICE.at(HOST, 0).exportable(DESCRIPTOR), 0, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Two processes can share a pool of a NUMA node; each reads with the CPU what the other wrote.
#[rstest]
#[conformance::test("POOL-CREATE-005", needs(pool_descriptors, cuda = 13_000))]
fn a_pool_of_a_numa_node_is_shared(exporter: Role, importer: Role) -> Outcome {
    let Some(pool) = share_pool_of_numa_node(&exporter, &importer)? else { return Ok(()) };
    let there = exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?;
    let here = importer.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?)?;
    exporter.fill_by_host(there, SIZE, 7)?;
    check!(importer.mismatches_by_host(here, SIZE, 7)? == 0);
    importer.fill_by_host(here, SIZE, 8)?;
    check!(exporter.mismatches_by_host(there, SIZE, 8)? == 0);
    Ok(())
}

/// The driver refuses a pool of managed memory with a handle type or a maximum size.
#[rstest]
#[case::handles(DESCRIPTOR, 0)]
#[case::maximum(0, 64 * MIB)]
#[conformance::test("POOL-CREATE-006", needs(memory_pools, managed_memory, cuda = 13_000))]
fn a_managed_pool_has_no_handles_and_no_maximum(
    exporter: Role,
    #[case] handle_types: u32,
    #[case] maximum: u64,
) -> Outcome {
    let managed = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED.0;
    let properties = MemProperties { allocation_type: managed, ..DEVICE }.exportable(handle_types);
    exporter.mem_pool_create_with(properties, maximum, 0).refused(&[])?;
    Ok(())
}

/// The driver refuses a pool with location type `HOST_NUMA_CURRENT`.
#[rstest]
#[conformance::test("POOL-CREATE-007", needs(memory_pools))]
fn the_current_numa_node_is_refused(exporter: Role) -> Outcome {
    exporter.mem_pool_create_with(DEVICE.at(HOST_NUMA_CURRENT, 0), 0, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Creating a pool with null properties or a null output does not succeed, and does not affect other processes.
#[rstest]
#[case::no_output(false, true)]
#[case::no_properties(true, false)]
#[conformance::test("POOL-CREATE-008", needs(memory_pools))]
fn null_arguments_create_no_pool(
    #[from(exporter)] sacrifice: Role,
    importer: Role,
    #[case] output: bool,
    #[case] properties: bool,
) -> Outcome {
    let answer = sacrifice.mem_pool_create_in_part(output, properties).survived_or_not("create")?;
    check!(answer.is_none(), "the call returned CUDA_SUCCESS");
    importer.ctx_synchronize()
}

/// The driver refuses a pool with an unknown allocation type or an invalid location.
#[rstest]
#[case::no_type(MemProperties { allocation_type: 0, ..DEVICE })]
#[case::unknown_type(MemProperties { allocation_type: 0x7fff, ..DEVICE })]
#[case::no_location(DEVICE.at(0, 0))]
#[case::unknown_location(DEVICE.at(0x7fff, 0))]
#[case::negative_device(DEVICE.at(ON_DEVICE, -1))]
#[case::unknown_device(DEVICE.at(ON_DEVICE, 0x7fff))]
#[conformance::test("POOL-CREATE-008", needs(memory_pools))]
fn unknown_types_and_locations_are_refused(exporter: Role, #[case] properties: MemProperties) -> Outcome {
    exporter.mem_pool_create_with(properties, 0, 0).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver enforces a pool's maximum size over all its memory: the allocation that exceeds it is out of memory, and
/// others succeed.
#[rstest]
#[conformance::test("POOL-CREATE-009", needs(memory_pools))]
fn a_maximum_size_is_enforced(exporter: Role) -> Outcome {
    enforces_its_maximum(&exporter, DEVICE)
}

/// The driver enforces the maximum size of a pool that can be shared.
#[rstest]
#[conformance::test("POOL-CREATE-009", needs(pool_descriptors))]
fn the_maximum_size_of_a_shareable_pool_is_enforced(exporter: Role) -> Outcome {
    enforces_its_maximum(&exporter, DEVICE.exportable(DESCRIPTOR))
}

/// The driver enforces the maximum size of a pool of another device, not only of the first.
#[rstest]
#[conformance::test("POOL-CREATE-009", needs(gpus = 2, memory_pools))]
fn the_maximum_size_of_a_pool_of_another_device_is_enforced(#[with(1)] exporter: Role) -> Outcome {
    enforces_its_maximum(&exporter, MemProperties::device(1))
}

/// Checks that the allocations of a pool cannot exceed its maximum size, and that they can reach it.
fn enforces_its_maximum(exporter: &Role, properties: MemProperties) -> Outcome {
    const MAXIMUM: u64 = 64 * MIB;
    let pool = exporter.mem_pool_create_with(properties, MAXIMUM, 0)?;
    let pointer = exporter.mem_alloc_from_pool_async(MAXIMUM / 2, pool)?;
    exporter.mem_alloc_from_pool_async(MAXIMUM / 2, pool)?;
    exporter.mem_alloc_from_pool_async(MAXIMUM / 2, pool).refused(&[CUresult::CUDA_ERROR_OUT_OF_MEMORY])?;
    // Freed memory no longer counts.
    exporter.mem_free_async_and_wait(pointer)?;
    exporter.mem_alloc_from_pool_async(MAXIMUM / 2, pool)?;
    // A pool can be used up by one allocation.
    exporter.mem_alloc_from_pool_async(MAXIMUM, exporter.mem_pool_create_with(properties, MAXIMUM, 0)?)?;
    Ok(())
}

/// The driver refuses to destroy the default pool.
#[rstest]
#[conformance::test("POOL-CREATE-010", needs(memory_pools))]
fn the_default_pool_is_not_destroyed(exporter: Role) -> Outcome {
    let pool = exporter.device_get_default_mem_pool()?;
    exporter.mem_pool_destroy(pool).refused(INVALID_VALUE)?;
    exporter.mem_alloc_async(SIZE)?;
    Ok(())
}

/// The driver protects the default pool of every device, not only of the first.
#[rstest]
#[conformance::test("POOL-CREATE-010", needs(gpus = 2, memory_pools))]
fn the_default_pool_of_another_device_is_not_destroyed(#[with(1)] exporter: Role) -> Outcome {
    let pool = exporter.device_get_default_mem_pool()?;
    exporter.mem_pool_destroy(pool).refused(INVALID_VALUE)?;
    exporter.mem_alloc_async(SIZE)?;
    Ok(())
}

/// Destroying a pool does not wait for work that uses its memory, and the work is performed.
#[rstest]
#[conformance::test("POOL-CREATE-011", needs(memory_pools))]
fn destroying_a_pool_does_not_wait(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let (pointer, stream) = (exporter.mem_alloc_from_pool_async(SIZE, pool)?, exporter.stream_create()?);
    exporter.fill(pointer, SIZE, 7)?;
    let latch = Latch::hold(&exporter, stream)?;
    enqueue_fill(&exporter, pointer, SIZE, 8, stream)?;
    exporter.mem_pool_destroy(pool)?;
    latch.release()?;
    exporter.stream_synchronize(stream)?;
    check!(exporter.mismatches(pointer, SIZE, 8)? == 0);
    // This can corrupt the driver's state in the process, which another case checks.
    exporter.kill()
}

/// Memory stays usable after its pool was destroyed, and returns to the device when it is freed.
#[rstest]
#[conformance::test("POOL-CREATE-011", needs(memory_pools))]
fn memory_outlives_its_pool(exporter: Role, importer: Role) -> Outcome {
    let account = Account::open(&importer)?;
    let pool = exporter.mem_pool_create(0)?;
    let pointer = exporter.mem_alloc_from_pool_async(account.large, pool)?;
    exporter.mem_pool_destroy(pool)?;
    exporter.fill(pointer.offset(account.large - SIZE), SIZE, 7)?;
    check!(exporter.mismatches(pointer.offset(account.large - SIZE), SIZE, 7)? == 0);
    account.check_held()?;
    exporter.mem_free_async_and_wait(pointer)?;
    account.check_given_back_at_once()?;
    // This can corrupt the driver's state in the process, which another case checks.
    exporter.kill()
}

/// Freeing one allocation of a destroyed pool leaves its others usable.
#[rstest]
#[conformance::test("POOL-CREATE-011", needs(memory_pools))]
fn memory_of_a_destroyed_pool_is_freed_one_by_one(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let (one, other) =
        (exporter.mem_alloc_from_pool_async(SIZE, pool)?, exporter.mem_alloc_from_pool_async(SIZE, pool)?);
    exporter.fill(other, SIZE, 7)?;
    exporter.mem_pool_destroy(pool)?;
    exporter.mem_free_async_and_wait(one)?;
    check!(exporter.mismatches(other, SIZE, 7)? == 0);
    exporter.fill(other, SIZE, 8)?;
    check!(exporter.mismatches(other, SIZE, 8)? == 0);
    exporter.mem_free_async_and_wait(other)?;
    // This can corrupt the driver's state in the process, which only the next case checks.
    exporter.kill()
}

/// After memory that outlived its pool was freed, the driver still creates and destroys pools.
#[rstest]
#[conformance::test("POOL-CREATE-011", needs(pool_descriptors))]
fn pools_work_after_memory_outlived_its_pool() -> Outcome {
    // A driver with a use after free crashes only once something else occupies the freed memory. That is a matter of
    // chance, and more likely in the compact heap of a fresh process.
    const PROCESSES: usize = 4;
    const ROUNDS: usize = 50;
    for _ in 0..PROCESSES {
        let exporter = start("exporter", Placement::device(0).fresh());
        for _ in 0..ROUNDS {
            let pool = exporter.mem_pool_create(0)?;
            let pointer = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
            exporter.mem_pool_destroy(pool)?;
            exporter.mem_free_async_and_wait(pointer)?;
            exporter.mem_pool_destroy(exporter.mem_pool_create(DESCRIPTOR)?)?;
        }
    }
    Ok(())
}

/// The result of destroying a pool twice is recorded; other processes are not affected.
#[rstest]
#[conformance::test("POOL-CREATE-012", needs(memory_pools))]
fn destroying_a_pool_twice_leaves_others_unharmed(#[from(exporter)] sacrifice: Role, importer: Role) -> Outcome {
    let pool = sacrifice.mem_pool_create(0)?;
    sacrifice.mem_pool_destroy(pool)?;
    sacrifice.mem_pool_destroy(pool).survived_or_not("second destruction")?;
    // The second call may have destroyed anything.
    sacrifice.kill()?;
    importer.ctx_synchronize()
}

/// A new pool does not inherit peer access from a destroyed pool, even if both have the same handle.
#[rstest]
#[conformance::test("POOL-CREATE-013", needs(gpus = 2, peer_access, memory_pools))]
fn a_new_pool_inherits_no_access(exporter: Role) -> Outcome {
    const TRIES: usize = 16;
    let before = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(before, 1, READ_WRITE)?;
    exporter.mem_pool_destroy(before)?;
    for _ in 0..TRIES {
        let after = exporter.mem_pool_create(0)?;
        check!(exporter.mem_pool_get_access(after, 1)? == NONE);
    }
    Ok(())
}

/// The driver refuses a graph allocation node with a handle type.
#[rstest]
#[conformance::test("POOL-CREATE-014", needs(pool_descriptors))]
fn exportable_graph_memory_is_refused(exporter: Role) -> Outcome {
    exporter.graph_add_mem_alloc_node(SIZE, 0)?;
    exporter.graph_add_mem_alloc_node(SIZE, DESCRIPTOR).refused_and_recorded(&[])?;
    Ok(())
}

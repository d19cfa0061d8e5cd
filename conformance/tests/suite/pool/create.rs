//! `cuMemPoolCreate` and `cuMemPoolDestroy`.

use conformance::Placement;
use conformance::{Expect as _, MIB, MemProperties, Outcome, Role, check};
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CUmemAllocationType, CUmemLocationType, CUresult};
use rstest::rstest;

use super::{DESCRIPTOR, INVALID_VALUE, NONE, READ_WRITE, SIZE, share_pool_of_numa_node};
use crate::support::device_memory::{Account, LARGE};
use crate::support::fixtures::{exporter, importer, start};

const DEVICE: MemProperties = MemProperties::device(0);
const HOST: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST.0;
const ON_DEVICE: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE.0;
const HOST_NUMA_CURRENT: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT.0;

/// A pool is created for a kind of handle exactly where the attribute has its bit.
#[rstest]
#[conformance::test("POOL-CREATE-001", "POOL-CREATE-002", needs(memory_pools))]
fn pools_are_as_the_attribute_says(exporter: Role, #[values(1, 2, 4)] handle_type: u32) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
    let mask = exporter.device_get_attribute(attribute.0, 0)?.cast_unsigned();
    let created = exporter.mem_pool_create(handle_type);
    if mask & handle_type == 0 { created.refused(&[]).map(drop) } else { created.map(drop) }
}

/// Reserved bytes are zero, or the pool is refused.
#[rstest]
#[conformance::test("POOL-CREATE-003", needs(memory_pools))]
fn reserved_bytes_are_zero(exporter: Role) -> Outcome {
    exporter.mem_pool_create_with(DEVICE, 0, 1).refused_and_recorded(&[])?;
    Ok(())
}

/// A pool of the host that no NUMA node is named for has no handles.
#[rstest]
#[conformance::test("POOL-CREATE-004", needs(memory_pools, cuda = 13_000))]
fn a_pool_of_the_host_has_no_handles(exporter: Role) -> Outcome {
    exporter.mem_pool_create_with(DEVICE.at(HOST, 0).exportable(DESCRIPTOR), 0, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// A pool of a NUMA node is shared between processes, whose processors reach its memory.
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

/// A pool of managed memory has neither handles nor a maximum.
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

/// The NUMA node of the calling thread is no place for a pool.
#[rstest]
#[conformance::test("POOL-CREATE-007", needs(memory_pools))]
fn the_current_numa_node_is_refused(exporter: Role) -> Outcome {
    exporter.mem_pool_create_with(DEVICE.at(HOST_NUMA_CURRENT, 0), 0, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// No properties, and no place to write the pool to, make none, and harm nobody else.
#[rstest]
#[case::no_output(false, true)]
#[case::no_properties(true, false)]
#[conformance::test("POOL-CREATE-008", needs(memory_pools))]
fn null_makes_no_pool(
    #[from(exporter)] sacrifice: Role,
    importer: Role,
    #[case] output: bool,
    #[case] properties: bool,
) -> Outcome {
    let answer = sacrifice.mem_pool_create_in_part(output, properties).survived_or_not("create")?;
    check!(answer.is_none(), "the call answered CUDA_SUCCESS");
    importer.ctx_synchronize()
}

/// There is no pool of a kind, or at a place, that there is none of.
#[rstest]
#[case::no_kind(MemProperties { allocation_type: 0, ..DEVICE })]
#[case::unknown_kind(MemProperties { allocation_type: 0x7fff, ..DEVICE })]
#[case::no_location(DEVICE.at(0, 0))]
#[case::unknown_location(DEVICE.at(0x7fff, 0))]
#[case::negative_device(DEVICE.at(ON_DEVICE, -1))]
#[case::unknown_device(DEVICE.at(ON_DEVICE, 0x7fff))]
#[conformance::test("POOL-CREATE-008", needs(memory_pools))]
fn unknown_kinds_and_places_are_refused(exporter: Role, #[case] properties: MemProperties) -> Outcome {
    exporter.mem_pool_create_with(properties, 0, 0).refused_and_recorded(&[])?;
    Ok(())
}

/// A maximum holds: what goes beyond it is out of memory.
#[rstest]
#[conformance::test("POOL-CREATE-009", needs(memory_pools))]
fn a_maximum_holds(exporter: Role) -> Outcome {
    const MAXIMUM: u64 = 64 * MIB;
    let pool = exporter.mem_pool_create_with(DEVICE, MAXIMUM, 0)?;
    exporter.mem_alloc_from_pool_async(MAXIMUM / 2, pool)?;
    exporter.mem_alloc_from_pool_async(4 * MAXIMUM, pool).refused(&[CUresult::CUDA_ERROR_OUT_OF_MEMORY])?;
    Ok(())
}

/// The default pool is not destroyed.
#[rstest]
#[conformance::test("POOL-CREATE-010", needs(memory_pools))]
fn the_default_pool_is_not_destroyed(exporter: Role) -> Outcome {
    let pool = exporter.device_get_default_mem_pool()?;
    exporter.mem_pool_destroy(pool).refused(INVALID_VALUE)?;
    exporter.mem_alloc_async(SIZE)?;
    Ok(())
}

/// Memory outlives the destruction of its pool, and goes back to the device when it is freed.
#[rstest]
#[conformance::test("POOL-CREATE-011", needs(memory_pools))]
fn memory_outlives_its_pool(exporter: Role, importer: Role) -> Outcome {
    let account = Account::open(&importer)?;
    let pool = exporter.mem_pool_create(0)?;
    let pointer = exporter.mem_alloc_from_pool_async(LARGE, pool)?;
    exporter.mem_pool_destroy(pool)?;
    exporter.fill(pointer.offset(LARGE - SIZE), SIZE, 7)?;
    check!(exporter.mismatches(pointer.offset(LARGE - SIZE), SIZE, 7)? == 0);
    check!(account.is_held()?);
    exporter.mem_free_async_and_wait(pointer)?;
    check!(!account.is_held()?);
    // What this may have broken is the next case's matter alone.
    exporter.kill()
}

/// Memory that outlived its pool leaves the driver sound when it is freed: pools come and go after it.
#[rstest]
#[conformance::test("POOL-CREATE-011", needs(pool_descriptors))]
fn pools_come_and_go_after_memory_that_outlived_its_own() -> Outcome {
    // A driver that uses what it has freed dies of it once something else lies there: chance, which a heap without the
    // gaps of earlier cases helps.
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

/// What the second destruction of a pool does is recorded; others stay sound.
#[rstest]
#[conformance::test("POOL-CREATE-012", needs(memory_pools))]
fn a_second_destruction_is_recorded(#[from(exporter)] sacrifice: Role, importer: Role) -> Outcome {
    let pool = sacrifice.mem_pool_create(0)?;
    sacrifice.mem_pool_destroy(pool)?;
    sacrifice.mem_pool_destroy(pool).survived_or_not("second destruction")?;
    // Nobody knows what it destroyed.
    sacrifice.kill()?;
    importer.ctx_synchronize()
}

/// A pool begins without the access that another one had, also under the handle of that one.
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

/// What a graph allocates has no handles.
#[rstest]
#[conformance::test("POOL-CREATE-014", needs(pool_descriptors))]
fn memory_of_a_graph_has_no_handles(exporter: Role) -> Outcome {
    exporter.graph_add_mem_alloc_node(SIZE, 0)?;
    exporter.graph_add_mem_alloc_node(SIZE, DESCRIPTOR).refused_and_recorded(&[])?;
    Ok(())
}

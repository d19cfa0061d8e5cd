//! `cuMemPoolImportFromShareableHandle`, and the properties of an imported pool.

use conformance::Placement;
use conformance::{Expect as _, MIB, MemProperties, Outcome, Role, check, observe};
use cuda_ipc_sys::{CU_DEVICE_INVALID, CUmemLocationType, CUmemPool_attribute as Attribute};
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, ILLEGAL_ADDRESS, INVALID_VALUE, NONE, READ_WRITE};
use crate::support::fixtures::{exporter, importer, observer, start};
use crate::support::foreign::Foreign;
use crate::support::shared_pool::{
    RESERVED, SIZE, Shared, USED, both_see, export_filled, memory_of, share, share_memory, share_pool,
};

/// A pool is imported by the value of its descriptor, and memory that is allocated afterwards can be imported from it.
#[rstest]
#[conformance::test("POOL-IMP-001", needs(pool_descriptors))]
fn a_pool_is_imported_with_its_later_allocations(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    for pattern in [7, 8] {
        let both = memory_of(shared, &exporter, &importer, pattern)?;
        check!(importer.mismatches(both.here, SIZE, pattern)? == 0);
    }
    Ok(())
}

/// The driver imports a pool from a descriptor of any number, not only from a small one.
#[rstest]
#[conformance::test("POOL-IMP-001", needs(pool_descriptors))]
fn a_descriptor_with_a_large_number_imports(
    exporter: Role,
    importer: Role,
    #[values(300, 2000)] least: i32,
) -> Outcome {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
    let moved = importer.duplicate_descriptor(importer.receive_descriptor(&sent)?, least)?;
    check!(moved.0 >= least, "{moved:?}");
    let imported = importer.mem_pool_import_from_descriptor(moved)?;
    both_see(Shared { exported, imported }, &exporter, &importer)
}

/// An importer of two pools of one exporter sees the memory of each.
#[rstest]
#[conformance::test("POOL-IMP-001", needs(pool_descriptors))]
fn two_pools_are_imported_apart(exporter: Role, importer: Role) -> Outcome {
    let pools = [share(&exporter, &importer)?, share(&exporter, &importer)?];
    check!(pools[0].imported != pools[1].imported);
    for (pool, pattern) in pools.into_iter().zip([7, 8]) {
        let both = memory_of(pool, &exporter, &importer, pattern)?;
        check!(importer.mismatches(both.here, SIZE, pattern)? == 0);
    }
    Ok(())
}

/// The driver refuses a pointer to the descriptor instead of its value.
#[rstest]
#[conformance::test("POOL-IMP-002", needs(pool_descriptors))]
fn the_address_of_a_descriptor_is_refused(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_from_address_of_descriptor(descriptor).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses flags other than 0 and unknown handle types.
#[rstest]
#[case::flags(DESCRIPTOR, 1)]
#[case::high_flags(DESCRIPTOR, 1 << 32)]
#[case::no_type(0, 0)]
#[case::unknown_type(0x4000, 0)]
#[conformance::test("POOL-IMP-005", needs(pool_descriptors))]
fn unknown_flags_and_types_are_refused(exporter: Role, #[case] handle_type: u32, #[case] flags: u64) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_as(descriptor, handle_type, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses a null output.
///
/// A null handle is not tested here, because it means descriptor 0.
#[rstest]
#[conformance::test("POOL-IMP-005", needs(pool_descriptors))]
fn a_null_output_is_refused(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_into_null(descriptor).refused(INVALID_VALUE)?;
    exporter.mem_pool_import_from_descriptor(descriptor)?;
    Ok(())
}

/// The driver refuses to allocate from an imported pool, in the default stream and in another one.
#[rstest]
#[conformance::test("POOL-IMP-006", needs(pool_descriptors))]
fn an_imported_pool_does_not_allocate(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    importer.mem_alloc_from_pool_async(SIZE, shared.imported).refused_and_recorded(&[])?;
    let stream = importer.stream_create()?;
    importer.mem_alloc_from_pool_async_in(SIZE, shared.imported, stream).refused(&[])?;
    Ok(())
}

/// The driver refuses to allocate from an imported pool in a created context.
#[rstest]
#[conformance::test("POOL-IMP-006", needs(pool_descriptors))]
fn an_imported_pool_does_not_allocate_in_a_created_context(exporter: Role, importer: Role) -> Outcome {
    importer.ctx_create(0)?;
    let shared = share(&exporter, &importer)?;
    importer.mem_alloc_from_pool_async(SIZE, shared.imported).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses to allocate from an imported pool of the second GPU, also if memory is imported from it.
#[rstest]
#[conformance::test("POOL-IMP-006", needs(gpus = 2, pool_descriptors))]
fn an_imported_pool_of_the_second_gpu_does_not_allocate(
    #[with(1)] exporter: Role,
    #[with(1)] importer: Role,
) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.mem_alloc_from_pool_async(SIZE, both.pool.imported).refused_and_recorded(&[])?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    Ok(())
}

/// The driver refuses to make an imported pool the current pool of its device, which still allocates.
#[rstest]
#[conformance::test("POOL-IMP-007", needs(pool_descriptors))]
fn an_imported_pool_does_not_become_current(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    importer.device_set_mem_pool(shared.imported).refused_and_recorded(&[])?;
    importer.mem_alloc_async(SIZE)?;
    Ok(())
}

/// The device that an imported pool resides on has access to it from the beginning.
#[rstest]
#[conformance::test("POOL-IMP-010", needs(pool_descriptors))]
fn the_device_of_an_imported_pool_has_access(exporter: Role, importer: Role) -> Outcome {
    let pool = share(&exporter, &importer)?;
    check!(importer.mem_pool_get_access(pool.imported, 0)? == READ_WRITE);
    both_see(pool, &exporter, &importer)
}

/// A pool of another device than the first is accessible from that device, and not from the first.
#[rstest]
#[conformance::test("POOL-IMP-010", needs(gpus = 2, pool_descriptors))]
fn a_pool_of_another_device_is_accessible_there(#[with(1)] exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let pool = share(&exporter, &importer)?;
    check!(importer.mem_pool_get_access(pool.imported, 1)? == READ_WRITE);
    check!(importer.mem_pool_get_access(pool.imported, 0)? == NONE);
    both_see(pool, &exporter, &importer)
}

/// The importer does not inherit the access that the exporter granted to a peer device.
#[rstest]
#[case::granted_before_the_import(true)]
#[case::granted_after_the_import(false)]
#[conformance::test("POOL-IMP-010", needs(gpus = 2, peer_access, pool_descriptors))]
fn the_importer_does_not_inherit_access(
    exporter: Role,
    #[with(1)] importer: Role,
    #[case] granted_before: bool,
) -> Outcome {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let grant = || exporter.mem_pool_set_access(exported, 1, READ_WRITE);
    if granted_before {
        grant()?;
    }
    let both = memory_of(share_pool(exported, &exporter, &importer)?, &exporter, &importer, 7)?;
    if !granted_before {
        grant()?;
    }
    check!(importer.mem_pool_get_access(both.pool.imported, 1)? == NONE);
    importer.read(both.here, 4).refused(INVALID_VALUE)?;
    Ok(())
}

/// A kernel of an importer on a peer device cannot write to an imported pool without access.
#[rstest]
#[conformance::test("POOL-IMP-010", needs(no_mps, gpus = 2, peer_access, pool_descriptors))]
fn a_kernel_of_a_peer_needs_access(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.fill(both.here, SIZE, 8).refused(ILLEGAL_ADDRESS)?;
    importer.kill()?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    Ok(())
}

/// An importer on a peer device can grant its device access to an imported pool, and revoke it.
#[rstest]
#[conformance::test("POOL-IMP-011", needs(gpus = 2, peer_access, pool_descriptors))]
fn an_importer_grants_its_own_device_access(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.mem_pool_set_access(both.pool.imported, 1, READ_WRITE)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    importer.fill(both.here, SIZE, 8)?;
    check!(importer.mismatches_by_copy(both.here, SIZE, 8)? == 0);
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    importer.mem_pool_set_access(both.pool.imported, 1, NONE)?;
    importer.read(both.here, 4).refused(INVALID_VALUE)?;
    importer.mem_pool_set_access(both.pool.imported, 1, READ_WRITE)?;
    check!(importer.mismatches(both.here, SIZE, 8)? == 0);
    Ok(())
}

/// After the importer revoked the access of its device to an imported pool, its kernels cannot write to the memory.
#[rstest]
#[conformance::test("POOL-IMP-011", needs(no_mps, gpus = 2, peer_access, pool_descriptors))]
fn a_revocation_holds_for_kernels(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.mem_pool_set_access(both.pool.imported, 1, READ_WRITE)?;
    importer.fill(both.here, SIZE, 8)?;
    importer.mem_pool_set_access(both.pool.imported, 1, NONE)?;
    importer.fill(both.here, SIZE, 9).refused(ILLEGAL_ADDRESS)?;
    importer.kill()?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    Ok(())
}

/// The access to one of two imported pools leaves that to the other.
#[rstest]
#[conformance::test("POOL-IMP-010", "POOL-IMP-011", needs(gpus = 2, peer_access, pool_descriptors))]
fn access_is_granted_to_one_pool_only(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let pools = [share_memory(&exporter, &importer, 7)?, share_memory(&exporter, &importer, 8)?];
    importer.mem_pool_set_access(pools[1].pool.imported, 1, READ_WRITE)?;
    check!(importer.mem_pool_get_access(pools[0].pool.imported, 1)? == NONE);
    importer.read(pools[0].here, 4).refused(INVALID_VALUE)?;
    check!(importer.mismatches(pools[1].here, SIZE, 8)? == 0);
    Ok(())
}

/// Revoking the access of one peer device to an imported pool leaves that of another.
#[rstest]
#[conformance::test("POOL-IMP-011", needs(gpus = 3, peer_access, pool_descriptors))]
fn a_revocation_is_for_one_device(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let set = |device, access| importer.mem_pool_set_access(both.pool.imported, device, access);
    set(1, READ_WRITE)?;
    set(2, READ_WRITE)?;
    set(2, NONE)?;
    check!(importer.mem_pool_get_access(both.pool.imported, 1)? == READ_WRITE);
    check!(importer.mem_pool_get_access(both.pool.imported, 2)? == NONE);
    importer.fill(both.here, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    Ok(())
}

/// An importer that cannot see the pool's device must call `cuMemPoolSetAccess` before it can access the memory.
#[rstest]
#[conformance::test("POOL-IMP-012", needs(gpus = 2, peer_access, pool_descriptors))]
fn a_pool_of_a_hidden_device_needs_access(exporter: Role) -> Outcome {
    let importer = start("importer", Placement::device(0).visible_devices("1"));
    let both = share_memory(&exporter, &importer, 7)?;
    importer.read(both.here, 4).refused(INVALID_VALUE)?;
    importer.mem_pool_set_access(both.pool.imported, 0, READ_WRITE)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    Ok(())
}

/// If the importer cannot see the pool's device, the location of the pool is `INVISIBLE` with id `CU_DEVICE_INVALID`.
#[rstest]
#[conformance::test("POOL-IMP-012", needs(gpus = 2, peer_access, pool_descriptors, cuda = 13_020))]
fn a_pool_of_a_hidden_device_has_an_invisible_location(exporter: Role) -> Outcome {
    let importer = start("importer", Placement::device(0).visible_devices("1"));
    let imported = share(&exporter, &importer)?.imported;
    let location_type = importer.mem_pool_get_attribute(imported, Attribute::CU_MEMPOOL_ATTR_LOCATION_TYPE.0)?;
    let invisible = u64::from(CUmemLocationType::CU_MEM_LOCATION_TYPE_INVISIBLE.0);
    check!(location_type == invisible);
    let location = importer.mem_pool_get_attribute(imported, Attribute::CU_MEMPOOL_ATTR_LOCATION_ID.0)?;
    let invalid = u64::from(CU_DEVICE_INVALID.cast_unsigned());
    check!(location == invalid);
    Ok(())
}

/// The used memory of an imported pool is that of the imported allocations.
#[rstest]
#[conformance::test("POOL-IMP-014", needs(pool_descriptors))]
fn an_imported_pool_counts_imported_memory(exporter: Role, importer: Role) -> Outcome {
    let pool = share(&exporter, &importer)?;
    let used = || importer.mem_pool_get_attribute(pool.imported, USED.current.0);
    exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?;
    check!(used()? == 0);
    let first = memory_of(pool, &exporter, &importer, 7)?;
    check!(used()? == SIZE);
    memory_of(pool, &exporter, &importer, 8)?;
    check!(used()? == 2 * SIZE);
    importer.mem_free_async_and_wait(first.here)?;
    check!(used()? == SIZE);
    check!(importer.mem_pool_get_attribute(pool.imported, USED.high.0)? == 2 * SIZE);
    Ok(())
}

/// Each of two imported pools counts only the memory that is imported from it.
#[rstest]
#[conformance::test("POOL-IMP-014", needs(pool_descriptors))]
fn each_imported_pool_counts_its_own_memory(exporter: Role, importer: Role) -> Outcome {
    let pools = [share(&exporter, &importer)?, share(&exporter, &importer)?];
    let used = |number: usize| importer.mem_pool_get_attribute(pools[number].imported, USED.current.0);
    memory_of(pools[0], &exporter, &importer, 7)?;
    check!(used(0)? == SIZE);
    check!(used(1)? == 0);
    let second = memory_of(pools[1], &exporter, &importer, 8)?;
    check!(used(0)? == SIZE);
    importer.mem_free_async_and_wait(second.here)?;
    check!(used(1)? == 0);
    Ok(())
}

/// The reserved memory of an imported pool covers the imported allocations, but not what the exporter did not share.
#[rstest]
#[conformance::test("POOL-IMP-014", needs(pool_descriptors))]
fn an_imported_pool_reserves_imported_memory(exporter: Role, importer: Role) -> Outcome {
    const UNSHARED: u64 = 128 * MIB;
    let pool = share(&exporter, &importer)?;
    let get = |attribute: Attribute| importer.mem_pool_get_attribute(pool.imported, attribute.0);
    exporter.mem_alloc_from_pool_async(UNSHARED, pool.exported)?;
    check!(get(RESERVED.current)? == 0);
    let both = memory_of(pool, &exporter, &importer, 7)?;
    let reserved = get(RESERVED.current)?;
    check!(reserved >= SIZE, "{reserved} bytes are reserved for {SIZE} imported ones");
    check!(reserved < UNSHARED, "{reserved} bytes are reserved for {SIZE} imported ones");
    check!(get(RESERVED.high)? == reserved);
    // The mark stays when the memory is given back.
    importer.mem_free_async_and_wait(both.here)?;
    check!(get(RESERVED.high)? == reserved);
    Ok(())
}

/// Trimming a shared pool leaves its live memory intact; whether unused memory stays reserved is recorded.
#[rstest]
#[conformance::test("POOL-IMP-015", needs(pool_descriptors))]
fn trimming_leaves_live_memory_intact(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let exported = both.pool.exported;
    let reserved = || exporter.mem_pool_get_attribute(exported, Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT.0);
    let freed = exporter.mem_alloc_from_pool_async(16 * SIZE, exported)?;
    let with_all = reserved()?;
    // The release threshold is 0: a pool that is not shared would release the freed memory.
    exporter.mem_free_async_and_wait(freed)?;
    let used = exporter.mem_pool_get_attribute(exported, USED.current.0)?;
    check!(used >= SIZE);
    observe("freed memory stays reserved", (reserved()? == with_all).to_string());
    let before = reserved()?;
    exporter.mem_pool_trim_to(exported, 0)?;
    observe("trimmed memory stays reserved", (reserved()? == before).to_string());
    importer.mem_pool_trim_to(both.pool.imported, 0).recorded("trim of the imported pool")?;
    check!(exporter.mem_pool_get_attribute(exported, USED.current.0)? == used);
    check!(reserved()? >= SIZE, "less is reserved than is in use");
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    Ok(())
}

/// An imported pool has no handle types, although the exporter's pool has one.
#[rstest]
#[conformance::test("POOL-IMP-013", needs(pool_descriptors, cuda = 13_020))]
fn an_imported_pool_has_no_handle_types(exporter: Role, importer: Role) -> Outcome {
    const HANDLE_TYPES: u32 = Attribute::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES.0;
    let shared = share(&exporter, &importer)?;
    let descriptor = u64::from(DESCRIPTOR);
    check!(exporter.mem_pool_get_attribute(shared.exported, HANDLE_TYPES)? == descriptor);
    check!(importer.mem_pool_get_attribute(shared.imported, HANDLE_TYPES)? == 0);
    Ok(())
}

/// Imported memory stays usable until it is freed; whether its pool can be destroyed before that is recorded.
#[rstest]
#[conformance::test("POOL-IMP-018", needs(pool_descriptors))]
fn imported_memory_outlives_its_pool(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let is_destroyed = importer.mem_pool_destroy(both.pool.imported).recorded("destroy")?.is_some();
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    importer.fill(both.here, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    importer.mem_free_async_and_wait(both.here)?;
    importer.read(both.here, 4).refused(&[])?;
    if is_destroyed { Ok(()) } else { importer.mem_pool_destroy(both.pool.imported) }
}

/// Freeing one import from a destroyed pool leaves its others usable; whether the pool can be destroyed is recorded.
#[rstest]
#[conformance::test("POOL-IMP-018", needs(pool_descriptors))]
fn imports_from_a_destroyed_pool_are_freed_one_by_one(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let one = exporter.mem_alloc_from_pool_async(SIZE, both.pool.exported)?;
    let one = importer.mem_pool_import_pointer(both.pool.imported, exporter.mem_pool_export_pointer(one)?)?;
    let is_destroyed = importer.mem_pool_destroy(both.pool.imported).recorded("destroy")?.is_some();
    importer.mem_free_async_and_wait(one)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    importer.fill(both.here, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    importer.mem_free_async_and_wait(both.here)?;
    if is_destroyed { Ok(()) } else { importer.mem_pool_destroy(both.pool.imported) }
}

/// The exporting process can import its own pool, and the imported memory shows the same data.
#[rstest]
#[conformance::test("POOL-IMP-003", needs(pool_descriptors))]
fn a_process_imports_its_own_pool(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    let imported = exporter.mem_pool_import_from_descriptor(exporter.mem_pool_export_to_descriptor(pool)?)?;
    let there = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.fill(there, SIZE, 7)?;
    let here = exporter.mem_pool_import_pointer(imported, exporter.mem_pool_export_pointer(there)?)?;
    observe("the handles are equal", imported == pool);
    observe("the pointers are equal", here == there);
    check!(exporter.mismatches(here, SIZE, 7)? == 0);
    exporter.fill(here, SIZE, 8)?;
    check!(exporter.mismatches(there, SIZE, 8)? == 0);
    // With equal handles or pointers, the clean-up would free one object twice.
    if imported == pool || here == there { exporter.kill() } else { Ok(()) }
}

/// The driver refuses a descriptor that does not refer to a pool, and stays usable.
#[rstest]
#[case::negative(Foreign::Negative)]
#[case::closed(Foreign::Closed)]
#[case::dev_null(Foreign::DevNull)]
#[case::file(Foreign::File)]
#[case::shared_memory(Foreign::SharedMemory)]
#[conformance::test("POOL-IMP-004", needs(pool_descriptors))]
fn foreign_descriptors_are_refused(importer: Role, #[case] foreign: Foreign) -> Outcome {
    importer.mem_pool_import_from_descriptor(foreign.make(&importer)?).refused_and_recorded(&[])?;
    let descriptor = importer.mem_pool_export_to_descriptor(importer.mem_pool_create(DESCRIPTOR)?)?;
    importer.mem_pool_import_from_descriptor(descriptor)?;
    Ok(())
}

/// The driver refuses a descriptor of physical memory.
#[rstest]
#[conformance::test("POOL-IMP-004", needs(pool_descriptors, memory_descriptors))]
fn a_descriptor_of_physical_memory_is_refused(importer: Role) -> Outcome {
    let physical = importer.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    importer.mem_pool_import_from_descriptor(importer.mem_export_to_descriptor(physical)?).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Memory can be imported through every import of a pool; whether the handles are equal, and whether one outlives the
/// other, is recorded.
#[rstest]
#[conformance::test("POOL-IMP-008", needs(pool_descriptors))]
fn every_import_of_a_pool_gives_memory(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
    let import = || sacrifice.mem_pool_import_from_descriptor(sacrifice.receive_descriptor(&sent)?);
    let first = import()?;
    let Some(second) = import().recorded("second import")? else { return Ok(()) };
    observe("the handles are equal", first == second);
    let by_first = sacrifice.mem_pool_import_pointer(first, export_filled(&exporter, exported, 7)?.1)?;
    let by_second = sacrifice.mem_pool_import_pointer(second, export_filled(&exporter, exported, 8)?.1)?;
    check!(sacrifice.mismatches(by_first, SIZE, 7)? == 0);
    check!(sacrifice.mismatches(by_second, SIZE, 8)? == 0);
    sacrifice.mem_free_async_and_wait(by_first)?;
    sacrifice.mem_free_async_and_wait(by_second)?;
    let another = export_filled(&exporter, exported, 9)?.1;
    if sacrifice.mem_pool_destroy(first).survived_or_not("destruction of the first")?.is_some() {
        sacrifice.mem_pool_import_pointer(second, another).survived_or_not("import through the second")?;
    }
    // It is unknown how often the imported pool must be destroyed.
    sacrifice.kill()?;
    exporter.ctx_synchronize()
}

/// Both processes may close their descriptors after the import of the pool.
#[rstest]
#[conformance::test("POOL-IMP-009", needs(pool_descriptors))]
fn the_descriptors_may_be_closed(exporter: Role, importer: Role) -> Outcome {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let descriptor = exporter.mem_pool_export_to_descriptor(exported)?;
    let received = importer.receive_descriptor(&exporter.send_descriptor(descriptor)?)?;
    let imported = importer.mem_pool_import_from_descriptor(received)?;
    exporter.close_descriptor(descriptor)?;
    importer.close_descriptor(received)?;
    both_see(Shared { exported, imported }, &exporter, &importer)
}

/// If the exporter destroys a pool that an importer uses, the result is recorded; the exporter's memory stays intact.
#[rstest]
#[conformance::test("POOL-IMP-016", needs(pool_descriptors))]
fn destroying_a_shared_pool_leaves_the_exporters_memory_intact(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let both = share_memory(&exporter, &sacrifice, 7)?;
    let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, both.pool.exported)?)?;
    exporter.mem_pool_destroy(both.pool.exported).recorded("destruction")?;
    if let Some(wrong) = sacrifice.mismatches_by_copy(both.here, SIZE, 7).survived_or_not("read")? {
        observe("the bytes are the old ones", wrong == 0);
        sacrifice.mem_pool_import_pointer(both.pool.imported, data).survived_or_not("import of another pointer")?;
    }
    sacrifice.kill()?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    // The exporter is killed because freeing memory of the destroyed pool can crash an H200's driver. create.rs checks
    // that.
    exporter.kill()?;
    observer.ctx_synchronize()
}

/// The data that an importer reads after the exporter was killed and the code of its free are recorded; nothing hangs.
#[rstest]
#[conformance::test("POOL-IMP-017", needs(pool_descriptors))]
fn an_import_after_the_exporters_death(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    exporter.kill()?;
    let wrong = importer.mismatches_by_copy(both.here, SIZE, 7).recorded("read")?;
    observe("the bytes are the old ones", wrong == Some(0));
    importer.mem_free_async_and_wait(both.here).recorded("free")?;
    importer.ctx_synchronize()?;
    observer.ctx_synchronize()
}

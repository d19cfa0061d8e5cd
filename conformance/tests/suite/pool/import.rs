//! `cuMemPoolImportFromShareableHandle`, and what an imported pool is.

use conformance::Placement;
use conformance::{Expect as _, MemProperties, Outcome, Role, check, observe};
use cuda_ipc_sys::{CU_DEVICE_INVALID, CUmemLocationType, CUmemPool_attribute as Attribute};
use rstest::rstest;

use super::{DESCRIPTOR, INVALID_VALUE, NONE, READ_WRITE, SIZE, Shared, both_see, share, share_memory};
use crate::support::fixtures::{exporter, importer, observer, start};
use crate::support::foreign::Foreign;

/// A pool is imported by its descriptor's number, and memory of it that is allocated afterwards too.
#[rstest]
#[conformance::test("POOL-IMP-001", needs(pool_descriptors))]
fn a_pool_is_imported_with_what_comes_later(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    for pattern in [7, 8] {
        let there = exporter.mem_alloc_from_pool_async(SIZE, shared.exported)?;
        exporter.fill(there, SIZE, pattern)?;
        let here = importer.mem_pool_import_pointer(shared.imported, exporter.mem_pool_export_pointer(there)?)?;
        check!(importer.mismatches(here, SIZE, pattern)? == 0);
    }
    Ok(())
}

/// The address of a descriptor's number is refused.
#[rstest]
#[conformance::test("POOL-IMP-002", needs(pool_descriptors))]
fn the_address_of_a_descriptor_is_refused(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_from_address_of_descriptor(descriptor).refused_and_recorded(&[])?;
    Ok(())
}

/// Flags, and handle types that there are none of, are refused.
#[rstest]
#[case::flags(DESCRIPTOR, 1)]
#[case::no_type(0, 0)]
#[case::unknown_type(0x4000, 0)]
#[conformance::test("POOL-IMP-005", needs(pool_descriptors))]
fn unknown_flags_and_types_are_refused(exporter: Role, #[case] handle_type: u32, #[case] flags: u64) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_as(descriptor, handle_type, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// Without a place to write the pool to, nothing is imported. No handle is null: as a descriptor that is number 0.
#[rstest]
#[conformance::test("POOL-IMP-005", needs(pool_descriptors))]
fn null_is_refused(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_into_null(descriptor).refused(INVALID_VALUE)?;
    exporter.mem_pool_import_from_descriptor(descriptor)?;
    Ok(())
}

/// Nothing is allocated from an imported pool.
#[rstest]
#[conformance::test("POOL-IMP-006", needs(pool_descriptors))]
fn nothing_is_allocated_from_it(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    importer.mem_alloc_from_pool_async(SIZE, shared.imported).refused_and_recorded(&[])?;
    Ok(())
}

/// An imported pool does not become the device's current one.
#[rstest]
#[conformance::test("POOL-IMP-007", needs(pool_descriptors))]
fn it_does_not_become_current(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    importer.device_set_mem_pool(shared.imported).refused_and_recorded(&[])?;
    Ok(())
}

/// What the exporter granted to a peer is not the importer's.
#[rstest]
#[conformance::test("POOL-IMP-010", needs(gpus = 2, peer_access, pool_descriptors))]
fn the_exporters_grants_stay_its_own(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    exporter.mem_pool_set_access(both.pool.exported, 1, READ_WRITE)?;
    check!(importer.mem_pool_get_access(both.pool.imported, 1)? == NONE);
    importer.read(both.here, 4).refused(INVALID_VALUE)?;
    Ok(())
}

/// An importer on a peer grants itself access, and takes it away.
#[rstest]
#[conformance::test("POOL-IMP-011", needs(gpus = 2, peer_access, pool_descriptors))]
fn an_importer_grants_its_own_device(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.mem_pool_set_access(both.pool.imported, 1, READ_WRITE)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    importer.mem_pool_set_access(both.pool.imported, 1, NONE)?;
    importer.read(both.here, 4).refused(INVALID_VALUE)?;
    Ok(())
}

/// The pool of a device that the importer does not see needs access.
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

/// Of a device that the importer does not see, a pool says so in the place of its location.
#[rstest]
#[conformance::test("POOL-IMP-012", needs(gpus = 2, peer_access, pool_descriptors, cuda = 13_020))]
fn a_pool_of_a_hidden_device_is_nowhere(exporter: Role) -> Outcome {
    let importer = start("importer", Placement::device(0).visible_devices("1"));
    let imported = share(&exporter, &importer)?.imported;
    let location_type = importer.mem_pool_get_attribute(imported, Attribute::CU_MEMPOOL_ATTR_LOCATION_TYPE.0)?;
    check!(location_type == u64::from(CUmemLocationType::CU_MEM_LOCATION_TYPE_INVISIBLE.0));
    let location = importer.mem_pool_get_attribute(imported, Attribute::CU_MEMPOOL_ATTR_LOCATION_ID.0)?;
    check!(location == u64::from(CU_DEVICE_INVALID.cast_unsigned()));
    Ok(())
}

/// An imported pool counts what was imported of it, and not what the exporter has.
#[rstest]
#[conformance::test("POOL-IMP-014", needs(pool_descriptors))]
fn it_counts_what_was_imported(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    let used = || importer.mem_pool_get_attribute(shared.imported, Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT.0);
    let import = || {
        let there = exporter.mem_alloc_from_pool_async(SIZE, shared.exported)?;
        importer.mem_pool_import_pointer(shared.imported, exporter.mem_pool_export_pointer(there)?)
    };
    exporter.mem_alloc_from_pool_async(SIZE, shared.exported)?;
    check!(used()? == 0);
    let first = import()?;
    check!(used()? == SIZE);
    import()?;
    check!(used()? == 2 * SIZE);
    importer.mem_free_async_and_wait(first)?;
    check!(used()? == SIZE);
    Ok(())
}

/// Trimming takes nothing from a pool that is shared; the documentation lets drivers change whether memory goes back.
#[rstest]
#[conformance::test("POOL-IMP-015", needs(pool_descriptors))]
fn trimming_takes_nothing(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let exported = both.pool.exported;
    let reserved = || exporter.mem_pool_get_attribute(exported, Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT.0);
    let freed = exporter.mem_alloc_from_pool_async(16 * SIZE, exported)?;
    let with_all = reserved()?;
    // The threshold is 0: another pool gives back what was freed.
    exporter.mem_free_async_and_wait(freed)?;
    observe("what was freed stays reserved", (reserved()? == with_all).to_string());
    let before = reserved()?;
    exporter.mem_pool_trim_to(exported, 0)?;
    observe("what is trimmed stays reserved", (reserved()? == before).to_string());
    importer.mem_pool_trim_to(both.pool.imported, 0).recorded("trim of the import")?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    Ok(())
}

/// An imported pool has no handle types, whatever the exporter's has.
#[rstest]
#[conformance::test("POOL-IMP-013", needs(pool_descriptors, cuda = 13_020))]
fn it_has_no_handle_types(exporter: Role, importer: Role) -> Outcome {
    const HANDLE_TYPES: u32 = Attribute::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES.0;
    let shared = share(&exporter, &importer)?;
    check!(exporter.mem_pool_get_attribute(shared.exported, HANDLE_TYPES)? == u64::from(DESCRIPTOR));
    check!(importer.mem_pool_get_attribute(shared.imported, HANDLE_TYPES)? == 0);
    Ok(())
}

/// Imported memory is usable until it is freed, whether or not its pool can be destroyed before.
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

/// The exporting process imports its own pool, and sees in it what it has.
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
    // One thing under two names would be given back twice.
    if imported == pool || here == there { exporter.kill() } else { Ok(()) }
}

/// What is no descriptor of a pool is refused, and the driver goes on to work.
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

/// A descriptor of physical memory is none of a pool.
#[rstest]
#[conformance::test("POOL-IMP-004", needs(pool_descriptors, memory_descriptors))]
fn a_descriptor_of_physical_memory_is_refused(importer: Role) -> Outcome {
    let physical = importer.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    importer.mem_pool_import_from_descriptor(importer.mem_export_to_descriptor(physical)?).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Two imports of a pool lead to the same memory; whether they are one pool, and outlive each other, is recorded.
#[rstest]
#[conformance::test("POOL-IMP-008", needs(pool_descriptors))]
fn a_second_import_is_recorded(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    let exported = exporter.mem_pool_create(DESCRIPTOR)?;
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
    let import = || sacrifice.mem_pool_import_from_descriptor(sacrifice.receive_descriptor(&sent)?);
    let first = import()?;
    let Some(second) = import().recorded("second import")? else { return Ok(()) };
    observe("the handles are equal", first == second);
    let export = |pattern| {
        let there = exporter.mem_alloc_from_pool_async(SIZE, exported)?;
        exporter.fill(there, SIZE, pattern)?;
        exporter.mem_pool_export_pointer(there)
    };
    let by_first = sacrifice.mem_pool_import_pointer(first, export(7)?)?;
    let by_second = sacrifice.mem_pool_import_pointer(second, export(8)?)?;
    check!(sacrifice.mismatches(by_first, SIZE, 7)? == 0);
    check!(sacrifice.mismatches(by_second, SIZE, 8)? == 0);
    sacrifice.mem_free_async_and_wait(by_first)?;
    sacrifice.mem_free_async_and_wait(by_second)?;
    let data = export(9)?;
    if sacrifice.mem_pool_destroy(first).survived_or_not("destruction of the first")?.is_some() {
        sacrifice.mem_pool_import_pointer(second, data).survived_or_not("import through the second")?;
    }
    // Nobody knows how often it is to be destroyed.
    sacrifice.kill()?;
    exporter.ctx_synchronize()
}

/// Both processes may close their descriptors once the pool is imported.
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

/// The exporter may destroy a pool whose memory others use: it keeps its own, and what they see is recorded.
#[rstest]
#[conformance::test("POOL-IMP-016", needs(pool_descriptors))]
fn the_exporters_destruction_is_recorded(exporter: Role, #[from(importer)] sacrifice: Role, observer: Role) -> Outcome {
    let both = share_memory(&exporter, &sacrifice, 7)?;
    let data = exporter.mem_pool_export_pointer(exporter.mem_alloc_from_pool_async(SIZE, both.pool.exported)?)?;
    exporter.mem_pool_destroy(both.pool.exported).recorded("destruction")?;
    if let Some(wrong) = sacrifice.mismatches(both.here, SIZE, 7).survived_or_not("read")? {
        observe("the bytes are the old ones", wrong == 0);
        sacrifice.mem_pool_import_pointer(both.pool.imported, data).survived_or_not("import of another pointer")?;
    }
    sacrifice.kill()?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    // It has freed nothing yet. An H200's driver does not survive that, which create.rs checks.
    exporter.kill()?;
    observer.ctx_synchronize()
}

/// What an importer sees once the exporter was killed is recorded; it does not hang, and can give back what it has.
#[rstest]
#[conformance::test("POOL-IMP-017", needs(pool_descriptors))]
fn an_import_after_the_exporters_death_is_recorded(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    exporter.kill()?;
    let wrong = importer.mismatches(both.here, SIZE, 7).recorded("read")?;
    observe("the bytes are the old ones", wrong == Some(0));
    importer.mem_free_async_and_wait(both.here).recorded("free")?;
    importer.ctx_synchronize()?;
    observer.ctx_synchronize()
}

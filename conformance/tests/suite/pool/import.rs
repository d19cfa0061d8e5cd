//! `cuMemPoolImportFromShareableHandle`, and what an imported pool is.

use conformance::role::Placement;
use conformance::{Expect as _, Outcome, Role, check, observe};
use cuda_ipc_sys::CUmemPool_attribute as Attribute;
use rstest::rstest;

use super::{DESCRIPTOR, INVALID_VALUE, NONE, READ_WRITE, SIZE, share, share_memory};
use crate::fixtures::{exporter, importer, start};

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
    let code = exporter.mem_pool_import_from_address_of_descriptor(descriptor).refused(&[])?;
    observe("code", code.to_string());
    Ok(())
}

/// Flags are refused.
#[rstest]
#[conformance::test("POOL-IMP-005", needs(pool_descriptors))]
fn flags_are_refused(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    exporter.mem_pool_import_from_descriptor(descriptor, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// Nothing is allocated from an imported pool.
#[rstest]
#[conformance::test("POOL-IMP-006", needs(pool_descriptors))]
fn nothing_is_allocated_from_it(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    let code = importer.mem_alloc_from_pool_async(SIZE, shared.imported).refused(&[])?;
    observe("code", code.to_string());
    Ok(())
}

/// An imported pool does not become the device's current one.
#[rstest]
#[conformance::test("POOL-IMP-007", needs(pool_descriptors))]
fn it_does_not_become_current(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    let code = importer.device_set_mem_pool(shared.imported).refused(&[])?;
    observe("code", code.to_string());
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

/// What an imported pool counts, and what trimming it does, is recorded: drivers may refuse to say.
#[rstest]
#[conformance::test("POOL-IMP-014", "POOL-IMP-015", needs(pool_descriptors))]
fn statistics_and_trimming_are_recorded(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let used = Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT.0;
    if let Some(used) = importer.mem_pool_get_attribute(both.pool.imported, used).recorded("used")? {
        check!(used == SIZE, "{used} bytes are used of an import of {SIZE}");
    }
    importer.mem_pool_trim_to(both.pool.imported, 0).recorded("trim")?;
    exporter.mem_pool_trim_to(both.pool.exported, 0).recorded("trim of the exporter")?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
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

/// Whether a pool with imported memory is destroyed is recorded; the memory is there afterwards in any case.
#[rstest]
#[conformance::test("POOL-IMP-018", needs(pool_descriptors))]
fn imported_memory_outlives_its_pool(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    importer.mem_pool_destroy(both.pool.imported).recorded("destroy")?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    Ok(())
}

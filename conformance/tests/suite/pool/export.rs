//! `cuMemPoolExportToShareableHandle`.

use conformance::{Expect as _, Outcome, Pool, Role, check};
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, FABRIC, INVALID_VALUE};
use crate::support::fixtures::{exporter, importer};
use crate::support::shared_pool::share;

/// The driver exports a pool that was created for descriptors as a descriptor.
#[rstest]
#[conformance::test("POOL-EXP-001", needs(pool_descriptors))]
fn a_pool_exports_as_a_descriptor(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    let descriptor = exporter.mem_pool_export_to_descriptor(pool)?;
    check!(descriptor.0 >= 0, "{descriptor:?}");
    exporter.descriptor_target(descriptor)?;
    // A pool is exported once for each importer.
    let other = exporter.mem_pool_export_to_descriptor(pool)?;
    check!(other.0 >= 0 && other != descriptor, "{other:?}");
    exporter.close_descriptor(descriptor)?;
    exporter.close_descriptor(other)
}

/// The driver refuses to export a pool that was created without handle types.
#[rstest]
#[conformance::test("POOL-EXP-002", needs(pool_descriptors))]
fn a_pool_without_handle_types_is_refused(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// A pool whose export was refused can be destroyed, and the driver stays usable.
#[rstest]
#[case::descriptor_of_none(0, DESCRIPTOR)]
#[case::fabric_of_none(0, FABRIC)]
#[case::fabric_of_descriptor(DESCRIPTOR, FABRIC)]
#[conformance::test("POOL-EXP-005", needs(pool_descriptors))]
fn a_pool_can_be_destroyed_after_a_refused_export(
    exporter: Role,
    #[case] created_for: u32,
    #[case] wanted: u32,
) -> Outcome {
    let pool = exporter.mem_pool_create(created_for)?;
    exporter.mem_pool_export_as(pool, wanted, 0).refused_and_recorded(&[])?;
    exporter.mem_pool_destroy(pool)?;
    exporter.ctx_synchronize()
}

/// The driver refuses to export the default pool.
#[rstest]
#[conformance::test("POOL-EXP-003", needs(pool_descriptors))]
fn the_default_pool_is_refused(exporter: Role) -> Outcome {
    let pool = exporter.device_get_default_mem_pool()?;
    exporter.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(&[])?;
    Ok(())
}

/// The driver refuses to export the default pool of the second GPU.
#[rstest]
#[conformance::test("POOL-EXP-003", needs(gpus = 2, pool_descriptors))]
fn the_default_pool_of_the_second_gpu_is_refused(#[with(1)] exporter: Role) -> Outcome {
    let pool = exporter.device_get_default_mem_pool()?;
    exporter.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(&[])?;
    Ok(())
}

/// The driver refuses flags other than 0 and unknown handle types.
#[rstest]
#[case::flags(DESCRIPTOR, 1)]
#[case::high_flags(DESCRIPTOR, 1 << 32)]
#[case::no_type(0, 0)]
#[case::unknown_type(0x4000, 0)]
#[conformance::test("POOL-EXP-004", needs(pool_descriptors))]
fn unknown_flags_and_types_are_refused(exporter: Role, #[case] handle_type: u32, #[case] flags: u64) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    exporter.mem_pool_export_as(pool, handle_type, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses a null pool and a null output.
#[rstest]
#[conformance::test("POOL-EXP-004", needs(pool_descriptors))]
fn null_is_refused(exporter: Role) -> Outcome {
    exporter.mem_pool_export_as(Pool::NULL, DESCRIPTOR, 0).refused(INVALID_VALUE)?;
    exporter.mem_pool_export_into_null(exporter.mem_pool_create(DESCRIPTOR)?).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses to export an imported pool.
#[rstest]
#[conformance::test("POOL-EXP-007", needs(pool_descriptors))]
fn an_imported_pool_is_refused(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    importer.mem_pool_export_as(shared.imported, DESCRIPTOR, 0).refused(&[])?;
    Ok(())
}

/// Four threads can each create, export and destroy 25 pools of their own at the same time.
#[rstest]
#[conformance::test("POOL-EXP-006", needs(pool_descriptors))]
fn threads_export_and_destroy_at_the_same_time(exporter: Role) -> Outcome {
    exporter.mem_pool_export_and_destroy_from_threads(4, 25)?;
    exporter.ctx_synchronize()
}

/// If every exported descriptor is closed, repeated exports of a pool leave no descriptor open.
#[rstest]
#[conformance::test("POOL-EXP-008", needs(pool_descriptors))]
fn exports_leave_no_descriptor(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    // The driver may keep descriptors that it opens for its first export.
    exporter.mem_pool_export_and_close(pool, 1)?;
    let before = exporter.descriptor_count()?;
    exporter.mem_pool_export_and_close(pool, 10_000)?;
    check!(exporter.descriptor_count()? == before);
    Ok(())
}

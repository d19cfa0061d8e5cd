//! `cuMemPoolExportToShareableHandle`.

use conformance::{Expect as _, Outcome, Pool, Role, check};
use rstest::rstest;

use super::{DESCRIPTOR, FABRIC, INVALID_VALUE, share};
use crate::support::fixtures::{exporter, importer};

/// A pool that was made for it exports as a descriptor.
#[rstest]
#[conformance::test("POOL-EXP-001", needs(pool_descriptors))]
fn a_pool_exports_as_a_descriptor(exporter: Role) -> Outcome {
    let descriptor = exporter.mem_pool_export_to_descriptor(exporter.mem_pool_create(DESCRIPTOR)?)?;
    check!(descriptor.0 >= 0, "{descriptor:?}");
    exporter.close_descriptor(descriptor)
}

/// A pool that was made without handles is not exported.
#[rstest]
#[conformance::test("POOL-EXP-002", needs(pool_descriptors))]
fn a_pool_without_handles_is_refused(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// A pool whose export was refused can be destroyed, and the driver goes on to work.
#[rstest]
#[case::descriptor_of_none(0, DESCRIPTOR)]
#[case::fabric_of_none(0, FABRIC)]
#[case::fabric_of_descriptor(DESCRIPTOR, FABRIC)]
#[conformance::test("POOL-EXP-005", needs(pool_descriptors))]
fn a_refused_pool_is_destroyed(exporter: Role, #[case] created_for: u32, #[case] wanted: u32) -> Outcome {
    let pool = exporter.mem_pool_create(created_for)?;
    exporter.mem_pool_export_as(pool, wanted, 0).refused_and_recorded(&[])?;
    exporter.mem_pool_destroy(pool)?;
    exporter.ctx_synchronize()
}

/// The default pool is not exported.
#[rstest]
#[conformance::test("POOL-EXP-003", needs(pool_descriptors))]
fn the_default_pool_is_refused(exporter: Role) -> Outcome {
    let pool = exporter.device_get_default_mem_pool()?;
    exporter.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(&[])?;
    Ok(())
}

/// Flags, and handle types that there are none of, are refused.
#[rstest]
#[case::flags(DESCRIPTOR, 1)]
#[case::no_type(0, 0)]
#[case::unknown_type(0x4000, 0)]
#[conformance::test("POOL-EXP-004", needs(pool_descriptors))]
fn unknown_flags_and_types_are_refused(exporter: Role, #[case] handle_type: u32, #[case] flags: u64) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    exporter.mem_pool_export_as(pool, handle_type, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// No pool, and no place to write the handle to, are refused.
#[rstest]
#[conformance::test("POOL-EXP-004", needs(pool_descriptors))]
fn null_is_refused(exporter: Role) -> Outcome {
    exporter.mem_pool_export_as(Pool::NULL, DESCRIPTOR, 0).refused(INVALID_VALUE)?;
    exporter.mem_pool_export_into_null(exporter.mem_pool_create(DESCRIPTOR)?).refused(INVALID_VALUE)?;
    Ok(())
}

/// An imported pool is not exported again.
#[rstest]
#[conformance::test("POOL-EXP-007", needs(pool_descriptors))]
fn an_imported_pool_is_refused(exporter: Role, importer: Role) -> Outcome {
    let shared = share(&exporter, &importer)?;
    importer.mem_pool_export_as(shared.imported, DESCRIPTOR, 0).refused(&[])?;
    Ok(())
}

/// Threads create, export and destroy pools of their own at the same time: 4 of them, 25 pools each.
#[rstest]
#[conformance::test("POOL-EXP-006", needs(pool_descriptors))]
fn threads_export_and_destroy_at_the_same_time(exporter: Role) -> Outcome {
    exporter.mem_pool_export_and_destroy_from_threads(4, 25)?;
    exporter.ctx_synchronize()
}

/// However often a pool is exported, closed descriptors are gone.
#[rstest]
#[conformance::test("POOL-EXP-008", needs(pool_descriptors))]
fn no_descriptor_stays(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    // What a driver opens for its first export may stay.
    exporter.mem_pool_export_and_close(pool, 1)?;
    let before = exporter.descriptor_count()?;
    exporter.mem_pool_export_and_close(pool, 10_000)?;
    check!(exporter.descriptor_count()? == before);
    Ok(())
}

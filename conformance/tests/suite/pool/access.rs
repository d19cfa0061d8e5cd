//! `cuMemPoolSetAccess` and `cuMemPoolGetAccess`.

use conformance::{Expect as _, Outcome, Placement, Pool, Role, check};
use rstest::rstest;

use crate::support::constants::{ILLEGAL_ADDRESS, INVALID_DEVICE, INVALID_VALUE, NONE, ON_DEVICE, READ, READ_WRITE};
use crate::support::fixtures::{exporter, importer, start};
use crate::support::shared_pool::SIZE;

/// In a new pool of any device, only the owning device has access.
#[rstest]
#[conformance::test("POOL-ACC-006", needs(gpus = 2, memory_pools))]
fn only_the_owning_device_has_access(#[values(0, 1)] owner: i32) -> Outcome {
    let exporter = start("exporter", Placement::device(owner));
    let pool = exporter.mem_pool_create(0)?;
    check!(exporter.mem_pool_get_access(pool, owner)? == READ_WRITE);
    check!(exporter.mem_pool_get_access(pool, 1 - owner)? == NONE);
    exporter.fill(exporter.mem_alloc_from_pool_async(SIZE, pool)?, SIZE, 7)
}

/// A kernel of a peer device cannot write to a new pool, with or without peer access between the contexts.
#[rstest]
#[case::without_peer_access(false)]
#[case::with_peer_access(true)]
#[conformance::test("POOL-ACC-006", "POOL-ACC-008", needs(no_mps, gpus = 2, peer_access, memory_pools))]
fn a_kernel_of_a_peer_needs_access(exporter: Role, #[case] is_enabled: bool) -> Outcome {
    let (own, peer) = (exporter.ctx_get_current()?, exporter.device_primary_ctx_retain_of(1)?);
    let pointer = exporter.mem_alloc_from_pool_async(SIZE, exporter.mem_pool_create(0)?)?;
    exporter.ctx_set_current(Some(peer))?;
    if is_enabled {
        exporter.ctx_enable_peer_access(own)?;
    }
    exporter.fill(pointer, SIZE, 8).refused(ILLEGAL_ADDRESS)?;
    exporter.kill()
}

/// Peer access between contexts does not give access to a pool; only `cuMemPoolSetAccess` does.
#[rstest]
#[conformance::test("POOL-ACC-008", needs(gpus = 2, peer_access, memory_pools))]
fn context_peer_access_does_not_open_a_pool(exporter: Role) -> Outcome {
    let (own, peer) = (exporter.ctx_get_current()?, exporter.device_primary_ctx_retain_of(1)?);
    let pool = exporter.mem_pool_create(0)?;
    let pointer = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.fill(pointer, SIZE, 7)?;
    exporter.ctx_set_current(Some(peer))?;
    exporter.ctx_enable_peer_access(own)?;
    check!(exporter.mem_pool_get_access(pool, 1)? == NONE);
    exporter.read(pointer, 4).refused(INVALID_VALUE)?;
    exporter.mem_pool_set_access(pool, 1, READ_WRITE)?;
    check!(exporter.mismatches(pointer, SIZE, 7)? == 0);
    exporter.ctx_disable_peer_access(own)?;
    // Access to the pool never depended on the contexts' peer access.
    check!(exporter.mismatches(pointer, SIZE, 7)? == 0);
    exporter.ctx_set_current(Some(own))
}

/// The driver refuses to take access from the device that owns the pool.
#[rstest]
#[conformance::test("POOL-ACC-001", needs(memory_pools))]
fn the_owning_device_keeps_its_access(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(pool, 0, NONE).refused(INVALID_DEVICE)?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    exporter.fill(exporter.mem_alloc_from_pool_async(SIZE, pool)?, SIZE, 7)
}

/// If the driver refuses one entry of a call, it applies no other entry of that call.
#[rstest]
#[case::own_first([(0, NONE), (1, READ_WRITE)])]
#[case::peer_first([(1, READ_WRITE), (0, NONE)])]
#[conformance::test("POOL-ACC-001", needs(gpus = 2, peer_access, memory_pools))]
fn a_call_is_refused_as_a_whole(exporter: Role, #[case] wanted: [(i32, u32); 2]) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access_of_each(pool, wanted.to_vec()).refused(INVALID_DEVICE)?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    check!(exporter.mem_pool_get_access(pool, 1)? == NONE);
    Ok(())
}

/// Whether the device that owns a pool can be limited to read-only access is recorded.
#[rstest]
#[conformance::test("POOL-ACC-002", needs(memory_pools))]
fn read_only_access_of_the_owning_device(exporter: Role) -> Outcome {
    record_read_only_access(&exporter, 0, READ_WRITE)
}

/// Whether a peer device can get read-only access to a pool is recorded.
#[rstest]
#[conformance::test("POOL-ACC-002", needs(gpus = 2, peer_access, memory_pools))]
fn read_only_access_of_a_peer(exporter: Role) -> Outcome {
    record_read_only_access(&exporter, 1, NONE)
}

/// Requests read-only access and records the code. After a granted request, `cuMemPoolGetAccess` must return read-only
/// access; after a refused one, access must be unchanged.
fn record_read_only_access(exporter: &Role, device: i32, before: u32) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let granted = exporter.mem_pool_set_access(pool, device, READ).recorded("code")?;
    let access = exporter.mem_pool_get_access(pool, device)?;
    if granted.is_some() {
        check!(access == READ)
    } else {
        check!(access == before)
    }
    Ok(())
}

/// The driver refuses unknown access flags and leaves access unchanged.
#[rstest]
#[conformance::test("POOL-ACC-003", needs(memory_pools))]
fn unknown_flags_are_refused(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(pool, 0, 0xffff).refused_and_recorded(&[])?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    Ok(())
}

/// The driver refuses to give a nonexistent device access.
#[rstest]
#[case::negative(-1)]
#[case::one_beyond_the_last(0)]
#[conformance::test("POOL-ACC-004", needs(memory_pools))]
fn nonexistent_devices_get_no_access(exporter: Role, #[case] device: i32) -> Outcome {
    let device = if device < 0 { device } else { exporter.device_get_count()? };
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(pool, device, READ_WRITE).refused_and_recorded(&[])?;
    Ok(())
}

/// The result of passing more access descriptors than there are devices is recorded.
#[rstest]
#[conformance::test("POOL-ACC-004", needs(memory_pools))]
fn more_descriptors_than_devices(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let wanted = vec![(0, READ_WRITE); exporter.device_get_count()?.unsigned_abs() as usize + 1];
    exporter.mem_pool_set_access_of_each(pool, wanted).recorded("code")?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    Ok(())
}

/// Setting access with a null pool or null descriptors does not succeed, and does not affect other processes.
#[rstest]
#[case::no_pool(false)]
#[case::no_descriptors(true)]
#[conformance::test("POOL-ACC-005", needs(memory_pools))]
fn setting_access_with_null_fails(
    #[from(exporter)] sacrifice: Role,
    importer: Role,
    #[case] has_pool: bool,
) -> Outcome {
    let answer = if has_pool {
        sacrifice.mem_pool_set_access_from_null(sacrifice.mem_pool_create(0)?)
    } else {
        sacrifice.mem_pool_set_access(Pool::NULL, 0, READ_WRITE)
    };
    check!(answer.survived_or_not("set")?.is_none(), "the call returned CUDA_SUCCESS");
    importer.ctx_synchronize()
}

/// The driver refuses to report the access of an invalid location.
#[rstest]
#[case::no_type(0, 0)]
#[case::unknown_type(0x7fff, 0)]
#[case::negative_device(ON_DEVICE, -1)]
#[case::unknown_device(ON_DEVICE, 0x7fff)]
#[conformance::test("POOL-ACC-007", needs(memory_pools))]
fn nonexistent_locations_have_no_access(exporter: Role, #[case] location_type: u32, #[case] location: i32) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_get_access_of(pool, location_type, location).refused_and_recorded(&[])?;
    Ok(())
}

/// Querying access with a null pool, location or output does not succeed, and does not affect other processes.
#[rstest]
#[case::no_pool(false, true, true)]
#[case::no_output(true, false, true)]
#[case::no_location(true, true, false)]
#[conformance::test("POOL-ACC-007", needs(memory_pools))]
fn querying_access_with_null_fails(
    #[from(exporter)] sacrifice: Role,
    importer: Role,
    #[case] pool: bool,
    #[case] output: bool,
    #[case] location: bool,
) -> Outcome {
    let pool = if pool { sacrifice.mem_pool_create(0)? } else { Pool::NULL };
    let answer = sacrifice.mem_pool_get_access_in_part(pool, output, location).survived_or_not("get")?;
    check!(answer.is_none(), "the call returned CUDA_SUCCESS");
    importer.ctx_synchronize()
}

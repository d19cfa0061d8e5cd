//! `cuMemPoolSetAccess` and `cuMemPoolGetAccess`.

use conformance::{Expect as _, Outcome, Pool, Role, check};
use cuda_ipc_sys::{CUmemLocationType, CUresult};
use rstest::rstest;

use super::{INVALID_VALUE, NONE, READ, READ_WRITE, SIZE};
use crate::support::fixtures::{exporter, importer};

const INVALID_DEVICE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_DEVICE];
const DEVICE: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE.0;

/// A pool's own device has access from the beginning, and no other has.
#[rstest]
#[conformance::test("POOL-ACC-006", needs(gpus = 2, memory_pools))]
fn only_the_own_device_has_access(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    check!(exporter.mem_pool_get_access(pool, 1)? == NONE);
    Ok(())
}

/// Peer access of contexts opens no pool: a pool has its own.
#[rstest]
#[conformance::test("POOL-ACC-008", needs(gpus = 2, peer_access, memory_pools))]
fn a_pool_has_its_own_access(exporter: Role) -> Outcome {
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
    // It never was that access.
    check!(exporter.mismatches(pointer, SIZE, 7)? == 0);
    exporter.ctx_set_current(Some(own))
}

/// A pool's own device does not lose access.
#[rstest]
#[conformance::test("POOL-ACC-001", needs(memory_pools))]
fn the_own_device_keeps_its_access(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(pool, 0, NONE).refused(INVALID_DEVICE)?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    exporter.fill(exporter.mem_alloc_from_pool_async(SIZE, pool)?, SIZE, 7)
}

/// Where one device's access is refused, no other device of the call gets its own.
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

/// Whether a pool's own device can be held to reading is recorded.
#[rstest]
#[conformance::test("POOL-ACC-002", needs(memory_pools))]
fn reading_only_is_recorded_of_the_own_device(exporter: Role) -> Outcome {
    record_reading_only(&exporter, 0, READ_WRITE)
}

/// Whether a peer can be given no more than reading is recorded.
#[rstest]
#[conformance::test("POOL-ACC-002", needs(gpus = 2, peer_access, memory_pools))]
fn reading_only_is_recorded_of_a_peer(exporter: Role) -> Outcome {
    record_reading_only(&exporter, 1, NONE)
}

/// What is granted is said, and what is refused changes nothing.
fn record_reading_only(exporter: &Role, device: i32, before: u32) -> Outcome {
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

/// Flags that there are none of are refused, and change nothing.
#[rstest]
#[conformance::test("POOL-ACC-003", needs(memory_pools))]
fn unknown_flags_are_refused(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(pool, 0, 0xffff).refused_and_recorded(&[])?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    Ok(())
}

/// A device that is not there gets no access.
#[rstest]
#[case::negative(-1)]
#[case::one_beyond_the_last(0)]
#[conformance::test("POOL-ACC-004", needs(memory_pools))]
fn no_such_device_gets_access(exporter: Role, #[case] device: i32) -> Outcome {
    let device = if device < 0 { device } else { exporter.device_get_count()? };
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_set_access(pool, device, READ_WRITE).refused_and_recorded(&[])?;
    Ok(())
}

/// What a call makes of more descriptions than there are devices is recorded.
#[rstest]
#[conformance::test("POOL-ACC-004", needs(memory_pools))]
fn more_descriptions_than_devices_are_recorded(exporter: Role) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let wanted = vec![(0, READ_WRITE); exporter.device_get_count()?.unsigned_abs() as usize + 1];
    exporter.mem_pool_set_access_of_each(pool, wanted).recorded("code")?;
    check!(exporter.mem_pool_get_access(pool, 0)? == READ_WRITE);
    Ok(())
}

/// No pool, and no description, give nobody access, and harm nobody else.
#[rstest]
#[case::no_pool(false)]
#[case::no_descriptions(true)]
#[conformance::test("POOL-ACC-005", needs(memory_pools))]
fn null_gives_no_access(#[from(exporter)] sacrifice: Role, importer: Role, #[case] has_pool: bool) -> Outcome {
    let answer = if has_pool {
        sacrifice.mem_pool_set_access_from_null(sacrifice.mem_pool_create(0)?)
    } else {
        sacrifice.mem_pool_set_access(Pool::NULL, 0, READ_WRITE)
    };
    check!(answer.survived_or_not("set")?.is_none(), "the call answered CUDA_SUCCESS");
    importer.ctx_synchronize()
}

/// A place that is none has no access to a pool.
#[rstest]
#[case::no_type(0, 0)]
#[case::unknown_type(0x7fff, 0)]
#[case::negative_device(DEVICE, -1)]
#[case::unknown_device(DEVICE, 0x7fff)]
#[conformance::test("POOL-ACC-007", needs(memory_pools))]
fn no_such_place_has_access(exporter: Role, #[case] location_type: u32, #[case] location: i32) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_get_access_of(pool, location_type, location).refused_and_recorded(&[])?;
    Ok(())
}

/// No pool, no location and no place to write the access to are refused, and harm nobody else.
#[rstest]
#[case::no_pool(false, true, true)]
#[case::no_output(true, false, true)]
#[case::no_location(true, true, false)]
#[conformance::test("POOL-ACC-007", needs(memory_pools))]
fn null_has_no_access(
    #[from(exporter)] sacrifice: Role,
    importer: Role,
    #[case] pool: bool,
    #[case] output: bool,
    #[case] location: bool,
) -> Outcome {
    let pool = if pool { sacrifice.mem_pool_create(0)? } else { Pool::NULL };
    let answer = sacrifice.mem_pool_get_access_in_part(pool, output, location).survived_or_not("get")?;
    check!(answer.is_none(), "the call answered CUDA_SUCCESS");
    importer.ctx_synchronize()
}

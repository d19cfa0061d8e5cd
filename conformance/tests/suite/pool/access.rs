//! `cuMemPoolSetAccess` and `cuMemPoolGetAccess`.

use conformance::{Expect as _, Outcome, Role, check};
use rstest::rstest;

use super::{INVALID_VALUE, NONE, READ_WRITE, SIZE};
use crate::fixtures::exporter;

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

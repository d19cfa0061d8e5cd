//! `cuMemPoolGetAttribute` and `cuMemPoolSetAttribute`.

use conformance::{Expect as _, Outcome, Role, check};
use cuda_ipc_sys::CUmemPool_attribute as Attribute;
use rstest::rstest;

use super::{INVALID_VALUE, SIZE};
use crate::fixtures::exporter;

/// A high-water mark is reset to zero, and to nothing else.
#[rstest]
#[case::reserved(Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)]
#[case::used(Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH)]
#[conformance::test("POOL-ATTR-001", needs(memory_pools))]
fn a_high_water_mark_is_reset_to_zero(exporter: Role, #[case] attribute: Attribute) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let pointer = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.mem_free_async_and_wait(pointer)?;
    check!(exporter.mem_pool_get_attribute(pool, attribute.0)? >= SIZE);
    exporter.mem_pool_set_attribute(pool, attribute.0, 1).refused(INVALID_VALUE)?;
    exporter.mem_pool_set_attribute(pool, attribute.0, 0)?;
    check!(exporter.mem_pool_get_attribute(pool, attribute.0)? < SIZE);
    Ok(())
}

/// What a pool says of its own properties before CUDA 13.2 is recorded.
#[rstest]
#[case::handle_types(Attribute::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES)]
#[case::location(Attribute::CU_MEMPOOL_ATTR_LOCATION_ID)]
#[conformance::test("POOL-ATTR-003", needs(memory_pools))]
fn attributes_that_came_later_are_recorded(exporter: Role, #[case] attribute: Attribute) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_get_attribute(pool, attribute.0).recorded("code")?;
    Ok(())
}

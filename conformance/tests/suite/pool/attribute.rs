//! `cuMemPoolGetAttribute` and `cuMemPoolSetAttribute`.

use conformance::{Expect as _, Outcome, Pool, Role, check, observe};
use cuda_ipc_sys::{CUmemAllocationType, CUmemPool_attribute as Attribute};
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, INVALID_VALUE, ON_DEVICE};
use crate::support::fixtures::{exporter, importer};
use crate::support::shared_pool::{RESERVED, SIZE, Statistic, USED, share_memory};

/// A high-water mark of a pool can be set to zero, which does not change the pool's other high-water mark. The driver
/// refuses any value except zero.
#[rstest]
#[case::reserved(RESERVED, USED)]
#[case::used(USED, RESERVED)]
#[conformance::test("POOL-ATTR-001", needs(memory_pools))]
fn a_high_water_mark_is_reset_to_zero(exporter: Role, #[case] reset: Statistic, #[case] other: Statistic) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    let get = |attribute: Attribute| exporter.mem_pool_get_attribute(pool, attribute.0);
    exporter.mem_free_async_and_wait(exporter.mem_alloc_from_pool_async(SIZE, pool)?)?;
    let (highest, others) = (get(reset.high)?, get(other.high)?);
    check!(highest >= SIZE);
    for value in [1, 1 << 32, u64::MAX] {
        exporter.mem_pool_set_attribute(pool, reset.high.0, value).refused(INVALID_VALUE)?;
    }
    check!(get(reset.high)? == highest);
    exporter.mem_pool_set_attribute(pool, reset.high.0, 0)?;
    check!(get(reset.high)? <= get(reset.current)?);
    check!(get(other.high)? == others);
    Ok(())
}

/// A high-water mark of a pool that another process has imported can be reset to zero, which leaves the other one; the
/// driver refuses any other value, and the mark rises again with the memory in use.
#[rstest]
#[case::reserved(RESERVED, USED)]
#[case::used(USED, RESERVED)]
#[conformance::test("POOL-ATTR-001", needs(pool_descriptors))]
fn a_high_water_mark_of_a_shared_pool_is_reset_to_zero(
    exporter: Role,
    importer: Role,
    #[case] reset: Statistic,
    #[case] other: Statistic,
) -> Outcome {
    let pool = share_memory(&exporter, &importer, 7)?.pool.exported;
    let get = |attribute: Attribute| exporter.mem_pool_get_attribute(pool, attribute.0);
    exporter.mem_free_async_and_wait(exporter.mem_alloc_from_pool_async(16 * SIZE, pool)?)?;
    let (highest, others) = (get(reset.high)?, get(other.high)?);
    check!(highest >= 17 * SIZE);
    for value in [1, get(reset.current)?, u64::MAX] {
        exporter.mem_pool_set_attribute(pool, reset.high.0, value).refused(INVALID_VALUE)?;
    }
    check!(get(reset.high)? == highest);
    exporter.mem_pool_set_attribute(pool, reset.high.0, 0)?;
    check!(get(reset.high)? <= get(reset.current)?);
    check!(get(other.high)? == others);
    exporter.mem_alloc_from_pool_async(16 * SIZE, pool)?;
    check!(get(USED.high)? >= 17 * SIZE);
    Ok(())
}

/// The driver refuses to set a high-water mark of an imported pool to another value than 0. Whether it can be reset to 0
/// is recorded. After a reset, it is at most the current value.
#[rstest]
#[case::reserved(RESERVED)]
#[case::used(USED)]
#[conformance::test("POOL-ATTR-001", needs(pool_descriptors))]
fn a_high_water_mark_of_an_imported_pool_is_not_set(
    exporter: Role,
    importer: Role,
    #[case] reset: Statistic,
) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let imported = both.pool.imported;
    importer.mem_free_async_and_wait(both.here)?;
    for value in [1, 1 << 32, u64::MAX] {
        importer.mem_pool_set_attribute(imported, reset.high.0, value).refused(&[])?;
    }
    if importer.mem_pool_set_attribute(imported, reset.high.0, 0).recorded("reset")?.is_some() {
        let high = importer.mem_pool_get_attribute(imported, reset.high.0)?;
        check!(high <= importer.mem_pool_get_attribute(imported, reset.current.0)?);
    }
    Ok(())
}

/// Before CUDA 13.2, the driver refuses the attributes for a pool's properties, which that version introduced.
#[rstest]
#[conformance::test("POOL-ATTR-003", needs(memory_pools, cuda_before = 13_020))]
fn property_attributes_are_refused_before_cuda_13_2(
    exporter: Role,
    #[values(
        Attribute::CU_MEMPOOL_ATTR_ALLOCATION_TYPE,
        Attribute::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES,
        Attribute::CU_MEMPOOL_ATTR_LOCATION_ID,
        Attribute::CU_MEMPOOL_ATTR_LOCATION_TYPE,
        Attribute::CU_MEMPOOL_ATTR_MAX_POOL_SIZE,
        Attribute::CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED
    )]
    attribute: Attribute,
) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_get_attribute(pool, attribute.0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The attributes of a pool return the properties that it was created with.
#[rstest]
#[case::allocation_type(
    Attribute::CU_MEMPOOL_ATTR_ALLOCATION_TYPE,
    CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED.0
)]
#[case::handle_types(Attribute::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES, DESCRIPTOR)]
#[case::location(Attribute::CU_MEMPOOL_ATTR_LOCATION_ID, 0)]
#[case::location_type(Attribute::CU_MEMPOOL_ATTR_LOCATION_TYPE, ON_DEVICE)]
#[conformance::test("POOL-ATTR-003", needs(pool_descriptors, cuda = 13_020))]
fn a_pool_reports_its_properties(exporter: Role, #[case] attribute: Attribute, #[case] value: u32) -> Outcome {
    let pool = exporter.mem_pool_create(DESCRIPTOR)?;
    let expected = u64::from(value);
    check!(exporter.mem_pool_get_attribute(pool, attribute.0)? == expected);
    Ok(())
}

/// The driver refuses to return or set an unknown attribute.
#[rstest]
#[conformance::test("POOL-ATTR-002", needs(memory_pools))]
fn unknown_attributes_are_refused(exporter: Role, #[values(0, 0x7fff)] attribute: u32) -> Outcome {
    let pool = exporter.mem_pool_create(0)?;
    exporter.mem_pool_get_attribute(pool, attribute).refused(INVALID_VALUE)?;
    let code = exporter.mem_pool_set_attribute(pool, attribute, 1).refusal(&[])?;
    observe("set", code.to_string());
    Ok(())
}

/// Getting or setting an attribute of a null pool does not succeed, and does not affect other processes.
#[rstest]
#[case::get(false)]
#[case::set(true)]
#[conformance::test("POOL-ATTR-002", needs(memory_pools))]
fn a_null_pool_has_no_attributes(#[from(exporter)] sacrifice: Role, importer: Role, #[case] set: bool) -> Outcome {
    const THRESHOLD: u32 = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.0;
    let answer = if set {
        sacrifice.mem_pool_set_attribute(Pool::NULL, THRESHOLD, 1)
    } else {
        sacrifice.mem_pool_get_attribute(Pool::NULL, THRESHOLD).map(drop)
    };
    check!(answer.survived_or_not("code")?.is_none(), "the call returned CUDA_SUCCESS");
    importer.ctx_synchronize()
}

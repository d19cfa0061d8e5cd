//! Pools whose handle is 64 plain bytes, with and without the channel that they need.

use conformance::Placement;
use conformance::machine::Fabric;
use conformance::{Expect as _, FabricHandle, Outcome, Role, Stop, check, observe};
use cuda_ipc_sys::{CUdevice_attribute, CUresult};
use rstest::rstest;

use super::{FABRIC, SIZE, Shared, both_see};
use crate::support::fixtures::start;

const NOT_PERMITTED: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_PERMITTED];

/// A process that finds the fabric in a state.
fn on(name: &str, state: Fabric) -> Role {
    start(name, Placement::device(0).fabric(state))
}

/// Whether the attribute names fabric handles among those that pools have.
fn is_in_the_mask(role: &Role) -> Result<bool, Stop> {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
    Ok(role.device_get_attribute(attribute.0, 0)?.cast_unsigned() & FABRIC != 0)
}

/// Without a fabric the attribute names no fabric handles, and no pool is created for them.
#[rstest]
#[conformance::test("FAB-001", "POOL-CREATE-002", needs(memory_pools, fabric = Fabric::Absent))]
fn without_a_fabric_there_is_no_pool() -> Outcome {
    let exporter = on("exporter", Fabric::Absent);
    check!(!is_in_the_mask(&exporter)?);
    exporter.mem_pool_create(FABRIC).refused_and_recorded(&[])?;
    Ok(())
}

/// Without a channel the attribute may name fabric handles; that a pool has none shows when it is created, or exported.
#[rstest]
#[conformance::test("FAB-002", needs(memory_pools, fabric = Fabric::NoChannel))]
fn without_a_channel_a_pool_has_no_handle() -> Outcome {
    let exporter = on("exporter", Fabric::NoChannel);
    observe("in the mask", is_in_the_mask(&exporter)?.to_string());
    if let Some(pool) = exporter.mem_pool_create(FABRIC).recorded("create")? {
        let code = exporter.mem_pool_export_to_fabric(pool).refused(&[])?;
        observe("export", code.to_string());
    }
    // Other pools are not concerned.
    exporter.mem_alloc_from_pool_async(SIZE, exporter.mem_pool_create(0)?)?;
    // Whether the pool can be destroyed is the next case's.
    exporter.kill()
}

/// A pool for fabric handles that was not exported for want of a channel can be destroyed, and the driver goes on to
/// work.
#[rstest]
#[conformance::test("POOL-EXP-005", needs(memory_pools, fabric = Fabric::NoChannel))]
fn a_pool_that_was_not_exported_is_destroyed() -> Outcome {
    let exporter = on("exporter", Fabric::NoChannel);
    if let Some(pool) = exporter.mem_pool_create(FABRIC).recorded("create")? {
        let code = exporter.mem_pool_export_to_fabric(pool).refused(&[])?;
        observe("export", code.to_string());
        exporter.mem_pool_destroy(pool)?;
    }
    exporter.ctx_synchronize()
}

/// Without a channel no bytes lead to a pool.
#[rstest]
#[conformance::test("FAB-002", needs(memory_pools, fabric = Fabric::NoChannel))]
fn without_a_channel_no_pool_is_imported(#[values(0x00, 0x03)] byte: u8) -> Outcome {
    let importer = on("importer", Fabric::NoChannel);
    importer.mem_pool_import_from_fabric(FabricHandle::from_bytes([byte; 64])).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// With a channel, 64 bytes are all that another process needs of a pool, and 64 more of each pointer.
#[rstest]
#[conformance::test("FAB-003", "POOL-CREATE-002", needs(memory_pools, fabric = Fabric::Channel))]
fn another_process_imports_the_bytes() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    check!(is_in_the_mask(&exporter)?);
    let exported = exporter.mem_pool_create(FABRIC)?;
    let imported = importer.mem_pool_import_from_fabric(exporter.mem_pool_export_to_fabric(exported)?)?;
    both_see(Shared { exported, imported }, &exporter, &importer)
}

/// Who may not use the exporter's channel cannot import its pool.
#[rstest]
#[conformance::test("FAB-004", needs(memory_pools, fabric = Fabric::Channel, simulated))]
fn an_importer_without_the_channel_is_refused(
    #[values(Fabric::NoChannel, Fabric::OtherChannel)] state: Fabric,
) -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", state));
    let handle = exporter.mem_pool_export_to_fabric(exporter.mem_pool_create(FABRIC)?)?;
    importer.mem_pool_import_from_fabric(handle).refused(NOT_PERMITTED)?;
    Ok(())
}

/// A handle with a bit flipped leads to no pool.
#[rstest]
#[conformance::test("FAB-005", needs(memory_pools, fabric = Fabric::Channel))]
fn a_flipped_bit_imports_nothing() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let handle = exporter.mem_pool_export_to_fabric(exporter.mem_pool_create(FABRIC)?)?;
    for bit in 0..512 {
        importer.mem_pool_import_from_fabric(handle.with_bit_flipped(bit)).refused(&[])?;
    }
    importer.mem_pool_import_from_fabric(handle)?;
    Ok(())
}

/// A handle of a pool that is gone with its process imports nothing.
#[rstest]
#[conformance::test("FAB-006", needs(memory_pools, fabric = Fabric::Channel))]
fn a_pool_that_is_gone_is_not_imported() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let handle = exporter.mem_pool_export_to_fabric(exporter.mem_pool_create(FABRIC)?)?;
    exporter.kill()?;
    importer.mem_pool_import_from_fabric(handle).refused_and_recorded(&[])?;
    Ok(())
}

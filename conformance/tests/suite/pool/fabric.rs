//! Pools with fabric handles of 64 bytes, with and without the IMEX channel that they need.

use conformance::Placement;
use conformance::machine::Fabric;
use conformance::{Expect as _, FabricHandle, Outcome, Role, Stop, check, observe};
use cuda_ipc_sys::CUdevice_attribute;
use rstest::rstest;

use crate::support::constants::{FABRIC, NOT_PERMITTED};
use crate::support::fixtures::start;
use crate::support::shared_pool::{SIZE, Shared, both_see};

/// Starts a process that finds the fabric in the given state.
fn on(name: &str, state: Fabric) -> Role {
    start(name, Placement::device(0).fabric(state))
}

/// Returns whether the attribute for the handle types of pools contains fabric handles.
fn is_in_the_mask(role: &Role) -> Result<bool, Stop> {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
    Ok(role.device_get_attribute(attribute.0, 0)?.cast_unsigned() & FABRIC != 0)
}

/// Without a fabric, the attribute does not contain fabric handles, and the driver refuses a pool for them.
#[rstest]
#[conformance::test("FAB-001", "POOL-CREATE-002", needs(memory_pools, fabric = Fabric::Absent))]
fn without_a_fabric_there_is_no_fabric_pool() -> Outcome {
    let exporter = on("exporter", Fabric::Absent);
    check!(!is_in_the_mask(&exporter)?);
    exporter.mem_pool_create(FABRIC).refused_and_recorded(&[])?;
    Ok(())
}

/// Without a channel, the driver refuses to create or to export a fabric pool, even if the attribute contains the type.
#[rstest]
#[conformance::test("FAB-002", needs(memory_pools, fabric = Fabric::NoChannel))]
fn without_a_channel_a_pool_has_no_handle() -> Outcome {
    let exporter = on("exporter", Fabric::NoChannel);
    observe("fabric in the mask", is_in_the_mask(&exporter)?.to_string());
    if let Some(pool) = exporter.mem_pool_create(FABRIC).recorded("create")? {
        let code = exporter.mem_pool_export_to_fabric(pool).refusal(&[])?;
        observe("export", code.to_string());
    }
    // Other pools still work.
    exporter.mem_alloc_from_pool_async(SIZE, exporter.mem_pool_create(0)?)?;
    // The next case checks whether the pool can be destroyed.
    exporter.kill()
}

/// A fabric pool whose export was refused without a channel can be destroyed, and the driver stays usable.
#[rstest]
#[conformance::test("POOL-EXP-005", needs(memory_pools, fabric = Fabric::NoChannel))]
fn a_pool_can_be_destroyed_after_a_refused_export() -> Outcome {
    let exporter = on("exporter", Fabric::NoChannel);
    if let Some(pool) = exporter.mem_pool_create(FABRIC).recorded("create")? {
        let code = exporter.mem_pool_export_to_fabric(pool).refusal(&[])?;
        observe("export", code.to_string());
        exporter.mem_pool_destroy(pool)?;
    }
    exporter.ctx_synchronize()
}

/// Without a channel, the driver refuses to import a pool from made-up bytes.
#[rstest]
#[conformance::test("FAB-002", needs(memory_pools, fabric = Fabric::NoChannel))]
fn without_a_channel_imports_are_refused(#[values(0x00, 0x03)] byte: u8) -> Outcome {
    let importer = on("importer", Fabric::NoChannel);
    importer.mem_pool_import_from_fabric(FabricHandle::from_bytes([byte; 64])).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// With a channel, another process can import a pool from 64 bytes, and each pointer from 64 more.
#[rstest]
#[conformance::test("FAB-003", "POOL-CREATE-002", needs(memory_pools, fabric = Fabric::Channel))]
fn another_process_imports_the_handle() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    check!(is_in_the_mask(&exporter)?);
    let exported = exporter.mem_pool_create(FABRIC)?;
    let imported = importer.mem_pool_import_from_fabric(exporter.mem_pool_export_to_fabric(exported)?)?;
    both_see(Shared { exported, imported }, &exporter, &importer)
}

/// A process without access to the exporter's channel cannot import its pool.
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

/// The case records how many handles of a pool with a flipped bit the driver refuses; the unchanged handle opens
/// afterwards.
#[rstest]
#[conformance::test("FAB-005", needs(memory_pools, fabric = Fabric::Channel))]
fn whether_handles_with_a_flipped_bit_are_refused() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let handle = exporter.mem_pool_export_to_fabric(exporter.mem_pool_create(FABRIC)?)?;
    let mut refused = 0;
    for bit in 0..512 {
        match importer.mem_pool_import_from_fabric(handle.with_bit_flipped(bit)) {
            Err(Stop::Refused(_)) => refused += 1,
            opened => importer.mem_pool_destroy(opened?)?,
        }
    }
    observe("refused", refused.to_string());
    importer.mem_pool_import_from_fabric(handle)?;
    Ok(())
}

/// The driver refuses the handle of a pool whose exporter was killed.
#[rstest]
#[conformance::test("FAB-006", needs(memory_pools, fabric = Fabric::Channel))]
fn a_handle_of_a_killed_exporter_is_refused() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let handle = exporter.mem_pool_export_to_fabric(exporter.mem_pool_create(FABRIC)?)?;
    exporter.kill()?;
    importer.mem_pool_import_from_fabric(handle).refused_and_recorded(&[])?;
    Ok(())
}

//! `cuCtxDisablePeerAccess` while memory of the peer device is mapped.

use conformance::{Expect as _, MIB, MemProperties, Outcome, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::{CUmemAccess_flags, CUmemAllocationHandleType};
use rstest::rstest;

use crate::fixtures::{exporter, importer};

const SIZE: u64 = 4 * MIB;
const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const READ_WRITE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0;

/// Memory of one process in another on another GPU: what each process sees of it.
type Share = fn(&Role, &Role) -> Result<[Pointer; 2], Stop>;

fn by_legacy_handle(exporter: &Role, importer: &Role) -> Result<[Pointer; 2], Stop> {
    let there = exporter.mem_alloc(SIZE)?;
    Ok([there, importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(there)?)?])
}

fn by_descriptor(exporter: &Role, importer: &Role) -> Result<[Pointer; 2], Stop> {
    let physical = exporter.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let imported = importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
    let map = |role: &Role, physical, device| {
        let address = role.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
        role.mem_map(address, SIZE, 0, physical, 0)?;
        role.mem_set_access(address, SIZE, device, READ_WRITE)?;
        Ok(address)
    };
    Ok([map(exporter, physical, 0)?, map(importer, imported, 1)?])
}

/// What becomes of a mapping when peer access to its device is disabled is recorded; the exporter keeps its memory.
#[rstest]
#[case::legacy(by_legacy_handle, false)]
#[case::legacy_enabled(by_legacy_handle, true)]
#[case::descriptor(by_descriptor, false)]
#[case::descriptor_enabled(by_descriptor, true)]
#[conformance::test("P2P-013", needs(gpus = 2, peer_access, memory_descriptors))]
fn with_a_live_mapping_is_recorded(
    exporter: Role,
    #[with(1)] importer: Role,
    #[case] share: Share,
    #[case] is_enabled: bool,
) -> Outcome {
    let [there, here] = share(&exporter, &importer)?;
    exporter.fill(there, SIZE, 7)?;
    let peer = importer.device_primary_ctx_retain_of(0)?;
    if is_enabled {
        importer.ctx_enable_peer_access(peer).recorded("enable")?;
    }
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.ctx_disable_peer_access(peer).recorded("disable")?;
    if let Some(wrong) = importer.mismatches(here, SIZE, 7).survived_or_not("read")? {
        observe("the importer still reads", (wrong == 0).to_string());
    }
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

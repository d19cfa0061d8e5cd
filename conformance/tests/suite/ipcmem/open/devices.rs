//! Exporter and importer on different GPUs.

use conformance::Placement;
use conformance::{Expect as _, MIB, Outcome, Role, check, seed};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::by_kernel::see_writes_while_running;
use crate::support::copies;
use crate::support::fixtures::{exporter, importer, start};
use crate::support::import_kind::{ImportKind, Imported};
use crate::support::legacy::share;

const SIZE: u64 = 4 * MIB;

/// Memory of one GPU opens on a peer, and each process sees the writes of the other.
#[rstest]
#[conformance::test("IPCMEM-OPEN-029", needs(gpus = 2, peer_access))]
fn memory_opens_on_a_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    opens_on_a_peer(&exporter, &importer)
}

/// Memory of the second GPU opens on the first, and each process sees the writes of the other.
#[rstest]
#[conformance::test("IPCMEM-OPEN-029", needs(gpus = 2, peer_access))]
fn memory_of_the_second_gpu_opens_on_the_first(#[with(1)] exporter: Role, importer: Role) -> Outcome {
    opens_on_a_peer(&exporter, &importer)
}

fn opens_on_a_peer(exporter: &Role, importer: &Role) -> Outcome {
    let (buffer, import, there) = share(exporter, importer, SIZE)?;
    let back = seed();
    check!(importer.mismatches(import, SIZE, there)? == 0);
    check!(importer.mismatches_by_copy(import, SIZE, there)? == 0);
    importer.fill(import, SIZE, back)?;
    check!(exporter.mismatches(buffer, SIZE, back)? == 0);
    importer.fill_by_copy(import, SIZE, there)?;
    check!(exporter.mismatches(buffer, SIZE, there)? == 0);
    Ok(())
}

/// Every function that copies, and every memset, reaches memory that is opened on a peer.
#[rstest]
#[conformance::test("IPCMEM-OPEN-029", needs(gpus = 2, peer_access))]
fn copies_and_fills_reach_memory_of_a_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let (there, here, _) = share(&exporter, &importer, SIZE)?;
    copies::reach(&exporter, &importer, &Imported { there, here }, SIZE)
}

/// A running kernel on each of two peers sees what a kernel on the other writes meanwhile to the memory of the first.
#[rstest]
#[conformance::test("IPCMEM-OPEN-051", needs(gpus = 2, peer_access))]
fn running_kernels_see_the_writes_of_a_peer(
    exporter: Role,
    #[with(1)] importer: Role,
    #[values(ImportKind::Legacy, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    see_writes_while_running(&exporter, &importer, &kind.make(&exporter, &importer, 1)?)
}

/// `cuMemcpyPeer` copies between an import in one context and memory of a context of another GPU.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", needs(gpus = 2, peer_access))]
fn a_copy_between_devices_reaches_an_import(exporter: Role, importer: Role) -> Outcome {
    let (buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    let (own, peer) = (importer.ctx_get_current()?, importer.device_primary_ctx_retain_of(1)?);
    importer.ctx_set_current(Some(peer))?;
    let memory = importer.mem_alloc(SIZE)?;
    importer.memcpy_peer(memory, peer, import, own, SIZE)?;
    check!(importer.mismatches(memory, SIZE, pattern)? == 0);
    importer.fill(memory, SIZE, !pattern)?;
    importer.memcpy_peer(import, own, memory, peer, SIZE)?;
    importer.ctx_set_current(Some(own))?;
    importer.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, !pattern)? == 0);
    Ok(())
}

/// An open on a peer without `LAZY_ENABLE_PEER_ACCESS` gives an address that the driver knows, or is refused. The code is
/// recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-030", needs(gpus = 2, peer_access))]
fn the_code_on_a_peer_without_the_flag(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    if let Some(import) = importer.ipc_open_mem_handle_with_flags(handle, 0).recorded("open")? {
        check!(importer.mem_get_address_range(import)?.base == import);
    }
    importer.ctx_synchronize()
}

/// The driver refuses to open memory on a GPU without peer access to the exporter's GPU.
#[rstest]
#[conformance::test("IPCMEM-OPEN-031", needs(gpus = 2, no_peer_access))]
fn memory_does_not_open_without_peer_access(#[values(0, 1)] exporting: i32) -> Outcome {
    let on = |name, device| start(name, Placement::device(device).without_peer_access());
    let (exporter, importer) = (on("exporter", exporting), on("importer", 1 - exporting));
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    importer.ipc_open_mem_handle(handle).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Memory opens even if the exporter's GPU is not visible to the importer, and each process sees the writes of the other.
#[rstest]
#[conformance::test("IPCMEM-OPEN-032", needs(gpus = 2, peer_access))]
fn the_exporters_gpu_may_be_hidden(exporter: Role) -> Outcome {
    let importer = start("importer", Placement::device(0).visible_devices("1"));
    let (buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    importer.fill(import, SIZE, !pattern)?;
    check!(exporter.mismatches(buffer, SIZE, !pattern)? == 0);
    Ok(())
}

/// Memory opens even if the importer's device ordinals differ from the exporter's.
#[rstest]
#[conformance::test("IPCMEM-OPEN-033", needs(gpus = 2, peer_access))]
fn the_order_of_devices_does_not_matter(exporter: Role, #[values(0, 1)] device: i32) -> Outcome {
    let importer = start("importer", Placement::device(device).visible_devices("1,0"));
    check!(importer.device_get_uuid(1)? == exporter.device_get_uuid(0)?);
    let (_, import, pattern) = share(&exporter, &importer, SIZE)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    Ok(())
}

/// Enabling and disabling peer access succeeds beside an import, and leaves it usable. The codes before the open and while
/// the import is open are recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-034", needs(gpus = 2, peer_access))]
fn changing_peer_access_leaves_an_import_usable(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let peer = importer.device_primary_ctx_retain_of(0)?;
    importer.ctx_enable_peer_access(peer).recorded("enable before the open")?;
    importer.ctx_disable_peer_access(peer).recorded("disable before the open")?;
    let (_, import, pattern) = share(&exporter, &importer, SIZE)?;
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    let already = [CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED];
    if importer.ctx_enable_peer_access(peer).recorded_among("enable while open", &already)?.is_some() {
        importer.ctx_disable_peer_access(peer).recorded("disable while open")?;
    }
    check!(importer.mismatches(import, SIZE, pattern)? == 0);
    Ok(())
}

/// Peer access that was enabled before an open stays enabled.
#[rstest]
#[conformance::test("IPCMEM-OPEN-034", needs(gpus = 2, peer_access))]
fn opening_leaves_enabled_peer_access(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let peer = importer.device_primary_ctx_retain_of(0)?;
    importer.ctx_enable_peer_access(peer)?;
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?)?;
    importer.ctx_disable_peer_access(peer)
}

//! `cuCtxDisablePeerAccess` while memory of the peer device is mapped.

use conformance::{Expect as _, Outcome, Role, check, observe};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::{ImportKind, Imported, SIZE};

/// Whether a mapping survives disabling peer access to its device is recorded; the exporter's memory stays intact.
#[rstest]
#[conformance::test("P2P-013", needs(gpus = 2, peer_access, memory_descriptors))]
fn disabling_access_leaves_the_exporters_memory_intact(
    exporter: Role,
    #[with(1)] importer: Role,
    #[values(ImportKind::Legacy, ImportKind::VirtualMemory)] kind: ImportKind,
    #[values(false, true)] is_enabled: bool,
) -> Outcome {
    let Imported { there, here } = kind.make(&exporter, &importer, 1)?;
    exporter.fill(there, SIZE, 7)?;
    let peer = importer.device_primary_ctx_retain_of(0)?;
    if is_enabled {
        importer.ctx_enable_peer_access(peer).recorded("enable")?;
    }
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    importer.ctx_disable_peer_access(peer).recorded("disable")?;
    if let Some(wrong) = importer.mismatches_by_copy(here, SIZE, 7).survived_or_not("read")? {
        observe("the importer still reads", (wrong == 0).to_string());
    }
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}

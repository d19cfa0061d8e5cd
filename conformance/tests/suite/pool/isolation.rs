//! Descriptors of pools in other PID namespaces and of other users.

use conformance::{Expect as _, Outcome};
use rstest::rstest;

use crate::support::constants::DESCRIPTOR;
use crate::support::isolated::Isolated;
use crate::support::shared_pool::{Shared, both_see};

/// If a pool imports across PID namespaces or for another user, each process sees what the other writes to its memory.
/// The code is recorded.
#[rstest]
#[conformance::test("POOL-IMP-019", needs(pool_descriptors, root))]
fn isolated_processes_share_a_pool_or_are_refused(
    #[values(Isolated::Both, Isolated::Exporter, Isolated::Importer, Isolated::User)] isolated: Isolated,
) -> Outcome {
    isolated.run(|exporter, importer| {
        let exported = exporter.mem_pool_create(DESCRIPTOR)?;
        let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
        let received = importer.receive_descriptor(&sent)?;
        if let Some(imported) = importer.mem_pool_import_from_descriptor(received).recorded("import")? {
            both_see(Shared { exported, imported }, exporter, importer)?;
        }
        importer.ctx_synchronize()
    })
}

//! Descriptors of virtual memory in other PID namespaces and of other users.

use conformance::{Expect as _, Outcome};
use rstest::rstest;

use crate::support::by_kernel::both_see;
use crate::support::isolated::Isolated;
use crate::support::virtual_memory::{SIZE, create_exportable, map_readable_and_writable};

/// If memory imports across PID namespaces or for another user, each process sees what the other writes. The code is
/// recorded.
#[rstest]
#[conformance::test("VMM-IMP-037", needs(memory_descriptors, root))]
fn isolated_processes_share_memory_or_are_refused(
    #[values(Isolated::Both, Isolated::Exporter, Isolated::Importer, Isolated::User)] isolated: Isolated,
) -> Outcome {
    isolated.run(|exporter, importer| {
        let physical = create_exportable(exporter)?;
        let there = map_readable_and_writable(exporter, physical)?;
        let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
        let received = importer.receive_descriptor(&sent)?;
        if let Some(imported) = importer.mem_import_from_descriptor(received).recorded("import")? {
            let here = map_readable_and_writable(importer, imported)?;
            both_see((exporter, there), (importer, here), SIZE)?;
        }
        importer.ctx_synchronize()
    })
}

//! Events in other PID namespaces and of other users.

use conformance::{Expect as _, Outcome};
use rstest::rstest;

use super::export;
use crate::support::isolated::Isolated;
use crate::support::latch::Latch;

/// A wait for an event that opens across PID namespaces or for another user ends once the recorded work has ended. The
/// codes of the open and of a query during the work are recorded.
#[rstest]
#[conformance::test("IPCEVT-044", needs(root))]
fn waits_for_events_of_isolated_processes_end(
    #[values(Isolated::Both, Isolated::Exporter, Isolated::Importer, Isolated::User)] isolated: Isolated,
) -> Outcome {
    isolated.run(|exporter, importer| {
        let (event, handle) = export(exporter)?;
        if let Some(imported) = importer.ipc_open_event_handle(handle).recorded("open")? {
            let stream = exporter.stream_create()?;
            let latch = Latch::hold(exporter, stream)?;
            exporter.event_record(event, stream)?;
            importer.event_query(imported).recorded("query during the work")?;
            latch.release()?;
            importer.event_synchronize(imported)?;
            exporter.event_synchronize(event)?;
        }
        importer.ctx_synchronize()
    })
}

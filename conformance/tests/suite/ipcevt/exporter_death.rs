//! The exporter ends while others hold its events.

use std::time::Duration;

use conformance::calls::event::Call as EventCall;
use conformance::{Expect as _, Outcome, Role, observe};
use rstest::rstest;

use super::latch::Latch;
use super::{export, share};
use crate::fixtures::{exporter, importer, observer};

/// Long enough to tell a wait that ends from one that does not.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether a wait for a killed exporter's pending work ends is recorded; a third process is not touched.
#[rstest]
#[conformance::test("IPCEVT-028")]
fn a_wait_for_a_killed_exporter_is_recorded(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let _latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    let waiting = importer.begin::<()>(EventCall::event_synchronize { event: imported })?;
    exporter.kill()?;
    let still_waits = waiting.still_waits_after(PATIENCE)?;
    observe("the wait ends", !still_waits);
    if !still_waits {
        waiting.finish().recorded("synchronize")?;
    }
    importer.kill()?;
    observer.ctx_synchronize()
}

/// An event whose exporter ended after its work was done is complete.
#[rstest]
#[case::exit(true)]
#[case::kill(false)]
#[conformance::test("IPCEVT-027")]
fn completed_work_of_an_ended_exporter_is_recorded(exporter: Role, importer: Role, #[case] exits: bool) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    exporter.event_record(event, conformance::Stream::DEFAULT)?;
    exporter.event_synchronize(event)?;
    if exits {
        exporter.exit()?
    } else {
        exporter.kill()?
    }
    importer.set_deadline(PATIENCE);
    importer.event_query(imported).survived_or_not("query")?;
    Ok(())
}

/// What opening gives once the exporter ended is recorded.
#[rstest]
#[case::exit(true)]
#[case::kill(false)]
#[conformance::test("IPCEVT-041")]
fn opening_after_the_exporters_end_is_recorded(exporter: Role, importer: Role, #[case] exits: bool) -> Outcome {
    let (_, handle) = export(&exporter)?;
    if exits {
        exporter.exit()?
    } else {
        exporter.kill()?
    }
    importer.ipc_open_event_handle(handle).recorded("open")?;
    importer.ctx_synchronize()
}

//! The exporter ends while others hold its events.

use std::time::Duration;

use conformance::Pending;
use conformance::{Expect as _, Outcome, Role, Stream, observe};
use rstest::rstest;

use super::{begin_to_wait, export, share};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;

/// Long enough to tell a wait that ends from one that does not.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether a wait ends, what it answers, and how its process is then. Nobody knows what became of the event: the
/// process ends here.
fn record_the_end(waiting: Pending<()>, importer: &Role) -> Outcome {
    let ends = !waiting.still_waits_after(PATIENCE)?;
    observe("the wait ends", ends);
    if ends && waiting.finish().survived_or_not("synchronize")?.is_some() {
        importer.set_deadline(PATIENCE);
        importer.ctx_synchronize().survived_or_not("the importer afterwards")?;
    }
    importer.kill()
}

/// Whether a wait for a killed exporter's pending work ends is recorded; a third process is not touched.
#[rstest]
#[conformance::test("IPCEVT-028")]
fn a_wait_for_a_killed_exporter_is_recorded(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let _latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    let waiting = begin_to_wait(&importer, imported)?;
    exporter.kill()?;
    record_the_end(waiting, &importer)?;
    observer.ctx_synchronize()
}

/// Whether a wait for running work ends whose exporter exits is recorded; a third process is not touched.
#[rstest]
#[conformance::test("IPCEVT-027")]
fn a_wait_for_an_exiting_exporter_is_recorded(exporter: Role, importer: Role, observer: Role) -> Outcome {
    // It ends by itself, because an exit may wait for it.
    const NANOSECONDS: u64 = 500_000_000;
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    exporter.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    exporter.event_record(event, stream)?;
    let waiting = begin_to_wait(&importer, imported)?;
    exporter.exit()?;
    record_the_end(waiting, &importer)?;
    observer.ctx_synchronize()
}

/// An event whose exporter ended after its work was done is complete.
#[rstest]
#[case::exit(true)]
#[case::kill(false)]
#[conformance::test("IPCEVT-027")]
fn completed_work_of_an_ended_exporter_is_recorded(exporter: Role, importer: Role, #[case] exits: bool) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    exporter.event_record(event, Stream::DEFAULT)?;
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

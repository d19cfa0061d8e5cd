//! The exporter ends while other processes hold its events.

use std::time::Duration;

use conformance::Pending;
use conformance::{Expect as _, Outcome, Role, Stream, observe};
use rstest::rstest;

use super::{begin_to_wait, export, share};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;

/// A time limit that distinguishes a wait that ends from one that does not.
const PATIENCE: Duration = Duration::from_millis(600);

/// Records whether a wait ends, its code, and whether the importer's context then works. Ends the importer, because the
/// state of its event is unknown.
fn record_the_end(waiting: Pending<()>, importer: &Role) -> Outcome {
    let ends = !waiting.still_waits_after(PATIENCE)?;
    observe("the wait ends", ends);
    if ends && waiting.finish().survived_or_not("synchronize")?.is_some() {
        importer.set_deadline(PATIENCE);
        importer.ctx_synchronize().survived_or_not("the importer afterwards")?;
    }
    importer.kill()
}

/// If the exporter is killed while its work is pending, a third process is unaffected. Whether the importer's wait ends
/// is recorded.
#[rstest]
#[conformance::test("IPCEVT-028")]
fn a_wait_for_a_killed_exporter_leaves_others_unharmed(exporter: Role, importer: Role, observer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let _latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    let waiting = begin_to_wait(&importer, imported)?;
    exporter.kill()?;
    record_the_end(waiting, &importer)?;
    observer.ctx_synchronize()
}

/// If the exporter exits while its work is running, a third process is unaffected. Whether the importer's wait ends is
/// recorded.
#[rstest]
#[conformance::test("IPCEVT-027")]
fn a_wait_for_an_exiting_exporter_leaves_others_unharmed(exporter: Role, importer: Role, observer: Role) -> Outcome {
    // The kernel ends by itself, because an exit may wait for it.
    const NANOSECONDS: u64 = 200_000_000;
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    exporter.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    exporter.event_record(event, stream)?;
    let waiting = begin_to_wait(&importer, imported)?;
    exporter.exit()?;
    record_the_end(waiting, &importer)?;
    observer.ctx_synchronize()
}

/// The result of a query is recorded for an event whose exporter ended after the event's work was done.
#[rstest]
#[case::exit(true)]
#[case::kill(false)]
#[conformance::test("IPCEVT-027")]
fn the_result_of_a_query_after_the_exporters_end(exporter: Role, importer: Role, #[case] exits: bool) -> Outcome {
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

/// The code of opening an event handle after the exporter has ended is recorded.
#[rstest]
#[case::exit(true)]
#[case::kill(false)]
#[conformance::test("IPCEVT-041")]
fn the_code_of_an_open_after_the_exporters_end(exporter: Role, importer: Role, #[case] exits: bool) -> Outcome {
    let (_, handle) = export(&exporter)?;
    if exits {
        exporter.exit()?
    } else {
        exporter.kill()?
    }
    importer.ipc_open_event_handle(handle).recorded("open")?;
    importer.ctx_synchronize()
}

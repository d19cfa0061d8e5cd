//! `cuEventDestroy` in the exporter and in the importer.

use std::time::Duration;

use conformance::calls::event::Call as EventCall;
use conformance::{Event, Expect as _, Outcome, Role, Stream};
use rstest::rstest;

use super::{NOT_READY, begin_to_wait, begin_to_wait_for_stream, share};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;

/// A time limit that is long enough for a wait whose work is done.
const PATIENCE: Duration = Duration::from_secs(3);

/// Uses an event in every way until its process ends. Then ends the process, because its state is unknown.
fn use_up(sacrifice: &Role, event: Event) -> Outcome {
    let stream = Stream::DEFAULT;
    let uses = [
        ("query", EventCall::event_query { event }),
        ("synchronize", EventCall::event_synchronize { event }),
        ("wait", EventCall::stream_wait_event { stream, event }),
        ("record", EventCall::event_record { event, stream }),
        ("destroy", EventCall::event_destroy { event }),
    ];
    sacrifice.set_deadline(PATIENCE);
    for (name, call) in uses {
        if !sacrifice.is_gone() {
            sacrifice.begin::<()>(call)?.finish().survived_or_not(name)?;
        }
    }
    sacrifice.kill()
}

/// If the importer destroys its event, the exporter's event stays usable, whether its work is pending or done.
#[rstest]
#[conformance::test("IPCEVT-024")]
fn the_importers_destroy_leaves_the_exporters_event_usable(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    importer.event_destroy(imported)?;
    exporter.event_query(event).refused(NOT_READY)?;
    latch.release()?;
    exporter.event_synchronize(event)?;
    exporter.event_record(event, stream)?;
    exporter.event_synchronize(event)?;
    exporter.event_query(event)
}

/// If the importer destroys its event while one of its streams waits for it, the stream goes on only after the exporter's
/// recorded work.
#[rstest]
#[conformance::test("IPCEVT-019", "IPCEVT-024")]
fn a_pending_wait_outlives_the_importers_event(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let (produce, consume) = (exporter.stream_create()?, importer.stream_create()?);
    let latch = Latch::hold(&exporter, produce)?;
    exporter.event_record(event, produce)?;
    importer.stream_wait_event(consume, imported)?;
    importer.event_destroy(imported)?;
    let waiting = begin_to_wait_for_stream(&importer, consume)?;
    latch.release()?;
    waiting.finish()?;
    exporter.event_synchronize(event)
}

/// If the importer destroys its event while its own record is pending, the record completes with its work.
#[rstest]
#[conformance::test("IPCEVT-020", "IPCEVT-024")]
fn the_importers_pending_record_outlives_its_event(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    let stream = importer.stream_create()?;
    let latch = Latch::hold(&importer, stream)?;
    importer.event_record(imported, stream)?;
    importer.event_destroy(imported)?;
    let waiting = begin_to_wait(&exporter, event)?;
    latch.release()?;
    waiting.finish()?;
    exporter.event_query(event)
}

/// If the importer destroys one of two events with pending records, each record completes with its own work.
#[rstest]
#[conformance::test("IPCEVT-020", "IPCEVT-024")]
fn one_of_two_pending_events_is_destroyed(
    exporter: Role,
    importer: Role,
    #[values(0, 1)] destroyed: usize,
    #[values(true, false)] is_done_first: bool,
) -> Outcome {
    let (mut events, mut latches) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let stream = importer.stream_create()?;
        latches.push(Latch::open(&importer, stream)?);
        events.push((share(&exporter, &importer)?, stream));
    }
    for (((_, imported), stream), latch) in events.iter().zip(&latches) {
        latch.close()?;
        importer.event_record(*imported, *stream)?;
    }
    let events = [events[0].0, events[1].0];
    importer.event_destroy(events[destroyed].1)?;
    let kept = 1 - destroyed;
    let order = if is_done_first { [destroyed, kept] } else { [kept, destroyed] };
    importer.event_query(events[kept].1).refused(NOT_READY)?;
    for done in order {
        let waiting = begin_to_wait(&exporter, events[done].0)?;
        latches[done].release()?;
        waiting.finish()?;
        if done == destroyed && is_done_first {
            importer.event_query(events[kept].1).refused(NOT_READY)?;
        }
    }
    importer.event_synchronize(events[kept].1)
}

/// If an importer uses an event that the exporter has destroyed, the exporter and a third process are unaffected. The
/// result of each use is recorded.
#[rstest]
#[conformance::test("IPCEVT-025")]
fn uses_after_the_exporters_destroy_leave_others_unharmed(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let (event, imported) = share(&exporter, &sacrifice)?;
    exporter.event_destroy(event)?;
    use_up(&sacrifice, imported)?;
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// If the exporter destroys an event while an importer waits for it, the exporter and a third process are unaffected.
/// The result of the wait is recorded.
#[rstest]
#[conformance::test("IPCEVT-026")]
fn destroying_under_a_waiting_importer_leaves_others_unharmed(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let (event, imported) = share(&exporter, &sacrifice)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    sacrifice.stream_wait_event(Stream::DEFAULT, imported)?;
    exporter.event_destroy(event)?;
    latch.release()?;
    sacrifice.set_deadline(PATIENCE);
    sacrifice.stream_synchronize(Stream::DEFAULT).survived_or_not("synchronize")?;
    sacrifice.kill()?;
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// If the exporter destroys its context while an importer holds its event, the exporter and a third process are
/// unaffected. The result of each use of the event is recorded.
#[rstest]
#[conformance::test("IPCEVT-040")]
fn destroying_the_exporters_context_leaves_others_unharmed(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let first = exporter.ctx_get_current()?;
    let created = exporter.ctx_create(0)?;
    let (_, imported) = share(&exporter, &sacrifice)?;
    exporter.ctx_destroy(created)?;
    use_up(&sacrifice, imported)?;
    exporter.ctx_set_current(Some(first))?;
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

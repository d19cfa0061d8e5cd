//! `cuEventDestroy` on either side.

use std::time::Duration;

use conformance::calls::event::Call as EventCall;
use conformance::{Event, Expect as _, Outcome, Role, Stream};
use rstest::rstest;

use super::{NOT_READY, share};
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::latch::Latch;

/// Long enough for a wait whose work is done.
const PATIENCE: Duration = Duration::from_secs(3);

/// Use an event in every way, as long as its process lives, and end the process: nobody knows what it is by then.
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

/// The importer's destroy leaves the exporter's event as it is, be its work pending or done.
#[rstest]
#[conformance::test("IPCEVT-024")]
fn the_importers_destroy_leaves_the_exporters_event(exporter: Role, importer: Role) -> Outcome {
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

/// After the exporter's destroy every use of the import is undefined: nobody else suffers.
#[rstest]
#[conformance::test("IPCEVT-025")]
fn uses_after_the_exporters_destroy_are_recorded(
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

/// The exporter's destroy while an importer waits does not keep the importer from its end.
#[rstest]
#[conformance::test("IPCEVT-026")]
fn destroying_under_a_waiting_importer_is_recorded(
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

/// The exporter's context may go while an importer holds its event: others stay sound.
#[rstest]
#[conformance::test("IPCEVT-040")]
fn destroying_the_exporters_context_is_recorded(
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

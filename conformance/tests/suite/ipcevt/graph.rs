//! Events in stream captures and graphs.

use std::time::Duration;

use conformance::{Event, Expect as _, Outcome, Role, Stop, Stream};
use rstest::rstest;

use super::share;
use crate::support::capture::Capture;
use crate::support::fixtures::{exporter, importer, observer};

/// A time limit that is long enough for work that ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// A use of the event.
#[derive(Clone, Copy, Debug)]
enum Use {
    Record,
    Wait,
}

/// Launches a graph in one process, and waits in the other for the event that both share. Ends both processes, so that
/// no other case uses them.
fn launch_and_look(one: &Role, other: &Role, shared: Event, launch: impl FnOnce() -> Outcome) -> Outcome {
    [one, other].iter().for_each(|role| role.set_deadline(PATIENCE));
    if launch().survived_or_not("launch")?.is_some() {
        one.stream_synchronize(Stream::DEFAULT).survived_or_not("synchronize")?;
    }
    other.event_synchronize(shared).survived_or_not("the other process's wait")?;
    one.kill()?;
    other.kill()
}

/// Recording an interprocess event or waiting for it during a capture leaves a third process unaffected. The code and
/// the results of the graph are recorded.
#[rstest]
#[conformance::test("IPCEVT-036")]
fn uses_in_a_capture_leave_others_unharmed(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[values(true, false)] imported: bool,
    #[values(Use::Record, Use::Wait)] used: Use,
) -> Outcome {
    let [(one, own), (other, others)] = sides(&exporter, &importer, imported)?;
    let capture = Capture::begin(one)?;
    match used {
        Use::Record => one.event_record(own, capture.stream).recorded("record")?,
        Use::Wait => one.stream_wait_event(capture.stream, own).recorded("wait")?,
    };
    match capture.end()? {
        Some(graph) => launch_and_look(one, other, others, || one.graph_launch(graph, Stream::DEFAULT))?,
        None => one.kill()?,
    }
    observer.ctx_synchronize()
}

/// An interprocess event in a graph node leaves a third process unaffected. The code and the results of the graph are
/// recorded.
#[rstest]
#[conformance::test("IPCEVT-037")]
fn graph_nodes_leave_others_unharmed(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[values(true, false)] imported: bool,
    #[values(Use::Record, Use::Wait)] used: Use,
) -> Outcome {
    let [(one, own), (other, others)] = sides(&exporter, &importer, imported)?;
    let graph = one.graph_create()?;
    let added = match used {
        Use::Record => one.graph_add_event_record_node(graph, own),
        Use::Wait => one.graph_add_event_wait_node(graph, own),
    };
    if added.recorded("node")?.is_some() {
        launch_and_look(one, other, others, || one.graph_launch(graph, Stream::DEFAULT))?;
    }
    observer.ctx_synchronize()
}

/// Shares an event and completes it. Returns the process that has the graph with its event, then the other process with
/// its event.
fn sides<'roles>(
    exporter: &'roles Role,
    importer: &'roles Role,
    imported: bool,
) -> Result<[(&'roles Role, Event); 2], Stop> {
    let (event, event_here) = share(exporter, importer)?;
    exporter.event_record(event, Stream::DEFAULT)?;
    exporter.ctx_synchronize()?;
    let (there, here) = ((exporter, event), (importer, event_here));
    Ok(if imported { [here, there] } else { [there, here] })
}

//! What ends once a latch is released.

use conformance::{Outcome, Stop, check};

use super::page::{PAGE, contains};
use crate::model::operation::Live;
use crate::model::world::{Event, EventView, Held, Name, Stream, World};
use crate::support::waiting::{begin_to_wait, begin_to_wait_for_stream};

/// What another process waits for, with a wait of its host that begins before the release and ends after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    Stream { by: usize, stream: Name },
    Event { by: usize, event: Name },
}

impl Awaited {
    /// Everything that a latch of a process holds, and that another process can await.
    pub(super) fn possible(before: &World, latch: Name, releases: usize) -> Vec<Self> {
        let can_wait = |by: usize| by != releases && !before.processes[by].is_stopped && !before.processes[by].is_lost;
        let streams = freed(before, latch).into_iter().map(|stream| (before.streams[&stream].by, stream));
        let streams = streams.filter(|(by, _)| can_wait(*by)).map(|(by, stream)| Self::Stream { by, stream });
        let views = before.event_views.iter().filter(|(_, view)| can_wait(view.by));
        // An import stays after its event has ended.
        let is_completed = |view: &EventView| {
            let event = before.events.get(&view.event);
            event.is_some_and(|event| is_completed(event, latch))
        };
        let views = views.filter(|(_, view)| is_completed(view));
        streams.chain(views.map(|(event, view)| Self::Event { by: view.by, event: *event })).collect()
    }

    pub(super) fn row(self, before: &World) -> &'static str {
        match self {
            Self::Stream { .. } => "IPCEVT-019",
            Self::Event { event, .. } if before.event_views[&event].is_own => "IPCEVT-020",
            Self::Event { .. } => "IPCEVT-018",
        }
    }
}

pub(super) fn perform(before: &World, live: &mut Live, latch: Name, awaited: Option<Awaited>) -> Outcome {
    let waiting = match awaited {
        Some(Awaited::Stream { by, stream }) => Some(begin_to_wait_for_stream(&live.role(by), live.stream(stream)?)?),
        Some(Awaited::Event { by, event }) => Some(begin_to_wait(&live.role(by), live.event(event)?)?),
        None => None,
    };
    let released = live.latches.remove(&latch);
    released.ok_or_else(|| Stop::Harness("nothing holds the stream".to_owned()))?.release()?;
    if let Some(waiting) = waiting {
        waiting.finish()?;
    }
    for name in freed(before, latch) {
        let (stream, role) = (&before.streams[&name], live.role(before.streams[&name].by));
        role.stream_synchronize(live.stream(name)?)?;
        check!(role.mismatches_by_host(live.page(name)?, PAGE, stream.enqueued)? == 0);
    }
    for (by, event) in completed(before, latch) {
        live.role(by).event_synchronize(live.event(event)?)?;
    }
    Ok(())
}

pub(super) fn lines(before: &World, latch: Name, awaited: Option<Awaited>) -> String {
    let begin = awaited.map(|awaited| match awaited {
        Awaited::Stream { by, stream } => format!("let waiting = begin_to_wait_for_stream(&p{by}, s{stream})?;\n"),
        Awaited::Event { by, event } => format!("let waiting = begin_to_wait(&p{by}, e{event})?;\n"),
    });
    let finish = if begin.is_some() { "\nwaiting.finish()?;" } else { "" };
    let begin = begin.unwrap_or_default();
    let wait = |name: &Name| {
        let stream = &before.streams[name];
        let (by, written) = (stream.by, contains(stream.by, *name, Some(stream.enqueued)));
        format!("\np{by}.stream_synchronize(s{name})?;\n{written}")
    };
    let streams = freed(before, latch).iter().map(wait).collect::<String>();
    let synchronize = |(by, event)| format!("\np{by}.event_synchronize(e{event})?;");
    let events = completed(before, latch).into_iter().map(synchronize).collect::<String>();
    format!("{begin}latch{latch}.release()?;{finish}{streams}{events}")
}

/// The streams that nothing holds any more once a latch is released.
fn freed(before: &World, latch: Name) -> Vec<Name> {
    let is_freed =
        |stream: &Stream| !stream.held_by.is_empty() && stream.held_by.iter().all(|held| held.latch == latch);
    before.streams.iter().filter(|(_, stream)| is_freed(stream)).map(|(name, _)| *name).collect()
}

/// Whether an event is complete soon after a latch is released. The stream that recorded it may still be held.
fn is_completed(event: &Event, latch: Name) -> bool {
    !event.held_by.is_empty() && event.held_by.iter().all(|held: &Held| held.latch == latch)
}

/// The events that are complete soon after a latch is released, each as a process has it that can wait for it.
fn completed(before: &World, latch: Name) -> Vec<(usize, Name)> {
    let can_wait = |by: usize| !before.processes[by].is_stopped && !before.processes[by].is_lost;
    let of_event = |event: &Name| {
        let mut views = before.event_views.iter().filter(|(_, view)| view.event == *event && can_wait(view.by));
        views.next().map(|(name, view)| (view.by, *name))
    };
    let events = before.events.iter().filter(|(_, event)| is_completed(event, latch));
    events.filter_map(|(name, _)| of_event(name)).collect()
}

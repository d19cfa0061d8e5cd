//! Steps of interprocess events: shared, recorded and awaited while work is pending.

mod misuse;
mod page;
mod release;

use std::collections::BTreeSet;

use conformance::{Expect as _, Outcome, check};

use super::operation::{Live, Operation};
use super::world::{Event, EventHandle, EventView, Held, Name, Stream, World};
use crate::support::constants::{INTERPROCESS, NOT_READY};
use crate::support::latch::Latch;
use misuse::Misuse;
use page::{PAGE, contains};
use release::Awaited;

/// The streams of a process. A context has two hardware queues, and more streams would wait for each other.
const STREAMS: usize = 2;

/// A step of an event or of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    by: usize,
    call: Call,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Create {
        name: Name,
    },
    Destroy {
        event: Name,
    },
    Get {
        name: Name,
        event: Name,
    },
    Open {
        name: Name,
        handle: Name,
    },
    CreateStream {
        name: Name,
    },
    DestroyStream {
        stream: Name,
    },
    /// A kernel writes the pattern of a seed to the stream's page of host memory.
    Write {
        seed: Name,
        stream: Name,
    },
    /// A kernel waits in the stream until the latch is released.
    Hold {
        name: Name,
        stream: Name,
    },
    /// A latch is released, perhaps while another process waits for work that it held.
    Release {
        latch: Name,
        awaited: Option<Awaited>,
    },
    Record {
        event: Name,
        stream: Name,
        thread: Thread,
    },
    Wait {
        stream: Name,
        event: Name,
        thread: Thread,
    },
    Query {
        event: Name,
        thread: Thread,
    },
    QueryStream {
        stream: Name,
    },
    Synchronize {
        event: Name,
        thread: Thread,
    },
    Misuse(Misuse),
}

/// The thread of a process that makes a call: the one that makes most calls, or a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    First,
    New,
}

impl Step {
    pub(crate) const fn create(by: usize, name: Name) -> Self {
        Self { by, call: Call::Create { name } }
    }

    pub(crate) const fn get(by: usize, name: Name, event: Name) -> Self {
        Self { by, call: Call::Get { name, event } }
    }

    pub(crate) const fn open(by: usize, name: Name, handle: Name) -> Self {
        Self { by, call: Call::Open { name, handle } }
    }

    pub(crate) const fn create_stream(by: usize, name: Name) -> Self {
        Self { by, call: Call::CreateStream { name } }
    }

    pub(crate) const fn write(by: usize, seed: Name, stream: Name) -> Self {
        Self { by, call: Call::Write { seed, stream } }
    }

    pub(crate) const fn hold(by: usize, name: Name, stream: Name) -> Self {
        Self { by, call: Call::Hold { name, stream } }
    }

    pub(crate) const fn holds_a_stream(&self) -> bool {
        matches!(self.call, Call::Hold { .. })
    }

    pub(crate) const fn release(by: usize, latch: Name) -> Self {
        Self { by, call: Call::Release { latch, awaited: None } }
    }

    pub(crate) const fn record(by: usize, event: Name, stream: Name) -> Self {
        Self { by, call: Call::Record { event, stream, thread: Thread::First } }
    }

    pub(crate) const fn destroy(by: usize, event: Name) -> Self {
        Self { by, call: Call::Destroy { event } }
    }

    pub(crate) const fn destroy_stream(by: usize, stream: Name) -> Self {
        Self { by, call: Call::DestroyStream { stream } }
    }

    pub(crate) const fn wait(by: usize, stream: Name, event: Name) -> Self {
        Self { by, call: Call::Wait { stream, event, thread: Thread::First } }
    }

    pub(crate) const fn query(by: usize, event: Name) -> Self {
        Self { by, call: Call::Query { event, thread: Thread::First } }
    }

    pub(crate) const fn query_stream(by: usize, stream: Name) -> Self {
        Self { by, call: Call::QueryStream { stream } }
    }
}

/// Every step that is possible, by kind, with the weight of the kind.
pub(crate) fn possible(world: &World) -> Vec<(u32, Vec<Step>)> {
    let name = world.new_name();
    let every = |call: &dyn Fn() -> Call| -> Vec<Step> {
        (0..world.processes.len()).map(|by| Step { by, call: call() }).collect()
    };
    let events = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        world.event_views.iter().map(|(event, view)| Step { by: view.by, call: call(*event) }).collect()
    };
    let streams = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        world.streams.iter().map(|(name, stream)| Step { by: stream.by, call: call(*name) }).collect()
    };
    let pairs = |call: &dyn Fn(Name, Name) -> Call| -> Vec<Step> {
        let of_stream = |(stream, of): (&Name, &Stream)| {
            let (stream, by) = (*stream, of.by);
            let own = world.event_views.iter().filter(move |(_, view)| view.by == by);
            own.map(|(event, _)| Step { by, call: call(*event, stream) }).collect::<Vec<_>>()
        };
        world.streams.iter().flat_map(of_stream).collect()
    };
    // Without a turn of their own, few scripts have a chain of these.
    let only = |steps: &[Step], is_chosen: &dyn Fn(&Step) -> bool| -> Vec<Step> {
        steps.iter().copied().filter(|step| step.is_possible(world) && is_chosen(step)).collect()
    };
    let is_held = |stream: Name| !world.streams[&stream].held_by.is_empty();
    let is_pending = |event: Name| !held(world, event).is_empty();
    let records_pending_work = |step: &Step| matches!(step.call, Call::Record { stream, .. } if is_held(stream));
    // Another process waits for the record that this one replaces, and must not notice.
    let is_awaited = |event: Name| {
        let awaits = |stream: &Stream, Held { latch, .. }: &Held| {
            world.latches.get(latch) != Some(&stream.by)
                && stream.held_by.contains(&Held { latch: *latch, by: stream.by })
        };
        world.streams.values().any(|stream| held(world, event).iter().any(|held| awaits(stream, held)))
    };
    let replaces_an_awaited_record =
        |step: &Step| matches!(step.call, Call::Record { event, stream, .. } if is_awaited(event) && !is_held(stream));
    let waits_for_pending_work =
        |step: &Step| matches!(step.call, Call::Wait { stream, event, .. } if is_pending(event) && !is_held(stream));
    let on_any_thread = |calls: &dyn Fn(Thread) -> Vec<Step>| [Thread::First, Thread::New].map(calls).concat();
    let releases = |awaited: &dyn Fn(Name, usize) -> Vec<Option<Awaited>>| -> Vec<Step> {
        let of_latch = |(latch, by): (&Name, &usize)| {
            let (latch, by) = (*latch, *by);
            awaited(latch, by).into_iter().map(move |awaited| Step { by, call: Call::Release { latch, awaited } })
        };
        world.latches.iter().flat_map(of_latch).collect()
    };
    let handles = world.event_handles.keys().flat_map(|handle| every(&|| Call::Open { name, handle: *handle }));
    let records = on_any_thread(&|thread| pairs(&|event, stream| Call::Record { event, stream, thread }));
    let waits = on_any_thread(&|thread| pairs(&|event, stream| Call::Wait { stream, event, thread }));
    vec![
        (if world.events.len() < 2 { 4 } else { 1 }, every(&|| Call::Create { name })),
        (1, events(&|event| Call::Destroy { event })),
        (if world.event_handles.len() < 2 { 8 } else { 2 }, events(&|event| Call::Get { name, event })),
        (10, handles.collect()),
        (if world.streams.len() < 4 { 4 } else { 1 }, every(&|| Call::CreateStream { name })),
        (1, streams(&|stream| Call::DestroyStream { stream })),
        (4, streams(&|stream| Call::Write { seed: name, stream })),
        (6, streams(&|stream| Call::Hold { name, stream })),
        (1, releases(&|_, _| vec![None])),
        (1, releases(&|latch, by| Awaited::possible(world, latch, by).into_iter().map(Some).collect())),
        (20, only(&records, &records_pending_work)),
        (20, only(&records, &replaces_an_awaited_record)),
        (20, only(&waits, &waits_for_pending_work)),
        (10, records),
        (10, waits),
        (6, on_any_thread(&|thread| events(&|event| Call::Query { event, thread }))),
        (4, streams(&|stream| Call::QueryStream { stream })),
        (3, on_any_thread(&|thread| events(&|event| Call::Synchronize { event, thread }))),
        (3, Misuse::possible(world).into_iter().map(|(by, misuse)| Step { by, call: Call::Misuse(misuse) }).collect()),
    ]
}

/// What the last record of an event waits for.
fn held(world: &World, view: Name) -> &BTreeSet<Held> {
    &world.events[&world.event_views[&view].event].held_by
}

impl Operation for Step {
    fn by(&self) -> usize {
        self.by
    }

    fn row(&self, before: &World) -> &'static str {
        let is_own = |view: Name| before.event_views[&view].is_own;
        match self.call {
            Call::Create { .. } | Call::Get { .. } => "IPCEVT-001",
            Call::Destroy { .. } => "IPCEVT-024",
            Call::Open { handle, .. } if before.event_handles[&handle].exporter == self.by => "IPCEVT-012",
            Call::Open { .. } => "IPCEVT-011",
            Call::CreateStream { .. } | Call::DestroyStream { .. } | Call::Hold { .. } => "IPCEVT-039",
            Call::Release { awaited, .. } => awaited.map_or("IPCEVT-039", |awaited| awaited.row(before)),
            Call::Write { .. } => "IPCEVT-019",
            Call::Record { event, .. } if is_own(event) => "IPCEVT-018",
            Call::Record { .. } => "IPCEVT-020",
            Call::Wait { event, .. } if is_own(event) => "IPCEVT-020",
            Call::Wait { .. } | Call::QueryStream { .. } => "IPCEVT-019",
            Call::Query { event, .. } if is_own(event) => "IPCEVT-020",
            Call::Query { .. } => "IPCEVT-018",
            Call::Synchronize { .. } => "IPCEVT-039",
            Call::Misuse(misuse) => misuse.row(),
        }
    }

    fn is_possible(&self, before: &World) -> bool {
        let by = self.by;
        let is_new = |name: Name| !before.names.contains(&name);
        let has = |view: Name| {
            let view = before.event_views.get(&view).filter(|view| view.by == by);
            view.is_some_and(|view| before.events.contains_key(&view.event))
        };
        let stream = |name: Name| before.streams.get(&name).filter(|stream| stream.by == by);
        match self.call {
            Call::Create { name } => is_new(name),
            Call::CreateStream { name } => {
                is_new(name) && before.streams.values().filter(|stream| stream.by == by).count() < STREAMS
            }
            Call::Destroy { event } => {
                has(event) && {
                    // After the exporter's destroy, any use of an import is undefined.
                    let EventView { event, is_own, .. } = before.event_views[&event];
                    let others = before.event_views.values().filter(|view| view.event == event).count() - 1;
                    let is_idle = before.events[&event].held_by.is_empty();
                    !is_own || (others == 0 && is_idle)
                }
            }
            Call::Get { name, event } => is_new(name) && has(event) && before.event_views[&event].is_own,
            Call::Open { name, handle } => {
                // What a second open of a process gives is open.
                let handle = before.event_handles.get(&handle);
                let is_open =
                    |event: Name| before.event_views.values().any(|view| view.by == by && view.event == event);
                let opens = |handle: &EventHandle| {
                    before.events.contains_key(&handle.event) && (handle.exporter == by || !is_open(handle.event))
                };
                is_new(name) && handle.is_some_and(opens)
            }
            Call::Write { seed, stream: on } => is_new(seed) && stream(on).is_some(),
            Call::DestroyStream { stream: idle } => stream(idle).is_some_and(|stream| stream.held_by.is_empty()),
            Call::Hold { name, stream: held } => {
                is_new(name) && stream(held).is_some_and(|stream| stream.held_by.is_empty())
            }
            Call::Release { latch, awaited } => {
                // A stopped process cannot say when its streams have ended, and nothing is known of a lost one.
                let waits = |stream: &Stream| stream.held_by.iter().any(|held| held.latch == latch);
                let is_mute = |stream: &Stream| {
                    let process = before.processes[stream.by];
                    waits(stream) && (process.is_stopped || process.is_lost)
                };
                before.latches.get(&latch) == Some(&by)
                    && !before.streams.values().any(is_mute)
                    && awaited.is_none_or(|awaited| Awaited::possible(before, latch, by).contains(&awaited))
            }
            Call::Record { event, stream: on, .. } => {
                let replaces = |stream: &Stream| {
                    before.machine.records_replace_pending_ones || stream.held_by.is_superset(held(before, event))
                };
                has(event) && stream(on).is_some_and(replaces)
            }
            Call::Wait { stream: waits, event, .. } => has(event) && stream(waits).is_some(),
            Call::Query { event, .. } => has(event),
            Call::Synchronize { event, .. } => has(event) && held(before, event).is_empty(),
            Call::QueryStream { stream: name } => stream(name).is_some(),
            Call::Misuse(misuse) => misuse.is_possible(by, before),
        }
    }

    fn apply(&self, world: &mut World) {
        let by = self.by;
        match self.call {
            Call::Create { name } => {
                world.names.insert(name);
                world.events.insert(name, Event { owner: by, held_by: BTreeSet::new() });
                world.event_views.insert(name, EventView { by, event: name, is_own: true });
            }
            Call::Destroy { event } => {
                if let Some(EventView { event, is_own: true, .. }) = world.event_views.remove(&event) {
                    world.events.remove(&event);
                }
            }
            Call::Get { name, event } => {
                world.names.insert(name);
                let event = world.event_views[&event].event;
                world.event_handles.insert(name, EventHandle { event, exporter: by });
            }
            Call::Open { name, handle } => {
                world.names.insert(name);
                let EventHandle { event, exporter } = world.event_handles[&handle];
                if exporter != by {
                    world.event_views.insert(name, EventView { by, event, is_own: false });
                }
            }
            Call::CreateStream { name } => {
                world.names.insert(name);
                let (held_by, writes) = (BTreeSet::new(), Vec::new());
                world.streams.insert(name, Stream { by, held_by, written: Some(name), enqueued: name, writes });
            }
            Call::DestroyStream { stream } => drop(world.streams.remove(&stream)),
            Call::Write { seed, stream } => {
                world.names.insert(seed);
                if let Some(stream) = world.streams.get_mut(&stream) {
                    stream.enqueued = seed;
                    if stream.held_by.is_empty() {
                        stream.written = Some(seed);
                    } else {
                        stream.writes.push(stream.held_by.clone());
                    }
                }
            }
            Call::Hold { name, stream } => {
                world.names.insert(name);
                world.latches.insert(name, by);
                if let Some(stream) = world.streams.get_mut(&stream) {
                    stream.held_by.insert(Held { latch: name, by });
                }
            }
            Call::Release { latch, .. } => {
                world.latches.remove(&latch);
                let release = |held_by: &mut BTreeSet<Held>| held_by.retain(|held| held.latch != latch);
                world.events.values_mut().for_each(|event| release(&mut event.held_by));
                for stream in world.streams.values_mut().filter(|stream| !stream.held_by.is_empty()) {
                    release(&mut stream.held_by);
                    stream.writes.iter_mut().for_each(release);
                    let pending = stream.writes.len();
                    stream.writes.retain(|held_by| !held_by.is_empty());
                    if stream.held_by.is_empty() {
                        stream.written = Some(stream.enqueued);
                    } else if stream.writes.len() < pending {
                        stream.written = None;
                    }
                }
            }
            Call::Record { event, stream, .. } => {
                let (event, held_by) = (world.event_views[&event].event, world.streams[&stream].held_by.clone());
                if let Some(event) = world.events.get_mut(&event) {
                    event.held_by = held_by;
                }
            }
            Call::Wait { stream, event, .. } => {
                let held_by = held(world, event).clone();
                // What becomes of the wait if the owner of the event is killed is open too.
                let owner = world.events[&world.event_views[&event].event].owner;
                if let Some(stream) = world.streams.get_mut(&stream) {
                    let of = |by| held_by.iter().map(move |held| Held { by, ..*held });
                    stream.held_by.extend(of(by).chain(of(owner)).chain(held_by.iter().copied()));
                }
            }
            Call::Query { .. } | Call::QueryStream { .. } | Call::Synchronize { .. } | Call::Misuse(_) => {}
        }
    }

    fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        let role = live.role(self.by);
        match self.call {
            Call::Create { name } => drop(live.events.insert(name, role.event_create(INTERPROCESS)?)),
            Call::Destroy { event } => role.event_destroy(live.event(event)?)?,
            Call::Get { name, event } => {
                let handle = role.ipc_get_event_handle(live.event(event)?)?;
                check!(handle.to_bytes() != conformance::calls::ipc::UNWRITTEN);
                live.event_handles.insert(name, handle);
            }
            Call::Open { name, handle } => {
                let opened = role.ipc_open_event_handle(live.event_handle(handle)?);
                if before.event_handles[&handle].exporter == self.by {
                    return opened.refused(&[]);
                }
                live.events.insert(name, opened?);
            }
            Call::CreateStream { name } => {
                live.streams.insert(name, role.stream_create()?);
                let page = role.mem_host_alloc(PAGE, 0)?;
                role.fill_by_host(page, PAGE, name)?;
                live.pages.insert(name, page);
            }
            Call::Write { seed, stream } => {
                let page = live.page(stream)?;
                let words = role.mem_host_get_device_pointer(page)?;
                role.launch("fill".into(), vec![words.into(), (PAGE / 4).into(), seed.into()], live.stream(stream)?)?;
                if before.streams[&stream].held_by.is_empty() {
                    role.stream_synchronize(live.stream(stream)?)?;
                    check!(role.mismatches_by_host(page, PAGE, seed)? == 0);
                } else if let Some(written) = before.streams[&stream].written {
                    check!(role.mismatches_by_host(page, PAGE, written)? == 0);
                }
            }
            Call::DestroyStream { stream } => role.stream_destroy(live.stream(stream)?)?,
            Call::Hold { name, stream } => drop(live.latches.insert(name, Latch::hold(&role, live.stream(stream)?)?)),
            Call::Release { latch, awaited } => release::perform(before, live, latch, awaited)?,
            Call::Record { event, stream, thread } => {
                let (event, stream) = (live.event(event)?, live.stream(stream)?);
                match thread {
                    Thread::First => role.event_record(event, stream)?,
                    Thread::New => role.event_record_from_threads(vec![event], stream)?,
                }
            }
            Call::Wait { stream, event, thread } => {
                let (event, stream) = (live.event(event)?, live.stream(stream)?);
                match thread {
                    Thread::First => role.stream_wait_event(stream, event)?,
                    Thread::New => role.stream_wait_event_from_threads(vec![stream], event)?,
                }
            }
            Call::Query { event, thread } => {
                let queried = match thread {
                    Thread::First => role.event_query(live.event(event)?),
                    Thread::New => role.event_query_from_threads(live.event(event)?, 1),
                };
                return if held(before, event).is_empty() { queried } else { queried.refused(NOT_READY) };
            }
            Call::QueryStream { stream } => {
                // An idle stream may take a moment to become idle.
                if before.streams[&stream].held_by.is_empty() {
                    return role.stream_synchronize(live.stream(stream)?);
                }
                role.stream_query(live.stream(stream)?).refused(NOT_READY)?;
                if let Some(written) = before.streams[&stream].written {
                    check!(role.mismatches_by_host(live.page(stream)?, PAGE, written)? == 0);
                }
            }
            Call::Synchronize { event, thread: Thread::First } => role.event_synchronize(live.event(event)?)?,
            Call::Synchronize { event, thread: Thread::New } => {
                role.event_synchronize_from_threads(live.event(event)?, 1)?;
            }
            Call::Misuse(misuse) => misuse.perform(&role, live)?,
        }
        // Without work before it, a record is complete soon, but not at once.
        if let Call::Record { stream, .. } | Call::Wait { stream, .. } = self.call
            && before.streams[&stream].held_by.is_empty()
            && !matches!(self.call, Call::Wait { event, .. } if !held(before, event).is_empty())
        {
            role.stream_synchronize(live.stream(stream)?)?;
        }
        Ok(())
    }

    fn lines(&self, before: &World) -> String {
        let by = self.by;
        match self.call {
            Call::Create { name } => format!("let e{name} = p{by}.event_create(INTERPROCESS)?;"),
            Call::Destroy { event } => format!("p{by}.event_destroy(e{event})?;"),
            Call::Get { name, event } => format!(
                "let h{name} = p{by}.ipc_get_event_handle(e{event})?;\n\
                 check!(h{name}.to_bytes() != conformance::calls::ipc::UNWRITTEN);"
            ),
            Call::Open { handle, .. } if before.event_handles[&handle].exporter == by => {
                format!("p{by}.ipc_open_event_handle(h{handle}).refused(&[])?;")
            }
            Call::Open { name, handle } => format!("let e{name} = p{by}.ipc_open_event_handle(h{handle})?;"),
            Call::CreateStream { name } => format!(
                "let s{name} = p{by}.stream_create()?;\nlet page{name} = p{by}.mem_host_alloc({PAGE}, 0)?;\n\
                 p{by}.fill_by_host(page{name}, {PAGE}, {name})?;"
            ),
            Call::Write { seed, stream } => {
                let of = &before.streams[&stream];
                let is_idle = of.held_by.is_empty();
                let wait = if is_idle { format!("p{by}.stream_synchronize(s{stream})?;\n") } else { String::new() };
                let written = contains(by, stream, if is_idle { Some(seed) } else { of.written });
                format!(
                    "let words = p{by}.mem_host_get_device_pointer(page{stream})?;\n\
                     p{by}.launch(\"fill\".into(), vec![words.into(), {}_u64.into(), {seed}_u32.into()], \
                     s{stream})?;\n{wait}{written}",
                    PAGE / 4
                )
            }
            Call::DestroyStream { stream } => format!("p{by}.stream_destroy(s{stream})?;"),
            Call::Hold { name, stream } => format!("let latch{name} = Latch::hold(&p{by}, s{stream})?;"),
            Call::Release { latch, awaited } => release::lines(before, latch, awaited),
            Call::Record { event, stream, thread } => {
                let idle = before.streams[&stream].held_by.is_empty();
                let wait = if idle { format!("\np{by}.stream_synchronize(s{stream})?;") } else { String::new() };
                match thread {
                    Thread::First => format!("p{by}.event_record(e{event}, s{stream})?;{wait}"),
                    Thread::New => format!("p{by}.event_record_from_threads(vec![e{event}], s{stream})?;{wait}"),
                }
            }
            Call::Wait { stream, event, thread } => {
                let idle = before.streams[&stream].held_by.is_empty() && held(before, event).is_empty();
                let wait = if idle { format!("\np{by}.stream_synchronize(s{stream})?;") } else { String::new() };
                match thread {
                    Thread::First => format!("p{by}.stream_wait_event(s{stream}, e{event})?;{wait}"),
                    Thread::New => format!("p{by}.stream_wait_event_from_threads(vec![s{stream}], e{event})?;{wait}"),
                }
            }
            Call::Query { event, thread } => {
                let query = match thread {
                    Thread::First => format!("event_query(e{event})"),
                    Thread::New => format!("event_query_from_threads(e{event}, 1)"),
                };
                let answer = if held(before, event).is_empty() { "" } else { ".refused(NOT_READY)" };
                format!("p{by}.{query}{answer}?;")
            }
            Call::QueryStream { stream } if before.streams[&stream].held_by.is_empty() => {
                format!("p{by}.stream_synchronize(s{stream})?;")
            }
            Call::QueryStream { stream } => {
                let written = contains(by, stream, before.streams[&stream].written);
                format!("p{by}.stream_query(s{stream}).refused(NOT_READY)?;\n{written}")
            }
            Call::Synchronize { event, thread: Thread::First } => format!("p{by}.event_synchronize(e{event})?;"),
            Call::Synchronize { event, thread: Thread::New } => {
                format!("p{by}.event_synchronize_from_threads(e{event}, 1)?;")
            }
            Call::Misuse(misuse) => misuse.lines(by),
        }
    }
}

/// Releases every latch, and looks at every event and stream that is left.
pub(crate) fn last_steps(world: &World) -> Vec<Step> {
    let mut after = world.clone();
    let mut steps: Vec<Step> = Vec::new();
    let look = |steps: &mut Vec<Step>, world: &World| {
        let events = world.event_views.iter().map(|(event, view)| Step::query(view.by, *event));
        let streams = world.streams.iter().map(|(stream, of)| Step::query_stream(of.by, *stream));
        steps.extend(events.chain(streams).filter(|step| step.is_possible(world)));
    };
    look(&mut steps, &after);
    for (latch, by) in &world.latches {
        let awaited = Awaited::possible(&after, *latch, *by).into_iter().next();
        let step = Step { by: *by, call: Call::Release { latch: *latch, awaited } };
        step.apply(&mut after);
        steps.push(step);
    }
    look(&mut steps, &after);
    steps
}

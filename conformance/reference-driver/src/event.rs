//! Events: those of one process, and those that processes share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cuda_ipc_sys::{CUcontext, CUevent, CUevent_flags, CUipcEventHandle, CUresult, CUstream};

use crate::answer::{INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, Output, Result};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::health::Health;
use crate::memfd::Elsewhere;
use crate::process::{State, own_number, own_start_time, start_time, state};
use crate::shared_event::{Arena, OwnEvent, SharedEvent, SharedRecord};
use crate::stream::{Stream, Work};
use crate::topology::topology;

/// How often a wait for an event checks whether its context still works.
const ATTENTION: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: u64,
    health: Arc<Health>,
    has_timing: bool,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// An event of this process, with its latest record.
    Local(Option<Arc<Record>>),
    /// An event that other processes may open.
    Exportable(OwnEvent),
    /// An event of another process.
    Imported(SharedEvent),
    /// An event of another process that was already destroyed when its handle was opened. It behaves like a local
    /// event.
    Orphan(Option<Arc<Record>>),
}

/// One record of an event of this process.
#[derive(Debug, Default)]
struct Record {
    completed: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Record {
    fn completed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.completed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for(&self, at_most: Option<Duration>) -> bool {
        let completed = self.completed();
        let is_pending = |completed: &mut Option<Instant>| completed.is_none();
        match at_most {
            None => {
                let waited = self.changed.wait_while(completed, is_pending);
                waited.unwrap_or_else(PoisonError::into_inner).is_some()
            }
            Some(time) => {
                let waited = self.changed.wait_timeout_while(completed, time, is_pending);
                waited.unwrap_or_else(PoisonError::into_inner).0.is_some()
            }
        }
    }
}

/// A record whose work is not done yet. Dropping it completes the record, even if the stream ends before it reaches the
/// record.
struct Pending(Arc<Record>);

impl Drop for Pending {
    fn drop(&mut self) {
        *self.0.completed() = Some(Instant::now());
        self.0.changed.notify_all();
    }
}

/// IPCEVT-021: the record that an event had at the time of the call.
#[derive(Clone, Debug)]
enum Captured {
    Nothing,
    Local(Arc<Record>),
    Shared(SharedRecord),
}

impl Captured {
    fn is_complete(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Local(record) => record.completed().is_some(),
            Self::Shared(record) => record.is_complete(),
        }
    }

    fn wait_for(&self, at_most: Option<Duration>) -> bool {
        match self {
            Self::Nothing => true,
            Self::Local(record) => record.wait_for(at_most),
            Self::Shared(record) => record.wait_for(at_most),
        }
    }

    /// Waits for the record to complete, or for the context to stop working.
    fn wait_in(&self, health: &Health) {
        while health.works() && !self.wait_for(Some(ATTENTION)) {}
    }

    const fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// Waits until the context stops working.
fn wait_forever(health: &Health) {
    while health.works() {
        std::thread::sleep(ATTENTION);
    }
}

impl Event {
    fn capture(&self) -> Captured {
        match &self.body {
            Body::Local(record) | Body::Orphan(record) => {
                record.as_ref().map_or(Captured::Nothing, |record| Captured::Local(Arc::clone(record)))
            }
            Body::Exportable(event) => event.latest().map_or(Captured::Nothing, Captured::Shared),
            Body::Imported(event) => event.latest().map_or(Captured::Nothing, Captured::Shared),
        }
    }

    pub(crate) const fn is_imported(&self) -> bool {
        matches!(self.body, Body::Imported(_))
    }

    /// Whether other processes may open the event.
    pub(crate) const fn is_exportable(&self) -> bool {
        matches!(self.body, Body::Exportable(_))
    }
}

impl State {
    pub(crate) fn event(&self, handle: CUevent) -> Result<&Event> {
        self.events.get(&(handle as u64)).ok_or_else(|| self.missing(handle as u64))
    }

    /// The event behind a handle. Returns an error if its context no longer works.
    fn working_event(&self, handle: CUevent) -> Result<&Event> {
        let event = self.event(handle)?;
        event.health.check()?;
        Ok(event)
    }

    fn add_event(&mut self, context: u64, has_timing: bool, body: Body) -> Result<u64> {
        let health = Arc::clone(&self.context(context)?.health);
        let id = self.new_id();
        self.events.insert(id, Event { context, health, has_timing, body });
        Ok(id)
    }

    fn new_shared_event(&mut self) -> Result<OwnEvent> {
        let arena = match &self.arena {
            Some(arena) => arena,
            None => self.arena.insert(Arc::new(Arena::new()?)),
        };
        arena.create()
    }

    fn export_event(&self, handle: CUevent) -> Result<Handle> {
        let without_arena = || Handle {
            kind: Kind::Event,
            process: own_number(),
            start_time: own_start_time(),
            descriptor: 0,
            inode: 0,
            place: 0,
            size: 0,
            serial: 0,
            device: 0,
        };
        // IPCEVT-006
        if handle.is_null() {
            let is_accepted = fault!("get-event-accepts-null", ["IPCEVT-006"], "A null event can be exported.");
            return if is_accepted { Ok(without_arena()) } else { Err(INVALID_VALUE) };
        }
        let event = self.event(handle)?;
        match &event.body {
            Body::Local(_)
                if event.has_timing
                    && fault!(
                        "get-event-exports-a-local-event-with-timing",
                        ["IPCEVT-005"],
                        "A local event with timing can be exported.",
                    ) =>
            {
                return Ok(without_arena());
            }
            Body::Local(_)
                if !event.has_timing
                    && fault!(
                        "get-event-exports-a-local-event",
                        ["IPCEVT-004"],
                        "A local event without timing can be exported.",
                    ) =>
            {
                return Ok(without_arena());
            }
            Body::Local(_)
                if fault!(
                    "get-event-local-wrong-code",
                    ["IPCEVT-004"],
                    "A local event is CUDA_ERROR_INVALID_VALUE."
                ) =>
            {
                return Err(INVALID_VALUE);
            }
            Body::Imported(_)
                if fault!(
                    "get-event-exports-an-import",
                    ["IPCEVT-004"],
                    "An imported event can be exported again."
                ) =>
            {
                return Ok(without_arena());
            }
            _ => {}
        }
        // IPCEVT-004 and -005: neither a local nor an imported event can be exported.
        let Event { body: Body::Exportable(event), context, .. } = event else {
            return Err(INVALID_HANDLE);
        };
        if event.latest().is_none()
            && fault!("get-event-needs-a-record", ["IPCEVT-001"], "Only an event that was recorded can be exported.")
        {
            return Err(INVALID_HANDLE);
        }
        Ok(Handle {
            kind: Kind::Event,
            process: own_number(),
            start_time: own_start_time(),
            descriptor: event.arena.descriptor(),
            inode: event.arena.inode,
            place: event.slot,
            size: 0,
            serial: event.serial,
            device: self.context(*context)?.device_index as u32,
        })
    }

    fn open_event(&mut self, context: u64, bytes: &[u8; 64]) -> Result<Body> {
        // IPCEVT-014 to -016
        let machine = environment().machine_number();
        let Some(handle) = Handle::from_bytes(bytes, Kind::Event, machine) else {
            let is_accepted = match bytes {
                [0, ..] if bytes == &[0; 64] => {
                    fault!("open-event-accepts-zeros", ["IPCEVT-014"], "A handle of zeros opens as an event.")
                }
                [0xff, ..] if bytes == &[0xff; 64] => {
                    fault!("open-event-accepts-ones", ["IPCEVT-014"], "A handle of ones opens as an event.")
                }
                _ => {
                    Handle::from_bytes(bytes, Kind::Memory, machine).is_some()
                        && fault!("open-event-accepts-memory", ["IPCEVT-016"], "A memory handle opens as an event.")
                }
            };
            return if is_accepted { Ok(Body::Orphan(None)) } else { Err(CUresult::CUDA_ERROR_MAP_FAILED) };
        };
        // IPCEVT-012
        if handle.process == own_number() && handle.start_time == own_start_time() {
            let is_accepted = fault!(
                "open-event-in-its-own-process",
                ["IPCEVT-012"],
                "An event opens in the process that created it."
            );
            return if is_accepted { Ok(Body::Orphan(None)) } else { Err(INVALID_CONTEXT) };
        }
        // IPCEVT-030
        let device = self.context(context)?.device_index;
        if !topology().may_use(device, handle.device as usize) {
            if fault!("open-event-without-peer-access", ["IPCEVT-030"], "An event opens on a device that is no peer.") {
                return Ok(Body::Orphan(None));
            }
            let wrong_code = fault!(
                "open-event-no-peer-wrong-code",
                ["IPCEVT-030"],
                "Without peer access, opening an event returns CUDA_ERROR_INVALID_VALUE.",
            );
            return Err(if wrong_code { INVALID_VALUE } else { CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED });
        }
        if device != handle.device as usize {
            if fault!("open-event-refuses-a-peer", ["IPCEVT-030"], "An event does not open on another device.") {
                return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
            }
            if fault!("open-event-on-a-peer-is-a-copy", ["IPCEVT-030"], "An event of a peer opens as a new event.") {
                return Ok(Body::Orphan(None));
            }
        }
        if fault!("open-event-fails", ["IPCEVT-011"], "An event handle does not open.") {
            return Err(CUresult::CUDA_ERROR_MAP_FAILED);
        }
        if fault!("open-event-opens-a-copy", ["IPCEVT-018", "IPCEVT-019"], "An event opens as a new event.") {
            return Ok(Body::Orphan(None));
        }
        let is_of_exporter = |event: &Event| match &event.body {
            Body::Imported(event) => event.arena.inode == handle.inode,
            _ => false,
        };
        if self.events.values().any(is_of_exporter)
            && fault!("open-event-one-per-exporter", ["IPCEVT-011"], "Only one event of an exporter can be open.")
        {
            return Err(CUresult::CUDA_ERROR_MAP_FAILED);
        }
        // Opening a destroyed event succeeds, as on an H200, and there is nothing left to wait for.
        let event = self.imported_arena(&handle)?.and_then(|arena| arena.find(handle.place, handle.serial));
        Ok(event.map_or(Body::Orphan(None), Body::Imported))
    }

    /// The events of the process that exported a handle. IPCEVT-041: `None` if that process has ended. The open still
    /// succeeds then, as on an H200.
    fn imported_arena(&mut self, handle: &Handle) -> Result<Option<Arc<Arena>>> {
        if start_time(handle.process) != Some(handle.start_time) {
            return Ok(None);
        }
        self.imported_arenas.retain(|_, arena| arena.strong_count() > 0);
        if let Some(arena) = self.imported_arenas.get(&handle.inode).and_then(std::sync::Weak::upgrade) {
            return Ok(Some(arena));
        }
        let arena = match Arena::of_process(handle.process, handle.descriptor, handle.inode) {
            Ok(arena) => Arc::new(arena),
            Err(Elsewhere::Gone | Elsewhere::Replaced) => return Ok(None),
            Err(Elsewhere::Forbidden) => return Err(CUresult::CUDA_ERROR_MAP_FAILED),
            Err(Elsewhere::Failed(code)) => return Err(code),
        };
        self.imported_arenas.insert(handle.inode, Arc::downgrade(&arena));
        Ok(Some(arena))
    }

    /// Makes a stream wait for the work that an event has captured at the time of the call.
    pub(crate) fn wait_for_event(&self, stream: &Arc<Stream>, event: CUevent) -> Result<()> {
        let event = self.event(event)?;
        let captured = event.capture();
        if event.is_imported()
            && fault!(
                "stream-wait-import-does-nothing",
                ["IPCEVT-019", "IPCEVT-039"],
                "A stream does not wait for an imported event.",
            )
        {
            return Ok(());
        }
        if matches!(captured, Captured::Shared(_))
            && fault!(
                "stream-wait-skips-interprocess-events",
                ["POOL-PTR-013", "POOL-PTR-017"],
                "A stream does not wait for an event of another process."
            )
        {
            return Ok(());
        }
        if event.is_exportable()
            && fault!(
                "stream-wait-own-ignores-importers",
                ["IPCEVT-020"],
                "A stream of the exporter does not wait for its interprocess event.",
            )
        {
            return Ok(());
        }
        if event.is_imported()
            && fault!(
                "stream-wait-import-only-pauses",
                ["IPCEVT-019", "IPCEVT-039"],
                "A stream pauses for 3 ms instead of waiting for an imported event.",
            )
        {
            self.enqueue(stream, |_| {
                std::thread::sleep(Duration::from_millis(3));
                Ok(())
            })?;
            return Ok(());
        }
        if event.is_imported()
            && captured.is_nothing()
            && fault!(
                "stream-wait-unrecorded-never-ends",
                ["IPCEVT-017"],
                "A stream that waits for an imported event without a record never continues.",
            )
        {
            self.enqueue(stream, |health| {
                wait_forever(health);
                Ok(())
            })?;
            return Ok(());
        }
        if event.is_imported()
            && fault!(
                "stream-wait-import-blocks-the-host",
                ["IPCEVT-019"],
                "The call returns only when the imported event is complete.",
            )
        {
            captured.wait_in(&stream.health);
        }
        if let Body::Imported(event) = &event.body {
            let event = event.clone();
            let latest = move || event.latest().map_or(Captured::Nothing, Captured::Shared);
            if fault!(
                "stream-wait-reads-the-event-at-its-turn",
                ["IPCEVT-021"],
                "A wait uses the most recent record when the stream reaches the wait.",
            ) {
                self.enqueue(stream, move |health| {
                    latest().wait_in(health);
                    Ok(())
                })?;
                return Ok(());
            }
            if fault!(
                "stream-wait-follows-later-records",
                ["IPCEVT-021"],
                "A wait ends only when the records made in the meantime are complete too.",
            ) {
                self.enqueue(stream, move |health| {
                    captured.wait_in(health);
                    latest().wait_in(health);
                    Ok(())
                })?;
                return Ok(());
            }
            if fault!(
                "stream-wait-ends-with-any-record",
                ["IPCEVT-021"],
                "A wait ends when a later record is complete, although its own is pending.",
            ) {
                self.enqueue(stream, move |health| {
                    while health.works() && !captured.wait_for(Some(ATTENTION)) && !latest().is_complete() {}
                    Ok(())
                })?;
                return Ok(());
            }
        }
        self.enqueue(stream, move |health| {
            captured.wait_in(health);
            Ok(())
        })?;
        Ok(())
    }
}

/// `cuEventRecord`.
pub(crate) fn record_in(stream: &Arc<Stream>, event: CUevent) -> Result<()> {
    record(event, stream, |state, record| {
        if fault!("record-covers-every-stream", ["IPCEVT-018"], "A record waits for all streams of its context.") {
            let all = state.streams_of(stream.context);
            return stream.push(all.iter().map(Stream::now).collect(), Work::Complete(record)).map(drop);
        }
        state.enqueue_record(stream, record)
    })
}

/// Records an event. Beginning a shared record may have to wait, so it is done without the state's lock.
fn record(
    handle: CUevent,
    stream: &Arc<Stream>,
    enqueue: impl FnOnce(&State, Box<dyn Send>) -> Result<()>,
) -> Result<()> {
    let (shared, is_imported) = {
        let mut state = state()?;
        let event = state.event(handle)?;
        let is_default =
            state.context(stream.context).is_ok_and(|context| Arc::ptr_eq(&context.default_stream, stream));
        let device_of = |context| state.context(context).ok().map(|context| context.device_index);
        let on_one_device = device_of(event.context) == device_of(stream.context);
        let on_first_device = device_of(stream.context) == Some(0);
        let event = state.events.get_mut(&(handle as u64)).ok_or(INVALID_HANDLE)?;
        // IPCEVT-031: the event and the stream must belong to the same context.
        if event.context != stream.context && !accepts_another_context(event, is_default, on_one_device) {
            let wrong_code = fault!(
                "record-in-another-context-wrong-code",
                ["IPCEVT-031"],
                "A record in a stream of another context returns CUDA_ERROR_INVALID_CONTEXT.",
            );
            return Err(if wrong_code { INVALID_CONTEXT } else { INVALID_HANDLE });
        }
        if event.is_imported()
            && fault!("record-import-is-refused", ["IPCEVT-020"], "An imported event cannot be recorded.")
        {
            return Err(INVALID_HANDLE);
        }
        let is_ignored = event.is_imported()
            && fault!("record-import-is-ignored", ["IPCEVT-020"], "A record of an imported event has no effect.")
            || event.is_exportable()
                && !event.capture().is_nothing()
                && fault!("record-again-is-ignored", ["IPCEVT-018"], "Only the first record of an event counts.");
        let is_ignored = is_ignored
            || event.is_imported()
                && !on_first_device
                && fault!(
                    "record-on-a-peer-is-ignored",
                    ["IPCEVT-020"],
                    "A record on a device after the first has no effect."
                );
        if is_ignored {
            return enqueue(&state, Box::new(()));
        }
        match &mut event.body {
            Body::Local(latest) | Body::Orphan(latest) => {
                let record = Arc::new(Record::default());
                *latest = Some(Arc::clone(&record));
                return enqueue(&state, Box::new(Pending(record)));
            }
            Body::Exportable(event) => (SharedEvent::clone(event), false),
            Body::Imported(event) => (event.clone(), true),
        }
    };
    let pending = shared.begin();
    if is_imported
        && fault!(
            "record-import-completes-at-once",
            ["IPCEVT-020"],
            "The importer's record does not wait for its stream."
        )
        || !is_imported
            && fault!(
                "record-own-completes-at-once",
                ["IPCEVT-018"],
                "The exporter's record does not wait for its stream."
            )
    {
        drop(pending);
        return enqueue(&*state()?, Box::new(()));
    }
    if is_imported && fault!("record-import-never-completes", ["IPCEVT-020"], "The importer's record never completes.")
    {
        std::mem::forget(pending);
        return enqueue(&*state()?, Box::new(()));
    }
    enqueue(&*state()?, Box::new(pending))
}

/// Whether the driver has a fault that lets an event be recorded in a stream of another context.
fn accepts_another_context(event: &Event, is_default: bool, on_one_device: bool) -> bool {
    match (event.is_imported(), is_default, on_one_device) {
        (true, false, true) => fault!(
            "record-import-in-another-context",
            ["IPCEVT-031"],
            "An imported event can be recorded in a stream of another context of its device.",
        ),
        (true, true, _) => fault!(
            "record-import-in-another-default-stream",
            ["IPCEVT-031"],
            "An imported event can be recorded in the default stream of another context.",
        ),
        (true, false, false) => fault!(
            "record-import-on-another-device",
            ["IPCEVT-031"],
            "An imported event can be recorded in a stream of another device.",
        ),
        (false, ..) => {
            event.is_exportable()
                && fault!(
                    "record-own-in-another-context",
                    ["IPCEVT-031"],
                    "An interprocess event can be recorded by its creator in a stream of another context.",
                )
        }
    }
}

entry_points! {
    fn cuEventCreate(output: Output<CUevent>, flags: u32) {
        type F = CUevent_flags;
        let mut state = state()?;
        let context = state.current()?;
        output.wanted()?;
        let known = F::CU_EVENT_BLOCKING_SYNC.0 | F::CU_EVENT_DISABLE_TIMING.0 | F::CU_EVENT_INTERPROCESS.0;
        let is_interprocess = flags & F::CU_EVENT_INTERPROCESS.0 != 0;
        let has_timing = flags & F::CU_EVENT_DISABLE_TIMING.0 == 0;
        let blocks = flags & F::CU_EVENT_BLOCKING_SYNC.0 != 0;
        if is_interprocess && !has_timing {
            if !blocks && fault!("create-event-refuses-interprocess", ["IPCEVT-001"], "The flags 6 are refused.") {
                return Err(INVALID_VALUE);
            }
            if blocks && fault!("create-event-refuses-blocking-sync", ["IPCEVT-003"], "The flags 7 are refused.") {
                return Err(INVALID_VALUE);
            }
        }
        let is_accepted = is_interprocess
            && has_timing
            && if blocks {
                fault!("create-event-accepts-timing-with-blocking-sync", ["IPCEVT-002"], "The flags 5 are accepted.")
            } else {
                fault!("create-event-accepts-timing", ["IPCEVT-002"], "The flags 4 are accepted.")
            };
        // IPCEVT-002
        if flags & !known != 0 || is_interprocess && has_timing && !is_accepted {
            let wrong_code = is_interprocess
                && fault!("create-event-timing-wrong-code", ["IPCEVT-002"], "The flags 4 are CUDA_ERROR_NOT_SUPPORTED.");
            return Err(if wrong_code { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let body = if is_interprocess { Body::Exportable(state.new_shared_event()?) } else { Body::Local(None) };
        output.give(state.add_event(context, has_timing, body)? as CUevent)
    }

    // The call does not wait, and pending records still complete. IPCEVT-024: when an importer destroys its event, the
    // exporter's event stays.
    fn cuEventDestroy_v2(event: CUevent) {
        let mut state = state()?;
        if let Body::Imported(event) = &state.working_event(event)?.body {
            if fault!("destroy-import-is-refused", ["IPCEVT-024"], "An imported event cannot be destroyed.") {
                return Err(INVALID_HANDLE);
            }
            if fault!(
                "destroy-import-destroys-the-event",
                ["IPCEVT-024"],
                "The importer's destroy also destroys the exporter's event.",
            ) {
                event.end();
            }
            if fault!(
                "destroy-import-destroys-its-twin",
                ["IPCEVT-013"],
                "The importer's destroy also destroys its other opens of the event.",
            ) {
                let (inode, slot) = (event.arena.inode, event.slot);
                state.events.retain(|_, other| match &other.body {
                    Body::Imported(other) => other.arena.inode != inode || other.slot != slot,
                    _ => true,
                });
                return Ok(());
            }
            if fault!(
                "destroy-import-completes-the-records",
                ["IPCEVT-024"],
                "The importer's destroy completes the exporter's pending records.",
            ) {
                event.complete();
            }
        }
        state.events.remove(&(event as u64));
        Ok(())
    }

    fn cuEventRecord(event: CUevent, stream: CUstream) {
        let stream = state()?.stream(stream)?;
        record_in(&stream, event)
    }

    fn cuCtxRecordEvent(context: CUcontext, event: CUevent) {
        // A temporary stream, whose only work comes after that of all other streams.
        let (stream, streams) = {
            let state = state()?;
            let health = &state.context(context as u64)?.health;
            health.check()?;
            (Stream::new(context as u64, false, health), state.streams_of(context as u64))
        };
        record(event, &stream, |_, record| {
            stream.push(streams.iter().map(Stream::now).collect(), Work::Complete(record))?;
            stream.close();
            Ok(())
        })
    }

    fn cuEventQuery(event: CUevent) {
        let state = state()?;
        let event = state.working_event(event)?;
        let captured = event.capture();
        let is_complete = match event.is_imported() {
            true if captured.is_nothing() => {
                !fault!("query-unrecorded-import-is-pending", ["IPCEVT-017"], "An imported event without a record is pending.")
            }
            true if fault!("query-import-is-never-pending", ["IPCEVT-018"], "A query of an imported event succeeds.") => true,
            true if fault!("query-import-is-always-pending", ["IPCEVT-018"], "An imported event never completes.") => false,
            _ => captured.is_complete(),
        };
        if is_complete { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_READY) }
    }

    fn cuEventSynchronize(event: CUevent) {
        let (captured, health, is_imported) = {
            let state = state()?;
            let event = state.working_event(event)?;
            if event.is_imported()
                && fault!("synchronize-import-returns-at-once", ["IPCEVT-039"], "A host wait of the importer does not wait.")
                || event.is_exportable()
                    && fault!("synchronize-own-returns-at-once", ["IPCEVT-020"], "A host wait of the exporter does not wait.")
            {
                return Ok(());
            }
            (event.capture(), Arc::clone(&event.health), event.is_imported())
        };
        if is_imported
            && captured.is_nothing()
            && fault!(
                "synchronize-unrecorded-import-waits",
                ["IPCEVT-017"],
                "A host wait for an imported event without a record never ends.",
            )
        {
            wait_forever(&health);
        }
        captured.wait_in(&health);
        health.check()
    }

    fn cuEventElapsedTime(milliseconds: Output<f32>, start: CUevent, end: CUevent) {
        let state = state()?;
        milliseconds.wanted()?;
        let is_imported = |event| state.working_event(event).map(Event::is_imported);
        let has_fault = match (is_imported(start)?, is_imported(end)?) {
            (true, false) => {
                fault!("elapsed-time-from-an-import", ["IPCEVT-023"], "An imported event can be the start of a time.")
            }
            (false, true) => fault!("elapsed-time-to-an-import", ["IPCEVT-023"], "An imported event can be the end of a time."),
            (true, true) => fault!("elapsed-time-between-imports", ["IPCEVT-023"], "Two imported events have a time."),
            (false, false) => false,
        };
        if has_fault {
            return milliseconds.give(0.0);
        }
        if (is_imported(start)? || is_imported(end)?)
            && fault!("elapsed-time-import-wrong-code", ["IPCEVT-023"], "An imported event is CUDA_ERROR_NOT_READY.")
        {
            return Err(CUresult::CUDA_ERROR_NOT_READY);
        }
        // IPCEVT-023: an interprocess event has no timing.
        let record = |event: CUevent| match state.working_event(event)? {
            Event { has_timing: true, body: Body::Local(Some(record)), .. } => Ok(record),
            _ => Err(INVALID_HANDLE),
        };
        let (start, end) = (record(start)?, record(end)?);
        let time = |record: &Record| record.completed().ok_or(CUresult::CUDA_ERROR_NOT_READY);
        let (start, end) = (time(start)?, time(end)?);
        let forward = end.saturating_duration_since(start).as_secs_f32();
        let backward = start.saturating_duration_since(end).as_secs_f32();
        milliseconds.give((forward - backward) * 1e3)
    }

    fn cuStreamWaitEvent(handle: CUstream, event: CUevent, flags: u32) {
        let mut state = state()?;
        let stream = state.stream(handle)?;
        // CU_EVENT_WAIT_EXTERNAL, the other flag, is only for captures.
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        if handle.is_null()
            && state.event(event)?.is_imported()
            && fault!(
                "stream-wait-in-the-default-stream-does-nothing",
                ["IPCEVT-019"],
                "The default stream does not wait for an imported event.",
            )
        {
            return Ok(());
        }
        state.wait_for_event(&stream, event)
    }

    fn cuIpcGetEventHandle(output: Output<CUipcEventHandle>, event: CUevent) {
        let state = state()?;
        // IPCEVT-009: the code is not in the documented list, but real drivers return it.
        state.current()?;
        // IPCEVT-007
        output.wanted()?;
        if fault!(
            "get-event-is-not-supported",
            ["IPCEVT-001", "IPCEVT-038"],
            "Events cannot be exported, although the device attribute says so.",
        ) {
            return Err(NOT_SUPPORTED);
        }
        let bytes = state.export_event(event)?.to_bytes(environment().machine_number());
        if fault!("get-event-writes-no-handle", ["IPCEVT-001"], "The call succeeds without writing the handle.") {
            return Ok(());
        }
        output.give(CUipcEventHandle::from_bytes(bytes))
    }

    fn cuIpcOpenEventHandle(output: Output<CUevent>, handle: CUipcEventHandle) {
        let mut state = state()?;
        let context = state.current()?;
        output.wanted()?;
        let body = state.open_event(context, &handle.to_bytes())?;
        let primary = state.devices.iter().find_map(|device| device.primary_context).filter(|_| {
            fault!(
                "open-event-in-the-primary-context",
                ["IPCEVT-031"],
                "An opened event belongs to the primary context, whatever context is current.",
            )
        });
        let context = primary.filter(|primary| state.contexts.contains_key(primary)).unwrap_or(context);
        if fault!("open-event-writes-no-event", ["IPCEVT-011"], "The call succeeds without writing the event.") {
            return Ok(());
        }
        // IPCEVT-013: every open creates a separate event.
        output.give(state.add_event(context, false, body)? as CUevent)
    }
}

//! Events: those of one process, and those that processes share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cuda_ipc_sys::{CUcontext, CUevent, CUevent_flags, CUipcEventHandle, CUresult, CUstream};

use crate::answer::{INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, Output, Result};
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
        // IPCEVT-006
        if handle.is_null() {
            return Err(INVALID_VALUE);
        }
        // IPCEVT-004 and -005: neither a local nor an imported event can be exported.
        let Event { body: Body::Exportable(event), context, .. } = self.event(handle)? else {
            return Err(INVALID_HANDLE);
        };
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
        let handle = Handle::from_bytes(bytes, Kind::Event, machine).ok_or(CUresult::CUDA_ERROR_MAP_FAILED)?;
        // IPCEVT-012
        if handle.process == own_number() && handle.start_time == own_start_time() {
            return Err(INVALID_CONTEXT);
        }
        // IPCEVT-030
        if !topology().may_use(self.context(context)?.device_index, handle.device as usize) {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
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
        let captured = self.event(event)?.capture();
        if matches!(captured, Captured::Shared(_))
            && fault!(
                "stream-wait-skips-interprocess-events",
                ["POOL-PTR-013", "POOL-PTR-017"],
                "A stream does not wait for an event of another process."
            )
        {
            return Ok(());
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
    record(event, stream, |state, record| state.enqueue_record(stream, record))
}

/// Records an event. Beginning a shared record may have to wait, so it is done without the state's lock.
fn record(
    handle: CUevent,
    stream: &Arc<Stream>,
    enqueue: impl FnOnce(&State, Box<dyn Send>) -> Result<()>,
) -> Result<()> {
    let shared = {
        let mut state = state()?;
        state.event(handle)?;
        let event = state.events.get_mut(&(handle as u64)).ok_or(INVALID_HANDLE)?;
        // IPCEVT-031: the event and the stream must belong to the same context.
        if event.context != stream.context {
            return Err(INVALID_HANDLE);
        }
        match &mut event.body {
            Body::Local(latest) | Body::Orphan(latest) => {
                let record = Arc::new(Record::default());
                *latest = Some(Arc::clone(&record));
                return enqueue(&state, Box::new(Pending(record)));
            }
            Body::Exportable(event) => SharedEvent::clone(event),
            Body::Imported(event) => event.clone(),
        }
    };
    let pending = shared.begin();
    enqueue(&*state()?, Box::new(pending))
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
        // IPCEVT-002
        if flags & !known != 0 || is_interprocess && has_timing {
            return Err(INVALID_VALUE);
        }
        let body = if is_interprocess { Body::Exportable(state.new_shared_event()?) } else { Body::Local(None) };
        output.give(state.add_event(context, has_timing, body)? as CUevent)
    }

    // The call does not wait, and pending records still complete. IPCEVT-024: when an importer destroys its event, the
    // exporter's event stays.
    fn cuEventDestroy_v2(event: CUevent) {
        let mut state = state()?;
        state.working_event(event)?;
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
        if event.capture().is_complete() { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_READY) }
    }

    fn cuEventSynchronize(event: CUevent) {
        let (captured, health) = {
            let state = state()?;
            let event = state.working_event(event)?;
            (event.capture(), Arc::clone(&event.health))
        };
        captured.wait_in(&health);
        health.check()
    }

    fn cuEventElapsedTime(milliseconds: Output<f32>, start: CUevent, end: CUevent) {
        let state = state()?;
        milliseconds.wanted()?;
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

    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: u32) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        // CU_EVENT_WAIT_EXTERNAL, the other flag, is only for captures.
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        state.wait_for_event(&stream, event)
    }

    fn cuIpcGetEventHandle(output: Output<CUipcEventHandle>, event: CUevent) {
        let state = state()?;
        // IPCEVT-009: the code is not in the documented list, but real drivers return it.
        state.current()?;
        // IPCEVT-007
        output.wanted()?;
        let bytes = state.export_event(event)?.to_bytes(environment().machine_number());
        output.give(CUipcEventHandle::from_bytes(bytes))
    }

    fn cuIpcOpenEventHandle(output: Output<CUevent>, handle: CUipcEventHandle) {
        let mut state = state()?;
        let context = state.current()?;
        output.wanted()?;
        let body = state.open_event(context, &handle.to_bytes())?;
        // IPCEVT-013: every open creates a separate event.
        output.give(state.add_event(context, false, body)? as CUevent)
    }
}

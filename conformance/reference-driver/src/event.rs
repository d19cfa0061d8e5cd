//! Events, of one process and of several.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use cuda_ipc_sys::{CUcontext, CUevent, CUevent_flags, CUipcEventHandle, CUresult, CUstream};

use crate::answer::{INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, Result, give, wanted};
use crate::handle::{EventName, Exporter};
use crate::process::{State, state};
use crate::shared_event::{Arena, SharedEvent};

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: u64,
    flags: CUevent_flags,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// The latest record; none before any.
    Local(Option<Arc<Record>>),
    /// Made here for other processes.
    Exported(SharedEvent),
    /// Opened here.
    Imported(SharedEvent),
}

/// One record of a local event.
#[derive(Debug, Default)]
pub(crate) struct Record {
    completed: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Record {
    fn complete(&self) {
        *self.completed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.changed.notify_all();
    }

    fn completed(&self) -> Option<Instant> {
        *self.completed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        let mut completed = self.completed.lock().unwrap_or_else(PoisonError::into_inner);
        while completed.is_none() {
            completed = self.changed.wait(completed).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The record that an event stood for when it was asked.
#[derive(Clone)]
enum Captured {
    Nothing,
    Local(Arc<Record>),
    Shared(SharedEvent, u64),
}

impl Captured {
    fn is_complete(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Local(record) => record.completed().is_some(),
            Self::Shared(event, record) => event.is_complete(*record),
        }
    }

    fn wait(&self) {
        match self {
            Self::Nothing => {}
            Self::Local(record) => record.wait(),
            Self::Shared(event, record) => event.wait(*record),
        }
    }
}

impl Event {
    pub(crate) const fn is_interprocess(&self) -> bool {
        matches!(self.body, Body::Exported(_) | Body::Imported(_))
    }

    /// IPCEVT-021: the latest record at this moment; later ones do not matter.
    fn capture(&self) -> Captured {
        match &self.body {
            Body::Local(None) => Captured::Nothing,
            Body::Local(Some(record)) => Captured::Local(Arc::clone(record)),
            Body::Exported(event) | Body::Imported(event) => Captured::Shared(event.clone(), event.latest()),
        }
    }
}

impl State {
    pub(crate) fn event(&self, handle: CUevent) -> Result<&Event> {
        self.events.get(&(handle as u64)).ok_or(INVALID_HANDLE)
    }

    fn record(&mut self, handle: CUevent, stream: CUstream) -> Result<()> {
        let stream = self.stream(stream)?;
        let event = self.event(handle)?;
        // IPCEVT-031: event and stream are of one context.
        if event.context != stream.context {
            return Err(INVALID_HANDLE);
        }
        match &event.body {
            Body::Local(_) => {
                let record = Arc::new(Record::default());
                let completed = Arc::clone(&record);
                self.enqueue(&stream, move || {
                    completed.complete();
                    Ok(())
                })?;
                if let Some(event) = self.events.get_mut(&(handle as u64)) {
                    event.body = Body::Local(Some(record));
                }
            }
            Body::Exported(shared) | Body::Imported(shared) => {
                let shared = shared.clone();
                let record = shared.issue();
                self.enqueue(&stream, move || {
                    shared.complete(record);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn export_event(&self, handle: CUevent) -> Result<CUipcEventHandle> {
        if handle.is_null() {
            return Err(INVALID_VALUE);
        }
        // IPCEVT-004, IPCEVT-005: neither a local event nor one that came from elsewhere.
        let Body::Exported(event) = &self.event(handle)?.body else { return Err(INVALID_HANDLE) };
        let name = EventName {
            exporter: Exporter::this_process(),
            descriptor: event.arena.descriptor(),
            inode: event.arena.inode,
            slot: event.slot as u64,
            serial: event.arena.serial(event.slot),
        };
        Ok(CUipcEventHandle::from_bytes(name.to_bytes()))
    }

    fn open_event(&mut self, context: u64, handle: &CUipcEventHandle) -> Result<u64> {
        // IPCEVT-014, IPCEVT-015
        let name = EventName::from_bytes(handle.to_bytes()).ok_or(CUresult::CUDA_ERROR_MAP_FAILED)?;
        // IPCEVT-012
        if name.exporter == Exporter::this_process() {
            return Err(INVALID_CONTEXT);
        }
        let body = match self.arena_of(&name)? {
            Some(arena) if arena.serial(name.slot as usize) == name.serial => {
                Body::Imported(SharedEvent { arena, slot: name.slot as usize })
            }
            // IPCEVT-041: what is gone has nothing left to wait for, and the H200 opens it.
            _ => Body::Local(None),
        };
        let id = self.new_id();
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING | CUevent_flags::CU_EVENT_INTERPROCESS;
        self.events.insert(id, Event { context, flags, body });
        Ok(id)
    }

    fn arena_of(&mut self, name: &EventName) -> Result<Option<Arc<Arena>>> {
        let key = (name.exporter.process, name.exporter.started);
        self.imported_arenas.retain(|_, arena| arena.strong_count() > 0);
        if let Some(arena) = self.imported_arenas.get(&key).and_then(std::sync::Weak::upgrade) {
            return Ok(Some(arena));
        }
        if !name.exporter.is_alive() {
            return Ok(None);
        }
        let arena = Arena::of_process(name.exporter.process, name.descriptor, name.inode)?.map(Arc::new);
        if let Some(arena) = &arena {
            self.imported_arenas.insert(key, Arc::downgrade(arena));
        }
        Ok(arena)
    }

    fn new_shared(&mut self) -> Result<SharedEvent> {
        let arena = match &self.arena {
            Some(arena) => Arc::clone(arena),
            None => Arc::clone(self.arena.insert(Arc::new(Arena::new()?))),
        };
        let serial = self.new_id();
        let slot = arena.take_slot(serial)?;
        Ok(SharedEvent { arena, slot })
    }
}

entry_points! {
    fn cuEventCreate(output: *mut CUevent, flags: u32) {
        wanted(output)?;
        let flags = CUevent_flags(flags);
        let known = CUevent_flags::CU_EVENT_BLOCKING_SYNC
            | CUevent_flags::CU_EVENT_DISABLE_TIMING
            | CUevent_flags::CU_EVENT_INTERPROCESS;
        let interprocess = flags.0 & CUevent_flags::CU_EVENT_INTERPROCESS.0 != 0;
        let timed = flags.0 & CUevent_flags::CU_EVENT_DISABLE_TIMING.0 == 0;
        // IPCEVT-002
        if flags.0 & !known.0 != 0 || interprocess && timed {
            return Err(INVALID_VALUE);
        }
        let mut state = state()?;
        let context = state.current()?;
        let body = if interprocess { Body::Exported(state.new_shared()?) } else { Body::Local(None) };
        let id = state.new_id();
        state.events.insert(id, Event { context, flags, body });
        give(output, id as CUevent)
    }

    fn cuEventDestroy_v2(event: CUevent) {
        let mut state = state()?;
        let event = state.events.remove(&(event as u64)).ok_or(INVALID_HANDLE)?;
        // IPCEVT-024: an importer's destroy leaves the exporter's event alone.
        if let Body::Exported(event) = event.body {
            event.arena.give_slot_back(event.slot);
        }
        Ok(())
    }

    fn cuEventRecord(event: CUevent, stream: CUstream) {
        state()?.record(event, stream)
    }

    fn cuEventQuery(event: CUevent) {
        let captured = state()?.event(event)?.capture();
        if captured.is_complete() { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_READY) }
    }

    fn cuEventSynchronize(event: CUevent) {
        let captured = state()?.event(event)?.capture();
        captured.wait();
        Ok(())
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) {
        let state = state()?;
        wanted(milliseconds)?;
        let moment = |event: CUevent| {
            let event = state.event(event)?;
            // IPCEVT-023
            if event.flags.0 & CUevent_flags::CU_EVENT_DISABLE_TIMING.0 != 0 {
                return Err(INVALID_HANDLE);
            }
            let Body::Local(Some(record)) = &event.body else { return Err(INVALID_HANDLE) };
            record.completed().ok_or(CUresult::CUDA_ERROR_NOT_READY)
        };
        let (start, end) = (moment(start)?, moment(end)?);
        let seconds = match end.checked_duration_since(start) {
            Some(forward) => forward.as_secs_f32(),
            None => -start.duration_since(end).as_secs_f32(),
        };
        give(milliseconds, seconds * 1e3)
    }

    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: u32) {
        if flags > 1 {
            return Err(INVALID_VALUE);
        }
        let mut state = state()?;
        let stream = state.stream(stream)?;
        let captured = state.event(event)?.capture();
        state.enqueue(&stream, move || {
            captured.wait();
            Ok(())
        })?;
        Ok(())
    }

    fn cuCtxRecordEvent(context: CUcontext, event: CUevent) {
        let id = context as u64;
        let mut state = state()?;
        state.context(id)?;
        if state.event(event)?.context != id {
            return Err(INVALID_HANDLE);
        }
        // The default stream comes after everything that blocks with it; the others are added one by one.
        let others: Vec<_> = state.streams.values().filter(|stream| stream.context == id).cloned().collect();
        let stream = state.stream(std::ptr::null_mut())?;
        for other in others {
            let done = state.enqueue(&other, || Ok(()))?;
            state.enqueue(&stream, move || {
                done.wait();
                Ok(())
            })?;
        }
        state.record(event, std::ptr::null_mut())
    }

    fn cuIpcGetEventHandle(output: *mut CUipcEventHandle, event: CUevent) {
        let state = state()?;
        // IPCEVT-009: not in the documented list, and answered by real drivers.
        state.current()?;
        wanted(output)?;
        give(output, state.export_event(event)?)
    }

    fn cuIpcOpenEventHandle(output: *mut CUevent, handle: CUipcEventHandle) {
        let mut state = state()?;
        let context = state.current()?;
        wanted(output)?;
        let id = state.open_event(context, &handle)?;
        give(output, id as CUevent)
    }
}

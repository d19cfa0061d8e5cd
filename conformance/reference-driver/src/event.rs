//! Events: those of one process, and those that processes share.

mod captured;
mod export;
mod open;
mod record;
mod wait;

use std::sync::Arc;

use cuda_ipc_sys::{CUevent, CUevent_flags, CUresult};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, Output, Result};
use crate::capture::Captured as InCapture;
use crate::health::Health;
use crate::order::is_spoiled;
use crate::process::{State, state};
use crate::seen::{FirstThread, Seen};
use crate::shared_event::{Arena, OwnEvent, SharedEvent, SharedRecord};

use captured::{Captured, Record};
pub(crate) use export::cuIpcGetEventHandle;
pub(crate) use open::cuIpcOpenEventHandle;
pub(crate) use record::{cuEventRecord, record_in};
pub(crate) use wait::{cuEventSynchronize, cuStreamWaitEvent};

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: u64,
    health: Arc<Health>,
    has_timing: bool,
    body: Body,
    /// Set if the latest record was captured.
    pub(crate) captured: Option<InCapture>,
    /// This process's latest record of an imported or exportable event, for a fault.
    own_record: Option<SharedRecord>,
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

    /// Whether there is a record that a wait would wait for.
    pub(crate) fn is_recorded(&self) -> bool {
        !self.capture().is_nothing()
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
        self.events.insert(id, Event { context, health, has_timing, body, captured: None, own_record: None });
        Ok(id)
    }

    fn new_shared_event(&mut self) -> Result<OwnEvent> {
        let arena = match &self.arena {
            Some(arena) => arena,
            None => self.arena.insert(Arc::new(Arena::new()?)),
        };
        arena.create()
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
        let is_exportable = is_interprocess
            && !(blocks && fault!("create-event-with-blocking-sync-is-local", ["IPCEVT-003"], "An event with the flags 7 cannot be exported."));
        let body = if is_exportable { Body::Exportable(state.new_shared_event()?) } else { Body::Local(None) };
        output.give(state.add_event(context, has_timing, body)? as CUevent)
    }

    // The call does not wait, and pending records still complete. IPCEVT-024: when an importer destroys its event, the
    // exporter's event stays.
    fn cuEventDestroy_v2(event: CUevent) {
        let mut state = state()?;
        if is_spoiled(event as u64) {
            return Err(INVALID_HANDLE);
        }
        if !state.working_event(event)?.is_imported() {
            state.spoil_after_destroy();
        }
        let Event { body, own_record, .. } = state.working_event(event)?;
        if let Body::Imported(event) = body {
            if let Some(record) = own_record.as_ref().filter(|record| !record.is_complete()) {
                if fault!(
                    "destroy-import-completes-its-own-record",
                    ["IPCEVT-020", "IPCEVT-024"],
                    "The importer's destroy completes the importer's pending record.",
                ) {
                    record.complete();
                }
                if fault!(
                    "destroy-import-loses-its-own-record",
                    ["IPCEVT-020", "IPCEVT-024"],
                    "If an importer destroys its event, the importer's pending record never completes.",
                ) {
                    // A record that nobody completes takes the place of the pending one.
                    std::mem::forget(event.begin());
                }
            }
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
        let is_pending = own_record.as_ref().is_some_and(|record| !record.is_complete());
        if is_pending
            && fault!(
                "destroy-import-completes-other-records",
                ["IPCEVT-020", "IPCEVT-024"],
                "If an importer destroys an event with a pending record, its other imported events complete too."
            )
        {
            for other in state.events.values().filter(|event| event.is_imported()) {
                other.own_record.iter().for_each(|record| record.complete());
            }
        }
        state.events.remove(&(event as u64));
        Ok(())
    }

    fn cuEventQuery(handle: CUevent) {
        static REMEMBERED: Seen = Seen::new();
        static FIRST: FirstThread = FirstThread::new();
        let is_elsewhere = FIRST.is_another();
        let mut state = state()?;
        state.check_event_outside(handle)?;
        state.check_forbidden()?;
        let event = state.working_event(handle)?;
        let captured = event.capture();
        let is_complete = match event.is_imported() {
            true if captured.is_nothing() => {
                !fault!("query-unrecorded-import-is-pending", ["IPCEVT-017"], "An imported event without a record is pending.")
            }
            true if fault!("query-import-is-never-pending", ["IPCEVT-018"], "A query of an imported event succeeds.") => true,
            true if fault!("query-import-remembers-success", ["IPCEVT-018"], "A query that succeeded once always does.") => {
                REMEMBERED.has(handle as u64) || captured.is_complete() && !REMEMBERED.again(handle as u64)
            }
            true if is_elsewhere
                && fault!("query-import-from-another-thread-succeeds", ["IPCEVT-018"], "Only the thread that queries first learns that work is pending.") => true,
            true if fault!("query-import-is-always-pending", ["IPCEVT-018"], "An imported event never completes.") => false,
            _ if event.is_exportable()
                && event.own_record.as_ref().is_none_or(SharedRecord::is_complete)
                && fault!("query-own-ignores-importers", ["IPCEVT-020"], "The exporter's query knows only its own records.") => true,
            _ => captured.is_complete(),
        };
        if is_complete { Ok(()) } else { Err(CUresult::CUDA_ERROR_NOT_READY) }
    }

    fn cuEventElapsedTime(milliseconds: Output<f32>, start: CUevent, end: CUevent) {
        elapsed_time(milliseconds, start, end)
    }

    // Version 2 has the same signature.
    fn cuEventElapsedTime_v2(milliseconds: Output<f32>, start: CUevent, end: CUevent) {
        elapsed_time(milliseconds, start, end)
    }
}

fn elapsed_time(milliseconds: Output<f32>, start: CUevent, end: CUevent) -> Result<()> {
    let state = state()?;
    milliseconds.wanted()?;
    let is_imported = |event| state.working_event(event).map(Event::is_imported);
    let has_fault = match (is_imported(start)?, is_imported(end)?) {
        (true, false) => {
            fault!("elapsed-time-from-an-import", ["IPCEVT-023"], "An imported event can be the start of a time.")
        }
        (false, true) => {
            fault!("elapsed-time-to-an-import", ["IPCEVT-023"], "An imported event can be the end of a time.")
        }
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

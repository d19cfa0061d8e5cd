//! `cuEventRecord`, in one stream or, as `cuCtxRecordEvent`, in all streams of a context.

use std::sync::Arc;

use cuda_ipc_sys::{CUcontext, CUevent, CUstream};

use super::captured::{Captured, Pending, Record};
use super::{Body, Event};
use crate::answer::{INVALID_CONTEXT, INVALID_HANDLE, Result};
use crate::process::{State, state};
use crate::seen::FirstThread;
use crate::shared_event::{PendingRecord, SharedEvent};
use crate::stream::{Stream, Work};

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
    static FIRST: FirstThread = FirstThread::new();
    let is_elsewhere = FIRST.is_another();
    let (shared, is_imported, is_in_default_stream) = {
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
                && fault!("record-again-is-ignored", ["IPCEVT-018"], "Only the first record of an event counts.")
            || event.own_record.is_some()
                && fault!(
                    "record-import-again-is-ignored",
                    ["IPCEVT-020"],
                    "Only the importer's first record of an event counts."
                );
        let is_ignored = is_ignored
            || event.is_imported()
                && !on_first_device
                && fault!(
                    "record-on-a-peer-is-ignored",
                    ["IPCEVT-020"],
                    "A record on a device after the first has no effect."
                );
        let is_ignored = is_ignored
            || is_elsewhere
                && (event.is_imported() || event.is_exportable())
                && fault!(
                    "record-from-another-thread-is-ignored",
                    ["IPCEVT-018", "IPCEVT-020"],
                    "Only records of the thread that records first have an effect."
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
            Body::Exportable(event) => (SharedEvent::clone(event), false, is_default),
            Body::Imported(event) => (event.clone(), true, is_default),
        }
    };
    let pending = shared.begin();
    if is_in_default_stream
        && fault!(
            "record-in-the-default-stream-completes-at-once",
            ["IPCEVT-018"],
            "A record in the default stream does not wait for its work."
        )
        || !is_in_default_stream
            && !is_imported
            && fault!(
                "record-in-another-stream-completes-at-once",
                ["IPCEVT-018"],
                "The exporter's record waits only for work of the default stream."
            )
        || is_imported
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
    let mut state = state()?;
    if let Some(event) =
        state.events.get_mut(&(handle as u64)).filter(|event| event.is_imported() || event.is_exportable())
    {
        let earlier = std::mem::replace(&mut event.own_record, pending.as_ref().map(PendingRecord::record));
        if let Some(earlier) = earlier
            && fault!(
                "record-waits-for-an-earlier-one",
                ["IPCEVT-043"],
                "A record waits, in its stream, for the pending record of the event in another stream, as on an H100.",
            )
        {
            state.enqueue_wait(stream, move |health| Captured::Shared(earlier).wait_in(health))?;
        }
    }
    enqueue(&state, Box::new(pending))
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
    fn cuEventRecord(event: CUevent, stream: CUstream) {
        let mut state = state()?;
        let stream = state.stream(stream)?;
        if state.record_in_capture(&stream, event)? {
            return Ok(());
        }
        drop(state);
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
}

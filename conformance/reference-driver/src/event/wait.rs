//! Waits for events: by a stream, and by the host.

use std::sync::Arc;
use std::time::Duration;

use cuda_ipc_sys::{CUevent, CUstream};

use super::Body;
use super::captured::{ATTENTION, Captured, wait_forever};
use crate::answer::{INVALID_HANDLE, INVALID_VALUE, Result};
use crate::health::Health;
use crate::process::{State, state};
use crate::seen::{FirstThread, Seen};
use crate::shared_event::SharedEvent;
use crate::stream::Stream;

impl State {
    /// Makes a stream wait for the work that an event has captured at the time of the call.
    pub(crate) fn wait_for_event(&self, stream: &Arc<Stream>, handle: CUevent) -> Result<()> {
        let event = self.event(handle)?;
        let captured = event.capture();
        let device_of = |context: &u64| self.contexts.get(context).map(|context| context.device_index);
        if device_of(&event.context) != device_of(&stream.context)
            && fault!(
                "stream-wait-refuses-events-of-other-devices",
                ["IPCEVT-042"],
                "A stream cannot wait for an event of another device."
            )
        {
            return Err(INVALID_HANDLE);
        }
        if event.context != stream.context
            && fault!(
                "stream-wait-ignores-events-of-other-contexts",
                ["IPCEVT-042"],
                "A stream does not wait for an event of another context."
            )
        {
            return Ok(());
        }
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
        static FIRST: FirstThread = FirstThread::new();
        if event.is_imported()
            && FIRST.is_another()
            && fault!(
                "stream-wait-import-from-another-thread-does-nothing",
                ["IPCEVT-019"],
                "Only the thread that enqueues a wait for an imported event first makes streams wait."
            )
        {
            return Ok(());
        }
        static WAITED: Seen = Seen::new();
        if event.is_imported()
            && fault!(
                "stream-wait-import-waits-once",
                ["IPCEVT-019"],
                "Only the first wait for an imported event waits."
            )
            && WAITED.again(handle as u64)
        {
            return Ok(());
        }
        if event.context != stream.context
            && (event.is_imported()
                && fault!(
                    "stream-wait-ignores-imports-of-other-contexts",
                    ["IPCEVT-042"],
                    "A stream does not wait for an event that another context has imported."
                )
                || event.is_exportable()
                    && fault!(
                        "stream-wait-ignores-own-events-of-other-contexts",
                        ["IPCEVT-042"],
                        "A stream does not wait for an interprocess event that another context has created."
                    ))
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
            return self.enqueue_wait(stream, |_| std::thread::sleep(Duration::from_millis(3)));
        }
        if event.is_imported()
            && captured.is_nothing()
            && fault!(
                "stream-wait-unrecorded-never-ends",
                ["IPCEVT-017"],
                "A stream that waits for an imported event without a record never continues.",
            )
        {
            return self.enqueue_wait(stream, wait_forever);
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
        if let Body::Exportable(event) = &event.body
            && fault!(
                "stream-wait-own-follows-later-records",
                ["IPCEVT-021"],
                "The exporter's wait ends only when the records made in the meantime are complete too.",
            )
        {
            let event = SharedEvent::clone(event);
            let latest = move || event.latest().map_or(Captured::Nothing, Captured::Shared);
            return self.enqueue_wait(stream, move |health| {
                captured.wait_in(health);
                latest().wait_in(health);
            });
        }
        if let Body::Imported(event) = &event.body {
            let event = event.clone();
            let latest = move || event.latest().map_or(Captured::Nothing, Captured::Shared);
            if fault!(
                "stream-wait-reads-the-event-at-its-turn",
                ["IPCEVT-021"],
                "A wait uses the most recent record when the stream reaches the wait.",
            ) {
                return self.enqueue_wait(stream, move |health| latest().wait_in(health));
            }
            if fault!(
                "stream-wait-follows-later-records",
                ["IPCEVT-021"],
                "A wait ends only when the records made in the meantime are complete too.",
            ) {
                return self.enqueue_wait(stream, move |health| {
                    captured.wait_in(health);
                    latest().wait_in(health);
                });
            }
            if fault!(
                "stream-wait-ends-with-any-record",
                ["IPCEVT-021"],
                "A wait ends when a later record is complete, although its own is pending.",
            ) {
                return self.enqueue_wait(stream, move |health| {
                    while health.works() && !captured.wait_for(Some(ATTENTION)) && !latest().is_complete() {}
                });
            }
        }
        self.enqueue_wait(stream, move |health| captured.wait_in(health))
    }

    /// Makes a stream perform a wait at its turn.
    pub(super) fn enqueue_wait(&self, stream: &Arc<Stream>, wait: impl FnOnce(&Health) + Send + 'static) -> Result<()> {
        let task = |health: &Health| {
            wait(health);
            Ok(())
        };
        self.enqueue(stream, task).map(drop)
    }
}

entry_points! {
    fn cuEventSynchronize(handle: CUevent) {
        static AWAITED: Seen = Seen::new();
        static FIRST: FirstThread = FirstThread::new();
        let (captured, health, is_imported) = {
            let mut state = state()?;
            state.check_event_outside(handle)?;
            state.check_forbidden()?;
            let event = state.working_event(handle)?;
            if event.is_imported()
                && fault!("synchronize-import-returns-at-once", ["IPCEVT-039"], "A host wait of the importer does not wait.")
                || event.is_exportable()
                    && fault!("synchronize-own-returns-at-once", ["IPCEVT-020"], "A host wait of the exporter does not wait.")
            {
                return Ok(());
            }
            if event.is_imported()
                                && fault!("synchronize-import-waits-once", ["IPCEVT-039"], "Only the importer's first host wait for an event waits.")
 && AWAITED.again(handle as u64)
            {
                return Ok(());
            }
            if event.is_imported()
                && FIRST.is_another()
                && fault!("synchronize-import-from-another-thread-returns-at-once", ["IPCEVT-018"], "Only the thread that waits first waits.")
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
        if state.wait_in_capture(&stream, event)? {
            return Ok(());
        }
        state.wait_for_event(&stream, event)
    }
}

//! `cuIpcGetEventHandle`.

use cuda_ipc_sys::{CUevent, CUipcEventHandle};

use super::{Body, Event};
use crate::answer::{INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, Output, Result};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::process::{State, own_number, own_start_time, state};

impl State {
    fn export_event(&self, handle: CUevent) -> Result<Handle> {
        let nowhere = || Handle::nowhere(Kind::Event, own_number(), own_start_time());
        // IPCEVT-006
        if handle.is_null() {
            let is_accepted = fault!("get-event-accepts-null", ["IPCEVT-006"], "A null event can be exported.");
            return if is_accepted { Ok(nowhere()) } else { Err(INVALID_VALUE) };
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
                return Ok(nowhere());
            }
            Body::Local(_)
                if !event.has_timing
                    && fault!(
                        "get-event-exports-a-local-event",
                        ["IPCEVT-004"],
                        "A local event without timing can be exported.",
                    ) =>
            {
                return Ok(nowhere());
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
                return Ok(nowhere());
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
}

entry_points! {
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
}

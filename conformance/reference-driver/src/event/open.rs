//! `cuIpcOpenEventHandle`.

use std::sync::Arc;

use cuda_ipc_sys::{CUevent, CUipcEventHandle, CUresult};

use super::{Body, Event};
use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Output, Result};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::leak;
use crate::memfd::Elsewhere;
use crate::process::{State, own_number, own_start_time, start_time, state};
use crate::seen::Calls;
use crate::shared_event::Arena;
use crate::topology::topology;

impl State {
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
        if device < handle.device as usize
            && fault!("open-event-on-the-first-peer-fails", ["IPCEVT-030"], "GPU 0 opens only its own events.")
        {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
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
        if own_number() == 1
            && fault!(
                "open-event-by-process-1-never-completes",
                ["IPCEVT-044"],
                "An event that process 1 of a PID namespace opens never completes."
            )
        {
            return Ok(Body::Orphan(Some(Arc::default())));
        }
        static OPENS: Calls = Calls::new();
        if fault!("open-event-opens-a-copy-once", ["IPCEVT-018"], "The thousandth open gives a new event.")
            && OPENS.is_the_thousandth()
        {
            return Ok(Body::Orphan(None));
        }
        let imported = self.events.values().filter(|event| matches!(event.body, Body::Imported(_))).count();
        if imported >= 32 && fault!("open-event-opens-32-at-most", ["IPCEVT-011"], "A process can have 32 events open.")
        {
            return Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
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
}

entry_points! {
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
        if fault!("open-event-keeps-a-descriptor", ["PROC-013"], "Every open of an event leaves a descriptor.") {
            leak::descriptor()?;
        }
        // IPCEVT-013: every open creates a separate event.
        output.give(state.add_event(context, false, body)? as CUevent)
    }
}

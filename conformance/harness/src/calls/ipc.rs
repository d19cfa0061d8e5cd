//! Legacy inter-process handles.

use std::ptr;

use cuda_ipc_sys::{CUipcEventHandle, CUipcMem_flags, CUipcMemHandle};

use crate::role::Resource;
use crate::{Event, EventHandle, MemHandle, Pointer};

/// The bytes of an output before a call, which show what the driver did not write.
pub const UNWRITTEN: [u8; 64] = [0xa5; 64];

const LAZY_PEER_ACCESS: u32 = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;

calls! {
    /// `cuIpcGetMemHandle` of an address.
    fn ipc_get_mem_handle(session, pointer: Pointer) -> MemHandle {
        let mut handle = CUipcMemHandle::from_bytes(UNWRITTEN);
        cuda!(session.cuIpcGetMemHandle(&mut handle, pointer.0));
        Ok(MemHandle(handle))
    }

    /// `cuIpcGetMemHandle` without an output.
    fn ipc_get_mem_handle_into_null(session, pointer: Pointer) -> () {
        cuda!(session.cuIpcGetMemHandle(ptr::null_mut(), pointer.0));
        Ok(())
    }

    /// `cuIpcGetMemHandle` of one address on many threads at once. Returns the distinct handles.
    fn ipc_get_mem_handle_from_threads(session, pointer: Pointer, threads: usize, rounds: usize) -> Vec<MemHandle> {
        let answers = session.on_threads(threads, |session| {
            let mut found = Vec::new();
            for _ in 0..rounds {
                let mut handle = CUipcMemHandle::from_bytes(UNWRITTEN);
                cuda!(session.cuIpcGetMemHandle(&mut handle, pointer.0));
                let handle = MemHandle(handle);
                if !found.contains(&handle) {
                    found.push(handle);
                }
            }
            Ok(found)
        })?;
        let mut distinct: Vec<MemHandle> = Vec::new();
        for handles in answers {
            for handle in handles? {
                if !distinct.contains(&handle) {
                    distinct.push(handle);
                }
            }
        }
        Ok(distinct)
    }

    /// `cuIpcOpenMemHandle` with the only documented flag.
    fn ipc_open_mem_handle(session, handle: MemHandle) -> Pointer {
        let mut pointer = 0;
        cuda!(session.cuIpcOpenMemHandle(&mut pointer, handle.0, LAZY_PEER_ACCESS));
        session.ledger.add(Resource::Import(pointer));
        Ok(Pointer(pointer))
    }

    /// `cuIpcOpenMemHandle` with any flags.
    fn ipc_open_mem_handle_with_flags(session, handle: MemHandle, flags: u32) -> Pointer {
        let mut pointer = 0;
        cuda!(session.cuIpcOpenMemHandle(&mut pointer, handle.0, flags));
        session.ledger.add(Resource::Import(pointer));
        Ok(Pointer(pointer))
    }

    /// `cuIpcOpenMemHandle` without an output.
    fn ipc_open_mem_handle_into_null(session, handle: MemHandle) -> () {
        cuda!(session.cuIpcOpenMemHandle(ptr::null_mut(), handle.0, LAZY_PEER_ACCESS));
        Ok(())
    }

    /// `cuIpcOpenMemHandle` of one handle on many threads at once, which share the current context.
    fn ipc_open_mem_handle_from_threads(session, handle: MemHandle, threads: usize) -> Vec<Pointer> {
        let answers = session.on_threads(threads, |session| {
            let mut pointer = 0;
            cuda!(session.cuIpcOpenMemHandle(&mut pointer, handle.0, LAZY_PEER_ACCESS));
            Ok(pointer)
        })?;
        for pointer in answers.iter().flatten() {
            session.ledger.add(Resource::Import(*pointer));
        }
        answers.into_iter().map(|answer| answer.map(Pointer)).collect()
    }

    /// `cuIpcCloseMemHandle`.
    fn ipc_close_mem_handle(session, pointer: Pointer) -> () {
        cuda!(session.cuIpcCloseMemHandle(pointer.0));
        session.ledger.remove(&Resource::Import(pointer.0));
        Ok(())
    }

    /// `cuIpcGetEventHandle`.
    fn ipc_get_event_handle(session, event: Event) -> EventHandle {
        let mut handle = CUipcEventHandle::from_bytes(UNWRITTEN);
        cuda!(session.cuIpcGetEventHandle(&mut handle, event.0 as _));
        Ok(EventHandle(handle))
    }

    /// `cuIpcGetEventHandle` without an output.
    fn ipc_get_event_handle_into_null(session, event: Event) -> () {
        cuda!(session.cuIpcGetEventHandle(ptr::null_mut(), event.0 as _));
        Ok(())
    }

    /// `cuIpcOpenEventHandle`.
    fn ipc_open_event_handle(session, handle: EventHandle) -> Event {
        let mut event = ptr::null_mut();
        cuda!(session.cuIpcOpenEventHandle(&mut event, handle.0));
        session.ledger.add(Resource::ImportedEvent(event as u64));
        Ok(Event(event as u64))
    }
}

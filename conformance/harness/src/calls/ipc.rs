//! Legacy inter-process handles.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

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

    /// `cuIpcGetMemHandle` into a handle whose bytes all have this value before the call.
    fn ipc_get_mem_handle_over(session, pointer: Pointer, unwritten: u8) -> MemHandle {
        let mut handle = CUipcMemHandle::from_bytes([unwritten; 64]);
        cuda!(session.cuIpcGetMemHandle(&mut handle, pointer.0));
        Ok(MemHandle(handle))
    }

    /// `cuIpcGetMemHandle` without an output.
    fn ipc_get_mem_handle_into_null(session, pointer: Pointer) -> () {
        cuda!(session.cuIpcGetMemHandle(ptr::null_mut(), pointer.0));
        Ok(())
    }

    /// `cuIpcGetMemHandle` into the second of three handles. Returns the bytes of the first and the third.
    fn ipc_get_mem_handle_between_others(session, pointer: Pointer) -> Vec<u8> {
        let mut handles = [CUipcMemHandle::from_bytes(UNWRITTEN); 3];
        let first: *mut CUipcMemHandle = (&raw mut handles).cast();
        cuda!(session.cuIpcGetMemHandle(first.wrapping_add(1), pointer.0));
        Ok([handles[0].to_bytes(), handles[2].to_bytes()].concat())
    }

    /// `cuIpcGetMemHandle` of several addresses at once, each on a thread of its own. Returns the distinct handles of
    /// each.
    fn ipc_get_mem_handle_from_threads(session, pointers: Vec<Pointer>, rounds: usize) -> Vec<Vec<MemHandle>> {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(pointers.len(), |session| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (pointer, mut found) = (pointers[index], Vec::new());
            for _ in 0..rounds {
                let mut handle = CUipcMemHandle::from_bytes(UNWRITTEN);
                cuda!(session.cuIpcGetMemHandle(&mut handle, pointer.0));
                let handle = MemHandle(handle);
                if !found.contains(&handle) {
                    found.push(handle);
                }
            }
            Ok((index, found))
        })?;
        let mut of_each = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        of_each.sort_by_key(|(index, _)| *index);
        Ok(of_each.into_iter().map(|(_, found)| found).collect())
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

    /// `cuIpcCloseMemHandle` of several addresses at once, each on a thread of its own.
    fn ipc_close_mem_handle_from_threads(session, pointers: Vec<Pointer>) -> () {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(pointers.len(), |session| {
            let pointer = pointers[next.fetch_add(1, Ordering::Relaxed)].0;
            cuda!(session.cuIpcCloseMemHandle(pointer));
            Ok(pointer)
        })?;
        for pointer in answers.iter().flatten() {
            session.ledger.remove(&Resource::Import(*pointer));
        }
        answers.into_iter().try_for_each(|answer| answer.map(drop))
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

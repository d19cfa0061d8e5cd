//! The runtime (`libcudart`). Its error codes have the same numbers as the driver's, so the harness uses the driver's
//! names (RT-001).

use std::ffi::{CStr, c_void};
use std::ptr;

use cuda_ipc_sys::runtime::{
    Runtime, cudaError, cudaIpcEventHandle_t, cudaIpcMemHandle_t, cudaIpcMemLazyEnablePeerAccess,
};
use cuda_ipc_sys::{CUresult, MissingSymbol};

use crate::calls::ipc::UNWRITTEN;
use crate::message::Refused;
use crate::role::{Resource, Session};
use crate::{Event, EventHandle, MemHandle, Pointer};

/// Calls a runtime function in a role. Any code except `cudaSuccess` ends the call as a refusal.
macro_rules! cudart {
    ($session:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let runtime = $session.runtime()?;
        // SAFETY: as for driver calls.
        let answer = unsafe { called!(runtime, $function($($argument),*)) };
        $crate::message::answered(stringify!($function), as_of_driver(answer))?
    }};
}

fn as_of_driver(answer: Result<cudaError, MissingSymbol>) -> Result<CUresult, MissingSymbol> {
    answer.map(|code| CUresult(code.0))
}

calls! {
    /// `cudaRuntimeGetVersion`: 1000 × major + 10 × minor.
    fn cuda_runtime_get_version(session) -> i32 {
        let mut version = 0;
        cudart!(session.cudaRuntimeGetVersion(&mut version));
        Ok(version)
    }

    /// `cudaGetErrorName`.
    fn cuda_get_error_name(session, code: u32) -> String {
        // SAFETY: the call accepts any number.
        let name = unsafe { session.runtime()?.cudaGetErrorName(cudaError(code)) };
        let name = name.map_err(|missing| Refused::Missing(missing.to_string()))?;
        if name.is_null() {
            return Ok("null".to_owned());
        }
        // SAFETY: the runtime returned a C string that it keeps.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// `cudaMalloc`.
    fn cuda_malloc(session, size: u64) -> Pointer {
        let mut pointer = ptr::null_mut();
        cudart!(session.cudaMalloc(&mut pointer, size as usize));
        session.ledger.add(Resource::Allocation(pointer as u64));
        Ok(Pointer(pointer as u64))
    }

    /// `cudaFree`.
    fn cuda_free(session, pointer: Pointer) -> () {
        cudart!(session.cudaFree(pointer.0 as *mut c_void));
        session.ledger.remove(&Resource::Allocation(pointer.0));
        Ok(())
    }

    /// `cudaDeviceReset` of the current device, which destroys everything that the role has there.
    fn cuda_device_reset(session) -> () {
        cudart!(session.cudaDeviceReset());
        session.functions.clear();
        session.ledger.everything_gone();
        session.spoil("its device was reset");
        Ok(())
    }

    /// `cudaIpcGetMemHandle` of an address.
    fn cuda_ipc_get_mem_handle(session, pointer: Pointer) -> MemHandle {
        let mut handle = cudaIpcMemHandle_t::from_bytes(UNWRITTEN);
        cudart!(session.cudaIpcGetMemHandle(&mut handle, pointer.0 as *mut c_void));
        Ok(MemHandle::from_bytes(handle.to_bytes()))
    }

    /// `cudaIpcOpenMemHandle` with the only documented flag.
    fn cuda_ipc_open_mem_handle(session, handle: MemHandle) -> Pointer {
        let pointer = session.open_by_runtime(handle, cudaIpcMemLazyEnablePeerAccess)?;
        Ok(pointer)
    }

    /// `cudaIpcOpenMemHandle` with any flags.
    fn cuda_ipc_open_mem_handle_with_flags(session, handle: MemHandle, flags: u32) -> Pointer {
        let pointer = session.open_by_runtime(handle, flags)?;
        Ok(pointer)
    }

    /// `cudaIpcCloseMemHandle`.
    fn cuda_ipc_close_mem_handle(session, pointer: Pointer) -> () {
        cudart!(session.cudaIpcCloseMemHandle(pointer.0 as *mut c_void));
        session.ledger.remove(&Resource::Import(pointer.0));
        Ok(())
    }

    /// `cudaIpcGetEventHandle`.
    fn cuda_ipc_get_event_handle(session, event: Event) -> EventHandle {
        let mut handle = cudaIpcEventHandle_t::from_bytes(UNWRITTEN);
        cudart!(session.cudaIpcGetEventHandle(&mut handle, event.0 as _));
        Ok(EventHandle::from_bytes(handle.to_bytes()))
    }

    /// `cudaIpcOpenEventHandle`.
    fn cuda_ipc_open_event_handle(session, handle: EventHandle) -> Event {
        let mut event = ptr::null_mut();
        let handle = cudaIpcEventHandle_t::from_bytes(handle.to_bytes());
        cudart!(session.cudaIpcOpenEventHandle(&mut event, handle));
        session.ledger.add(Resource::ImportedEvent(event as u64));
        Ok(Event(event as u64))
    }

    /// `cuDevicePrimaryCtxGetState`: returns whether the primary context of the role's device is active.
    fn primary_context_is_active(session) -> bool {
        let (mut flags, mut active, device) = (0, 0, session.device);
        cuda!(session.cuDevicePrimaryCtxGetState(device, &mut flags, &mut active));
        Ok(active != 0)
    }
}

impl Session {
    /// Returns the runtime, and loads it at first use. The runtime uses the primary context that the role has retained.
    fn runtime(&mut self) -> Result<&'static Runtime, Refused> {
        Runtime::get().map_err(|error| Refused::Missing(error.to_string()))
    }

    fn open_by_runtime(&mut self, handle: MemHandle, flags: u32) -> Result<Pointer, Refused> {
        let session = self;
        let mut pointer = ptr::null_mut();
        let handle = cudaIpcMemHandle_t::from_bytes(handle.to_bytes());
        cudart!(session.cudaIpcOpenMemHandle(&mut pointer, handle, flags));
        session.ledger.add(Resource::Import(pointer as u64));
        Ok(Pointer(pointer as u64))
    }

    /// Returns why no runtime can be used: it does not load, or it needs a newer driver. A runtime that fails in
    /// another way makes the cases fail.
    pub(crate) fn probe_runtime(&mut self) -> Result<Option<String>, Refused> {
        let runtime = match Runtime::get() {
            Ok(runtime) => runtime,
            Err(error) => return Ok(Some(error.to_string())),
        };
        let mut count = 0;
        // SAFETY: the output is a local.
        let code = unsafe { runtime.cudaGetDeviceCount(&mut count) };
        let code = code.map_err(|missing| Refused::Missing(missing.to_string()))?;
        Ok((code == cudaError::cudaErrorInsufficientDriver)
            .then(|| format!("{} of CUDA {} needs a newer driver", runtime.path().display(), runtime.version())))
    }
}

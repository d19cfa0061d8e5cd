//! The driver's log: registered callbacks get a line for every call that fails.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUlogLevel, CUlogsCallback, CUlogsCallbackHandle, CUresult};

use crate::answer::{INVALID_VALUE, Output};
use crate::process::{check_usable, state};
use crate::seen::Seen;

struct Registration {
    id: u64,
    function: CUlogsCallback,
    data: usize,
}

static REGISTRATIONS: Mutex<Vec<Registration>> = Mutex::new(Vec::new());

/// The codes that the log has said, for a fault.
static SAID: Seen = Seen::new();

/// Whether a callback was ever registered. Without one, the log costs nothing.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

fn registrations() -> MutexGuard<'static, Vec<Registration>> {
    REGISTRATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Declares a fault for each function: the log says nothing about it.
macro_rules! silent {
    ($asked:expr, $($function:literal => $fault:literal),+ $(,)?) => {
        match $asked {
            $($function => fault!($fault, ["ERR-003"], "The log says nothing about failures of this call."),)+
            _ => false,
        }
    };
}

fn is_silent_about(function: &str) -> bool {
    silent!(
        function,
        "cuIpcGetMemHandle" => "log-lacks-get-memory",
        "cuIpcOpenMemHandle_v2" => "log-lacks-open-memory",
        "cuIpcOpenEventHandle" => "log-lacks-open-event",
        "cuMemImportFromShareableHandle" => "log-lacks-import",
        "cuMemPoolImportFromShareableHandle" => "log-lacks-pool-import",
        "cuIpcCloseMemHandle" => "log-lacks-close-memory",
        "cuIpcGetEventHandle" => "log-lacks-get-event",
        "cuMemExportToShareableHandle" => "log-lacks-export",
        "cuMemPoolExportPointer" => "log-lacks-pool-export-pointer",
    )
}

/// Logs the error that a function returns (ERR-003). CUDA_ERROR_NOT_READY is not an error.
pub(crate) fn say(function: &str, code: CUresult) {
    // A forked child takes no lock.
    let is_said = IS_HEARD.load(Ordering::Acquire) && code != CUresult::CUDA_ERROR_NOT_READY && check_usable().is_ok();
    let Some(text) = is_said.then(|| CString::new(format!("{function} returned {code}")).ok()).flatten() else {
        return;
    };
    if fault!("log-is-silent", ["ERR-003"], "Log callbacks receive nothing.")
        || fault!("log-tells-an-error-once", ["ERR-003"], "The log has each failing call only once.")
            && SAID.again(code.0.into())
        || is_silent_about(function)
    {
        return;
    }
    let is_empty = fault!("log-lines-are-empty", ["ERR-003"], "Log callbacks receive empty lines.");
    let text = if is_empty { CString::default() } else { text };
    // The lock is held during the calls, so that no callback is called after its registration ended. Callbacks must not
    // call CUDA.
    let serves_one = fault!("log-serves-the-first-callback", ["ERR-003"], "Only one log callback receives lines.");
    for registration in registrations().iter().take(if serves_one { 1 } else { usize::MAX }) {
        if let Some(function) = registration.function {
            let mut line = text.clone().into_bytes_with_nul();
            let data = registration.data as *mut c_void;
            let length = line.len() - 1;
            // SAFETY: whoever registered the function promised that any thread may call it with this argument.
            unsafe { function(data, CUlogLevel::CU_LOG_LEVEL_ERROR, line.as_mut_ptr().cast(), length) };
        }
    }
}

entry_points! {
    fn cuLogsRegisterCallback(function: CUlogsCallback, data: *mut c_void, output: Output<CUlogsCallbackHandle>) {
        let id = state()?.new_id();
        if function.is_none() {
            return Err(INVALID_VALUE);
        }
        registrations().push(Registration { id, function, data: data as usize });
        IS_HEARD.store(true, Ordering::Release);
        output.give_if_wanted(id as CUlogsCallbackHandle);
        Ok(())
    }

    fn cuLogsUnregisterCallback(handle: CUlogsCallbackHandle) {
        drop(state()?);
        let mut registrations = registrations();
        let place = registrations.iter().position(|known| known.id == handle as u64).ok_or(INVALID_VALUE)?;
        if !fault!("log-callback-stays", ["ERR-003"], "An unregistered log callback still receives lines.") {
            registrations.swap_remove(place);
        }
        Ok(())
    }
}

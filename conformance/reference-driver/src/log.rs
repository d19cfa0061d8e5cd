//! The driver's log: registered callbacks get a line for every call that fails.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUlogLevel, CUlogsCallback, CUlogsCallbackHandle, CUresult};

use crate::answer::{INVALID_VALUE, Output};
use crate::process::{check_usable, state};

struct Registration {
    id: u64,
    function: CUlogsCallback,
    data: usize,
}

static REGISTRATIONS: Mutex<Vec<Registration>> = Mutex::new(Vec::new());

/// Whether a callback was ever registered. Without one, the log costs nothing.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

fn registrations() -> MutexGuard<'static, Vec<Registration>> {
    REGISTRATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Logs the error that a function returns (ERR-003). CUDA_ERROR_NOT_READY is not an error.
pub(crate) fn say(function: &str, code: CUresult) {
    // A forked child takes no lock.
    let is_said = IS_HEARD.load(Ordering::Acquire) && code != CUresult::CUDA_ERROR_NOT_READY && check_usable().is_ok();
    let Some(text) = is_said.then(|| CString::new(format!("{function} returned {code}")).ok()).flatten() else {
        return;
    };
    // The lock is held during the calls, so that no callback is called after its registration ended. Callbacks must not
    // call CUDA.
    for registration in &*registrations() {
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
        registrations.swap_remove(place);
        Ok(())
    }
}

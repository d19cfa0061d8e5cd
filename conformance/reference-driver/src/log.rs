//! The driver's log: every call that fails says so to whom registered for it.

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

/// Whether there was ever a registration: nobody else pays for the log.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

fn registrations() -> MutexGuard<'static, Vec<Registration>> {
    REGISTRATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// ERR-003: a function answers an error. Work that is not done yet is none.
pub(crate) fn say(function: &str, code: CUresult) {
    // A forked child takes no lock.
    let is_said = IS_HEARD.load(Ordering::Acquire) && code != CUresult::CUDA_ERROR_NOT_READY && check_usable().is_ok();
    let Some(text) = is_said.then(|| CString::new(format!("{function} answers {code}")).ok()).flatten() else { return };
    // The lock is held meanwhile, so that nobody is called after the end of a registration. A callback calls no CUDA.
    for registration in &*registrations() {
        if let Some(function) = registration.function {
            let mut line = text.clone().into_bytes_with_nul();
            let data = registration.data as *mut c_void;
            let length = line.len() - 1;
            // SAFETY: who registered the function promised that any thread may call it with this argument.
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

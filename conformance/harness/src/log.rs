//! The driver's own log: from CUDA 12.9 on, a driver says in a sentence why it refused a call.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use cuda_ipc_sys::{CUlogLevel, Driver};

/// Lines that came since the step began, or since the last refusal in it.
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Text of a message, as a log callback gets it.
///
/// # Safety
/// The driver passed both to a callback.
pub(crate) unsafe fn line(message: *const c_char, length: usize) -> String {
    // SAFETY: the driver passes `length` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).trim_end_matches(['\0', '\n']).to_owned()
}

unsafe extern "C" fn keep(_data: *mut c_void, _level: CUlogLevel, message: *mut c_char, length: usize) {
    // SAFETY: the driver called this as its log callback.
    let line = unsafe { line(message, length) };
    LINES.lock().unwrap_or_else(PoisonError::into_inner).push(line);
}

/// Keeps the lines of the driver's log from here on. A driver without a log keeps none.
pub(crate) fn listen(driver: &Driver) {
    let mut handle = ptr::null_mut();
    // SAFETY: the callback lives as long as the process, and takes no data. If the driver refuses, nothing is kept.
    let _ = unsafe { driver.cuLogsRegisterCallback(Some(keep), ptr::null_mut(), &mut handle) };
}

/// Takes the lines that were kept.
pub(crate) fn take() -> Vec<String> {
    std::mem::take(&mut *LINES.lock().unwrap_or_else(PoisonError::into_inner))
}

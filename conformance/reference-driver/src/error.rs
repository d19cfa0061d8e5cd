//! Names of result codes.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use cuda_ipc_sys::CUresult;

use crate::answer::{INVALID_VALUE, Result, give, wanted};

/// Text that callers may keep for ever.
fn kept(code: CUresult, text: String) -> *const c_char {
    static KEPT: OnceLock<Mutex<HashMap<(u32, String), CString>>> = OnceLock::new();
    let mut kept = KEPT.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let value = CString::new(text.clone()).unwrap_or_default();
    kept.entry((code.0, text)).or_insert(value).as_ptr()
}

/// ERR-002: an unknown code leaves null and is an invalid value.
fn say(code: CUresult, output: *mut *const c_char, text: impl Fn(&str) -> String) -> Result<()> {
    wanted(output)?;
    match code.name() {
        Some(name) => give(output, kept(code, text(name))),
        None => {
            give(output, ptr::null())?;
            Err(INVALID_VALUE)
        }
    }
}

entry_points! {
    fn cuGetErrorName(code: CUresult, name: *mut *const c_char) {
        say(code, name, str::to_owned)
    }

    fn cuGetErrorString(code: CUresult, text: *mut *const c_char) {
        say(code, text, |name| name.trim_start_matches("CUDA_ERROR_").replace('_', " ").to_lowercase())
    }
}

//! Names of result codes.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use cuda_ipc_sys::CUresult;

use crate::answer::{INVALID_VALUE, Output, Result};

/// Codes of the table that came after the version that this driver serves.
const NEWER: [CUresult; 5] = [
    CUresult::CUDA_ERROR_MULTICAST_RESOURCE_FULL,
    CUresult::CUDA_ERROR_INSUFFICIENT_LOADER_VERSION,
    CUresult::CUDA_ERROR_STREAM_DETACHED,
    CUresult::CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
    CUresult::CUDA_ERROR_FABRIC_NOT_READY,
];

/// Text that callers may keep for ever.
pub(crate) fn kept(code: CUresult, text: String) -> *const c_char {
    static KEPT: OnceLock<Mutex<HashMap<(u32, String), CString>>> = OnceLock::new();
    let mut kept = KEPT.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let value = CString::new(text.clone()).unwrap_or_default();
    kept.entry((code.0, text)).or_insert(value).as_ptr()
}

/// ERR-002: an unknown code leaves null and is an invalid value.
fn say(code: CUresult, output: Output<*const c_char>, text: impl Fn(&str) -> String) -> Result<()> {
    match code.name().filter(|_| !NEWER.contains(&code)) {
        Some(name) => output.give(kept(code, text(name))),
        None => {
            output.give(ptr::null())?;
            Err(INVALID_VALUE)
        }
    }
}

entry_points! {
    fn cuGetErrorName(code: CUresult, name: Output<*const c_char>) {
        say(code, name, str::to_owned)
    }

    fn cuGetErrorString(code: CUresult, text: Output<*const c_char>) {
        say(code, text, |name| {
            let words = name.trim_start_matches("CUDA_ERROR_").trim_start_matches("CUDA_");
            words.replace('_', " ").to_lowercase()
        })
    }
}

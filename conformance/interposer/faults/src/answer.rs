//! What faults return and do.

use std::sync::{Mutex, PoisonError};

pub(crate) use cuda_ipc_sys::CUresult;

pub(crate) const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
pub(crate) const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
pub(crate) const INVALID_HANDLE: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;
pub(crate) const INVALID_CONTEXT: CUresult = CUresult::CUDA_ERROR_INVALID_CONTEXT;
pub(crate) const INVALID_DEVICE: CUresult = CUresult::CUDA_ERROR_INVALID_DEVICE;
pub(crate) const NOT_SUPPORTED: CUresult = CUresult::CUDA_ERROR_NOT_SUPPORTED;
pub(crate) const NOT_FOUND: CUresult = CUresult::CUDA_ERROR_NOT_FOUND;
pub(crate) const NOT_INITIALIZED: CUresult = CUresult::CUDA_ERROR_NOT_INITIALIZED;
pub(crate) const NOT_READY: CUresult = CUresult::CUDA_ERROR_NOT_READY;
pub(crate) const OUT_OF_MEMORY: CUresult = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
pub(crate) const UNKNOWN: CUresult = CUresult::CUDA_ERROR_UNKNOWN;
pub(crate) const ALREADY_MAPPED: CUresult = CUresult::CUDA_ERROR_ALREADY_MAPPED;

/// An address where no memory lies.
pub(crate) const WILD: u64 = 0x1000;

/// Returns `other` if `code` is an error, else CUDA_SUCCESS.
pub(crate) fn refusal(code: CUresult, other: CUresult) -> CUresult {
    if code == SUCCESS { SUCCESS } else { other }
}

/// Returns `other` if `code` is `of`, else `code`.
pub(crate) fn instead(code: CUresult, of: CUresult, other: CUresult) -> CUresult {
    if code == of { other } else { code }
}

/// Returns whether a value is the same as the last time, and notes it for the next time.
pub(crate) fn is_again<T: PartialEq>(last: &Mutex<Option<T>>, value: T) -> bool {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = last.as_ref() == Some(&value);
    *last = Some(value);
    is_same
}

/// Never returns.
pub(crate) fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

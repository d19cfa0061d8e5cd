//! Names of result codes.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use cuda_ipc_sys::CUresult;

use crate::answer::{INVALID_VALUE, Output, Result};

/// Codes of the table that are newer than the CUDA version of this driver.
const NEWER: [CUresult; 5] = [
    CUresult::CUDA_ERROR_MULTICAST_RESOURCE_FULL,
    CUresult::CUDA_ERROR_INSUFFICIENT_LOADER_VERSION,
    CUresult::CUDA_ERROR_STREAM_DETACHED,
    CUresult::CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
    CUresult::CUDA_ERROR_FABRIC_NOT_READY,
];

/// Returns a text that callers may keep forever. The same text gives the same pointer. There is no lock, because a
/// forked child may call this too: a lock that another thread of its parent held would never be released.
pub(crate) fn kept(text: String) -> *const c_char {
    struct Kept {
        text: CString,
        /// The next older entry; null for the first one.
        next: *const Kept,
    }
    static NEWEST: AtomicPtr<Kept> = AtomicPtr::new(ptr::null_mut());
    let mut new = Box::new(Kept { text: CString::new(text).unwrap_or_default(), next: ptr::null() });
    let mut newest = NEWEST.load(Ordering::Acquire);
    loop {
        let mut next: *const Kept = newest;
        // SAFETY: the pointer is null or one of the boxes below, which are never dropped once they are in the list.
        while let Some(kept) = unsafe { next.as_ref() } {
            if kept.text == new.text {
                return kept.text.as_ptr();
            }
            next = kept.next;
        }
        new.next = newest;
        let entry = Box::into_raw(new);
        match NEWEST.compare_exchange(newest, entry, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: the entry is now in the list, which never drops it.
            Ok(_) => return unsafe { (*entry).text.as_ptr() },
            Err(newer) => {
                // SAFETY: the entry is this call's own box, which never entered the list.
                new = unsafe { Box::from_raw(entry) };
                newest = newer;
            }
        }
    }
}

/// Gives the text of a code. ERR-002: for an unknown code, the output is null and the call returns
/// CUDA_ERROR_INVALID_VALUE.
fn say(code: CUresult, output: Output<*const c_char>, text: impl Fn(&str) -> String) -> Result<()> {
    match code.name().filter(|_| !NEWER.contains(&code)) {
        Some(name) => output.give(kept(text(name))),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_is_kept_once() {
        let ask = || (0..100).map(|number| kept(format!("text {number}")) as usize).collect::<Vec<_>>();
        let first = ask();
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            others.into_iter().for_each(|other| assert_eq!(other.join().unwrap(), first));
        });
        // SAFETY: the text is never freed.
        assert_eq!(unsafe { std::ffi::CStr::from_ptr(first[7] as *const c_char) }, c"text 7");
    }
}

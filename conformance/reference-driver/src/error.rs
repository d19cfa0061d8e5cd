//! Names of result codes.

use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use cuda_ipc_sys::CUresult;

use crate::answer::{INVALID_VALUE, Output, Result};
use crate::version::cuda_version;

/// For each code added after CUDA 11.8, the first CUDA version that has it. An older version returns no name for the
/// code.
fn since(code: CUresult) -> c_int {
    type R = CUresult;
    match code {
        R::CUDA_ERROR_CDP_NOT_SUPPORTED | R::CUDA_ERROR_CDP_VERSION_MISMATCH => 12_000,
        R::CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC => 12_010,
        R::CUDA_ERROR_LOSSY_QUERY => 12_030,
        R::CUDA_ERROR_FUNCTION_NOT_LOADED
        | R::CUDA_ERROR_INVALID_RESOURCE_TYPE
        | R::CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION => 12_040,
        R::CUDA_ERROR_CONTAINED | R::CUDA_ERROR_TENSOR_MEMORY_LEAK | R::CUDA_ERROR_KEY_ROTATION => 12_080,
        R::CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER => 13_000,
        R::CUDA_ERROR_STREAM_DETACHED => 13_010,
        R::CUDA_ERROR_GRAPH_RECAPTURE_FAILURE => 13_030,
        R::CUDA_ERROR_MULTICAST_RESOURCE_FULL
        | R::CUDA_ERROR_INSUFFICIENT_LOADER_VERSION
        | R::CUDA_ERROR_FABRIC_NOT_READY => 13_040,
        _ => 0,
    }
}

/// What NVIDIA's libraries of CUDA 13.0 say about a code. The driver and the runtime say the same. Later codes have none.
pub(crate) fn description(code: u32) -> Option<&'static str> {
    let lines = include_str!("descriptions.txt").lines().filter_map(|line| line.split_once(' '));
    lines.into_iter().find(|(number, _)| number.parse() == Ok(code)).map(|(_, text)| text)
}

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

/// Declares a fault for each code: the driver does not know its name.
macro_rules! forgotten {
    ($asked:expr, $($code:literal => $fault:literal),+ $(,)?) => {
        match $asked.0 {
            $($code => fault!($fault, ["ERR-001"], "The name of this code is unknown."),)+
            _ => false,
        }
    };
}

fn is_forgotten(code: CUresult) -> bool {
    code == CUresult::CUDA_ERROR_FABRIC_NOT_READY
        && fault!(
            "error-name-forgets-919",
            ["ERR-001", "FAB-010"],
            "The name of CUDA_ERROR_FABRIC_NOT_READY is unknown.",
            on = "13.4"
        )
        || forgotten!(
            code,
            1 => "error-name-forgets-1",
            2 => "error-name-forgets-2",
            3 => "error-name-forgets-3",
            4 => "error-name-forgets-4",
            46 => "error-name-forgets-46",
            101 => "error-name-forgets-101",
            201 => "error-name-forgets-201",
            205 => "error-name-forgets-205",
            206 => "error-name-forgets-206",
            208 => "error-name-forgets-208",
            217 => "error-name-forgets-217",
            226 => "error-name-forgets-226",
            304 => "error-name-forgets-304",
            400 => "error-name-forgets-400",
            401 => "error-name-forgets-401",
            500 => "error-name-forgets-500",
            600 => "error-name-forgets-600",
            700 => "error-name-forgets-700",
            704 => "error-name-forgets-704",
            705 => "error-name-forgets-705",
            708 => "error-name-forgets-708",
            709 => "error-name-forgets-709",
            711 => "error-name-forgets-711",
            800 => "error-name-forgets-800",
            801 => "error-name-forgets-801",
            802 => "error-name-forgets-802",
            803 => "error-name-forgets-803",
            805 => "error-name-forgets-805",
            806 => "error-name-forgets-806",
            807 => "error-name-forgets-807",
            808 => "error-name-forgets-808",
            809 => "error-name-forgets-809",
            810 => "error-name-forgets-810",
            910 => "error-name-forgets-910",
            911 => "error-name-forgets-911",
            912 => "error-name-forgets-912",
            913 => "error-name-forgets-913",
            914 => "error-name-forgets-914",
            999 => "error-name-forgets-999",
        )
}

/// The name of a code, or what a driver with a fault says instead.
fn told(name: &str) -> String {
    if fault!("error-name-without-its-prefix", ["ERR-001"], "The names of codes lack CUDA_ERROR_.") {
        return name.trim_start_matches("CUDA_ERROR_").to_owned();
    }
    if fault!("error-name-lacks-its-last-letter", ["ERR-001"], "The names of codes lack their last letter.") {
        return name[..name.len() - 1].to_owned();
    }
    if fault!("error-name-of-the-runtime", ["ERR-001"], "The names of codes have the style of the runtime.") {
        return name.replacen("CUDA_ERROR_", "cudaError", 1);
    }
    name.to_owned()
}

/// What a driver with a fault does with an unknown code.
fn tell_unknown(output: Output<*const c_char>) -> Result<()> {
    if fault!("error-name-unknown-is-told", ["ERR-002"], "An unknown code has the name CUDA_ERROR_UNKNOWN.") {
        return output.give(kept("CUDA_ERROR_UNKNOWN".to_owned()));
    }
    if fault!("error-name-unknown-succeeds", ["ERR-002"], "An unknown code gives CUDA_SUCCESS and a null pointer.") {
        return output.give(ptr::null());
    }
    if fault!("error-name-unknown-is-not-written", ["ERR-002"], "An unknown code leaves the pointer untouched.") {
        return Err(INVALID_VALUE);
    }
    if fault!("error-name-unknown-is-not-null", ["ERR-002"], "An unknown code gives a name besides the error.") {
        output.give(kept("unrecognized error code".to_owned()))?;
        return Err(INVALID_VALUE);
    }
    output.give(ptr::null())?;
    let wrong_code = fault!("error-name-unknown-wrong-code", ["ERR-002"], "An unknown code is CUDA_ERROR_NOT_FOUND.");
    Err(if wrong_code { CUresult::CUDA_ERROR_NOT_FOUND } else { INVALID_VALUE })
}

/// Gives the text of a code. ERR-002: for an unknown code, the output is null and the call returns
/// CUDA_ERROR_INVALID_VALUE.
fn say(code: CUresult, output: Output<*const c_char>, text: impl Fn(&str) -> String) -> Result<()> {
    let is_negative = code.0.cast_signed() < 0
        && fault!("error-name-of-negative-numbers", ["ERR-002"], "Numbers below 0 count as CUDA_SUCCESS.");
    let is_next = code.0 == CUresult::CUDA_ERROR_UNKNOWN.0 + 1
        && fault!("error-name-after-the-last", ["ERR-002"], "The number after the last code has the last code's name.");
    let code = if is_next { CUresult::CUDA_ERROR_UNKNOWN } else { code };
    let code = if is_negative { CUresult::CUDA_SUCCESS } else { code };
    match code.name().filter(|_| since(code) <= cuda_version() && !is_forgotten(code)) {
        Some(name) => output.give(kept(text(name))),
        None => tell_unknown(output),
    }
}

entry_points! {
    fn cuGetErrorName(code: CUresult, name: Output<*const c_char>) {
        say(code, name, told)
    }

    fn cuGetErrorString(code: CUresult, text: Output<*const c_char>) {
        say(code, text, |name| {
            let words = || name.trim_start_matches("CUDA_ERROR_").replace('_', " ").to_lowercase();
            description(code.0).map_or_else(words, str::to_owned)
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

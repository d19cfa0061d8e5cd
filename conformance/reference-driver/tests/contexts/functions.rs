//! Every function of the library, whatever its signature.

use std::ffi::CStr;

use cuda_ipc_sys::{SYMBOLS, runtime};
use libloading::Library;

use crate::common::library;

/// A function of any signature, with more arguments than any has: registers and the stack hold zeros for all of them.
pub(crate) type Function =
    unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// Every function that the library exports of the driver and of the runtime; the runtime's names of errors are no codes.
pub(crate) fn functions() -> Vec<(&'static CStr, Function)> {
    // SAFETY: loading runs the library's initialisers, of which it has none.
    let library = unsafe { Library::new(library()) }.unwrap_or_else(|error| panic!("{error}"));
    let of_driver = SYMBOLS.iter().map(|symbol| symbol.exported);
    let of_runtime = runtime::SYMBOLS.iter().map(|symbol| symbol.exported);
    let is_code = |name: &&CStr| ![c"cudaGetErrorName", c"cudaGetErrorString"].contains(name);
    let address = |name: &'static CStr| {
        // SAFETY: in the calling conventions of Linux the caller passes the arguments and clears them away, so a function
        // can be given more than it has.
        let function = unsafe { library.get::<Function>(name) }.unwrap_or_else(|error| panic!("{error}"));
        (name, *function)
    };
    let functions = of_driver.chain(of_runtime).filter(is_code).map(address).collect();
    // The functions are there as long as the process.
    std::mem::forget(library);
    functions
}

/// Call a function with null, no handle and the number 0.
pub(crate) fn with_zeros(function: Function) -> u32 {
    // SAFETY: null is nothing that a function reads or writes, and no handle is one of anything.
    unsafe { function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
}

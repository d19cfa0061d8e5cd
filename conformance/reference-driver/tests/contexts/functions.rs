//! Every function of the two libraries, whatever its signature.

use std::ffi::CStr;

use cuda_ipc_sys::{SYMBOLS, runtime};
use libloading::Library;

use crate::common::{library, runtime_library};

/// A function of any signature. The type has more parameters than any function of the library, so that registers and
/// the stack hold zeros for all of a function's arguments.
pub(crate) type Function =
    unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// Returns every function of the driver and of the runtime that the library exports, except the two of the runtime that
/// return text instead of a code.
pub(crate) fn functions() -> Vec<(&'static CStr, Function)> {
    let listed: Vec<_> = [include_str!("../exports.txt"), include_str!("../../runtime/names.txt")]
        .concat()
        .lines()
        .map(str::to_owned)
        .collect();
    let is_exported = |name: &&CStr| name.to_str().is_ok_and(|name| listed.iter().any(|listed| listed == name));
    let is_code = |name: &&CStr| ![c"cudaGetErrorName", c"cudaGetErrorString"].contains(name);
    // The runtime finds the driver, which is loaded first.
    let libraries = [library(), runtime_library()].map(|path| {
        // SAFETY: the libraries are those under test, and their initialisers need nothing.
        unsafe { Library::new(path) }.unwrap_or_else(|error| panic!("{error}"))
    });
    let address = |library: &Library, name: &'static CStr| {
        // SAFETY: in the calling conventions of Linux the caller passes the arguments and removes them, so a function
        // can be given more arguments than it takes.
        let function = unsafe { library.get::<Function>(name) }.unwrap_or_else(|error| panic!("{error}"));
        (name, *function)
    };
    let of_driver = SYMBOLS.iter().map(|symbol| (&libraries[0], symbol.exported));
    let of_runtime = runtime::SYMBOLS.iter().map(|symbol| (&libraries[1], symbol.exported));
    let all = of_driver.chain(of_runtime).filter(|(_, name)| is_exported(name) && is_code(name));
    let functions = all.map(|(library, name)| address(library, name)).collect();
    // The libraries stay loaded until the process ends.
    std::mem::forget(libraries);
    functions
}

/// Calls a function with zeros: null pointers, null handles and the number 0.
pub(crate) fn with_zeros(function: Function) -> u32 {
    // SAFETY: the library reads and writes nothing through null, and checks every handle.
    unsafe { function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
}

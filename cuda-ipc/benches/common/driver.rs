//! The driver that a bench measures.

use std::env;
use std::path::PathBuf;

use cuda_ipc::Driver;
use cuda_ipc::sys::{self, CUresult, MissingSymbol};

/// Loads the driver that `CUDA_IPC_DRIVER` names, or else the reference driver.
pub(crate) fn driver() -> Driver {
    let named = env::var_os(sys::DRIVER_VARIABLE).filter(|named| !named.is_empty());
    let library = named.map_or_else(reference_driver, PathBuf::from);
    // SAFETY: this is the reference driver, or a library that the user names as a driver.
    unsafe { Driver::load_from(library) }.unwrap_or_else(|error| panic!("{error}"))
}

/// Finds the reference driver in the folder of this executable or one above it, where Cargo puts a build's libraries.
fn reference_driver() -> PathBuf {
    let executable = env::current_exe().expect("this executable has a path");
    let found = executable.ancestors().map(|folder| folder.join("libreference_driver.so")).find(|path| path.is_file());
    found.expect("Cargo builds the reference driver next to this")
}

/// Ends the bench if a raw call fails.
pub(crate) fn ok(answer: Result<CUresult, MissingSymbol>) {
    answer.expect("the driver has the function").result().expect("the call succeeds");
}

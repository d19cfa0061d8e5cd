//! What the tests share.

use std::path::PathBuf;

use cuda_ipc::{Context, Driver};

/// The driver under test: the one that `CUDA_IPC_DRIVER` names, or else the reference driver.
pub(crate) fn driver() -> Driver {
    let library = std::env::var_os("CUDA_IPC_DRIVER").map_or_else(reference_driver, PathBuf::from);
    Driver::load_from(library).unwrap_or_else(|error| panic!("{error}"))
}

/// Cargo builds it beside the test executables.
fn reference_driver() -> PathBuf {
    std::env::current_exe().expect("a test executable has a path").with_file_name("libreference_driver.so")
}

pub(crate) fn context() -> Context {
    Context::primary(driver().device(0).expect("there is a device")).expect("a context")
}

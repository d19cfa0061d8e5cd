//! What the tests share.

use std::path::PathBuf;
use std::sync::OnceLock;

use cuda_ipc::{Context, Device, Driver};

/// The driver under test: the one that `CUDA_IPC_DRIVER` names, or else the reference driver.
pub(crate) fn driver() -> Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    *DRIVER.get_or_init(|| {
        let library = std::env::var_os("CUDA_IPC_DRIVER").map_or_else(reference_driver, PathBuf::from);
        // SAFETY: it is the reference driver, or what whoever runs the tests calls a driver.
        unsafe { Driver::load_from(library) }.unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Cargo builds it beside the test executables.
fn reference_driver() -> PathBuf {
    // SAFETY: every test comes here before anything else, and waits for the others that do.
    unsafe { std::env::set_var("REFERENCE_DRIVER_DEVICES", "2") };
    std::env::current_exe().expect("a test executable has a path").with_file_name("libreference_driver.so")
}

pub(crate) fn device() -> Device {
    driver().device(0).expect("there is a device")
}

/// The primary context of the first device, one for all tests of a process: making one takes long on a GPU.
#[allow(dead_code, reason = "not every test target wants it to stay")]
pub(crate) fn context() -> Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| Context::primary(device()).expect("a context")).clone()
}

//! Helpers that the tests share.

use std::path::PathBuf;
use std::sync::OnceLock;

use cuda_ipc::{Context, Device, Driver};

/// The driver under test: the one that `CUDA_IPC_DRIVER` names, or else the reference driver.
pub(crate) fn driver() -> Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    *DRIVER.get_or_init(|| {
        let library = std::env::var_os("CUDA_IPC_DRIVER").map_or_else(
            || {
                // CUDA_VISIBLE_DEVICES chooses among GPUs, and would hide simulated devices as well.
                // SAFETY: no other thread uses the environment now. Every test begins with this call, and the other
                // threads wait for `DRIVER`.
                unsafe {
                    std::env::remove_var("CUDA_VISIBLE_DEVICES");
                    std::env::set_var("REFERENCE_DRIVER_DEVICES", "2");
                }
                reference_driver()
            },
            PathBuf::from,
        );
        // SAFETY: this is the reference driver, or a library that the user of the tests names as a driver.
        unsafe { Driver::load_from(library) }.unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Returns the path of the reference driver, which Cargo builds next to the test executables.
#[allow(dead_code, reason = "most test targets need only the driver under test")]
pub(crate) fn reference_driver() -> PathBuf {
    std::env::current_exe().expect("a test executable has a path").with_file_name("libreference_driver.so")
}

pub(crate) fn device() -> Device {
    driver().device(0).expect("the driver has a device")
}

/// Returns the primary context of the first device. All tests of a process share it: creating one is slow on a GPU.
#[allow(dead_code, reason = "some test targets release the context at the end of a test")]
pub(crate) fn context() -> Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| Context::primary(device()).expect("the first device has a primary context")).clone()
}

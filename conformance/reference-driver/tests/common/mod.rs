//! The library under test, loaded as a driver, and macros that call it.
#![allow(dead_code, unused_macros, reason = "no test uses everything")]

pub(crate) mod turn;

use std::path::PathBuf;
use std::sync::OnceLock;

use cuda_ipc_sys::Driver;

/// The library under test, which Cargo builds beside the test executable.
pub(crate) fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a test executable has a path");
    program.with_file_name("libreference_driver.so")
}

/// The library with the names of the runtime, beside the one under test.
pub(crate) fn runtime_library() -> PathBuf {
    library().with_file_name("libreference_runtime.so")
}

/// Loads the library under test as a driver, once for the process.
///
/// If the environment names no machine, the process gets a machine of its own with two devices, whose memory no other
/// process uses. The processes that a test starts are given the name of their machine in the environment.
pub(crate) fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| {
        if std::env::var_os("REFERENCE_DRIVER_MACHINE").is_none() {
            // SAFETY: only the driver reads the environment without the lock of `std`, and no call has reached it yet.
            unsafe {
                std::env::set_var("REFERENCE_DRIVER_MACHINE", format!("test-{}", std::process::id()));
                std::env::set_var("REFERENCE_DRIVER_DEVICES", "2");
            };
        }
        // SAFETY: the library is the reference driver.
        unsafe { Driver::load_from(library()) }.unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Calls a function of a loaded library and returns its code. Panics if the library lacks the function.
macro_rules! code_of {
    ($library:path, $function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: outputs and inputs are locals of the caller; the reference driver accepts any handle and any address.
        unsafe { $library().$function($($argument),*) }.unwrap_or_else(|missing| panic!("{missing}"))
    }};
}

/// Calls a function of a loaded library, which must succeed.
macro_rules! call_of {
    ($library:path, $function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(code_of!($library, $function($($argument),*)).result(), Ok(()), stringify!($function))
    };
}

/// Calls the driver and returns the code.
macro_rules! code {
    ($($call:tt)*) => { code_of!(crate::common::driver, $($call)*) };
}

/// Calls the driver, which must succeed.
macro_rules! call {
    ($($call:tt)*) => { call_of!(crate::common::driver, $($call)*) };
}

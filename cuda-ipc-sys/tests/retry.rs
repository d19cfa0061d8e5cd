//! `Driver::get` and `Runtime::get` load only what the environment variable names, and do not cache a failure. There is
//! only one test here, because the environment and the loaded libraries belong to the whole process.

mod stand_in;

use std::env;

use cuda_ipc_sys::runtime::Runtime;
use cuda_ipc_sys::{Cause, CudaLibrary, CudaVersion, DRIVER_VARIABLE, Driver, LoadError, RUNTIME_VARIABLE};
use stand_in::library;

/// Sets a variable to the path of a library.
fn set(variable: &str, value: &std::path::Path) {
    // SAFETY: no other thread of this process reads the environment: this is the only test of its executable.
    unsafe { env::set_var(variable, value) };
}

#[test]
fn loading_is_tried_again_after_a_failure() {
    let driver = library("int cuDriverGetVersion(int *version) { *version = 13000; return 0; }");
    let runtime = library("int cudaRuntimeGetVersion(int *version) { *version = 12040; return 0; }");
    for (wanted, variable) in [(CudaLibrary::Driver, DRIVER_VARIABLE), (CudaLibrary::Runtime, RUNTIME_VARIABLE)] {
        set(variable, "/nowhere/library.so".as_ref());
        let error = match wanted {
            CudaLibrary::Driver => Driver::get().err(),
            CudaLibrary::Runtime => Runtime::get().err(),
        };
        // Only the path in the variable is tried.
        let Some(LoadError::NotLoaded { attempts, .. }) = &error else { panic!("{error:?}") };
        assert_eq!((attempts.len(), &attempts[0].cause), (1, &Cause::NotFound));
    }
    set(DRIVER_VARIABLE, &driver.path);
    set(RUNTIME_VARIABLE, &runtime.path);
    let (found, again) = (Driver::get().expect("a driver"), Driver::get().expect("a driver"));
    assert_eq!((found.path(), found.version()), (driver.path.as_path(), CudaVersion(13_000)));
    assert!(std::ptr::eq(found, again), "a driver is loaded once");
    assert_eq!(Runtime::get().expect("a runtime").version(), CudaVersion(12_040));
}

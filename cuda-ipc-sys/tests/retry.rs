//! `Driver::get` and `Runtime::get`: the environment decides, loudly, and a failure is not kept. One test, because the
//! environment and what was loaded are the process's.

mod stand_in;

use std::env;

use cuda_ipc_sys::runtime::Runtime;
use cuda_ipc_sys::{Cause, CudaLibrary, CudaVersion, DRIVER_VARIABLE, Driver, LoadError, RUNTIME_VARIABLE};
use stand_in::library;

/// Point a variable at a library.
fn set(variable: &str, value: &std::path::Path) {
    // SAFETY: this process has no other thread that reads the environment: it is the only test of its executable.
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
        // Nothing but what the variable names is tried.
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

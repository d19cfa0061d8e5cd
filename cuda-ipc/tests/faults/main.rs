//! Behaviours of GPU drivers that break careless code. `driver.c` adds them to the reference driver.

#[allow(dead_code, reason = "not every helper is used")]
#[path = "../common/peer.rs"]
mod peer;

mod cache;
mod capture;
mod fork;
mod host;
mod memory;
mod pool;
mod release;
mod scope;
mod work;

use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cuda_ipc::{Context, Driver};

const SIZE: usize = 2 << 20;

/// Gives a test the driver to itself: what the layer remembers, such as open handles, belongs to the process.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn context() -> Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| Context::primary(driver().device(0).unwrap()).unwrap()).clone()
}

fn driver() -> Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    *DRIVER.get_or_init(|| {
        // SAFETY: no other thread uses the environment now. Every test begins with this call, and the other threads
        // wait for `DRIVER`.
        unsafe { std::env::set_var("REFERENCE_DRIVER_DEVICES", "2") };
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libfaulty.so");
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let compiler = cc::Build::new().cargo_metadata(false).opt_level(0).target(&target).host(&target).get_compiler();
        let reference = std::env::current_exe().unwrap().with_file_name("libreference_driver.so");
        // The faulty driver needs the reference driver by its SONAME. An RPATH comes before LD_LIBRARY_PATH and the
        // system's folders, which may have NVIDIA's library of this name.
        std::os::unix::fs::symlink(reference, folder.path().join("libcuda.so.1")).unwrap();
        let mut command = Command::new(compiler.path());
        command.args(["-shared", "-fPIC", "-Wl,--no-as-needed,--disable-new-dtags,-rpath,$ORIGIN", "-o"]).arg(&library);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/driver.c"));
        command.arg(folder.path().join("libcuda.so.1"));
        assert!(command.status().expect("the C compiler runs").success());
        // SAFETY: the library is a driver, though a faulty one. Its file is not needed once it is loaded.
        unsafe { Driver::load_from(library) }.unwrap_or_else(|error| panic!("{error}"))
    })
}

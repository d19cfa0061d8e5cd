//! A runtime that the process uses already is preferred. Each test starts itself again, because the loaded libraries and
//! the loader's search path belong to a whole process.

mod stand_in;

use std::env;
use std::path::Path;
use std::process::Command;

use cuda_ipc_sys::RUNTIME_VARIABLE;
use cuda_ipc_sys::runtime::Runtime;
use stand_in::StandIn;

/// The library that the process loads before it asks for a runtime, or an empty string.
const FIRST: &str = "CUDA_IPC_TEST_FIRST";

/// Runs `test` again in a process whose loader finds the runtimes of CUDA 13 and 12. If `first` is 12 or 13, that process
/// uses this runtime already. Its own runtime must be that of CUDA `expected`.
fn check(test: &str, first: Option<u32>, expected: u32) {
    if let Some(first) = env::var_os(FIRST) {
        if !first.is_empty() {
            // SAFETY: the library comes from these tests.
            std::mem::forget(unsafe { libloading::Library::new(first) }.expect("the library is there"));
        }
        let runtime = Runtime::get().expect("two runtimes can be found");
        assert_eq!(runtime.version().major(), expected, "{runtime:?}");
        return;
    }
    let runtimes = [12, 13].map(|major| {
        let source = format!("int cudaRuntimeGetVersion(int *version) {{ *version = {major}000; return 0; }}");
        (major, StandIn::named(&format!("libcudart.so.{major}"), &source))
    });
    let paths = || runtimes.iter().map(|(_, runtime)| runtime.path.as_path());
    let first = runtimes.iter().find(|(major, _)| Some(*major) == first).map(|(_, runtime)| runtime.path.as_path());
    let mut again = Command::new(env::current_exe().expect("a test executable has a path"));
    again.args(["--exact", test]).env_remove(RUNTIME_VARIABLE).env(FIRST, first.unwrap_or(Path::new("")));
    again.env("LD_LIBRARY_PATH", env::join_paths(paths().filter_map(Path::parent)).expect("paths without a colon"));
    let output = again.output().expect("this executable runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn a_runtime_that_the_process_uses_is_preferred_to_a_newer_one() {
    check("a_runtime_that_the_process_uses_is_preferred_to_a_newer_one", Some(12), 12);
}

#[test]
fn the_newest_runtime_is_loaded_if_the_process_uses_none() {
    check("the_newest_runtime_is_loaded_if_the_process_uses_none", None, 13);
}

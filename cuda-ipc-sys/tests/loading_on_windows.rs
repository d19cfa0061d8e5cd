//! Loading on Windows: which libraries are found, and why others are not.
//!
//! `.ci/platforms` compiles `stand_in/library.c` several times into the folder that is in PATH and in FOLDER, and runs
//! these tests under Wine.

#![cfg(windows)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_ipc_sys::runtime::Runtime;
use cuda_ipc_sys::{Attempt, Cause, CudaLibrary, CudaVersion, DRIVER_VARIABLE, Driver, LoadError};

const FOLDER: &str = "CUDA_IPC_TEST_LIBRARIES";

fn library(name: &str) -> PathBuf {
    let folder = env::var_os(FOLDER).expect("CUDA_IPC_TEST_LIBRARIES names the folder of the stand-ins");
    Path::new(&folder).join(name)
}

fn refused(path: &Path) -> LoadError {
    // SAFETY: the library comes from these tests.
    unsafe { Driver::load_from(path) }.expect_err("this is not a driver")
}

/// Returns the only attempt for a library that Windows does not open.
fn attempt(path: &Path) -> Attempt {
    let error = refused(path);
    let LoadError::NotLoaded { wanted: CudaLibrary::Driver, attempts } = &error else { panic!("{error:?}") };
    assert_eq!((attempts.len(), attempts[0].library.as_path()), (1, path));
    assert!(error.to_string().contains("os error"), "{error}");
    attempts[0].clone()
}

/// Writes a file that only one test uses.
fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = library(name);
    fs::write(&path, contents).expect("the folder can be written");
    path
}

#[test]
fn the_driver_is_found_by_its_name() {
    let driver = Driver::get().expect("the folder of the stand-ins is in PATH");
    assert_eq!((driver.path(), driver.version()), (Path::new("nvcuda.dll"), CudaVersion(13_000)));
}

#[test]
fn a_runtime_that_the_process_uses_is_preferred_to_a_newer_one() {
    // SAFETY: the library comes from these tests.
    let older = unsafe { libloading::Library::new(library("cudart64_12.dll")) }.expect("it is there");
    std::mem::forget(older);
    let runtime = Runtime::get().expect("two runtimes can be found");
    assert_eq!((runtime.path(), runtime.version()), (Path::new("cudart64_12.dll"), CudaVersion(12_040)));
}

#[test]
fn a_library_that_is_nowhere_is_not_found() {
    assert_eq!(attempt(&library("nowhere.dll")).cause, Cause::NotFound);
    assert_eq!(attempt(Path::new("nowhere.dll")).cause, Cause::NotFound);
}

#[test]
fn a_file_that_is_no_library_is_named_as_such() {
    assert_eq!(attempt(&file("empty.dll", b"")).cause, Cause::NotALibrary);
    assert_eq!(attempt(&file("text.dll", &b"no PE file ".repeat(100))).cause, Cause::NotALibrary);
}

#[test]
fn a_library_for_another_processor_is_named_with_the_processor() {
    let mut contents = fs::read(library("nvcuda.dll")).expect("it is there");
    let header = contents.windows(4).position(|bytes| bytes == b"PE\0\0").expect("a PE file");
    contents[header + 4..header + 6].copy_from_slice(&0xaa64_u16.to_le_bytes());
    let attempt = attempt(&file("aarch64.dll", &contents));
    assert_eq!(attempt.cause, Cause::OtherArchitecture { machine: "aarch64".to_owned() });
}

/// For such a library, Windows reports that the library itself was not found.
#[test]
fn a_missing_dependency_is_told_from_a_missing_library() {
    assert_eq!(attempt(&library("needy.dll")).cause, Cause::MissingDependency { library: None });
}

#[test]
fn another_library_and_the_stub_are_refused() {
    let error = refused(&library("cudart64_13.dll"));
    let LoadError::AnotherLibrary { symbol, .. } = error else { panic!("{error:?}") };
    assert_eq!(symbol, c"cuDriverGetVersion");
    let error = refused(&library("stub.dll"));
    assert!(matches!(error, LoadError::Stub { .. }), "{error:?}");
}

/// The test starts itself again, because the environment belongs to a whole process.
#[test]
fn the_variable_names_a_library() {
    const AGAIN: &str = "CUDA_IPC_TEST_AGAIN";
    if env::var_os(AGAIN).is_some() {
        println!("{:?}", Driver::get());
        return;
    }
    for (path, said) in [(library("nvcuda.dll"), "13.0"), (library("stub.dll"), "BadVariable")] {
        let mut again = Command::new(env::current_exe().expect("a test executable has a path"));
        again.args(["--exact", "--nocapture", "the_variable_names_a_library"]);
        let output = again.env(AGAIN, "1").env(DRIVER_VARIABLE, &path).output().expect("this executable runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(said) && text.contains(&format!("{path:?}")), "{text}");
    }
}

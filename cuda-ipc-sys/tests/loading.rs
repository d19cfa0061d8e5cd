//! Loading never panics: whatever a library is, the error names it and says what to do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_ipc_sys::{CUmulticastGranularity_flags, CUresult, CudaVersion, Driver, LoadError};
use tempfile::TempDir;

/// A shared library from C source.
fn library(folder: &TempDir, source: &str) -> PathBuf {
    let (input, output) = (folder.path().join("driver.c"), folder.path().join("libdriver.so"));
    fs::write(&input, source).expect("the folder can be written");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let compiler = cc::Build::new().cargo_metadata(false).opt_level(0).target(&target).host(&target).get_compiler();
    let status = Command::new(compiler.path()).args(["-shared", "-fPIC", "-o"]).arg(&output).arg(&input).status();
    assert!(status.expect("the C compiler runs").success());
    output
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn refused(path: &Path) -> LoadError {
    Driver::load_from(path).expect_err("this is no driver")
}

#[test]
fn a_missing_library_is_named_with_the_loaders_message() {
    let path = Path::new("/nowhere/libcuda.so.1");
    let error = refused(path);
    let LoadError::NotLoaded { attempts } = &error else { panic!("{error:?}") };
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].library, path);
    assert!(attempts[0].message.contains("No such file"), "{}", attempts[0].message);
    assert!(error.to_string().contains("/nowhere/libcuda.so.1"), "{error}");
}

#[test]
fn a_file_that_is_no_library_is_not_loaded() {
    let folder = folder();
    let path = folder.path().join("libcuda.so.1");
    fs::write(&path, "no ELF file").expect("the folder can be written");
    let error = refused(&path);
    let LoadError::NotLoaded { attempts } = &error else { panic!("{error:?}") };
    assert!(!attempts[0].message.is_empty());
}

#[test]
fn a_library_without_the_drivers_functions_is_no_driver() {
    let folder = folder();
    let error = refused(&library(&folder, "int something_else(void) { return 0; }"));
    let LoadError::NotADriver { symbol, .. } = error else { panic!("{error:?}") };
    assert_eq!(symbol, c"cuDriverGetVersion");
}

#[test]
fn the_toolkits_stub_is_recognised() {
    let folder = folder();
    let error = refused(&library(&folder, "int cuDriverGetVersion(int *version) { return 34; }"));
    assert!(matches!(error, LoadError::Stub { .. }), "{error:?}");
    assert!(error.to_string().contains("stub"), "{error}");
}

#[test]
fn a_driver_that_does_not_tell_its_version_is_refused_with_its_code() {
    let folder = folder();
    let error = refused(&library(&folder, "int cuDriverGetVersion(int *version) { return 999; }"));
    let LoadError::NoVersion { code, .. } = error else { panic!("{error:?}") };
    assert_eq!(code, CUresult::CUDA_ERROR_UNKNOWN);
}

/// A driver of CUDA 11.4 that can resolve nothing by version.
const OLD: &str = "
    int cuDriverGetVersion(int *version) { *version = 11040; return 0; }
    int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }
";

#[test]
fn a_missing_function_is_an_error_with_both_versions() {
    let folder = folder();
    let driver = Driver::load_from(library(&folder, OLD)).expect("this is a driver");
    assert_eq!(driver.version(), CudaVersion(11040));
    const MINIMUM: CUmulticastGranularity_flags = CUmulticastGranularity_flags::CU_MULTICAST_GRANULARITY_MINIMUM;
    let mut count = 0;
    // SAFETY: the output is valid; the function is not there in any case.
    let missing = unsafe { driver.cuMulticastGetGranularity(&mut count, std::ptr::null(), MINIMUM) };
    let missing = missing.expect_err("CUDA 11.4 has no multicast");
    assert_eq!(
        (missing.name, missing.needs, missing.driver),
        (c"cuMulticastGetGranularity", CudaVersion(12010), CudaVersion(11040))
    );
    assert!(missing.to_string().contains("12.1") && missing.to_string().contains("11.4"), "{missing}");
}

#[test]
fn a_driver_without_cu_get_proc_address_is_used_by_exported_names() {
    let folder = folder();
    let driver = Driver::load_from(library(&folder, OLD)).expect("this is a driver");
    // SAFETY: the library above takes any flags.
    let (good, bad) = unsafe { (driver.cuInit(0), driver.cuInit(7)) };
    assert_eq!(good, Ok(CUresult::CUDA_SUCCESS));
    assert_eq!(bad, Ok(CUresult::CUDA_ERROR_INVALID_VALUE));
}

/// A driver whose functions of one name differ by version: the version is what it answers.
const NEW: &str = r#"
    #include <string.h>
    static int older(void *pointer, void *handle, unsigned flags) { return 4010; }
    static int ours(void *pointer, void *handle, unsigned flags) { return 11000; }
    static int newer(void) { return 14000; }
    int cuDriverGetVersion(int *version) { *version = 14000; return 0; }
    int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status) {
        if (strcmp(name, "cuCtxGetDevice")) { *function = 0; return 500; }
        *function = version >= 14000 ? (void *) newer : version >= 11000 ? (void *) ours : (void *) older;
        return 0;
    }
"#;

#[test]
fn a_function_is_asked_for_at_the_version_of_its_binding() {
    let folder = folder();
    let driver = Driver::load_from(library(&folder, NEW)).expect("this is a driver");
    let mut device = 0;
    // SAFETY: the library above touches no argument.
    let answer = unsafe { driver.cuCtxGetDevice(&mut device) };
    assert_eq!(answer, Ok(CUresult(4010)), "cuCtxGetDevice is bound as of CUDA 2.0, and 13.0 gave it a parameter");
}

#[test]
fn a_code_names_itself() {
    assert_eq!(CUresult::CUDA_ERROR_INVALID_HANDLE.to_string(), "CUDA_ERROR_INVALID_HANDLE (400)");
    assert_eq!(CUresult(123_456).name(), None);
    assert!(CUresult(123_456).to_string().contains("123456"));
}

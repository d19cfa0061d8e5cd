//! Loading never panics: for every kind of broken library, a typed error names the library and says what to do.

mod stand_in;

use std::fs;
use std::path::Path;

use cuda_ipc_sys::{
    Attempt, CUmulticastGranularity_flags, CUresult, Cause, CudaLibrary, CudaVersion, Driver, LoadError,
};
use stand_in::{StandIn, library};

fn refused(path: &Path) -> LoadError {
    // SAFETY: the library comes from these tests.
    unsafe { Driver::load_from(path) }.expect_err("this is not a driver")
}

/// Returns the only attempt for a library that the loader does not open, and the text of the error.
fn attempt(path: &Path) -> (Attempt, String) {
    let error = refused(path);
    let LoadError::NotLoaded { wanted: CudaLibrary::Driver, attempts } = &error else { panic!("{error:?}") };
    assert_eq!(attempts.len(), 1, "{error}");
    assert_eq!(attempts[0].library, path);
    let text = error.to_string();
    // The variable would not help whoever named the library.
    assert!(text.contains(&attempts[0].message) && !text.contains("CUDA_IPC_DRIVER"), "{text}");
    (attempts[0].clone(), text)
}

#[test]
fn a_missing_library_is_named_with_the_loaders_message() {
    let (attempt, text) = attempt(Path::new("/nowhere/libcuda.so.1"));
    assert_eq!(attempt.cause, Cause::NotFound);
    assert!(attempt.message.contains("No such file"), "{}", attempt.message);
    assert!(text.contains("/nowhere/libcuda.so.1 was not found") && text.ends_with("Check the path"), "{text}");
}

/// The loader takes an empty path for the program itself.
#[test]
fn an_empty_path_is_refused() {
    let (attempt, text) = attempt(Path::new(""));
    assert_eq!(attempt.cause, Cause::NotFound);
    assert!(text.contains("an empty path names no library"), "{text}");
}

#[test]
fn a_name_that_the_loader_does_not_find_is_not_found() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let (found, text) = attempt(Path::new("libcuda-of-nobody.so.1"));
    assert_eq!(found.cause, Cause::NotFound);
    assert!(text.ends_with("for a file there, write ./libcuda-of-nobody.so.1"), "{text}");
    // The loader's message has the name in another form.
    assert_eq!(attempt(Path::new(OsStr::from_bytes(b"\xff.so"))).0.cause, Cause::NotFound);
}

#[test]
fn a_file_that_is_no_library_is_named_as_such() {
    for contents in ["", "no ELF file", "no ELF file, and longer than the header of one"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("libcuda.so.1");
        fs::write(&path, contents).expect("the folder can be written");
        let (attempt, text) = attempt(&path);
        assert_eq!(attempt.cause, Cause::NotALibrary, "{contents:?}");
        assert!(text.contains("is not a shared library"), "{text}");
    }
}

/// For such a library, glibc's loader reports that there is no such file.
#[test]
fn a_library_for_another_processor_is_named_with_the_processor() {
    const MACHINE: usize = 18;
    let foreign = if cfg!(target_arch = "aarch64") { (62_u16, "x86_64") } else { (183, "aarch64") };
    let driver = library("int cuDriverGetVersion(int *version) { *version = 13000; return 0; }");
    let mut contents = fs::read(&driver.path).expect("the library is there");
    contents[MACHINE..MACHINE + 2].copy_from_slice(&foreign.0.to_le_bytes());
    fs::write(&driver.path, contents).expect("the folder can be written");
    let (attempt, text) = attempt(&driver.path);
    assert_eq!(attempt.cause, Cause::OtherArchitecture { machine: foreign.1.to_owned() });
    assert!(text.contains(foreign.1) && text.contains(std::env::consts::ARCH), "{text}");
}

#[test]
fn a_missing_dependency_is_named() {
    let dependency = library("int needed(void) { return 0; }");
    let source = "int needed(void); int cuDriverGetVersion(int *version) { *version = 13000; return needed(); }";
    let driver = StandIn::linked_with(source, &dependency.path);
    fs::remove_file(&dependency.path).expect("the dependency was there");
    let (attempt, text) = attempt(&driver.path);
    let Cause::MissingDependency { library: Some(library) } = &attempt.cause else { panic!("{attempt:?}") };
    let name = dependency.path.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(library.ends_with(name), "{library}");
    assert!(text.contains("needs") && text.ends_with("or add its folder to LD_LIBRARY_PATH"), "{text}");
}

#[test]
fn a_library_without_the_drivers_functions_is_no_driver() {
    let error = refused(&library("int something_else(void) { return 0; }").path);
    let LoadError::AnotherLibrary { symbol, .. } = error else { panic!("{error:?}") };
    assert_eq!(symbol, c"cuDriverGetVersion");
}

#[test]
fn the_toolkits_stub_is_recognised() {
    let error = refused(&library("int cuDriverGetVersion(int *version) { return 34; }").path);
    assert!(matches!(error, LoadError::Stub { .. }), "{error:?}");
    assert!(error.to_string().contains("stub"), "{error}");
}

#[test]
fn a_driver_that_does_not_tell_its_version_is_refused_with_its_code() {
    let error = refused(&library("int cuDriverGetVersion(int *version) { return 999; }").path);
    let LoadError::NoVersion { code, .. } = error else { panic!("{error:?}") };
    assert_eq!(CUresult(code), CUresult::CUDA_ERROR_UNKNOWN);
    assert!(error.to_string().contains("CUDA_ERROR_UNKNOWN"), "{error}");
}

/// A driver of CUDA 11.4 without cuGetProcAddress.
const OLD: &str = "
    int cuDriverGetVersion(int *version) { *version = 11040; return 0; }
    int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }
";

#[test]
fn a_missing_function_is_an_error_with_both_versions() {
    // SAFETY: the library comes from these tests.
    let driver = unsafe { Driver::load_from(library(OLD).path.as_path()) }.expect("this is a driver");
    assert_eq!(driver.version(), CudaVersion(11040));
    const MINIMUM: CUmulticastGranularity_flags = CUmulticastGranularity_flags::CU_MULTICAST_GRANULARITY_MINIMUM;
    let mut count = 0;
    // SAFETY: the output is valid, and this driver does not have the function.
    let missing = unsafe { driver.cuMulticastGetGranularity(&mut count, std::ptr::null(), MINIMUM) };
    let missing = missing.expect_err("CUDA 11.4 has no multicast objects");
    assert_eq!(
        (missing.name, missing.needs, missing.found),
        (c"cuMulticastGetGranularity", CudaVersion(12010), CudaVersion(11040))
    );
    assert!(missing.to_string().contains("12.1") && missing.to_string().contains("11.4"), "{missing}");
}

#[test]
fn a_driver_without_cu_get_proc_address_is_used_by_exported_names() {
    // SAFETY: the library comes from these tests.
    let driver = unsafe { Driver::load_from(library(OLD).path.as_path()) }.expect("this is a driver");
    // SAFETY: the library above accepts any flags.
    let (good, bad) = unsafe { (driver.cuInit(0), driver.cuInit(7)) };
    assert_eq!(good, Ok(CUresult::CUDA_SUCCESS));
    assert_eq!(bad, Ok(CUresult::CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn a_code_names_itself() {
    assert_eq!(CUresult::CUDA_ERROR_INVALID_HANDLE.to_string(), "CUDA_ERROR_INVALID_HANDLE (400)");
    assert_eq!(CUresult(123_456).name(), None);
    assert!(CUresult(123_456).to_string().contains("123456"));
}

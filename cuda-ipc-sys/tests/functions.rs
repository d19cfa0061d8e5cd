//! Functions of the per-thread default stream, functions that the table lacks, and what errors and values print.

#![cfg(target_os = "linux")]

mod stand_in;

use std::error::Error as _;
use std::ffi::{CStr, c_int, c_void};
use std::path::PathBuf;

use cuda_ipc_sys::runtime::{Runtime, cudaError};
use cuda_ipc_sys::{
    CUdevice, CUmemAllocationHandleType as Handles, CUmemAllocationProp, CUmemLocation, CUmemLocationType as Place,
    CUresult, CudaVersion, Driver, Error, Functions, SYMBOLS, function,
};
use stand_in::{StandIn, library};

/// A driver whose functions return which of them was called: 1 for the legacy default stream, 2 for the per-thread one.
fn with_two_streams() -> StandIn {
    library(
        "int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
        static int legacy(void) { return 1; }
        static int per_thread(void) { return 2; }
        int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long long flags, int *reason) {
            *found = flags == 2 ? per_thread : legacy;
            return 0;
        }",
    )
}

#[test]
fn a_second_table_is_for_the_per_thread_default_stream() {
    let library = with_two_streams();
    // SAFETY: the library comes from this test.
    let driver = unsafe { Driver::load_from(&library.path) }.expect("this is a driver");
    let per_thread = driver.per_thread();
    // SAFETY: the stand-in uses no argument.
    unsafe {
        assert_eq!(driver.cuMemFreeAsync(0, std::ptr::null_mut()), Ok(CUresult(1)));
        assert_eq!(per_thread.cuMemFreeAsync(0, std::ptr::null_mut()), Ok(CUresult(2)));
    }
    let address = |driver: &Driver| driver.address(c"cuNewThing", CudaVersion(13_000)).ok();
    assert_ne!(address(&driver), address(&per_thread));
    assert_eq!(per_thread.path(), driver.path());
}

/// Such a driver cannot be asked by version, and has a function of its own for each default stream.
#[test]
fn a_driver_before_11_3_exports_the_functions_of_the_per_thread_default_stream() {
    let library = library(
        "int cuDriverGetVersion(int *version) { *version = 11020; return 0; }
        int cuMemsetD8_v2(void) { return 1; }
        int cuMemsetD8_v2_ptds(void) { return 2; }
        int cuStreamQuery(void) { return 3; }
        int cuCtxGetDevice(void) { return 4; }",
    );
    // SAFETY: the library comes from this test.
    let driver = unsafe { Driver::load_from(&library.path) }.expect("this is a driver");
    let per_thread = driver.per_thread();
    // SAFETY: the stand-in uses no argument.
    unsafe {
        assert_eq!(driver.cuMemsetD8(0, 0, 0), Ok(CUresult(1)));
        assert_eq!(per_thread.cuMemsetD8(0, 0, 0), Ok(CUresult(2)));
        assert_eq!(per_thread.cuCtxGetDevice(std::ptr::null_mut()), Ok(CUresult(4)));
        // The function of the legacy default stream does not stand in.
        assert!(per_thread.cuStreamQuery(std::ptr::null_mut()).is_err());
    }
    // The exported name of a function that is not in the table does not tell its version.
    assert!(driver.address(c"cuMemsetD8", CudaVersion(3_020)).is_ok());
    assert!(driver.address(c"cuMemsetD8", CudaVersion(2_000)).is_err());
    assert!(driver.exported(c"cuMemsetD8_v2").is_some() && driver.exported(c"cuMemsetD8").is_none());
}

/// An older runtime exports names that have another signature in the table.
#[test]
fn a_runtime_lacks_functions_whose_signature_came_later() {
    let library = library(
        "int cudaRuntimeGetVersion(int *version) { *version = 12040; return 0; }
        int cudaMemPrefetchAsync(void) { return 1; }
        int cudaStreamQuery(void) { return 2; }
        int cudaStreamQuery_ptsz(void) { return 3; }",
    );
    // SAFETY: the library comes from this test.
    let runtime = unsafe { Runtime::load_from(&library.path) }.expect("this is a runtime");
    let missing: Vec<_> = runtime.missing_symbols().map(|missing| missing.name).collect();
    assert!(missing.contains(&c"cudaMemPrefetchAsync") && !missing.contains(&c"cudaStreamQuery"));
    // SAFETY: the stand-in uses no argument.
    unsafe {
        assert_eq!(runtime.cudaStreamQuery(std::ptr::null_mut()), Ok(cudaError(2)));
        assert_eq!(runtime.per_thread().cudaStreamQuery(std::ptr::null_mut()), Ok(cudaError(3)));
    }
    // With the old signature, the function can be found on purpose.
    let old = function!(runtime, fn cudaMemPrefetchAsync(pointer: *const c_void) -> cudaError, since 11080);
    // SAFETY: as above.
    assert_eq!(old.map(|old| unsafe { old(std::ptr::null()) }), Ok(cudaError(1)));
}

/// A runtime of CUDA 12 exports some functions of CUDA 13 under a name with a version. The name alone has the old
/// signature there.
#[test]
fn an_older_runtime_has_a_function_under_its_earlier_name() {
    let library = library(
        "int cudaRuntimeGetVersion(int *version) { *version = 12040; return 0; }
        int cudaMemPrefetchAsync(void) { return 1; }
        int cudaMemPrefetchAsync_v2(void) { return 2; }
        int cudaMemPrefetchAsync_v2_ptsz(void) { return 3; }",
    );
    // SAFETY: the library comes from this test.
    let runtime = unsafe { Runtime::load_from(&library.path) }.expect("this is a runtime");
    for (table, expected) in
        [(&runtime, c"cudaMemPrefetchAsync_v2"), (&runtime.per_thread(), c"cudaMemPrefetchAsync_v2_ptsz")]
    {
        let expected = table.exported(expected);
        let bound = table.functions().cudaMemPrefetchAsync.map(|function| function as *mut c_void);
        assert_eq!(bound.and_then(std::ptr::NonNull::new), expected);
        assert_eq!(table.address(c"cudaMemPrefetchAsync", CudaVersion(13_000)).ok(), expected);
        assert_eq!(table.address(c"cudaMemPrefetchAsync_v2", CudaVersion(12_020)).ok(), expected);
    }
    let old = runtime.exported(c"cudaMemPrefetchAsync");
    assert_eq!(runtime.address(c"cudaMemPrefetchAsync", CudaVersion(8_000)).ok(), old);
}

/// CUDA 13 has another function by the old name.
#[test]
fn a_newer_runtime_does_not_give_its_function_an_older_signature() {
    let library = library(
        "int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }
        int cudaMemPrefetchAsync(void) { return 1; }
        int cudaMalloc(void) { return 2; }",
    );
    // SAFETY: the library comes from this test.
    let runtime = unsafe { Runtime::load_from(&library.path) }.expect("this is a runtime");
    let error = runtime.address(c"cudaMemPrefetchAsync", CudaVersion(12_020)).expect_err("it has another signature");
    assert_eq!(
        error.to_string(),
        "the runtime supports CUDA 13.0 but has no cudaMemPrefetchAsync with the signature of 12.2: check the name and \
         the version; another release may have removed or changed it"
    );
    assert!(runtime.address(c"cudaMemPrefetchAsync", CudaVersion(13_000)).is_ok());
    assert!(runtime.address(c"cudaMalloc", CudaVersion(3_000)).is_ok());
}

/// A major version changes signatures under the same name, and the runtime cannot be asked for a version.
#[test]
fn a_runtime_of_a_newer_major_version_is_refused() {
    let library = library("int cudaRuntimeGetVersion(int *version) { *version = 14000; return 0; }");
    // SAFETY: the library comes from this test.
    let error = unsafe { Runtime::load_from(&library.path) }.expect_err("nobody knows its signatures");
    assert!(error.to_string().ends_with("Use a newer version of cuda-ipc-sys, or a runtime of CUDA 13"), "{error}");
}

/// The error names the version, because the driver has the function at another one.
#[test]
fn a_missing_version_of_a_function_is_named() {
    let driver = reference_driver();
    // SAFETY: the driver does not have the function.
    let error = unsafe { driver.cuCtxSynchronize_v2(std::ptr::null_mut()) }.expect_err("the reference driver lacks it");
    let text = error.to_string();
    assert!(text.contains("lacks cuCtxSynchronize with the signature of 13.0"), "{text}");
}

/// Flags can be negative numbers in C. Their bits are still 32.
#[test]
fn unknown_bits_of_a_flag_are_printed_in_the_width_of_the_type() {
    let text = format!("{:?}", cuda_ipc_sys::CUCoredumpGenerationFlags(-1));
    assert!(text.contains(" | ") && text.ends_with("CUCoredumpGenerationFlags(0xbffffe00)"), "{text}");
}

/// The macro declares no item that could hide one of its caller.
#[test]
fn names_of_the_caller_keep_their_meaning_in_the_macro() {
    type Function = c_int;
    const NAME: u32 = 2000;
    fn count<T>(driver: &Driver) -> bool {
        function!(driver, fn cuDeviceGetCount(count: *mut T) -> CUresult, since 2000).is_ok()
    }
    let driver = reference_driver();
    assert!(function!(driver, fn cuDeviceGetCount(count: *mut Function) -> CUresult, since NAME).is_ok());
    assert!(count::<c_int>(&driver));
}

fn reference_driver() -> Driver {
    let program = std::env::current_exe().expect("this executable has a path");
    let library: PathBuf = program.with_file_name("libreference_driver.so");
    // SAFETY: the reference driver is a driver.
    unsafe { Driver::load_from(library) }.expect("the reference driver is built")
}

#[test]
fn a_function_is_found_with_a_signature_of_ones_own() {
    let driver = reference_driver();
    let count = function!(driver, fn cuDeviceGetCount(count: *mut c_int) -> CUresult, since 2000).expect("it is there");
    assert_eq!(count as *const c_void, driver.functions().cuDeviceGetCount.expect("it is bound") as *const c_void);
    let new = function!(driver, fn cuNewThing(device: CUdevice,) -> CUresult, since 14000);
    let error = new.expect_err("no driver has it");
    assert_eq!((error.name, error.needs), (c"cuNewThing", CudaVersion(14_000)));
    assert!(error.to_string().contains("install a newer driver"), "{error}");
    // At its own version, the driver says that it does not know the name.
    let unknown = driver.address(c"cuNewThing", driver.version()).expect_err("no driver has it");
    assert!(unknown.to_string().contains("has no cuNewThing"), "{unknown}");
}

#[test]
fn a_table_is_made_of_as_many_addresses_as_there_are_symbols() {
    let driver = reference_driver();
    let addresses = driver.addresses();
    assert_eq!(addresses.len(), SYMBOLS.len());
    // SAFETY: the addresses are those of a driver.
    let (all, fewer) =
        unsafe { (Functions::from_addresses(addresses), Functions::from_addresses(&addresses[..addresses.len() - 1])) };
    assert_eq!(
        all.expect("all addresses are there").cuInit.map(|init| init as *const c_void),
        driver.functions().cuInit.map(|init| init as *const c_void)
    );
    assert!(fewer.is_none());
}

#[test]
fn one_error_contains_and_prints_each_of_the_others() {
    let fails = |code: CUresult| -> Result<(), Error> { Ok(code.result()?) };
    let error = fails(CUresult::CUDA_ERROR_INVALID_VALUE).expect_err("this is an error");
    assert!(matches!(error, Error::Cuda(CUresult::CUDA_ERROR_INVALID_VALUE)));
    // `main` prints the second form.
    assert_eq!((error.to_string(), format!("{error:?}")), ("CUDA_ERROR_INVALID_VALUE (1)".into(), error.to_string()));
    assert!(error.source().is_none());
    // SAFETY: there is no such library.
    let load = unsafe { Driver::load_from("/nowhere/libcuda.so.1") }.expect_err("no such file");
    assert!(load.to_string().contains("/nowhere/libcuda.so.1"), "{load}");
    let missing = reference_driver().address(c"cuNewThing", CudaVersion(14_000)).expect_err("not there");
    let runtime = cudaError::cudaErrorInvalidValue;
    let (texts, errors) = (
        [load.to_string(), missing.to_string(), runtime.to_string()],
        [Error::from(load), Error::from(missing), Error::from(runtime)],
    );
    assert!(matches!(&errors, [Error::Load(_), Error::Missing(_), Error::Runtime(_)]), "{errors:?}");
    for (text, error) in texts.into_iter().zip(&errors) {
        assert_eq!((error.to_string(), format!("{error:?}")), (text.clone(), text));
        // What prints a chain of sources must not print the contained error a second time.
        assert!(error.source().is_none(), "{error}");
    }
}

#[test]
fn values_print_the_names_of_enumerators() {
    let both = Handles::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | Handles::CU_MEM_HANDLE_TYPE_FABRIC;
    for (value, text) in [
        (format!("{both:?}"), "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC"),
        (format!("{:?}", Handles(0)), "CU_MEM_HANDLE_TYPE_NONE"),
        (format!("{:?}", Handles(0x41)), "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CUmemAllocationHandleType(0x40)"),
        (format!("{:?}", Place::CU_MEM_LOCATION_TYPE_DEVICE), "CU_MEM_LOCATION_TYPE_DEVICE"),
        (format!("{:?}", Place(77)), "CUmemLocationType(77)"),
        (format!("{:?}", CUmemLocation::device(3)), "CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 3 }"),
    ] {
        assert_eq!(value, text);
    }
    let properties = CUmemAllocationProp { location: CUmemLocation::device(1), ..Default::default() };
    assert!(format!("{properties:?}").contains("id: 1"), "{properties:?}");
}

/// The constants that are casts or names in C.
#[test]
fn constants_of_macros_have_their_values() {
    use cuda_ipc_sys::*;
    assert_eq!((CU_STREAM_LEGACY as usize, CU_STREAM_PER_THREAD as usize), (1, 2));
    assert_eq!((CU_LAUNCH_PARAM_END as usize, CU_LAUNCH_PARAM_BUFFER_SIZE as usize), (0, 2));
    assert_eq!((CU_DEVICE_CPU, CU_DEVICE_INVALID), (-1, -2));
    let named: CUlaunchAttributeID = CU_KERNEL_NODE_ATTRIBUTE_PRIORITY;
    assert_eq!(named, CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY);
    let _: &CStr = SYMBOLS[0].name;
}

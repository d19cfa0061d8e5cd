//! The runtime: the behaviour that the documentation of the runtime adds to the driver's.
//!
//! Each test runs in a process of its own, because initialisation, contexts and peer access belong to the process.

#[macro_use]
#[path = "../common/own_process.rs"]
mod own_process;
#[macro_use]
#[path = "../common/mod.rs"]
mod common;

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use cuda_ipc_sys::runtime::{Runtime, cudaError};
use cuda_ipc_sys::{CUcontext, CUdeviceptr, CUpointer_attribute, CUresult, CUstream};

const DEFAULT: CUstream = ptr::null_mut();
const MIB: usize = 1 << 20;

const INVALID_VALUE: cudaError = cudaError::cudaErrorInvalidValue;
const INVALID_DEVICE: cudaError = cudaError::cudaErrorInvalidDevice;
const INCOMPATIBLE: cudaError = cudaError::cudaErrorIncompatibleDriverContext;
const SUCCESS: cudaError = cudaError::cudaSuccess;

type Result<T> = std::result::Result<T, cudaError>;

/// Loads the library of the runtime, once for the process. It takes the driver that is loaded already.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        common::driver();
        // SAFETY: the library is the reference driver's runtime.
        unsafe { Runtime::load_from(common::runtime_library()) }.unwrap_or_else(|error| panic!("{error}"))
    })
}

// In these tests `code!` and `call!` call the runtime.

/// Calls the runtime and returns the code.
macro_rules! code {
    ($($call:tt)*) => { code_of!(crate::runtime, $($call)*) };
}

/// Calls the runtime, which must succeed.
macro_rules! call {
    ($($call:tt)*) => { call_of!(crate::runtime, $($call)*) };
}

/// Calls the driver and returns the code.
macro_rules! driver_code {
    ($($call:tt)*) => { code_of!(crate::common::driver, $($call)*) };
}

/// Calls the driver, which must succeed.
macro_rules! driver_call {
    ($($call:tt)*) => { call_of!(crate::common::driver, $($call)*) };
}

mod contexts;
mod errors;
mod interop;
mod memory;
mod pools;
mod processes;
mod programs;
mod registration;

fn malloc(size: usize) -> Result<*mut c_void> {
    let mut pointer = ptr::null_mut();
    code!(cudaMalloc(&mut pointer, size)).result().map(|()| pointer)
}

/// Allocates memory, which must succeed.
fn memory(size: usize) -> *mut c_void {
    malloc(size).unwrap_or_else(|code| panic!("{code}"))
}

fn current_device() -> Result<i32> {
    let mut device = -1;
    code!(cudaGetDevice(&mut device)).result().map(|()| device)
}

/// Returns the driver's current context.
fn current() -> std::result::Result<CUcontext, CUresult> {
    let mut context = ptr::null_mut();
    driver_code!(cuCtxGetCurrent(&mut context)).result().map(|()| context)
}

/// Returns whether a device's primary context is active.
fn is_active(device: i32) -> bool {
    let (mut flags, mut active) = (0, 0);
    driver_call!(cuDevicePrimaryCtxGetState(device, &mut flags, &mut active));
    active != 0
}

/// Retains a device's primary context and returns it.
fn primary(device: i32) -> CUcontext {
    let mut context = ptr::null_mut();
    driver_call!(cuInit(0));
    driver_call!(cuDevicePrimaryCtxRetain(&mut context, device));
    context
}

/// Creates a context with the driver API, which makes it current.
fn created(device: i32) -> CUcontext {
    let mut context = ptr::null_mut();
    driver_call!(cuInit(0));
    driver_call!(cuCtxCreate(&mut context, 0, device));
    context
}

/// Returns the context that memory belongs to.
fn context_of(pointer: *mut c_void) -> u64 {
    let mut context = 0_u64;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT;
    driver_call!(cuPointerGetAttribute((&raw mut context).cast(), attribute, pointer as CUdeviceptr));
    context
}

fn text(text: *const c_char) -> String {
    assert!(!text.is_null());
    // SAFETY: the library never frees its texts, and they end with a NUL.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

tests! {
    fn every_function_is_exported() {
        let missing: Vec<_> = runtime().missing_symbols().map(|missing| missing.name.to_string_lossy()).collect();
        let listed = include_str!("../../runtime/names.txt").lines();
        assert_eq!(listed.filter(|name| missing.iter().any(|missing| missing == name)).collect::<Vec<_>>(), [] as [&str; 0]);
        assert_eq!(runtime().version().0, 13000);
    }

    fn versions_need_no_driver() {
        let (mut of_runtime, mut of_driver) = (0, 0);
        call!(cudaRuntimeGetVersion(&mut of_runtime));
        call!(cudaDriverGetVersion(&mut of_driver));
        assert_eq!((of_runtime, of_driver), (13000, 13000));
        assert_eq!(code!(cudaRuntimeGetVersion(ptr::null_mut())), INVALID_VALUE);
        assert_eq!(code!(cudaDriverGetVersion(ptr::null_mut())), INVALID_VALUE);
        assert_eq!(current(), Err(CUresult::CUDA_ERROR_NOT_INITIALIZED));
    }
}

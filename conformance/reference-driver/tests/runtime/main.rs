//! The library as a runtime: what the runtime's documentation adds to the driver's.
//!
//! Each test is a process of its own: what is initialised, which contexts there are and what they reach is a process's.

#[macro_use]
#[path = "../common/own_process.rs"]
mod own_process;
#[path = "../common/mod.rs"]
mod common;

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use cuda_ipc_sys::runtime::{Runtime, cudaError};
use cuda_ipc_sys::{CUcontext, CUdeviceptr, CUpointer_attribute, CUresult, CUstream, Driver};

const DEFAULT: CUstream = ptr::null_mut();
const MIB: usize = 1 << 20;

const INVALID_VALUE: cudaError = cudaError::cudaErrorInvalidValue;
const INVALID_DEVICE: cudaError = cudaError::cudaErrorInvalidDevice;
const INCOMPATIBLE: cudaError = cudaError::cudaErrorIncompatibleDriverContext;
const SUCCESS: cudaError = cudaError::cudaSuccess;

type Result<T> = std::result::Result<T, cudaError>;

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    // SAFETY: the library is the reference driver.
    RUNTIME.get_or_init(|| unsafe { Runtime::load_from(common::library()) }.unwrap_or_else(|error| panic!("{error}")))
}

/// The same library as a driver.
fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    // SAFETY: the library is the reference driver.
    DRIVER.get_or_init(|| unsafe { Driver::load_from(common::library()) }.unwrap_or_else(|error| panic!("{error}")))
}

/// The code of a call of the runtime.
macro_rules! code {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: outputs and inputs are locals of the caller; handles and addresses may be anything for this library.
        unsafe { $crate::runtime().$function($($argument),*) }.unwrap_or_else(|missing| panic!("{missing}"))
    }};
}

/// Perform a call of the runtime, which must succeed.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(code!($function($($argument),*)), $crate::SUCCESS, stringify!($function))
    };
}

/// The code of a call of the driver.
macro_rules! driver_code {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: as for calls of the runtime.
        unsafe { $crate::driver().$function($($argument),*) }.unwrap_or_else(|missing| panic!("{missing}"))
    }};
}

/// Perform a call of the driver, which must succeed.
macro_rules! driver_call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(driver_code!($function($($argument),*)), CUresult::CUDA_SUCCESS, stringify!($function))
    };
}

mod contexts;
mod errors;
mod interop;
mod memory;
mod pools;
mod processes;

fn malloc(size: usize) -> Result<*mut c_void> {
    let mut pointer = ptr::null_mut();
    code!(cudaMalloc(&mut pointer, size)).result().map(|()| pointer)
}

/// Memory that has to be there.
fn memory(size: usize) -> *mut c_void {
    malloc(size).unwrap_or_else(|code| panic!("{code}"))
}

fn current_device() -> Result<i32> {
    let mut device = -1;
    code!(cudaGetDevice(&mut device)).result().map(|()| device)
}

/// The driver's current context.
fn current() -> std::result::Result<CUcontext, CUresult> {
    let mut context = ptr::null_mut();
    driver_code!(cuCtxGetCurrent(&mut context)).result().map(|()| context)
}

/// Whether a device's primary context is active.
fn is_active(device: i32) -> bool {
    let (mut flags, mut active) = (0, 0);
    driver_call!(cuDevicePrimaryCtxGetState(device, &mut flags, &mut active));
    active != 0
}

/// A device's primary context, retained once more.
fn primary(device: i32) -> CUcontext {
    let mut context = ptr::null_mut();
    driver_call!(cuInit(0));
    driver_call!(cuDevicePrimaryCtxRetain(&mut context, device));
    context
}

/// A context that the driver's API creates, and makes current.
fn created(device: i32) -> CUcontext {
    let mut context = ptr::null_mut();
    driver_call!(cuInit(0));
    driver_call!(cuCtxCreate(&mut context, 0, device));
    context
}

/// The context that memory is of.
fn context_of(pointer: *mut c_void) -> u64 {
    let mut context = 0_u64;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT;
    driver_call!(cuPointerGetAttribute((&raw mut context).cast(), attribute, pointer as CUdeviceptr));
    context
}

fn text(text: *const c_char) -> String {
    assert!(!text.is_null());
    // SAFETY: the library keeps its texts, which end with a NUL.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

tests! {
    fn every_function_is_exported() {
        assert_eq!(runtime().missing_symbols().map(|missing| missing.name).collect::<Vec<_>>(), [] as [&CStr; 0]);
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

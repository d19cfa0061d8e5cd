//! Code of others, which programs register when they are loaded: a compiler of CUDA adds these calls to a program. Code
//! is accepted, and its kernels are refused when they are launched.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::runtime::{cudaError, cudaLaunchConfig_t, dim3};
use cuda_ipc_sys::{CUfunction, CUstream};

use super::answer::{Error, Result};
use crate::answer::{Input, NOT_SUPPORTED, Output};
use crate::environment::note;
use crate::process::state;

/// The kernels of the programs of this process.
#[derive(Default)]
struct Registered {
    /// The handles of registered code.
    codes: HashSet<usize>,
    /// The codes that have a kernel, and its name in each, by the address of the function on the host that stands for it.
    kernels: HashMap<usize, Vec<(usize, Name)>>,
}

/// A kernel's name, in the memory of the program that registered it.
#[derive(Clone, Copy)]
struct Name(*const c_char);

// SAFETY: the name is constant data of a loaded program.
unsafe impl Send for Name {}

/// This lock is held for no other call.
fn registered() -> MutexGuard<'static, Registered> {
    static REGISTERED: LazyLock<Mutex<Registered>> = LazyLock::new(Mutex::default);
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// The configurations of launches in the `<<<…>>>` form that have begun.
    static CONFIGURATIONS: RefCell<Vec<(dim3, dim3, usize, CUstream)>> = const { RefCell::new(Vec::new()) };
}

/// Registers the code of a program, and returns a handle. The code itself is never read.
extern "C" fn __cudaRegisterFatBinary(_code: *const c_void) -> *mut *mut c_void {
    let handle = Box::into_raw(Box::new(ptr::null_mut::<c_void>()));
    registered().codes.insert(handle as usize);
    handle
}

const extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

extern "C" fn __cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    let mut registered = registered();
    if registered.codes.remove(&(handle as usize)) {
        registered.kernels.retain(|_, codes| {
            codes.retain(|(code, _)| *code != handle as usize);
            !codes.is_empty()
        });
        // SAFETY: the handle is from `__cudaRegisterFatBinary`, and this was its last use.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// Registers a kernel. What follows the name limits a launch, which is refused anyway.
extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    function: *const c_void,
    _of_device: *const c_char,
    name: *const c_char,
) {
    let mut registered = registered();
    // Nothing would end the registration with other code, and the name may go with the program.
    if registered.codes.contains(&(handle as usize)) {
        registered.kernels.entry(function as usize).or_default().push((handle as usize, Name(name)));
    }
}

/// Registers a variable. No function of this runtime finds it.
const extern "C" fn __cudaRegisterVar(_handle: *mut *mut c_void) {}

/// Begins a launch. Returns 0, which tells the program to go on with it.
extern "C" fn __cudaPushCallConfiguration(grid: dim3, block: dim3, shared: usize, stream: CUstream) -> c_int {
    CONFIGURATIONS.with_borrow_mut(|known| known.push((grid, block, shared, stream)));
    0
}

offer! {
    __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd __cudaUnregisterFatBinary __cudaRegisterFunction
    __cudaRegisterVar __cudaPushCallConfiguration
}

/// Launches a kernel: one of a library that was loaded with the runtime, or one that a program registered, which is
/// refused.
fn launch(
    function: *const c_void,
    grid: dim3,
    block: dim3,
    arguments: Input<*const c_void>,
    shared: usize,
    stream: CUstream,
) -> Result<()> {
    let name = registered().kernels.get(&(function as usize)).and_then(|codes| codes.last()).map(|(_, name)| *name);
    if let Some(name) = name {
        // SAFETY: the program that registered the kernel is loaded, since it launches the kernel.
        let name = if name.0.is_null() { c"" } else { unsafe { CStr::from_ptr(name.0) } };
        let name = name.to_string_lossy();
        note(format_args!(
            "the kernel `{name}` cannot be launched: only the reference driver's own kernels run on the CPU"
        ));
        return Err(NOT_SUPPORTED.into());
    }
    // The other kernels are those of loaded libraries.
    if !state()?.has_kernel(function as u64) {
        return Err(Error(cudaError::cudaErrorInvalidDeviceFunction));
    }
    // SAFETY: null stands for no other arguments.
    let extra = unsafe { Input::new(ptr::null()) };
    driver!(module::cuLaunchKernel(
        function as CUfunction,
        grid.x,
        grid.y,
        grid.z,
        block.x,
        block.y,
        block.z,
        shared as u32,
        stream,
        arguments,
        extra
    ))
}

runtime_calls! {
    free fn __cudaPopCallConfiguration(
        grid: Output<dim3>,
        block: Output<dim3>,
        shared: Output<usize>,
        stream: Output<CUstream>,
    ) {
        let last = CONFIGURATIONS.with_borrow_mut(Vec::pop);
        let last = last.ok_or(Error(cudaError::cudaErrorMissingConfiguration))?;
        grid.give(last.0)?;
        block.give(last.1)?;
        shared.give(last.2)?;
        Ok(stream.give(last.3)?)
    }

    // A registered kernel is named by its function on the host.
    initialised fn __cudaGetKernel(kernel: Output<*const c_void>, function: *const c_void) {
        if !registered().kernels.contains_key(&(function as usize)) {
            return Err(Error(cudaError::cudaErrorInvalidDeviceFunction));
        }
        Ok(kernel.give(function)?)
    }

    // Launches with attributes are those of the driver's `cuLaunchKernelEx`, which takes other structures.
    active fn cudaLaunchKernelExC(
        config: Input<cudaLaunchConfig_t>,
        function: *const c_void,
        arguments: Input<*const c_void>,
    ) {
        let config = config.value()?;
        if config.numAttrs != 0 && state()?.has_kernel(function as u64) {
            return Err(NOT_SUPPORTED.into());
        }
        launch(function, config.gridDim, config.blockDim, arguments, config.dynamicSmemBytes, config.stream as CUstream)
    }
}

macro_rules! launches {
    ($($name:ident)*) => {
        runtime_calls! {$(
            active fn $name(
                function: *const c_void,
                grid: dim3,
                block: dim3,
                arguments: Input<*const c_void>,
                shared: usize,
                stream: CUstream,
            ) {
                launch(function, grid, block, arguments, shared, stream)
            }
        )*}
    };
}

// A cooperative launch is an ordinary one here: one loop does the work of all threads of a kernel, so its blocks do not
// have to wait for each other.
launches! { __cudaLaunchKernel cudaLaunchKernel cudaLaunchCooperativeKernel }

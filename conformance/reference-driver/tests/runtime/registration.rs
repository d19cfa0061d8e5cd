//! Code that a program registers when it is loaded, and launches.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use cuda_ipc_sys::runtime::{cudaError, cudaLaunchConfig_t, cudaMemcpyKind, dim3};
use libloading::Library;

use crate::common::runtime_library;
use crate::*;

type Handle = *mut *mut c_void;

const NOT_SUPPORTED: cudaError = cudaError::cudaErrorNotSupported;
const UNKNOWN_FUNCTION: cudaError = cudaError::cudaErrorInvalidDeviceFunction;
const ONE: dim3 = dim3 { x: 1, y: 1, z: 1 };

/// Looks up a function that only compiled programs call: the bindings have none of these.
fn function<T: Copy>(name: &CStr) -> T {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    // The runtime is loaded, and so is the driver.
    runtime();
    // SAFETY: the library is the reference driver's runtime.
    let library = LIBRARY.get_or_init(|| unsafe { Library::new(runtime_library()) }.expect("it is loaded"));
    // SAFETY: the callers below name the signatures that compilers use.
    *unsafe { library.get::<T>(name) }.unwrap_or_else(|error| panic!("{error}"))
}

fn register_code() -> Handle {
    let register: extern "C" fn(*const c_void) -> Handle = function(c"__cudaRegisterFatBinary");
    let handle = register((&raw const STUB).cast());
    assert!(!handle.is_null());
    handle
}

fn register_kernel(handle: Handle, stub: *const c_void, name: &'static CStr) {
    type Register = extern "C" fn(
        Handle,
        *const c_void,
        *const c_char,
        *const c_char,
        c_int,
        *const c_void,
        *const c_void,
        *const c_void,
        *const c_void,
        *const c_void,
    );
    let none = ptr::null();
    let register: Register = function(c"__cudaRegisterFunction");
    register(handle, stub, name.as_ptr(), name.as_ptr(), -1, none, none, none, none, none);
    function::<extern "C" fn(Handle)>(c"__cudaRegisterFatBinaryEnd")(handle);
}

fn unregister(handle: Handle) {
    function::<extern "C" fn(Handle)>(c"__cudaUnregisterFatBinary")(handle);
}

fn launch(function: *const c_void) -> cudaError {
    code!(cudaLaunchKernel(function, ONE, ONE, ptr::null_mut(), 0, DEFAULT))
}

/// A function on the host that stands for a kernel. Its address is its name.
static STUB: u8 = 0;

tests! {
    fn registered_code_is_accepted_and_its_kernels_are_refused() {
        let stub = (&raw const STUB).cast();
        let handle = register_code();
        register_kernel(handle, stub, c"_Z3addPii");
        assert_eq!(current(), Err(CUresult::CUDA_ERROR_NOT_INITIALIZED), "programs are loaded before they use a device");
        assert_eq!(launch(stub), NOT_SUPPORTED);
        assert_eq!(code!(cudaGetLastError()), NOT_SUPPORTED);
        assert_eq!(code!(cudaLaunchCooperativeKernel(stub, ONE, ONE, ptr::null_mut(), 0, DEFAULT)), NOT_SUPPORTED);
        let config = cudaLaunchConfig_t { gridDim: ONE, blockDim: ONE, ..Default::default() };
        assert_eq!(code!(cudaLaunchKernelExC(&config, stub, ptr::null_mut())), NOT_SUPPORTED);
        let mut kernel = ptr::null();
        let get: extern "C" fn(*mut *const c_void, *const c_void) -> cudaError = function(c"__cudaGetKernel");
        assert_eq!(get(&mut kernel, stub), SUCCESS);
        assert_eq!(get(&mut kernel, (&raw const kernel).cast()), UNKNOWN_FUNCTION);
        type Launch = extern "C" fn(*const c_void, dim3, dim3, *mut *mut c_void, usize, CUstream) -> cudaError;
        let launch_kernel: Launch = function(c"__cudaLaunchKernel");
        assert_eq!(launch_kernel(kernel, ONE, ONE, ptr::null_mut(), 0, DEFAULT), NOT_SUPPORTED);
        unregister(handle);
        assert_eq!(launch(stub), UNKNOWN_FUNCTION);
        unregister(handle);
    }

    fn unregistered_code_takes_only_its_own_kernels_along() {
        static OTHER: u8 = 0;
        let (stub, other) = ((&raw const STUB).cast(), (&raw const OTHER).cast());
        let (one, two) = (register_code(), register_code());
        register_kernel(one, stub, c"one");
        register_kernel(two, other, c"two");
        unregister(one);
        assert_eq!((launch(stub), launch(other)), (UNKNOWN_FUNCTION, NOT_SUPPORTED));
    }

    fn a_kernel_stays_registered_as_long_as_one_of_its_codes() {
        let stub = (&raw const STUB).cast();
        for unregistered_first in [0, 1] {
            let codes = [register_code(), register_code()];
            for code in codes {
                register_kernel(code, stub, c"twice");
            }
            unregister(codes[unregistered_first]);
            assert_eq!(launch(stub), NOT_SUPPORTED, "it is still registered with the other code");
            unregister(codes[1 - unregistered_first]);
            assert_eq!(launch(stub), UNKNOWN_FUNCTION);
        }
    }

    fn a_kernel_of_unregistered_code_is_unknown() {
        let stub = (&raw const STUB).cast();
        let code = register_code();
        unregister(code);
        register_kernel(code, stub, c"late");
        register_kernel(ptr::null_mut(), stub, c"none");
        assert_eq!(launch(stub), UNKNOWN_FUNCTION);
    }

    fn a_launch_gets_its_configuration_back() {
        type Push = extern "C" fn(dim3, dim3, usize, CUstream) -> u32;
        type Pop = extern "C" fn(*mut dim3, *mut dim3, *mut usize, *mut CUstream) -> cudaError;
        let push: Push = function(c"__cudaPushCallConfiguration");
        let pop: Pop = function(c"__cudaPopCallConfiguration");
        let size = |x| dim3 { x, y: x + 1, z: x + 2 };
        let stream = 2 as CUstream;
        assert_eq!((push(size(1), size(10), 7, stream), push(size(20), size(30), 8, DEFAULT)), (0, 0));
        let (mut grid, mut block, mut shared, mut found) = (ONE, ONE, 0, DEFAULT);
        for (expected, bytes, expected_stream) in [((20, 32), 8, DEFAULT), ((1, 12), 7, stream)] {
            assert_eq!(pop(&mut grid, &mut block, &mut shared, &mut found), SUCCESS);
            assert_eq!(((grid.x, block.z), shared, found), (expected, bytes, expected_stream));
        }
        assert_eq!(pop(&mut grid, &mut block, &mut shared, &mut found), cudaError::cudaErrorMissingConfiguration);
    }

    fn a_kernel_of_this_repository_is_launched_from_its_library() {
        let (mut library, mut kernel, mut kernels_of_it) = (ptr::null_mut(), ptr::null_mut(), 0);
        let (none, nothing) = (ptr::null_mut(), ptr::null_mut());
        let image = kernels::FILL.ptx.as_ptr().cast();
        call!(cudaLibraryLoadData(&mut library, image, none, nothing, 0, ptr::null_mut(), ptr::null_mut(), 0));
        call!(cudaLibraryGetKernelCount(&mut kernels_of_it, library));
        call!(cudaLibraryGetKernel(&mut kernel, library, kernels::FILL.entry.as_ptr()));
        assert_eq!(kernels_of_it, 1);
        let (words, count, seed) = (memory(4096) as u64, 1024_u64, 5_u32);
        let mut arguments: [*mut c_void; 3] = [(&raw const words) as _, (&raw const count) as _, (&raw const seed) as _];
        call!(cudaLaunchKernel(kernel as *const c_void, ONE, ONE, arguments.as_mut_ptr(), 0, DEFAULT));
        let mut found = [0_u32; 1024];
        let kind = cudaMemcpyKind::cudaMemcpyDeviceToHost;
        call!(cudaMemcpy(found.as_mut_ptr().cast(), words as *const c_void, 4096, kind));
        assert!((0..).zip(found).all(|(index, word)| word == kernels::pattern(seed, index)));
        call!(cudaLibraryUnload(library));
        assert_eq!(launch(kernel as *const c_void), UNKNOWN_FUNCTION);
    }
}

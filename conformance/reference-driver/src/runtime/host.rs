//! Page-locked host memory. The flags have the driver's values.

use std::ffi::c_void;

use crate::answer::Output;

runtime_calls! {
    active fn cudaMallocHost(pointer: Output<*mut c_void>, size: usize) {
        driver!(host::cuMemHostAlloc(pointer, size, 0))
    }

    active fn cudaHostAlloc(pointer: Output<*mut c_void>, size: usize, flags: u32) {
        driver!(host::cuMemHostAlloc(pointer, size, flags))
    }

    active fn cudaHostRegister(pointer: *mut c_void, size: usize, flags: u32) {
        driver!(host::cuMemHostRegister_v2(pointer, size, flags))
    }

    active fn cudaHostUnregister(pointer: *mut c_void) {
        driver!(host::cuMemHostUnregister(pointer))
    }

    active fn cudaFreeHost(pointer: *mut c_void) {
        if pointer.is_null() {
            return Ok(());
        }
        driver!(host::cuMemFreeHost(pointer))
    }
}

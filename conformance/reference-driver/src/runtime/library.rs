//! Libraries: images that belong to no context. Kernels and functions have the driver's handles.

use std::ffi::{c_char, c_void};

use cuda_ipc_sys::{CUdeviceptr, CUjit_option, CUkernel, CUlibrary, CUlibraryOption};

use crate::answer::{Input, Output};

runtime_calls! {
    initialised fn cudaLibraryLoadData(
        library: Output<CUlibrary>,
        image: Input<c_char>,
        options: Input<CUjit_option>,
        values: Input<*mut c_void>,
        count: u32,
        library_options: Input<CUlibraryOption>,
        library_values: Input<*mut c_void>,
        library_count: u32,
    ) {
        driver!(library::cuLibraryLoadData(
            library, image, options, values, count, library_options, library_values, library_count
        ))
    }

    initialised fn cudaLibraryLoadFromFile(
        library: Output<CUlibrary>,
        path: Input<c_char>,
        options: Input<CUjit_option>,
        values: Input<*mut c_void>,
        count: u32,
        library_options: Input<CUlibraryOption>,
        library_values: Input<*mut c_void>,
        library_count: u32,
    ) {
        driver!(library::cuLibraryLoadFromFile(
            library, path, options, values, count, library_options, library_values, library_count
        ))
    }

    initialised fn cudaLibraryUnload(library: CUlibrary) {
        driver!(library::cuLibraryUnload(library))
    }

    initialised fn cudaLibraryGetKernel(kernel: Output<CUkernel>, library: CUlibrary, name: Input<c_char>) {
        driver!(library::cuLibraryGetKernel(kernel, library, name))
    }

    initialised fn cudaLibraryGetKernelCount(count: Output<u32>, library: CUlibrary) {
        driver!(library::cuLibraryGetKernelCount(count, library))
    }

    active fn cudaLibraryGetGlobal(
        pointer: Output<CUdeviceptr>,
        size: Output<usize>,
        library: CUlibrary,
        name: Input<c_char>,
    ) {
        driver!(library::cuLibraryGetGlobal(pointer, size, library, name))
    }
}

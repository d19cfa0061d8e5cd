//! A library that stands before a CUDA driver and alters one of its answers.
//!
//! Programs load it as their `libcuda`. It loads the real driver and exports the driver functions of `cuda-ipc-sys`.
//! Each exported function jumps through a table, with the caller's arguments untouched. The table has the real driver's
//! function, or the altered one of the chosen fault: see [`interposer_faults`].
//!
//! # Environment
//!
//! - `FAULT_INTERPOSER_LIBRARY`: the real driver, `libcuda.so.1` by default.
//! - `FAULT_INTERPOSER_FAULT`: the name of a fault. Without one, nothing is altered.

// The exported functions have the names of the C API.
#![allow(non_snake_case)]

mod proc_address;

/// Exports functions that jump through the table of `interposer_faults`, and finds them by their place.
macro_rules! exports {
    ($($place:literal $name:ident)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                interposer_faults::jump_through_the_table!($place)
            }
        )*

        /// Returns the exported function at a place of the table; null for cuGetProcAddress.
        fn export(place: usize) -> *mut std::ffi::c_void {
            match place {
                $($place => $name as *mut std::ffi::c_void,)*
                _ => std::ptr::null_mut(),
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));

//! The runtime: `libcudart`, for those who share memory with code that is written against it.
//!
//! Its functions are found by name: where one changed between major versions it got another name. It initialises
//! devices by itself, numbers its errors in its own way, and hands out the driver's pointers, streams and events.
//!
//! ```no_run
//! use cuda_ipc_sys::runtime::{Runtime, cudaIpcMemHandle_t};
//!
//! fn export(pointer: *mut std::ffi::c_void) -> Result<cudaIpcMemHandle_t, Box<dyn std::error::Error>> {
//!     let runtime = Runtime::get()?;
//!     let mut handle = cudaIpcMemHandle_t::default();
//!     // SAFETY: `handle` is valid for writing; the runtime itself refuses a pointer that it cannot export.
//!     unsafe { runtime.cudaIpcGetMemHandle(&mut handle, pointer)? }.result()?;
//!     Ok(handle)
//! }
//! ```

// Generated, in C's names. A generator cannot write comments: the reasons of its unsafe blocks are in its source.
#[cfg(not(feature = "bindgen"))]
#[rustfmt::skip]
#[allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::all)]
#[allow(clippy::undocumented_unsafe_blocks)]
mod bindings;
#[cfg(feature = "bindgen")]
#[allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::all)]
#[allow(clippy::undocumented_unsafe_blocks)]
mod bindings {
    include!(concat!(env!("OUT_DIR"), "/runtime/bindings.rs"));
}
#[rustfmt::skip]
#[allow(non_camel_case_types, non_snake_case, clippy::undocumented_unsafe_blocks)]
mod functions;

use std::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};

pub use bindings::*;
pub use functions::*;

use crate::library::{Once, Opened, loaded};
use crate::{CudaLibrary, CudaVersion, LoadError, MissingSymbol, Symbol};

/// A CUDA runtime: its library, and the functions that were found in it.
///
/// It loads without a driver too, and then answers most calls with `cudaErrorInsufficientDriver`. A runtime of CUDA 11
/// answers so even when asked for its version, which then counts as 11.0.
pub struct Runtime {
    path: PathBuf,
    version: CudaVersion,
    addresses: [*const c_void; SYMBOLS.len()],
}

impl Runtime {
    /// The process's runtime, loaded on the first call: `libcudart.so.13`, `.12` or `.11.0`, or what
    /// [`RUNTIME_VARIABLE`] names.
    ///
    /// A failure is not kept: the next call tries again.
    ///
    /// # Errors
    /// [`LoadError`], with every name that was tried and why it was not loaded.
    ///
    /// [`RUNTIME_VARIABLE`]: crate::RUNTIME_VARIABLE
    pub fn get() -> Result<&'static Self, LoadError> {
        static RUNTIME: Once<Runtime> = Once::new();
        RUNTIME.get(|| Self::load(&CudaLibrary::Runtime.candidates()))
    }

    fn load(candidates: &[PathBuf]) -> Result<Self, LoadError> {
        let opened = Opened::first(CudaLibrary::Runtime, candidates)?;
        let addresses = SYMBOLS.each_ref().map(|symbol| opened.address(symbol.exported));
        let (path, version) = opened.keep();
        Ok(Self { path, version, addresses })
    }
}

loaded!(Runtime);

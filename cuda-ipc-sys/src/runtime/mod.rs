//! The CUDA runtime, `libcudart`, for programs that share memory with code written against it.
//!
//! Its functions are looked up by name: a function that changed between major versions got another name. The runtime
//! initialises devices by itself and has its own error codes. It uses the driver's pointers, streams and events.
//!
//! ```no_run
//! use cuda_ipc_sys::runtime::{Runtime, cudaIpcMemHandle_t};
//!
//! fn export(pointer: *mut std::ffi::c_void) -> Result<cudaIpcMemHandle_t, Box<dyn std::error::Error>> {
//!     let runtime = Runtime::get()?;
//!     let mut handle = cudaIpcMemHandle_t::default();
//!     // SAFETY: `handle` is valid for writing; the runtime rejects a pointer that it cannot export.
//!     unsafe { runtime.cudaIpcGetMemHandle(&mut handle, pointer)? }.result()?;
//!     Ok(handle)
//! }
//! ```

// Generated, with C's names. The generator cannot emit comments: the reasons for its unsafe blocks are in its source.
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
/// It also loads without a driver, but then returns `cudaErrorInsufficientDriver` from most calls. A runtime of CUDA 11
/// returns that code even for its own version, which then counts as 11.0.
pub struct Runtime {
    path: PathBuf,
    version: CudaVersion,
    addresses: [*const c_void; SYMBOLS.len()],
}

impl Runtime {
    /// Returns the process's runtime, and loads it on the first call: the library that [`RUNTIME_VARIABLE`] names,
    /// otherwise `libcudart.so.13`, `.12` or `.11.0`. On Windows, these are `cudart64_13.dll`, `_12` and `_110`.
    ///
    /// One of these that the process has loaded already is preferred, because a second runtime would have another state.
    ///
    /// A failure is not cached: the next call tries again.
    ///
    /// # Errors
    /// [`LoadError`], with every name that was tried and why it was not loaded.
    ///
    /// [`RUNTIME_VARIABLE`]: crate::RUNTIME_VARIABLE
    pub fn get() -> Result<&'static Self, LoadError> {
        static RUNTIME: Once<Runtime> = Once::new();
        RUNTIME.get(|| CudaLibrary::Runtime.load(Self::load))
    }

    fn load(candidates: &[PathBuf]) -> Result<Self, LoadError> {
        let opened = Opened::first(CudaLibrary::Runtime, candidates)?;
        let addresses = SYMBOLS.each_ref().map(|symbol| opened.address(symbol.exported));
        let (path, version) = opened.keep();
        Ok(Self { path, version, addresses })
    }
}

loaded!(Runtime);

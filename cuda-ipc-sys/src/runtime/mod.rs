//! The CUDA runtime, `libcudart`, for programs that share memory with code written against it.
//!
//! Its functions are looked up by name. A function is missing if it, or its signature, is newer than the library. The
//! runtime initialises devices by itself and has its own error codes. It uses the driver's pointers, streams and events.
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

use std::ffi::{CStr, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

pub use bindings::*;
pub use functions::*;

use crate::library::{Loaded, Once, Opened};
use crate::table::{DefaultStream, table};
use crate::{CudaLibrary, CudaVersion, LoadError, MissingSymbol};

/// The oldest runtime that these bindings are for. One of CUDA 11 without a driver does not report its version.
const OLDEST: CudaVersion = CudaVersion(11_080);

/// A CUDA runtime: its library, and the functions that were found in it.
///
/// It also loads without a driver, but then returns `cudaErrorInsufficientDriver` from most calls. A runtime of CUDA 11
/// returns that code even for its own version, so [`Runtime::version`] returns 11.0.
pub struct Runtime {
    library: Loaded,
    stream: DefaultStream,
    addresses: [*const c_void; COUNT],
}

impl Runtime {
    /// Returns the process's runtime, and loads it on the first call: the library that [`RUNTIME_VARIABLE`] names,
    /// otherwise `libcudart.so.13`, `.12` or `.11.0`. On Windows, these are `cudart64_13.dll`, `_12` and `_110`.
    ///
    /// One of these that the process has loaded already is preferred, because two runtimes do not share their state.
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
        Ok(Self::resolve(opened.keep(), DefaultStream::Legacy))
    }

    fn resolve(library: Loaded, stream: DefaultStream) -> Self {
        let mut addresses = [std::ptr::null(); COUNT];
        for (address, symbol) in addresses.iter_mut().zip(SYMBOLS) {
            // Older runtimes export some of the names with another signature.
            if let Some(name) = symbol.exported_by(library.version.max(OLDEST), stream) {
                *address = library.address(name);
            }
        }
        Self { library, stream, addresses }
    }

    const fn library(&self) -> &Loaded {
        &self.library
    }

    /// Returns the address of a function of the runtime, whether these bindings have it or not. The function is that for
    /// the default stream of this table, if these bindings know that it has one of its own.
    ///
    /// The runtime cannot be asked by version, and some names got another signature in a later release. A function that
    /// is newer than the runtime is not looked up. Neither is one whose name is in [`SYMBOLS`] with a signature that
    /// came after `since` and that this runtime has. For a name that these bindings lack, check [`Self::version`] too.
    /// The macro [`function!`](crate::function) gives the address a type.
    ///
    /// # Errors
    /// [`MissingSymbol`] if the runtime does not have the function with that signature.
    pub fn address(&self, name: &'static CStr, since: CudaVersion) -> Result<NonNull<c_void>, MissingSymbol> {
        let version = self.version().max(OLDEST);
        let known = SYMBOLS.iter().find(|symbol| symbol.exported == name);
        let earlier = SYMBOLS.iter().find(|symbol| symbol.earlier.is_some_and(|earlier| earlier.exported == name));
        // Functions that the oldest runtime has may be as old as CUDA itself.
        let has_changed = known.is_some_and(|known| since.max(OLDEST) < known.since && known.since <= version);
        let exported = match known {
            Some(known) if since == known.since => known.exported_by(version, self.stream),
            _ if since > version || has_changed => None,
            Some(known) => Some(known.exported_for(self.stream)),
            None => match earlier.filter(|symbol| version < symbol.since) {
                Some(symbol) => symbol.exported_by(version, self.stream),
                None => Some(name),
            },
        };
        exported.and_then(|name| self.exported(name)).ok_or_else(|| self.lacks(name, since))
    }
}

table!(Runtime);

impl fmt::Debug for cudaPointerAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("cudaPointerAttributes");
        text.field("type_", &self.type_).field("device", &self.device);
        text.field("devicePointer", &self.devicePointer).field("hostPointer", &self.hostPointer).finish_non_exhaustive()
    }
}

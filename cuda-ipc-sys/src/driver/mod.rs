//! The CUDA driver, `libcuda`.

// Generated, with C's names. The generator cannot emit comments: the reasons for its unsafe blocks are in its source.
#[cfg(not(feature = "bindgen"))]
#[rustfmt::skip]
#[allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::all)]
#[allow(clippy::undocumented_unsafe_blocks)]
pub(crate) mod bindings;
#[cfg(feature = "bindgen")]
#[allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::all)]
#[allow(clippy::undocumented_unsafe_blocks)]
pub(crate) mod bindings {
    include!(concat!(env!("OUT_DIR"), "/driver/bindings.rs"));
}
#[rustfmt::skip]
#[allow(non_camel_case_types, non_snake_case, clippy::undocumented_unsafe_blocks)]
mod functions;
mod location;
mod resolver;

use std::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};

pub use bindings::*;
pub use functions::*;
pub use location::{CU_DEVICE_CPU, CU_DEVICE_INVALID};

use crate::library::{Once, Opened, loaded};
use crate::{CudaLibrary, CudaVersion, LoadError, MissingSymbol, Symbol};
use resolver::Resolver;

/// A CUDA driver: its library, and the functions that were found in it.
///
/// Each function of the table is a method, which returns [`MissingSymbol`] if the driver lacks the function.
/// A method costs one comparison more than the C call; [`Driver::functions`] returns the pointers themselves.
pub struct Driver {
    path: PathBuf,
    version: CudaVersion,
    addresses: [*const c_void; SYMBOLS.len()],
}

impl Driver {
    /// Returns the process's driver, and loads it on the first call: the library that [`DRIVER_VARIABLE`] names,
    /// otherwise `libcuda.so.1` or `libcuda.so`, or `nvcuda.dll` on Windows.
    ///
    /// A failure is not cached: the next call tries again.
    ///
    /// # Errors
    /// [`LoadError`], with every name that was tried and why it was not loaded.
    ///
    /// [`DRIVER_VARIABLE`]: crate::DRIVER_VARIABLE
    pub fn get() -> Result<&'static Self, LoadError> {
        static DRIVER: Once<Driver> = Once::new();
        DRIVER.get(|| CudaLibrary::Driver.load(Self::load))
    }

    fn load(candidates: &[PathBuf]) -> Result<Self, LoadError> {
        let opened = Opened::first(CudaLibrary::Driver, candidates)?;
        let resolver = Resolver::new(&opened);
        let addresses = SYMBOLS.each_ref().map(|symbol| resolver.find(symbol));
        let (path, version) = opened.keep();
        Ok(Self { path, version, addresses })
    }
}

loaded!(Driver);

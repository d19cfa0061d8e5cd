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

use std::ffi::{CStr, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

pub use bindings::*;
pub use functions::*;

use crate::library::{Loaded, Once, Opened};
use crate::table::{DefaultStream, table};
use crate::{CudaLibrary, CudaVersion, LoadError, MissingSymbol};
use resolver::Resolver;

/// A CUDA driver: its library, and the functions that were found in it.
///
/// Each function of the table is a method, which returns [`MissingSymbol`] if the driver lacks the function.
/// A method costs one comparison more than a call through the pointer that [`Driver::functions`] returns.
pub struct Driver {
    resolver: Resolver,
    addresses: [*const c_void; COUNT],
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
        Ok(Self::resolve(opened.keep(), DefaultStream::Legacy))
    }

    fn resolve(library: Loaded, stream: DefaultStream) -> Self {
        let resolver = Resolver::new(library, stream);
        let mut addresses = [std::ptr::null(); COUNT];
        for (address, symbol) in addresses.iter_mut().zip(SYMBOLS) {
            *address = resolver.find(symbol);
        }
        Self { resolver, addresses }
    }

    const fn library(&self) -> &Loaded {
        &self.resolver.library
    }

    /// Returns the address of a function at a CUDA version, whether these bindings have it or not.
    ///
    /// The name is the base name in the documentation, such as `cuMemAlloc`. The version is that of the signature, the
    /// number in cudaTypedefs.h, because a driver can have several functions of one name. The function is that for the default stream
    /// of this table. The macro [`function!`](crate::function) gives the address a type.
    ///
    /// A driver older than CUDA 11.3 cannot be asked by version. There, this finds only functions of [`SYMBOLS`];
    /// [`Driver::exported`] finds the others by their exported names.
    ///
    /// # Errors
    /// [`MissingSymbol`] if the driver does not have the function at this version.
    pub fn address(&self, name: &'static CStr, since: CudaVersion) -> Result<NonNull<c_void>, MissingSymbol> {
        NonNull::new(self.resolver.find_any(name, since).cast_mut()).ok_or_else(|| self.lacks(name, since))
    }
}

table!(Driver);

//! Errors that occur before a call reaches CUDA.

use std::error::Error;
use std::ffi::{CStr, c_uint};
use std::fmt;
use std::path::PathBuf;

use crate::runtime::cudaError;
use crate::{CUresult, CudaLibrary, CudaVersion};

/// A library name that was tried, and why it was not loaded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// A file name that the loader searches for, or a path.
    pub library: PathBuf,
    /// Why it was not loaded.
    pub cause: Cause,
    /// The loader's message.
    pub message: String,
}

/// Why the loader did not open a library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The file does not exist, or is not in a folder that the loader searches.
    NotFound,
    /// The file is not an ELF library.
    NotALibrary,
    /// The library is for a different processor than this process.
    OtherArchitecture {
        /// The processor that the library is for, such as `aarch64`.
        machine: String,
    },
    /// The library exists, but another library that it needs was not found.
    MissingDependency {
        /// The library that was not found.
        library: String,
    },
    /// Another cause, which the loader's message describes.
    Other,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = self.library.display();
        match &self.cause {
            Cause::NotFound => write!(f, "{library} was not found"),
            Cause::NotALibrary => write!(f, "{library} is not a shared library"),
            Cause::OtherArchitecture { machine } => {
                write!(f, "{library} is for {machine}, but this process runs on {}", std::env::consts::ARCH)
            }
            Cause::MissingDependency { library: missing } => write!(f, "{library} needs {missing}, which is missing"),
            Cause::Other => write!(f, "{library} could not be loaded"),
        }?;
        write!(f, " ({})", self.message)
    }
}

/// Why the driver or the runtime could not be loaded. Loading can be tried again, because a failure is not cached.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The loader opened none of the libraries.
    NotLoaded {
        /// The kind of library that was wanted.
        wanted: CudaLibrary,
        /// Every name that was tried.
        attempts: Vec<Attempt>,
    },
    /// The environment variable names a library, but the process was not started with that value. Setting a variable in
    /// the process itself must not load code, because programs of edition 2021 do so without `unsafe`.
    SetTooLate {
        /// The kind of library that was wanted.
        wanted: CudaLibrary,
        /// The library that the variable names.
        library: PathBuf,
    },
    /// The library is the toolkit's stub, which exists for linking and returns an error from every call.
    Stub {
        /// The name or path of the library.
        library: PathBuf,
    },
    /// The library was opened, but lacks a function that every release of the wanted library has.
    AnotherLibrary {
        /// The kind of library that was wanted.
        wanted: CudaLibrary,
        /// The name or path of the library.
        library: PathBuf,
        /// The missing function.
        symbol: &'static CStr,
    },
    /// The library does not report its version.
    NoVersion {
        /// The kind of library that was wanted.
        wanted: CudaLibrary,
        /// The name or path of the library.
        library: PathBuf,
        /// The code that the version function returned: a [`CUresult`] or a [`cudaError`].
        code: c_uint,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded { wanted, attempts } => {
                write!(f, "no CUDA {wanted} could be loaded")?;
                for attempt in attempts {
                    write!(f, "; {attempt}")?;
                }
                let advice = match wanted {
                    CudaLibrary::Driver => "Install the NVIDIA driver",
                    CudaLibrary::Runtime => "Install the CUDA runtime, or add its folder to LD_LIBRARY_PATH",
                };
                write!(f, ". {advice}, or set {} to the path of the library", wanted.variable())
            }
            Self::SetTooLate { wanted, library } => {
                let owner = match wanted {
                    CudaLibrary::Driver => "Driver",
                    CudaLibrary::Runtime => "Runtime",
                };
                write!(
                    f,
                    "{} is set to {}, but /proc/self/environ does not show that this process was started with it: set \
                     it before the program starts, or call {owner}::load_from",
                    wanted.variable(),
                    library.display()
                )
            }
            Self::Stub { library } => write!(
                f,
                "{} is the CUDA toolkit's stub, not a driver: remove the toolkit's stubs folder from the library \
                 path, and install the NVIDIA driver",
                library.display()
            ),
            Self::AnotherLibrary { wanted, library, symbol } => write!(
                f,
                "{} is not a CUDA {wanted}: it does not export {}. Check the path, and the variable {} if it is set",
                library.display(),
                symbol.to_string_lossy(),
                wanted.variable()
            ),
            Self::NoVersion { wanted, library, code } => {
                write!(f, "{} does not report its version: ", library.display())?;
                match wanted {
                    CudaLibrary::Driver => write!(f, "cuDriverGetVersion returned {}", CUresult(*code))?,
                    CudaLibrary::Runtime => write!(f, "cudaRuntimeGetVersion returned {}", cudaError(*code))?,
                }
                write!(f, ". Reinstall it, or set {} to the path of another library", wanted.variable())
            }
        }
    }
}

impl Error for LoadError {}

/// The loaded driver or runtime lacks a function.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingSymbol {
    /// The library.
    pub library: CudaLibrary,
    /// The function.
    pub name: &'static CStr,
    /// The CUDA version whose signature is bound.
    pub needs: CudaVersion,
    /// The CUDA version of the library.
    pub found: CudaVersion,
}

impl fmt::Display for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_string_lossy();
        let Self { library, needs, found, .. } = self;
        if found < needs {
            write!(f, "{name} needs CUDA {needs}, but the {library} supports only {found}: install a newer {library}")
        } else {
            write!(
                f,
                "the {library} supports CUDA {found} but lacks {name}, which came with {needs}: reinstall it, or \
                 check {} if it is set",
                library.variable()
            )
        }
    }
}

impl fmt::Debug for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for MissingSymbol {}

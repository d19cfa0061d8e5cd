//! What can go wrong before a call reaches CUDA.

use std::error::Error;
use std::ffi::{CStr, c_uint};
use std::fmt;
use std::path::PathBuf;

use crate::runtime::cudaError;
use crate::{CUresult, CudaLibrary, CudaVersion};

/// One name that was tried, and what came of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// A file name for the loader's search, or a path.
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
    /// There is no such file, or the loader's search does not come by it.
    NotFound,
    /// The file is no ELF library.
    NotALibrary,
    /// The library is for another processor than this process.
    OtherArchitecture {
        /// The processor that it is for, as in `aarch64`.
        machine: String,
    },
    /// The library is there, and another one that it needs is not.
    MissingDependency {
        /// The one that is not there.
        library: String,
    },
    /// Something else; the loader's message says what.
    Other,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = self.library.display();
        match &self.cause {
            Cause::NotFound => write!(f, "{library} was not found"),
            Cause::NotALibrary => write!(f, "{library} is no shared library"),
            Cause::OtherArchitecture { machine } => {
                write!(f, "{library} is for {machine}, and this process runs on {}", std::env::consts::ARCH)
            }
            Cause::MissingDependency { library: missing } => write!(f, "{library} needs {missing}, which is not there"),
            Cause::Other => write!(f, "{library} does not load"),
        }?;
        write!(f, " ({})", self.message)
    }
}

/// Why no driver, or no runtime, could be loaded. Loading can be tried again: nothing of a failure is kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The loader opened none of the libraries.
    NotLoaded {
        /// What was looked for.
        wanted: CudaLibrary,
        /// Every name that was tried.
        attempts: Vec<Attempt>,
    },
    /// The library is the toolkit's stub, which is there to link against and answers every call with an error.
    Stub {
        /// The library.
        library: PathBuf,
    },
    /// The library opens but lacks a function that every release of what was looked for has.
    AnotherLibrary {
        /// What was looked for.
        wanted: CudaLibrary,
        /// The library.
        library: PathBuf,
        /// The function that is missing.
        symbol: &'static CStr,
    },
    /// The library does not tell its version.
    NoVersion {
        /// What was looked for.
        wanted: CudaLibrary,
        /// The library.
        library: PathBuf,
        /// What the function for the version answered: a [`CUresult`] or a [`cudaError`].
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
            Self::Stub { library } => write!(
                f,
                "{} is the CUDA toolkit's stub, not a driver: take the toolkit's stubs folder out of the library \
                 path, and install the NVIDIA driver",
                library.display()
            ),
            Self::AnotherLibrary { wanted, library, symbol } => write!(
                f,
                "{} is no CUDA {wanted}: it has no {}. Check the path, and {} where it is set",
                library.display(),
                symbol.to_string_lossy(),
                wanted.variable()
            ),
            Self::NoVersion { wanted, library, code } => {
                write!(f, "{} does not tell its version: ", library.display())?;
                match wanted {
                    CudaLibrary::Driver => write!(f, "cuDriverGetVersion answered {}", CUresult(*code))?,
                    CudaLibrary::Runtime => write!(f, "cudaRuntimeGetVersion answered {}", cudaError(*code))?,
                }
                write!(f, ". Reinstall it, or set {} to the path of another", wanted.variable())
            }
        }
    }
}

impl Error for LoadError {}

/// The loaded driver or runtime does not have a function.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingSymbol {
    /// The library.
    pub library: CudaLibrary,
    /// The function.
    pub name: &'static CStr,
    /// The CUDA version that its binding is of.
    pub needs: CudaVersion,
    /// The CUDA version of the library.
    pub found: CudaVersion,
}

impl fmt::Display for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_string_lossy();
        let Self { library, needs, found, .. } = self;
        if found < needs {
            write!(f, "{name} needs CUDA {needs}, and the {library} serves {found}: install a newer {library}")
        } else {
            write!(
                f,
                "the {library} serves CUDA {found} but does not have {name}, which came with {needs}: reinstall it, \
                 or check {} where it is set",
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

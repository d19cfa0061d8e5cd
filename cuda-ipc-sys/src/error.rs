//! What can go wrong before a call reaches the driver.

use std::error::Error;
use std::ffi::CStr;
use std::fmt;
use std::path::PathBuf;

use crate::{CUresult, CudaVersion};

/// One name that was tried, and what the loader said.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// A file name for the loader's search, or a path.
    pub library: PathBuf,
    /// The loader's message.
    pub message: String,
}

/// Why no driver could be loaded. Loading can be tried again: nothing of a failure is kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The loader opened none of the libraries.
    NotLoaded {
        /// Every name that was tried.
        attempts: Vec<Attempt>,
    },
    /// The library is the toolkit's stub, which is there to link against and answers every call with an error.
    Stub {
        /// The library.
        library: PathBuf,
    },
    /// The library opens but lacks a function that every CUDA driver has.
    NotADriver {
        /// The library.
        library: PathBuf,
        /// The function that is missing.
        symbol: &'static CStr,
    },
    /// The library does not tell its version.
    NoVersion {
        /// The library.
        library: PathBuf,
        /// What `cuDriverGetVersion` answered.
        code: CUresult,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded { attempts } => {
                write!(f, "no CUDA driver could be loaded")?;
                for Attempt { library, message } in attempts {
                    write!(f, "; {}: {message}", library.display())?;
                }
                write!(f, ". Install the NVIDIA driver, or set {} to the path of one", crate::DRIVER_VARIABLE)
            }
            Self::Stub { library } => write!(
                f,
                "{} is the CUDA toolkit's stub, not a driver: take the toolkit's stubs folder out of the library \
                 path, and install the NVIDIA driver",
                library.display()
            ),
            Self::NotADriver { library, symbol } => write!(
                f,
                "{} is no CUDA driver: it has no {}. Check the path, and {} where it is set",
                library.display(),
                symbol.to_string_lossy(),
                crate::DRIVER_VARIABLE
            ),
            Self::NoVersion { library, code } => {
                write!(f, "{} does not tell its version: cuDriverGetVersion answered {code}", library.display())
            }
        }
    }
}

impl Error for LoadError {}

/// The installed driver does not have a function.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingSymbol {
    /// The function.
    pub name: &'static CStr,
    /// The CUDA version that its binding is of.
    pub needs: CudaVersion,
    /// The CUDA version that the driver serves.
    pub driver: CudaVersion,
}

impl MissingSymbol {
    pub(crate) const fn new(name: &'static CStr, needs: CudaVersion, driver: CudaVersion) -> Self {
        Self { name, needs, driver }
    }
}

impl fmt::Display for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_string_lossy();
        let Self { needs, driver, .. } = self;
        if driver < needs {
            write!(f, "{name} needs CUDA {needs}, and the driver serves {driver}: install a newer driver")
        } else {
            write!(f, "the driver serves CUDA {driver} but does not have {name}, which came with {needs}")
        }
    }
}

impl fmt::Debug for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for MissingSymbol {}

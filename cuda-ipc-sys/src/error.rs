//! Errors that occur before a call reaches CUDA, and one type for all errors.

use std::error;
use std::ffi::{CStr, c_uint};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::library::NEWEST_RUNTIME;
use crate::runtime::{self, cudaError};
use crate::{Attempt, CUresult, Cause, CudaLibrary, CudaVersion, driver};

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
    /// The environment variable names a library that cannot be used.
    BadVariable {
        /// The kind of library that was wanted.
        wanted: CudaLibrary,
        /// Why the library that the variable names cannot be used.
        error: Box<Self>,
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
    /// The runtime is of a newer major version than these bindings. Its functions are found by name, and a major version
    /// gives some names another signature.
    NewerRuntime {
        /// The name or path of the library.
        library: PathBuf,
        /// Its version.
        version: CudaVersion,
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

impl LoadError {
    /// Writes what happened, without what to do.
    fn problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded { wanted, attempts } => {
                write!(f, "no CUDA {wanted} could be loaded")?;
                attempts.iter().try_for_each(|attempt| write!(f, "; {attempt}"))
            }
            Self::BadVariable { wanted, error } => {
                write!(f, "{} names a library that cannot be used: ", wanted.variable())?;
                error.problem(f)
            }
            Self::SetTooLate { wanted, library } => write!(
                f,
                "{} is set to {}, but /proc/self/environ does not show that this process was started with it: the \
                 program has set or changed it, has overwritten its title and environment, or cannot read that file",
                wanted.variable(),
                library.display()
            ),
            Self::Stub { library } => {
                write!(f, "{} is the CUDA toolkit's stub, not a driver", library.display())
            }
            Self::AnotherLibrary { wanted, library, symbol } => {
                let (library, symbol) = (library.display(), symbol.to_string_lossy());
                write!(f, "{library} is not a CUDA {wanted}: it does not export {symbol}")
            }
            Self::NewerRuntime { library, version } => write!(
                f,
                "{} is the runtime of CUDA {version}, but these bindings have the signatures of CUDA {NEWEST_RUNTIME}",
                library.display()
            ),
            Self::NoVersion { wanted, library, code } => {
                write!(f, "{} does not report its version: ", library.display())?;
                match wanted {
                    CudaLibrary::Driver => write!(f, "cuDriverGetVersion returned {}", CUresult(*code)),
                    CudaLibrary::Runtime => write!(f, "cudaRuntimeGetVersion returned {}", cudaError(*code)),
                }
            }
        }
    }

    /// Writes what to do.
    fn advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded { wanted, attempts } => match remedy(attempts, *wanted) {
                Some(remedy) => f.write_str(&remedy),
                None if attempts.iter().all(|attempt| is_usual(attempt, *wanted)) => {
                    write!(f, "{}, or set {} to the path of the library", wanted.advice(), wanted.variable())
                }
                None => f.write_str("Check the path"),
            },
            Self::BadVariable { wanted, error } => {
                let remedy = match &**error {
                    Self::NotLoaded { attempts, .. } => remedy(attempts, *wanted),
                    _ => None,
                };
                match remedy {
                    Some(remedy) => f.write_str(&remedy),
                    None => write!(f, "Set {} to the path of a CUDA {wanted}, or unset it", wanted.variable()),
                }
            }
            Self::SetTooLate { wanted, .. } => {
                let owner = match wanted {
                    CudaLibrary::Driver => "Driver",
                    CudaLibrary::Runtime => "Runtime",
                };
                write!(f, "Set it before the program starts, or call {owner}::load_from")
            }
            Self::Stub { .. } => {
                f.write_str("Remove the toolkit's stubs folder from the library path, and install the NVIDIA driver")
            }
            Self::AnotherLibrary { .. } => f.write_str("Check the path"),
            Self::NewerRuntime { .. } => {
                write!(f, "Use a newer version of cuda-ipc-sys, or a runtime of CUDA {NEWEST_RUNTIME}")
            }
            Self::NoVersion { .. } => f.write_str("Reinstall it, or load another library"),
        }
    }
}

/// Returns whether the attempt was for one of the usual names.
fn is_usual(attempt: &Attempt, wanted: CudaLibrary) -> bool {
    wanted.names().iter().any(|name| attempt.library == Path::new(name))
}

/// Returns the remedy, if the attempts show one.
fn remedy(attempts: &[Attempt], wanted: CudaLibrary) -> Option<String> {
    let variable = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
    attempts.iter().find_map(|attempt| match &attempt.cause {
        Cause::StaticProgram => {
            Some("Link the program dynamically: compile it with -C target-feature=-crt-static".to_owned())
        }
        Cause::MissingDependency { library } => {
            let library = library.as_deref().unwrap_or("the library that it needs");
            Some(format!("Install {library}, or add its folder to {variable}"))
        }
        Cause::NotFound if !is_usual(attempt, wanted) && attempt.library.components().count() == 1 => {
            let library = attempt.library.display();
            Some(format!("The loader does not search the current folder; for a file there, write ./{library}"))
        }
        _ => None,
    })
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem(f)?;
        f.write_str(". ")?;
        self.advice(f)
    }
}

impl error::Error for LoadError {}

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

impl MissingSymbol {
    /// Whether the table has the function with that signature, so that the name and the version are right.
    fn is_bound(&self) -> bool {
        let symbols = match self.library {
            CudaLibrary::Driver => driver::SYMBOLS,
            CudaLibrary::Runtime => runtime::SYMBOLS,
        };
        symbols.iter().any(|symbol| symbol.name == self.name && symbol.since == self.needs)
    }
}

impl fmt::Display for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_string_lossy();
        let Self { library, needs, found, .. } = self;
        if found < needs {
            write!(
                f,
                "{name} with the signature of CUDA {needs} is newer than the {library}, which supports CUDA {found}: \
                 install a newer {library}"
            )
        } else if self.is_bound() {
            write!(
                f,
                "the {library} supports CUDA {found} but lacks {name} with the signature of {needs}: reinstall it, or \
                 check {} if it is set",
                library.variable()
            )
        } else {
            write!(
                f,
                "the {library} supports CUDA {found} but has no {name} with the signature of {needs}: check the name \
                 and the version; another release may have removed or changed it"
            )
        }
    }
}

impl fmt::Debug for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for MissingSymbol {}

/// Any error of these bindings. `?` converts each of the others to it.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// The driver or the runtime could not be loaded.
    Load(LoadError),
    /// The loaded library lacks a function.
    Missing(MissingSymbol),
    /// A function of the driver returned an error code.
    Cuda(CUresult),
    /// A function of the runtime returned an error code.
    Runtime(cudaError),
}

impl Error {
    fn inner(&self) -> &(dyn error::Error + 'static) {
        match self {
            Self::Load(error) => error,
            Self::Missing(error) => error,
            Self::Cuda(error) => error,
            Self::Runtime(error) => error,
        }
    }
}

/// Prints the error that it contains.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.inner(), f)
    }
}

/// Prints the same as `Display`, because a `main` that returns the error prints `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.inner().source()
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl From<MissingSymbol> for Error {
    fn from(error: MissingSymbol) -> Self {
        Self::Missing(error)
    }
}

impl From<CUresult> for Error {
    fn from(code: CUresult) -> Self {
        Self::Cuda(code)
    }
}

impl From<cudaError> for Error {
    fn from(code: cudaError) -> Self {
        Self::Runtime(code)
    }
}

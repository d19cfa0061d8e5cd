//! What can go wrong.

mod way_out;

use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, io};

use crate::sys::{CUdeviceptr, CUresult, LoadError, MissingSymbol};
use way_out::way_out;

/// Why a call did not do what it was asked to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// No driver could be loaded.
    Load(LoadError),
    /// This process has another driver already.
    #[non_exhaustive]
    OtherDriver {
        /// The driver it has.
        loaded: PathBuf,
        /// The driver that was asked for.
        wanted: PathBuf,
    },
    /// The installed driver does not have the function.
    Missing(MissingSymbol),
    /// The driver refused the call.
    #[non_exhaustive]
    Refused {
        /// The driver's function.
        function: &'static str,
        /// Its answer.
        code: CUresult,
        /// What was passed to it, in words.
        passed: String,
        /// What the refusal means and what helps, where that is known.
        way_out: Option<&'static str>,
    },
    /// This process was forked from one that used the driver, which does not survive that.
    Forked,
    /// The system refused something with a file descriptor.
    #[non_exhaustive]
    Descriptor {
        /// The system call.
        operation: &'static str,
        /// The system's answer.
        error: Arc<io::Error>,
    },
    /// The memory ends before the part that was asked for.
    #[non_exhaustive]
    OutOfBounds {
        /// Where the part begins.
        offset: usize,
        /// The bytes of the part.
        length: usize,
        /// The bytes of the memory.
        size: usize,
    },
    /// Memory of a pool that is larger than what importers of drivers so far survive.
    #[non_exhaustive]
    TooLarge {
        /// The bytes of the memory.
        size: usize,
        /// The bytes that it may have.
        largest: usize,
    },
    /// The device wants the address of a number to be a multiple of its size.
    #[non_exhaustive]
    Misaligned {
        /// The address.
        pointer: CUdeviceptr,
        /// The size of the number.
        alignment: usize,
    },
}

impl Error {
    pub(crate) fn descriptor(operation: &'static str, error: impl Into<io::Error>) -> Self {
        Self::Descriptor { operation, error: Arc::new(error.into()) }
    }

    /// The driver's code, where it was the driver that refused.
    #[must_use]
    pub const fn code(&self) -> Option<CUresult> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// What the code means for this call, and what helps, where that is known.
    #[must_use]
    pub fn way_out(&self) -> Option<&'static str> {
        match self {
            Self::Refused { way_out, .. } => *way_out,
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::OtherDriver { loaded, wanted } => {
                let (loaded, wanted) = (loaded.display(), wanted.display());
                write!(f, "{wanted} was not loaded: the driver of this process is {loaded}, and a process has one")
            }
            Self::Missing(missing) => missing.fmt(f),
            Self::Refused { function, code, passed, way_out } => {
                write!(f, "{function}({passed}): {code}")?;
                way_out.map_or(Ok(()), |way_out| write!(f, ": {way_out}"))
            }
            Self::Forked => f.write_str(
                "a child of a process that used the driver before it forked cannot use it: exec a program there",
            ),
            Self::OutOfBounds { offset, length, size } => {
                write!(f, "{length} bytes at offset {offset} are not within {size} bytes of memory")
            }
            Self::Descriptor { operation, error } => write!(f, "{operation}: {error}"),
            Self::TooLarge { size, largest } => write!(
                f,
                "{size} bytes of a pool cannot be exported: above {largest} a driver's importer may crash; share it as \
                 virtual memory"
            ),
            Self::Misaligned { pointer, alignment } => {
                write!(f, "the number at {pointer:#x} does not lie at a multiple of its {alignment} bytes")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl From<MissingSymbol> for Error {
    fn from(missing: MissingSymbol) -> Self {
        Self::Missing(missing)
    }
}

/// The error of a call, if it is one; what was passed is put into words only then.
pub(crate) fn check(
    function: &'static str,
    answer: Result<CUresult, MissingSymbol>,
    passed: impl FnOnce() -> String,
) -> Result<(), Error> {
    check_with(function, answer, || (passed(), None))
}

/// The same where the caller may know better what helps.
pub(crate) fn check_with(
    function: &'static str,
    answer: Result<CUresult, MissingSymbol>,
    passed: impl FnOnce() -> (String, Option<&'static str>),
) -> Result<(), Error> {
    answer?.result().map_err(|code| {
        let (passed, known) = passed();
        Error::Refused { function, code, passed, way_out: known.or_else(|| way_out(function, code)) }
    })
}

/// The same for a query, to which `CUDA_ERROR_NOT_READY` is an answer.
pub(crate) fn is_done(function: &'static str, answer: Result<CUresult, MissingSymbol>) -> Result<bool, Error> {
    match answer? {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        code => check(function, Ok(code), String::new).map(|()| true),
    }
}

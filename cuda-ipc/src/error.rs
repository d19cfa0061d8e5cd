//! What can go wrong.

use std::fmt;
use std::path::PathBuf;

use crate::sys::{CUresult, LoadError, MissingSymbol};

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
}

impl Error {
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
            Self::Refused { function, code, .. } => way_out(function, *code),
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
            Self::Refused { function, code, passed } => {
                write!(f, "{function}({passed}): {code}")?;
                self.way_out().map_or(Ok(()), |way_out| write!(f, ": {way_out}"))
            }
            Self::OutOfBounds { offset, length, size } => {
                write!(f, "{length} bytes at offset {offset} are not within {size} bytes of memory")
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
    answer?.result().map_err(|code| Error::Refused { function, code, passed: passed() })
}

/// The same for a query, to which `CUDA_ERROR_NOT_READY` is an answer.
pub(crate) fn is_done(function: &'static str, answer: Result<CUresult, MissingSymbol>) -> Result<bool, Error> {
    match answer? {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        code => check(function, Ok(code), String::new).map(|()| true),
    }
}

fn way_out(function: &str, code: CUresult) -> Option<&'static str> {
    type C = CUresult;
    Some(match (function, code) {
        ("cuInit", C::CUDA_ERROR_NO_DEVICE) => "no GPU is visible: look at nvidia-smi and CUDA_VISIBLE_DEVICES",
        (_, C::CUDA_ERROR_NOT_INITIALIZED) => {
            "a child of a process that used the driver before it forked cannot use it: exec a program there"
        }
        ("cuDeviceGet", C::CUDA_ERROR_INVALID_DEVICE) => "ordinals are those below Driver::device_count",
        ("cuMemAlloc", C::CUDA_ERROR_INVALID_VALUE) => "the size must not be 0",
        ("cuMemAlloc", C::CUDA_ERROR_OUT_OF_MEMORY) => "the device has less left: other processes share its memory",
        ("cuEventCreate", C::CUDA_ERROR_OUT_OF_MEMORY) => {
            "interprocess events are few (4096 in a process on an H200): keep them and record them anew"
        }
        ("cuEventRecord", C::CUDA_ERROR_INVALID_HANDLE) => "event and stream must be of one context",
        ("cuIpcGetMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "only memory of cuMemAlloc has a legacy handle: no host, managed, pool or mapped memory, and no import"
        }
        ("cuIpcOpenMemHandle" | "cuIpcOpenEventHandle", C::CUDA_ERROR_INVALID_CONTEXT) => {
            "opened in the process that exported it: use the exporter's own value here"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_INVALID_VALUE) => {
            "the bytes name no memory: they were altered on the way, or the exporter freed it"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_NOT_PERMITTED) => "the exporter has freed the memory",
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_INVALID_HANDLE) => {
            "the exporter has ended, or memory of it is open in another context of this device"
        }
        ("cuIpcOpenMemHandle", C::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) => {
            "this device cannot reach the exporter's: open it on the device it is on"
        }
        ("cuIpcOpenEventHandle", C::CUDA_ERROR_MAP_FAILED) => "the bytes name no event: they were altered on the way",
        ("cuIpcCloseMemHandle", C::CUDA_ERROR_INVALID_VALUE) => "it is not open in this context: closed elsewhere?",
        ("cuMemFree", C::CUDA_ERROR_INVALID_VALUE) => "it is no memory of cuMemAlloc: freed elsewhere?",
        (_, C::CUDA_ERROR_INVALID_CONTEXT | C::CUDA_ERROR_CONTEXT_IS_DESTROYED) => {
            "the primary context was reset by someone else, and all that was made in it is gone"
        }
        (_, C::CUDA_ERROR_ILLEGAL_ADDRESS | C::CUDA_ERROR_LAUNCH_FAILED) => {
            "earlier work of the device failed, which ends the context: only a new process can go on"
        }
        _ => return None,
    })
}

//! The error type of this crate.

mod hint;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use crate::liveness::LivenessError;
use crate::sys::{CUdeviceptr, CUresult, LoadError, MissingSymbol};
use crate::ticket::TicketError;
use crate::transport::TransportError;
use hint::hint;

/// The reason why a call failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// No driver could be loaded.
    Load(LoadError),
    /// This process has already loaded another driver.
    #[non_exhaustive]
    OtherDriver {
        /// The driver that is loaded.
        loaded: PathBuf,
        /// The driver that was requested.
        wanted: PathBuf,
    },
    /// The installed driver does not have the function.
    Missing(MissingSymbol),
    /// The driver returned an error.
    #[non_exhaustive]
    Refused {
        /// The driver's function.
        function: &'static str,
        /// The error code that it returned.
        code: CUresult,
        /// The arguments of the call, in words.
        passed: String,
        /// What the code means for this call and what to do, if that is known.
        hint: Option<&'static str>,
    },
    /// This process was forked from one that used the driver, and therefore cannot use it.
    Forked,
    /// A system call failed.
    #[non_exhaustive]
    System {
        /// The call, or the file that was read.
        call: &'static str,
        /// The error that the call returned.
        source: Arc<io::Error>,
    },
    /// The bytes are not a ticket, or the ticket breaks a rule.
    Ticket(TicketError),
    /// A message was not sent or received.
    Transport(Arc<TransportError>),
    /// Another process could not be watched, is still alive, or still holds the memory.
    Liveness(Arc<LivenessError>),
    /// The ticket comes from this process, which has the original value.
    OwnTicket,
    /// The ticket is for something else than the call expects.
    #[non_exhaustive]
    OtherTicket {
        /// What the ticket is for.
        found: &'static str,
        /// What the call expects.
        wanted: &'static str,
    },
    /// The ticket arrived with too few or too many descriptors.
    #[non_exhaustive]
    Descriptors {
        /// The number of descriptors that arrived.
        found: usize,
        /// The number of descriptors that the ticket needs.
        wanted: usize,
    },
    /// The ticket names a pool that no earlier ticket has brought here, or that is closed by now.
    #[non_exhaustive]
    UnknownPool {
        /// The exporter's number for the pool.
        pool: u64,
    },
    /// The memory was imported. Only the process that created it can share it.
    NotTheOwner,
    /// The exporter died before the awaited work was done.
    ExporterDied,
    /// The time limit passed before the awaited work was done.
    #[non_exhaustive]
    TimedOut {
        /// The time limit.
        waited: Duration,
    },
    /// The requested part is not within the memory.
    #[non_exhaustive]
    OutOfBounds {
        /// The offset of the part, in bytes.
        offset: usize,
        /// The size of the part, in bytes.
        length: usize,
        /// The size of the memory, in bytes.
        size: usize,
    },
    /// The pool memory is too large to export: importers of larger memory may crash inside the driver.
    #[non_exhaustive]
    TooLarge {
        /// The size of the memory, in bytes.
        size: usize,
        /// The largest size that can be exported, in bytes.
        largest: usize,
    },
    /// The address of a number is not a multiple of the number's size, which the device requires.
    #[non_exhaustive]
    Misaligned {
        /// The address.
        pointer: CUdeviceptr,
        /// The size of the number, in bytes.
        alignment: usize,
    },
}

impl Error {
    /// Returns a function for `map_err` that wraps the error of a system call.
    pub(crate) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::System { call, source: Arc::new(error.into()) }
    }

    /// Returns the driver's error code, if the driver returned one.
    #[must_use]
    pub const fn code(&self) -> Option<CUresult> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Returns what the driver's error code means for the call and what to do, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Refused { hint, .. } => *hint,
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
                write!(f, "{wanted} was not loaded: this process already uses {loaded}, and can use only one driver")
            }
            Self::Missing(missing) => missing.fmt(f),
            Self::Refused { function, code, passed, hint } => {
                write!(f, "{function}({passed}): {code}")?;
                hint.map_or(Ok(()), |hint| write!(f, ": {hint}"))
            }
            Self::Forked => f.write_str(
                "a process that is forked after its parent used the driver cannot use it: call exec in the child first",
            ),
            Self::OutOfBounds { offset, length, size } => {
                write!(f, "{length} bytes at offset {offset} are not within {size} bytes of memory")
            }
            Self::System { call, source } => write!(f, "{call}: {source}"),
            Self::Ticket(error) => error.fmt(f),
            Self::Transport(error) => error.fmt(f),
            Self::Liveness(error) => error.fmt(f),
            Self::OwnTicket => f.write_str("the ticket comes from this process: use the value that it was made from"),
            Self::OtherTicket { found, wanted } => write!(f, "the ticket is for {found}; expected {wanted}"),
            Self::Descriptors { found, wanted } => {
                write!(f, "{found} descriptors arrived with a ticket that needs {wanted}: send the complete parcel")
            }
            Self::UnknownPool { pool } => write!(
                f,
                "the ticket names pool {pool} of the exporter, which is not open here: keep an import from the pool's \
                 first ticket open"
            ),
            Self::NotTheOwner => f.write_str("the memory was imported: only the process that created it can share it"),
            Self::ExporterDied => {
                f.write_str("the exporter died before the awaited work was done, so it will never complete")
            }
            Self::TimedOut { waited } => write!(f, "the awaited work was not done after {waited:?}"),
            Self::TooLarge { size, largest } => write!(
                f,
                "{size} bytes of a pool cannot be exported: above {largest} bytes the importer may crash; share it as \
                 virtual memory"
            ),
            Self::Misaligned { pointer, alignment } => {
                write!(f, "the address {pointer:#x} is not a multiple of the number's size, {alignment} bytes")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(&**source),
            // These messages contain the whole inner message, so the chain continues with the inner error's source.
            Self::Ticket(error) => error.source(),
            Self::Transport(error) => error.source(),
            Self::Liveness(error) => error.source(),
            _ => None,
        }
    }
}

impl From<TicketError> for Error {
    fn from(error: TicketError) -> Self {
        Self::Ticket(error)
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Self::Transport(Arc::new(error))
    }
}

impl From<LivenessError> for Error {
    fn from(error: LivenessError) -> Self {
        Self::Liveness(Arc::new(error))
    }
}

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

/// Returns an error if the driver returned one. `passed` describes the arguments, and is called only then.
pub(crate) fn check(
    function: &'static str,
    answer: Result<CUresult, MissingSymbol>,
    passed: impl FnOnce() -> String,
) -> Result<(), Error> {
    check_with(function, answer, || (passed(), None))
}

/// Like [`check`], for a caller that may know a better hint.
pub(crate) fn check_with(
    function: &'static str,
    answer: Result<CUresult, MissingSymbol>,
    passed: impl FnOnce() -> (String, Option<&'static str>),
) -> Result<(), Error> {
    answer?.result().map_err(|code| {
        let (passed, known) = passed();
        Error::Refused { function, code, passed, hint: known.or_else(|| hint(function, code)) }
    })
}

/// Like [`check`], for a query: returns whether it is done. `CUDA_ERROR_NOT_READY` means that it is not.
pub(crate) fn is_done(function: &'static str, answer: Result<CUresult, MissingSymbol>) -> Result<bool, Error> {
    match answer? {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        code => check(function, Ok(code), String::new).map(|()| true),
    }
}

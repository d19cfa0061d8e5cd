//! What can go wrong.

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
        hint: Option<&'static str>,
    },
    /// This process was forked from one that used the driver, which does not survive that.
    Forked,
    /// A system call failed.
    #[non_exhaustive]
    System {
        /// The call, or the file that was read.
        call: &'static str,
        /// Its error.
        source: Arc<io::Error>,
    },
    /// The bytes are no ticket, or the ticket breaks a rule.
    Ticket(TicketError),
    /// A message was not sent or received.
    Transport(Arc<TransportError>),
    /// Another process could not be watched, or still has what is waited for.
    Liveness(Arc<LivenessError>),
    /// The ticket comes from this process, which has the value itself.
    OwnTicket,
    /// The ticket is of something else.
    #[non_exhaustive]
    OtherTicket {
        /// What it is of.
        found: &'static str,
        /// What was asked for.
        wanted: &'static str,
    },
    /// The ticket came with fewer descriptors, or more, than belong to it.
    #[non_exhaustive]
    Descriptors {
        /// How many came.
        found: usize,
        /// How many belong to it.
        wanted: usize,
    },
    /// The ticket names a pool that no earlier ticket has brought, or that is closed by now.
    #[non_exhaustive]
    UnknownPool {
        /// The exporter's number of the pool.
        pool: u64,
    },
    /// The memory was imported here, and only the process that created it can share it.
    NotTheOwner,
    /// The exporter died before what is waited for was done.
    ExporterDied,
    /// The time was over.
    #[non_exhaustive]
    TimedOut {
        /// How long was waited.
        waited: Duration,
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
    /// The error of a system call as `map_err` takes it.
    pub(crate) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::System { call, source: Arc::new(error.into()) }
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
                write!(f, "{wanted} was not loaded: the driver of this process is {loaded}, and a process has one")
            }
            Self::Missing(missing) => missing.fmt(f),
            Self::Refused { function, code, passed, hint } => {
                write!(f, "{function}({passed}): {code}")?;
                hint.map_or(Ok(()), |hint| write!(f, ": {hint}"))
            }
            Self::Forked => f.write_str(
                "a child of a process that used the driver before it forked cannot use it: exec a program there",
            ),
            Self::OutOfBounds { offset, length, size } => {
                write!(f, "{length} bytes at offset {offset} are not within {size} bytes of memory")
            }
            Self::System { call, source } => write!(f, "{call}: {source}"),
            Self::Ticket(error) => error.fmt(f),
            Self::Transport(error) => error.fmt(f),
            Self::Liveness(error) => error.fmt(f),
            Self::OwnTicket => f.write_str("the ticket comes from this process: use the value that it was made of"),
            Self::OtherTicket { found, wanted } => write!(f, "the ticket is of {found}, and not of {wanted}"),
            Self::Descriptors { found, wanted } => {
                write!(f, "{found} descriptors came with a ticket that has {wanted}: send all of its parcel")
            }
            Self::UnknownPool { pool } => write!(
                f,
                "the ticket names the exporter's pool {pool}, which is not open here: keep an import of its first ticket"
            ),
            Self::NotTheOwner => f.write_str("the memory was imported: only the process that created it can share it"),
            Self::ExporterDied => {
                f.write_str("the exporter died before this was done, which will not be done any more")
            }
            Self::TimedOut { waited } => write!(f, "this was not done after {waited:?}"),
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(&**source),
            // These say all of it themselves, and then it is their source's turn.
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
        Error::Refused { function, code, passed, hint: known.or_else(|| hint(function, code)) }
    })
}

/// The same for a query, to which `CUDA_ERROR_NOT_READY` is an answer.
pub(crate) fn is_done(function: &'static str, answer: Result<CUresult, MissingSymbol>) -> Result<bool, Error> {
    match answer? {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        code => check(function, Ok(code), String::new).map(|()| true),
    }
}

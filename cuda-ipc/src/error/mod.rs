//! The error type of this crate.

mod debug;
mod hint;
mod lost;
mod system;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;
use uuid::Uuid;

use crate::foreign::ForeignError;
use crate::host::PagesError;
use crate::liveness::LivenessError;
use crate::ring::RingError;
use crate::stream::WaitValue;
use crate::sys::{CUdevice, CUdeviceptr, CUresult, LoadError, MissingSymbol};
use crate::ticket::TicketError;
use crate::transport::TransportError;
use crate::vmm::Access;
pub(crate) use hint::Advice;
use hint::hint;
pub use system::SystemError;

/// The reason why a call failed. `?` converts each other error of this crate into it.
///
/// `{:?}` writes the message too, so that a `main` that returns the error prints what to do.
///
/// Every method that calls the driver can also return [`Error::Missing`], if the driver is too old for the call, and
/// [`Error::Forked`], in a forked child. Most "Errors" sections do not repeat these two.
///
/// Calls that need no driver have the smaller errors of their modules: [`TicketError`], [`TransportError`],
/// [`LivenessError`], [`PagesError`] and [`RingError`]. Each is a variant here, so that one `match` reaches everything:
///
/// ```
/// use cuda_ipc::transport::TransportError;
/// use cuda_ipc::{Error, Parcel};
///
/// fn describe(received: Result<Parcel, Error>) -> &'static str {
///     match received {
///         Ok(_) => "a parcel",
///         Err(Error::Transport(TransportError::Finished { .. })) => "the exporter has nothing more to send",
///         Err(error) if error.is_disconnected() => "the exporter is gone",
///         Err(_) => "something else",
///     }
/// }
/// ```
#[derive(Clone, Error)]
#[non_exhaustive]
pub enum Error {
    /// No driver could be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// This process has already loaded another driver.
    #[non_exhaustive]
    #[error(
        "{} was not loaded, because this process already uses {}{}",
        .wanted.display(), .loaded.display(), self.advice()
    )]
    OtherDriver {
        /// The driver that is loaded.
        loaded: PathBuf,
        /// The driver that was requested.
        wanted: PathBuf,
    },
    /// The installed driver does not have the function.
    #[error(transparent)]
    Missing(#[from] MissingSymbol),
    /// The driver returned an error.
    #[non_exhaustive]
    #[error("{function}({passed}): {code}{}", self.advice())]
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
    #[error("a process that is forked after its parent used the driver cannot use it{}", self.advice())]
    Forked,
    /// A system call failed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The bytes are not a ticket, or the ticket breaks a rule.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// A connection was not made, or a message not sent or received.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Another process could not be watched, is still alive, or still holds the memory.
    #[error(transparent)]
    Liveness(#[from] LivenessError),
    /// A descriptor or a message does not give shared pages.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// A ring was not made, or a message not sent or received.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A value of other code cannot be used by this crate, or a value of this crate by other code.
    #[error(transparent)]
    Foreign(#[from] ForeignError),
    /// A tensor of other code cannot be used, or a tensor cannot be exported.
    #[cfg(feature = "dlpack")]
    #[error(transparent)]
    Tensor(#[from] crate::foreign::dlpack::TensorError),
    /// The ticket comes from this process, which has the original value.
    #[error("the ticket comes from this process{}", self.advice())]
    OwnTicket,
    /// The ticket is for something else than the call expects.
    #[non_exhaustive]
    #[error("the ticket is for {found}; expected {wanted}{}", self.advice())]
    OtherTicket {
        /// What the ticket is for.
        found: &'static str,
        /// What the call expects.
        wanted: &'static str,
    },
    /// The ticket arrived with too few or too many descriptors.
    #[non_exhaustive]
    #[error("{found} descriptors arrived with a ticket that needs {wanted}{}", self.advice())]
    Descriptors {
        /// The number of descriptors that arrived.
        found: usize,
        /// The number of descriptors that the ticket needs.
        wanted: usize,
    },
    /// The ticket names a pool that no earlier ticket contained, or that was closed since.
    #[non_exhaustive]
    #[error("the ticket names pool {pool} of the exporter, which is not open here{}", self.advice())]
    UnknownPool {
        /// The exporter's number for the pool.
        pool: u64,
    },
    /// The device of the ticket is not visible to this process.
    #[non_exhaustive]
    #[error("the device GPU-{} is not visible to this process{}", Uuid::from_bytes(*.uuid), self.advice())]
    DeviceNotVisible {
        /// The UUID of the device.
        uuid: [u8; 16],
    },
    /// The memory was imported. Only the process that created it can share it.
    #[error("the memory was imported{}", self.advice())]
    NotTheOwner,
    /// The process that was watched, an exporter or an importer, died before the awaited work was done.
    #[error("the other process died before the awaited work was done, so it will never complete{}", self.advice())]
    PeerDied,
    /// The time limit passed before the awaited work was done.
    #[non_exhaustive]
    #[error("the awaited work was not done after {waited:?}{}", self.advice())]
    TimedOut {
        /// The time limit.
        waited: Duration,
    },
    /// The requested part is not within the memory.
    #[non_exhaustive]
    #[error("{length} bytes at offset {offset} are not within {size} bytes of memory{}", self.advice())]
    OutOfBounds {
        /// The offset of the part, in bytes.
        offset: usize,
        /// The size of the part, in bytes.
        length: usize,
        /// The size of the memory, in bytes.
        size: usize,
    },
    /// The range ends before it begins.
    #[non_exhaustive]
    #[error("the range {start}..{end} ends before it begins{}", self.advice())]
    ReversedRange {
        /// The first byte or value of the range.
        start: usize,
        /// The end of the range.
        end: usize,
    },
    /// A slice on the device has another length than the call needs.
    #[non_exhaustive]
    #[error("the slice on the device has length {found}; expected {expected}{}", self.advice())]
    Length {
        /// The number of values that the slice has.
        found: usize,
        /// The number of values that the call needs.
        expected: usize,
    },
    /// The device does not have the access to memory that the call needs.
    #[non_exhaustive]
    #[error("device {device} has the access {found:?} to the memory at {pointer:#x}; expected {wanted:?}{}", self.advice())]
    NoAccess {
        /// The ordinal of the device in this process.
        device: CUdevice,
        /// The address of the memory.
        pointer: CUdeviceptr,
        /// The access that the device has.
        found: Access,
        /// The access that the call needs.
        wanted: Access,
    },
    /// The kernel was loaded in another context than the stream's.
    #[error("the kernel was loaded in another context than the stream's{}", self.advice())]
    OtherContext,
    /// The event belongs to another context than the stream that is to wait for it. CUDA allows that, but an H200 crashes
    /// if the event is an interprocess event.
    #[error("the event belongs to another context than the stream{}", self.advice())]
    EventOfAnotherContext,
    /// No number meets the condition of a wait, so the wait would never end.
    #[non_exhaustive]
    #[error("the wait {wait:?} {value:#x} would never end: no number meets this condition")]
    EndlessWait {
        /// The condition.
        wait: WaitValue,
        /// The value that numbers are compared with.
        value: u64,
    },
    /// The bytes to copy overlap the place that they are copied to, which `cuMemcpy` does not allow.
    #[non_exhaustive]
    #[error("{length} bytes at {from:#x} overlap {to:#x}, where they should be copied to{}", self.advice())]
    Overlap {
        /// The address to copy to.
        to: CUdeviceptr,
        /// The address to copy from.
        from: CUdeviceptr,
        /// The number of bytes to copy.
        length: usize,
    },
    /// The pool memory is too large to export: importers of larger memory may crash inside the driver.
    #[non_exhaustive]
    #[error("{size} bytes of a pool cannot be exported: above {largest} bytes the importer may crash{}", self.advice())]
    TooLarge {
        /// The size of the memory, in bytes.
        size: usize,
        /// The largest size that can be exported, in bytes.
        largest: usize,
    },
    /// A pool for fabric handles was not destroyed, because it was never exported as a fabric handle. A driver may crash
    /// when such a pool is destroyed.
    #[error("the pool for fabric handles stays until the process ends, because it was never exported as one{}", self.advice())]
    NeverExported,
    /// The address of a value is not a multiple of its alignment, which the device requires. For a number that streams
    /// write or wait for, and for a value to fill memory with, that is its size.
    #[non_exhaustive]
    #[error("the address {pointer:#x} is not a multiple of {alignment} bytes, the alignment of the value{}", self.advice())]
    Misaligned {
        /// The address.
        pointer: CUdeviceptr,
        /// The alignment, in bytes.
        alignment: usize,
    },
}

impl Error {
    /// Returns a function for `map_err` that wraps the error of a system call.
    pub(crate) fn system<E: Into<std::io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| SystemError::new(call, error).into()
    }

    /// Returns the driver's error code, if the driver returned one.
    #[must_use]
    pub const fn code(&self) -> Option<CUresult> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Returns whether the process at the other side has closed its end or died. To go on, connect again.
    ///
    /// It is false after an orderly end ([`TransportError::Finished`]), after which nothing is lost.
    #[must_use]
    pub const fn is_disconnected(&self) -> bool {
        match self {
            Self::Transport(error) => error.is_disconnected(),
            Self::Ring(error) => error.is_disconnected(),
            Self::PeerDied => true,
            _ => false,
        }
    }
}

// Relies on: the driver and the kernel.
/// Returns an error if the driver returned one. `passed` describes the arguments, and is called only then.
#[inline]
pub(crate) fn check(
    function: &'static str,
    answer: Result<CUresult, MissingSymbol>,
    passed: impl FnOnce() -> String,
) -> Result<(), Error> {
    check_with(function, answer, || (passed(), None))
}

/// Like [`check`], for a caller that may know a better hint.
#[inline]
pub(crate) fn check_with(
    function: &'static str,
    answer: Result<CUresult, MissingSymbol>,
    passed: impl FnOnce() -> (String, Option<&'static str>),
) -> Result<(), Error> {
    if answer == Ok(CUresult::CUDA_SUCCESS) { Ok(()) } else { refused(function, answer, passed) }
}

/// The rest of [`check_with`], away from the code of calls that succeed.
#[cold]
#[inline(never)]
fn refused(
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

//! The ways a step of a case can end.

use std::fmt;
use std::time::Duration;

use cuda_ipc_sys::CUresult;

use crate::Verdict;
use crate::step::{Accepted, in_c};

/// The result of a case: `Ok`, or why it stopped.
pub type Outcome = Result<(), Stop>;

/// A driver call that returned an error code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The role that made the call.
    pub role: String,
    /// The driver function.
    pub function: String,
    /// The code that it returned.
    pub code: CUresult,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} returned {}", self.role, self.function, self.code)
    }
}

/// Why a case stops.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The driver returned an error code, but the case expected success.
    Refused(Refusal),
    /// A check did not hold.
    Failed(String),
    /// Memory does not contain what was written to it.
    Corrupted(String),
    /// A process can access memory that was not shared with it, although a documented rule forbids that.
    Disclosed(String),
    /// Something is left after everything was given back.
    Leaked(String),
    /// A call that the case expected to be refused returned another code than the case expected.
    Unexpected {
        /// The code that it returned.
        refusal: Refusal,
        /// The codes that the case expected, in words.
        expected: String,
    },
    /// A call that the case expected to be refused succeeded.
    Accepted {
        /// The role and the step that succeeded; `None` if no step is known.
        step: Option<(String, String)>,
        /// The codes that the case expected, in words.
        expected: String,
    },
    /// The driver refused to take back what it gave.
    Kept {
        /// The refusal.
        refusal: Refusal,
        /// What was not released, and when, in words.
        what: String,
    },
    /// The machine or the driver cannot run this case.
    Unsupported(String),
    /// A function or a device is missing at run time, although the probe found everything that the case needs.
    Missing(String),
    /// A role's process ended during a step.
    Crashed {
        /// The role.
        role: String,
        /// How the process ended: the signal or the exit code.
        end: String,
        /// The step that it was performing.
        step: String,
    },
    /// A step did not end before its deadline.
    TimedOut {
        /// The role.
        role: String,
        /// The step.
        step: String,
        /// How long the step may take.
        deadline: Duration,
    },
    /// The harness or the case itself failed.
    Harness(String),
}

impl Stop {
    /// Creates a [`Stop::Failed`] with a message.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// Creates a [`Stop::Corrupted`] with a message.
    pub fn corrupted(message: impl Into<String>) -> Self {
        Self::Corrupted(message.into())
    }

    /// Creates a [`Stop::Disclosed`] with a message.
    pub fn disclosed(message: impl Into<String>) -> Self {
        Self::Disclosed(message.into())
    }

    /// Creates a [`Stop::Leaked`] with a message.
    pub fn leaked(message: impl Into<String>) -> Self {
        Self::Leaked(message.into())
    }

    /// Returns the verdict of a case that stopped for this reason.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Refused(_) | Self::Unexpected { .. } | Self::Accepted { .. } | Self::Kept { .. } => Verdict::Fail,
            Self::Failed(_) | Self::Corrupted(_) | Self::Disclosed(_) => Verdict::Fail,
            Self::Leaked(_) => Verdict::Leak,
            Self::Unsupported(_) | Self::Missing(_) => Verdict::Unsupported,
            Self::Crashed { .. } => Verdict::Crash,
            Self::TimedOut { .. } => Verdict::Timeout,
            Self::Harness(_) => Verdict::Error,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => write!(f, "{refusal}, expected CUDA_SUCCESS"),
            Self::Unexpected { refusal, expected } => write!(f, "{refusal}, expected {expected}"),
            Self::Accepted { step: None, expected } => {
                write!(f, "the call returned CUDA_SUCCESS, expected {expected}")
            }
            Self::Accepted { step: Some((role, step)), expected } => {
                let Accepted { function, by_kernel, .. } = Accepted::of(step);
                let by_kernel = by_kernel.map(|does| format!("{does}: ")).unwrap_or_default();
                write!(f, "{role}: {by_kernel}{function} returned CUDA_SUCCESS, expected {expected}")
            }
            Self::Kept { refusal: Refusal { role, function, code }, what } => {
                write!(f, "{role}: {what}: {function} returned {code}, expected CUDA_SUCCESS")
            }
            Self::Failed(message) | Self::Corrupted(message) | Self::Disclosed(message) => f.write_str(message),
            Self::Leaked(message) | Self::Unsupported(message) | Self::Missing(message) | Self::Harness(message) => {
                f.write_str(message)
            }
            Self::Crashed { role, end, step } => write!(f, "{role}: {end} in {}", in_c(step)),
            Self::TimedOut { role, step, deadline } => {
                write!(f, "{role}: no answer to {} before the deadline of {deadline:?}", in_c(step))
            }
        }
    }
}

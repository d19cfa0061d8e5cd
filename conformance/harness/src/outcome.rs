//! The ways a step of a case can end.

use std::fmt;

use cuda_ipc_sys::CUresult;

use crate::Verdict;

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
    },
    /// The harness or the case itself failed.
    Harness(String),
}

impl Stop {
    /// Creates a [`Stop::Failed`] with a message.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// Returns the verdict of a case that stopped for this reason.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Refused(_) | Self::Failed(_) => Verdict::Fail,
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
            Self::Failed(message) | Self::Unsupported(message) | Self::Missing(message) | Self::Harness(message) => {
                f.write_str(message)
            }
            Self::Crashed { role, end, step } => write!(f, "{role}: {end} in {step}"),
            Self::TimedOut { role, step } => write!(f, "{role}: no answer to {step} before the deadline"),
        }
    }
}

//! What a step of a case can end in.

use std::fmt;

use cuda_ipc_sys::CUresult;

use crate::Verdict;

/// What a case returns: `Ok`, or what stopped it.
pub type Outcome = Result<(), Stop>;

/// A driver call that answered with an error code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The process that called.
    pub role: String,
    /// The driver's function.
    pub function: String,
    /// What it answered.
    pub code: CUresult,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} answered {}", self.role, self.function, self.code)
    }
}

/// Why a case does not go on.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The driver answered with an error code where nothing else was expected.
    Refused(Refusal),
    /// A check did not hold.
    Failed(String),
    /// The machine or the driver cannot run this case.
    Unsupported(String),
    /// The driver lacks a function of its version, or a process its device, though the probe showed what the case needs.
    Missing(String),
    /// A process ended in the middle of a step.
    Crashed {
        /// The process.
        role: String,
        /// How it ended: the signal or the exit code.
        end: String,
        /// The step it was performing.
        step: String,
    },
    /// A step did not end before its deadline.
    TimedOut {
        /// The process.
        role: String,
        /// The step.
        step: String,
    },
    /// The harness failed.
    Harness(String),
}

impl Stop {
    /// A check that did not hold.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// The verdict that follows.
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
            Self::TimedOut { role, step } => write!(f, "{role}: no answer before the deadline to {step}"),
        }
    }
}

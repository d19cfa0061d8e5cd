//! How a case ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a case ended, from the best to the worst: the worst of all its roles is the case's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every check held.
    Pass,
    /// This machine cannot run the case; the reason says why.
    Unsupported,
    /// The driver breaks the rule, as deviations.toml lists it.
    Deviation,
    /// A check did not hold.
    Fail,
    /// Everything was given back, and the driver still holds something.
    Leak,
    /// A call did not return before its deadline.
    Timeout,
    /// A call ended its process.
    Crash,
    /// The harness itself failed, so nothing is known of the driver.
    Error,
}

impl Verdict {
    /// All verdicts, from the best to the worst: the order of every list of verdicts.
    pub const ALL: [Self; 8] = [
        Self::Pass,
        Self::Unsupported,
        Self::Deviation,
        Self::Fail,
        Self::Leak,
        Self::Timeout,
        Self::Crash,
        Self::Error,
    ];

    /// Whether the run as a whole may still be called good.
    #[must_use]
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::Unsupported | Self::Deviation)
    }

    /// The word in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Unsupported => "unsupported",
            Self::Deviation => "deviation",
            Self::Fail => "fail",
            Self::Leak => "leak",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

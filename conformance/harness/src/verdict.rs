//! Verdicts: how a case ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a case ended. The variants are sorted from best to worst. If several verdicts apply to one run of a case, the worst
/// one counts. If the runs of a case end differently, a failure counts before an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every check held.
    Pass,
    /// The case passed, although deviations.toml lists a bug for it: the bug is gone.
    Fixed,
    /// The machine cannot run the case.
    Unsupported,
    /// The driver does not do what other drivers were seen to do, and no documentation says which is right.
    Differs,
    /// The driver breaks the rule in the way that deviations.toml lists.
    Deviation,
    /// A check did not hold.
    Fail,
    /// The roles released everything, but memory or a descriptor is still in use.
    Leak,
    /// A call did not return before its deadline.
    Timeout,
    /// A process crashed: in a call, or when it exited after its last one. Or two runs of the suite broke off in this case.
    Crash,
    /// The harness or the case itself failed, so the driver's behaviour is unknown.
    Error,
}

impl Verdict {
    /// All verdicts in the order of the variants. Every list of verdicts uses it.
    pub const ALL: [Self; 10] = [
        Self::Pass,
        Self::Fixed,
        Self::Unsupported,
        Self::Differs,
        Self::Deviation,
        Self::Fail,
        Self::Leak,
        Self::Timeout,
        Self::Crash,
        Self::Error,
    ];

    /// Whether a run that contains this verdict can still succeed.
    #[must_use]
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::Fixed | Self::Unsupported | Self::Differs | Self::Deviation)
    }

    /// Whether the verdict says something about the driver.
    #[must_use]
    pub const fn is_about_the_driver(self) -> bool {
        !matches!(self, Self::Unsupported | Self::Error)
    }

    /// Returns the word used in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fixed => "fixed",
            Self::Differs => "differs",
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

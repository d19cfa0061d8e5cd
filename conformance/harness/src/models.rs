//! What a run asks of its models: cases that make random scripts and compare the driver with what they know.

use std::time::Duration;

/// How long a model of this run goes on, and what it does with a script that fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct Models {
    /// `--soak`: how long each model makes scripts. `None` means a fixed number of scripts.
    pub soak: Option<Duration>,
    /// `--scripts`: how many scripts each model makes, if not the default number.
    pub scripts: Option<u32>,
    /// `--script`: the only script to run.
    pub script: Option<u32>,
    /// `--no-shrink`: report the first script that fails as it is.
    pub no_shrink: bool,
    /// Whether the driver under test is the reference driver, which is fast.
    pub is_reference: bool,
}

/// What a model adds to its failure.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// What the reason ends with, such as the script that failed.
    pub text: String,
    /// Flags of the command that runs the case again, such as `--script 17`.
    pub flag: String,
    /// The row that was broken, or `None` if no single one was, as when the end of a script was not clean. It decides whether the driver broke a documented rule, as the rows of a case do.
    pub row: Option<&'static str>,
}

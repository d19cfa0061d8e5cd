//! What a run asks of its models: cases that make random scripts and compare the driver with what they know.

use std::fmt;
use std::time::Duration;

/// Whether the case with this name is a model, which claims no row but checks the driver, with steps made by chance.
pub(crate) fn is_model(case: &str) -> bool {
    case.starts_with("model::")
}

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

impl Models {
    /// Returns what makes a model perform again what it found, and not a whole run: otherwise two reruns of a soak of an hour
    /// would take two more hours. The script stays as it is, because the first run shortened it.
    #[must_use]
    pub(crate) fn again(self, again: Option<Again>) -> Self {
        let Some(again) = again else { return self };
        let asked = Self { soak: None, scripts: None, script: None, no_shrink: true, ..self };
        match again {
            Again::Script(number) => Self { script: Some(number), ..asked },
            Again::Scripts(number) => Self { scripts: Some(number), ..asked },
            Again::Soak(duration) => Self { soak: Some(duration), ..asked },
        }
    }
}

/// What a run must ask of a model so that the model finds the same again. It reads as the flag of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// This script, without those before it.
    Script(u32),
    /// The first scripts, this many. The last one fails only after those before it.
    Scripts(u32),
    /// A soak of this length.
    Soak(Duration),
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(number) => write!(f, "--script {number}"),
            Self::Scripts(number) => write!(f, "--scripts {number}"),
            Self::Soak(duration) => write!(f, "--soak {}", duration.as_secs_f64() / 60.0),
        }
    }
}

/// What a model adds to its failure.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// What the reason ends with, such as the script that failed.
    pub text: String,
    /// What the command that runs the case again asks of the model.
    pub again: Option<Again>,
    /// The row that was broken, or `None` if no single one was, as when the end of a script was not clean. It decides whether the driver broke a documented rule, as the rows of a case do.
    pub row: Option<&'static str>,
}

//! How busy a machine was when a run began.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How many threads wanted to run, and how many could.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Load {
    /// The threads that ran or waited for a processor, on average over the minute before the run: the system's load
    /// average.
    pub threads: f64,
    /// The processors that the run could use.
    pub processors: usize,
}

impl Load {
    /// Reads the load of this machine.
    pub(crate) fn find() -> Option<Self> {
        let processors = std::thread::available_parallelism().ok()?.get();
        Self::of(&std::fs::read_to_string("/proc/loadavg").ok()?, processors)
    }

    fn of(averages: &str, processors: usize) -> Option<Self> {
        let threads = averages.split_whitespace().next()?.parse().ok()?;
        Some(Self { threads, processors })
    }

    /// Whether the machine was clearly busier than with another load: a quarter of its processors or more.
    #[must_use]
    pub fn exceeds(&self, other: &Self) -> bool {
        const CLEARLY: f64 = 0.25;
        let share = |load: &Self| load.threads / load.processors.max(1) as f64;
        share(self) >= share(other) + CLEARLY
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.processors == 1 { "" } else { "s" };
        write!(f, "{:.1} on {} processor{plural}", self.threads, self.processors)
    }
}

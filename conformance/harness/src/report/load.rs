//! How busy a machine was when a run began.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The load of the host before a run, and its processors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Load {
    /// The load average of one minute, from `/proc/loadavg`: threads of the whole host that run, wait for a processor or
    /// wait for a disk.
    pub threads: f64,
    /// The processors of the host, which can be more than the run could use.
    pub processors: usize,
}

impl Load {
    /// Reads the load of this machine.
    pub(crate) fn find() -> Option<Self> {
        let threads = std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()?;
        // A line begins with `cpu` for all of them, and with `cpu` and a number for each.
        let of_one =
            |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let processors = std::fs::read_to_string("/proc/stat").ok()?.lines().filter(of_one).count();
        Some(Self { threads, processors })
    }

    /// Whether this load per processor exceeds another one clearly, by 0.25 or more.
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

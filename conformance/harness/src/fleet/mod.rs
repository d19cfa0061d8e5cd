//! Many reports at once: which rules break where, and on which driver releases.
//!
//! A report is compared with its peers: the reports of the same driver and GPUs, of each host only the newest. What most
//! peers do not do is an outlier. A rule that holds with one release of a driver and breaks with the next is a regression,
//! and so is one that breaks in a worse way.

mod gather;
mod peers;
mod rank;
mod regressions;
mod types;

use std::path::Path;

pub use types::{Before, Cell, Fleet, Incident, IncidentKind, Member, Outlier, Regression, Rule, Unread, Way};

impl Fleet {
    /// Reads every report (`*.jsonl`, `*.json`) in a folder and the folders in it. A file that cannot be read is named and
    /// does not stop the others.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn read(folder: &Path) -> std::io::Result<Self> {
        Ok(rank::fleet(gather::gather(folder)?))
    }
}

/// Returns the JSON Schema of [`Fleet`].
#[must_use]
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Fleet).to_value()
}

//! Many reports at once: which rules break where, and on which driver releases.
//!
//! A report is compared with its peers: the reports of the same driver and GPUs. What most peers do not do is an outlier.

mod gather;
mod rank;
mod types;

use std::path::Path;

pub use types::{Cell, Fleet, Incident, IncidentKind, Member, Outlier, Rule, Unread, Way};

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

//! The driver under test, as every report names it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What kind of driver is under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Our software driver: says nothing about any GPU.
    Reference,
    /// The system's driver.
    System,
    /// A library that was given by path.
    Path,
}

/// The driver under test, as every report names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// What kind.
    pub kind: Kind,
    /// Whose it is.
    pub name: String,
    /// Its own version where it tells one (`580.159.04`), else the CUDA version it serves.
    pub version: String,
    /// The newest CUDA version it serves.
    pub cuda: String,
    /// The library file.
    pub path: String,
    /// The SHA-256 of that file, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, cuda, .. } = self;
        match self.kind {
            Kind::Reference => write!(f, "driver: reference (software, no GPU), CUDA {cuda}"),
            Kind::System => write!(f, "driver: system, {name} {version}, CUDA {cuda}"),
            Kind::Path => write!(f, "driver: path {}, {name} {version}, CUDA {cuda}", self.path),
        }
    }
}

/// A release as numbers, so that 580.65 comes before 580.159.
pub(crate) fn release(text: &str) -> Vec<u32> {
    text.split('.').map_while(|part| part.parse().ok()).collect()
}

//! The driver under test, as every report names it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of driver under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The reference driver, which is software: its results say nothing about a GPU.
    Reference,
    /// The system's driver.
    System,
    /// A library selected by path that is neither of the others.
    Path,
}

/// The driver under test, as every report names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The kind of driver.
    pub kind: Kind,
    /// The driver's name: `NVIDIA`, `reference`, or the file name of a library selected by path.
    pub name: String,
    /// The driver's own version if known, such as `580.159.04`; else the CUDA version that it supports.
    pub version: String,
    /// The newest CUDA version that the driver supports.
    pub cuda: String,
    /// The path of the library file that answers the calls.
    pub path: String,
    /// The path that selected the driver, if a path did. That library may stand before the driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_path: Option<String>,
    /// The SHA-256 of the library file, if it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, cuda, .. } = self;
        let given = self.given_path.as_ref().map_or_else(String::new, |path| format!(", given by path {path}"));
        match self.kind {
            Kind::Reference => write!(f, "driver: reference (software, no GPU), CUDA {cuda}{given}"),
            Kind::System => write!(f, "driver: system, {name} {version}, CUDA {cuda}{given}"),
            Kind::Path => write!(f, "driver: path {}, {name} {version}, CUDA {cuda}", self.path),
        }
    }
}

/// Parses a release into numbers, so that 580.65 sorts before 580.159.
pub(crate) fn release(text: &str) -> Vec<u32> {
    text.split('.').map_while(|part| part.parse().ok()).collect()
}

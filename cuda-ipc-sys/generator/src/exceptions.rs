//! Reads exceptions.toml: names that header sets share but define differently.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    exception: Vec<Exception>,
}

/// One entry of exceptions.toml.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The name: a member, a constant, or a type whose size differs.
    pub name: String,
    /// Why the bindings are correct for every set.
    pub reason: String,
    /// The first set whose member is as in the bindings.
    pub since: Option<String>,
    /// The member of older sets that contains its bytes.
    pub lies_in: Option<String>,
    /// The value in each set whose value differs from the bindings.
    #[serde(default)]
    pub values: BTreeMap<String, i128>,
}

/// Returns every exception.
///
/// # Errors
/// If exceptions.toml is invalid, or gives no reason for an entry.
pub fn exceptions() -> Result<Vec<Exception>> {
    let file: File = toml::from_str(include_str!("../exceptions.toml")).context("cannot parse exceptions.toml")?;
    if let Some(exception) = file.exception.iter().find(|exception| exception.reason.trim().is_empty()) {
        bail!("exceptions.toml gives no reason for {}", exception.name);
    }
    Ok(file.exception)
}

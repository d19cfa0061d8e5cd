//! Where header sets differ in what they have in common: exceptions.toml.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    exception: Vec<Exception>,
}

/// One name of exceptions.toml.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// A member, a constant, or a type whose size it is about.
    pub name: String,
    /// Why the bindings are right all the same.
    pub reason: String,
    /// The first set that has the member as it is bound.
    pub since: Option<String>,
    /// The member of older sets whose bytes it has.
    pub lies_in: Option<String>,
    /// The value in the sets where it is another.
    #[serde(default)]
    pub values: BTreeMap<String, i128>,
}

/// Every exception.
///
/// # Errors
/// Where exceptions.toml is not as it should be.
pub fn exceptions() -> Result<Vec<Exception>> {
    let file: File = toml::from_str(include_str!("../exceptions.toml")).context("exceptions.toml")?;
    Ok(file.exception)
}

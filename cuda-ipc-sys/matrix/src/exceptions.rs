//! Where releases differ in what they have in common, and why it does no harm.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use cuda_ipc_sys_generator::headers::HeaderSet;
use serde::Deserialize;

use crate::probe::{Answer, Probe};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    exception: Vec<Exception>,
}

/// One name of exceptions.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// A member or a constant.
    name: String,
    /// Why the bindings are right all the same.
    #[serde(rename = "reason")]
    _reason: String,
    /// The first set that has the member as it is bound.
    since: Option<String>,
    /// The member of older sets whose bytes it has.
    lies_in: Option<String>,
    /// The constant's value in the sets where it is another.
    #[serde(default)]
    values: BTreeMap<String, Answer>,
    #[serde(skip)]
    used: bool,
}

pub(crate) struct Exceptions(Vec<Exception>);

impl Exceptions {
    pub(crate) fn read() -> Result<Self> {
        let file: File = toml::from_str(include_str!("../exceptions.toml")).context("exceptions.toml")?;
        Ok(Self(file.exception))
    }

    /// What to ask of a set: of one that is older than a member, whether the member's bytes are reserved there.
    pub(crate) fn adapt(&mut self, probe: &Probe, set: &HeaderSet) -> Option<Probe> {
        let is_about = |exception: &&mut Exception| {
            let is_older = |since: &String| numbers(&set.version) < numbers(since);
            let is_inside = || probe.subject.strip_prefix(&exception.name).is_some_and(|rest| rest.starts_with('.'));
            (probe.subject == exception.name || is_inside()) && exception.since.as_ref().is_some_and(is_older)
        };
        let Some(exception) = self.0.iter_mut().find(is_about) else { return Some(probe.clone()) };
        exception.used = true;
        let lies_in = exception.lies_in.as_ref()?;
        (probe.what == "offset" && probe.subject == exception.name).then(|| probe.lies_in(lies_in))
    }

    /// Whether this answer is the one that is stated for the set.
    pub(crate) fn excuse(&mut self, subject: &str, answer: Answer, set: &HeaderSet) -> bool {
        let is_stated = |exception: &&mut Exception| {
            exception.name == subject && exception.values.get(&set.version) == Some(&answer)
        };
        self.0.iter_mut().find(is_stated).map(|exception| exception.used = true).is_some()
    }

    /// An exception that nothing needs is wrong itself.
    pub(crate) fn unused(&self) -> Vec<String> {
        let unused = self.0.iter().filter(|exception| !exception.used);
        unused.map(|exception| format!("exceptions.toml: {} differs nowhere", exception.name)).collect()
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

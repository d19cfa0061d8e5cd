//! The known differences between releases, from exceptions.toml.

use anyhow::Result;
use cuda_ipc_sys_generator::headers::HeaderSet;
use cuda_ipc_sys_generator::{Exception, exceptions};

use crate::probe::{Answer, Probe};

/// The exceptions, each with a flag that says whether a set needed it.
pub(crate) struct Exceptions(Vec<(Exception, bool)>);

impl Exceptions {
    pub(crate) fn read() -> Result<Self> {
        Ok(Self(exceptions()?.into_iter().map(|exception| (exception, false)).collect()))
    }

    /// Returns the probe to run on a set. For a set older than a member, it asks whether the bytes are reserved there.
    pub(crate) fn adapt(&mut self, probe: &Probe, set: &HeaderSet) -> Option<Probe> {
        let is_about = |(exception, _): &&mut (Exception, bool)| {
            let is_older = |since: &String| numbers(&set.version) < numbers(since);
            let is_inside = || probe.subject.strip_prefix(&exception.name).is_some_and(|rest| rest.starts_with('.'));
            (probe.subject == exception.name || is_inside()) && exception.since.as_ref().is_some_and(is_older)
        };
        let Some((exception, used)) = self.0.iter_mut().find(is_about) else { return Some(probe.clone()) };
        *used = true;
        let lies_in = exception.lies_in.as_ref()?;
        (probe.what == "offset" && probe.subject == exception.name).then(|| probe.lies_in(lies_in))
    }

    /// Whether exceptions.toml states this answer for the set.
    pub(crate) fn excuse(&mut self, subject: &str, answer: Answer, set: &HeaderSet) -> bool {
        let is_stated = |(exception, _): &&mut (Exception, bool)| {
            exception.name == subject && exception.values.get(&set.version) == Some(&answer)
        };
        self.0.iter_mut().find(is_stated).map(|(_, used)| *used = true).is_some()
    }

    /// Returns a message for each exception that no set needed, because such an entry is wrong.
    pub(crate) fn unused(&self) -> Vec<String> {
        let unused = self.0.iter().filter(|(_, used)| !used);
        unused.map(|(exception, _)| format!("exceptions.toml lists {}, which no set needs", exception.name)).collect()
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

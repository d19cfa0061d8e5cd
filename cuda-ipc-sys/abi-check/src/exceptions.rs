//! Where releases differ in what they have in common, and why it does no harm.

use anyhow::Result;
use cuda_ipc_sys_generator::headers::HeaderSet;
use cuda_ipc_sys_generator::{Exception, exceptions};

use crate::probe::{Answer, Probe};

/// Each with whether it was needed.
pub(crate) struct Exceptions(Vec<(Exception, bool)>);

impl Exceptions {
    pub(crate) fn read() -> Result<Self> {
        Ok(Self(exceptions()?.into_iter().map(|exception| (exception, false)).collect()))
    }

    /// What to ask of a set: of one that is older than a member, whether the member's bytes are reserved there.
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

    /// Whether this answer is the one that is stated for the set.
    pub(crate) fn excuse(&mut self, subject: &str, answer: Answer, set: &HeaderSet) -> bool {
        let is_stated = |(exception, _): &&mut (Exception, bool)| {
            exception.name == subject && exception.values.get(&set.version) == Some(&answer)
        };
        self.0.iter_mut().find(is_stated).map(|(_, used)| *used = true).is_some()
    }

    /// An exception that nothing needs is wrong itself.
    pub(crate) fn unused(&self) -> Vec<String> {
        let unused = self.0.iter().filter(|(_, used)| !used);
        unused.map(|(exception, _)| format!("exceptions.toml: {} differs nowhere", exception.name)).collect()
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

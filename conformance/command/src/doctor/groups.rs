//! The groups of cases: how many cases can run, and why the others cannot.

use std::collections::BTreeMap;

use conformance::runner::Probe;
use serde::Serialize;

/// The cases of one group.
#[derive(Debug, Default, Serialize)]
pub(super) struct Group {
    pub(super) group: String,
    pub(super) cases: usize,
    pub(super) can_run: usize,
    /// What the other cases lack, and how many cases lack it.
    pub(super) lacks: BTreeMap<String, usize>,
}

pub(super) fn of(probe: &Probe) -> Vec<Group> {
    // The finding about the driver says why it does not work.
    let works = probe.driver.as_ref().is_ok_and(|found| found.machine.problem.is_none());
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for (id, lacks) in &probe.cases {
        let name = id.split("::").next().unwrap_or_default();
        let group = groups.entry(name).or_insert_with(|| Group { group: name.to_owned(), ..Group::default() });
        group.cases += 1;
        match lacks {
            None => group.can_run += 1,
            Some(reason) => {
                let reason = if works { reason.as_str() } else { "needs a working driver" };
                *group.lacks.entry(reason.to_owned()).or_default() += 1;
            }
        }
    }
    groups.into_values().collect()
}

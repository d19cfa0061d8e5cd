//! The groups of cases, and what they lack.

use std::collections::BTreeMap;

use conformance::runner::Probe;
use serde::Serialize;

/// The cases of one group.
#[derive(Debug, Default, Serialize)]
pub(super) struct Group {
    pub(super) group: String,
    pub(super) cases: usize,
    pub(super) can_run: usize,
    /// How many lack what.
    pub(super) lacks: BTreeMap<String, usize>,
}

pub(super) fn of(probe: &Probe) -> Vec<Group> {
    // Why it does not is told once, of the driver.
    let works = probe.driver.as_ref().is_ok_and(|found| found.machine.problem.is_none());
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for (id, lacks) in &probe.cases {
        let name = id.split("::").next().unwrap_or_default();
        let group = groups.entry(name).or_insert_with(|| Group { group: name.to_owned(), ..Group::default() });
        group.cases += 1;
        match lacks {
            None => group.can_run += 1,
            Some(reason) => {
                let reason = if works { reason.as_str() } else { "needs a driver that works" };
                *group.lacks.entry(reason.to_owned()).or_default() += 1;
            }
        }
    }
    groups.into_values().collect()
}

//! Failures with one cause: one reason, many cases.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::change::{Change, Severity};
use super::way::{Failed, is_a_read, key, role_of, without_role};
use crate::report::{CaseReport, Runs};
use crate::{Defect, Failure};

/// Failures with the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The kind of the defect.
    pub kind: Defect,
    /// What went wrong, in words: `SIGSEGV in cuMemPoolImportPointer`.
    pub what: String,
    /// The cases that failed, in the order in which they are given: by name.
    pub cases: Vec<String>,
    /// The rows that these cases check.
    pub rows: BTreeSet<String>,
    /// How often the cases failed, added up over those that ran several times; null if none did.
    pub runs: Option<Runs>,
    /// How many of the cases ran several times: after a few that failed in every run, the others do not run again.
    pub repeated: usize,
}

impl Cause {
    /// Returns how many cases there are and how often they fail: `in 79 cases (3 of them ran several times, and 9 of 9
    /// runs failed)`, `in 1 of 3 runs`. Empty for one case that ran once.
    #[must_use]
    pub fn extent(&self) -> String {
        match (self.cases.len(), self.frequency()) {
            (1, None) => String::new(),
            (several, None) => format!("in {several} cases"),
            (1, Some(_)) => self.runs.map(|runs| format!("in {runs} runs")).unwrap_or_default(),
            (several, Some(frequency)) => format!("in {several} cases ({frequency})"),
        }
    }

    /// Returns how often the cases fail, if any ran several times: `fails in 1 of 3 runs`, `3 of them ran several times,
    /// and 9 of 9 runs failed`.
    #[must_use]
    pub fn frequency(&self) -> Option<String> {
        let runs = self.runs?;
        Some(match (self.cases.len(), self.repeated) {
            (1, _) => format!("fails in {runs} runs"),
            (cases, repeated) if cases == repeated => format!("{runs} runs failed"),
            (_, 1) => format!("1 of them ran several times, and {runs} runs failed"),
            (_, repeated) => format!("{repeated} of them ran several times, and {runs} runs failed"),
        })
    }

    /// Groups the failed cases of a report by cause. The worst kind comes first, and of one kind the cause of the most
    /// cases. Listed deviations are not among them.
    #[must_use]
    pub fn of_cases(cases: &[CaseReport]) -> Vec<Self> {
        let failed = cases.iter().filter(|case| !case.verdict.is_good()).filter_map(|case| {
            Some(Failed {
                id: &case.id,
                rows: &case.rows,
                failure: case.how_it_failed()?,
                reason: case.reason.as_deref(),
                runs: case.runs,
            })
        });
        group(failed)
    }

    /// Groups regressions by cause, in the same order.
    pub(super) fn of_changes(changes: &[Change]) -> Vec<Self> {
        let regressed = changes.iter().filter(|change| change.severity == Severity::Regressed);
        group(regressed.map(|change| Failed {
            id: &change.id,
            rows: &change.rows,
            failure: change.failure.clone().unwrap_or(Failure::of(Defect::Result)),
            reason: change.disclosure().or_else(|| change.reason()),
            runs: change.runs,
        }))
    }
}

fn group<'a>(failed: impl Iterator<Item = Failed<'a>>) -> Vec<Cause> {
    let mut causes: BTreeMap<(Defect, String), Cause> = BTreeMap::new();
    // Those that no longer name a role.
    let mut are_of_several = BTreeSet::new();
    for case in failed {
        let (kind, what) = (case.failure.kind, case.what());
        let at = (kind, key(&what));
        let cause = causes.entry(at.clone()).or_insert_with(|| Cause {
            kind,
            what: case.shown().unwrap_or_else(|| what.clone()),
            cases: Vec::new(),
            rows: BTreeSet::new(),
            runs: None,
            repeated: 0,
        });
        // Where several roles show it, naming the first of them would mislead.
        if !are_of_several.contains(&at) && role_of(&what) != role_of(&cause.what) {
            let without = without_role(&cause.what);
            // A sentence about what a role read needs somebody who read it.
            cause.what = if is_a_read(without) { format!("a process {without}") } else { without.to_owned() };
            are_of_several.insert(at);
        }
        cause.cases.push(case.id.to_owned());
        cause.rows.extend(case.rows.iter().cloned());
        cause.runs = Runs::sum(cause.runs, case.runs);
        cause.repeated += usize::from(case.runs.is_some());
    }
    let mut causes: Vec<_> = causes.into_values().collect();
    causes.sort_by_key(|cause| (cause.kind, usize::MAX - cause.cases.len()));
    causes
}

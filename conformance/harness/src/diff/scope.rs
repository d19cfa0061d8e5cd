//! How far two reports can be compared: a filter, a run that broke off, fewer GPUs or harness errors leave cases out.

use serde::Serialize;

use super::change::Why;
use crate::Verdict;
use crate::report::{Run, Source};

/// Begins the clause that says that both runs had the same filter.
pub(super) const BOTH: &str = "both runs ";

/// How many cases both reports check, and why the others could not be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scope {
    /// The number of cases that both reports check.
    pub compared: usize,
    /// The number of cases that one report or both check.
    pub cases: usize,
    /// Why the comparison is partial: clauses such as `the new run used --skip harness::`. Empty if both runs
    /// were complete and had as many GPUs, and the harness failed in no case of the old run that the new run checks.
    pub limits: Vec<String>,
}

impl Scope {
    pub(super) fn of(old: &impl Source, new: &impl Source) -> Self {
        let mut limits = Vec::new();
        match (limit(old), limit(new)) {
            (Some(Limit::Run(before)), Some(Limit::Run(now))) if before == now => {
                limits.push(format!("{BOTH}{now}"));
            }
            (before, now) => {
                limits.extend(before.map(|limit| limit.of("old")));
                limits.extend(now.map(|limit| limit.of("new")));
            }
        }
        let gpus = |run: &Run| run.devices.len();
        let (before, now) = (gpus(old.run()), gpus(new.run()));
        if now < before {
            limits.push(format!("the new run had {} instead of {before}", count(now)));
        } else if before < now {
            limits.push(format!("the old run had {} instead of {now}", count(before)));
        }
        let is_checked = |verdict: Option<Verdict>| verdict.is_some_and(|verdict| verdict != Verdict::Unsupported);
        // A case that the new run does not check is left out for that reason, and not because of the error.
        let is_lost = |id: &&str| old.verdict(id) == Some(Verdict::Error) && is_checked(new.verdict(id));
        let unknown = old.ids().filter(is_lost).count();
        if unknown > 0 {
            let cases = if unknown == 1 { "1 case".to_owned() } else { format!("{unknown} cases") };
            limits.push(format!("the harness failed in {cases} of the old run"));
        }
        // After an error of the harness, nothing is known of the old driver. If only the new run has one, that is a change.
        let is_known = |verdict: Option<Verdict>| is_checked(verdict) && verdict != Some(Verdict::Error);
        let of_old = old.ids().filter(|id| is_checked(old.verdict(id)));
        let (mut cases, mut compared) = (0, 0);
        for id in of_old {
            cases += 1;
            compared += usize::from(is_known(old.verdict(id)) && is_checked(new.verdict(id)));
        }
        cases += new.ids().filter(|id| is_checked(new.verdict(id)) && !is_checked(old.verdict(id))).count();
        Self { compared, cases, limits }
    }

    /// Whether no case can be compared. Then the comparison says nothing about the driver.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.compared == 0
    }

    /// Whether something left cases out.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.limits.is_empty()
    }
}

fn count(gpus: usize) -> String {
    if gpus == 1 { "1 GPU".to_owned() } else { format!("{gpus} GPUs") }
}

/// Why a report leaves cases out.
enum Limit {
    /// What the run did.
    Run(String),
    /// What the report is like.
    Report(&'static str),
}

impl Limit {
    fn of(&self, which: &str) -> String {
        match self {
            Self::Run(did) => format!("the {which} run {did}"),
            Self::Report(is) => format!("the {which} report {is}"),
        }
    }
}

fn limit(report: &impl Source) -> Option<Limit> {
    match report.running() {
        // If a run broke off, a filter does not explain which cases it left out.
        [] if !report.is_complete() => Some(Limit::Report("has no end line, or lacks cases that it counts")),
        [] if report.run().is_partial => {
            Some(Limit::Run(format!("used {}", report.run().selection.as_deref().unwrap_or("a filter"))))
        }
        [] => None,
        [one] => Some(Limit::Run(format!("broke off while {one} was running"))),
        several => Some(Limit::Run(format!("broke off while {} cases were running", several.len()))),
    }
}

/// Returns why a report lacks a case of the old one.
pub(super) fn missing(old: &impl Source, new: &impl Source) -> Why {
    let (before, now) = (old.run().selection.as_deref(), new.run().selection.as_deref());
    match now {
        _ if !new.is_complete() => Why::Unfinished { running: false },
        _ if !new.run().is_partial => Why::Suite,
        // The filter that chose the case before would choose it again.
        Some(selection) if before == now && is_by_name(selection) => Why::Suite,
        selection => left_out(selection),
    }
}

/// Whether a selection depends only on the names of cases: not on a file, the rules that they check, or the time.
fn is_by_name(selection: &str) -> bool {
    selection.split(" with ").all(|part| part.starts_with("the filter ") || part.starts_with("--skip "))
}

/// Returns what left a case out of a run that checks only a part of the suite.
fn left_out(selection: Option<&str>) -> Why {
    let parts: Vec<_> = selection.unwrap_or_default().split(" with ").collect();
    let is_level = |part: &str| part.starts_with("--level ");
    let is_budget = |part: &str| part.starts_with("--budget ");
    match parts.as_slice() {
        [one] if is_level(one) => Why::Level,
        [one] if is_budget(one) => Why::Budget,
        parts if !parts.iter().any(|part| is_level(part) || is_budget(part)) => Why::Filter,
        _ => Why::Selection,
    }
}

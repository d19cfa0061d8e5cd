//! `--repeat`: runs a case several times in a row, and reports what a later run changed.

use std::num::NonZeroU32;

use serde_json::Value;

use crate::Verdict;
use crate::diff::{changed_disclosures, changed_observations};
use crate::report::CaseReport;

/// Runs a case until a run disagrees with the first one. Returns the report of the first run if all agree, else a report
/// of the disagreement. That report has the steps and observations of the worse of the two runs, and the disclosures of
/// all runs.
pub(super) fn repeat(times: NonZeroU32, mut run: impl FnMut() -> CaseReport) -> CaseReport {
    let mut first = run();
    for number in 2..=times.get() {
        let later = run();
        if let Some(difference) = difference(&first, &later, number) {
            let disclosures = of_both(&first, &later);
            let worse = if first.verdict > later.verdict { first } else { later };
            let verdict = worse.verdict.max(Verdict::Fail);
            return CaseReport { verdict, reason: Some(difference), disclosures, ..worse };
        }
        first.disclosures = of_both(&first, &later);
    }
    first
}

/// Returns what differs between the first run of a case and a later one.
fn difference(first: &CaseReport, later: &CaseReport, number: u32) -> Option<String> {
    if first.verdict != later.verdict {
        return Some(format!("run 1: {}; run {number}: {}", end(first), end(later)));
    }
    // A listed bug may end the case at any step, and an unsupported case did not run. Their observations are
    // incomplete, so they are not compared.
    if matches!(first.verdict, Verdict::Deviation | Verdict::Unsupported) {
        return None;
    }
    let changed = changed_observations(first, later).map(|(name, old, new)| {
        format!("the observation `{name}` was {} in run 1 and {} in run {number}", shown(old), shown(new))
    });
    let disclosed = changed_disclosures(first, later).into_iter().map(|(text, is_new)| {
        let (shows, lacks) = if is_new { (number, 1) } else { (1, number) };
        format!("run {shows} has the disclosure `{text}`, run {lacks} does not")
    });
    let changed: Vec<_> = changed.chain(disclosed).collect();
    (!changed.is_empty()).then(|| later.reason.iter().cloned().chain(changed).collect::<Vec<_>>().join("; "))
}

/// Returns the disclosures of two runs, each once. A run that a listed bug ended early may lack some.
fn of_both(first: &CaseReport, later: &CaseReport) -> Vec<String> {
    let new = changed_disclosures(first, later).into_iter().filter(|(_, is_new)| *is_new).map(|(text, _)| text);
    first.disclosures.iter().cloned().chain(new).collect()
}

fn end(case: &CaseReport) -> String {
    case.reason.as_ref().map_or_else(|| case.verdict.to_string(), |reason| format!("{}: {reason}", case.verdict))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "missing".to_owned(), Value::to_string)
}

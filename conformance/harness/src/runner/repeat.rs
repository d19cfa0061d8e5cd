//! Runs a case several times: `--repeat` before anything is known, `--reruns` after it failed. Both only count: no run
//! turns a failure into a pass.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::diff::{cause_of, changed_disclosures, changed_observations, key};
use crate::report::{CaseReport, Runs};
use crate::{Defect, Verdict};

/// Runs a case this many times. Returns the report of the first run if all agree, else a report of the first
/// disagreement. That report has the steps and observations of the worst run, and the disclosures of all runs.
pub(super) fn repeat(times: NonZeroU32, mut run: impl FnMut() -> CaseReport) -> CaseReport {
    let mut first = run();
    // Each run with its verdict, and whether it ended like run 1 but observed something else.
    let mut runs = vec![(first.verdict, false)];
    let mut disagreement: Option<CaseReport> = None;
    for number in 2..=times.get() {
        let later = run();
        let difference = difference(&first, &later, number);
        runs.push((later.verdict, later.verdict == first.verdict && difference.is_some()));
        first.disclosures = of_both(&first, &later);
        disagreement = match (disagreement, difference) {
            (Some(known), Some(_)) if rank(later.verdict) > rank(known.verdict) => {
                Some(CaseReport { reason: known.reason, ..later })
            }
            (None, Some(difference)) => {
                let worse = if rank(first.verdict) > rank(later.verdict) { first.clone() } else { later };
                Some(CaseReport { verdict: worse.verdict.max(Verdict::Fail), reason: Some(difference), ..worse })
            }
            (known, _) => known,
        };
    }
    let disclosures = first.disclosures.clone();
    let report = disagreement.map_or(first, |worst| CaseReport { disclosures, ..worst });
    CaseReport { runs: counted(&runs, times.get()), ..report }
}

/// Counts the runs that failed. If runs end differently and none of them is a failure by itself, the best end is the right
/// one, whichever run had it.
fn counted(runs: &[(Verdict, bool)], of: u32) -> Option<Runs> {
    let best = runs.iter().map(|(verdict, _)| *verdict).min()?;
    let has_failed = |(verdict, is_unlike): &&(Verdict, bool)| !verdict.is_good() || *verdict > best || *is_unlike;
    let failed = u32::try_from(runs.iter().filter(has_failed).count()).unwrap_or(of);
    (of > 1 && failed > 0).then_some(Runs { failed, of })
}

/// Decides which failures run again. A defect of the driver can break a hundred cases, and each run of a call that hangs
/// waits for its deadline. So a defect that a few cases showed in every run is believed without more runs.
#[derive(Debug, Default)]
pub(super) struct Reruns {
    times: u32,
    steady: Mutex<BTreeMap<(Defect, String), u32>>,
}

impl Reruns {
    /// The number of cases that show a defect in every run before others with the same defect no longer run again.
    const BELIEVED: u32 = 3;

    pub(super) fn new(times: u32) -> Self {
        Self { times, ..Self::default() }
    }

    /// Runs a failed case again, and counts how often it fails.
    pub(super) fn count(&self, mut report: CaseReport, mut run: impl FnMut() -> CaseReport) -> CaseReport {
        if self.times == 0 || report.verdict.is_good() || report.runs.is_some() {
            return report;
        }
        let (kind, what) = cause_of(&report);
        let cause = (kind, key(&what));
        let is_believed = |steady: &BTreeMap<_, u32>| steady.get(&cause).is_some_and(|cases| *cases >= Self::BELIEVED);
        if is_believed(&self.steady.lock().unwrap_or_else(PoisonError::into_inner)) {
            return report;
        }
        let mut runs = Runs { failed: 1, of: 1 };
        for _ in 0..self.times {
            let again = run();
            // A run that could not take place does not say how often the case fails.
            if !again.verdict.is_about_the_driver() && report.verdict.is_about_the_driver() {
                continue;
            }
            runs.of += 1;
            runs.failed += u32::from(!again.verdict.is_good());
            if rank(again.verdict) > rank(report.verdict) {
                report = again;
            }
        }
        if runs.of > 1 && runs.failed == runs.of {
            *self.steady.lock().unwrap_or_else(PoisonError::into_inner).entry(cause).or_default() += 1;
        }
        CaseReport { runs: (runs.of > 1).then_some(runs), ..report }
    }
}

/// Ranks the ends of several runs from best to worst. An error of the harness says nothing about the driver, so it hides no
/// failure of another run.
const fn rank(verdict: Verdict) -> (bool, Verdict) {
    (!verdict.is_good() && verdict.is_about_the_driver(), verdict)
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

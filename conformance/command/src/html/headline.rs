//! The result of a run in one sentence, and the cases that need attention.

use std::collections::BTreeSet;

use conformance::diff::{Cause, Diff, Severity};
use conformance::identity::Kind;
use conformance::report::{CaseReport, Report, Run, check_in_c};
use conformance::{Defect, Verdict};

use super::outline::{Entry, Outline};
use super::text::{self, Piece, count};
use crate::markup;

/// The maximum number of causes at the top of the page; the filters show the rest.
const LISTED: usize = 40;

/// The top of the page.
pub(super) struct Headline<'a> {
    /// `good`, `bad`, or `unknown`.
    pub(super) mood: &'static str,
    pub(super) sentence: String,
    /// Remarks that qualify the sentence.
    pub(super) remarks: Vec<String>,
    pub(super) disclosures: Vec<Told<'a>>,
    /// The Xid messages of the kernel.
    pub(super) xids: Vec<Told<'a>>,
    /// The cases with a bad verdict by cause, without those that the comparison shows.
    pub(super) bad: Vec<Bad<'a>>,
    /// The number of causes that are not listed.
    pub(super) more: usize,
    /// The command that runs the failed cases again, if there are any.
    pub(super) again: Option<String>,
}

/// Cases with a bad verdict and one cause.
pub(super) struct Bad<'a> {
    pub(super) verdict: Verdict,
    pub(super) kind: Defect,
    pub(super) cases: Vec<&'a CaseReport>,
    pub(super) rows: Vec<String>,
    /// The reason of the only case, or what several cases have in common.
    pub(super) reason: String,
    /// How often they failed, if some ran several times.
    pub(super) frequency: Option<String>,
}

/// What a case says whatever its verdict is: what a process can access although it was never shared with it, or a message
/// of the kernel that came while the case ran.
pub(super) struct Told<'a> {
    pub(super) id: &'a str,
    pub(super) rows: &'a [String],
    pub(super) text: &'a str,
}

impl<'a> Headline<'a> {
    pub(super) fn of(report: &'a Report, file: &str, outline: &Outline, diff: Option<&Diff>) -> Self {
        let verdicts = || outline.rows().filter_map(Entry::judged);
        let checked = verdicts().count();
        let broken = verdicts().filter(|verdict| !verdict.is_good()).count();
        let listed = verdicts().filter(|verdict| *verdict == Verdict::Deviation).count();
        let says = match (checked, broken, listed) {
            (0, _, _) => "was not checked against any rule".to_owned(),
            (_, 0, 0) => format!("meets {}", all(checked)),
            (_, 0, _) => {
                format!(
                    "meets {} of {checked} checked rules and breaks the others as a list of deviations says",
                    checked - listed
                )
            }
            _ => format!("breaks {broken} of {checked} checked rules"),
        };
        let has_failed = report.cases.iter().any(|case| !case.verdict.is_good())
            || !report.run.unmet.is_empty()
            || !report.bad_ends.is_empty();
        let says = if broken == 0 && has_failed { format!("{says}, but the run failed") } else { says };
        let of = |verdict| outline.total.cases(verdict);
        let unmet = report.run.unmet.iter();
        let mut remarks: Vec<_> = unmet.map(|unmet| format!("A requirement is not met: {unmet}.")).collect();
        let outside = |end| format!("A process crashed or hung outside any case, so the run failed: {end}.");
        remarks.extend(report.bad_ends.iter().map(outside));
        if report.run.is_partial {
            // Reports of earlier suites do not say what it was.
            let selection = report.run.selection.as_deref().unwrap_or("a filter");
            remarks.push(format!("The run used {selection}: the rest of the suite did not run."));
        }
        if report.run.driver.kind == Kind::Reference {
            remarks.push("The reference driver is software: this run says nothing about any GPU.".to_owned());
        }
        if of(Verdict::Error) > 0 {
            let errors = count(of(Verdict::Error), "case");
            remarks.push(format!("{errors} ended with an error of the harness, which says nothing about the driver."));
        }
        let loose = outline.others.loose.iter().filter(|case| !case.report.verdict.is_good()).count();
        if loose > 0 {
            let check = if loose == 1 { "checks" } else { "check" };
            remarks.push(format!("{} that {check} no rule failed.", count(loose, "case")));
        }
        let is_bad = has_failed || diff.is_some_and(Diff::has_regressed);
        let mut sentence = format!("{} {says}.", subject(&report.run));
        if let Some(diff) = diff {
            // Of two reports, the change comes first.
            remarks.insert(0, sentence);
            sentence = format!("{}.", diff.headline);
        }
        let bad = attention(report, diff);
        Self {
            mood: match (is_bad, report.is_complete && checked > 0 && !diff.is_some_and(|diff| diff.scope.is_empty())) {
                (true, _) => "bad",
                (false, true) => "good",
                (false, false) => "unknown",
            },
            sentence,
            remarks,
            disclosures: report.disclosures().map(Told::of).collect(),
            xids: report.xids().map(Told::of).collect(),
            again: report.cases.iter().any(|case| !case.verdict.is_good()).then(|| again(&report.run, file)),
            more: bad.len().saturating_sub(LISTED),
            bad: bad.into_iter().take(LISTED).collect(),
        }
    }
}

/// Returns the command that runs the failed cases of a report again.
fn again(run: &Run, file: &str) -> String {
    let driver = match (&run.driver.given_path, run.driver.kind) {
        (Some(path), _) => path.as_str(),
        (None, Kind::Reference) => "reference",
        (None, Kind::System | Kind::Path) => "system",
    };
    let fresh = if run.fresh { " --fresh" } else { "" };
    let driver = markup::path(driver);
    format!("conformance run --driver {driver} --seed {}{fresh} --from {}", run.seed, markup::word(file))
}

/// Returns the bad cases by cause. Those that the comparison shows are left out.
fn attention<'a>(report: &'a Report, diff: Option<&Diff>) -> Vec<Bad<'a>> {
    let changes = diff.into_iter().flat_map(|diff| &diff.changes);
    let is_shown = |severity| matches!(severity, Severity::Regressed | Severity::New);
    let shown: BTreeSet<_> =
        changes.filter(|change| is_shown(change.severity)).map(|change| change.id.as_str()).collect();
    let mut causes = Vec::new();
    for cause in Cause::of_cases(&report.cases) {
        let frequency = cause.frequency();
        let Cause { kind, what, cases, rows, .. } = cause;
        let cases: Vec<_> =
            cases.iter().filter(|id| !shown.contains(id.as_str())).filter_map(|id| report.case(id)).collect();
        let Some(verdict) = cases.iter().map(|case| case.verdict).max() else { continue };
        let reason = match cases.as_slice() {
            [case] => case.reason.as_deref().map(check_in_c).unwrap_or_default(),
            _ => what,
        };
        causes.push(Bad { verdict, kind, cases, rows: rows.into_iter().collect(), reason, frequency });
    }
    causes
}

impl Bad<'_> {
    pub(super) fn reason(&self) -> Vec<Piece<'_>> {
        text::pieces(&self.reason)
    }
}

impl<'a> Told<'a> {
    fn of((case, text): (&'a CaseReport, &'a str)) -> Self {
        Self { id: &case.id, rows: &case.rows, text }
    }

    pub(super) fn anchor(&self) -> String {
        text::anchor(self.id)
    }
}

/// Names the driver and the devices: `The driver NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200`.
pub(super) fn subject(run: &Run) -> String {
    let driver = match run.driver.kind {
        Kind::Reference => "The reference driver".to_owned(),
        Kind::System => format!("The driver {} {}", run.driver.name, run.driver.version),
        Kind::Path => format!("The driver {}", run.driver.name),
    };
    format!("{driver} (CUDA {}) on {}", run.driver.cuda, devices(run))
}

/// Returns the devices, with a no-break space between a number and the GPU that it counts.
pub(super) fn devices(run: &Run) -> String {
    run.gpus().replace(" ×", "\u{a0}×")
}

fn all(checked: usize) -> String {
    if checked == 1 { "the only checked rule".to_owned() } else { format!("all {checked} checked rules") }
}

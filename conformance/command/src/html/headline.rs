//! The verdict of a run in one sentence, and what needs someone's attention.

use conformance::Verdict;
use conformance::identity::Kind;
use conformance::report::{Report, Run};

use super::outline::{Entry, Outline};
use super::text::{self, Piece, count};

/// How many bad cases are listed above everything else; the filters show the rest.
const LISTED: usize = 40;

/// What the page says first.
pub(super) struct Headline<'a> {
    /// `good`, `bad`, or `unknown`.
    pub(super) mood: &'static str,
    pub(super) sentence: String,
    /// What has to be known to read the sentence rightly.
    pub(super) remarks: Vec<String>,
    pub(super) bad: Vec<Bad<'a>>,
    /// How many bad cases are not listed.
    pub(super) more: usize,
}

/// A case that must not stay as it is.
pub(super) struct Bad<'a> {
    pub(super) verdict: Verdict,
    pub(super) id: &'a str,
    pub(super) rows: &'a [String],
    pub(super) reason: Vec<Piece<'a>>,
}

impl<'a> Headline<'a> {
    pub(super) fn of(report: &'a Report, outline: &Outline) -> Self {
        let verdicts = || outline.rows().filter_map(Entry::judged);
        let checked = verdicts().count();
        let broken = verdicts().filter(|verdict| !verdict.is_good()).count();
        let listed = verdicts().filter(|verdict| *verdict == Verdict::Deviation).count();
        let says = match (checked, broken, listed) {
            (0, _, _) => "was not asked about any row".to_owned(),
            (_, 0, 0) => format!("keeps {}", all(checked)),
            (_, 0, _) => {
                format!("keeps {} of {checked} checked rows; the other {listed} are known deviations", checked - listed)
            }
            _ => format!("breaks {broken} of {checked} checked rows"),
        };
        let of = |verdict| outline.total.cases(verdict);
        let unmet = report.run.unmet.iter();
        let mut remarks: Vec<_> = unmet.map(|unmet| format!("Required, and not there: {unmet}.")).collect();
        if report.run.is_partial {
            remarks.push("A filter chose the cases: the rest of the suite was not asked for.".to_owned());
        }
        if report.run.driver.kind == Kind::Reference {
            remarks.push("The reference driver is software: this run says nothing about any GPU.".to_owned());
        }
        if of(Verdict::Error) > 0 {
            let errors = count(of(Verdict::Error), "case");
            remarks
                .push(format!("{errors} ended in an error of the harness, so nothing is known of the driver there."));
        }
        let loose = outline.others.loose.iter().filter(|case| !case.report.verdict.is_good()).count();
        if loose > 0 {
            remarks.push(format!("{} of no row did not end well.", count(loose, "case")));
        }
        let bad = || report.cases.iter().filter(|case| !case.verdict.is_good());
        let is_bad = bad().next().is_some();
        Self {
            mood: match (is_bad || !report.run.unmet.is_empty(), report.is_complete && checked > 0) {
                (true, _) => "bad",
                (false, true) => "good",
                (false, false) => "unknown",
            },
            sentence: format!("{} {says}.", subject(&report.run)),
            remarks,
            bad: bad()
                .take(LISTED)
                .map(|case| Bad {
                    verdict: case.verdict,
                    id: &case.id,
                    rows: &case.rows,
                    reason: case.reason.as_deref().map(text::pieces).unwrap_or_default(),
                })
                .collect(),
            more: bad().count().saturating_sub(LISTED),
        }
    }
}

impl Bad<'_> {
    pub(super) fn anchor(&self) -> String {
        text::anchor(self.id)
    }
}

/// `NVIDIA 580.159.04 on 2 × NVIDIA H200`.
pub(super) fn subject(run: &Run) -> String {
    let driver = match run.driver.kind {
        Kind::Reference => "The reference driver".to_owned(),
        Kind::System => format!("The driver {} {}", run.driver.name, run.driver.version),
        Kind::Path => format!("The driver {}", run.driver.name),
    };
    format!("{driver} (CUDA {}) on {}", run.driver.cuda, devices(run))
}

/// A number stays on the line of what it counts.
pub(super) fn devices(run: &Run) -> String {
    run.gpus().replace(" ×", "\u{a0}×")
}

fn all(checked: usize) -> String {
    if checked == 1 { "the one checked row".to_owned() } else { format!("all {checked} checked rows") }
}

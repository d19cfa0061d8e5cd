//! The result of a run in one sentence, and the cases that need attention.

use conformance::Verdict;
use conformance::identity::Kind;
use conformance::report::{Report, Run};

use super::outline::{Entry, Outline};
use super::text::{self, Piece, count};

/// The maximum number of bad cases listed at the top of the page; the filters show the rest.
const LISTED: usize = 40;

/// The top of the page.
pub(super) struct Headline<'a> {
    /// `good`, `bad`, or `unknown`.
    pub(super) mood: &'static str,
    pub(super) sentence: String,
    /// Remarks that qualify the sentence.
    pub(super) remarks: Vec<String>,
    pub(super) disclosures: Vec<Disclosure<'a>>,
    pub(super) bad: Vec<Bad<'a>>,
    /// The number of bad cases that are not listed.
    pub(super) more: usize,
}

/// A case with a bad verdict.
pub(super) struct Bad<'a> {
    pub(super) verdict: Verdict,
    pub(super) id: &'a str,
    pub(super) rows: &'a [String],
    pub(super) reason: Vec<Piece<'a>>,
}

/// What a process can access although it was never shared with it.
pub(super) struct Disclosure<'a> {
    pub(super) id: &'a str,
    pub(super) rows: &'a [String],
    pub(super) text: &'a str,
}

impl<'a> Headline<'a> {
    pub(super) fn of(report: &'a Report, outline: &Outline) -> Self {
        let verdicts = || outline.rows().filter_map(Entry::judged);
        let checked = verdicts().count();
        let broken = verdicts().filter(|verdict| !verdict.is_good()).count();
        let listed = verdicts().filter(|verdict| *verdict == Verdict::Deviation).count();
        let says = match (checked, broken, listed) {
            (0, _, _) => "was not checked against any row".to_owned(),
            (_, 0, 0) => format!("meets {}", all(checked)),
            (_, 0, _) => {
                format!("meets {} of {checked} checked rows (listed deviations: {listed})", checked - listed)
            }
            _ => format!("breaks {broken} of {checked} checked rows"),
        };
        let of = |verdict| outline.total.cases(verdict);
        let unmet = report.run.unmet.iter();
        let mut remarks: Vec<_> = unmet.map(|unmet| format!("A requirement is not met: {unmet}.")).collect();
        if report.run.is_partial {
            remarks.push("A filter selected the cases: the rest of the suite did not run.".to_owned());
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
            remarks.push(format!("{} without a row ended with a bad verdict.", count(loose, "case")));
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
            disclosures: report
                .disclosures()
                .map(|(case, text)| Disclosure { id: &case.id, rows: &case.rows, text })
                .collect(),
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

impl Disclosure<'_> {
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
    if checked == 1 { "the only checked row".to_owned() } else { format!("all {checked} checked rows") }
}

//! Compares two reports: the machine, and the verdict, reason, observations, disclosures and duration of each
//! case.

pub(crate) mod noise;
mod setting;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

pub use setting::Setting;

use noise::{quiet, without_addresses};

use crate::Verdict;
use crate::report::{CaseReport, Index, Report, Source, Suite, Unreadable};

/// Durations below this are not compared, because they depend on the load of the machine.
const SHORTEST_MS: f64 = 100.0;

/// The factor by which the duration of a case must change to be reported.
const TIMES: f64 = 3.0;

/// The differences between two reports, case by case.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// The old report.
    pub old: Side,
    /// The new report.
    pub new: Side,
    /// The differences in suite, driver, devices, links, environment and mode (`fresh`, `repeat`).
    pub environment: Vec<Setting>,
    /// The cases that changed, sorted by severity (worst first), then by name.
    pub changes: Vec<Change>,
    /// The number of cases without a difference.
    pub same: usize,
}

/// One of the two reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// A description of the run, such as `NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200, suite 0.1.0
    /// (7feee947f0a1)`.
    pub title: String,
    /// The driver's name and version.
    pub driver: String,
    /// The number and product name of the devices, such as `2 × NVIDIA H200`.
    pub gpus: String,
    /// The suite, if the report names it.
    pub suite: Option<Suite>,
    /// Whether the report says that the run is complete.
    pub is_complete: bool,
    /// The cases that had started but not ended when the report ends.
    pub running: Vec<String>,
    /// The number of cases per verdict.
    pub summary: BTreeMap<&'static str, usize>,
}

/// A case that differs between the reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The severity. If the case ended differently, is new or is missing, that decides; else the worst of its
    /// differences. With a new disclosure it is at least `disclosure`.
    pub severity: Severity,
    /// The name of the case.
    pub id: String,
    /// The rows that the case checks.
    pub rows: Vec<String>,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// The severity of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A regression: a rule no longer holds, fails in a worse way, or is no longer checked.
    Worse,
    /// A disclosure came or went: what a process can access although it was never shared with it.
    Disclosure,
    /// The driver behaves differently in a detail that the documentation leaves open, or fails in a different way.
    Different,
    /// The case became much slower or faster.
    Time,
    /// An improvement: a rule now holds or is now checked.
    Better,
}

impl Severity {
    /// All severities, worst first.
    pub const ALL: [Self; 5] = [Self::Worse, Self::Disclosure, Self::Different, Self::Time, Self::Better];

    /// Returns the word used in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Disclosure => "disclosure",
            Self::Different => "different",
            Self::Time => "time",
            Self::Better => "better",
        }
    }
}

/// A difference between the two reports of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Difference {
    /// The verdict.
    Verdict {
        /// The old value.
        old: Verdict,
        /// The new value.
        new: Verdict,
    },
    /// The reason of the verdict.
    Reason {
        /// The old value.
        old: Option<String>,
        /// The new value.
        new: Option<String>,
    },
    /// An observation; a value is null if the case did not record it.
    Observation {
        /// The name of the observation.
        name: String,
        /// The old value.
        old: Option<Value>,
        /// The new value.
        new: Option<Value>,
    },
    /// A disclosure that only one report has.
    Disclosure {
        /// What a process can access.
        text: String,
        /// Whether the new report has it.
        is_new: bool,
    },
    /// The duration in milliseconds.
    Time {
        /// The old value.
        old: f64,
        /// The new value.
        new: f64,
    },
    /// The case is only in the new report.
    Added {
        /// How the case ended.
        verdict: Verdict,
    },
    /// The case is only in the old report.
    Removed {
        /// How the case ended.
        verdict: Verdict,
    },
    /// The case had started but not ended when the new report ends.
    Unended {
        /// The verdict in the old report; null if the case is not in it.
        old: Option<Verdict>,
    },
}

impl Diff {
    /// Compares two reports.
    #[must_use]
    pub fn of(old: &Report, new: &Report) -> Self {
        let Ok(diff) = Self::between(old, new);
        diff
    }

    /// Compares two reports in their files, which can have any size.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn of_files(old: &Path, new: &Path) -> Result<Self, Unreadable> {
        Self::between(&Index::read(old)?, &Index::read(new)?)
    }

    fn between<S: Source>(old: &S, new: &S) -> Result<Self, S::Error> {
        let running: BTreeSet<_> = new.running().iter().map(String::as_str).collect();
        let ids: BTreeSet<_> = old.ids().chain(new.ids()).chain(running.iter().copied()).collect();
        let mut changes = Vec::new();
        let is_timed = old.run().repeat == new.run().repeat;
        for id in &ids {
            let pair = Pair { old: old.case(id)?, new: new.case(id)?, is_running: running.contains(id), is_timed };
            changes.extend(Change::of(id, &pair));
        }
        let same = ids.len() - changes.len();
        // A stable sort keeps cases of one severity in the order of their names.
        changes.sort_by_key(|change| change.severity);
        let environment = setting::differences(old.run(), new.run());
        Ok(Self { old: Side::of(old), new: Side::of(new), environment, changes, same })
    }

    /// Whether a case became worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.changes.first().is_some_and(|change| change.severity == Severity::Worse)
    }

    /// Returns the changes of one severity.
    pub fn changes_of(&self, severity: Severity) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.severity == severity)
    }
}

impl Side {
    fn of(report: &impl Source) -> Self {
        let run = report.run();
        Self {
            title: run.to_string(),
            driver: format!("{} {}", run.driver.name, run.driver.version),
            gpus: run.gpus(),
            suite: run.suite.clone(),
            is_complete: report.is_complete(),
            running: report.running().to_vec(),
            summary: report.summary(),
        }
    }
}

/// A case as both reports contain it.
struct Pair<'reports> {
    old: Option<Cow<'reports, CaseReport>>,
    new: Option<Cow<'reports, CaseReport>>,
    is_running: bool,
    /// Whether the durations can be compared, because each case ran equally often.
    is_timed: bool,
}

impl Change {
    fn of(id: &str, pair: &Pair<'_>) -> Option<Self> {
        let differences = pair.differences();
        // If the verdict differs, then different observations and reasons are consequences and do not add to the
        // severity.
        let end = differences.iter().find(|difference| difference.is_of_the_end());
        let severity = end.map(Difference::severity).or_else(|| differences.iter().map(Difference::severity).min())?;
        let is_disclosed =
            differences.iter().any(|difference| matches!(difference, Difference::Disclosure { is_new: true, .. }));
        let severity = if is_disclosed { severity.min(Severity::Disclosure) } else { severity };
        let rows = pair.new.as_ref().or(pair.old.as_ref()).map(|case| case.rows.clone()).unwrap_or_default();
        Some(Self { severity, id: id.to_owned(), rows, differences })
    }
}

impl Pair<'_> {
    fn differences(&self) -> Vec<Difference> {
        match (&self.old, &self.new) {
            // If a case ended and was then started again, the comparison uses its last result.
            (Some(old), Some(new)) => differences(old, new, self.is_timed),
            (old, None) if self.is_running => {
                vec![Difference::Unended { old: old.as_ref().map(|case| case.verdict) }]
            }
            (None, Some(new)) => {
                let reason = |new: &String| Difference::Reason { old: None, new: Some(new.clone()) };
                [Difference::Added { verdict: new.verdict }]
                    .into_iter()
                    .chain(new.reason.as_ref().map(reason))
                    .chain(
                        new.disclosures.iter().map(|text| Difference::Disclosure { text: text.clone(), is_new: true }),
                    )
                    .collect()
            }
            (Some(old), None) => vec![Difference::Removed { verdict: old.verdict }],
            (None, None) => Vec::new(),
        }
    }
}

impl Difference {
    const fn is_of_the_end(&self) -> bool {
        matches!(self, Self::Verdict { .. } | Self::Added { .. } | Self::Removed { .. } | Self::Unended { .. })
    }

    /// Returns the severity of the difference.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Verdict { new: Verdict::Pass | Verdict::Fixed, .. } => Severity::Better,
            Self::Verdict { old, new } if badness(*new) > badness(*old) => Severity::Worse,
            Self::Verdict { .. } | Self::Reason { .. } | Self::Observation { .. } => Severity::Different,
            Self::Disclosure { .. } => Severity::Disclosure,
            Self::Time { .. } => Severity::Time,
            Self::Added { verdict: Verdict::Pass | Verdict::Fixed } => Severity::Better,
            Self::Added { verdict } if verdict.is_good() => Severity::Different,
            Self::Removed { verdict } if *verdict == Verdict::Unsupported => Severity::Different,
            Self::Added { .. } | Self::Removed { .. } | Self::Unended { .. } => Severity::Worse,
        }
    }
}

/// Ranks verdicts by how bad they are. An unsupported case is as bad as a listed bug: neither shows that the rule
/// holds.
const fn badness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass | Verdict::Fixed => 0,
        Verdict::Unsupported | Verdict::Differs | Verdict::Deviation => 1,
        Verdict::Fail => 2,
        Verdict::Leak => 3,
        Verdict::Timeout => 4,
        Verdict::Crash => 5,
        Verdict::Error => 6,
    }
}

fn quiet_reason(case: &CaseReport) -> Option<String> {
    case.reason.as_deref().map(without_addresses)
}

/// Returns the name, the old value and the new value of each observation that differs. A value is `None` if the case did
/// not record it.
pub(crate) fn changed_observations<'case>(
    old: &'case CaseReport,
    new: &'case CaseReport,
) -> impl Iterator<Item = (&'case str, Option<&'case Value>, Option<&'case Value>)> {
    let names: BTreeSet<_> = old.observations.keys().chain(new.observations.keys()).collect();
    names.into_iter().filter_map(|name| {
        let (old, new) = (old.observations.get(name), new.observations.get(name));
        (old.map(quiet) != new.map(quiet)).then_some((name.as_str(), old, new))
    })
}

/// Returns each disclosure that only one report of a case has, and whether that is the new one.
pub(crate) fn changed_disclosures(old: &CaseReport, new: &CaseReport) -> Vec<(String, bool)> {
    let texts =
        |case: &CaseReport| case.disclosures.iter().map(|text| without_addresses(text)).collect::<BTreeSet<_>>();
    let (old, new) = (texts(old), texts(new));
    old.symmetric_difference(&new).map(|text| (text.clone(), new.contains(text))).collect()
}

fn differences(old: &CaseReport, new: &CaseReport, is_timed: bool) -> Vec<Difference> {
    let mut differences = Vec::new();
    if old.verdict != new.verdict {
        differences.push(Difference::Verdict { old: old.verdict, new: new.verdict });
    }
    if quiet_reason(old) != quiet_reason(new) {
        differences.push(Difference::Reason { old: old.reason.clone(), new: new.reason.clone() });
    }
    // A case that did not run shows no disclosure, although the driver may have one.
    if new.verdict != Verdict::Unsupported {
        let disclosures = changed_disclosures(old, new).into_iter();
        differences.extend(disclosures.map(|(text, is_new)| Difference::Disclosure { text, is_new }));
    }
    // A case that did not run has no observations and no meaningful duration.
    if old.verdict != Verdict::Unsupported && new.verdict != Verdict::Unsupported {
        differences.extend(changed_observations(old, new).map(|(name, old, new)| Difference::Observation {
            name: name.to_owned(),
            old: old.cloned(),
            new: new.cloned(),
        }));
        let (shorter, longer) = (old.duration_ms.min(new.duration_ms), old.duration_ms.max(new.duration_ms));
        if is_timed && longer >= SHORTEST_MS && longer > TIMES * shorter {
            differences.push(Difference::Time { old: old.duration_ms, new: new.duration_ms });
        }
    }
    differences
}

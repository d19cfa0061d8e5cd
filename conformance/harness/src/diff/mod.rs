//! What changed between two reports: the machine, and each case's verdict, reason, observations and time.

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

/// Durations below this say nothing: what the machine did beside the case decides them.
const SHORTEST_MS: f64 = 100.0;

/// By how much a case has to become slower or quicker to be told.
const TIMES: f64 = 3.0;

/// Two reports, compared case by case.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// The old report.
    pub old: Side,
    /// The new one.
    pub new: Side,
    /// What differs in drivers, devices, links and the machine around them.
    pub environment: Vec<Setting>,
    /// What changed, the worst first, then by name.
    pub changes: Vec<Change>,
    /// How many cases are in both reports and the same.
    pub same: usize,
}

/// One of the two reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// The run in words: `NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200, suite 0.1.0 (7feee947f0a1)`.
    pub title: String,
    /// The driver's name and version.
    pub driver: String,
    /// Its devices in words.
    pub gpus: String,
    /// The suite, where the report names it.
    pub suite: Option<Suite>,
    /// Whether the run came to its end, as far as the report can tell.
    pub is_complete: bool,
    /// The cases that were running when the report ends.
    pub running: Vec<String>,
    /// How many cases ended how.
    pub summary: BTreeMap<&'static str, usize>,
}

/// A case that is not as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// How bad it is: what it means that the case ended otherwise, else the worst of its differences.
    pub severity: Severity,
    /// The case.
    pub id: String,
    /// The rows it checks.
    pub rows: Vec<String>,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// How bad a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something does not hold any more, fails harder, or is not checked any more.
    Worse,
    /// The driver does something else where the documentation leaves it open, or fails otherwise.
    Different,
    /// Much slower or quicker.
    Time,
    /// Something holds now, or is checked now.
    Better,
}

impl Severity {
    /// All of them, the worst first.
    pub const ALL: [Self; 4] = [Self::Worse, Self::Different, Self::Time, Self::Better];

    /// The word in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Different => "different",
            Self::Time => "time",
            Self::Better => "better",
        }
    }
}

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Difference {
    /// How the case ended.
    Verdict {
        /// Before.
        old: Verdict,
        /// Now.
        new: Verdict,
    },
    /// Why it ended so.
    Reason {
        /// Before.
        old: Option<String>,
        /// Now.
        new: Option<String>,
    },
    /// What was seen; nothing where it was not observed.
    Observation {
        /// Its name.
        name: String,
        /// Before.
        old: Option<Value>,
        /// Now.
        new: Option<Value>,
    },
    /// How long it took, in milliseconds.
    Time {
        /// Before.
        old: f64,
        /// Now.
        new: f64,
    },
    /// It is only in the new report.
    Added {
        /// How it ended.
        verdict: Verdict,
    },
    /// It is only in the old report.
    Removed {
        /// How it ended.
        verdict: Verdict,
    },
    /// It was running when the new report ends.
    Unended {
        /// How it ended before, if it did.
        old: Option<Verdict>,
    },
}

impl Diff {
    /// Compare two reports.
    #[must_use]
    pub fn of(old: &Report, new: &Report) -> Self {
        let Ok(diff) = Self::between(old, new);
        diff
    }

    /// Compare two reports in their files, of whatever size.
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
        for id in &ids {
            let pair = Pair { old: old.case(id)?, new: new.case(id)?, is_running: running.contains(id) };
            changes.extend(Change::of(id, &pair));
        }
        let same = ids.len() - changes.len();
        // A stable sort: cases of one severity stay in the order of their names.
        changes.sort_by_key(|change| change.severity);
        let environment = setting::differences(old.run(), new.run());
        Ok(Self { old: Side::of(old), new: Side::of(new), environment, changes, same })
    }

    /// Whether something became worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.changes.first().is_some_and(|change| change.severity == Severity::Worse)
    }

    /// The changes of one severity.
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

/// A case in both reports.
struct Pair<'reports> {
    old: Option<Cow<'reports, CaseReport>>,
    new: Option<Cow<'reports, CaseReport>>,
    is_running: bool,
}

impl Change {
    fn of(id: &str, pair: &Pair<'_>) -> Option<Self> {
        let differences = pair.differences();
        // What a case saw on its way to another end, and why it came to it, is no second change.
        let end = differences.iter().find(|difference| difference.is_of_the_end());
        let severity = end.map(Difference::severity).or_else(|| differences.iter().map(Difference::severity).min())?;
        let rows = pair.new.as_ref().or(pair.old.as_ref()).map(|case| case.rows.clone()).unwrap_or_default();
        Some(Self { severity, id: id.to_owned(), rows, differences })
    }
}

impl Pair<'_> {
    fn differences(&self) -> Vec<Difference> {
        match (&self.old, &self.new) {
            // One that had ended and runs again counts as it ended.
            (Some(old), Some(new)) => differences(old, new),
            (old, None) if self.is_running => {
                vec![Difference::Unended { old: old.as_ref().map(|case| case.verdict) }]
            }
            (None, Some(new)) => {
                let reason = |new: &String| Difference::Reason { old: None, new: Some(new.clone()) };
                [Difference::Added { verdict: new.verdict }]
                    .into_iter()
                    .chain(new.reason.as_ref().map(reason))
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

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Verdict { new, .. } if *new == Verdict::Pass => Severity::Better,
            Self::Verdict { old, new } if badness(*new) > badness(*old) => Severity::Worse,
            Self::Verdict { .. } | Self::Reason { .. } | Self::Observation { .. } => Severity::Different,
            Self::Time { .. } => Severity::Time,
            Self::Added { verdict } if *verdict == Verdict::Pass => Severity::Better,
            Self::Added { verdict } if verdict.is_good() => Severity::Different,
            Self::Removed { verdict } if *verdict == Verdict::Unsupported => Severity::Different,
            Self::Added { .. } | Self::Removed { .. } | Self::Unended { .. } => Severity::Worse,
        }
    }
}

/// How little is known to hold. Of a case that cannot run as little is known as of a listed bug.
const fn badness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Unsupported | Verdict::Deviation => 1,
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

fn differences(old: &CaseReport, new: &CaseReport) -> Vec<Difference> {
    let mut differences = Vec::new();
    if old.verdict != new.verdict {
        differences.push(Difference::Verdict { old: old.verdict, new: new.verdict });
    }
    if quiet_reason(old) != quiet_reason(new) {
        differences.push(Difference::Reason { old: old.reason.clone(), new: new.reason.clone() });
    }
    // Of a case that did not run nothing was observed.
    if old.verdict != Verdict::Unsupported && new.verdict != Verdict::Unsupported {
        let names: BTreeSet<_> = old.observations.keys().chain(new.observations.keys()).collect();
        differences.extend(names.into_iter().filter_map(|name| {
            let (old, new) = (old.observations.get(name).cloned(), new.observations.get(name).cloned());
            (old.as_ref().map(quiet) != new.as_ref().map(quiet)).then(|| Difference::Observation {
                name: name.clone(),
                old,
                new,
            })
        }));
        let (shorter, longer) = (old.duration_ms.min(new.duration_ms), old.duration_ms.max(new.duration_ms));
        if longer >= SHORTEST_MS && longer > TIMES * shorter {
            differences.push(Difference::Time { old: old.duration_ms, new: new.duration_ms });
        }
    }
    differences
}

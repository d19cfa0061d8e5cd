//! What changed between two reports: verdicts, reasons, observations and times.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::Verdict;
use crate::report::{CaseReport, Report};

/// Durations below this say nothing: what the machine did beside the case decides them.
const SHORTEST_MS: f64 = 20.0;

/// By how much a case has to become slower or quicker to be told.
const TIMES: f64 = 3.0;

/// Two reports, compared case by case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diff {
    /// What changed, the worst first, then by name.
    pub changes: Vec<Change>,
    /// How many cases are in both reports and the same.
    pub same: usize,
}

/// A case that is not as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// How bad it is: the worst of its differences.
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
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something does not hold any more, or is not checked any more.
    Worse,
    /// The driver does something else where the documentation leaves it open, or fails otherwise.
    Different,
    /// Much slower or quicker.
    Time,
    /// Something holds now, or is checked now.
    Better,
}

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Difference {
    /// How the case ended.
    Verdict {
        /// Before.
        old: Verdict,
        /// Now.
        new: Verdict,
    },
    /// Why, where it ended in the same way.
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
}

impl Diff {
    /// Compare two reports.
    #[must_use]
    pub fn of(old: &Report, new: &Report) -> Self {
        let mut pairs: BTreeMap<&str, (Option<&CaseReport>, Option<&CaseReport>)> = BTreeMap::new();
        for case in &old.cases {
            pairs.entry(&case.id).or_default().0 = Some(case);
        }
        for case in &new.cases {
            pairs.entry(&case.id).or_default().1 = Some(case);
        }
        let count = pairs.len();
        let mut changes: Vec<_> = pairs.into_iter().filter_map(|(id, (old, new))| Change::of(id, old, new)).collect();
        let same = count - changes.len();
        // A stable sort: cases of one severity stay in the order of their names.
        changes.sort_by_key(|change| change.severity);
        Self { changes, same }
    }

    /// Whether something became worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.changes.first().is_some_and(|change| change.severity == Severity::Worse)
    }
}

impl Change {
    fn of(id: &str, old: Option<&CaseReport>, new: Option<&CaseReport>) -> Option<Self> {
        let differences = match (old, new) {
            (Some(old), Some(new)) => differences(old, new),
            (None, Some(new)) => vec![Difference::Added { verdict: new.verdict }],
            (Some(old), None) => vec![Difference::Removed { verdict: old.verdict }],
            (None, None) => Vec::new(),
        };
        let severity = differences.iter().map(Difference::severity).min()?;
        let rows = new.or(old).map(|case| case.rows.clone()).unwrap_or_default();
        Some(Self { severity, id: id.to_owned(), rows, differences })
    }
}

impl Difference {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Verdict { old, new } if is_good(*new) == is_good(*old) => Severity::Different,
            Self::Verdict { new, .. } if is_good(*new) => Severity::Better,
            Self::Verdict { .. } => Severity::Worse,
            Self::Reason { .. } | Self::Observation { .. } => Severity::Different,
            Self::Time { .. } => Severity::Time,
            Self::Added { verdict } if is_good(*verdict) => Severity::Better,
            Self::Added { .. } | Self::Removed { .. } => Severity::Worse,
        }
    }
}

/// Whether a rule was seen to hold. What was not checked is not good, and what is listed as a bug neither.
const fn is_good(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass)
}

fn differences(old: &CaseReport, new: &CaseReport) -> Vec<Difference> {
    let mut differences = Vec::new();
    if old.verdict != new.verdict {
        differences.push(Difference::Verdict { old: old.verdict, new: new.verdict });
    } else if old.reason != new.reason {
        differences.push(Difference::Reason { old: old.reason.clone(), new: new.reason.clone() });
    }
    // Of a case that did not run nothing was observed.
    if old.verdict != Verdict::Unsupported && new.verdict != Verdict::Unsupported {
        let names: std::collections::BTreeSet<_> = old.observations.keys().chain(new.observations.keys()).collect();
        differences.extend(names.into_iter().filter_map(|name| {
            let (old, new) = (old.observations.get(name).cloned(), new.observations.get(name).cloned());
            (old != new).then(|| Difference::Observation { name: name.clone(), old, new })
        }));
        let (shorter, longer) = (old.duration_ms.min(new.duration_ms), old.duration_ms.max(new.duration_ms));
        if longer >= SHORTEST_MS && longer > TIMES * shorter {
            differences.push(Difference::Time { old: old.duration_ms, new: new.duration_ms });
        }
    }
    differences
}

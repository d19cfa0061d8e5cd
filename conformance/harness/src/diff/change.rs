//! What differs between the two reports of one case, and how much that matters.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::noise::{is_same_reason, quiet, without_addresses};
use super::way::{cause_of, key};
use crate::models::is_model;
use crate::report::{CaseReport, Runs};
use crate::{Defect, Failure, Verdict};

/// Durations below this are not compared, because they depend on the load of the machine.
const SHORTEST_MS: f64 = 100.0;

/// The factor by which the duration of a case must change to be reported.
pub(super) const TIMES: f64 = 3.0;

/// A case that differs between the reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The severity. If the case ended differently, is new or is missing, that decides; else the worst of its
    /// differences. With a new disclosure it is at least `disclosure`, and `regressed` if the case held in both reports.
    pub severity: Severity,
    /// The name of the case.
    pub id: String,
    /// The rows that the case checks.
    pub rows: Vec<String>,
    /// How the case fails in the new report, what it discloses, or that it is slower; null if it is none of these.
    pub failure: Option<Failure>,
    /// How often the case fails in the new report; null if it ran once.
    pub runs: Option<Runs>,
    /// Why the case is no longer checked; null unless the severity is `unchecked`.
    pub why: Option<Why>,
    /// The differences.
    pub differences: Vec<Difference>,
    /// Whether the case failed in both reports, and in the new one with a worse defect.
    #[serde(skip)]
    pub(super) fails_worse: bool,
    /// Whether the case fails as before, and no list excuses it any more.
    #[serde(skip)]
    pub(super) is_no_longer_excused: bool,
    /// Whether a list excused the case, and it fails now in another way, which no list knows and which is no worse.
    #[serde(skip)]
    pub(super) fails_unlike_the_list: bool,
}

/// The severity of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A rule that held no longer holds, also if a list knows the bug; a case fails in a worse way; or a case that passed
    /// discloses for the first time.
    Regressed,
    /// The old report checks the case, and the new one does not.
    Unchecked,
    /// A disclosure is gone, or it is new where the old report could not show it. A disclosure is what a process can
    /// access although it was never shared with it.
    Disclosure,
    /// The driver behaves differently in a detail that the documentation leaves open, or fails in a different way.
    Different,
    /// The case became much slower or faster.
    Time,
    /// The new report checks the case, and the old one does not.
    New,
    /// A rule that did not hold holds now.
    Better,
}

impl Severity {
    /// All severities, worst first.
    pub const ALL: [Self; 7] =
        [Self::Regressed, Self::Unchecked, Self::Disclosure, Self::Different, Self::Time, Self::New, Self::Better];

    /// Returns the word used in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Unchecked => "unchecked",
            Self::Disclosure => "disclosure",
            Self::Different => "different",
            Self::Time => "time",
            Self::New => "new",
            Self::Better => "better",
        }
    }

    /// Returns the words for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Unchecked => "no longer checked",
            Self::New => "checked for the first time",
            _ => self.word(),
        }
    }
}

/// Why a case is no longer checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "because", rename_all = "lowercase")]
pub enum Why {
    /// The machine or the driver of the new run lacks something that the case needs.
    Machine {
        /// What it lacks.
        lacks: String,
    },
    /// A filter left the case out.
    Filter,
    /// `--level quick` left the case out.
    Level,
    /// The case was not started within the run's budget.
    Budget,
    /// A filter, a level or a budget left the case out, and the report does not say which.
    Selection,
    /// The new report ends before the case, or while it was running.
    Unfinished {
        /// Whether it was running.
        running: bool,
    },
    /// The suite of the new report does not have the case.
    Suite,
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
    /// How often the case failed, if it has the same bad verdict in both reports.
    Runs {
        /// The verdict.
        verdict: Verdict,
        /// The reason in the new report.
        reason: Option<String>,
        /// The old value.
        old: Runs,
        /// The new value.
        new: Runs,
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
    /// The duration in milliseconds; that of the calls if both reports have it.
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

/// A case as both reports contain it.
pub(super) struct Pair<'reports> {
    pub(super) old: Option<Cow<'reports, CaseReport>>,
    pub(super) new: Option<Cow<'reports, CaseReport>>,
    /// Whether it had started but not ended when the new report ends.
    pub(super) is_running: bool,
    /// Whether the durations can be compared, because each case ran equally often.
    pub(super) is_timed: bool,
    /// Whether the runs had the same seed, from which models make their scripts.
    pub(super) is_same_seed: bool,
    /// Why a case is missing in the new report.
    pub(super) missing: &'reports Why,
}

impl Change {
    pub(super) fn of(id: &str, pair: &Pair<'_>) -> Option<Self> {
        let differences = pair.differences();
        // If the verdict differs, then different observations and reasons are consequences and do not add to the
        // severity.
        let of_the_end = differences.iter().filter(|difference| difference.is_of_the_end());
        let end = of_the_end.map(Difference::severity).min();
        let severity = end.or_else(|| differences.iter().map(Difference::severity).min())?;
        let has = |wanted: fn(&Difference) -> bool| differences.iter().any(wanted);
        let is_disclosed = has(Difference::is_new_disclosure);
        let is_slower = has(|difference| matches!(difference, Difference::Time { old, new } if new > old));
        let is_new_disclosure = is_disclosed && pair.could_show_before();
        let fails_worse = pair.fails_in_a_worse_way();
        let severity = if fails_worse { Severity::Regressed } else { severity };
        let severity = match is_disclosed {
            true if is_new_disclosure => Severity::Regressed,
            true => severity.min(Severity::Disclosure),
            false => severity,
        };
        let failure = match severity {
            Severity::Regressed if is_new_disclosure => Some(Failure::of(Defect::Disclosure)),
            Severity::Disclosure => is_disclosed.then(|| Failure::of(Defect::Disclosure)),
            Severity::Time => is_slower.then(|| Failure::of(Defect::Slower)),
            _ => pair.new.as_ref().and_then(|new| new.how_it_failed()),
        };
        let why = (severity == Severity::Unchecked).then(|| pair.why());
        let rows = pair.new.as_ref().or(pair.old.as_ref()).map(|case| case.rows.clone()).unwrap_or_default();
        let runs = pair.new.as_ref().and_then(|new| new.runs);
        let is_no_longer_excused = pair.is_no_longer_excused();
        let fails_unlike_the_list = pair.was_excused() && !fails_worse && !is_no_longer_excused;
        let id = id.to_owned();
        Some(Self {
            severity,
            id,
            rows,
            failure,
            runs,
            why,
            differences,
            fails_worse,
            is_no_longer_excused,
            fails_unlike_the_list,
        })
    }

    /// Returns how often the case failed before and how often it fails now, if it regressed only because it fails more often.
    /// The reason may differ, as in the numbers of wrong bytes.
    #[must_use]
    pub fn fails_more_often(&self) -> Option<(Runs, Runs)> {
        // After an error of the harness, nothing is known of the earlier runs.
        let is_after_an_error =
            |difference: &Difference| matches!(difference, Difference::Verdict { old: Verdict::Error, .. });
        let is_it = self.severity == Severity::Regressed && !self.fails_worse;
        if !is_it || self.differences.iter().any(is_after_an_error) {
            return None;
        }
        self.differences.iter().find_map(|difference| match difference {
            Difference::Runs { old, new, .. } => Some((*old, *new)),
            _ => None,
        })
    }

    /// Returns the new reason of the case, if it changed, or the verdict or the number of failed runs did.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.differences.iter().find_map(|difference| match difference {
            Difference::Reason { new, .. } | Difference::Runs { reason: new, .. } => new.as_deref(),
            _ => None,
        })
    }

    /// Returns the first new disclosure of a case that passed before, and in which nothing else is worse.
    #[must_use]
    pub fn disclosure(&self) -> Option<&str> {
        let is_it = self.severity == Severity::Regressed
            && self.failure.as_ref().is_some_and(|failure| *failure == Failure::of(Defect::Disclosure))
            && !self.differences.iter().any(|difference| difference.severity() == Severity::Regressed);
        let mut texts = self.differences.iter().filter_map(|difference| match difference {
            Difference::Disclosure { text, is_new: true } => Some(text.as_str()),
            _ => None,
        });
        texts.next().filter(|_| is_it)
    }

    /// Whether the new report has a disclosure that the old one does not have, also where the old one could not show it.
    #[must_use]
    pub fn discloses(&self) -> bool {
        self.differences.iter().any(Difference::is_new_disclosure)
    }

    /// Whether a case that passed before discloses for the first time, and nothing else in it is worse.
    pub(super) fn is_new_disclosure(&self) -> bool {
        self.disclosure().is_some()
    }

    /// Whether the duration of the case changed more than it usually does if all calls are slower by a factor.
    pub(super) fn exceeds(&self, usual: f64) -> bool {
        self.differences.iter().any(|difference| match difference {
            Difference::Time { old, new } if new > old => *new > TIMES * usual.max(1.0) * old,
            Difference::Time { old, new } => *old > TIMES * (1.0 / usual).max(1.0) * new,
            _ => false,
        })
    }

    /// Whether a case that is checked for the first time fails.
    #[must_use]
    pub fn is_new_failure(&self) -> bool {
        let ended = |difference: &Difference| match difference {
            Difference::Added { verdict } | Difference::Verdict { new: verdict, .. } => !verdict.is_good(),
            _ => false,
        };
        self.severity == Severity::New && self.differences.iter().any(ended)
    }
}

impl Pair<'_> {
    fn differences(&self) -> Vec<Difference> {
        match (&self.old, &self.new) {
            // If a case ended and was then started again, the comparison uses its result.
            (Some(old), Some(new)) => differences(old, new, self),
            (old, None) if self.is_running => {
                vec![Difference::Unended { old: old.as_ref().map(|case| case.verdict) }]
            }
            // Neither report checks the case.
            (Some(old), None) if old.verdict == Verdict::Unsupported => Vec::new(),
            (None, Some(new)) => {
                let reason = |new: &String| Difference::Reason { old: None, new: Some(new.clone()) };
                let added = [Difference::Added { verdict: new.verdict }].into_iter();
                let disclosed = |text: &String| Difference::Disclosure { text: text.clone(), is_new: true };
                // An unsupported case can have disclosures from an earlier try. Only they say something.
                let ran = new.verdict != Verdict::Unsupported;
                let end = added.chain(new.reason.as_ref().map(reason)).filter(|_| ran);
                end.chain(new.disclosures.iter().map(disclosed)).collect()
            }
            (Some(old), None) => vec![Difference::Removed { verdict: old.verdict }],
            (None, None) => Vec::new(),
        }
    }

    /// Whether the case failed in both reports, and in the new one with a worse defect. A listed bug may show in several
    /// ways.
    fn fails_in_a_worse_way(&self) -> bool {
        let defect = |case: &CaseReport| case.how_it_failed().map(|failure| failure.kind);
        let failed = |case: &&Cow<'_, CaseReport>| is_unexcused(case) || case.verdict == Verdict::Deviation;
        let old = self.old.as_ref().filter(failed).and_then(|case| defect(case));
        let new = self.new.as_ref().filter(|case| is_unexcused(case)).and_then(|case| defect(case));
        old.zip(new).is_some_and(|(old, new)| new < old)
    }

    /// Whether a list excused the case before, and it fails in the same way now: the list changed, and not the driver.
    fn is_no_longer_excused(&self) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else { return false };
        let way = |case: &CaseReport| {
            let (kind, what) = cause_of(case);
            (kind, key(&what))
        };
        self.was_excused() && way(old) == way(new)
    }

    /// Whether a list excused the case before, and none excuses it now.
    fn was_excused(&self) -> bool {
        self.old.as_ref().is_some_and(|old| old.verdict == Verdict::Deviation)
            && self.new.as_ref().is_some_and(|new| is_unexcused(new))
    }

    /// Whether the old run got as far as the new one, so that a disclosure which only the new one has is the driver's. A
    /// case that is unsupported and discloses is in the new report twice: it ran once, and could not run again.
    fn could_show_before(&self) -> bool {
        let has_held = |verdict| matches!(verdict, Verdict::Pass | Verdict::Fixed | Verdict::Differs);
        let [old, new] = [&self.old, &self.new].map(|case| case.as_ref().map(|case| case.verdict));
        let is_unsupported = new == Some(Verdict::Unsupported);
        old.is_some_and(has_held) && (is_unsupported || new.is_some_and(has_held))
    }

    fn why(&self) -> Why {
        match &self.new {
            Some(new) => Why::Machine { lacks: new.reason.clone().unwrap_or_default() },
            None if self.is_running => Why::Unfinished { running: true },
            None => self.missing.clone(),
        }
    }
}

impl Difference {
    const fn is_new_disclosure(&self) -> bool {
        matches!(self, Self::Disclosure { is_new: true, .. })
    }

    fn is_of_the_end(&self) -> bool {
        match self {
            Self::Verdict { .. } | Self::Added { .. } | Self::Removed { .. } | Self::Unended { .. } => true,
            Self::Runs { .. } => self.severity() != Severity::Different,
            _ => false,
        }
    }

    /// Returns the severity of the difference.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Verdict { new: Verdict::Unsupported, .. } => Severity::Unchecked,
            // After an error of the harness, nothing is known of the driver.
            Self::Verdict { old: Verdict::Unsupported | Verdict::Error, .. } => Severity::New,
            Self::Verdict { new: Verdict::Pass | Verdict::Fixed, .. } => Severity::Better,
            Self::Verdict { old, new } if badness(*new) > badness(*old) => Severity::Regressed,
            Self::Runs { old, new, .. } if is_much_more(*old, *new) => Severity::Regressed,
            Self::Runs { old, new, .. } if is_much_more(*new, *old) => Severity::Better,
            Self::Verdict { .. } | Self::Runs { .. } | Self::Reason { .. } | Self::Observation { .. } => {
                Severity::Different
            }
            Self::Disclosure { .. } => Severity::Disclosure,
            Self::Time { .. } => Severity::Time,
            Self::Added { .. } => Severity::New,
            Self::Removed { .. } | Self::Unended { .. } => Severity::Unchecked,
        }
    }
}

/// Whether the driver failed a case, and no list excuses it.
fn is_unexcused(case: &CaseReport) -> bool {
    !case.verdict.is_good() && case.verdict != Verdict::Error
}

/// Whether a case fails in more of its runs, or a rule on more of its hosts, by half of them or more. A smaller difference of
/// a few can be chance.
pub(crate) fn is_much_more(old: Runs, new: Runs) -> bool {
    let [old_failed, old_of, new_failed, new_of] = [old.failed, old.of, new.failed, new.of].map(i128::from);
    2 * (new_failed * old_of - old_failed * new_of) >= old_of * new_of && old_of * new_of > 0
}

/// Ranks the verdicts of cases that ran by how bad they are. No documented rule forbids what differs. Which of two failures
/// is worse depends on their kinds.
const fn badness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass | Verdict::Fixed | Verdict::Unsupported | Verdict::Differs => 0,
        Verdict::Deviation => 1,
        Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash => 2,
        Verdict::Error => 3,
    }
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

/// Returns how long a case took in both reports: the time in its calls, if both have that. The rest of its duration
/// depends on when the system starts and ends processes. `None` if a call did not return: how long it would have taken is
/// unknown.
fn durations(old: &CaseReport, new: &CaseReport) -> Option<(f64, f64)> {
    // JSON has no number for a sum that no number holds.
    let sum = |one: f64, other: f64| (one + other).clamp(f64::MIN, f64::MAX);
    let in_calls = |case: &CaseReport| case.steps.iter().filter_map(|step| step.ms).reduce(sum);
    // Earlier suites wrote no times of steps at all.
    let is_cut = |case: &CaseReport| {
        let has_times = case.steps.iter().any(|step| step.ms.is_some());
        case.verdict == Verdict::Timeout || has_times && case.steps.last().is_some_and(|step| step.ms.is_none())
    };
    let is_comparable = !is_cut(old) && !is_cut(new);
    is_comparable.then(|| in_calls(old).zip(in_calls(new)).unwrap_or((old.duration_ms, new.duration_ms)))
}

fn differences(old: &CaseReport, new: &CaseReport, pair: &Pair<'_>) -> Vec<Difference> {
    let mut differences = Vec::new();
    // A list that changed says nothing of the driver: the rule held in both.
    let has_held = |case: &CaseReport| matches!(case.verdict, Verdict::Pass | Verdict::Fixed);
    let is_relisted = old.verdict != new.verdict && has_held(old) && has_held(new);
    if old.verdict != new.verdict && !is_relisted {
        differences.push(Difference::Verdict { old: old.verdict, new: new.verdict });
    }
    // Also of a crash in one run that became a failure in each.
    let are_bad = !old.verdict.is_good() && !new.verdict.is_good();
    if let (true, Some(before), Some(now)) = (are_bad, old.runs, new.runs)
        && u64::from(before.failed) * u64::from(now.of) != u64::from(now.failed) * u64::from(before.of)
    {
        differences.push(Difference::Runs { verdict: new.verdict, reason: new.reason.clone(), old: before, new: now });
    }
    // If neither report checks the case, its reasons are those of the machines.
    let is_checked = old.verdict != Verdict::Unsupported || new.verdict != Verdict::Unsupported;
    if is_checked && !is_relisted && !is_same_reason(old.reason.as_deref(), new.reason.as_deref()) {
        differences.push(Difference::Reason { old: old.reason.clone(), new: new.reason.clone() });
    }
    // A case that did not run shows no disclosure, although the driver may have one. If it ran another time, it can show one.
    let ran = new.verdict != Verdict::Unsupported;
    let disclosures = changed_disclosures(old, new).into_iter().filter(|(_, is_new)| ran || *is_new);
    differences.extend(disclosures.map(|(text, is_new)| Difference::Disclosure { text, is_new }));
    // A case that did not run has no observations and no meaningful duration.
    if old.verdict != Verdict::Unsupported && new.verdict != Verdict::Unsupported {
        // What a model observes depends on the seed of the run.
        let has_same_steps = pair.is_same_seed || !is_model(&new.id);
        if has_same_steps {
            differences.extend(changed_observations(old, new).map(|(name, old, new)| Difference::Observation {
                name: name.to_owned(),
                old: old.cloned(),
                new: new.cloned(),
            }));
        }
        let is_timed = pair.is_timed && has_same_steps;
        let is_changed = |(before, now): &(f64, f64)| {
            let (shorter, longer) = (before.min(*now), before.max(*now));
            longer >= SHORTEST_MS && longer > TIMES * shorter
        };
        let times = durations(old, new).filter(|times| is_timed && is_changed(times));
        differences.extend(times.map(|(old, new)| Difference::Time { old, new }));
    }
    differences
}

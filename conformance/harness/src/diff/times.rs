//! How long the calls took in both reports. One line for a call that became slower says more than sixty cases that did.
//!
//! A call is compared case by case: by the median of its steps within the case. Over all steps together, three cases that
//! open a handle 900 times would hide all others. A step can wait for anything, and most cases make a call once, so a call
//! counts only if it became slower in many of the cases that make it. If all calls became slower, the machine was busier or
//! is another one: a call counts only if it became slower than the others did. If the machine is known to have been no
//! busier, a large factor has no such excuse.
//!
//! A record has no steps, but the spread of each call over all its cases. With that, the medians of all steps are compared.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::change::TIMES;
use crate::report::{CaseReport, Load, Spread};
use crate::step::function;

/// A change below this is not compared: processes wait as long for each other by chance.
const SHORTEST_MS: f64 = 1.0;

/// The slowdown of a typical call that nothing excuses on a machine that was no busier.
const UNEXCUSED: f64 = 10.0;

/// Whether a typical call became so much slower that it counts, although the machine was no busier than before. If a report
/// does not say how busy it was, that may be the reason.
pub(super) fn has_no_excuse(slowdown: Option<f64>, old: Option<Load>, new: Option<Load>) -> bool {
    let is_as_busy = old.zip(new).is_some_and(|(old, new)| !new.exceeds(&old));
    is_as_busy && slowdown.is_some_and(|factor| factor >= UNEXCUSED)
}

/// The fewest cases, or steps of a record, that say something about a call, and the fewest calls that say what is usual.
const FEWEST: usize = 3;

/// Whether a call changed in enough of the cases that make it: in a third of them, and in two more. Those in which it
/// changed the other way are set off, because chance goes both ways. Between 25 runs of one driver each, on idle and on
/// busy machines, a call changed in up to 3 of 10 and 6 of 14 cases. A third of a few cases is reached by chance, so of
/// three cases all must change, and of ten six.
const fn is_enough(changed: usize, the_other_way: usize, cases: usize) -> bool {
    3 * changed.saturating_sub(the_other_way) >= cases + 6
}

/// The times of the calls that both reports have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// The factor by which a typical call became slower: the median over all calls. It is null if too few calls have times in
    /// both reports.
    pub slowdown: Option<f64>,
    /// The calls that became slower beyond that, the one with the most cases first. If the factor is 10 or more, and the
    /// machine was no busier than before, each call that became slower is here.
    pub slower: Vec<CallTime>,
    /// The calls that became faster.
    pub faster: Vec<CallTime>,
}

/// How long a call took in both reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallTime {
    /// The C function.
    pub call: String,
    /// Whether these are the calls that CUDA refused. They are compared apart from those that succeeded.
    pub is_refused: bool,
    /// In the old report: the medians of the cases in which the call changed; of a record, all steps.
    pub old: Spread,
    /// In the new report.
    pub new: Spread,
    /// The number of cases in which it changed; 0 if the new report is a record, which does not say.
    pub cases: usize,
}

/// A call, and whether it was refused.
type Which = (String, bool);

/// Collects the times of steps.
#[derive(Default)]
pub(super) struct Clock {
    names: HashMap<String, String>,
    calls: BTreeMap<Which, Samples>,
}

#[derive(Default)]
struct Samples {
    /// All steps.
    old: Vec<f64>,
    new: Vec<f64>,
    /// The median of each case in the old and in the new report, if it makes the call in both.
    cases: Vec<(f64, f64)>,
    /// The median of each case of the new report.
    medians: Vec<f64>,
}

/// A call whose times can be compared.
struct Compared {
    which: Which,
    how: How,
}

enum How {
    /// By the medians of each case.
    Cases(Vec<(f64, f64)>),
    /// By all steps, because one of the reports is a record. The new one may have the medians of its cases.
    Steps(Spread, Spread, Vec<f64>),
}

impl Clock {
    /// Adds a case that ran in both reports.
    pub(super) fn add(&mut self, old: &CaseReport, new: &CaseReport) {
        let (mut old, new) = (self.of_case(old), self.of_case(new));
        for (which, mut after) in new {
            let samples = self.calls.entry(which.clone()).or_default();
            samples.new.extend(&after);
            let median = |times: &mut [f64]| Spread::of(times).map(|spread| spread.median);
            let (before, after) = (old.get_mut(&which).and_then(|times| median(times)), median(&mut after));
            samples.cases.extend(before.zip(after));
            samples.medians.extend(after);
        }
        for (which, before) in old {
            self.calls.entry(which).or_default().old.extend(before);
        }
    }

    fn of_case(&mut self, case: &CaseReport) -> BTreeMap<Which, Vec<f64>> {
        let mut calls: BTreeMap<Which, Vec<f64>> = BTreeMap::new();
        for step in &case.steps {
            let Some(ms) = step.ms.filter(|ms| ms.is_finite() && *ms >= 0.0) else { continue };
            let name = step.call.split([' ', '(', '{']).next().unwrap_or_default();
            let call = self.names.entry(name.to_owned()).or_insert_with(|| function(name));
            // A helper of the suite, which makes several calls or none, says nothing about the driver.
            if call.starts_with("cu") {
                calls.entry((call.clone(), step.is_refused())).or_default().push(ms);
            }
        }
        calls
    }

    /// Compares the calls. A record has no steps, but the spread of each call.
    pub(super) fn compare(
        self,
        [of_old, of_new]: [&BTreeMap<String, Spread>; 2],
        [old, new]: [Option<Load>; 2],
    ) -> Times {
        let calls: Vec<_> = match of_old.is_empty() && of_new.is_empty() {
            true => self.calls.into_iter().filter_map(Compared::by_cases).collect(),
            false => self.with_a_record(of_old, of_new),
        };
        let mut ratios: Vec<_> = calls.iter().filter_map(Compared::ratio).collect();
        let slowdown = (ratios.len() >= FEWEST).then(|| Spread::of(&mut ratios)).flatten().map(|spread| spread.median);
        let usual = slowdown.filter(|_| !has_no_excuse(slowdown, old, new)).unwrap_or(1.0);
        let mut times = Times { slowdown, ..Times::default() };
        for call in calls {
            let Some((is_slower, call)) = call.changed(usual) else { continue };
            if is_slower { times.slower.push(call) } else { times.faster.push(call) }
        }
        times.slower.sort_by_key(|call| usize::MAX - call.cases);
        times
    }

    /// Returns the calls that succeeded in both reports, one of which or both is a record.
    fn with_a_record(mut self, of_old: &BTreeMap<String, Spread>, of_new: &BTreeMap<String, Spread>) -> Vec<Compared> {
        for call in of_new.keys() {
            self.calls.entry((call.clone(), false)).or_default();
        }
        let compared = |(which, mut samples): (Which, Samples)| {
            let (call, is_refused) = &which;
            let old = of_old.get(call).cloned().or_else(|| Spread::of(&mut samples.old))?;
            let new = of_new.get(call).cloned().or_else(|| Spread::of(&mut samples.new))?;
            let is_enough = !is_refused && old.count.min(new.count) >= FEWEST;
            is_enough.then_some(Compared { which, how: How::Steps(old, new, samples.medians) })
        };
        self.calls.into_iter().filter_map(compared).collect()
    }
}

impl Compared {
    fn by_cases((which, samples): (Which, Samples)) -> Option<Self> {
        (samples.cases.len() >= FEWEST).then_some(Self { which, how: How::Cases(samples.cases) })
    }

    /// Returns the factor by which the call became slower, in a typical case.
    fn ratio(&self) -> Option<f64> {
        match &self.how {
            How::Cases(cases) => {
                let mut ratios: Vec<_> = cases.iter().map(|(old, new)| ratio(*old, *new)).collect();
                Spread::of(&mut ratios).map(|spread| spread.median)
            }
            How::Steps(old, new, _) => Some(ratio(old.median, new.median)),
        }
    }

    /// Returns whether the call became slower or faster than a call that slowed down as usual, and how much. `None` if it
    /// is neither.
    fn changed(self, usual: f64) -> Option<(bool, CallTime)> {
        let is_slower = |old: f64, new: f64| new - old > SHORTEST_MS && ratio(old, new) > TIMES * usual.max(1.0);
        let is_faster =
            |old: f64, new: f64| old - new > SHORTEST_MS && ratio(new, old) > TIMES * (1.0 / usual).max(1.0);
        let (call, is_refused) = self.which;
        let told = |old, new, cases| CallTime { call, is_refused, old, new, cases };
        match self.how {
            How::Steps(old, new, medians) => {
                let is_above = |median: f64| median > old.high && is_slower(old.median, median);
                let is_below = |median: f64| median < old.low && is_faster(old.median, median);
                let count = |is_it: &dyn Fn(f64) -> bool| medians.iter().filter(|median| is_it(**median)).count();
                let (is_slower, cases) = match new.median {
                    median if is_above(median) => (true, count(&is_above)),
                    median if is_below(median) => (false, count(&is_below)),
                    _ => return None,
                };
                Some((is_slower, told(old, new, cases)))
            }
            How::Cases(cases) => {
                let those = |is_it: &dyn Fn(f64, f64) -> bool| -> (Vec<f64>, Vec<f64>) {
                    cases.iter().filter(|(old, new)| is_it(*old, *new)).copied().unzip()
                };
                let (slower, faster) = (those(&is_slower), those(&is_faster));
                let (is_slower, (mut old, mut new)) = match (slower.0.len(), faster.0.len()) {
                    (up, down) if is_enough(up, down, cases.len()) => (true, slower),
                    (up, down) if is_enough(down, up, cases.len()) => (false, faster),
                    _ => return None,
                };
                let cases = old.len();
                Some((is_slower, told(Spread::of(&mut old)?, Spread::of(&mut new)?, cases)))
            }
        }
    }
}

fn ratio(old: f64, new: f64) -> f64 {
    // JSON has no number for a larger one.
    (new.max(f64::MIN_POSITIVE) / old.max(f64::MIN_POSITIVE)).min(f64::MAX)
}

/// Returns the spread of each call of a report, for a record. Calls that were refused do not count.
pub(crate) fn of_calls(cases: &[CaseReport]) -> BTreeMap<String, Spread> {
    let mut clock = Clock::default();
    let mut calls: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for case in cases {
        for ((call, _), times) in clock.of_case(case).into_iter().filter(|((_, is_refused), _)| !is_refused) {
            calls.entry(call).or_default().extend(times);
        }
    }
    calls.into_iter().filter_map(|(call, mut times)| Some((call, Spread::of(&mut times)?))).collect()
}

/// Writes `cuIpcOpenMemHandle: 0.030 to 20 ms, in 61 cases`.
impl std::fmt::Display for CallTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (old, new) = (digits(self.old.median), digits(self.new.median));
        let refused = if self.is_refused { " (refused)" } else { "" };
        write!(f, "{}{refused}: {old} to {new} ms", self.call)?;
        match self.cases {
            // A record does not say in which cases.
            0 => Ok(()),
            1 => f.write_str(", in 1 case"),
            cases => write!(f, ", in {cases} cases"),
        }
    }
}

/// Formats milliseconds with two significant digits.
fn digits(ms: f64) -> String {
    match ms {
        10.0.. => format!("{ms:.0}"),
        1.0.. => format!("{ms:.1}"),
        0.1.. => format!("{ms:.2}"),
        _ => format!("{ms:.3}"),
    }
}

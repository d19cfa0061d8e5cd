//! How long the calls took in both reports. One line for a call that became slower says more than sixty cases that did.
//!
//! A call is compared by the median over all its steps, because one step can wait for anything. If all calls became
//! slower, the machine was busier or is another one: a call counts only if it became slower than the others did. If the
//! machine is known to have been no busier, a large factor has no such excuse.

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

/// The fewest steps whose median is compared.
const FEWEST: usize = 3;

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
    /// In the old report.
    pub old: Spread,
    /// In the new report.
    pub new: Spread,
    /// The number of cases in which it changed; 0 if the new report is a record, which does not say.
    pub cases: usize,
}

/// Collects the times of steps.
#[derive(Default)]
pub(super) struct Clock {
    names: HashMap<String, String>,
    calls: BTreeMap<String, Samples>,
}

#[derive(Default)]
struct Samples {
    old: Vec<f64>,
    new: Vec<f64>,
    /// The median of each case of the new report.
    cases: Vec<f64>,
}

impl Clock {
    /// Adds a case that ran in both reports.
    pub(super) fn add(&mut self, old: &CaseReport, new: &CaseReport) {
        for (call, times) in self.of_case(old) {
            self.calls.entry(call).or_default().old.extend(times);
        }
        for (call, mut times) in self.of_case(new) {
            let samples = self.calls.entry(call).or_default();
            samples.new.extend(&times);
            samples.cases.extend(Spread::of(&mut times).map(|spread| spread.median));
        }
    }

    fn of_case(&mut self, case: &CaseReport) -> BTreeMap<String, Vec<f64>> {
        let mut calls: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for step in &case.steps {
            let Some(ms) = step.ms.filter(|ms| ms.is_finite() && *ms >= 0.0) else { continue };
            let name = step.call.split([' ', '(', '{']).next().unwrap_or_default();
            let call = self.names.entry(name.to_owned()).or_insert_with(|| function(name));
            // A helper of the suite, which makes several calls or none, says nothing about the driver.
            if call.starts_with("cu") {
                calls.entry(call.clone()).or_default().push(ms);
            }
        }
        calls
    }

    /// Compares the calls. A record has no steps, but the spread of each call.
    pub(super) fn compare(
        mut self,
        [of_old, of_new]: [&BTreeMap<String, Spread>; 2],
        [old, new]: [Option<Load>; 2],
    ) -> Times {
        for call in of_new.keys() {
            self.calls.entry(call.clone()).or_default();
        }
        let mut calls = Vec::new();
        for (call, mut samples) in self.calls {
            let old = of_old.get(&call).cloned().or_else(|| Spread::of(&mut samples.old));
            let new = of_new.get(&call).cloned().or_else(|| Spread::of(&mut samples.new));
            if let (Some(old), Some(new)) = (old, new)
                && old.count.min(new.count) >= FEWEST
            {
                calls.push((call, old, new, samples.cases));
            }
        }
        let ratio = |old: f64, new: f64| new.max(f64::MIN_POSITIVE) / old.max(f64::MIN_POSITIVE);
        let mut ratios: Vec<_> = calls.iter().map(|(_, old, new, _)| ratio(old.median, new.median)).collect();
        let slowdown = (ratios.len() >= FEWEST).then(|| Spread::of(&mut ratios)).flatten().map(|spread| spread.median);
        let usual = slowdown.filter(|_| !has_no_excuse(slowdown, old, new)).unwrap_or(1.0);
        let is_slower = |old: &Spread, new: f64| {
            new > old.high && new - old.median > SHORTEST_MS && ratio(old.median, new) > TIMES * usual.max(1.0)
        };
        let is_faster = |old: &Spread, new: f64| {
            new < old.low && old.median - new > SHORTEST_MS && ratio(new, old.median) > TIMES * (1.0 / usual).max(1.0)
        };
        let mut times = Times { slowdown, ..Times::default() };
        for (call, old, new, cases) in calls {
            let count = |is_it: &dyn Fn(f64) -> bool| cases.iter().filter(|median| is_it(**median)).count();
            if is_slower(&old, new.median) {
                times.slower.push(CallTime { cases: count(&|median| is_slower(&old, median)), call, old, new });
            } else if is_faster(&old, new.median) {
                times.faster.push(CallTime { cases: count(&|median| is_faster(&old, median)), call, old, new });
            }
        }
        times.slower.sort_by_key(|call| usize::MAX - call.cases);
        times
    }
}

/// Returns the spread of each call of a report, for a record.
pub(crate) fn of_calls(cases: &[CaseReport]) -> BTreeMap<String, Spread> {
    let mut clock = Clock::default();
    let mut calls: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for case in cases {
        for (call, times) in clock.of_case(case) {
            calls.entry(call).or_default().extend(times);
        }
    }
    calls.into_iter().filter_map(|(call, mut times)| Some((call, Spread::of(&mut times)?))).collect()
}

/// Writes `cuIpcOpenMemHandle: 0.03 to 20 ms, in 61 cases`.
impl std::fmt::Display for CallTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (old, new) = (digits(self.old.median), digits(self.new.median));
        write!(f, "{}: {old} to {new} ms", self.call)?;
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

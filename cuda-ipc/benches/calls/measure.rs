//! Turns, medians, their spread, and targets.

use std::time::Instant;

use crate::allocations;

/// The target for the time that the layer adds to a call, in nanoseconds.
const ADDED: f64 = 50.0;
/// The target for a cache hit, which replaces a call, in nanoseconds.
pub(crate) const HIT: f64 = 100.0;
/// The number of rounds is at least the first and at most the second of these. In between, a measurement ends when the
/// median is known well enough.
const ROUNDS: [usize; 2] = [300, 4_000];
/// How well the median should be known, in nanoseconds: half of the interval that contains it with 95% confidence.
const KNOWN: f64 = 5.0;

/// How a call is repeated.
pub(crate) struct Rounds<'a> {
    /// The number of calls in one round.
    pub(crate) calls: u32,
    /// Runs before each round and is not measured.
    pub(crate) before: &'a dyn Fn(),
    /// Runs after each round and is not measured.
    pub(crate) after: &'a dyn Fn(),
}

/// The results of a measurement, in nanoseconds per call.
pub(crate) struct Figures {
    name: String,
    /// `None` if there is no raw call to compare with.
    raw: Option<f64>,
    layer: f64,
    /// The time that is compared with the target.
    cost: Median,
    /// `None` for what this crate does not cause.
    target: Option<f64>,
    /// The number of allocations per call.
    allocations: f64,
}

impl Figures {
    fn new(
        name: String,
        raw: Option<f64>,
        layer: f64,
        (cost, target): (Median, Option<f64>),
        allocations: f64,
    ) -> Self {
        let of_raw = raw.map_or_else(String::new, |raw| format!("{raw:.1}"));
        let Median { value, half_width } = cost;
        println!("{name:34} {of_raw:>10} {layer:10.1} {value:+10.1} {half_width:8.1} {allocations:12}");
        Self { name, raw, layer, cost, target, allocations }
    }

    /// Describes how a target was missed, or returns `None` if all were met.
    pub(crate) fn missed(&self) -> Option<String> {
        let Self { name, cost: Median { value: cost, .. }, target, allocations, .. } = self;
        if *allocations > 0.0 {
            return Some(format!("{name}: {allocations} allocations per call, the target is 0"));
        }
        let target = target.filter(|target| *cost >= *target)?;
        Some(format!("{name}: {cost:.1} ns, the target is less than {target} ns"))
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        let Self { name, raw, layer, cost, target, allocations } = self;
        serde_json::json!({
            "name": name, "raw_ns": raw, "layer_ns": layer, "cost_ns": cost.value, "spread_ns": cost.half_width,
            "target_ns": target, "allocations": allocations, "missed": self.missed(),
        })
    }
}

/// Compares a raw call with the layer's. They take turns in going first.
pub(crate) fn compare(name: String, rounds: &Rounds<'_>, raw: &dyn Fn(), layer: &dyn Fn()) -> Figures {
    compare_calls(1, name, rounds, raw, layer)
}

/// Compares several raw calls with what the layer makes of them.
pub(crate) fn compare_calls(calls: u8, name: String, rounds: &Rounds<'_>, raw: &dyn Fn(), layer: &dyn Fn()) -> Figures {
    in_turns(name, rounds, Some(f64::from(calls) * ADDED), raw, layer)
}

/// Compares a raw call with the same raw call in another stream, to show how much two streams of one process differ.
pub(crate) fn control(name: String, rounds: &Rounds<'_>, raw: &dyn Fn(), other: &dyn Fn()) -> Figures {
    in_turns(name, rounds, None, raw, other)
}

fn in_turns(name: String, rounds: &Rounds<'_>, target: Option<f64>, raw: &dyn Fn(), layer: &dyn Fn()) -> Figures {
    let (mut of_raw, mut of_layer, mut added, mut allocated) = (Vec::new(), Vec::new(), Vec::new(), 0);
    while !is_known(&added) {
        let turn = added.len();
        let mut measure_layer = || {
            let before = allocations::count();
            let time = rounds.time(layer);
            allocated += allocations::count() - before;
            time
        };
        let (raw, layer) = if turn % 2 == 0 {
            let raw = rounds.time(raw);
            (raw, measure_layer())
        } else {
            let layer = measure_layer();
            (rounds.time(raw), layer)
        };
        added.push(layer - raw);
        of_raw.push(raw);
        of_layer.push(layer);
    }
    let allocations = rounds.a_call(allocated, added.len());
    let (raw, layer) = (Median::of(&of_raw).value, Median::of(&of_layer).value);
    Figures::new(name, Some(raw), layer, (Median::of(&added), target), allocations)
}

/// Measures a call that has no raw call to compare with.
pub(crate) fn alone(name: &str, rounds: &Rounds<'_>, target: f64, call: &dyn Fn()) -> Figures {
    let (mut times, mut allocated) = (Vec::new(), 0);
    while !is_known(&times) {
        let before = allocations::count();
        let time = rounds.time(call);
        allocated += allocations::count() - before;
        times.push(time);
    }
    let time = Median::of(&times);
    Figures::new(name.to_owned(), None, time.value, (time, Some(target)), rounds.a_call(allocated, times.len()))
}

impl Rounds<'_> {
    /// Runs one round and returns the nanoseconds per call.
    fn time(&self, call: &dyn Fn()) -> f64 {
        (self.before)();
        let start = Instant::now();
        for _ in 0..self.calls {
            call();
        }
        let time = start.elapsed().as_secs_f64() * 1e9 / f64::from(self.calls);
        (self.after)();
        time
    }

    fn a_call(&self, count: u64, rounds: usize) -> f64 {
        count as f64 / (rounds as f64 * f64::from(self.calls))
    }
}

/// Returns whether a measurement has rounds enough.
fn is_known(times: &[f64]) -> bool {
    let [least, most] = ROUNDS;
    // Sorting after each round would take longer than the rounds.
    let is_time_to_look = times.len() >= least && times.len().is_multiple_of(100);
    times.len() >= most || is_time_to_look && Median::of(times).half_width <= KNOWN
}

#[derive(Clone, Copy)]
struct Median {
    value: f64,
    /// Half of the interval that contains the true median with 95% confidence.
    half_width: f64,
}

impl Median {
    fn of(times: &[f64]) -> Self {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        // How many times are below the true median is binomial with p = 1/2, so its deviation is half of the root.
        let (middle, reach) = (times.len() / 2, (times.len() as f64).sqrt() as usize);
        let (low, high) = (times[middle - reach], times[middle + reach]);
        Self { value: times[middle], half_width: (high - low) / 2.0 }
    }
}

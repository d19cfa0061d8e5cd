//! Turns, medians and targets.

use std::time::Instant;

use crate::allocations;

/// The target for the time that the layer adds to a call, in nanoseconds.
const ADDED: f64 = 50.0;
/// The target for a cache hit, which replaces a call, in nanoseconds.
pub(crate) const HIT: f64 = 100.0;
const ROUNDS: usize = 301;

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
    cost: f64,
    target: f64,
    /// The number of allocations per call.
    allocations: f64,
}

impl Figures {
    fn new(name: String, raw: Option<f64>, layer: f64, (cost, target): (f64, f64), allocations: f64) -> Self {
        let of_raw = raw.map_or_else(String::new, |raw| format!("{raw:.1}"));
        println!("{name:34} {of_raw:>10} {layer:10.1} {cost:+10.1} {allocations:12}");
        Self { name, raw, layer, cost, target, allocations }
    }

    /// Describes how a target was missed, or returns `None` if all were met.
    pub(crate) fn missed(&self) -> Option<String> {
        let Self { name, cost, target, allocations, .. } = self;
        if *allocations > 0.0 {
            return Some(format!("{name}: {allocations} allocations per call, the target is 0"));
        }
        (cost >= target).then(|| format!("{name}: {cost:.1} ns, the target is less than {target} ns"))
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        let Self { name, raw, layer, cost, target, allocations } = self;
        serde_json::json!({
            "name": name, "raw_ns": raw, "layer_ns": layer, "cost_ns": cost, "target_ns": target,
            "allocations": allocations, "missed": self.missed(),
        })
    }
}

/// Compares a raw call with the layer's. They take turns in going first.
pub(crate) fn compare(name: String, rounds: &Rounds<'_>, raw: &dyn Fn(), layer: &dyn Fn()) -> Figures {
    let (mut of_raw, mut of_layer, mut added, mut allocated) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for turn in 0..ROUNDS {
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
    let allocations = rounds.a_call(allocated);
    Figures::new(name, Some(median(of_raw)), median(of_layer), (median(added), ADDED), allocations)
}

/// Measures a call that has no raw call to compare with.
pub(crate) fn alone(name: &str, rounds: &Rounds<'_>, target: f64, call: &dyn Fn()) -> Figures {
    let before = allocations::count();
    let mut times = Vec::with_capacity(ROUNDS);
    let own = allocations::count() - before;
    times.extend((0..ROUNDS).map(|_| rounds.time(call)));
    let allocated = allocations::count() - before - own;
    let time = median(times);
    Figures::new(name.to_owned(), None, time, (time, target), rounds.a_call(allocated))
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

    fn a_call(&self, count: u64) -> f64 {
        count as f64 / (ROUNDS as f64 * f64::from(self.calls))
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

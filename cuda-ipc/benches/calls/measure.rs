//! Turns, medians and targets.

use std::time::Instant;

use crate::allocations;

/// The target for what the layer adds to a call.
const ADDED: f64 = 50.0;
/// The target for what takes the place of a call.
pub(crate) const HIT: f64 = 100.0;
const ROUNDS: usize = 301;

/// How a call is repeated.
pub(crate) struct Rounds<'a> {
    /// Calls of one round.
    pub(crate) calls: u32,
    /// What comes before each round, and is not measured.
    pub(crate) before: &'a dyn Fn(),
    /// What comes after each round, and is not measured.
    pub(crate) after: &'a dyn Fn(),
}

/// What was measured, in nanoseconds a call.
pub(crate) struct Figures {
    name: String,
    /// Nothing where there is no raw call to compare with.
    raw: Option<f64>,
    layer: f64,
    /// What has a target.
    cost: f64,
    target: f64,
    /// Of one call.
    allocations: f64,
}

impl Figures {
    fn new(name: String, raw: Option<f64>, layer: f64, (cost, target): (f64, f64), allocations: f64) -> Self {
        let of_raw = raw.map_or_else(String::new, |raw| format!("{raw:.1}"));
        println!("{name:34} {of_raw:>10} {layer:10.1} {cost:+10.1} {allocations:12}");
        Self { name, raw, layer, cost, target, allocations }
    }

    /// In words, where it was missed.
    pub(crate) fn missed(&self) -> Option<String> {
        let Self { name, cost, target, allocations, .. } = self;
        if *allocations > 0.0 {
            return Some(format!("{name}: {allocations} allocations a call, where there are to be none"));
        }
        (cost >= target).then(|| format!("{name}: {cost:.1} ns, where less than {target} are the target"))
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        let Self { name, raw, layer, cost, target, allocations } = self;
        serde_json::json!({
            "name": name, "raw_ns": raw, "layer_ns": layer, "cost_ns": cost, "target_ns": target,
            "allocations": allocations, "missed": self.missed(),
        })
    }
}

/// A raw call against the layer's. Which one begins changes from turn to turn.
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

/// What has no raw call beside it.
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
    /// Nanoseconds a call, in one round.
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

//! Turns, medians, their spread, and targets.

use std::time::Instant;

use cuda_ipc::Stream;
use cuda_ipc::sys::CUstream;

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

/// Repeats a call.
pub(crate) type Repeat<'a> = dyn FnMut(&dyn Fn()) + 'a;

/// How calls that use a stream are repeated.
pub(crate) struct InStream<'a> {
    /// Creates the stream of a turn.
    pub(crate) create: &'a dyn Fn() -> Stream,
    /// The number of calls in one round.
    pub(crate) calls: u32,
    /// Runs before each round and is not measured.
    pub(crate) before: &'a dyn Fn(&Stream),
    /// Runs after each round and is not measured.
    pub(crate) after: &'a dyn Fn(&Stream),
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

/// What a measurement expects of the difference.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// The layer makes this number of calls of the driver, and meets the target for each.
    Calls(u8),
    /// Nothing: both are raw calls.
    Control,
}

impl Expect {
    fn target(self) -> Option<f64> {
        match self {
            Self::Calls(calls) => Some(f64::from(calls) * ADDED),
            Self::Control => None,
        }
    }
}

/// Compares a raw call with the layer's. They take turns in going first.
pub(crate) fn compare(name: String, rounds: &Rounds<'_>, raw: &dyn Fn(), layer: &dyn Fn()) -> Figures {
    let mut turns = Turns::default();
    while !is_known(&turns.added) {
        if turns.added.len().is_multiple_of(2) {
            let raw = rounds.time(raw);
            turns.add(raw, rounds.time(layer));
        } else {
            let layer = rounds.time(layer);
            turns.add(rounds.time(raw), layer);
        }
    }
    turns.figures(name, Expect::Calls(1))
}

/// Compares a raw call with the layer's in the same stream, which is a new one in each turn. `layer` gets the stream and
/// a function that repeats a call.
///
/// The layer goes first, because from the moment that it tells its raw stream it asks whether the stream is captured.
pub(crate) fn compare_in_stream(
    name: String,
    expect: Expect,
    rounds: &InStream<'_>,
    raw: &dyn Fn(CUstream),
    layer: &dyn Fn(&Stream, &mut Repeat<'_>),
) -> Figures {
    let mut turns = Turns::default();
    while !is_known(&turns.added) {
        let stream = (rounds.create)();
        let (before, after) = (|| (rounds.before)(&stream), || (rounds.after)(&stream));
        let of_stream = Rounds { calls: rounds.calls, before: &before, after: &after };
        // The first round in a stream is slower, whatever it calls.
        layer(&stream, &mut |call| _ = of_stream.time(call));
        let mut of_layer = Round::default();
        layer(&stream, &mut |call| of_layer = of_stream.time(call));
        let handle = stream.raw();
        turns.add(of_stream.time(&|| raw(handle)), of_layer);
    }
    turns.figures(name, expect)
}

/// Measures a call that has no raw call to compare with.
pub(crate) fn alone(name: &str, rounds: &Rounds<'_>, target: f64, call: &dyn Fn()) -> Figures {
    let (mut times, mut allocations) = (Vec::new(), 0.0);
    while !is_known(&times) {
        let round = rounds.time(call);
        times.push(round.nanoseconds);
        allocations += round.allocations;
    }
    let time = Median::of(&times);
    Figures::new(name.to_owned(), None, time.value, (time, Some(target)), allocations / times.len() as f64)
}

/// The results of a round, for each call.
#[derive(Clone, Copy, Default)]
struct Round {
    nanoseconds: f64,
    allocations: f64,
}

impl Rounds<'_> {
    fn time(&self, call: &dyn Fn()) -> Round {
        (self.before)();
        let (allocated, start) = (allocations::count(), Instant::now());
        for _ in 0..self.calls {
            call();
        }
        let (time, allocated) = (start.elapsed(), allocations::count() - allocated);
        (self.after)();
        let calls = f64::from(self.calls);
        Round { nanoseconds: time.as_secs_f64() * 1e9 / calls, allocations: allocated as f64 / calls }
    }
}

/// Rounds of raw calls and of the layer's, in pairs, in nanoseconds per call.
#[derive(Default)]
struct Turns {
    raw: Vec<f64>,
    layer: Vec<f64>,
    added: Vec<f64>,
    allocations: f64,
}

impl Turns {
    fn add(&mut self, raw: Round, layer: Round) {
        self.raw.push(raw.nanoseconds);
        self.layer.push(layer.nanoseconds);
        self.added.push(layer.nanoseconds - raw.nanoseconds);
        self.allocations += layer.allocations;
    }

    fn figures(&self, name: String, expect: Expect) -> Figures {
        let (raw, layer) = (Median::of(&self.raw).value, Median::of(&self.layer).value);
        let added = (Median::of(&self.added), expect.target());
        Figures::new(name, Some(raw), layer, added, self.allocations / self.added.len() as f64)
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

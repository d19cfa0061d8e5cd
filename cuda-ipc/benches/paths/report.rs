//! Turns, medians, their spread, and where they are written.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use cuda_ipc::Driver;
use serde_json::{Value, json};

use crate::options::Options;

/// A call that opens something, and the call that closes it.
pub(crate) struct Way<'a, H> {
    pub(crate) open: &'a dyn Fn() -> H,
    pub(crate) close: &'a dyn Fn(H),
}

impl<H> Way<'_, H> {
    /// Returns how long each of the two calls takes.
    fn time(&self) -> [Duration; 2] {
        let (opened, open) = time(self.open);
        let ((), close) = time(|| (self.close)(opened));
        [open, close]
    }
}

/// Returns what a call returns, and how long it takes.
pub(crate) fn time<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let value = call();
    (value, begin.elapsed())
}

/// Returns the least time, the median and the most.
fn spread(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [0, times.len() / 2, times.len() - 1].map(|place| times[place])
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub(crate) struct Report {
    driver: String,
    gpu: String,
    file: Option<PathBuf>,
    pub(crate) rounds: usize,
    devices: (usize, usize),
    rows: Vec<Value>,
}

impl Report {
    pub(crate) fn new(driver: Driver, options: &Options) -> Self {
        let gpu = driver.device(0).and_then(|device| device.name()).expect("a first device has a name");
        let driver = format!("{}, CUDA {}", driver.path().display(), driver.version());
        println!("Driver: {driver}, {gpu}. Microseconds, medians of {} rounds.", options.rounds);
        Self { driver, gpu, file: options.json.clone(), rounds: options.rounds, devices: (0, 0), rows: Vec::new() }
    }

    /// Begins a table.
    pub(crate) fn begin(&mut self, devices: (usize, usize)) {
        self.devices = devices;
        println!("\nexporter on device {}, importer on device {}", devices.0, devices.1);
        println!("{:44} {:>10} {:>10} {:>10} {:>8}", "", "C", "cuda-ipc", "added", "added");
    }

    /// Measures two ways to open and to close the same.
    pub(crate) fn opens<R, O>(&mut self, what: &str, raw: &Way<'_, R>, ours: &Way<'_, O>) {
        self.pairs(self.rounds, what, &|| raw.time(), &|| ours.time());
    }

    /// Adds a line for what opens and one for what closes. Each function returns both times.
    pub(crate) fn pairs(
        &mut self,
        rounds: usize,
        what: &str,
        raw: &dyn Fn() -> [Duration; 2],
        ours: &dyn Fn() -> [Duration; 2],
    ) {
        let times = in_turns(rounds, raw, ours);
        for (step, name) in ["open", "close"].iter().enumerate() {
            let times = times.iter().map(|(raw, ours)| (raw[step], ours[step])).collect();
            self.add(&format!("{name} {what}"), times);
        }
    }

    /// Adds a line for one step. Each function returns its time.
    pub(crate) fn step(&mut self, name: &str, raw: &dyn Fn() -> Duration, ours: &dyn Fn() -> Duration) {
        self.add(name, in_turns(self.rounds, raw, ours));
    }

    fn add(&mut self, name: &str, times: Vec<(Duration, Duration)>) {
        let (raw, ours): (Vec<_>, Vec<_>) =
            times.into_iter().map(|(raw, ours)| (microseconds(raw), microseconds(ours))).unzip();
        let [_, added, _] = spread(raw.iter().zip(&ours).map(|(raw, ours)| ours - raw).collect());
        let (raw, ours) = (spread(raw), spread(ours));
        let percent = 100.0 * added / raw[1];
        println!("{name:44} {:10.3} {:10.3} {added:+10.3} {percent:+7.1}%", raw[1], ours[1]);
        self.rows.push(json!({
            "name": name, "exporter_device": self.devices.0, "importer_device": self.devices.1,
            "raw_us": raw[1], "raw_least": raw[0], "raw_most": raw[2],
            "ours_us": ours[1], "ours_least": ours[0], "ours_most": ours[2],
            "added_us": added, "added_percent": percent,
        }));
    }

    /// Adds a line for a call that has no counterpart in C and takes less than the clock can tell.
    pub(crate) fn own(&mut self, name: &str, call: &dyn Fn()) {
        const CALLS: u32 = 1000;
        let round = || time(|| (0..CALLS).for_each(|_| call())).1 / CALLS;
        let [least, median, most] = spread((0..self.rounds).map(|_| microseconds(round())).collect());
        println!("{name:44} {:>10} {median:10.3}", "");
        self.rows.push(json!({
            "name": name, "exporter_device": self.devices.0, "importer_device": self.devices.1,
            "ours_us": median, "ours_least": least, "ours_most": most,
        }));
    }

    pub(crate) fn write(self) {
        let Some(file) = self.file else { return };
        let report = json!({ "driver": self.driver, "gpu": self.gpu, "rounds": self.rounds, "figures": self.rows });
        std::fs::write(file, format!("{report:#}\n")).expect("the file can be written");
    }
}

/// Calls both in every round, which take turns in going first. The first round is not counted: it loads what the others
/// use.
fn in_turns<T>(rounds: usize, raw: &dyn Fn() -> T, ours: &dyn Fn() -> T) -> Vec<(T, T)> {
    let round = |number: usize| {
        if number.is_multiple_of(2) {
            let raw = raw();
            (raw, ours())
        } else {
            let ours = ours();
            (raw(), ours)
        }
    };
    (0..=rounds).map(round).skip(1).collect()
}

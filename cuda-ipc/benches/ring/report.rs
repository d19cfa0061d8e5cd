//! Medians, ratios, and where they are written.

use std::path::PathBuf;

use cuda_ipc::Driver;
use serde_json::{Value, json};

use crate::options::Options;
use crate::{Kind, Plan, Way};

impl Kind {
    fn name(self) -> String {
        match self {
            Self::Events => "events".to_owned(),
            Self::Ours { way: Way::Push, streams } => format!("push/{streams}"),
            Self::Ours { way: Way::Direct, streams } => format!("direct/{streams}"),
            Self::Ours { way: Way::Pull, streams } => format!("pull/{streams}"),
        }
    }
}

/// The speed of one ring in GB/s, where a GB is 10^9 bytes.
pub(crate) struct Figure {
    kind: Kind,
    median: f64,
    least: f64,
    most: f64,
}

impl Figure {
    pub(crate) fn new(kind: Kind, mut speeds: Vec<f64>) -> Self {
        speeds.sort_by(f64::total_cmp);
        let [least, median, most] = [0, speeds.len() / 2, speeds.len() - 1].map(|place| speeds[place]);
        Self { kind, median, least, most }
    }
}

pub(crate) struct Report {
    driver: String,
    file: Option<PathBuf>,
    pairs: usize,
    devices: (usize, usize),
    rows: Vec<Value>,
    /// The nanoseconds of a message that only the hosts send, by the number of pairs.
    hosts: Vec<Value>,
}

impl Report {
    pub(crate) fn new(driver: Driver, options: &Options) -> Self {
        let driver = format!("{}, CUDA {}", driver.path().display(), driver.version());
        println!("Driver: {driver}. {} slots, medians of {} rounds in GB/s,", options.slots, options.rounds);
        println!("and the ratio to the ring that is ordered by events. push/2: in two streams.");
        Self { driver, file: options.json.clone(), pairs: 1, devices: (0, 0), rows: Vec::new(), hosts: Vec::new() }
    }

    /// Adds the mean nanoseconds of a message that only the hosts send.
    pub(crate) fn add_host(&mut self, pairs: usize, nanoseconds: f64) {
        self.hosts.push(json!({ "pairs": pairs, "message_ns": nanoseconds }));
        println!("\nPairs at once: {pairs}. A message that only the hosts send: {nanoseconds:.0} ns.");
    }

    /// Begins a table.
    pub(crate) fn begin(&mut self, pairs: usize, devices: (usize, usize), kinds: &[Kind]) {
        (self.pairs, self.devices) = (pairs, devices);
        println!("\nfrom device {} to device {}, pairs at once: {pairs}", devices.0, devices.1);
        print!("{:>12} {:>9}", "slot, bytes", "messages");
        kinds.iter().for_each(|kind| print!(" {:>17}", kind.name()));
        println!();
    }

    pub(crate) fn add(&mut self, plan: Plan, figures: Vec<Figure>) {
        let events = figures.iter().find(|figure| figure.kind == Kind::Events).map_or(f64::NAN, |figure| figure.median);
        print!("{:>12} {:>9}", plan.size, plan.messages);
        for Figure { kind, median, .. } in &figures {
            let ratio = if *kind == Kind::Events { String::new() } else { format!("{:.2}×", median / events) };
            print!(" {median:>9.3} {ratio:>7}");
        }
        println!();
        self.rows.extend(figures.iter().map(|Figure { kind, median, least, most }| {
            json!({
                "pairs": self.pairs, "producer_device": self.devices.0, "consumer_device": self.devices.1, "slot_bytes": plan.size,
                "slots": plan.slots, "messages": plan.messages, "ring": kind.name(), "gb_per_s": median,
                "least": least, "most": most, "ratio_to_events": median / events,
            })
        }));
    }

    pub(crate) fn write(self) {
        let Some(file) = self.file else { return };
        let report = json!({ "driver": self.driver, "hosts": self.hosts, "figures": self.rows });
        std::fs::write(file, format!("{report:#}\n")).expect("the file can be written");
    }
}

//! What the consumer prints.

use std::time::{Duration, Instant};

use cuda_ipc::{Context, Error};
use serde_json::json;

use crate::options::Options;

const INTERVAL: Duration = Duration::from_secs(1);
/// How many latencies are kept: those of the last messages.
const LATENCIES: u64 = 1 << 20;

pub(crate) struct Report<'options> {
    options: &'options Options,
    driver: String,
    device: String,
    /// The first message that is measured. Those before it load the kernels and fill the ring.
    first: u64,
    begin: Instant,
    /// The message and the time of the last progress.
    last: (u64, Instant),
    /// In nanoseconds.
    latencies: Vec<u32>,
}

impl<'options> Report<'options> {
    pub(crate) fn new(options: &'options Options, context: &Context) -> Result<Self, Error> {
        let (driver, device) = (context.driver(), context.device().name()?);
        let driver = format!("CUDA {} of {}", driver.version(), driver.path().display());
        if !options.json {
            println!("{device} with {driver}");
        }
        let first = (2 * options.slots as u64).min(options.messages / 2);
        let latencies = Vec::with_capacity((options.messages - first).min(LATENCIES) as usize);
        let now = Instant::now();
        Ok(Self { options, driver, device, first, begin: now, last: (0, now), latencies })
    }

    /// Notes that a message was received, so many nanoseconds after it was committed.
    pub(crate) fn received(&mut self, sequence: u64, latency: u32, now: Instant) {
        if sequence <= self.first {
            self.begin = now;
        }
        if sequence >= self.first {
            let place = ((sequence - self.first) % LATENCIES) as usize;
            match self.latencies.get_mut(place) {
                Some(old) => *old = latency,
                None => self.latencies.push(latency),
            }
        }
        let (before, then) = self.last;
        let time = now.duration_since(then);
        if sequence == 0 || time >= INTERVAL {
            self.last = (sequence, now);
            self.print_progress(sequence, sequence - before, time);
        }
    }

    fn print_progress(&self, sequence: u64, messages: u64, time: Duration) {
        let all = self.options.messages;
        match (self.options.json, messages) {
            (true, _) => {}
            (_, 0) => println!("message {sequence} of {all}"),
            _ => println!("message {sequence} of {all}: {:.3} GB/s", self.speed(messages, time)),
        }
    }

    /// Returns the speed in GB/s, where a GB is 10^9 bytes.
    fn speed(&self, messages: u64, time: Duration) -> f64 {
        messages as f64 * self.options.slot_size as f64 / time.as_secs_f64() / 1e9
    }

    pub(crate) fn print(mut self, end: Instant) {
        self.latencies.sort_unstable();
        let last = self.latencies.len() - 1;
        // In microseconds.
        let latency = |percent: usize| f64::from(self.latencies[last * percent / 100]) / 1e3;
        let speed = self.speed(self.options.messages - self.first, end.duration_since(self.begin));
        let Options { slot_size, slots, messages, streams, verify_every, .. } = *self.options;
        let (placement, order) = (self.options.placement_name(), self.options.order_name());
        if self.options.json {
            let report = json!({
                "driver": self.driver, "consumer": self.device, "slot_size": slot_size, "slots": slots,
                "messages": messages, "streams": streams, "placement": placement, "order": order,
                "producer_device": self.options.producer_device, "consumer_device": self.options.consumer_device,
                "verify_every": verify_every, "gb_per_s": speed,
                "latency_us": { "p50": latency(50), "p90": latency(90), "p99": latency(99), "max": latency(100) },
            });
            println!("{report:#}");
            return;
        }
        println!("{speed:.3} GB/s; slots at the {placement}, ordered by {order}, {streams} streams");
        println!(
            "latency from the commit to the consumer's host: median {:.1} µs, 90% {:.1} µs, 99% {:.1} µs, all {:.1} µs",
            latency(50),
            latency(90),
            latency(99),
            latency(100)
        );
        println!("{messages} messages of {slot_size} bytes through {slots} slots: all arrived");
    }
}

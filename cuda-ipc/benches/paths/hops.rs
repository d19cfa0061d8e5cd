//! How long work of one process waits for work of the other.
//!
//! Both processes run a round with the same calls. The importer goes first, and its clock counts.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::host::SharedPages;
use cuda_ipc::ipc::ImportedEvent;
use cuda_ipc::stream::WaitValue;
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, DeviceMemory, ImportedMemory, Parcel, SharedBuffer, Stream};

use crate::Importer;
use crate::raw::Raw;
use crate::report::Report;

/// How often a round goes from the importer to the exporter and back.
const TRIPS: u32 = 50;
/// A process that hears nothing from the other for so long fails.
const LIMIT: Duration = Duration::from_secs(60);
/// The indices of two numbers of the shared pages. Each has a cache line of its own.
const FROM_IMPORTER: usize = 0;
const FROM_EXPORTER: usize = 32;

const KINDS: [&str; 4] = ["event", "event, host waits", "value", "value, host answers"];

/// The calls of a round, in C or of this crate.
trait Calls {
    fn record(&self, event: &InterprocessEvent);
    fn wait(&self, event: &ImportedEvent);
    fn synchronize(&self, event: &ImportedEvent);
    fn write_value(&self, memory: &DeviceMemory, offset: usize, value: u32);
    fn wait_value(&self, memory: &DeviceMemory, offset: usize, value: u32);
}

struct InC<'a>(&'a Raw, &'a Stream);

impl Calls for InC<'_> {
    fn record(&self, event: &InterprocessEvent) {
        self.0.record(event.raw(), self.1.raw());
    }

    fn wait(&self, event: &ImportedEvent) {
        self.0.wait(event.raw(), self.1.raw());
    }

    fn synchronize(&self, event: &ImportedEvent) {
        self.0.synchronize(event.raw());
    }

    fn write_value(&self, memory: &DeviceMemory, offset: usize, value: u32) {
        self.0.write_value(memory.pointer() + offset as u64, value, self.1.raw());
    }

    fn wait_value(&self, memory: &DeviceMemory, offset: usize, value: u32) {
        self.0.wait_value(memory.pointer() + offset as u64, value, self.1.raw());
    }
}

struct Ours<'a>(&'a Stream);

impl Calls for Ours<'_> {
    fn record(&self, event: &InterprocessEvent) {
        event.record(self.0).unwrap();
    }

    fn wait(&self, event: &ImportedEvent) {
        self.0.wait(event).unwrap();
    }

    fn synchronize(&self, event: &ImportedEvent) {
        event.synchronize().unwrap();
    }

    fn write_value(&self, memory: &DeviceMemory, offset: usize, value: u32) {
        // SAFETY: the memory outlives the round, which ends when the stream is done.
        unsafe { self.0.write_value32(memory, offset, value) }.unwrap();
    }

    fn wait_value(&self, memory: &DeviceMemory, offset: usize, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.wait_value32(memory, offset, WaitValue::Equal, value) }.unwrap();
    }
}

/// What each process has.
struct Side<'a> {
    other: &'a Connection,
    stream: Stream,
    pages: SharedPages<u32>,
    /// Never destroyed: the other process may still have it open.
    own_event: ManuallyDrop<InterprocessEvent>,
    other_event: ImportedEvent,
    own_number: SharedBuffer,
    other_number: ImportedMemory,
}

impl<'a> Side<'a> {
    fn new(context: &Context, other: &'a Connection, pages: SharedPages<u32>) -> Self {
        let own_event = InterprocessEvent::new(context).unwrap();
        own_event.share().unwrap().send(other).unwrap();
        // SAFETY: no process destroys its event.
        let other_event = unsafe { Parcel::receive(other).unwrap().open_event(context) }.unwrap();
        let own_number = SharedBuffer::new(context, size_of::<u32>()).unwrap();
        own_number.share().unwrap().send(other).unwrap();
        let other_number = Parcel::receive(other).unwrap().map(context).unwrap();
        let (stream, own_event) = (Stream::non_blocking(context).unwrap(), ManuallyDrop::new(own_event));
        Self { other, stream, pages, own_event, other_event, own_number, other_number }
    }

    fn number(&self, place: usize) -> &AtomicU32 {
        &self.pages.numbers()[place]
    }

    /// Waits until the other process has stored a number.
    fn spin(&self, place: usize, number: u32) {
        let begin = Instant::now();
        while self.number(place).load(Ordering::Acquire) != number {
            assert!(begin.elapsed() < LIMIT, "the other process does not go on");
        }
    }

    /// Tells the other process that this one is ready, and waits until it is.
    fn meet(&self) {
        self.other.send(b"ready", &[]).expect("the other process lives");
        self.other.receive().expect("the other process lives");
    }

    /// Runs a round as the importer, and returns the time of a hop.
    fn lead(&self, kind: &str, calls: &dyn Calls) -> Duration {
        self.reset();
        let begin = Instant::now();
        for trip in 1..=TRIPS {
            match kind {
                "event" | "event, host waits" => {
                    calls.record(&self.own_event);
                    self.number(FROM_IMPORTER).store(trip, Ordering::Release);
                    self.spin(FROM_EXPORTER, trip);
                    self.take(kind, calls);
                }
                "value" => {
                    calls.write_value(&self.other_number, 0, trip);
                    calls.wait_value(&self.own_number, 0, trip);
                }
                _ => {
                    calls.write_value(self.pages.memory(), FROM_IMPORTER * size_of::<u32>(), trip);
                    calls.wait_value(self.pages.memory(), FROM_EXPORTER * size_of::<u32>(), trip);
                }
            }
        }
        self.stream.synchronize().unwrap();
        begin.elapsed() / (2 * TRIPS)
    }

    /// Runs a round as the exporter.
    fn follow(&self, kind: &str, calls: &dyn Calls) {
        self.reset();
        for trip in 1..=TRIPS {
            match kind {
                "event" | "event, host waits" => {
                    self.spin(FROM_IMPORTER, trip);
                    self.take(kind, calls);
                    calls.record(&self.own_event);
                    self.number(FROM_EXPORTER).store(trip, Ordering::Release);
                }
                "value" => {
                    calls.wait_value(&self.own_number, 0, trip);
                    calls.write_value(&self.other_number, 0, trip);
                }
                _ => {
                    self.spin(FROM_IMPORTER, trip);
                    self.number(FROM_EXPORTER).store(trip, Ordering::Release);
                }
            }
        }
        self.stream.synchronize().unwrap();
    }

    fn take(&self, kind: &str, calls: &dyn Calls) {
        if kind == "event" { calls.wait(&self.other_event) } else { calls.synchronize(&self.other_event) }
    }

    /// Sets this process's numbers to 0, and waits until the other process has done the same.
    fn reset(&self) {
        self.own_number.write(0, &[0_u32]).unwrap();
        self.pages.store(FROM_IMPORTER, &[0]).unwrap();
        self.pages.store(FROM_EXPORTER, &[0]).unwrap();
        self.meet();
    }
}

pub(crate) fn measure(importer: &Importer<'_>, report: &mut Report) {
    let Importer { context, raw, exporter } = importer;
    exporter.ask("hops");
    let pages = SharedPages::new(context, FROM_EXPORTER + 1).unwrap();
    pages.send(exporter.0).unwrap();
    let side = Side::new(context, exporter.0, pages);
    let (in_c, ours) = (InC(raw, &side.stream), Ours(&side.stream));
    for kind in KINDS {
        let lead = |calls: &dyn Calls, who: &str| {
            exporter.ask(&format!("{who} {kind}"));
            side.lead(kind, calls)
        };
        report.step(&format!("hop: {kind}"), &|| lead(&in_c, "C"), &|| lead(&ours, "ours"));
    }
    exporter.ask("end");
}

/// Runs the exporter's side of the rounds, until the importer ends them.
pub(crate) fn answer(context: &Context, importer: &Connection) {
    let pages = SharedPages::receive(importer, context, FROM_EXPORTER + 1).unwrap();
    let side = Side::new(context, importer, pages);
    let raw = Raw::new(context, false);
    loop {
        let request = String::from_utf8(importer.receive().expect("the importer lives").bytes).expect("text");
        match request.split_once(' ') {
            Some(("C", kind)) => side.follow(kind, &InC(&raw, &side.stream)),
            Some(("ours", kind)) => side.follow(kind, &Ours(&side.stream)),
            _ => break,
        }
    }
}

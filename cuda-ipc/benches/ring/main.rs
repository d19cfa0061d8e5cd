//! Measures the ring against a ring of raw C calls that is ordered by events, in GB/s, by slot size.
//!
//! `cargo bench -p cuda-ipc --bench ring` uses the driver that `CUDA_IPC_DRIVER` names, or else the reference driver,
//! whose speed means nothing. After `--`:
//!
//! | option | default | what it sets |
//! |---|---|---|
//! | `--sizes LIST` | 4K to 256M; 4K, 64K and 1M on the reference driver | the sizes of a slot |
//! | `--slots N` | 4 | the number of slots of every ring |
//! | `--streams LIST` | `1,2` | in how many streams each side of this crate's ring works |
//! | `--rounds N` | 7 | the rounds, of which the median counts |
//! | `--devices LIST` | `0-0,0-1`, or `0-0` with one device | the devices of the producer and of the consumer |
//! | `--json FILE` | | writes the figures to a file too |
//!
//! Two processes send messages, and each message ends in memory of the consumer. The rings take turns in every round,
//! so that other load on the machine affects all of them.
//!
//! - *events*: the slots are the producer's memory. The producer fills a slot with `cuMemsetD32Async` and records an
//!   event. The consumer's stream waits for it, copies the slot, and records another. Shared memory only says that a
//!   record was issued, so no host waits for a GPU.
//! - *push*: this crate's ring with the slots in the consumer's memory. The producer fills memory of its own, and
//!   copies it to the slot.
//! - *direct*: the same, but the producer fills the slot itself.
//! - *pull*: this crate's ring with the slots in the producer's memory. The producer fills a slot, and the consumer
//!   copies it.
//!
//! The first line says what the ring itself costs, with its watch of the other process: the time of a message that only
//! the hosts send, without a call of the driver.

mod options;
mod ours;
mod raw;
mod report;

use std::env;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Driver, sys};

use options::Options;
use report::{Figure, Report};

/// A side that hears nothing from the other for so long fails.
const LIMIT: Duration = Duration::from_secs(60);
const PRODUCER: &str = "--producer";

/// One ring to measure.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Events,
    Ours { way: Way, streams: usize },
}

/// How this crate's ring moves the bytes to the consumer.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Push,
    Direct,
    Pull,
}

/// What both sides know about a measurement.
#[derive(Clone, Copy)]
struct Plan {
    size: usize,
    slots: usize,
    messages: usize,
}

impl Plan {
    const fn words(&self) -> usize {
        self.size / size_of::<u32>()
    }

    const fn bytes(&self) -> usize {
        self.size * self.messages
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let driver = driver();
    let options = match Options::parse(&arguments, driver) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if arguments.iter().any(|argument| argument == PRODUCER) {
        let socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().expect("a descriptor"));
        produce(&options, driver, &Connection::from(socket));
        return ExitCode::SUCCESS;
    }
    let (mut producer, connection) = start(&arguments);
    consume(&options, driver, &connection);
    assert!(producer.wait().expect("our child").success(), "the producer failed");
    ExitCode::SUCCESS
}

fn driver() -> Driver {
    let library = env::var_os(sys::DRIVER_VARIABLE).map_or_else(reference_driver, PathBuf::from);
    // SAFETY: this is the reference driver, or a library that the user names as a driver.
    unsafe { Driver::load_from(library) }.unwrap_or_else(|error| panic!("{error}"))
}

/// Finds the reference driver in the folder of this executable or one above it, where Cargo puts a build's libraries.
fn reference_driver() -> PathBuf {
    let executable = env::current_exe().expect("this executable has a path");
    let found = executable.ancestors().map(|folder| folder.join("libreference_driver.so")).find(|path| path.is_file());
    found.expect("Cargo builds the reference driver next to this")
}

fn start(arguments: &[String]) -> (Child, Connection) {
    let (ours, theirs) = Connection::pair().expect("a descriptor");
    let mut command = Command::new(env::current_exe().expect("this executable has a path"));
    command.args(arguments).arg(PRODUCER).stdin(OwnedFd::from(theirs));
    (command.spawn().expect("this program starts again"), ours)
}

/// The rings that are compared.
fn kinds(options: &Options) -> Vec<Kind> {
    let ours = options
        .streams
        .iter()
        .flat_map(|streams| [Way::Push, Way::Direct, Way::Pull].map(|way| Kind::Ours { way, streams: *streams }));
    [Kind::Events].into_iter().chain(ours).collect()
}

/// The rings in the order of a round. Each one comes first in some round.
fn turns(rings: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..rings).map(move |turn| (turn + round) % rings)
}

fn context(driver: Driver, device: usize) -> Context {
    Context::primary(driver.device(device).expect("the device exists")).expect("a primary context")
}

/// A ring at the producer's side. The number is that of the round.
type Send<'ring> = Box<dyn Fn(u32) + 'ring>;
/// A ring at the consumer's side. It returns when the last message is in the consumer's memory.
type Receive<'ring> = Box<dyn Fn(u32) -> Instant + 'ring>;

fn produce(options: &Options, driver: Driver, consumer: &Connection) {
    ours::send_from_the_host(&context(driver, options.devices[0].0), consumer);
    for (producer, _) in &options.devices {
        let context = context(driver, *producer);
        for plan in options.plans() {
            let rings = kinds(options).into_iter().map(|kind| -> Send<'_> {
                match kind {
                    Kind::Events => raw::producer(&context, consumer, plan),
                    Kind::Ours { way, streams } => ours::producer(&context, consumer, plan, way, streams),
                }
            });
            let rings: Vec<_> = rings.collect();
            for round in 0..=options.rounds {
                for turn in turns(rings.len(), round) {
                    consumer.receive().expect("the consumer starts a round");
                    context.within(|| rings[turn](round as u32)).expect("the context can be made current");
                }
            }
            // The consumer has closed its imports.
            consumer.receive().expect("the consumer ends the measurement");
        }
    }
}

fn consume(options: &Options, driver: Driver, producer: &Connection) {
    let mut report = Report::new(driver, options);
    report.add_host(ours::receive_from_the_host(&context(driver, options.devices[0].1), producer));
    for (from, to) in &options.devices {
        let context = context(driver, *to);
        report.begin((*from, *to), &kinds(options));
        for plan in options.plans() {
            let kinds = kinds(options);
            let rings = kinds.iter().map(|kind| -> Receive<'_> {
                match *kind {
                    Kind::Events => raw::consumer(&context, producer, plan),
                    Kind::Ours { way, streams } => ours::consumer(&context, producer, plan, way, streams),
                }
            });
            let rings: Vec<_> = rings.collect();
            let mut speeds = vec![Vec::new(); rings.len()];
            for round in 0..=options.rounds {
                for turn in turns(rings.len(), round) {
                    producer.send(b"go", &[]).expect("the producer lives");
                    let begin = Instant::now();
                    let receive = || rings[turn](round as u32);
                    let end = context.within(receive).expect("the context can be made current");
                    let speed = plan.bytes() as f64 / end.duration_since(begin).as_secs_f64() / 1e9;
                    // The first round loads what the others use.
                    if round > 0 {
                        speeds[turn].push(speed);
                    }
                }
            }
            drop(rings);
            producer.send(b"end", &[]).expect("the producer lives");
            let figures = kinds.iter().zip(speeds).map(|(kind, speeds)| Figure::new(*kind, speeds));
            report.add(plan, figures.collect());
        }
    }
    report.write();
}

/// The word that every word of a message is.
const fn word(round: u32, message: usize) -> u32 {
    (round << 20) ^ message as u32
}

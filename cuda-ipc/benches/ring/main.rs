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
//! | `--pairs LIST` | 1 | how many pairs of processes work at once |
//! | `--devices LIST` | `0-0,0-1`, or `0-0` with one device | the devices of the producer and of the consumer |
//! | `--json FILE` | | writes the figures to a file too |
//!
//! A producer sends messages to a consumer, and each message ends in memory of the consumer. Both are processes of their
//! own. The rings take turns in every round, so that other load on the machine affects all of them. With several pairs,
//! the speed is that of all together, until the last one has its messages.
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

#[path = "../common/arguments.rs"]
mod arguments;
#[path = "../common/driver.rs"]
mod driver;
mod options;
mod ours;
mod raw;
mod report;

use std::env;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Driver};

use driver::driver;
use options::Options;
use report::{Figure, Report};

/// A side that hears nothing from the other for so long fails.
const LIMIT: Duration = Duration::from_secs(60);
/// The roles of the processes that this program starts.
const PRODUCER: &str = "--producer";
const CONSUMER: &str = "--consumer";

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
    let is = |role: &str| arguments.iter().any(|argument| argument == role);
    if is(PRODUCER) {
        produce(&options, driver, &other_side());
    } else if is(CONSUMER) {
        let mut producer = Process::start(&arguments, PRODUCER);
        consume(&options, driver, &producer.connection, &other_side());
        producer.end();
    } else {
        measure(&options, driver, &arguments);
    }
    ExitCode::SUCCESS
}

/// Another process of this program.
struct Process {
    child: Child,
    connection: Connection,
}

impl Process {
    fn start(arguments: &[String], role: &str) -> Self {
        let (connection, theirs) = Connection::pair().expect("a descriptor");
        let mut command = Command::new(env::current_exe().expect("this executable has a path"));
        let arguments = arguments.iter().filter(|argument| *argument != CONSUMER);
        command.args(arguments).arg(role).stdin(OwnedFd::from(theirs));
        Self { child: command.spawn().expect("this program starts again"), connection }
    }

    fn end(&mut self) {
        assert!(self.child.wait().expect("our child").success(), "a process of the bench failed");
    }
}

/// The connection to the process that started this one.
fn other_side() -> Connection {
    Connection::from(UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().expect("a descriptor")))
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

/// Runs the pairs, and reports their speed. All of them begin each round at the same time.
fn measure(options: &Options, driver: Driver, arguments: &[String]) {
    let mut report = Report::new(driver, options);
    let kinds = kinds(options);
    for pairs in &options.pairs {
        let mut consumers: Vec<_> = (0..*pairs).map(|_| Process::start(arguments, CONSUMER)).collect();
        let host: Vec<_> = consumers.iter().map(hear).collect();
        report.add_host(*pairs, host.iter().sum::<f64>() / host.len() as f64);
        for devices in &options.devices {
            report.begin(*pairs, *devices, &kinds);
            for plan in options.plans() {
                let mut speeds = vec![Vec::new(); kinds.len()];
                for round in 0..=options.rounds {
                    for turn in turns(kinds.len(), round) {
                        consumers.iter().for_each(|consumer| go(&consumer.connection));
                        let slowest = consumers.iter().map(hear).fold(0.0, f64::max);
                        // The first round loads what the others use.
                        if round > 0 {
                            speeds[turn].push((pairs * plan.bytes()) as f64 / slowest / 1e9);
                        }
                    }
                }
                let figures = kinds.iter().zip(speeds).map(|(kind, speeds)| Figure::new(*kind, speeds));
                report.add(plan, figures.collect());
            }
        }
        consumers.iter_mut().for_each(Process::end);
    }
    report.write();
}

fn go(other: &Connection) {
    other.send(b"go", &[]).expect("the other process lives");
}

/// Receives a number from a consumer.
fn hear(consumer: &Process) -> f64 {
    let message = consumer.connection.receive().expect("the consumer lives");
    f64::from_le_bytes(message.bytes.try_into().expect("the consumer sends a number"))
}

fn tell(main: &Connection, number: f64) {
    main.send(&number.to_le_bytes(), &[]).expect("the bench lives");
}

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

fn consume(options: &Options, driver: Driver, producer: &Connection, main: &Connection) {
    tell(main, ours::receive_from_the_host(&context(driver, options.devices[0].1), producer));
    for (_, consumer) in &options.devices {
        let context = context(driver, *consumer);
        for plan in options.plans() {
            let rings = kinds(options).into_iter().map(|kind| -> Receive<'_> {
                match kind {
                    Kind::Events => raw::consumer(&context, producer, plan),
                    Kind::Ours { way, streams } => ours::consumer(&context, producer, plan, way, streams),
                }
            });
            let rings: Vec<_> = rings.collect();
            for round in 0..=options.rounds {
                for turn in turns(rings.len(), round) {
                    main.receive().expect("the bench starts a round");
                    go(producer);
                    let begin = Instant::now();
                    let receive = || rings[turn](round as u32);
                    let end = context.within(receive).expect("the context can be made current");
                    tell(main, end.duration_since(begin).as_secs_f64());
                }
            }
            drop(rings);
            producer.send(b"end", &[]).expect("the producer lives");
        }
    }
}

/// The word that every word of a message is.
const fn word(round: u32, message: usize) -> u32 {
    (round << 20) ^ message as u32
}

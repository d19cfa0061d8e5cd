//! Rings between two processes: each test is the consumer or the producer, and a role is the other side.
//!
//! With one GPU, skip `two_devices`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/fork.rs"]
mod forked;
#[path = "../common/kernels.rs"]
mod kernel;
#[path = "../common/peer.rs"]
mod peer;

mod closing;
mod death;
mod flow;
mod hostile;
mod refusals;
mod sharing;
mod two_devices;

use std::sync::atomic::Ordering;
use std::time::Instant;

use cuda_ipc::host::SharedPages;
use cuda_ipc::ring::{Consumer, OpenOptions, Options, Producer, RingError};
use cuda_ipc::stream::{ScopedStream, WaitValue};
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Error};

use peer::LONG;

/// The words of a slot.
const WORDS: usize = 1000;
const SLOT: usize = WORDS * size_of::<u32>();

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Values,
    Events,
}

impl Order {
    fn create(self, connection: &Connection, context: &Context, options: Options) -> Consumer {
        let ring = match self {
            Self::Values => Consumer::create(connection, context, options),
            // SAFETY: the other process is a role of this test, and outlives the ring or is killed by the test.
            Self::Events => unsafe { Consumer::create_with_events(connection, context, options) },
        };
        ring.unwrap()
    }

    fn open(self, connection: &Connection, context: &Context) -> Producer {
        let ring = match self {
            Self::Values => Producer::open(connection, context),
            // SAFETY: as above.
            Self::Events => unsafe { Producer::open_with_events(connection, context, OpenOptions::new()) },
        };
        ring.unwrap()
    }

    fn send(self, connection: &Connection) {
        connection.send(format!("{self:?}").as_bytes(), &[]).unwrap();
    }

    fn receive(connection: &Connection) -> Self {
        match &*connection.receive().unwrap().bytes {
            b"Values" => Self::Values,
            b"Events" => Self::Events,
            other => panic!("{other:?}"),
        }
    }
}

/// Sends a number to the other process.
fn send(connection: &Connection, number: u64) {
    connection.send(&number.to_le_bytes(), &[]).unwrap();
}

fn receive(connection: &Connection) -> u64 {
    u64::from_le_bytes(connection.receive().unwrap().bytes.try_into().expect("a number"))
}

/// Returns the error of a ring.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> RingError {
    match result {
        Err(Error::Ring(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Asks again and again until something is true.
fn until(what: &str, is_true: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < LONG, "{what}");
        std::thread::yield_now();
    }
}

/// The seed of a message's words.
const fn seed(sequence: u64) -> u32 {
    (sequence as u32).wrapping_mul(0x9e37).wrapping_add(7)
}

/// The length of a message in words. Some are empty and some fill the slot.
const fn words_of(sequence: u64) -> usize {
    WORDS * (sequence % 5) as usize / 4
}

const fn kind_of(sequence: u64) -> u32 {
    !(sequence as u32)
}

/// A number that a stream waits for until it is opened.
fn gate() -> SharedPages<u32> {
    SharedPages::new(&common::context(), 1).unwrap()
}

fn wait<'scope>(stream: ScopedStream<'scope, '_>, gate: &'scope SharedPages<u32>) -> Result<(), Error> {
    stream.wait_value(gate.memory().slice::<u32>(..)?, WaitValue::Equal, 1)
}

fn open(gate: &SharedPages<u32>) {
    gate.numbers()[0].store(1, Ordering::Release);
}

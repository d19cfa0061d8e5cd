//! A ring of slots in device memory, through which one process sends messages to another.
//!
//! One process creates a [`Consumer`] and another opens the [`Producer`], over a [`Connection`](crate::transport). Both
//! wait for each other, at most for a minute ([`Options::within`], [`OpenOptions::within`]).
//!
//! The slots are device memory that both processes map. The producer reserves a slot, fills it, and commits it with a
//! length and a kind. The consumer receives the messages in order, uses them in place, and releases each slot.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use cuda_ipc::ring::{Consumer, Options, Producer};
//! use cuda_ipc::transport::Connection;
//! use cuda_ipc::{Context, DeviceBuffer, Error, Stream};
//!
//! const SLOT: usize = 1 << 20;
//! const LIMIT: Duration = Duration::from_secs(5);
//!
//! fn produce(context: &Context, consumer: &Connection) -> Result<(), Error> {
//!     let (ring, stream) = (Producer::open(consumer, context)?, Stream::non_blocking(context)?);
//!     stream.scope(|stream| {
//!         for number in 0..1000 {
//!             let slot = ring.reserve(LIMIT)?.in_stream(stream);
//!             stream.fill(slot.slice(..)?, number)?;
//!             slot.commit(SLOT, 0)?; // Sent when the stream has filled the slot. This call does not wait.
//!         }
//!         Ok(())
//!     })?;
//!     ring.close()
//! }
//!
//! fn consume(context: &Context, producer: &Connection) -> Result<(), Error> {
//!     let ring = Consumer::create(producer, context, Options::new(SLOT))?;
//!     let (stream, own) = (Stream::non_blocking(context)?, DeviceBuffer::new(context, SLOT)?);
//!     stream.scope(|stream| {
//!         while let Some(message) = ring.next(LIMIT)? {
//!             let message = message.in_stream(stream);
//!             stream.copy(own.slice::<u32>(..)?, message.slice(..)?)?;
//!             message.release()?; // Free when the stream has copied the message. This call does not wait either.
//!         }
//!         Ok(())
//!     })?;
//!     ring.close();
//!     Ok(())
//! }
//! ```
//!
//! Without a scope, `read` and `write` wait for their copies:
//!
//! ```no_run
//! # use std::time::Duration;
//! # use cuda_ipc::ring::{Consumer, Producer};
//! # use cuda_ipc::Error;
//! # const LIMIT: Duration = Duration::from_secs(5);
//! fn send(ring: &Producer, values: &[f32]) -> Result<(), Error> {
//!     let slot = ring.reserve(LIMIT)?;
//!     slot.slice(..values.len())?.write(values)?;
//!     slot.commit(size_of_val(values), 0)
//! }
//!
//! fn receive(ring: &Consumer) -> Result<Option<Vec<f32>>, Error> {
//!     let Some(message) = ring.next(LIMIT)? else { return Ok(None) };
//!     let mut values = vec![0.0; message.len() / size_of::<f32>()];
//!     message.slice(..)?.read(&mut values)?;
//!     message.release()?;
//!     Ok(Some(values))
//! }
//! ```
//!
//! # How it is ordered
//!
//! After the work in a slot, the producer's stream writes the number of the message to host memory that both processes
//! share ([`SharedPages`](crate::host::SharedPages)). CUDA orders this write after the effects of the stream's earlier
//! work, also for other processes. The consumer's host waits for the number, and then hands out the message. A release
//! tells the producer in the same way. So:
//!
//! - **No stream waits for the other process.** If that process dies, there is no stream to free, and no work that runs
//!   without what it waited for. The hosts wait, with a time limit, and watch the other process meanwhile.
//! - **The consumer needs no work on its device to learn of a message.** On one GPU such work costs a context switch of
//!   about 140 µs.
//! - **Every slot has its own numbers**, so messages may be written and read in several streams at once, and their
//!   copies overlap.
//! - **Both hosts take part in each message.** The producer can be ahead by as many messages as there are slots. If one
//!   of the two is often busy with other things, choose more slots.
//!
//! # If a process ends
//!
//! | the other side | [`Consumer::next`] | [`Producer::reserve`] |
//! |---|---|---|
//! | closes the ring | all messages, then `None` | [`RingError::ConsumerClosed`] |
//! | is killed, or drops the ring | all messages that are complete, then [`RingError::ProducerDied`] | [`RingError::ConsumerDied`] |
//! | is stopped, or slow | [`RingError::NoMessage`] after the time limit | [`RingError::NoFreeSlot`] after the time limit |
//!
//! The kernel wakes a call that sleeps when the other process dies. A call that spins, and a producer that has free
//! slots, ask every 10 ms. After a result of the first two rows, no later call hands out anything. After one of the third,
//! call again: the other process may go on. Each process keeps the memory that it has mapped, whichever process created it.
//!
//! A process counts as alive while a child that it forked has its end of the connection: until the child ends or calls
//! `exec`.
//!
//! The other process can write anything to the slots and to the host memory, at any time. So do not trust the bytes of
//! a message more than you trust that process. A length that is greater than a slot is [`RingError::BadHeader`].

mod consumer;
mod error;
mod hello;
mod incoming;
mod layout;
mod message;
mod options;
mod outgoing;
mod producer;
mod side;
mod signals;
mod slot;

pub use consumer::Consumer;
pub use error::RingError;
pub use message::{Message, MessageInStream};
pub use options::{OpenOptions, Options, Placement};
pub use producer::Producer;
pub use slot::{Slot, SlotInStream};

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Consumer,
    Producer,
}

impl Role {
    const fn other(self) -> Self {
        match self {
            Self::Consumer => Self::Producer,
            Self::Producer => Self::Consumer,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Consumer => "consumer",
            Self::Producer => "producer",
        }
    }
}

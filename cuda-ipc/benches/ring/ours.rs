//! This crate's ring.

use std::time::{Duration, Instant};

use cuda_ipc::ring::{Consumer, OpenOptions, Options, Placement, Producer};
use cuda_ipc::stream::scope;
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, DeviceBuffer, Error, Stream};

use crate::{LIMIT, Plan, Receive, Send, Way, word};

/// Longer than a message takes. The other ring never sleeps either.
const SPIN: Duration = Duration::from_millis(10);

/// Streams, and memory of one message for each.
fn lanes(context: &Context, plan: Plan, streams: usize) -> Vec<(Stream, DeviceBuffer)> {
    let lane = || (Stream::non_blocking(context).unwrap(), DeviceBuffer::new(context, plan.size).unwrap());
    (0..streams).map(|_| lane()).collect()
}

pub(crate) fn producer<'a>(
    context: &'a Context,
    consumer: &Connection,
    plan: Plan,
    way: Way,
    streams: usize,
) -> Send<'a> {
    // The consumer is this program too, so it may ask for the slots of the largest size.
    let options = OpenOptions::new().most_bytes(plan.size * plan.slots);
    let ring = Producer::open_with(consumer, context, options).unwrap();
    ring.set_spin(SPIN);
    let lanes = lanes(context, plan, streams);
    Box::new(move |round| send(&ring, &lanes, plan, way, round).unwrap())
}

fn send(ring: &Producer, lanes: &[(Stream, DeviceBuffer)], plan: Plan, way: Way, round: u32) -> Result<(), Error> {
    scope(|scope| {
        let streams: Vec<_> = lanes.iter().map(|(stream, own)| (scope.on(stream), own)).collect();
        for message in 0..plan.messages {
            let (stream, own) = streams[message % streams.len()];
            let slot = ring.reserve(LIMIT)?.in_stream(stream);
            match way {
                Way::Direct | Way::Pull => stream.fill(slot.slice(..plan.words())?, word(round, message))?,
                Way::Push => {
                    stream.fill(own.slice(..plan.words())?, word(round, message))?;
                    stream.copy(slot.slice::<u32>(..plan.words())?, own.slice(..plan.words())?)?;
                }
            }
            slot.commit(plan.size, 0)?;
        }
        Ok(())
    })
}

pub(crate) fn consumer<'a>(
    context: &'a Context,
    producer: &Connection,
    plan: Plan,
    way: Way,
    streams: usize,
) -> Receive<'a> {
    let placement = if way == Way::Pull { Placement::Producer } else { Placement::Consumer };
    let options = Options::new(plan.size).slots(plan.slots).placement(placement);
    let ring = Consumer::create(producer, context, options).unwrap();
    ring.set_spin(SPIN);
    let lanes = lanes(context, plan, streams);
    Box::new(move |round| match way {
        Way::Push | Way::Direct => receive_pushed(&ring, plan, round).unwrap(),
        Way::Pull => pull(&ring, &lanes, plan, round).unwrap(),
    })
}

/// The messages are in this process's memory when they are received.
fn receive_pushed(ring: &Consumer, plan: Plan, round: u32) -> Result<Instant, Error> {
    for _ in 1..plan.messages {
        ring.next(LIMIT)?.expect("a message").release()?;
    }
    let last = ring.next(LIMIT)?.expect("a message");
    let end = Instant::now();
    assert_eq!(*last.memory().snapshot::<u32>(plan.words() - 1..)?, [word(round, plan.messages - 1)]);
    Ok(end)
}

fn pull(ring: &Consumer, lanes: &[(Stream, DeviceBuffer)], plan: Plan, round: u32) -> Result<Instant, Error> {
    scope(|scope| {
        let streams: Vec<_> = lanes.iter().map(|(stream, own)| (scope.on(stream), own)).collect();
        for message in 0..plan.messages {
            let (stream, own) = streams[message % streams.len()];
            let message = ring.next(LIMIT)?.expect("a message").in_stream(stream);
            stream.copy(own.slice::<u32>(..plan.words())?, message.slice(..)?)?;
            message.release()?;
        }
        Ok(())
    })?;
    let end = Instant::now();
    let last = plan.messages - 1;
    let own = &lanes[last % lanes.len()].1;
    assert_eq!(*own.snapshot::<u32>(plan.words() - 1..plan.words())?, [word(round, last)]);
    Ok(end)
}

/// The number of messages that only the hosts send.
const HOST_MESSAGES: u32 = 1_000_000;
const HOST_SLOTS: usize = 64;

/// Sends messages without a call of the driver.
pub(crate) fn send_from_the_host(context: &Context, consumer: &Connection) {
    let ring = Producer::open(consumer, context).unwrap();
    ring.set_spin(SPIN);
    for message in 0..HOST_MESSAGES {
        ring.reserve(LIMIT).unwrap().commit(0, message).unwrap();
    }
    ring.close().unwrap();
}

/// Receives those messages, and returns the nanoseconds of each.
pub(crate) fn receive_from_the_host(context: &Context, producer: &Connection) -> f64 {
    let ring = Consumer::create(producer, context, Options::new(64).slots(HOST_SLOTS)).unwrap();
    ring.set_spin(SPIN);
    let begin = Instant::now();
    for expected in 0..HOST_MESSAGES {
        let message = ring.next(LIMIT).unwrap().expect("a message");
        assert_eq!(message.kind(), expected);
        message.release().unwrap();
    }
    begin.elapsed().as_secs_f64() * 1e9 / f64::from(HOST_MESSAGES)
}

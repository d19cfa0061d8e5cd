//! The CPUs and streams of two processes order their work by numbers in shared pages.

use std::sync::atomic::Ordering;

use cuda_ipc::host::{PinnedBuffer, SharedPages};
use cuda_ipc::stream::WaitValue;
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, Stream};
use rstest::rstest;

use crate::common::context;
use crate::peer::{Peer, roles, say, wait_for_the_end};
use crate::{alone, answer, is_done, number, see, until};

// Indices of the numbers: each has its own cache line.
const PING: usize = 0;
const PONG: usize = 32;
const WORD: usize = 64;
const COPY: usize = 65;
const LENGTH: usize = 66;
const ROUNDS: u32 = 50;

fn receive(connection: &Connection) -> SharedPages<u32> {
    let context = context(); // Loads the driver of the tests.
    SharedPages::receive(connection, &context, LENGTH).unwrap()
}

fn start(role: &str) -> (SharedPages<u32>, Stream, Peer) {
    let context = context();
    let pages = SharedPages::new(&context, LENGTH).unwrap();
    let peer = Peer::start(module_path!(), role);
    pages.send(&peer.connection).unwrap();
    (pages, Stream::non_blocking(&context).unwrap(), peer)
}

#[test]
fn a_cpu_store_of_another_process_ends_a_wait() {
    let _alone = alone();
    let (pages, stream, peer) = start("role_stores");
    stream
        .scope(|stream| {
            answer(stream, &pages, (PING, 7), (PONG, 8));
            assert!(!is_done(stream), "nothing was stored yet");
            peer.connection.send(b"store", &[])?;
            // The other process also sees what the stream writes then.
            see(&pages.numbers()[PONG], 8);
            Ok(())
        })
        .unwrap();
    assert_eq!(pages.numbers()[PING].load(Ordering::Acquire), 7);
    peer.finish();
}

#[rstest]
#[case::by_its_cpu("role_answers_by_its_cpu")]
#[case::by_a_stream("role_answers_by_a_stream")]
fn a_stream_asks_and_another_process_answers(#[case] role: &str) {
    let _alone = alone();
    let (pages, stream, peer) = start(role);
    let answers = DeviceBuffer::new(&context(), 4 * ROUNDS as usize).unwrap();
    let slots = answers.slice::<u32>(..).unwrap();
    let mut read = PinnedBuffer::<u32>::new(&context(), ROUNDS as usize).unwrap();
    stream
        .scope(|stream| {
            for round in 1..=ROUNDS {
                stream.write_value(number(&pages, WORD), 3 * round)?;
                stream.write_value(number(&pages, PING), round)?;
                stream.wait_value(number(&pages, PONG), WaitValue::GreaterOrEqual, round)?;
                stream.copy(slots.value(round as usize - 1)?, number(&pages, COPY))?;
            }
            stream.read(slots, &mut read)?;
            until("the last answer", || is_done(stream));
            Ok(())
        })
        .unwrap();
    assert_eq!(*read, (1..=ROUNDS).map(|round| 3 * round).collect::<Vec<_>>());
    peer.finish();
}

#[test]
fn a_cpu_asks_and_a_stream_of_another_process_answers() {
    let _alone = alone();
    let (pages, _, mut peer) = start("role_answers_by_a_stream");
    assert_eq!(peer.process.hear(), "enqueued");
    for round in 1..=ROUNDS {
        pages.numbers()[WORD].store(5 * round, Ordering::Relaxed);
        pages.numbers()[PING].store(round, Ordering::Release);
        see(&pages.numbers()[PONG], round);
        assert_eq!(pages.numbers()[COPY].load(Ordering::Relaxed), 5 * round);
    }
    peer.finish();
}

#[test]
fn the_pages_outlive_a_killed_owner() {
    let _alone = alone();
    let mut owner = Peer::start(module_path!(), "role_owns");
    let pages = receive(&owner.connection);
    assert_eq!(owner.process.hear(), "stored");
    owner.process.kill();
    let (mut host, mut device) = ([0; LENGTH], [0_u32; LENGTH]);
    pages.load(0, &mut host).unwrap();
    pages.memory().read(0, &mut device).unwrap();
    assert_eq!((host, device), ([77; LENGTH], [77; LENGTH]));
    pages.memory().write(0, &[1_u32]).unwrap();
    assert_eq!(pages.numbers()[0].load(Ordering::Acquire), 1);
    pages.unmap().unwrap();
}

#[test]
fn a_killed_importer_leaves_the_pages_as_they_are() {
    let _alone = alone();
    let (pages, stream, mut peer) = start("role_dies");
    stream
        .scope(|stream| {
            answer(stream, &pages, (PING, 1), (PONG, 2));
            until("the peer's word", || peer.process.hear() == "stored");
            peer.process.kill();
            see(&pages.numbers()[WORD], 9);
            // Nobody else ends the wait now, so this process does.
            assert!(!is_done(stream));
            pages.numbers()[PING].store(1, Ordering::Release);
            see(&pages.numbers()[PONG], 2);
            Ok(())
        })
        .unwrap();
    let next = Peer::start(module_path!(), "role_stores");
    pages.send(&next.connection).unwrap();
    next.connection.send(b"store", &[]).unwrap();
    see(&pages.numbers()[PING], 7);
    pages.numbers()[PONG].store(8, Ordering::Release);
    next.finish();
}

#[test]
fn pages_are_sent_on() {
    let _alone = alone();
    let (pages, _, peer) = start("role_sends_back");
    let again = receive(&peer.connection);
    again.numbers()[WORD].store(4, Ordering::Release);
    assert_eq!(pages.numbers()[WORD].load(Ordering::Acquire), 4);
    peer.finish();
}

roles! {
    fn role_stores(connection) {
        let pages = receive(&connection);
        assert_eq!(connection.receive().unwrap().bytes, b"store");
        pages.numbers()[PING].store(7, Ordering::Release);
        see(&pages.numbers()[PONG], 8);
    }

    fn role_answers_by_its_cpu(connection) {
        let pages = receive(&connection);
        for round in 1..=ROUNDS {
            until("the question", || pages.numbers()[PING].load(Ordering::Acquire) >= round);
            let word = pages.numbers()[WORD].load(Ordering::Relaxed);
            pages.numbers()[COPY].store(word, Ordering::Relaxed);
            pages.numbers()[PONG].store(round, Ordering::Release);
        }
    }

    fn role_answers_by_a_stream(connection) {
        let pages = receive(&connection);
        let stream = Stream::non_blocking(&context()).unwrap();
        // On the device: the driver makes a copy within host memory at once, and the call would wait for the question.
        let word = DeviceBuffer::new(&context(), 4).unwrap();
        let word = word.slice::<u32>(..).unwrap();
        stream.scope(|stream| {
            for round in 1..=ROUNDS {
                stream.wait_value(number(&pages, PING), WaitValue::GreaterOrEqual, round)?;
                stream.copy(word, number(&pages, WORD))?;
                stream.copy(number(&pages, COPY), word)?;
                stream.write_value(number(&pages, PONG), round)?;
            }
            say("enqueued");
            until("the last question", || is_done(stream));
            Ok(())
        }).unwrap();
    }

    fn role_owns(connection) {
        let pages = SharedPages::<u32>::new(&context(), LENGTH).unwrap();
        pages.store(0, &[77; LENGTH]).unwrap();
        pages.send(&connection).unwrap();
        say("stored");
        wait_for_the_end();
    }

    fn role_dies(connection) {
        let pages = receive(&connection);
        pages.numbers()[WORD].store(9, Ordering::Release);
        say("stored");
        wait_for_the_end();
    }

    fn role_sends_back(connection) {
        receive(&connection).send(&connection).unwrap();
    }
}

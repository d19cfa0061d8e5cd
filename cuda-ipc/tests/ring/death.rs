//! Either side is killed at each step. The other side gets what was complete, and then the name of the dead.

use std::time::{Duration, Instant};

use cuda_ipc::ring::{Consumer, Options, Placement, Producer, RingError};
use cuda_ipc::transport::TransportError;
use cuda_ipc::{Error, Stream, stream};
use rstest::rstest;

use crate::common::context;
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
use crate::{Order, SLOT, refused};

#[rstest]
#[case::it_has_sent_nothing("role_opens", None)]
#[case::it_has_reserved_a_slot("role_reserves", None)]
#[case::its_stream_has_not_reached_the_message("role_commits_behind_a_gate", Some(0))]
#[case::it_has_sent_messages("role_sends_two", Some(1))]
#[case::it_waits_for_a_free_slot("role_fills_the_ring", Some(2))]
fn the_producer_is_killed(
    #[case] role: &str,
    #[case] last: Option<u64>,
    #[values(Order::Values, Order::Events)] order: Order,
    #[values(Placement::Consumer, Placement::Producer)] placement: Placement,
) {
    let mut producer = Peer::start(module_path!(), role);
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(3).placement(placement));
    assert_eq!(producer.process.hear(), "there");
    producer.process.kill();
    for sequence in 0..last.map_or(0, |last| last + 1) {
        let message = ring.next(Duration::ZERO).unwrap().expect("a message that was complete");
        let mut word = [0_u32];
        message.slice(..1).unwrap().read(&mut word).unwrap();
        assert_eq!((message.sequence(), u64::from(word[0])), (sequence, sequence + 100));
    }
    for limit in [Duration::ZERO, LONG] {
        let error = ring.next(limit).unwrap_err();
        assert!(error.is_disconnected());
        let error = refused(Err::<(), _>(error));
        assert!(matches!(error, RingError::ProducerDied { last_good, .. } if last_good == last), "{error}");
    }
}

/// The numbers of a ring that continues another one are not those of messages of this ring.
#[test]
fn no_message_of_an_earlier_ring_is_the_last() {
    let mut producer = Peer::start(module_path!(), "role_opens");
    Order::Values.send(&producer.connection);
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT).first(10)).unwrap();
    assert_eq!(producer.process.hear(), "there");
    producer.process.kill();
    let error = refused(ring.next(LONG));
    assert!(matches!(error, RingError::ProducerDied { last_good: None, .. }), "{error}");
    let mut consumer = Peer::start(module_path!(), "role_continues");
    let ring = Producer::open(&consumer.connection, &context()).unwrap();
    assert_eq!(consumer.process.hear(), "there");
    consumer.process.kill();
    send_messages_until_death(&ring, None);
}

#[rstest]
#[case::it_has_taken_nothing("role_takes_nothing", None)]
#[case::it_holds_a_message("role_holds_one", None)]
#[case::it_has_released_messages("role_releases_two", Some(1))]
#[case::its_stream_has_not_reached_the_release("role_releases_behind_a_gate", Some(0))]
#[case::it_has_released_a_later_message("role_releases_the_second", None)]
fn the_consumer_is_killed(
    #[case] role: &str,
    #[case] last: Option<u64>,
    #[values(Order::Values, Order::Events)] order: Order,
) {
    let mut consumer = Peer::start(module_path!(), role);
    order.send(&consumer.connection);
    let ring = order.open(&consumer.connection, &context());
    send_messages(&ring, 3);
    assert_eq!(consumer.process.hear(), "there");
    consumer.process.kill();
    send_messages_until_death(&ring, last);
}

/// Sends messages until a call reports the consumer's death.
fn send_messages_until_death(ring: &Producer, last: Option<u64>) {
    let error = loop {
        match ring.reserve(LONG) {
            Ok(slot) => slot.commit(0, 0).unwrap(),
            Err(error) => break error,
        }
    };
    assert!(error.is_disconnected());
    for error in [refused(Err::<(), _>(error)), refused(ring.reserve(LONG))] {
        assert!(matches!(error, RingError::ConsumerDied { last_released, .. } if last_released == last), "{error}");
    }
}

/// A producer that never has to wait learns of the death too.
#[test]
fn a_death_is_told_while_slots_are_free() {
    let mut consumer = Peer::start(module_path!(), "role_takes_nothing");
    Order::Values.send(&consumer.connection);
    let ring = Producer::open(&consumer.connection, &context()).unwrap();
    assert_eq!(consumer.process.hear(), "there");
    ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
    consumer.process.kill();
    let begin = Instant::now();
    let error = loop {
        assert!(begin.elapsed() < LONG, "the death was not told");
        // It is given back, so the next one is free as well.
        match ring.reserve(LONG) {
            Ok(slot) => drop(slot),
            Err(error) => break refused(Err::<(), _>(error)),
        }
    };
    assert!(matches!(error, RingError::ConsumerDied { last_released: None, .. }), "{error}");
    assert_eq!(ring.next_sequence(), 1);
}

/// The death ends a call that waits already, whether it sleeps or spins.
#[rstest]
fn a_waiting_call_ends(
    #[values(Order::Values, Order::Events)] order: Order,
    #[values(Duration::ZERO, Duration::MAX)] spin: Duration,
) {
    let mut producer = Peer::start(module_path!(), "role_sends_two");
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(3));
    ring.set_spin(spin);
    let begin = Instant::now();
    let (messages, died) = std::thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(producer.process.hear(), "there");
            producer.process.kill();
        });
        let mut messages = 0;
        loop {
            match ring.next(LONG) {
                Ok(message) => messages += u64::from(message.is_some()),
                Err(error) => break (messages, refused(Err::<(), _>(error))),
            }
        }
    });
    assert!(begin.elapsed() < LONG, "only the limit has ended the call");
    assert!(messages == 2 && matches!(died, RingError::ProducerDied { last_good: Some(1), .. }), "{messages}: {died}");
}

/// The time counts from when the kernel has ended the process, which takes it longer if the process used a GPU. The median
/// of five deaths counts, because a busy processor may delay one.
#[rstest]
fn a_death_is_told_within_a_tenth_of_a_second(
    #[values("role_opens", "role_takes_nothing")] role: &str,
    #[values(Duration::ZERO, Duration::MAX)] spin: Duration,
) {
    let mut times = [(); 5].map(|()| {
        let mut other = Peer::start(module_path!(), role);
        Order::Values.send(&other.connection);
        let wait: Box<dyn FnOnce() -> Error + Send> = if role == "role_opens" {
            let ring = Consumer::create(&other.connection, &context(), Options::new(SLOT)).unwrap();
            ring.set_spin(spin);
            Box::new(move || ring.next(LONG).unwrap_err())
        } else {
            let ring = Producer::open(&other.connection, &context()).unwrap();
            ring.set_spin(spin);
            (0..ring.slots()).for_each(|_| ring.reserve(LONG).unwrap().commit(0, 0).unwrap());
            Box::new(move || ring.reserve(LONG).unwrap_err())
        };
        assert_eq!(other.process.hear(), "there");
        let waiting = std::thread::spawn(move || (wait(), Instant::now()));
        other.process.kill();
        let ended = Instant::now();
        let (error, told) = waiting.join().unwrap();
        assert!(error.is_disconnected(), "{error}");
        told.saturating_duration_since(ended)
    });
    times.sort();
    assert!(times[2] < Duration::from_millis(100), "{times:?}");
}

/// A consumer that holds all messages hears that they are all held, until the producer has died.
#[test]
fn a_death_is_told_while_all_messages_are_held() {
    let mut producer = Peer::start(module_path!(), "role_fills_the_ring");
    Order::Values.send(&producer.connection);
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT).slots(3)).unwrap();
    assert_eq!(producer.process.hear(), "there");
    let _held: Vec<_> = (0..3).map(|_| ring.next(LONG).unwrap().expect("a message")).collect();
    let error = refused(ring.next(LONG));
    assert!(matches!(error, RingError::AllHeld { slots: 3, .. }), "{error}");
    producer.process.kill();
    for limit in [Duration::ZERO, LONG] {
        let error = refused(ring.next(limit));
        assert!(matches!(error, RingError::ProducerDied { last_good: Some(2), .. }), "{error}");
    }
}

#[rstest]
#[case::of_the_producer("role_does_not_open")]
#[case::of_the_consumer("role_does_not_create")]
fn a_death_ends_the_making_of_a_ring(#[case] role: &str) {
    let mut other = Peer::start(module_path!(), role);
    assert_eq!(other.process.hear(), "there");
    other.process.kill();
    let error = if role == "role_does_not_open" {
        Consumer::create(&other.connection, &context(), Options::new(SLOT)).unwrap_err()
    } else {
        Producer::open(&other.connection, &context()).unwrap_err()
    };
    assert!(matches!(error, Error::Transport(TransportError::Closed { .. })), "{error}");
}

/// Sends messages whose first word is their number, plus 100.
fn send_messages(ring: &Producer, messages: u64) {
    let stream = Stream::non_blocking(&context()).unwrap();
    stream
        .scope(|stream| {
            for _ in 0..messages {
                let slot = ring.reserve(LONG)?.in_stream(stream);
                stream.fill(slot.slice(..1)?, slot.sequence() as u32 + 100)?;
                slot.commit(4, 0)?;
            }
            Ok(())
        })
        .unwrap();
}

fn there() -> ! {
    say("there");
    wait_for_the_end()
}

roles! {
    fn role_opens(connection) {
        let _ring = Order::receive(&connection).open(&connection, &context());
        there()
    }

    fn role_reserves(connection) {
        let ring = Order::receive(&connection).open(&connection, &context());
        let _slot = ring.reserve(LONG).unwrap();
        there()
    }

    fn role_commits_behind_a_gate(connection) {
        let ring = Order::receive(&connection).open(&connection, &context());
        send_messages(&ring, 1);
        let (stream, gate) = (Stream::non_blocking(&context()).unwrap(), crate::gate());
        let _: Result<(), _> = stream::scope(|scope| {
            let stream = scope.on(&stream);
            crate::wait(stream, &gate)?;
            let slot = ring.reserve(LONG)?.in_stream(stream);
            stream.fill(slot.slice::<u32>(..)?, 0)?;
            slot.commit(4, 0)?;
            there()
        });
    }

    fn role_sends_two(connection) {
        let ring = Order::receive(&connection).open(&connection, &context());
        send_messages(&ring, 2);
        there()
    }

    fn role_fills_the_ring(connection) {
        let ring = Order::receive(&connection).open(&connection, &context());
        send_messages(&ring, 3);
        std::thread::spawn(|| there());
        let _ = ring.reserve(LONG);
        wait_for_the_end()
    }

    fn role_takes_nothing(connection) {
        let _ring = Order::receive(&connection).create(&connection, &context(), Options::new(SLOT).slots(3));
        there()
    }

    fn role_continues(connection) {
        let _ring = Consumer::create(&connection, &context(), Options::new(SLOT).slots(3).first(10)).unwrap();
        there()
    }

    fn role_holds_one(connection) {
        let ring = Order::receive(&connection).create(&connection, &context(), Options::new(SLOT).slots(3));
        let _message = ring.next(LONG).unwrap().expect("a message");
        there()
    }

    fn role_releases_two(connection) {
        let ring = Order::receive(&connection).create(&connection, &context(), Options::new(SLOT).slots(3));
        let stream = Stream::non_blocking(&context()).unwrap();
        for _ in 0..2 {
            let message = ring.next(LONG).unwrap().expect("a message");
            stream.scope(|stream| message.in_stream(stream).release()).unwrap();
        }
        there()
    }

    fn role_releases_behind_a_gate(connection) {
        let ring = Order::receive(&connection).create(&connection, &context(), Options::new(SLOT).slots(3));
        ring.next(LONG).unwrap().expect("a message").release().unwrap();
        let message = ring.next(LONG).unwrap().expect("a message");
        let (stream, gate) = (Stream::non_blocking(&context()).unwrap(), crate::gate());
        let _: Result<(), _> = stream::scope(|scope| {
            let stream = scope.on(&stream);
            crate::wait(stream, &gate)?;
            message.in_stream(stream).release()?;
            there()
        });
    }

    fn role_releases_the_second(connection) {
        let ring = Order::receive(&connection).create(&connection, &context(), Options::new(SLOT).slots(3));
        let _first = ring.next(LONG).unwrap().expect("a message");
        ring.next(LONG).unwrap().expect("a message").release().unwrap();
        there()
    }

    fn role_does_not_open(_connection) {
        there()
    }

    fn role_does_not_create(_connection) {
        there()
    }
}

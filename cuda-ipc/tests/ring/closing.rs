//! Both sides can close the ring, and an end without closing looks like a death.

use std::time::Duration;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::ring::{Consumer, Options, Producer, RingError};
use cuda_ipc::{Error, Stream};
use rstest::rstest;

use crate::common::context;
use crate::forked::holds_in_a_child;
use crate::peer::{LONG, Peer, roles};
use crate::{Order, SLOT, receive, refused, send};

#[rstest]
fn all_messages_come_before_the_end(#[values(Order::Values, Order::Events)] order: Order) {
    let producer = Peer::start(module_path!(), "role_sends_three_and_closes");
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(4));
    assert_eq!(receive(&producer.connection), 1, "closed");
    for sequence in 0..3 {
        assert_eq!(ring.next(Duration::ZERO).unwrap().expect("a message").sequence(), sequence);
    }
    for limit in [Duration::ZERO, LONG, Duration::MAX] {
        assert!(ring.next(limit).unwrap().is_none());
    }
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

/// A producer without a free slot can have no other message.
#[test]
fn a_ring_whose_messages_are_all_held_can_end() {
    let producer = Peer::start(module_path!(), "role_sends_three_and_closes");
    Order::Values.send(&producer.connection);
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT).slots(3)).unwrap();
    assert_eq!(receive(&producer.connection), 1, "closed");
    let held: Vec<_> = (0..3).map(|_| ring.next(LONG).unwrap().expect("a message")).collect();
    assert!(ring.next(LONG).unwrap().is_none());
    drop(held);
    send(&producer.connection, 0);
    producer.finish();
}

#[test]
fn a_producer_that_drops_the_ring_has_not_closed_it() {
    let producer = Peer::start(module_path!(), "role_sends_one_and_fails");
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT)).unwrap();
    assert_eq!(receive(&producer.connection), 1, "dropped");
    assert!(ring.next(LONG).unwrap().is_some());
    let error = refused(ring.next(LONG));
    assert!(matches!(error, RingError::ProducerDied { last_good: Some(0), .. }), "{error}");
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

#[rstest]
#[case::closed("role_takes_two_and_closes")]
#[case::dropped("role_takes_two_and_fails")]
fn a_producer_learns_that_the_consumer_has_ended(#[case] role: &str) {
    let consumer = Peer::start(module_path!(), role);
    let ring = Producer::open(&consumer.connection, &context()).unwrap();
    let error = loop {
        match ring.reserve(LONG) {
            Ok(slot) => slot.commit(0, 0).unwrap(),
            Err(error) => break error,
        }
    };
    assert_eq!(error.is_disconnected(), role.contains("fails"));
    for error in [refused(Err::<(), _>(error)), refused(ring.reserve(LONG))] {
        match error {
            RingError::ConsumerClosed { last_released: Some(1), .. } if role.contains("closes") => {}
            RingError::ConsumerDied { last_released: Some(1), .. } if role.contains("fails") => {}
            other => panic!("{other}"),
        }
    }
    ring.close().unwrap();
    send(&consumer.connection, 0);
    consumer.finish();
}

/// The ring does not need the connection, which carries other messages afterwards.
#[test]
fn the_connection_is_free_and_may_be_dropped() {
    let mut producer = Peer::start(module_path!(), "role_drops_the_connection");
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT)).unwrap();
    assert_eq!(receive(&producer.connection), 77);
    let unused = std::mem::replace(&mut producer.connection, cuda_ipc::transport::Connection::pair().unwrap().0);
    drop(unused);
    assert_eq!(ring.next(LONG).unwrap().expect("a message").kind(), 5);
    assert!(ring.next(LONG).unwrap().is_none());
    producer.finish();
}

/// A forked child is refused, and what it drops still belongs to its parent.
#[rstest]
fn a_forked_child_leaves_the_ring_to_its_parent(#[values(Order::Values, Order::Events)] order: Order) {
    let producer = Peer::start(module_path!(), "role_forks");
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(1));
    assert_eq!(receive(&producer.connection), 1, "the child has ended");
    for sequence in 0..2 {
        assert_eq!(ring.next(LONG).unwrap().expect("a message").sequence(), sequence);
    }
    assert!(ring.next(LONG).unwrap().is_none());
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

/// The other side may query the events of a side that has ended. The number of events shows whether they exist.
#[rstest]
#[case::it_ends_first("role_ends_first_and_has_its_events")]
#[case::it_ends_last("role_ends_last_and_has_no_events")]
fn events_are_kept_until_the_other_side_has_ended(#[case] role: &str) {
    let consumer = Peer::start(module_path!(), role);
    let ring = Order::Events.open(&consumer.connection, &context());
    if role.contains("last") {
        ring.close().unwrap();
        send(&consumer.connection, 0);
    } else {
        ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
        assert_eq!(receive(&consumer.connection), 1, "ended");
        assert_eq!(ring.unreleased().unwrap(), 0);
    }
    consumer.finish();
}

/// Creates interprocess events until the driver has no more, and returns how many that were.
fn events_left() -> usize {
    let events: Vec<_> = std::iter::from_fn(|| InterprocessEvent::new(&context()).ok()).take(5000).collect();
    events.len()
}

/// The work of a message fails, and with it the context.
#[test]
fn a_producer_whose_work_failed_has_not_closed_the_ring() {
    let producer = Peer::start(module_path!(), "role_fails_on_the_device");
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT)).unwrap();
    assert!(ring.next(LONG).unwrap().is_some());
    let error = refused(ring.next(LONG));
    assert!(matches!(error, RingError::ProducerDied { last_good: Some(0), .. }), "{error}");
    drop(ring);
    producer.finish();
}

fn take_two(ring: &Consumer) {
    for _ in 0..2 {
        ring.next(LONG).unwrap().expect("a message").release().unwrap();
    }
}

fn send_messages(ring: &Producer, messages: u64) -> Result<(), Error> {
    let stream = Stream::non_blocking(&context())?;
    stream.scope(|stream| (0..messages).try_for_each(|_| ring.reserve(LONG)?.in_stream(stream).commit(0, 5)))
}

const EVENTS: usize = 20;

roles! {
    fn role_ends_first_and_has_its_events(connection) {
        let before = events_left();
        let ring = Order::Events.create(&connection, &context(), Options::new(SLOT).slots(EVENTS));
        ring.next(LONG).unwrap().expect("a message").release().unwrap();
        ring.close();
        assert_eq!(events_left(), before - EVENTS);
        send(&connection, 1);
    }

    fn role_ends_last_and_has_no_events(connection) {
        let before = events_left();
        let ring = Order::Events.create(&connection, &context(), Options::new(SLOT).slots(EVENTS));
        receive(&connection);
        ring.close();
        assert_eq!(events_left(), before);
    }

    fn role_sends_three_and_closes(connection) {
        let ring = Order::receive(&connection).open(&connection, &context());
        send_messages(&ring, 3).unwrap();
        ring.close().unwrap();
        send(&connection, 1);
        receive(&connection);
    }

    fn role_sends_one_and_fails(connection) {
        let ring = Producer::open(&connection, &context()).unwrap();
        send_messages(&ring, 1).unwrap();
        drop(ring);
        send(&connection, 1);
        receive(&connection);
    }

    fn role_forks(connection) {
        let ring = Order::receive(&connection).open(&connection, &context());
        send_messages(&ring, 1).unwrap();
        // The parent's ring, which the child has a copy of.
        let mut of_child = Some(ring);
        assert!(holds_in_a_child(|| {
            let ring = of_child.take().unwrap();
            matches!(ring.reserve(Duration::ZERO), Err(Error::Forked))
        }));
        let ring = of_child.unwrap();
        send(&connection, 1);
        send_messages(&ring, 1).unwrap();
        ring.close().unwrap();
        receive(&connection);
    }

    fn role_takes_two_and_closes(connection) {
        let ring = Consumer::create(&connection, &context(), Options::new(SLOT).slots(3)).unwrap();
        take_two(&ring);
        ring.close();
        receive(&connection);
    }

    fn role_takes_two_and_fails(connection) {
        let ring = Consumer::create(&connection, &context(), Options::new(SLOT).slots(3)).unwrap();
        take_two(&ring);
        drop(ring);
        receive(&connection);
    }

    fn role_drops_the_connection(connection) {
        let ring = Producer::open(&connection, &context()).unwrap();
        send(&connection, 77);
        // A dropped end alone would hang up.
        drop(connection);
        send_messages(&ring, 1).unwrap();
        ring.close().unwrap();
    }

    fn role_fails_on_the_device(connection) {
        let ring = Producer::open(&connection, &context()).unwrap();
        send_messages(&ring, 1).unwrap();
        let (stream, fill) = (Stream::non_blocking(&context()).unwrap(), crate::kernel::fill(&context()));
        let mut is_committed = false;
        let lost = stream.scope(|stream| {
            let slot = ring.reserve(LONG)?.in_stream(stream);
            let [mut pointer, mut count, mut seed] = [8_u64, 4, 0];
            let mut parameters = [&mut pointer, &mut count, &mut seed].map(|value| std::ptr::from_mut(value).cast());
            // SAFETY: the parameters are those of the kernel, which is to fail: address 8 is nobody's.
            unsafe { fill.function().launch(LaunchShape::linear(1, 1), stream.stream(), &mut parameters)? };
            slot.commit(0, 5)?;
            is_committed = true;
            Ok(())
        });
        assert!(lost.is_err(), "{lost:?}");
        // A driver may refuse the commit, because it has noticed the failure by then.
        if is_committed {
            let error = refused(ring.close());
            assert!(matches!(error, RingError::Unfinished { message: 1, .. }), "{error}");
        }
    }
}

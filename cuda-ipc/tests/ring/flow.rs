//! Back-pressure, time limits, and the order of messages and releases.

use std::time::Duration;

use cuda_ipc::module::LaunchShape;
use cuda_ipc::ring::{Consumer, Options, Producer, RingError};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{Context, DeviceBuffer, Stream, stream};
use rstest::rstest;

use crate::common::{context, device};
use crate::kernel;
use crate::peer::{LONG, Peer, roles};
use crate::{Order, SLOT, receive, refused, send, until};

/// Time limits that pass. Nothing depends on how long they take.
const LIMITS: [Duration; 3] = [Duration::ZERO, Duration::from_micros(20), Duration::from_millis(20)];

#[rstest]
fn a_producer_waits_for_a_free_slot(#[values(Order::Values, Order::Events)] order: Order) {
    let consumer = Peer::start(module_path!(), "role_releases_when_told");
    order.send(&consumer.connection);
    let ring = order.open(&consumer.connection, &context());
    let stream = Stream::non_blocking(&context()).unwrap();
    assert_eq!((ring.slots(), ring.slot_size(), ring.next_sequence()), (3, SLOT, 10));
    let commit = || {
        stream.scope(|stream| {
            let slot = ring.reserve(LONG)?.in_stream(stream);
            stream.fill(slot.slice(..)?, slot.sequence() as u32)?;
            slot.commit(SLOT, 0)
        })
    };
    for sent in 0..3 {
        assert_eq!(ring.unreleased().unwrap(), sent);
        commit().unwrap();
    }
    for limit in LIMITS {
        let error = refused(ring.reserve(limit));
        assert!(matches!(error, RingError::NoFreeSlot { message: 13, waited, .. } if waited == limit), "{error}");
    }
    for released in 0..4 {
        send(&consumer.connection, 1);
        commit().unwrap();
        let error = refused(ring.reserve(Duration::ZERO));
        assert!(matches!(error, RingError::NoFreeSlot { message, .. } if message == 14 + released), "{error}");
        assert_eq!(ring.unreleased().unwrap(), 3);
    }
    send(&consumer.connection, 3);
    until("the consumer releases all", || ring.unreleased().unwrap() == 0);
    send(&consumer.connection, 0);
    ring.close().unwrap();
    consumer.finish();
}

#[rstest]
fn a_consumer_waits_for_a_message(#[values(Order::Values, Order::Events)] order: Order) {
    let producer = Peer::start(module_path!(), "role_sends_when_told");
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(2));
    for sequence in 0..5 {
        for limit in LIMITS {
            let error = refused(ring.next(limit));
            let is_expected =
                matches!(error, RingError::NoMessage { message, waited, .. } if (message, waited) == (sequence, limit));
            assert!(is_expected, "{error}");
        }
        send(&producer.connection, 1);
        assert_eq!(ring.next(LONG).unwrap().expect("a message").sequence(), sequence);
    }
    send(&producer.connection, 0);
    assert!(ring.next(LONG).unwrap().is_none());
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

/// Without a time limit the call waits for the message.
#[test]
fn waiting_needs_no_limit() {
    let producer = Peer::start(module_path!(), "role_sends_when_told");
    Order::Values.send(&producer.connection);
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT).slots(2)).unwrap();
    ring.set_spin(Duration::ZERO);
    std::thread::scope(|scope| {
        scope.spawn(|| send(&producer.connection, 1));
        assert!(ring.next(Duration::MAX).unwrap().is_some());
    });
    send(&producer.connection, 0);
    assert!(ring.next(Duration::MAX).unwrap().is_none());
    send(&producer.connection, 0);
    producer.finish();
}

/// A message is only handed out when the stream has done the work before the commit.
#[rstest]
fn a_message_waits_for_the_producers_stream(#[values(Order::Values, Order::Events)] order: Order) {
    let producer = Peer::start(module_path!(), "role_sends_behind_a_gate");
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(1));
    assert_eq!(receive(&producer.connection), 1, "committed");
    let error = refused(ring.next(Duration::from_millis(20)));
    assert!(matches!(error, RingError::NoMessage { message: 0, .. }), "{error}");
    send(&producer.connection, 2);
    assert!(ring.next(LONG).unwrap().is_some());
    drop(ring);
    send(&producer.connection, 0);
    producer.finish();
}

/// A slot only becomes free when the stream has done the work before the release.
#[rstest]
fn a_slot_waits_for_the_consumers_stream(#[values(Order::Values, Order::Events)] order: Order) {
    let consumer = Peer::start(module_path!(), "role_releases_behind_a_gate");
    order.send(&consumer.connection);
    let ring = order.open(&consumer.connection, &context());
    ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
    assert_eq!(receive(&consumer.connection), 1, "released");
    let error = refused(ring.reserve(Duration::from_millis(20)));
    assert!(matches!(error, RingError::NoFreeSlot { message: 1, .. }), "{error}");
    send(&consumer.connection, 2);
    ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
    drop(ring);
    send(&consumer.connection, 0);
    consumer.finish();
}

/// Any stream that reaches the pages can write a number. An event is recorded only in streams of its own context, and a
/// refused call changes nothing.
#[rstest]
fn a_stream_may_belong_to_another_context(#[values(Order::Values, Order::Events)] order: Order) {
    let producer = Peer::start(module_path!(), "role_commits_in_another_context");
    order.send(&producer.connection);
    let ring = order.create(&producer.connection, &context(), Options::new(SLOT).slots(1));
    let other = Context::new(device()).unwrap();
    let stream = Stream::non_blocking(&other).unwrap();
    let message = ring.next(LONG).unwrap().expect("a message");
    assert_eq!((message.sequence(), message.kind()), (0, if order == Order::Values { 1 } else { 2 }));
    let released = stream.scope(|stream| message.in_stream(stream).release());
    match order {
        Order::Values => released.unwrap(),
        Order::Events => {
            assert_eq!(released.unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_HANDLE));
            assert!(matches!(refused(ring.next(LONG)), RingError::AllHeld { .. }), "the slot stays taken");
        }
    }
    ring.close();
    send(&producer.connection, 0);
    producer.finish();
}

#[test]
fn messages_are_released_in_any_order() {
    let producer = Peer::start(module_path!(), "role_sends_what_fits");
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT).slots(4)).unwrap();
    let take = || ring.next(LONG).unwrap().expect("a message");
    let (zero, one, two, three) = (take(), take(), take(), take());
    let error = refused(ring.next(LONG));
    assert!(matches!(error, RingError::AllHeld { slots: 4, .. }), "{error}");
    drop(two);
    one.release().unwrap();
    let error = refused(ring.next(Duration::from_millis(20)));
    assert!(matches!(error, RingError::NoMessage { message: 4, .. }), "message 0 still has the slot: {error}");
    zero.release().unwrap();
    let rest: Vec<_> = [(); 3].map(|()| take().sequence()).into();
    assert_eq!(rest, [4, 5, 6]);
    drop(three);
    assert_eq!(take().sequence(), 7);
    ring.close();
    producer.finish();
}

#[test]
fn a_slot_is_reserved_once_and_may_be_given_back() {
    let producer = Peer::start(module_path!(), "role_gives_a_slot_back");
    let ring = Consumer::create(&producer.connection, &context(), Options::new(SLOT).slots(2)).unwrap();
    let mut words = [0_u32; 1];
    ring.next(LONG).unwrap().expect("a message").slice(..).unwrap().read(&mut words).unwrap();
    assert_eq!(words, [2]);
    assert!(ring.next(LONG).unwrap().is_none());
    producer.finish();
}

/// Sends small messages. The first of each `every` goes through streams, and a kernel compares its word, and its number
/// if the ring is numbered. The others go through the hosts.
#[rstest]
#[case::numbered_in_streams(100_000, 1, true)]
#[case::a_million(1_000_000, 32, false)]
fn many_messages(#[case] messages: u64, #[case] every: u64, #[case] is_numbered: bool) {
    let producer = Peer::start(module_path!(), "role_sends_small_messages");
    send(&producer.connection, messages);
    send(&producer.connection, every);
    let options = Options::new(64).slots(64);
    let options = if is_numbered { options.numbered() } else { options };
    let ring = Consumer::create(&producer.connection, &context(), options).unwrap();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (verify, mismatches) = (kernel::verify(&context()), DeviceBuffer::new(&context(), 8).unwrap());
    mismatches.fill(0).unwrap();
    let counter = mismatches.slice::<u64>(..).unwrap();
    let one = LaunchShape::linear(1, 1);
    stream
        .scope(|stream| {
            while let Some(message) = ring.next(LONG)? {
                let sequence = message.sequence();
                assert_eq!((u64::from(message.kind()), message.len()), (sequence, 4));
                if sequence % every > 0 {
                    message.release()?;
                    continue;
                }
                let message = message.in_stream(stream);
                // The first word of a pattern is its seed.
                stream.launch(&verify, one, (message.slice(..)?, sequence as u32, counter))?;
                if let Some(number) = message.number()? {
                    stream.launch(&verify, one, (number, sequence as u32 + 1, counter))?;
                }
                message.release()?;
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(ring.next_sequence(), messages);
    assert_eq!(*mismatches.snapshot::<u64>(..).unwrap(), [0], "words and numbers that differ");
    drop(ring);
    producer.finish();
}

roles! {
    fn role_releases_when_told(connection) {
        let order = Order::receive(&connection);
        let options = Options::new(SLOT).slots(3).first(10);
        let ring = order.create(&connection, &context(), options);
        let stream = Stream::non_blocking(&context()).unwrap();
        loop {
            let count = receive(&connection);
            for _ in 0..count {
                let message = ring.next(LONG).unwrap().expect("a message");
                let (sequence, mut word) = (message.sequence() as u32, [0]);
                message.slice(..1).unwrap().read(&mut word).unwrap();
                assert_eq!(word, [sequence]);
                stream.scope(|stream| message.in_stream(stream).release()).unwrap();
            }
            if count == 0 {
                assert!(ring.next(LONG).unwrap().is_none());
                return;
            }
        }
    }

    fn role_sends_when_told(connection) {
        let order = Order::receive(&connection);
        let ring = order.open(&connection, &context());
        let stream = Stream::non_blocking(&context()).unwrap();
        while receive(&connection) == 1 {
            stream.scope(|stream| ring.reserve(LONG)?.in_stream(stream).commit(0, 0)).unwrap();
        }
        ring.close().unwrap();
        receive(&connection);
    }

    fn role_sends_behind_a_gate(connection) {
        let order = Order::receive(&connection);
        let ring = order.open(&connection, &context());
        let (stream, gate) = (Stream::non_blocking(&context()).unwrap(), crate::gate());
        stream::scope(|scope| {
            let stream = scope.on(&stream);
            crate::wait(stream, &gate)?;
            ring.reserve(LONG)?.in_stream(stream).commit(0, 0)?;
            send(&connection, 1);
            assert_eq!(receive(&connection), 2);
            crate::open(&gate);
            Ok(())
        }).unwrap();
        receive(&connection);
    }

    fn role_releases_behind_a_gate(connection) {
        let order = Order::receive(&connection);
        let ring = order.create(&connection, &context(), Options::new(SLOT).slots(1));
        let (stream, gate) = (Stream::non_blocking(&context()).unwrap(), crate::gate());
        stream::scope(|scope| {
            let stream = scope.on(&stream);
            let message = ring.next(LONG)?.expect("a message");
            crate::wait(stream, &gate)?;
            message.in_stream(stream).release()?;
            send(&connection, 1);
            assert_eq!(receive(&connection), 2);
            crate::open(&gate);
            Ok(())
        }).unwrap();
        receive(&connection);
    }

    fn role_commits_in_another_context(connection) {
        let order = Order::receive(&connection);
        let ring = order.open(&connection, &context());
        let other = Context::new(device()).unwrap();
        let streams = [&other, &context()].map(|context| Stream::non_blocking(context).unwrap());
        let commit = |stream: &Stream, kind| {
            stream.scope(|stream| {
                let slot = ring.reserve(LONG)?.in_stream(stream);
                assert_eq!(slot.sequence(), 0);
                slot.commit(0, kind)
            })
        };
        let committed = commit(&streams[0], 1);
        if order == Order::Events {
            assert_eq!(committed.unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_HANDLE));
            commit(&streams[1], 2).unwrap();
        }
        receive(&connection);
    }

    fn role_sends_what_fits(connection) {
        let ring = Producer::open(&connection, &context()).unwrap();
        for _ in 0..8 {
            ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
        }
        ring.close().unwrap();
    }

    fn role_gives_a_slot_back(connection) {
        let ring = Producer::open(&connection, &context()).unwrap();
        let slot = ring.reserve(LONG).unwrap();
        slot.slice(..1).unwrap().write(&[1_u32]).unwrap();
        assert!(matches!(refused(ring.reserve(LONG)), RingError::AlreadyReserved));
        drop(slot);
        let slot = ring.reserve(LONG).unwrap();
        assert_eq!(slot.sequence(), 0);
        let error = refused(slot.commit(SLOT + 1, 0));
        assert!(matches!(error, RingError::TooLong { length, slot_size: SLOT, .. } if length == SLOT + 1), "{error}");
        let slot = ring.reserve(LONG).unwrap();
        assert_eq!(slot.sequence(), 0);
        slot.slice(..1).unwrap().write(&[2_u32]).unwrap();
        slot.commit(4, 0).unwrap();
        ring.close().unwrap();
    }

    fn role_sends_small_messages(connection) {
        let (messages, every) = (receive(&connection), receive(&connection));
        let ring = Producer::open(&connection, &context()).unwrap();
        let stream = Stream::non_blocking(&context()).unwrap();
        stream.scope(|stream| {
            for sequence in 0..messages {
                let (slot, kind) = (ring.reserve(LONG)?, sequence as u32);
                if sequence % every > 0 {
                    slot.commit(4, kind)?;
                    continue;
                }
                let slot = slot.in_stream(stream);
                stream.fill(slot.slice(..1)?, sequence as u32)?;
                slot.commit(4, kind)?;
            }
            Ok(())
        }).unwrap();
        ring.close().unwrap();
    }
}

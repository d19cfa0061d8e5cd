//! A hostile process at the other side: nothing it sends or writes makes this side read or write out of bounds, or wait
//! for ever.

use std::os::fd::AsFd as _;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cuda_ipc::host::SharedPages;
use cuda_ipc::ring::{Consumer, Options, Placement, Producer, RingError};
use cuda_ipc::transport::{Connection, TransportError};
use cuda_ipc::{Error, Parcel, SharedBuffer};
use rstest::rstest;

use crate::common::context;
use crate::peer::{LONG, Peer, roles};
use crate::{SLOT, receive, refused, send};

// The layout of the pages, in words.
const LINE: usize = 32;
const CONSUMER: usize = 0;
const PRODUCER: usize = LINE;
const HEADER: usize = 2 * LINE;
const FREED: usize = 3 * LINE;
const NUMBER: usize = 0;
const LENGTH: usize = 1;
const SEQUENCE: usize = 4;
const SLOTS: usize = 2;
const WORDS: usize = (2 + 2 * SLOTS) * LINE;

const READY: &[u8] = b"CUDA-IPC ring ready\n";

/// The producer writes words to the pages, and the consumer reads them as a header or as the producer's state.
#[rstest]
#[case::too_long(&[(HEADER + LENGTH, SLOT as u32 + 1), (HEADER + NUMBER, 1)])]
#[case::very_long(&[(HEADER + LENGTH + 1, u32::MAX), (HEADER + NUMBER, 1)])]
#[case::another_message(&[(HEADER + SEQUENCE, 1), (HEADER + NUMBER, 1)])]
#[case::another_message_far_away(&[(HEADER + SEQUENCE + 1, 1), (HEADER + NUMBER, 1)])]
fn a_header_that_no_message_has_is_refused(#[case] words: &[(usize, u32)]) {
    let producer = Peer::start(module_path!(), "role_writes_words");
    let ring = create(&producer, words);
    for _ in 0..2 {
        let error = refused(ring.next(LONG));
        assert!(matches!(error, RingError::BadHeader { message: 0, slot_size: SLOT, .. }), "{error}");
    }
    producer.connection.finish().unwrap();
    producer.finish();
}

/// Numbers of other messages are as good as none.
#[rstest]
fn a_number_of_another_message_is_none(#[values(0, 2, 3, u32::MAX, 1 << 31)] number: u32) {
    let producer = Peer::start(module_path!(), "role_writes_words");
    let ring = create(&producer, &[(HEADER + NUMBER, number)]);
    let error = refused(ring.next(Duration::from_millis(20)));
    assert!(matches!(error, RingError::NoMessage { message: 0, .. }), "{error}");
    producer.connection.finish().unwrap();
    producer.finish();
}

#[rstest]
#[case::unknown(77, Some(()))]
#[case::dropped(2, Some(()))]
#[case::closed(1, None)]
fn a_state_is_the_end(#[case] state: u32, #[case] is_error: Option<()>) {
    let producer = Peer::start(module_path!(), "role_writes_words");
    let ring = create(&producer, &[(PRODUCER, state)]);
    match ring.next(LONG) {
        Ok(None) if is_error.is_none() => {}
        Err(Error::Ring(RingError::ProducerDied { last_good: None, .. })) if is_error.is_some() => {}
        other => panic!("{other:?}"),
    }
    producer.connection.finish().unwrap();
    producer.finish();
}

/// Work of a dead process may still arrive.
#[test]
fn nothing_comes_after_the_end() {
    let producer = Peer::start(module_path!(), "role_writes_words");
    let ring = create(&producer, &[(PRODUCER, 2)]);
    let died = || matches!(refused(ring.next(LONG)), RingError::ProducerDied { last_good: None, .. });
    assert!(died());
    send_words(&producer.connection, &[(HEADER + NUMBER, 1), (PRODUCER, 0)]);
    assert_eq!(receive(&producer.connection), 1, "written");
    assert!(died());
    producer.connection.finish().unwrap();
    producer.finish();
}

/// The number beside the slot is not that of the message.
#[test]
fn a_wrong_number_on_the_device_is_noticed() {
    let producer = Peer::start(module_path!(), "role_writes_words");
    let options = Options::new(SLOT).slots(SLOTS).numbered();
    let ring = create_with(&producer, options, &[(HEADER + NUMBER, 1)]);
    let error = refused(ring.next(LONG));
    let is_expected = matches!(error, RingError::OutOfSequence { message: 0, expected: 1, found, .. } if found != 1);
    assert!(is_expected, "{error}");
    producer.connection.finish().unwrap();
    producer.finish();
}

#[rstest]
#[case::no_number(&[])]
#[case::a_number_of_another_message(&[(FREED, 1), (FREED, 17)])]
fn a_slot_is_not_free_by_any_number(#[case] words: &[(usize, u32)]) {
    let consumer = Peer::start(module_path!(), "role_is_a_consumer");
    let ring = Producer::open(&consumer.connection, &context()).unwrap();
    for _ in 0..SLOTS {
        ring.reserve(LONG).unwrap().commit(0, 0).unwrap();
    }
    send_words(&consumer.connection, words);
    assert_eq!(receive(&consumer.connection), 1);
    let error = refused(ring.reserve(Duration::from_millis(20)));
    assert!(matches!(error, RingError::NoFreeSlot { message: 2, .. }), "{error}");
    consumer.connection.finish().unwrap();
    consumer.finish();
}

/// The producer is late: it finds the ring of a consumer that has given up, and whose connection is still there.
#[rstest]
fn a_consumer_that_gives_up_says_so(#[values(Placement::Consumer, Placement::Producer)] placement: Placement) {
    let (mut connection, producer) = Connection::pair().unwrap();
    connection.set_timeout(Some(Duration::from_millis(20)));
    let options = Options::new(SLOT).slots(SLOTS).placement(placement);
    let error = Consumer::create(&connection, &context(), options).unwrap_err();
    assert!(matches!(error, Error::Transport(TransportError::TimedOut { .. })), "{error}");
    let pages = producer.receive().unwrap().descriptors;
    let pages = SharedPages::<u32>::import(&context(), pages[0].as_fd(), WORDS).unwrap();
    assert_eq!(pages.numbers()[CONSUMER].load(Ordering::Acquire), 2, "the consumer's state");
}

#[test]
fn a_memory_that_is_too_small_is_refused() {
    let producer = Peer::start(module_path!(), "role_shares_too_little");
    let options = Options::new(SLOT).slots(SLOTS).placement(Placement::Producer);
    let error = refused(Consumer::create(&producer.connection, &context(), options));
    assert!(matches!(error, RingError::TooSmall { found: 4096, .. }), "{error}");
    producer.finish();
}

#[test]
fn another_message_than_the_ready_is_refused() {
    let producer = Peer::start(module_path!(), "role_is_not_ready");
    let error = refused(Consumer::create(&producer.connection, &context(), Options::new(SLOT)));
    assert!(matches!(error, RingError::OtherMessage), "{error}");
    producer.finish();
}

fn create(producer: &Peer, words: &[(usize, u32)]) -> Consumer {
    create_with(producer, Options::new(SLOT).slots(SLOTS), words)
}

/// Creates a ring whose producer writes words to the pages.
fn create_with(producer: &Peer, options: Options, words: &[(usize, u32)]) -> Consumer {
    let ring = Consumer::create(&producer.connection, &context(), options).unwrap();
    send_words(&producer.connection, words);
    assert_eq!(receive(&producer.connection), 1, "written");
    ring
}

fn send_words(connection: &Connection, words: &[(usize, u32)]) {
    let bytes: Vec<_> =
        words.iter().flat_map(|(place, word)| [*place as u32, *word]).flat_map(u32::to_le_bytes).collect();
    connection.send(&bytes, &[]).unwrap();
}

/// Writes the words that the other process sends, and says so, until that process has finished.
fn write_words(connection: &Connection, pages: &SharedPages<u32>) {
    while let Ok(message) = connection.receive() {
        let words = message.bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        for pair in words.collect::<Vec<_>>().chunks_exact(2) {
            pages.numbers()[pair[0] as usize].store(pair[1], Ordering::SeqCst);
        }
        send(connection, 1);
    }
}

/// Says what a producer accepts.
fn send_offer(connection: &Connection) {
    connection.send(&[&b"CUDA-IPC ring 2\n"[..], &[0; 8], &[0xff; 8]].concat(), &[]).unwrap();
}

roles! {
    fn role_writes_words(connection) {
        send_offer(&connection);
        let hello = connection.receive().unwrap();
        let pages = SharedPages::<u32>::import(&context(), hello.descriptors[0].as_fd(), WORDS).unwrap();
        let _slots = Parcel::receive(&connection).unwrap();
        connection.send(READY, &[]).unwrap();
        write_words(&connection, &pages);
    }

    fn role_is_a_consumer(connection) {
        let pages = SharedPages::<u32>::new(&context(), WORDS).unwrap();
        for slot in 0..SLOTS {
            let number = (slot as u32 + 1).wrapping_sub(SLOTS as u32);
            for place in [HEADER, FREED] {
                pages.numbers()[place + 2 * LINE * slot].store(number, Ordering::SeqCst);
            }
        }
        let mut hello = b"CUDA-IPC ring 2\n".to_vec();
        hello.extend((SLOTS as u32).to_le_bytes());
        hello.extend([0; 4]);
        hello.extend((SLOT as u64).to_le_bytes());
        hello.extend([0; 8]);
        connection.send(&hello, &[pages.as_fd()]).unwrap();
        let _offer = connection.receive().unwrap();
        let slots = SharedBuffer::new(&context(), 1 << 20).unwrap();
        slots.share().unwrap().send(&connection).unwrap();
        assert_eq!(connection.receive().unwrap().bytes, READY);
        write_words(&connection, &pages);
    }

    fn role_shares_too_little(connection) {
        send_offer(&connection);
        connection.receive().unwrap();
        let slots = SharedBuffer::new(&context(), 4096).unwrap();
        slots.share().unwrap().send(&connection).unwrap();
    }

    fn role_is_not_ready(connection) {
        send_offer(&connection);
        connection.receive().unwrap();
        connection.receive().unwrap();
        connection.send(b"ready", &[]).unwrap();
    }
}

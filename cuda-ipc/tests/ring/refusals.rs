//! What is no ring is refused, with an error that says what to do.

use std::os::fd::AsFd as _;
use std::time::Duration;

use cuda_ipc::host::SharedPages;
use cuda_ipc::ring::{Consumer, OpenOptions, Options, Placement, Producer, RingError};
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, Error, Parcel};
use rstest::rstest;

use crate::common::context;
use crate::peer::with_timeout;
use crate::{SLOT, refused};

#[rstest]
#[case::no_slots(Options::new(SLOT).slots(0))]
#[case::too_many_slots(Options::new(SLOT).slots(4097))]
#[case::empty_slots(Options::new(0))]
#[case::slots_that_no_machine_has(Options::new(usize::MAX))]
#[case::numbers_that_overflow(Options::new(SLOT).first(u64::MAX))]
fn options_that_no_ring_has(#[case] options: Options) {
    let (connection, _other) = pair();
    let error = refused(Consumer::create(&connection, &context(), options));
    assert!(matches!(error, RingError::BadOptions { .. }), "{error}");
    assert!(error.to_string().contains("1 to 4096 slots"), "{error}");
}

#[rstest]
#[case::nothing(b"")]
#[case::anything(b"CUDA-IPC ring 3\n")]
#[case::too_many_slots(&hello(5000, [0; 4], 64, 0))]
#[case::no_slots(&hello(0, [0; 4], 64, 0))]
#[case::an_empty_slot(&hello(1, [0; 4], 0, 0))]
#[case::an_overflow(&hello(2, [0; 4], u64::MAX / 2, 0))]
#[case::another_placement(&hello(1, [2, 0, 0, 0], 64, 0))]
#[case::another_order(&hello(1, [0, 2, 0, 0], 64, 0))]
#[case::more_options(&hello(1, [0, 0, 0, 1], 64, 0))]
#[case::numbers_that_overflow(&hello(1, [0; 4], 64, u64::MAX))]
fn a_producer_refuses_other_messages(#[case] bytes: &[u8]) {
    let (connection, other) = pair();
    let pages = SharedPages::<u32>::new(&context(), 128).unwrap();
    other.send(bytes, &[pages.as_fd()]).unwrap();
    let error = refused(Producer::open(&connection, &context()));
    assert!(matches!(error, RingError::OtherMessage), "{error}");
}

/// Ticket, pages of another size, and no pages.
#[test]
fn a_producer_refuses_other_descriptors() {
    let open = |bytes: &[u8], length: usize, count: usize| {
        let (connection, other) = pair();
        let pages = SharedPages::<u32>::new(&context(), length).unwrap();
        other.send(bytes, &vec![pages.as_fd(); count]).unwrap();
        Producer::open(&connection, &context()).unwrap_err()
    };
    let hello = hello(1, [0; 4], 64, 0);
    assert!(matches!(open(&hello, 129, 1), Error::Pages(_)));
    assert!(matches!(open(&hello, 128, 0), Error::Ring(RingError::OtherMessage)));
    assert!(matches!(open(&hello, 128, 2), Error::Ring(RingError::OtherMessage)));
    let (connection, other) = pair();
    let buffer = DeviceBuffer::new(&context(), 4096).unwrap();
    Parcel::send(&buffer.share(..).unwrap(), &other).unwrap();
    assert!(matches!(refused(Producer::open(&connection, &context())), RingError::OtherMessage));
}

/// A safe call opens no events, whatever the consumer asks for.
#[test]
fn a_ring_by_events_needs_the_promise() {
    let (connection, other) = pair();
    let pages = SharedPages::<u32>::new(&context(), 128).unwrap();
    other.send(&hello(1, [0, 1, 0, 0], 64, 0), &[pages.as_fd()]).unwrap();
    let error = refused(Producer::open(&connection, &context()));
    let is_expected = matches!(error, RingError::OtherOrder { found: "events", expected: "stream values", .. });
    assert!(is_expected, "{error}");
    other.send(&hello(1, [0; 4], 64, 0), &[pages.as_fd()]).unwrap();
    // SAFETY: the ring is refused before an event is opened.
    let error = refused(unsafe { Producer::open_with_events(&connection, &context(), OpenOptions::new()) });
    let is_expected = matches!(error, RingError::OtherOrder { found: "stream values", expected: "events", .. });
    assert!(is_expected, "{error}");
}

/// Nothing but the roles ends the calls: these connections have no timeout.
#[rstest]
#[case::consumers("consumer", |end: &Connection| Consumer::create(end, &context(), Options::new(SLOT)).map(drop))]
#[case::consumers_that_place("consumer", |end: &Connection| {
    Consumer::create(end, &context(), Options::new(SLOT).placement(Placement::Producer)).map(drop)
})]
#[case::producers("producer", |end: &Connection| Producer::open(end, &context()).map(drop))]
fn two_ends_of_one_role_are_no_ring(#[case] role: &str, #[case] make: fn(&Connection) -> Result<(), Error>) {
    let (one, other) = Connection::pair().unwrap();
    let errors = std::thread::scope(|scope| {
        let other = scope.spawn(|| refused(make(&other)));
        [refused(make(&one)), other.join().unwrap()]
    });
    for error in errors {
        assert!(matches!(error, RingError::SameRole { role: found, .. } if found == role), "{error}");
    }
}

/// The other process keeps the connection, and says nothing, or not everything.
#[rstest]
fn a_ring_is_made_in_time_or_not_at_all(#[values(false, true)] has_begun: bool) {
    let limit = Duration::from_millis(20);
    let (one, other) = Connection::pair().unwrap();
    if has_begun {
        other.send(&offer(0), &[]).unwrap();
    }
    let error = refused(Consumer::create(&one, &context(), Options::new(SLOT).within(limit)));
    assert!(matches!(error, RingError::NotMade { other: "producer", waited, .. } if waited == limit), "{error}");
    let (one, other) = Connection::pair().unwrap();
    if has_begun {
        let pages = SharedPages::<u32>::new(&context(), 128).unwrap();
        other.send(&hello(1, [0; 4], 64, 0), &[pages.as_fd()]).unwrap();
    }
    let error = refused(Producer::open_with(&one, &context(), OpenOptions::new().within(limit)));
    assert!(matches!(error, RingError::NotMade { other: "consumer", waited, .. } if waited == limit), "{error}");
}

/// Both ends learn it. The producer has not allocated anything: no device has the memory of the first case.
#[rstest]
#[case::by_default(1 << 50, OpenOptions::new(), 1 << 30)]
#[case::as_it_says(3 * SLOT, OpenOptions::new().most_bytes(3 * SLOT - 1), 3 * SLOT as u64 - 1)]
fn a_producer_limits_what_a_consumer_makes_it_allocate(
    #[case] bytes: usize,
    #[case] accepted: OpenOptions,
    #[case] limit: u64,
) {
    let (one, other) = pair();
    let options = Options::new(bytes.div_ceil(3)).slots(3).placement(Placement::Producer);
    let errors = std::thread::scope(|scope| {
        let creates = scope.spawn(|| refused(Consumer::create(&one, &context(), options)));
        [refused(Producer::open_with(&other, &context(), accepted)), creates.join().unwrap()]
    });
    let total = 3 * bytes.div_ceil(3) as u64;
    for error in errors {
        let is_expected =
            matches!(error, RingError::TooMuchMemory { wanted, allowed, .. } if (wanted, allowed) == (total, limit));
        assert!(is_expected, "{error}");
    }
}

#[test]
fn both_sides_are_not_in_one_process() {
    let (connection, other) = pair();
    let error = std::thread::scope(|scope| {
        let creates = scope.spawn(move || Consumer::create(&connection, &context(), Options::new(SLOT)));
        let error = Producer::open(&other, &context()).unwrap_err();
        drop(other);
        assert!(creates.join().unwrap().is_err());
        error
    });
    assert!(matches!(error, Error::OwnTicket), "{error}");
}

/// The ends of a connection, whose calls do not wait for ever.
fn pair() -> (Connection, Connection) {
    let (one, other) = Connection::pair().unwrap();
    (with_timeout(one), with_timeout(other))
}

/// The bytes of a hello.
fn hello(slots: u32, options: [u8; 4], slot_size: u64, first: u64) -> Vec<u8> {
    let mut bytes = b"CUDA-IPC ring 2\n".to_vec();
    bytes.extend(slots.to_le_bytes());
    bytes.extend(options);
    bytes.extend(slot_size.to_le_bytes());
    bytes.extend(first.to_le_bytes());
    bytes
}

/// The bytes of what a producer accepts.
fn offer(most_bytes: u64) -> Vec<u8> {
    [&b"CUDA-IPC ring 2\n"[..], &[0; 8], &most_bytes.to_le_bytes()].concat()
}

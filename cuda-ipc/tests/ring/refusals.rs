//! What is no ring is refused, with an error that says what to do.

use std::os::fd::AsFd as _;

use cuda_ipc::host::SharedPages;
use cuda_ipc::ring::{Consumer, Options, Producer, RingError};
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
#[case::anything(b"CUDA-IPC ring 2\n")]
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
    let error = refused(unsafe { Producer::open_with_events(&connection, &context()) });
    let is_expected = matches!(error, RingError::OtherOrder { found: "stream values", expected: "events", .. });
    assert!(is_expected, "{error}");
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
    let mut bytes = b"CUDA-IPC ring 1\n".to_vec();
    bytes.extend(slots.to_le_bytes());
    bytes.extend(options);
    bytes.extend(slot_size.to_le_bytes());
    bytes.extend(first.to_le_bytes());
    bytes
}

//! A message beside the ticket of a parcel.

use std::fs::File;
use std::os::fd::OwnedFd;

use cuda_ipc::ticket::{Ticket, TicketError};
use cuda_ipc::transport::{Connection, Limits, TransportError};
use cuda_ipc::{Error, Parcel};
use proptest::collection::vec;
use proptest::prelude::*;
use rstest::rstest;

use crate::generate;
use crate::golden::{BY_FABRIC, LEGACY_MEMORY, UNSEALED};

/// Returns a parcel with as many descriptors as its ticket needs, whatever they are.
fn parcel(ticket: &[u8]) -> Parcel {
    let ticket = Ticket::from_bytes(ticket).unwrap();
    let descriptors = (0..ticket.descriptor_count()).map(|_| OwnedFd::from(File::open("/dev/null").unwrap())).collect();
    Parcel { ticket, descriptors, tenancy: None }
}

/// Receives bytes as a parcel with a message.
fn received(bytes: &[u8]) -> Result<(Parcel, Vec<u8>), Error> {
    let (one, other) = Connection::pair().unwrap();
    one.send(bytes, &[]).unwrap();
    Parcel::receive_with(&other)
}

#[rstest]
#[case::nothing(&[])]
#[case::a_number(&[7, 0, 0, 0])]
#[case::another_ticket(LEGACY_MEMORY)]
#[case::a_long_one(&[1; 64 << 10])]
fn it_arrives_with_the_parcel(#[case] message: &[u8]) {
    let (one, other) = Connection::pair().unwrap();
    for ticket in UNSEALED {
        let sent = parcel(ticket);
        sent.send_with(&one, message).unwrap();
        let (parcel, beside) = Parcel::receive_with(&other).unwrap();
        assert!(parcel.ticket == sent.ticket && beside == message);
        assert_eq!(parcel.descriptors.len(), sent.descriptors.len());
    }
}

#[test]
fn a_receiver_that_expects_none_does_not_lose_it() {
    let (one, other) = Connection::pair().unwrap();
    parcel(LEGACY_MEMORY).send_with(&one, b"slot 3").unwrap();
    let error = Parcel::receive(&other).unwrap_err();
    assert!(matches!(error, Error::Ticket(TicketError::TrailingBytes { .. })), "{error}");
    assert!(error.to_string().contains("Parcel::receive_with"), "{error}");
    parcel(LEGACY_MEMORY).send(&one).unwrap();
    assert_eq!(Parcel::receive_with(&other).unwrap().1, b"");
}

#[test]
fn it_counts_against_the_limits() {
    let (mut one, mut other) = Connection::pair().unwrap();
    let limits = Limits { bytes: LEGACY_MEMORY.len() + 3, descriptors: 0 };
    one.set_limits(limits);
    let error = parcel(LEGACY_MEMORY).send_with(&one, b"four").unwrap_err();
    assert!(matches!(error, Error::Transport(TransportError::TooLong { .. })), "{error}");
    parcel(LEGACY_MEMORY).send_with(&one, b"two").unwrap();
    assert_eq!(Parcel::receive_with(&other).unwrap().1, b"two");

    other.set_limits(limits);
    one.set_limits(Limits::default());
    parcel(LEGACY_MEMORY).send_with(&one, b"four").unwrap();
    let error = Parcel::receive_with(&other).unwrap_err();
    assert!(matches!(error, Error::Transport(TransportError::TooLong { .. })), "{error}");
}

/// A cut within the ticket is found. Behind the ticket, all bytes are the message.
#[test]
fn bytes_that_are_cut_are_a_shorter_message_or_no_ticket() {
    let bytes = [BY_FABRIC, b"message"].concat();
    for present in 0..bytes.len() {
        match received(&bytes[..present]) {
            Err(Error::Ticket(TicketError::Truncated { present: stated, .. })) => {
                assert!(stated == present && present < BY_FABRIC.len(), "{present}");
            }
            Ok((_, message)) => assert_eq!(message, bytes[BY_FABRIC.len()..present]),
            Err(error) => panic!("{present}: {error}"),
        }
    }
}

#[test]
fn descriptors_are_still_counted() {
    let (one, other) = Connection::pair().unwrap();
    let Parcel { ticket, descriptors, .. } = parcel(UNSEALED[5]);
    assert_eq!(descriptors.len(), ticket.descriptor_count());
    one.send(&[&ticket.to_bytes(), &b"message"[..]].concat(), &[]).unwrap();
    let error = Parcel::receive_with(&other).unwrap_err();
    assert!(matches!(error, Error::Descriptors { found: 0, .. }), "{error}");
}

proptest! {
    #[test]
    fn any_bytes_are_a_ticket_and_a_message_or_refused(
        ticket in generate::ticket(),
        message in vec(any::<u8>(), 0..100),
        change in proptest::option::of((any::<proptest::sample::Index>(), any::<u8>())),
    ) {
        let mut bytes = [&*ticket.to_bytes(), &message].concat();
        if let Some((at, byte)) = change {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        match received(&bytes) {
            Ok((parcel, message)) => prop_assert_eq!([&*parcel.ticket.to_bytes(), &message].concat(), bytes),
            Err(Error::Ticket(_) | Error::Descriptors { .. }) => {}
            Err(error) => prop_assert!(false, "{}", error),
        }
    }
}

#[cfg(feature = "mac")]
mod sealed {
    use cuda_ipc::ticket::Key;

    use super::*;
    use crate::altered::flipped;
    use crate::golden::SEALED;
    use crate::seal::key;

    const MESSAGE: &[u8] = b"slot 3";

    fn bytes() -> Vec<u8> {
        let (one, other) = Connection::pair().unwrap();
        parcel(LEGACY_MEMORY).send_sealed_with(&one, &key(), MESSAGE).unwrap();
        other.receive().unwrap().bytes
    }

    fn error_of(bytes: &[u8]) -> TicketError {
        let (one, other) = Connection::pair().unwrap();
        one.send(bytes, &[]).unwrap();
        match Parcel::receive_sealed_with(&other, &key()) {
            Err(Error::Ticket(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_arrives_with_the_parcel() {
        let (one, other) = Connection::pair().unwrap();
        for message in [MESSAGE, b""] {
            parcel(LEGACY_MEMORY).send_sealed_with(&one, &key(), message).unwrap();
            let (received, beside) = Parcel::receive_sealed_with(&other, &key()).unwrap();
            assert!(received.ticket == parcel(LEGACY_MEMORY).ticket && beside == message);
        }
    }

    #[test]
    fn every_flipped_bit_is_refused() {
        for (bit, bytes) in flipped(&bytes()) {
            let error = error_of(&bytes);
            assert!(bit / 8 < SEALED.len() || error == TicketError::MessageSeal, "bit {bit}: {error}");
        }
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = bytes();
        for present in 0..bytes.len() {
            let error = error_of(&bytes[..present]);
            let expected = match present < SEALED.len() {
                true => matches!(error, TicketError::Truncated { .. }),
                false => error == TicketError::MessageSeal,
            };
            assert!(expected, "{present}: {error}");
        }
    }

    /// The seal binds the message to its ticket, although each was sealed with the key.
    #[test]
    fn a_message_of_another_ticket_is_refused() {
        let (one, other) = Connection::pair().unwrap();
        parcel(BY_FABRIC).send_sealed_with(&one, &key(), MESSAGE).unwrap();
        let foreign = other.receive().unwrap().bytes;
        let beside = &foreign[foreign.len() - MESSAGE.len() - 32..];
        let error = error_of(&[SEALED, beside].concat());
        assert_eq!(error, TicketError::MessageSeal);
        assert!(error.to_string().contains("Parcel::send_sealed_with"), "{error}");
    }

    #[test]
    fn each_way_to_send_has_its_way_to_receive() {
        let (one, other) = Connection::pair().unwrap();
        for _ in 0..3 {
            parcel(LEGACY_MEMORY).send_sealed_with(&one, &key(), MESSAGE).unwrap();
        }
        let error = Parcel::receive_with(&other).unwrap_err();
        assert!(matches!(error, Error::Ticket(TicketError::Sealed)), "{error}");
        let error = Parcel::receive_sealed(&other, &key()).unwrap_err();
        assert!(matches!(error, Error::Ticket(TicketError::TrailingBytes { .. })), "{error}");
        let error = Parcel::receive_sealed_with(&other, &Key::from_bytes([1; 32])).unwrap_err();
        assert!(matches!(error, Error::Ticket(TicketError::WrongSeal)), "{error}");
        assert_eq!(error_of(SEALED), TicketError::MessageSeal);
        assert_eq!(error_of(&[LEGACY_MEMORY, MESSAGE].concat()), TicketError::Unsealed);
    }
}

//! Sealed tickets: a process without the key cannot write one.

use cuda_ipc::ticket::{Key, MAX_CHUNKS, Ticket, TicketError};
use proptest::prelude::*;

use crate::altered::flipped;
use crate::golden::{LEGACY_MEMORY, SEALED, UNSEALED, VERSION_1_SEALED, legacy_memory};
use crate::round_trip::with_chunks;
use crate::{counting_from, generate, rewritten};

/// Returns the key of the golden sealed ticket.
pub(crate) fn key() -> Key {
    Key::from_bytes(counting_from(0xC0))
}

#[test]
fn version_2() {
    let ticket = Ticket::from_sealed_bytes(&key(), SEALED).unwrap();
    assert_eq!(*ticket, legacy_memory());
    assert_eq!(ticket.to_sealed_bytes(&key()), SEALED);
}

#[test]
fn version_1_is_refused() {
    let error = Ticket::from_sealed_bytes(&key(), VERSION_1_SEALED).unwrap_err();
    assert!(matches!(error, TicketError::OtherVersion { version: 1, .. }), "{error}");
}

proptest! {
    #[test]
    fn every_ticket_comes_back(ticket in generate::ticket(), key: [u8; 32]) {
        let key = Key::from_bytes(key);
        let bytes = ticket.to_sealed_bytes(&key);
        prop_assert!(bytes.len() <= Ticket::MAX_LENGTH);
        prop_assert_eq!(Ticket::from_sealed_bytes(&key, &bytes), Ok(ticket));
        prop_assert_eq!(Ticket::from_bytes(&bytes), Err(TicketError::Sealed));
    }
}

#[test]
fn the_longest_ticket_comes_back() {
    let ticket = with_chunks(MAX_CHUNKS).unwrap();
    let bytes = ticket.to_sealed_bytes(&key());
    assert_eq!(bytes.len(), Ticket::MAX_LENGTH);
    assert_eq!(Ticket::from_sealed_bytes(&key(), &bytes), Ok(ticket));
}

#[test]
fn every_flipped_bit_is_refused() {
    for ticket in UNSEALED {
        let sealed = Ticket::from_bytes(ticket).unwrap().to_sealed_bytes(&key());
        for (bit, bytes) in flipped(&sealed) {
            assert!(Ticket::from_sealed_bytes(&key(), &bytes).is_err(), "bit {bit} of {}", sealed.len());
            assert!(Ticket::from_bytes(&bytes).is_err(), "bit {bit} of {}, without the key", sealed.len());
        }
    }
}

/// A process that alters bytes can compute the new checksum, but not the new seal.
#[test]
fn every_flipped_bit_with_its_checksum_is_refused() {
    for (bit, bytes) in flipped(&SEALED[16..SEALED.len() - 4]) {
        let bytes = rewritten(SEALED, |sealed| sealed[16..].copy_from_slice(&bytes));
        assert_eq!(Ticket::from_sealed_bytes(&key(), &bytes), Err(TicketError::WrongSeal), "bit {bit} after the head");
    }
}

#[test]
fn every_truncation_is_refused() {
    for present in 0..SEALED.len() {
        let error = Ticket::from_sealed_bytes(&key(), &SEALED[..present]).unwrap_err();
        assert!(matches!(error, TicketError::Truncated { present: stated, .. } if stated == present), "{error}");
    }
}

/// The seal is removed or shortened, with a head and a checksum that match.
#[test]
fn there_is_no_ticket_with_part_of_a_seal() {
    for missing in 1..SEALED.len() - 20 {
        let bytes = rewritten(SEALED, |bytes| bytes.truncate(bytes.len() - missing));
        let error = Ticket::from_sealed_bytes(&key(), &bytes).unwrap_err();
        assert!(matches!(error, TicketError::WrongSeal | TicketError::WrongLength), "{missing}: {error}");
    }
}

#[test]
fn another_key_opens_nothing() {
    let error = Ticket::from_sealed_bytes(&Key::from_bytes(counting_from(0xC1)), SEALED).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ticket's seal does not match this key: give both processes the same key; if they have it, the ticket was \
         altered in transit"
    );
}

#[test]
fn a_ticket_without_a_seal_is_refused() {
    let error = Ticket::from_sealed_bytes(&key(), LEGACY_MEMORY).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ticket is not sealed, but a key was given: the exporter must use Ticket::to_sealed_bytes; if it does, the \
         ticket was replaced in transit"
    );
}

#[test]
fn a_key_is_not_shown() {
    assert_eq!(format!("{:?}", key()), "Key(secret)");
}

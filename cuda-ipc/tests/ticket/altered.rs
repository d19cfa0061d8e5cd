//! Tickets that changed in transit are refused.

use cuda_ipc::ticket::{Ticket, TicketError};
use rstest::rstest;

use crate::golden::{LEGACY_MEMORY, SEALED, UNSEALED};
use crate::rewritten;

/// The length of a head and a checksum, with nothing between them.
const SHORTEST: usize = 20;

/// Returns copies of the bytes, each with another bit flipped, and the index of that bit.
pub(crate) fn flipped(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    (0..bytes.len() * 8).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    })
}

#[test]
fn every_flipped_bit_is_refused() {
    for ticket in UNSEALED.into_iter().chain([SEALED]) {
        for (bit, bytes) in flipped(ticket) {
            let error = Ticket::from_bytes(&bytes).unwrap_err();
            let expected = match bit / 8 {
                0..8 => matches!(error, TicketError::NoTicket),
                8..10 => matches!(error, TicketError::OtherVersion { .. }),
                12..16 => matches!(
                    error,
                    TicketError::Truncated { .. } | TicketError::TrailingBytes { .. } | TicketError::WrongLength
                ),
                _ => matches!(error, TicketError::Checksum { .. }),
            };
            assert!(expected, "bit {bit} of {} bytes: {error}", bytes.len());
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    for ticket in UNSEALED {
        for present in 0..ticket.len() {
            let error = Ticket::from_bytes(&ticket[..present]).unwrap_err();
            assert!(matches!(error, TicketError::Truncated { present: stated, .. } if stated == present), "{error}");
        }
    }
}

#[test]
fn every_extension_is_refused() {
    for ticket in UNSEALED {
        for more in 1..=64 {
            let bytes = [ticket, &vec![0; more]].concat();
            let error = Ticket::from_bytes(&bytes).unwrap_err();
            assert!(
                matches!(error, TicketError::TrailingBytes { length, .. } if length == ticket.len()),
                "{more}: {error}"
            );
        }
    }
}

/// The length in the head and the checksum are right, but the contents need another length.
#[rstest]
fn contents_of_another_length_are_refused(#[values(false, true)] longer: bool) {
    for ticket in UNSEALED {
        for change in 1..=ticket.len() - SHORTEST {
            let bytes = rewritten(ticket, |bytes| {
                let length = if longer { bytes.len() + change } else { bytes.len() - change };
                bytes.resize(length, 0);
            });
            assert_eq!(Ticket::from_bytes(&bytes), Err(TicketError::WrongLength), "{change}");
        }
    }
}

#[rstest]
fn no_ticket_has_such_a_length(#[values(0, SHORTEST as u32 - 1, Ticket::MAX_LENGTH as u32 + 1, u32::MAX)] length: u32) {
    let mut bytes = LEGACY_MEMORY.to_vec();
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    assert_eq!(Ticket::from_bytes(&bytes), Err(TicketError::WrongLength));
}

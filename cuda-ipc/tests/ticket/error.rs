//! What the messages say of bytes that are no ticket: what is wrong, and what to do.

use cuda_ipc::ticket::Ticket;
use rstest::rstest;

use crate::golden::{BY_DESCRIPTOR, LEGACY_MEMORY, SEALED};
use crate::rewritten;

fn replaced(ticket: &[u8], at: usize, field: &[u8]) -> Vec<u8> {
    rewritten(ticket, |bytes| bytes[at..at + field.len()].copy_from_slice(field))
}

#[rstest]
#[case::nothing(
    Vec::new(),
    "0 bytes of a ticket that has 20 or more: receive the whole message, for which a buffer of Ticket::MAX_LENGTH is \
     enough"
)]
#[case::cut(LEGACY_MEMORY[..100].to_vec(),
    "100 bytes of a ticket that has 176 or more: receive the whole message, for which a buffer of Ticket::MAX_LENGTH \
     is enough")]
#[case::two_tickets(LEGACY_MEMORY.repeat(2), "352 bytes, where the ticket ends after 176: pass the bytes of one ticket only")]
#[case::something_else(b"{\"handle\": 7}".to_vec(), "no ticket: the bytes begin otherwise; is this the right message?")]
#[case::newer(replaced(LEGACY_MEMORY, 8, &[2]),
    "a ticket of format version 2, where this release of cuda-ipc reads version 1: use one release in both processes")]
#[case::altered({
        let mut bytes = LEGACY_MEMORY.to_vec();
        bytes[130] ^= 0x40;
        bytes
    },
    "the ticket's checksum is 469bb706 and should be 0a4212be: the bytes were altered, send them again")]
#[case::reserved_bits(replaced(LEGACY_MEMORY, 10, &[0x04, 0x80]),
    "the ticket has flags 0x8004, of which format version 1 knows only 0x0001: it was not written by cuda-ipc")]
#[case::length(rewritten(LEGACY_MEMORY, |bytes| bytes.push(0)),
    "the ticket's contents do not have the length that it states: it was not written by cuda-ipc")]
#[case::sealed(SEALED.to_vec(),
    "the ticket is sealed: read it with Ticket::from_sealed_bytes (feature `mac`) and the exporter's key")]
#[case::kind(replaced(LEGACY_MEMORY, 104, &[8]),
    "the ticket's handle is of kind 8, which there is not: it was not written by cuda-ipc")]
#[case::access(replaced(BY_DESCRIPTOR, 116, &[2]),
    "the ticket asks for access 2, which is neither 1 (read) nor 3 (read and write): share the memory for one of them")]
fn messages(#[case] bytes: Vec<u8>, #[case] message: &str) {
    assert_eq!(Ticket::from_bytes(&bytes).unwrap_err().to_string(), message);
}

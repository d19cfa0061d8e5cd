//! The messages for bytes that are not a ticket say what is wrong and what to do.

use cuda_ipc::ticket::Ticket;
use rstest::rstest;

use crate::golden::{BY_DESCRIPTOR, LEGACY_MEMORY, SEALED, VERSION_1};
use crate::rewritten;

fn replaced(ticket: &[u8], at: usize, field: &[u8]) -> Vec<u8> {
    rewritten(ticket, |bytes| bytes[at..at + field.len()].copy_from_slice(field))
}

#[rstest]
#[case::nothing(
    Vec::new(),
    "the ticket is truncated: 0 of at least 20 bytes: receive the whole message; a buffer of Ticket::MAX_LENGTH bytes \
     is always large enough"
)]
#[case::cut(LEGACY_MEMORY[..100].to_vec(),
    "the ticket is truncated: 100 of at least 192 bytes: receive the whole message; a buffer of Ticket::MAX_LENGTH \
     bytes is always large enough")]
#[case::two_tickets(LEGACY_MEMORY.repeat(2),
    "the ticket ends after 192 of 384 bytes: pass the bytes of one ticket only, or receive the message beside it with \
     Parcel::receive_with")]
#[case::something_else(b"{\"handle\": 7}".to_vec(),
    "not a ticket, because the bytes do not begin with CUDA-IPC: receive in the order in which the other process sends")]
#[case::older(VERSION_1.to_vec(),
    "the ticket has format version 1, which an older release of cuda-ipc wrote; this release reads version 2: update \
     cuda-ipc in the exporter")]
#[case::newer(replaced(LEGACY_MEMORY, 8, &[3]),
    "the ticket has format version 3, which a newer release of cuda-ipc wrote; this release reads version 2: update \
     cuda-ipc in this program")]
#[case::altered({
        let mut bytes = LEGACY_MEMORY.to_vec();
        bytes[146] ^= 0x40;
        bytes
    },
    "the ticket's checksum does not match (stated 0b8d45d9, computed 4754e061): the bytes were altered, send them \
     again")]
#[case::reserved_bits(replaced(LEGACY_MEMORY, 10, &[0x04, 0x80]),
    "the ticket has flags 0x8004, but format version 2 defines only 0x0001: it was not written by cuda-ipc")]
#[case::length(rewritten(LEGACY_MEMORY, |bytes| bytes.push(0)),
    "the ticket's contents do not have the length it states: it was not written by cuda-ipc")]
#[case::sealed(SEALED.to_vec(),
    "the ticket is sealed: read it with Ticket::from_sealed_bytes (feature `mac`) and the exporter's key")]
#[case::kind(replaced(LEGACY_MEMORY, 120, &[8]),
    "the ticket has unknown handle kind 8: it was not written by cuda-ipc")]
#[case::access(replaced(BY_DESCRIPTOR, 132, &[2]),
    "the ticket has unknown access 2; expected 1 (read) or 3 (read and write): share the memory with one of these")]
fn messages(#[case] bytes: Vec<u8>, #[case] message: &str) {
    assert_eq!(Ticket::from_bytes(&bytes).unwrap_err().to_string(), message);
}

//! Any bytes are either refused or the only encoding of a ticket. Most of the tests give the bytes a valid checksum,
//! because an attacker can compute it.

use cuda_ipc::ticket::Ticket;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::golden::UNSEALED;
use crate::{generate, rewritten};

/// The offset of the handle's kind.
const KIND: usize = 120;

fn refused_or_canonical(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(ticket) = Ticket::from_bytes(bytes) {
        prop_assert_eq!(ticket.to_bytes(), bytes);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..400)) {
        refused_or_canonical(&bytes)?;
    }

    #[test]
    fn any_bytes_with_head_and_checksum(body in vec(any::<u8>(), 0..400)) {
        refused_or_canonical(&rewritten(UNSEALED[0], |bytes| bytes.splice(16.., body).for_each(drop)))?;
    }

    #[test]
    fn any_bytes_as_a_handle_of_any_kind(kind in 0_u32..10, handle in vec(any::<u8>(), 0..200)) {
        refused_or_canonical(&rewritten(UNSEALED[0], |bytes| {
            bytes.truncate(KIND);
            bytes.extend(kind.to_le_bytes());
            bytes.extend(handle);
        }))?;
    }

    #[test]
    fn tickets_with_some_bytes_replaced(
        ticket in generate::ticket(),
        changes in vec((any::<Index>(), prop_oneof![Just(0), Just(0xFF), any::<u8>()]), 1..5),
    ) {
        refused_or_canonical(&rewritten(&ticket.to_bytes(), |bytes| {
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }))?;
    }

    /// Fields without a rule are read unchanged, so the checks above do reach tickets that this crate did not write.
    #[test]
    fn any_exporter_device_and_driver(fields in any::<[[u8; 24]; 3]>()) {
        let bytes = rewritten(UNSEALED[0], |bytes| bytes[16..88].copy_from_slice(fields.as_flattened()));
        prop_assert_eq!(Ticket::from_bytes(&bytes).map(|ticket| ticket.to_bytes()), Ok(bytes));
    }
}

//! Tickets are read as they were written.

use cuda_ipc::ticket::{Chunk, Chunks, Contents, Handle, MAX_CHUNKS, PhysicalMemory, Ticket, TicketError};
use cuda_ipc::vmm::{Access, FabricHandle};
use proptest::prelude::*;

use crate::{contents, counting_from, generate};

proptest! {
    #[test]
    fn every_ticket_comes_back(ticket in generate::ticket()) {
        let bytes = ticket.to_bytes();
        prop_assert!(bytes.len() <= Ticket::MAX_LENGTH);
        prop_assert_eq!(Ticket::from_bytes(&bytes), Ok(ticket));
    }
}

pub(crate) fn with_chunks(count: usize) -> Result<Ticket, TicketError> {
    let chunk = Chunk { size: 2 << 20, handle: FabricHandle::from_bytes(counting_from(1)) };
    let memory =
        PhysicalMemory { granularity: 2 << 20, access: Access::Read, chunks: Chunks::Fabric(vec![chunk; count]) };
    Ticket::new(Contents { size: (count as u64) << 21, ..contents(Handle::PhysicalMemory(memory)) })
}

#[test]
fn the_longest_ticket_comes_back() {
    let ticket = with_chunks(MAX_CHUNKS).unwrap();
    let bytes = ticket.to_bytes();
    assert_eq!(bytes.len() + 32, Ticket::MAX_LENGTH, "a seal adds 32 bytes");
    assert_eq!(Ticket::from_bytes(&bytes), Ok(ticket));
    let error = with_chunks(MAX_CHUNKS + 1).unwrap_err();
    assert_eq!(error.to_string(), "the ticket has 4097 chunks: 1 to 4096 can be shared with one ticket");
}

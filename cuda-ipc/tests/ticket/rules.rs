//! The rules for contents apply both when a ticket is made and when one is read.

use cuda_ipc::ticket::{Chunk, Chunks, Contents, Handle, MAX_CHUNKS, PhysicalMemory, Ticket, TicketError};
use rstest::rstest;

use crate::golden::{BY_DESCRIPTOR, BY_FABRIC, EVENT, LEGACY_MEMORY, by_descriptor, event, legacy_memory};
use crate::rewritten;

// The offsets of the fields in the layout.
const GENERATION: usize = 88;
const SIZE: usize = 96;
const OFFSET: usize = 104;
const LENGTH: usize = 112;
const GRANULARITY: usize = 124;
const CHUNK_COUNT: usize = 136;
const FIRST_SIZE: usize = 140;
const SECOND_SIZE: usize = 150;
const THIRD_DESCRIPTOR: usize = 168;

/// Checks that a golden ticket with changed fields is refused, and so are contents with the same change.
fn assert_refused<const N: usize>(ticket: &[u8], fields: &[(usize, [u8; N])], contents: Contents, message: &str) {
    let bytes = rewritten(ticket, |bytes| {
        fields.iter().for_each(|(at, field)| bytes[*at..at + N].copy_from_slice(field));
    });
    assert_eq!(Ticket::from_bytes(&bytes).unwrap_err().to_string(), message);
    assert_eq!(Ticket::new(contents).unwrap_err().to_string(), message);
}

#[rstest]
#[case::length(LENGTH, 0, Contents { length: 0, ..legacy_memory() },
    "the ticket shares 0 bytes: give the length of the part to share")]
#[case::past_the_end(LENGTH, (6 << 20) - 4095, Contents { length: (6 << 20) - 4095, ..legacy_memory() },
    "the ticket shares 6287361 bytes at offset 4096, which are not within the allocation of 6291456 bytes: count \
     the offset from the base that cuMemGetAddressRange returns")]
#[case::behind_the_end(OFFSET, 7 << 20, Contents { offset: 7 << 20, ..legacy_memory() },
    "the ticket shares 144470 bytes at offset 7340032, which are not within the allocation of 6291456 bytes: count \
     the offset from the base that cuMemGetAddressRange returns")]
#[case::overflow(OFFSET, u64::MAX, Contents { offset: u64::MAX, ..legacy_memory() },
    "the ticket shares 144470 bytes at offset 18446744073709551615, which are not within the allocation of 6291456 \
     bytes: count the offset from the base that cuMemGetAddressRange returns")]
#[case::no_allocation(SIZE, 0, Contents { size: 0, ..legacy_memory() },
    "the ticket shares 144470 bytes at offset 4096, which are not within the allocation of 0 bytes: count \
     the offset from the base that cuMemGetAddressRange returns")]
fn a_part_lies_within_its_allocation(
    #[case] at: usize,
    #[case] field: u64,
    #[case] contents: Contents,
    #[case] message: &str,
) {
    assert_refused(LEGACY_MEMORY, &[(at, field.to_le_bytes())], contents, message);
}

#[test]
fn a_part_may_be_the_whole_or_the_last_byte() {
    let size = 6 << 20;
    for (offset, length) in [(0, size), (size - 1, 1)] {
        let ticket = Ticket::new(Contents { offset, length, ..legacy_memory() }).unwrap();
        assert_eq!(Ticket::from_bytes(&ticket.to_bytes()), Ok(ticket));
    }
}

#[rstest]
#[case::generation(GENERATION, Contents { generation: 1, ..event() })]
#[case::size(SIZE, Contents { size: 1, ..event() })]
#[case::offset(OFFSET, Contents { offset: 1, ..event() })]
#[case::length(LENGTH, Contents { length: 1, ..event() })]
fn an_event_has_no_memory(#[case] at: usize, #[case] contents: Contents) {
    let message = "the ticket of an event has a generation, size, offset or length: an event has no memory, so set all \
                   four to 0";
    assert_refused(EVENT, &[(at, [1])], contents, message);
}

/// Returns the golden contents of physical memory after a change.
fn changed(change: impl FnOnce(&mut PhysicalMemory)) -> Contents {
    let mut contents = by_descriptor();
    let Handle::PhysicalMemory(memory) = &mut contents.handle else { unreachable!("it is physical memory") };
    change(memory);
    contents
}

fn granularity(granularity: u64) -> Contents {
    changed(|memory| memory.granularity = granularity)
}

fn chunk_sizes(sizes: [u64; 2]) -> Contents {
    changed(|memory| {
        let Chunks::Descriptors(chunks) = &mut memory.chunks else { unreachable!("they are descriptors") };
        chunks.iter_mut().zip(sizes).for_each(|(chunk, size)| chunk.size = size);
    })
}

#[rstest]
#[case::no_granularity(
    GRANULARITY,
    0,
    granularity(0),
    "the ticket's granularity 0 is not a power of two: use the granularity that cuMemGetAllocationGranularity returns"
)]
#[case::odd_granularity(GRANULARITY, 3 << 19, granularity(3 << 19),
    "the ticket's granularity 1572864 is not a power of two: use the granularity that \
     cuMemGetAllocationGranularity returns")]
#[case::empty_chunk(SECOND_SIZE, 0, chunk_sizes([4 << 20, 0]),
    "the ticket's chunk 1 has 0 bytes; expected a nonzero multiple of 2097152: give the size that was passed to \
     cuMemCreate")]
#[case::odd_chunk(FIRST_SIZE, (4 << 20) + 4096, chunk_sizes([(4 << 20) + 4096, 2 << 20]),
    "the ticket's chunk 0 has 4198400 bytes; expected a nonzero multiple of 2097152: give the size that was passed to \
     cuMemCreate")]
#[case::more_than_the_allocation(SECOND_SIZE, 4 << 20, chunk_sizes([4 << 20, 4 << 20]),
    "the ticket's chunks have 8388608 bytes, but the allocation has 6291456: list each of its chunks once")]
#[case::less_than_the_allocation(FIRST_SIZE, 2 << 20, chunk_sizes([2 << 20, 2 << 20]),
    "the ticket's chunks have 4194304 bytes, but the allocation has 6291456: list each of its chunks once")]
fn chunks_make_up_the_allocation(
    #[case] at: usize,
    #[case] field: u64,
    #[case] contents: Contents,
    #[case] message: &str,
) {
    assert_refused(BY_DESCRIPTOR, &[(at, field.to_le_bytes())], contents, message);
}

/// In 64 bits, the sum of the chunks would overflow to the allocation's size.
#[test]
fn chunks_do_not_overflow() {
    let (first, second) = (1 << 63, (1 << 63) + (6 << 20));
    let fields = [(FIRST_SIZE, u64::to_le_bytes(first)), (SECOND_SIZE, u64::to_le_bytes(second))];
    let message = "the ticket's chunks have 18446744073715843072 bytes, but the allocation has 6291456: list each of \
                   its chunks once";
    assert_refused(BY_DESCRIPTOR, &fields, chunk_sizes([first, second]), message);
}

/// Returns contents with three chunks of one size.
fn by_descriptors(indices: [u16; 3]) -> Contents {
    let chunks = indices.map(|handle| Chunk { size: 2 << 20, handle });
    changed(|memory| memory.chunks = Chunks::Descriptors(chunks.to_vec()))
}

#[test]
fn chunks_have_descriptors_of_their_own() {
    let ticket = Ticket::new(by_descriptors([258, 0, 3])).unwrap().to_bytes();
    let message = "two chunks of the ticket name descriptor 258: give each chunk a descriptor of its own";
    assert_refused(&ticket, &[(THIRD_DESCRIPTOR, 258_u16.to_le_bytes())], by_descriptors([258, 0, 258]), message);
}

#[test]
fn there_are_chunks() {
    let contents = changed(|memory| memory.chunks = Chunks::Descriptors(Vec::new()));
    let message = "the ticket has 0 chunks: 1 to 4096 can be shared with one ticket";
    assert_refused(BY_DESCRIPTOR, &[(CHUNK_COUNT, [0; 4])], contents, message);
}

/// The ticket is refused if its number of chunks does not agree with its number of bytes.
#[rstest]
#[case::fewer(1)]
#[case::more(3)]
#[case::most(MAX_CHUNKS as u32)]
fn the_number_of_chunks_is_that_of_the_bytes(#[case] count: u32) {
    let bytes = rewritten(BY_DESCRIPTOR, |bytes| bytes[CHUNK_COUNT..][..4].copy_from_slice(&count.to_le_bytes()));
    assert_eq!(Ticket::from_bytes(&bytes), Err(TicketError::WrongLength));
}

#[rstest]
fn nobody_sends_so_many_chunks(#[values(MAX_CHUNKS as u32 + 1, u32::MAX)] count: u32) {
    let bytes = rewritten(BY_FABRIC, |bytes| bytes[CHUNK_COUNT..][..4].copy_from_slice(&count.to_le_bytes()));
    let error = Ticket::from_bytes(&bytes).unwrap_err();
    assert_eq!(error.to_string(), format!("the ticket has {count} chunks: 1 to 4096 can be shared with one ticket"));
}

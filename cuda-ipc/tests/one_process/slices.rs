//! Typed views and parts of device memory.

use std::ops::Bound;

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use cuda_ipc::{DeviceBuffer, Error};

use crate::common::context;

const SIZE: usize = 67;

fn buffer() -> DeviceBuffer {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    buffer.write(0, &std::array::from_fn::<u8, SIZE, _>(|place| place as u8)).unwrap();
    buffer
}

fn read<const N: usize>(slice: cuda_ipc::memory::DeviceSlice<'_, u8>) -> [u8; N] {
    let mut bytes = [0; N];
    slice.read(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_slice_counts_values() {
    let buffer = buffer();
    let words = buffer.slice::<u32>(2..4).unwrap();
    assert_eq!((words.len(), words.pointer()), (2, buffer.pointer() + 8));
    let mut values = [0_u32; 2];
    words.read(&mut values).unwrap();
    assert_eq!(values.map(u32::to_le_bytes), [[8, 9, 10, 11], [12, 13, 14, 15]]);
    words.write(&[u32::MAX, 0]).unwrap();
    assert_eq!(read::<10>(buffer.slice(7..17).unwrap()), [7, 255, 255, 255, 255, 0, 0, 0, 0, 16]);
    // 67 bytes hold 16 whole words.
    let all = buffer.slice::<u32>(..).unwrap();
    assert_eq!((all.len(), buffer.slice::<u32>(16..).unwrap().len()), (16, 0));
    let (front, back) = all.split_at(15).unwrap();
    assert_eq!((front.len(), back.len(), back.pointer()), (15, 1, buffer.pointer() + 60));
    assert_eq!(all.value(15).unwrap().pointer(), back.pointer());
    assert!(front.part(15..).unwrap().is_empty());
}

#[test]
fn a_slice_does_not_leave_its_memory() {
    let buffer = buffer();
    let out = |result: Result<_, Error>| matches!(result, Err(Error::OutOfBounds { .. }));
    let words = |range: (Bound<usize>, Bound<usize>)| buffer.slice::<u32>(range).map(|slice| slice.len());
    use Bound::{Excluded, Included, Unbounded};
    assert!(out(words((Included(16), Excluded(17)))));
    assert!(out(words((Included(17), Unbounded))));
    assert!(out(words((Included(usize::MAX), Unbounded))));
    assert!(out(words((Unbounded, Included(usize::MAX)))));
    assert!(out(words((Excluded(usize::MAX), Unbounded))));
    assert!(out(words((Included(1 << 62), Excluded((1 << 62) + 1)))), "the offset in bytes overflows");
    assert_eq!(words((Excluded(14), Included(15))).unwrap(), 1);
    let reversed = words((Included(5), Excluded(2)));
    assert!(matches!(reversed, Err(Error::ReversedRange { start: 5, end: 2, .. })), "{reversed:?}");
    // A part of a slice does not reach the rest of the memory.
    let part = buffer.slice::<u32>(4..8).unwrap();
    assert!(out(part.part(3..5).map(|slice| slice.len())));
    assert!(out(part.value(4).map(|slice| slice.len())));
    // The bytes of one value, also if the range has no end that is a number.
    for index in [4, usize::MAX / 4, usize::MAX] {
        let error = part.value(index).unwrap_err();
        assert!(matches!(error, Error::OutOfBounds { length: 4, size: 16, .. }), "{index}: {error}");
    }
    assert!(out(part.split_at(5).map(|(slice, _)| slice.len())));
    assert_eq!(part.part(1..3).unwrap().pointer(), buffer.pointer() + 20);
}

#[test]
fn lengths_on_both_sides_are_equal() {
    let buffer = buffer();
    let words = buffer.slice::<u32>(..3).unwrap();
    let short = words.read(&mut [0; 2]);
    assert!(matches!(short, Err(Error::Length { found: 3, expected: 2, .. })), "{short:?}");
    let long = words.write(&[0; 4]);
    assert!(matches!(long, Err(Error::Length { found: 3, expected: 4, .. })), "{long:?}");
    assert_eq!(read::<2>(buffer.slice(..2).unwrap()), [0, 1], "nothing was written");
}

#[test]
fn a_part_is_memory_of_its_own() {
    let buffer = buffer();
    let part = buffer.part(8..20).unwrap();
    assert_eq!((part.size(), part.pointer()), (12, buffer.pointer() + 8));
    part.fill(0xff).unwrap();
    part.write(1, &[1_u8]).unwrap();
    assert_eq!(read::<14>(buffer.slice(7..21).unwrap())[..4], [7, 255, 1, 255]);
    assert_eq!(read::<14>(buffer.slice(7..21).unwrap())[12..], [255, 20]);
    assert!(matches!(part.write(9, &[0_u32]), Err(Error::OutOfBounds { offset: 9, length: 4, size: 12, .. })));
    assert!(matches!(buffer.part(60..68), Err(Error::OutOfBounds { .. })));
    let reversed = std::ops::Range { start: 2, end: 1 };
    assert!(matches!(buffer.part(reversed), Err(Error::ReversedRange { .. })));
    // A slice of a part outlives the part.
    let words = {
        let part = buffer.part(16..).unwrap();
        part.slice::<u32>(1..3).unwrap()
    };
    assert_eq!((words.pointer(), words.len(), words.memory().pointer()), (buffer.pointer() + 20, 2, buffer.pointer()));
    let misaligned = buffer.part(2..).unwrap().slice::<u32>(..).map(|slice| slice.len());
    assert!(matches!(misaligned, Err(Error::Misaligned { alignment: 4, .. })), "{misaligned:?}");
    assert_eq!(buffer.part(2..).unwrap().slice::<[u8; 4]>(..).unwrap().len(), 16);
}

/// Any bytes are a value of it, but it has padding, so it can be read only.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Padded(u8, u16);

// SAFETY: any bytes are a `u8` and a `u16`.
unsafe impl Zeroable for Padded {}
// SAFETY: as above.
unsafe impl AnyBitPattern for Padded {}

/// It has no padding, but not every byte is a value of it, so it can be written only.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Answer {
    No = 3,
    Yes = 9,
}

// SAFETY: it is one byte.
unsafe impl NoUninit for Answer {}

#[test]
fn each_direction_asks_only_for_what_it_needs() {
    let buffer = buffer();
    let mut padded = [Padded(0, 0); 2];
    buffer.read(4, &mut padded).unwrap();
    assert_eq!(padded, [Padded(4, 0x0706), Padded(8, 0x0b0a)]);
    buffer.slice(..1).unwrap().read(&mut padded[..1]).unwrap();
    assert_eq!(padded[0], Padded(0, 0x0302));
    assert_eq!(*buffer.snapshot::<Padded>(1..2).unwrap(), [Padded(4, 0x0706)]);
    buffer.write(0, &[Answer::Yes, Answer::No]).unwrap();
    buffer.slice(2..3).unwrap().write(&[Answer::Yes]).unwrap();
    drop(buffer.slice(3..4).unwrap().mirror_with(vec![Answer::No]).unwrap());
    assert_eq!(read::<5>(buffer.slice(..5).unwrap()), [9, 3, 9, 3, 4]);
}

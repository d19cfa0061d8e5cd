//! Mirrors: copies on the host, and when they are written back.

use cuda_ipc::{DeviceBuffer, Error};
use rstest::rstest;

use crate::common::context;

const SIZE: usize = 64;

fn buffer() -> DeviceBuffer {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    buffer.fill(1).unwrap();
    buffer
}

fn bytes(buffer: &DeviceBuffer) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    buffer.read(0, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_was_changed_is_written_back_by_dropping() {
    let buffer = buffer();
    let mut mirror = buffer.mirror::<u32>(8..16).unwrap();
    assert_eq!(*mirror, [0x0101_0101; 2]);
    mirror[1] = u32::MAX;
    assert_eq!(bytes(&buffer), [1; SIZE]);
    drop(mirror);
    let bytes = bytes(&buffer);
    assert!(bytes[12..16] == [255; 4] && bytes[..12] == [1; 12] && bytes[16..] == [1; SIZE - 16]);
}

#[test]
fn what_was_only_read_writes_nothing() {
    let buffer = buffer();
    let mirror = buffer.mirror::<u8>(0..SIZE).unwrap();
    // The memory changes while the mirror is open.
    buffer.fill(2).unwrap();
    assert_eq!(*mirror, [1; SIZE]);
    drop(mirror);
    assert_eq!(bytes(&buffer), [2; SIZE]);
}

#[test]
fn a_flush_writes_once_and_the_mirror_goes_on() {
    let buffer = buffer();
    let mut mirror = buffer.mirror::<u8>(0..SIZE).unwrap();
    mirror.fill(3);
    mirror.flush().unwrap();
    assert_eq!(bytes(&buffer), [3; SIZE]);
    buffer.fill(4).unwrap();
    mirror.flush().unwrap();
    assert_eq!(bytes(&buffer), [4; SIZE], "the mirror did not change after the first flush");
    mirror[0] = 9;
    mirror.refresh().unwrap();
    assert_eq!(*mirror, [4; SIZE]);
    drop(mirror);
    assert_eq!(bytes(&buffer), [4; SIZE], "`refresh` discarded the change");
}

#[test]
fn values_that_are_taken_are_not_written_back() {
    let buffer = buffer();
    let mut mirror = buffer.mirror::<u8>(0..2).unwrap();
    mirror[0] = 7;
    assert_eq!(mirror.into_values(), [7, 1]);
    assert_eq!(bytes(&buffer), [1; SIZE]);
}

#[rstest]
#[case::beyond_the_end(60..68)]
#[case::no_whole_number(0..6)]
#[case::far_away(usize::MAX - 3..usize::MAX)]
fn a_mirror_lies_within_the_memory_and_holds_whole_values(#[case] range: std::ops::Range<usize>) {
    assert!(matches!(buffer().mirror::<u32>(range), Err(Error::OutOfBounds { size: SIZE, .. })));
    assert!(matches!(buffer().mirror::<()>(0..0), Err(Error::OutOfBounds { .. })));
}

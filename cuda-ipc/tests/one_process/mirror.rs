//! Mirrors and snapshots: copies on the host, and when they are written back.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{DeviceBuffer, Error};
use rstest::rstest;

use crate::common::{context, device};

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
    let mut mirror = buffer.mirror::<u32>(2..4).unwrap();
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
#[case::beyond_the_end(15..17)]
#[case::far_away(usize::MAX - 3..usize::MAX)]
fn a_mirror_lies_within_the_memory(#[case] range: std::ops::Range<usize>) {
    assert!(matches!(buffer().mirror::<u32>(range), Err(Error::OutOfBounds { size: SIZE, .. })));
}

#[test]
fn a_mirror_that_a_panic_drops_writes_nothing() {
    let buffer = buffer();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut mirror = buffer.mirror::<u8>(..).unwrap();
        mirror[0] = 7;
        resume_unwind(Box::new("half-way"));
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"half-way"));
    assert_eq!(bytes(&buffer), [1; SIZE]);
}

/// A panic changes nothing half-way in a mirror that is made after it.
#[test]
fn a_mirror_that_is_made_while_a_panic_unwinds_is_written_back() {
    struct Marks<'a>(&'a DeviceBuffer);

    impl Drop for Marks<'_> {
        fn drop(&mut self) {
            self.0.mirror::<u8>(..1).unwrap()[0] = 7;
        }
    }

    let buffer = buffer();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _marks = Marks(&buffer);
        resume_unwind(Box::new("half-way"));
    }));
    assert!(panicked.is_err());
    assert_eq!(bytes(&buffer)[..2], [7, 1]);
}

#[test]
fn a_mirror_with_given_values_reads_nothing_and_writes_them() {
    let buffer = buffer();
    let values = buffer.slice::<u16>(4..8).unwrap();
    drop(values.mirror_with(vec![0x0202_u16; 4]).unwrap());
    let written = bytes(&buffer);
    assert!(written[8..16] == [2; 8] && written[..8] == [1; 8] && written[16..] == [1; SIZE - 16]);
    let mut mirror = values.mirror_with(vec![3_u16; 4]).unwrap();
    mirror.discard();
    drop(mirror);
    assert_eq!(bytes(&buffer), written, "the values were discarded");
    let short = values.mirror_with(vec![0_u16; 3]);
    assert!(matches!(short, Err(Error::Length { found: 4, expected: 3, .. })), "{short:?}");
}

#[test]
fn a_mirror_lies_in_the_host_memory_that_it_is_given() {
    let buffer = buffer();
    let mut host = [0_u8; 4];
    let mut mirror = buffer.slice(..4).unwrap().mirror_in(&mut host[..]).unwrap();
    assert_eq!(*mirror, [1; 4]);
    mirror[3] = 5;
    drop(mirror);
    assert_eq!(host, [1, 1, 1, 5]);
    assert_eq!(bytes(&buffer)[..5], [1, 1, 1, 5, 1]);
}

#[test]
fn a_snapshot_of_memory_that_can_only_be_read() {
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.fill(4).unwrap();
    mapping.set_access(device(), Access::Read).unwrap();
    let mut snapshot = mapping.snapshot::<u32>(1..3).unwrap();
    assert_eq!(*snapshot, [0x0404_0404; 2]);
    // A mirror is refused when it is made, not when it is written back.
    let mirror = mapping.mirror::<u8>(..4);
    assert!(
        matches!(mirror, Err(Error::NoAccess { found: Access::Read, wanted: Access::ReadWrite, .. })),
        "{mirror:?}"
    );
    assert!(mapping.slice(..4).unwrap().mirror_with(vec![0_u8; 4]).is_err());
    mapping.set_access(device(), Access::ReadWrite).unwrap();
    mapping.fill(6).unwrap();
    assert_eq!(*snapshot, [0x0404_0404; 2]);
    snapshot.refresh().unwrap();
    assert_eq!(snapshot.into_values(), [0x0606_0606; 2]);
    drop(mapping.mirror::<u8>(..4).unwrap());
}

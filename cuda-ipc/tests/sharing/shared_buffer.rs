//! Shared buffers: any size, no `unsafe`, and memory that outlives its owner.

use std::ops::Range;

use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::Access;
use cuda_ipc::{Context, Error, ImportedMemory, Parcel, SharedBuffer};
use rstest::rstest;

use crate::common::{context, device};
use crate::contents;
use crate::peer::{Peer, roles, say, wait_for_the_end};

/// Neither a multiple of the granularity nor of a page.
const ODD: usize = (4 << 20) + 12_345;

fn bytes(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index as u8).wrapping_mul(37) ^ (index >> 8) as u8).collect()
}

#[rstest]
#[case::one_byte(1)]
#[case::odd(ODD)]
#[case::whole(2 << 20)]
fn an_importer_sees_every_byte_and_no_more(#[case] size: usize) {
    let buffer = SharedBuffer::new(&context(), size).unwrap();
    assert_eq!(buffer.size(), size);
    buffer.write(0, &bytes(size)).unwrap();
    buffer.write(size, &[0_u8]).unwrap_err();
    let mut importer = Peer::start(module_path!(), "role_reads_and_writes");
    buffer.share().unwrap().send(&importer.connection).unwrap();
    assert_eq!(importer.process.hear(), size.to_string());
    importer.finish();
    // The importer wrote the last byte.
    assert_eq!(contents(&buffer).last(), Some(&!bytes(size)[size - 1]));
    buffer.free().unwrap();
}

#[test]
fn an_importer_that_was_to_read_does_not_write() {
    let buffer = SharedBuffer::new(&context(), ODD).unwrap();
    buffer.fill(5).unwrap();
    let importer = Peer::start(module_path!(), "role_only_reads");
    buffer.share_for_reading().unwrap().send(&importer.connection).unwrap();
    importer.finish();
    assert!(contents(&buffer).iter().all(|byte| *byte == 5));
}

#[test]
fn an_importer_of_a_part_sees_that_part() {
    const FIRST: usize = 1000;
    let buffer = SharedBuffer::new(&context(), ODD).unwrap();
    buffer.write(0, &bytes(ODD)).unwrap();
    let importer = Peer::start(module_path!(), "role_sees_a_part");
    buffer.share_part(FIRST..FIRST + 3, Access::Read).unwrap().send(&importer.connection).unwrap();
    importer.finish();
    // An open range ends where the buffer ends, and not where its mapping does.
    assert_eq!(buffer.share_part(FIRST.., Access::Read).unwrap().ticket.length, (ODD - FIRST) as u64);
}

#[rstest]
#[case::the_end(ODD..ODD + 1)]
#[case::the_largest(usize::MAX..usize::MAX)]
fn a_part_beyond_the_buffer_is_refused(#[case] range: Range<usize>) {
    let buffer = SharedBuffer::new(&context(), ODD).unwrap();
    assert!(range.end > buffer.mapping().size() || buffer.mapping().share(range.clone(), Access::Read).is_ok());
    let error = buffer.share_part(range, Access::Read).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { size: ODD, .. }), "{error}");
}

#[test]
fn the_memory_outlives_a_killed_owner() {
    let mut owner = Peer::start(module_path!(), "role_owns");
    let memory = receive(&owner.connection);
    owner.process.kill();
    assert_eq!(contents(&memory), bytes(ODD));
    memory.write(0, &[9_u8]).unwrap();
    memory.close().unwrap();
}

#[test]
fn the_context_is_that_of_the_ticket() {
    let mut parcel = SharedBuffer::new(&context(), 1).unwrap().share().unwrap();
    let found = parcel.context().unwrap();
    assert_eq!(found.device(), device());
    assert_eq!(found.raw(), Context::primary(device()).unwrap().raw());
    // Another machine's device.
    parcel.ticket = elsewhere(&parcel);
    let error = parcel.context().unwrap_err();
    assert!(matches!(error, Error::DeviceNotVisible { uuid: [7, ..], .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("GPU-07070707-") && text.contains("CUDA_VISIBLE_DEVICES"), "{text}");
}

/// Receives memory and maps it in the context of its ticket.
fn receive(connection: &Connection) -> ImportedMemory {
    let _chosen = device(); // Loads the driver of the tests.
    let parcel = Parcel::receive(connection).unwrap();
    parcel.map(&parcel.context().unwrap()).unwrap()
}

/// Returns the ticket of a parcel with another device.
fn elsewhere(parcel: &Parcel) -> cuda_ipc::Ticket {
    let contents = cuda_ipc::ticket::Contents { device: [7; 16], ..(*parcel.ticket).clone() };
    cuda_ipc::Ticket::new(contents).unwrap()
}

#[rstest]
#[case::nothing(0)]
#[case::everything(usize::MAX)]
fn a_size_that_no_device_has_is_refused(#[case] size: usize) {
    let error = SharedBuffer::new(&context(), size).unwrap_err();
    assert!(error.code().is_some() && error.hint().is_some(), "{error}");
}

roles! {
    fn role_reads_and_writes(connection) {
        let memory = receive(&connection);
        let (size, seen) = (memory.size(), contents(&memory));
        assert_eq!(seen, bytes(size));
        memory.write(size, &[0_u8]).unwrap_err();
        memory.write(size - 1, &[!seen[size - 1]]).unwrap();
        say(&size.to_string());
        memory.close().unwrap();
    }

    fn role_only_reads(connection) {
        let memory = receive(&connection);
        assert_eq!(contents(&memory), [5; ODD]);
        assert!(memory.write(0, &[6_u8]).unwrap_err().code().is_some());
    }

    fn role_sees_a_part(connection) {
        let memory = receive(&connection);
        assert_eq!(contents(&memory), bytes(1003)[1000..]);
        assert!(memory.write(0, &[6_u8]).unwrap_err().code().is_some());
    }

    fn role_owns(connection) {
        let buffer = SharedBuffer::new(&context(), ODD).unwrap();
        buffer.write(0, &bytes(ODD)).unwrap();
        buffer.share().unwrap().send(&connection).unwrap();
        wait_for_the_end();
    }
}

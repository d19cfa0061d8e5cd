//! Virtual memory that is shared by descriptors, which needs no `unsafe`.

use std::ops::Range;
use std::os::fd::AsFd as _;

use cuda_ipc::vmm::{Access, Allocation, HandleTypes, ImportedAllocation, Mapping, granularity};
use cuda_ipc::{Error, Parcel};
use rstest::rstest;
use rustix::stdio::dup2_stdin;

use crate::common::{context, device, driver};
use crate::contents;
use crate::peer::{Peer, roles, say, wait_for_the_end};

const DESCRIPTORS: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;

/// Maps chunks of one, two, three, … granularities in one range.
fn mapping(chunks: usize) -> Mapping {
    let unit = granularity(device(), DESCRIPTORS).unwrap();
    let chunks: Vec<_> =
        (1..=chunks).map(|units| Allocation::new(device(), units * unit, DESCRIPTORS).unwrap()).collect();
    let physical: Vec<_> = chunks.iter().map(|chunk| &**chunk).collect();
    Mapping::new(&context(), &physical, Access::ReadWrite).unwrap()
}

#[rstest]
#[case::one_chunk(1)]
#[case::several_chunks(3)]
fn memory_outlives_its_exporters_mapping(#[case] chunks: usize) {
    let memory = mapping(chunks);
    memory.fill(1).unwrap();
    memory.write(memory.size() - 1, &[2_u8]).unwrap();
    let mut importer = Peer::start(module_path!(), "role_maps");
    let parcel = memory.share(.., Access::ReadWrite).unwrap();
    assert_eq!(parcel.descriptors.len(), chunks);
    parcel.send(&importer.connection).unwrap();
    drop(parcel);
    assert_eq!(importer.process.hear(), "mapped");
    // The importer wrote this byte.
    let mut first = [0_u8];
    memory.read(0, &mut first).unwrap();
    assert_eq!(first, [3]);
    memory.unmap().unwrap();
    importer.connection.send(b"go on", &[]).unwrap();
    importer.finish();
}

#[test]
fn memory_outlives_a_killed_exporter_and_a_parcel_that_was_not_opened_yet() {
    let mut exporter = Peer::start(module_path!(), "role_shares");
    let parcel = Parcel::receive(&exporter.connection).unwrap();
    exporter.process.kill();
    let memory = parcel.map(&context()).unwrap();
    assert!(contents(&memory).iter().all(|byte| *byte == 4));
    memory.close().unwrap();
}

#[test]
fn a_part_is_read_and_not_written() {
    let memory = mapping(2);
    memory.fill(0).unwrap();
    memory.write(1000, &[7_u8; 24]).unwrap();
    let importer = Peer::start(module_path!(), "role_only_reads");
    memory.share(1000..1024, Access::Read).unwrap().send(&importer.connection).unwrap();
    importer.finish();
}

#[test]
fn what_cannot_be_shared_says_why() {
    let memory = mapping(1);
    let size = memory.size();
    for (part, is_outside) in [(0..size + 1, true), (size..size + 1, true), (5..5, false)] {
        let error = memory.share(part.clone(), Access::Read).unwrap_err();
        assert_eq!(matches!(error, Error::OutOfBounds { .. }), is_outside, "{part:?}: {error}");
        assert_eq!(matches!(error, Error::Ticket(_)), !is_outside, "{part:?}: {error}");
    }
    let reversed = memory.share(Range { start: 2, end: 1 }, Access::Read).unwrap_err();
    assert!(matches!(reversed, Error::ReversedRange { start: 2, end: 1, .. }), "{reversed}");
    let error = memory.share(.., Access::None).unwrap_err();
    assert!(matches!(error, Error::Ticket(_)), "{error}");
    assert!(memory.share_over_fabric(.., Access::Read).unwrap_err().code().is_some());
}

/// A process that was started without a standard input receives its first descriptor as number 0.
/// A mapping has the methods that share it, whatever it maps.
#[test]
fn an_import_is_not_shared_on() {
    let size = granularity(device(), DESCRIPTORS).unwrap();
    let allocation = Allocation::new(device(), size, DESCRIPTORS).unwrap();
    let import = ImportedAllocation::import(driver(), allocation.export().unwrap().as_fd(), size).unwrap();
    let mapping = Mapping::new(&context(), &[&*allocation, &*import], Access::ReadWrite).unwrap();
    let refused = [mapping.share(.., Access::Read), mapping.share_over_fabric(.., Access::Read)];
    assert!(refused.iter().all(|refused| matches!(refused, Err(Error::NotTheOwner))), "{refused:?}");
}

#[test]
fn a_descriptor_0_is_imported() {
    let memory = mapping(1);
    memory.fill(6).unwrap();
    let importer = Peer::start(module_path!(), "role_maps_descriptor_0");
    memory.share(.., Access::ReadWrite).unwrap().send(&importer.connection).unwrap();
    importer.finish();
}

roles! {
    fn role_maps(connection) {
        let memory = Parcel::receive(&connection).unwrap().map(&context()).unwrap();
        let all = contents(&memory);
        assert!(all[..all.len() - 1].iter().all(|byte| *byte == 1) && all[all.len() - 1] == 2);
        memory.write(0, &[3_u8]).unwrap();
        say("mapped");
        connection.receive().unwrap();
        // The exporter's mapping no longer exists.
        let mut first = [0_u8];
        memory.read(0, &mut first).unwrap();
        assert_eq!(first, [3]);
        memory.close().unwrap();
    }

    fn role_maps_descriptor_0(connection) {
        let parcel = Parcel::receive(&connection).unwrap();
        // The connection may be descriptor 0, and is not needed any more.
        dup2_stdin(&parcel.descriptors[0]).unwrap();
        let size = granularity(device(), DESCRIPTORS).unwrap();
        let import = ImportedAllocation::import(driver(), std::io::stdin().as_fd(), size).unwrap();
        let memory = Mapping::new(&context(), &[&import], Access::Read).unwrap();
        assert!(contents(&memory).iter().all(|byte| *byte == 6));
    }

    fn role_shares(connection) {
        let memory = mapping(2);
        memory.fill(4).unwrap();
        memory.share(.., Access::ReadWrite).unwrap().send(&connection).unwrap();
        wait_for_the_end();
    }

    fn role_only_reads(connection) {
        let memory = Parcel::receive(&connection).unwrap().map(&context()).unwrap();
        assert_eq!(contents(&memory), [7; 24]);
        memory.write(0, &[8_u8]).unwrap_err();
        memory.read(24, &mut [0_u8]).unwrap_err();
    }
}

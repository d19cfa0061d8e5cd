//! Physical memory that processes share with fabric handles, and machines on which they cannot.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;
#[path = "common/remote.rs"]
mod remote;

use calls::*;
use cuda_ipc_sys::{CUdevice_attribute, CUresult};
use remote::Remote;

const SYSTEM_NOT_READY: CUresult = CUresult::CUDA_ERROR_SYSTEM_NOT_READY;
const CHANNEL: [(&str, &str); 1] = [("REFERENCE_DRIVER_FABRIC", "channel")];

#[test]
#[ignore = "started by other tests, as another process"]
fn remote() {
    remote::perform();
}

fn on(fabric: &str) -> Remote {
    Remote::new(&[("REFERENCE_DRIVER_FABRIC", fabric)])
}

fn has_fabric(peer: &mut Remote) -> u64 {
    peer.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED).unwrap()
}

#[test]
fn without_fabric_the_wish_is_accepted_and_the_export_refused() {
    let mut peer = on("absent");
    assert_eq!(has_fabric(&mut peer), 0);
    let made = peer.create(GRANULE, DESCRIPTOR | FABRIC).unwrap();
    assert_eq!(peer.export_fabric(made), Err(INVALID_VALUE));
    assert!(peer.export_descriptor(made).is_ok());
    assert_eq!(peer.import_fabric([3; 64]), Err(NOT_SUPPORTED));
}

/// The state of an H200, and the default if the environment does not name a state of the fabric.
#[test]
fn without_a_channel_nothing_is_permitted() {
    for mut peer in [on("no-channel"), Remote::new(&[])] {
        assert_eq!(has_fabric(&mut peer), 1);
        assert_eq!(peer.create(GRANULE, FABRIC), Err(NOT_PERMITTED));
        assert_eq!(peer.create(GRANULE, DESCRIPTOR | FABRIC), Err(NOT_PERMITTED));
        assert_eq!(peer.import_fabric([3; 64]), Err(NOT_PERMITTED));
        assert_eq!(peer.import_fabric([0; 64]), Err(NOT_SUPPORTED));
    }
}

#[test]
fn a_fabric_that_does_not_run_says_so() {
    let mut peer = on("not-ready");
    assert_eq!(has_fabric(&mut peer), 1);
    assert_eq!(peer.create(GRANULE, FABRIC), Err(SYSTEM_NOT_READY));
    assert_eq!(peer.import_fabric([3; 64]), Err(SYSTEM_NOT_READY));
    assert!(peer.create(GRANULE, DESCRIPTOR).is_ok(), "everything else works");
}

#[test]
fn with_a_channel_bytes_lead_to_the_memory() {
    let (mut exporter, mut importer) = (on("channel"), on("channel"));
    assert_eq!(has_fabric(&mut exporter), 1);
    let made = exporter.create(GRANULE, FABRIC).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    assert_eq!(exporter.export_fabric(made), Ok(bytes), "each export gives the same bytes, so they can be a key");
    assert_eq!(
        exporter.export_descriptor(made).map(|_| ()),
        Err(INVALID_VALUE),
        "the memory was not created for descriptors"
    );
    for peer in [&mut importer, &mut exporter] {
        let handle = peer.import_fabric(bytes).unwrap();
        assert_eq!(peer.export_fabric(handle), Err(INVALID_VALUE));
        let here = peer.open(handle, GRANULE).unwrap();
        assert_eq!((peer.read(here), peer.write(here, 5)), (Ok(5), Ok(())));
    }
    let other = exporter.create(GRANULE, FABRIC).unwrap();
    assert_ne!(exporter.export_fabric(other), Ok(bytes));
}

#[test]
fn memory_for_both_kinds_is_exported_as_both() {
    let (mut exporter, mut importer) = (on("channel"), on("channel"));
    let made = exporter.create(GRANULE, DESCRIPTOR | FABRIC).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    let descriptor = exporter.export_descriptor(made).unwrap();
    for handle in [importer.import_fabric(bytes), importer.import_descriptor(&descriptor)] {
        let here = importer.open(handle.unwrap(), GRANULE).unwrap();
        assert_eq!(importer.read(here), Ok(5));
    }
}

#[test]
fn another_channel_is_not_permitted() {
    let (mut exporter, mut importer) = (on("channel:1"), on("channel:2"));
    let made = exporter.create(GRANULE, FABRIC).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    assert_eq!(importer.import_fabric(bytes), Err(NOT_PERMITTED));
    assert_eq!(exporter.import_fabric(bytes).map(|_| ()), Ok(()));
}

#[test]
fn a_channel_is_the_users() {
    let (mut exporter, mut importer) = (on("channel"), on(&format!("channel:{}", user())));
    let made = exporter.create(GRANULE, FABRIC).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    assert!(importer.import_fabric(bytes).is_ok());
}

fn user() -> u32 {
    // SAFETY: the call has no input and cannot fail.
    unsafe { libc::geteuid() }
}

#[test]
fn every_bit_of_a_fabric_handle_counts() {
    let (mut exporter, mut importer) = (on("channel"), on("channel"));
    let made = exporter.create(GRANULE, FABRIC).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    for bit in 0..512 {
        let mut flipped = bytes;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(importer.import_fabric(flipped), Err(INVALID_VALUE), "bit {bit}");
    }
    for wrong in [[0; 64], [0xFF; 64], [3; 64]] {
        assert_eq!(importer.import_fabric(wrong), Err(INVALID_VALUE));
    }
    assert!(importer.import_fabric(bytes).is_ok());
}

#[test]
fn bytes_keep_no_memory_and_lead_nowhere_afterwards() {
    let (mut exporter, mut importer) = (Remote::on("keep", &CHANNEL), Remote::on("keep", &CHANNEL));
    let before = importer.free_bytes();
    let made = exporter.create(GRANULE, FABRIC).unwrap();
    let there = exporter.map(made, GRANULE).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    exporter.release(made).unwrap();
    let handle = importer.import_fabric(bytes).unwrap();
    importer.release(handle).unwrap();
    exporter.unmap(there, GRANULE).unwrap();
    assert_eq!(importer.free_bytes(), before);
    assert_eq!(importer.import_fabric(bytes), Err(INVALID_VALUE));
    // The next allocation may get the number of the old descriptor.
    exporter.create(GRANULE, FABRIC).unwrap();
    assert_eq!(importer.import_fabric(bytes), Err(INVALID_VALUE));
}

#[test]
fn an_importer_outlives_its_exporter_whose_bytes_then_lead_nowhere() {
    let (mut exporter, mut importer) = (Remote::on("outlive", &CHANNEL), Remote::on("outlive", &CHANNEL));
    let before = importer.free_bytes();
    let made = exporter.create(GRANULE, FABRIC).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let bytes = exporter.export_fabric(made).unwrap();
    let handle = importer.import_fabric(bytes).unwrap();
    let here = importer.open(handle, GRANULE).unwrap();
    exporter.kill();
    assert_eq!(importer.read(here), Ok(5));
    assert_eq!(importer.import_fabric(bytes), Err(INVALID_VALUE));
    importer.unmap(here, GRANULE).unwrap();
    importer.release(handle).unwrap();
    assert_eq!(importer.free_bytes(), before);
}

//! An exporter keeps its memory until its importers are done.

use std::sync::OnceLock;
use std::time::Duration;

use cuda_ipc::liveness::{Lease, LivenessError};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{DeviceBuffer, Error, Parcel, set_drop_hook};
use rstest::rstest;

use crate::SIZE;
use crate::common::{context, driver};
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};

#[rstest]
#[case::closes("role_opens_and_closes")]
#[case::is_killed("role_opens_and_hangs")]
fn a_lease_is_over_when_its_importer_is_done(#[case] role: &str) {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    let mut parcel = buffer.share(..).unwrap();
    let lease = parcel.lease().unwrap();
    let mut importer = Peer::start(module_path!(), role);
    parcel.send(&importer.connection).unwrap();
    drop(parcel);
    assert_eq!(importer.process.hear(), "open");
    assert!(matches!(lease.wait(Duration::from_millis(1)), Err(LivenessError::StillHeld { .. })));
    if role == "role_opens_and_hangs" {
        importer.process.kill();
    } else {
        importer.connection.send(b"close", &[]).unwrap();
    }
    lease.wait(LONG).unwrap();
    buffer.free().unwrap();
}

/// The importers would hold only the second one, and the first one would be over at once.
#[test]
fn a_parcel_has_one_lease() {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    let mut parcel = buffer.share(..).unwrap();
    let lease = parcel.lease().unwrap();
    let refused = parcel.lease();
    assert!(matches!(refused, Err(Error::Liveness(LivenessError::HasLease))), "{refused:?}");
    assert!(!lease.is_over().unwrap());
    drop(parcel);
    assert!(lease.is_over().unwrap());
}

#[test]
fn a_lease_ends_after_what_it_is_for() {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    let importer = Peer::start(module_path!(), "role_looks_at_the_lease_in_between");
    buffer.share(..).unwrap().send(&importer.connection).unwrap();
    importer.finish();
}

#[test]
fn an_importer_learns_that_the_lease_was_given_up() {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    let importer = Peer::start(module_path!(), "role_asks");
    let mut parcel = buffer.share(..).unwrap();
    let lease = parcel.lease().unwrap();
    parcel.send(&importer.connection).unwrap();
    assert_eq!(importer.connection.receive().unwrap().bytes, b"alive");
    drop(lease);
    importer.connection.send(b"gone", &[]).unwrap();
    importer.finish();
}

roles! {
    fn role_opens_and_closes(connection) {
        let parcel = Parcel::receive(&connection).unwrap();
        // SAFETY: the exporter waits for the lease.
        let memory = unsafe { parcel.open(&context()) }.unwrap();
        drop(parcel);
        say("open");
        connection.receive().unwrap();
        memory.close().unwrap();
        // This process lives until the exporter hangs up, so it was the close that ended the lease.
        connection.receive().unwrap_err();
    }

    fn role_opens_and_hangs(connection) {
        // SAFETY: the exporter waits for the lease.
        let _memory = unsafe { Parcel::receive(&connection).unwrap().open(&context()) }.unwrap();
        say("open");
        wait_for_the_end();
    }

    fn role_looks_at_the_lease_in_between(connection) {
        static LEASE: OnceLock<Lease> = OnceLock::new();
        static WAS_OVER: OnceLock<bool> = OnceLock::new();
        let mut parcel = Parcel::receive(&connection).unwrap();
        let lease = LEASE.get_or_init(|| parcel.lease().unwrap());
        // SAFETY: the exporter keeps the memory as long as this process runs.
        let memory = unsafe { parcel.open(&context()) }.unwrap();
        drop(parcel);
        // SAFETY: closed behind the value's back, so that the value's own close fails and calls the hook. The value is
        // not used in between.
        let close = || unsafe { driver().raw().cuIpcCloseMemHandle(memory.pointer()) };
        assert_eq!(context().within(close).unwrap(), Ok(CUresult::CUDA_SUCCESS));
        set_drop_hook(|_| _ = WAS_OVER.set(LEASE.get().is_none_or(|lease| lease.is_over().unwrap())));
        drop(memory);
        assert_eq!((WAS_OVER.get(), lease.is_over().unwrap()), (Some(&false), true));
    }

    fn role_asks(connection) {
        // SAFETY: the exporter keeps the memory as long as this process runs.
        let memory = unsafe { Parcel::receive(&connection).unwrap().open(&context()) }.unwrap();
        assert_eq!(memory.exporter_is_alive().unwrap(), Some(true));
        connection.send(b"alive", &[]).unwrap();
        connection.receive().unwrap();
        assert_eq!(memory.exporter_is_alive().unwrap(), Some(false));
    }
}

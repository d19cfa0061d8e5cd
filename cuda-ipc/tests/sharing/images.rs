//! Two exporters in one process: a program and the one that it executes, or two copies of this crate.

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use cuda_ipc::cache::Cache;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::ticket::{Contents, Handle};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{DeviceMemory, ExporterIdentity, Parcel, Stream};

use crate::SIZE;
use crate::common::{context, device};
use crate::peer::{Peer, roles};

/// The environment variable that is set in the second program of a process.
const SECOND: &str = "CUDA_IPC_TEST_SECOND_PROGRAM";

fn first_byte(memory: &DeviceMemory) -> u8 {
    let mut byte = [0_u8];
    memory.read(0, &mut byte).unwrap();
    byte[0]
}

/// Receives two parcels. The second one becomes what a second copy of this crate in the exporter would have sent: that
/// copy counts for itself, so its numbers are those of the first one.
fn from_two_copies(connection: &Connection) -> [Parcel; 2] {
    let (first, mut second) = (Parcel::receive(connection).unwrap(), Parcel::receive(connection).unwrap());
    let mut contents = second.ticket.into_contents();
    contents.exporter = another_copy(contents.exporter);
    match (&mut contents.handle, &first.ticket.handle) {
        (Handle::PoolPointer(second), Handle::PoolPointer(first)) => second.pool = first.pool,
        _ => contents.generation = first.ticket.generation,
    }
    second.ticket = contents.try_into().unwrap();
    [first, second]
}

fn another_copy(exporter: ExporterIdentity) -> ExporterIdentity {
    ExporterIdentity { nonce: exporter.nonce.map(|byte| !byte), ..exporter }
}

/// `execve` keeps the PID and the start time, and the new program counts its mappings from 1 again.
#[test]
fn a_program_that_the_exporter_executes_is_another_exporter() {
    let (exporter, cache) = (Peer::start(module_path!(), "role_executes_itself"), Cache::new(usize::MAX));
    // SAFETY: virtual memory lives as long as it is mapped.
    let open = |parcel: &Parcel| unsafe { cache.open(&context(), parcel) }.unwrap();
    let old = Parcel::receive(&exporter.connection).unwrap();
    let kept = open(&old);
    assert_eq!(first_byte(&kept), 1);
    exporter.connection.send(b"execute", &[]).unwrap();
    let new = Parcel::receive(&exporter.connection).unwrap();
    assert_eq!(
        (old.ticket.exporter.process, old.ticket.generation),
        (new.ticket.exporter.process, new.ticket.generation)
    );
    assert_eq!((first_byte(&open(&new)), first_byte(&kept)), (2, 1));
    assert!(cache.forget_exporter(&old.ticket.exporter) && !cache.forget(&old.ticket) && cache.forget(&new.ticket));
    drop(kept);
    exporter.finish();
}

#[test]
fn a_cache_distinguishes_two_copies_of_the_crate() {
    let (exporter, cache) = (Peer::start(module_path!(), "role_shares_two_mappings"), Cache::new(usize::MAX));
    // SAFETY: virtual memory lives as long as it is mapped.
    let open = |parcel: &Parcel| unsafe { cache.open(&context(), parcel) }.unwrap();
    let [first, second] = from_two_copies(&exporter.connection).map(|parcel| open(&parcel));
    second.fill(99).unwrap();
    assert_eq!((first_byte(&first), first_byte(&second)), (1, 99));
    exporter.finish();
}

#[test]
fn pools_of_two_copies_of_the_crate_are_two_pools() {
    let exporter = Peer::start(module_path!(), "role_shares_two_pools");
    // SAFETY: the exporter frees the memory when this process closes the connection.
    let open = |parcel: &Parcel| unsafe { parcel.open(&context()) }.unwrap();
    let [first, second] = from_two_copies(&exporter.connection).map(|parcel| open(&parcel));
    assert_eq!((first_byte(&first), first_byte(&second)), (1, 2));
    drop((first, second));
    exporter.connection.send(b"closed", &[]).unwrap();
    exporter.finish();
}

/// The check of own tickets is there because values exist already, and another copy of the crate has other values.
#[test]
fn a_process_opens_what_another_copy_of_the_crate_shared() {
    let mapping = mapping_of(7);
    let mut parcel = mapping.share(.., Access::ReadWrite).unwrap();
    parcel.map(&context()).unwrap_err();
    let contents = parcel.ticket.into_contents();
    let exporter = another_copy(contents.exporter);
    parcel.ticket = Contents { exporter, ..contents }.try_into().unwrap();
    assert_eq!(first_byte(&parcel.map(&context()).unwrap()), 7);
}

fn mapping_of(byte: u8) -> Mapping {
    let size = granularity(device(), HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.fill(byte).unwrap();
    mapping
}

roles! {
    fn role_executes_itself(connection) {
        let is_second = std::env::var_os(SECOND).is_some();
        let mapping = mapping_of(if is_second { 2 } else { 1 });
        mapping.share(.., Access::ReadWrite).unwrap().send(&connection).unwrap();
        if !is_second {
            assert_eq!(connection.receive().unwrap().bytes, b"execute");
            let mut program = Command::new(std::env::current_exe().unwrap());
            program.args(std::env::args_os().skip(1)).env(SECOND, "").stdin(Stdio::from(OwnedFd::from(connection)));
            panic!("{}", program.exec());
        }
    }

    fn role_shares_two_mappings(connection) {
        for byte in [1, 2] {
            mapping_of(byte).share(.., Access::ReadWrite).unwrap().send(&connection).unwrap();
        }
    }

    fn role_shares_two_pools(connection) {
        let stream = Stream::new(&context()).unwrap();
        let buffers = [1, 2].map(|byte| {
            let pool = Pool::new(device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
            let buffer = PoolBuffer::new(&pool, SIZE, &stream).unwrap();
            buffer.fill(byte).unwrap();
            buffer.share(..).unwrap().send(&connection).unwrap();
            buffer
        });
        connection.receive().unwrap();
        drop(buffers);
    }
}

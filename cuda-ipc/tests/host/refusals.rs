//! Descriptors and messages that do not give shared pages, whoever sends them.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use cuda_ipc::host::{PagesError, SharedPages};
use cuda_ipc::ticket::TicketError;
use cuda_ipc::transport::Connection;
use cuda_ipc::{Error, Parcel};
use rstest::rstest;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

use crate::alone;
use crate::common::context;
use crate::peer::{Peer, roles, with_timeout};

const LENGTH: usize = 1024;
const SIZE: u64 = 4096;
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

fn memfd(flags: MemfdFlags, size: u64, seals: SealFlags) -> OwnedFd {
    let file = memfd_create(c"not-pages", flags).unwrap();
    ftruncate(&file, size).unwrap();
    if !seals.is_empty() {
        fcntl_add_seals(&file, seals).unwrap();
    }
    file
}

fn sealed(size: u64, seals: SealFlags) -> OwnedFd {
    memfd(MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING, size, seals)
}

fn read_only() -> OwnedFd {
    let file = sealed(SIZE, SEALS);
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap().into()
}

fn ordinary(folder: &str) -> OwnedFd {
    let file = tempfile::tempfile_in(folder).unwrap();
    file.set_len(SIZE).unwrap();
    file.into()
}

fn import(file: &OwnedFd) -> Error {
    SharedPages::<u32>::import(&context(), file.as_fd(), LENGTH).unwrap_err()
}

fn pages_error(error: Error) -> PagesError {
    match error {
        Error::Pages(error) => error,
        error => panic!("{error}"),
    }
}

/// Not even as that of a newer release, which would send the reader to the wrong place.
#[test]
fn the_message_of_pages_is_not_taken_for_a_ticket() {
    let (sender, receiver) = Connection::pair().unwrap();
    SharedPages::<u32>::new(&context(), LENGTH).unwrap().send(&sender).unwrap();
    let error = Parcel::receive(&receiver).unwrap_err();
    assert!(matches!(error, Error::Ticket(TicketError::NoTicket)), "{error}");
    assert!(error.to_string().ends_with("in the order in which the other process sends"), "{error}");
}

#[rstest]
#[case::no_seal(SealFlags::empty())]
#[case::it_could_shrink(SealFlags::GROW | SealFlags::SEAL)]
#[case::it_could_grow(SealFlags::SHRINK | SealFlags::SEAL)]
#[case::it_could_be_sealed_further(SealFlags::SHRINK | SealFlags::GROW)]
fn a_memfd_with_fewer_seals_is_refused(#[case] seals: SealFlags) {
    let _alone = alone();
    let error = pages_error(import(&sealed(SIZE, seals)));
    assert_eq!(error.to_string().split(", ").next().unwrap(), format!("the memfd has the seals {:#x}", seals.bits()));
    assert!(matches!(error, PagesError::Unsealed { .. }) && error.hint().unwrap().contains("F_SEAL_SHRINK"));
}

#[rstest]
#[case::a_device("/dev/null")]
#[case::a_folder("/")]
fn what_is_not_a_memfd_is_refused(#[case] path: &str) {
    let _alone = alone();
    assert_eq!(pages_error(import(&File::open(path).unwrap().into())), PagesError::NotAMemfd);
}

#[test]
fn other_files_of_the_right_size_are_refused() {
    let _alone = alone();
    let (reading, writing) = rustix::pipe::pipe().unwrap();
    for file in [reading, writing] {
        assert_eq!(pages_error(import(&file)), PagesError::NotAMemfd);
    }
    // The kernel lets nobody seal these: they count as sealed against seals.
    let unsealable = [ordinary("/dev/shm"), memfd(MemfdFlags::CLOEXEC, SIZE, SealFlags::empty())];
    for file in unsealable {
        assert!(matches!(pages_error(import(&file)), PagesError::Unsealed { seals: 1, .. }));
    }
}

/// Another process can punch holes into it, and then nothing may be left to fill them.
#[test]
fn huge_pages_are_refused() {
    let _alone = alone();
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | MemfdFlags::HUGETLB;
    let file = memfd(flags, 2 << 20, SEALS);
    let error = SharedPages::<u32>::import(&context(), file.as_fd(), (2 << 20) / 4).unwrap_err();
    assert_eq!(pages_error(error), PagesError::NotAMemfd);
}

#[rstest]
#[case::nothing(0)]
#[case::a_byte_less(SIZE - 1)]
#[case::a_byte_more(SIZE + 1)]
#[case::much_more(1 << 40)]
fn a_memfd_of_another_size_is_refused(#[case] size: u64) {
    let _alone = alone();
    let error = pages_error(import(&sealed(size, SEALS)));
    assert!(matches!(error, PagesError::OtherSize { found, expected: SIZE, .. } if found == size), "{error}");
}

#[rstest]
#[case::by_a_seal(sealed(SIZE, SEALS | SealFlags::WRITE), io::ErrorKind::PermissionDenied)]
#[case::by_its_descriptor(read_only(), io::ErrorKind::PermissionDenied)]
fn memory_that_cannot_be_written_is_refused(#[case] file: OwnedFd, #[case] expected: io::ErrorKind) {
    let _alone = alone();
    let error = import(&file);
    let Error::System(system) = &error else { panic!("{error}") };
    assert_eq!((system.call, system.source.kind()), ("mmap", expected));
}

#[test]
fn no_process_changes_the_size() {
    let _alone = alone();
    let pages = SharedPages::<u32>::new(&context(), LENGTH).unwrap();
    let peer = Peer::start(module_path!(), "role_truncates");
    pages.send(&peer.connection).unwrap();
    peer.finish();
    // This would kill the process if the file was shorter now.
    pages.store(LENGTH - 1, &[3]).unwrap();
}

#[test]
fn a_truncated_memfd_of_another_process_is_refused() {
    let _alone = alone();
    let peer = Peer::start(module_path!(), "role_sends_what_it_truncates");
    let context = context();
    let error = SharedPages::<u32>::receive(&peer.connection, &context, LENGTH).unwrap_err();
    assert!(matches!(pages_error(error), PagesError::Unsealed { seals: 0, .. }));
    peer.finish();
}

#[rstest]
#[case::nothing(0)]
#[case::more_than_can_be_addressed(usize::MAX)]
#[case::more_than_can_be_mapped(isize::MAX as usize / 4)]
fn a_length_without_memory_is_refused(#[case] length: usize) {
    let _alone = alone();
    let (context, file) = (context(), sealed(SIZE, SEALS));
    let created = SharedPages::<u32>::new(&context, length).unwrap_err();
    assert!(created.hint().is_some(), "{created}");
    let expects_nothing = matches!(created, Error::Pages(PagesError::Empty));
    assert_eq!(expects_nothing, length == 0, "{created}");
    assert!(SharedPages::<u32>::import(&context, file.as_fd(), length).is_err());
}

#[test]
fn other_messages_are_refused() {
    const TEXT: &[u8] = b"shared pages of u32 (CUDA-IPC)";
    let _alone = alone();
    let (here, there) = Connection::pair().unwrap();
    let (here, there) = (with_timeout(here), with_timeout(there));
    let file = sealed(SIZE, SEALS);
    let fd = file.as_fd();
    let others: [(&[u8], &[_]); 5] = [(TEXT, &[]), (TEXT, &[fd, fd]), (b"", &[fd]), (&TEXT[1..], &[fd]), (b"x", &[])];
    for (bytes, descriptors) in others {
        here.send(bytes, descriptors).unwrap();
        let error = SharedPages::<u32>::receive(&there, &context(), LENGTH).unwrap_err();
        assert!(matches!(pages_error(error), PagesError::OtherMessage { expected: "u32", .. }));
    }
    here.send(TEXT, &[fd]).unwrap();
    SharedPages::<u32>::receive(&there, &context(), LENGTH).unwrap();
    // As many bytes, but other numbers.
    here.send(TEXT, &[fd]).unwrap();
    let error = SharedPages::<u64>::receive(&there, &context(), LENGTH / 2).unwrap_err();
    assert!(matches!(pages_error(error), PagesError::OtherMessage { expected: "u64", .. }));
}

roles! {
    fn role_truncates(connection) {
        let file = connection.receive().unwrap().descriptors.remove(0);
        for size in [0, SIZE - 1, SIZE + 1] {
            assert_eq!(ftruncate(&file, size).unwrap_err(), rustix::io::Errno::PERM);
        }
        assert_eq!(fcntl_add_seals(&file, SealFlags::WRITE).unwrap_err(), rustix::io::Errno::PERM);
    }

    fn role_sends_what_it_truncates(connection) {
        let file = sealed(SIZE, SealFlags::empty());
        connection.send(b"shared pages of u32 (CUDA-IPC)", &[file.as_fd()]).unwrap();
        ftruncate(&file, 0).unwrap();
    }
}

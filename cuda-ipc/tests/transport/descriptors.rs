//! Descriptors that are sent with the bytes.

use std::ffi::c_int;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use cuda_ipc::transport::{Connection, Limits, TransportError};
use rstest::rstest;
use rustix::io::{FdFlags, fcntl_getfd};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::peer::{Peer, roles, say};
use crate::raw::{Traced, allow_many_descriptors};

/// Returns files, each of which contains its index.
fn numbered(count: usize) -> Vec<File> {
    allow_many_descriptors();
    let number = |number: usize| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&number.to_le_bytes()).unwrap();
        file
    };
    (0..count).map(number).collect()
}

fn number_in(descriptor: OwnedFd) -> usize {
    let (mut file, mut bytes) = (File::from(descriptor), [0; size_of::<usize>()]);
    file.rewind().unwrap();
    file.read_exact(&mut bytes).unwrap();
    usize::from_le_bytes(bytes)
}

/// The kernel carries 253 descriptors at a time. Most of the counts are near its multiples.
#[rstest]
fn descriptors_arrive_in_order(
    #[values(1, 252, 253, 254, 506, 507, 1000)] count: usize,
    #[values(0, 5, 1 << 20)] length: usize,
) {
    let mut peer = Peer::start(module_path!(), "role_reads_the_numbers");
    let files = numbered(count);
    let descriptors: Vec<_> = files.iter().map(|file| file.as_fd()).collect();
    peer.connection.send(&vec![7; length], &descriptors).unwrap();
    assert_eq!(peer.process.hear(), format!("{count} in order, {length} bytes"));
    peer.connection.send(b"the next message is not disturbed", &descriptors[..1]).unwrap();
    assert_eq!(peer.process.hear(), "1 in order, 33 bytes");
    peer.finish();
}

#[test]
fn what_was_sent_is_the_receivers_alone() {
    let (one, other) = Connection::pair().unwrap();
    let traced = Traced::new();
    one.send(b"", &traced.times(300)).unwrap();
    let message = other.receive().unwrap();
    assert_eq!(message.descriptors.len(), 300);
    for descriptor in &message.descriptors {
        assert!(fcntl_getfd(descriptor).unwrap().contains(FdFlags::CLOEXEC));
    }
    drop(message);
    traced.assert_closed();
}

#[test]
fn a_message_that_nobody_receives_keeps_nothing_open() {
    let (one, other) = Connection::pair().unwrap();
    let traced = Traced::new();
    one.send(b"", &traced.times(300)).unwrap();
    drop(other);
    traced.assert_closed();
}

#[test]
fn at_the_limit_of_open_files_one_message_is_lost_and_nothing_else() {
    let mut peer = Peer::start(module_path!(), "role_has_few_descriptors");
    assert_eq!(peer.process.hear(), "ready");
    let traced = Traced::new();
    peer.connection.send(b"too many", &traced.times(600)).unwrap();
    assert_eq!(peer.process.hear(), "lost");
    traced.assert_closed();
    peer.connection.send(b"few", &Traced::new().times(3)).unwrap();
    assert_eq!(peer.process.hear(), "received");
    peer.finish();
}

#[test]
fn a_process_has_as_many_descriptors_after_it_all_as_before() {
    Peer::start(module_path!(), "role_counts_its_descriptors").finish();
}

#[test]
fn a_socket_that_was_set_to_deliver_pidfds_leaves_none_open() {
    Peer::start(module_path!(), "role_has_a_socket_that_delivers_pidfds").finish();
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

roles! {
    fn role_has_a_socket_that_delivers_pidfds(_connection) {
        let (socket, other) = UnixStream::pair().unwrap();
        let (one, option, length) = (1, libc::SO_PASSPIDFD, size_of::<c_int>() as libc::socklen_t);
        // SAFETY: the descriptor is open, and the value has the length.
        let set = unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, (&raw const one).cast(), length)
        };
        if set != 0 {
            // Before Linux 6.5.
            return assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::ENOPROTOOPT));
        }
        let [receiver, sender] = [socket, other].map(Connection::from);
        let before = open_descriptors();
        for _ in 0..10 {
            sender.send(b"bytes", &[]).unwrap();
            assert!(receiver.receive().unwrap().descriptors.is_empty());
        }
        assert_eq!(open_descriptors(), before);
    }

    fn role_reads_the_numbers(connection) {
        for _ in 0..2 {
            let message = connection.receive().unwrap();
            let (count, length) = (message.descriptors.len(), message.bytes.len());
            let numbers: Vec<_> = message.descriptors.into_iter().map(number_in).collect();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>());
            say(&format!("{count} in order, {length} bytes"));
        }
    }

    fn role_has_few_descriptors(connection) {
        let before = open_descriptors();
        let limit = Rlimit { current: Some(before as u64 + 10), ..getrlimit(Resource::Nofile) };
        setrlimit(Resource::Nofile, limit).unwrap();
        say("ready");
        let error = connection.receive().unwrap_err();
        assert!(matches!(error, TransportError::DescriptorsLost { announced: 600, .. }), "{error}");
        assert!(error.to_string().contains("RLIMIT_NOFILE"), "{error}");
        assert_eq!(open_descriptors(), before);
        say("lost");
        let message = connection.receive().unwrap();
        assert_eq!((&*message.bytes, message.descriptors.len()), (&b"few"[..], 3));
        say("received");

        // Another call that needs descriptors reports the limit and leaves no descriptor open.
        let held: Vec<_> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        let error = Connection::pair().unwrap_err();
        assert!(matches!(error, TransportError::System { .. }), "{error}");
        assert!(error.to_string().contains("raise the limit of open files"), "{error}");
        drop((held, message));
        assert_eq!(open_descriptors(), before);
    }

    fn role_counts_its_descriptors(_) {
        let before = open_descriptors();
        for _ in 0..3 {
            let (one, mut other) = Connection::pair().unwrap();
            let traced = Traced::new();
            for count in [0, 1, 253, 700] {
                one.send(b"some bytes", &traced.times(count)).unwrap();
                assert_eq!(other.receive().unwrap().descriptors.len(), count);
            }
            other.set_limits(Limits { bytes: 5, descriptors: 5 });
            one.send(b"some bytes", &traced.times(700)).unwrap();
            other.receive().unwrap_err();
            one.send(b"", &traced.times(1)).unwrap_err();
        }
        assert_eq!(open_descriptors(), before);
    }
}

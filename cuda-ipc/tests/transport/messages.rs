//! Messages of bytes.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::transport::{Connection, Limits, TransportError};
use rstest::rstest;

use crate::peer::{LONG, Peer, roles, with_timeout};

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index as u8).wrapping_mul(31) ^ (index >> 8) as u8).collect()
}

#[rstest]
fn bytes_arrive_as_they_were_sent(#[values(0, 1, 15, 16, 4096, 1 << 20, 16 << 20)] length: usize) {
    let peer = Peer::start(module_path!(), "role_echoes");
    let bytes = pattern(length);
    peer.connection.send(&bytes, &[]).unwrap();
    let message = peer.connection.receive().unwrap();
    assert!(message.bytes == bytes && message.descriptors.is_empty());
    peer.connection.send(b"end", &[]).unwrap();
    peer.finish();
}

#[test]
fn messages_keep_their_borders_and_their_order() {
    let peer = Peer::start(module_path!(), "role_echoes");
    for length in 0..100 {
        peer.connection.send(&pattern(length), &[]).unwrap();
    }
    for length in 0..100 {
        assert_eq!(peer.connection.receive().unwrap().bytes, pattern(length));
    }
    peer.connection.send(b"end", &[]).unwrap();
    peer.finish();
}

#[test]
fn messages_of_several_threads_stay_whole() {
    const THREADS: u8 = 4;
    let (one, other) = Connection::pair().unwrap();
    let (one, other) = (Arc::new(with_timeout(one)), Arc::new(with_timeout(other)));
    let senders: Vec<_> = (0..THREADS)
        .map(|number| {
            let one = Arc::clone(&one);
            // The messages are longer than the socket's buffer, so none is sent in one piece.
            thread::spawn(move || (0..4).for_each(|_| one.send(&vec![number; 1 << 20], &[]).unwrap()))
        })
        .collect();
    let receivers: Vec<_> = (0..2)
        .map(|_| {
            let other = Arc::clone(&other);
            thread::spawn(move || {
                let messages = (0..2 * THREADS).map(|_| other.receive().unwrap().bytes);
                messages.map(|bytes| bytes.iter().all(|byte| *byte == bytes[0]).then_some(bytes[0])).collect::<Vec<_>>()
            })
        })
        .collect();
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    let mut received: Vec<_> = receivers.into_iter().flat_map(|receiver| receiver.join().unwrap()).collect();
    received.sort_unstable();
    assert_eq!(received, (0..THREADS).flat_map(|number| [Some(number); 4]).collect::<Vec<_>>());
}

#[test]
fn both_ends_may_send_at_once() {
    let (one, other) = Connection::pair().unwrap();
    let (one, other) = (with_timeout(one), with_timeout(other));
    let bytes = pattern(4 << 20);
    thread::scope(|scope| {
        for end in [&one, &other] {
            scope.spawn(|| end.send(&bytes, &[]).unwrap());
            scope.spawn(|| assert!(end.receive().unwrap().bytes == bytes));
        }
    });
}

/// A message is read to its end and no further, so the socket can be taken out of the connection between two messages.
#[rstest]
#[case::blocking(false)]
#[case::non_blocking(true)]
fn a_socket_goes_into_a_connection_and_out_again(#[case] is_nonblocking: bool) {
    let (one, other) = Connection::pair().unwrap();
    for text in ["first", "second"] {
        one.send(text.as_bytes(), &[]).unwrap();
    }
    assert_eq!(other.receive().unwrap().bytes, b"first");
    let socket = UnixStream::from(other);
    socket.set_nonblocking(is_nonblocking).unwrap();
    let other = with_timeout(Connection::from(socket));
    assert_eq!(other.receive().unwrap().bytes, b"second");
    let sender = thread::spawn(move || one.send(b"third", &[]).unwrap());
    assert_eq!(other.receive().unwrap().bytes, b"third");
    sender.join().unwrap();
}

#[test]
fn the_end_between_two_messages_is_clean() {
    let (one, other) = Connection::pair().unwrap();
    one.send(b"last", &[]).unwrap();
    drop(one);
    // A child of another test may hold the dropped end between its fork and its exec.
    ProcessWatch::by_hang_up(&other).unwrap().wait(LONG).unwrap();
    // A message that was sent before the end can still be received, even after a send has failed.
    assert!(matches!(other.send(b"to nobody", &[]), Err(TransportError::Closed { .. })));
    assert_eq!(other.receive().unwrap().bytes, b"last");
    for _ in 0..2 {
        let error = other.receive().unwrap_err();
        assert!(matches!(error, TransportError::Closed { .. }), "{error}");
    }
}

#[test]
fn a_message_beyond_the_senders_limits_is_not_begun() {
    let (mut one, other) = Connection::pair().unwrap();
    one.set_limits(Limits { bytes: 10, descriptors: 0 });
    let error = one.send(&[0; 11], &[]).unwrap_err();
    assert!(matches!(error, TransportError::TooLong { length: 11, limit: 10, .. }), "{error}");
    let error = one.send(&[], &[other.as_fd()]).unwrap_err();
    assert!(matches!(error, TransportError::TooManyDescriptors { count: 1, limit: 0, .. }), "{error}");
    one.send(&[1; 10], &[]).unwrap();
    assert_eq!(other.receive().unwrap().bytes, [1; 10]);
}

#[test]
fn a_message_at_the_receivers_limits_is_received() {
    let (one, mut other) = Connection::pair().unwrap();
    other.set_limits(Limits { bytes: 10, descriptors: 2 });
    let file = tempfile::tempfile().unwrap();
    one.send(&[1; 10], &[file.as_fd(), file.as_fd()]).unwrap();
    let message = other.receive().unwrap();
    assert_eq!((message.bytes, message.descriptors.len()), (vec![1; 10], 2));
}

#[test]
fn the_peers_credentials_are_the_kernels() {
    let mut peer = Peer::start(module_path!(), "role_says_who_it_is");
    let said = peer.process.hear();
    let (ours, uid) = (peer.connection.peer_credentials().unwrap(), rustix::process::getuid().as_raw());
    // For a pair, the kernel reports the process that made it at both ends.
    assert_eq!((ours.pid, ours.uid), (std::process::id(), uid));
    assert_eq!(said, format!("{} {uid} {}", std::process::id(), ours.gid));
    assert_eq!(peer.connection.require_uid(uid).unwrap(), ours);
    let error = peer.connection.require_uid(uid + 1).unwrap_err();
    assert!(matches!(error, TransportError::OtherUser { .. }), "{error}");
    assert!(error.to_string().contains(&format!("belongs to user {uid}, expected user {}", uid + 1)), "{error}");
    peer.finish();
}

roles! {
    fn role_echoes(connection) {
        loop {
            let bytes = connection.receive().unwrap().bytes;
            if bytes == b"end" {
                break;
            }
            connection.send(&bytes, &[]).unwrap();
        }
    }

    fn role_says_who_it_is(connection) {
        let peer = connection.peer_credentials().unwrap();
        crate::peer::say(&format!("{} {} {}", peer.pid, peer.uid, peer.gid));
    }
}

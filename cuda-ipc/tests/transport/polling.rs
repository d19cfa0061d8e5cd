//! Receiving in an event loop, which never waits for the rest of a message.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;

use cuda_ipc::ProcessIdentity;
use cuda_ipc::liveness::{Lease, ProcessWatch};
use cuda_ipc::transport::{Address, Connection, Listener, TransportError};

/// The bytes on the wire of a message without descriptors.
fn wire(message: &[u8]) -> Vec<u8> {
    let (sender, receiver) = Connection::pair().unwrap();
    sender.send(message, &[]).unwrap();
    drop(sender);
    let mut bytes = Vec::new();
    UnixStream::from(receiver).read_to_end(&mut bytes).unwrap();
    bytes
}

fn to_connection() -> (UnixStream, Connection) {
    let (raw, other) = UnixStream::pair().unwrap();
    (raw, Connection::from(other))
}

#[test]
fn a_message_comes_byte_by_byte() {
    let (mut sender, receiver) = to_connection();
    assert!(receiver.try_receive().unwrap().is_none());
    for message in [&b"one"[..], b"", b"three"] {
        let bytes = wire(message);
        let (last, first) = bytes.split_last().unwrap();
        for byte in first {
            sender.write_all(&[*byte]).unwrap();
            assert!(receiver.try_receive().unwrap().is_none());
        }
        sender.write_all(&[*last]).unwrap();
        assert_eq!(receiver.try_receive().unwrap().unwrap().bytes, message);
    }
    assert!(receiver.try_receive().unwrap().is_none());
}

#[test]
fn a_call_that_waits_continues_with_what_has_arrived() {
    let (mut sender, receiver) = to_connection();
    let bytes = wire(b"a message");
    sender.write_all(&bytes[..20]).unwrap();
    assert!(receiver.try_receive().unwrap().is_none());
    sender.write_all(&bytes[20..]).unwrap();
    assert_eq!(receiver.receive().unwrap().bytes, b"a message");
}

#[test]
fn descriptors_come_with_their_message_and_messages_stay_apart() {
    const MANY: usize = 600;
    let (sender, receiver) = Connection::pair().unwrap();
    let file = tempfile::tempfile().unwrap();
    sender.send(b"first", &[file.as_fd(); MANY]).unwrap();
    sender.send(b"second", &[file.as_fd()]).unwrap();
    let received = [(); 2].map(|()| receiver.try_receive().unwrap().unwrap());
    assert_eq!(received.each_ref().map(|message| message.descriptors.len()), [MANY, 1]);
    assert_eq!(received.each_ref().map(|message| &*message.bytes), [&b"first"[..], b"second"]);
}

#[test]
fn the_end_of_the_peer_is_an_error_and_not_a_wait() {
    let (mut sender, receiver) = to_connection();
    sender.write_all(&wire(b"a message")[..5]).unwrap();
    assert!(receiver.try_receive().unwrap().is_none());
    drop(sender);
    assert!(matches!(receiver.try_receive(), Err(TransportError::Interrupted { .. })));
    assert!(matches!(receiver.try_receive(), Err(TransportError::Unusable { .. })));

    let (sender, receiver) = Connection::pair().unwrap();
    sender.finish().unwrap();
    assert!(matches!(receiver.try_receive(), Err(TransportError::Finished { .. })));
    let (sender, receiver) = Connection::pair().unwrap();
    drop(sender);
    assert!(matches!(receiver.try_receive(), Err(TransportError::Closed { .. })));
}

/// Event loops such as tokio's own what they watch, and ask it for its number.
#[test]
fn the_raw_descriptor_is_the_one_to_watch() {
    fn is_the_same(watched: &(impl AsFd + AsRawFd)) -> bool {
        watched.as_fd().as_raw_fd() == watched.as_raw_fd()
    }
    let (one, other) = Connection::pair().unwrap();
    assert!(is_the_same(&one) && is_the_same(&other));
    assert_ne!(one.as_raw_fd(), other.as_raw_fd());
    let (lease, tenancy) = Lease::grant().unwrap();
    assert!(is_the_same(&lease) && is_the_same(&tenancy));
    assert!(is_the_same(&Listener::bind(&Address::Abstract(b"cuda-ipc raw descriptor".to_vec())).unwrap()));
    assert!(is_the_same(&ProcessWatch::of(ProcessIdentity::current().unwrap()).unwrap()));
}

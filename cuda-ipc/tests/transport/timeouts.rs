//! A timeout covers a whole message, whatever the peer does.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Address, Connection, Direction, Listener, TransportError};
use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with};

use crate::peer::{LONG, with_timeout};
use crate::raw::{Traced, header, send};

const SHORT: Duration = Duration::from_millis(100);

fn assert_timed_out<T>(result: Result<T, TransportError>, expected: &str) {
    let error = result.err().expect("this must time out");
    assert!(matches!(&error, TransportError::TimedOut { waiting_for, .. } if *waiting_for == expected), "{error}");
}

#[test]
fn waiting_for_a_message_costs_nothing() {
    let (one, mut other) = Connection::pair().unwrap();
    for timeout in [Duration::ZERO, SHORT] {
        other.set_timeout(Some(timeout));
        let begin = Instant::now();
        assert_timed_out(other.receive(), "a message");
        assert!(begin.elapsed() >= timeout);
    }
    one.send(b"late", &[]).unwrap();
    other.set_timeout(Some(Duration::ZERO));
    assert_eq!(other.receive().unwrap().bytes, b"late");
}

/// A peer that sends a byte now and then would never exceed a timeout for each system call.
#[test]
fn a_peer_that_drips_is_not_waited_for() {
    let (socket, peer) = UnixStream::pair().unwrap();
    let mut connection = Connection::from(socket);
    connection.set_timeout(Some(3 * SHORT));
    let traced = Traced::new();
    send(&peer, &header(1, 1 << 20), &traced.times(1));
    let dripping = thread::spawn(move || {
        let mut dripped = 0;
        while rustix::net::send(&peer, &[0], SendFlags::NOSIGNAL).is_ok() {
            dripped += 1;
            thread::sleep(SHORT / 10);
        }
        dripped
    });
    let begin = Instant::now();
    assert_timed_out(connection.receive(), "the rest of a message");
    let waited = begin.elapsed();
    assert!(waited >= 3 * SHORT && waited < LONG, "{waited:?}");
    // The sends of the peer have failed, or its thread would not end.
    assert!(dripping.join().unwrap() > 0);
    traced.assert_closed();
    let error = connection.receive().unwrap_err();
    assert!(matches!(error, TransportError::Unusable { direction: Direction::Receiving, .. }), "{error}");
}

#[test]
fn a_peer_that_does_not_read_is_not_waited_for() {
    let (mut one, other) = Connection::pair().unwrap();
    let other = with_timeout(other);
    one.set_timeout(Some(SHORT));
    let traced = Traced::new();
    assert_timed_out(one.send(&vec![0; 8 << 20], &traced.times(1)), "the peer to take a message");
    let error = one.send(b"", &[]).unwrap_err();
    assert!(matches!(error, TransportError::Unusable { direction: Direction::Sending, .. }), "{error}");
    // The peer does not wait for the rest either, and can still send.
    let error = other.receive().unwrap_err();
    assert!(matches!(error, TransportError::Interrupted { direction: Direction::Receiving, .. }), "{error}");
    traced.assert_closed();
    other.send(b"what was that?", &[]).unwrap();
    assert_eq!(one.receive().unwrap().bytes, b"what was that?");
}

#[test]
fn a_message_that_was_not_begun_can_be_sent_later() {
    let (mut one, other) = Connection::pair().unwrap();
    one.set_timeout(Some(Duration::ZERO));
    let fitting = (0_u32..).take_while(|number| one.send(&number.to_le_bytes(), &[]).is_ok()).count();
    assert!(fitting > 1);
    assert_timed_out(one.send(b"", &[]), "the peer to take a message");
    for number in 0..fitting {
        assert_eq!(other.receive().unwrap().bytes, (number as u32).to_le_bytes());
    }
    one.send(b"later", &[]).unwrap();
    assert_eq!(other.receive().unwrap().bytes, b"later");
}

#[test]
fn nobody_connects() {
    let listener = Listener::bind(&crate::addresses::unique_name()).unwrap();
    for timeout in [Duration::ZERO, SHORT] {
        let begin = Instant::now();
        assert_timed_out(listener.accept(Some(timeout)), "a peer to connect");
        assert!(begin.elapsed() >= timeout);
    }
}

#[test]
fn a_listener_that_does_not_accept_is_not_waited_for() {
    let address = crate::addresses::unique_name();
    let Address::Abstract(name) = &address else { unreachable!("the address is abstract") };
    let socket: OwnedFd = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    bind(&socket, &SocketAddrUnix::new_abstract_name(name).unwrap()).unwrap();
    listen(&socket, 0).unwrap();
    let waiting = Connection::connect(&address, Some(LONG)).unwrap();
    for timeout in [Duration::ZERO, SHORT] {
        let begin = Instant::now();
        assert_timed_out(Connection::connect(&address, Some(timeout)), "a listener to accept");
        assert!(begin.elapsed() >= timeout);
    }
    drop((waiting, socket));
}

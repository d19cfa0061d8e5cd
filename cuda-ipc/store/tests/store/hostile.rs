//! Clients that send anything, and clients that do not receive.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use cuda_ipc::transport::Connection;
use cuda_ipc_store::VERSION;
use proptest::prelude::*;

use crate::common::context;
use crate::peer::{LONG, with_timeout};
use crate::server::Server;
use crate::versions::hello;
use crate::{SIZE, contents, pattern, sealed};

/// Connects without a client, and says hello.
pub(crate) fn welcomed(server: &Server) -> Connection {
    let connection = with_timeout(Connection::connect(&server.address(), Some(LONG)).unwrap());
    connection.send(&hello(VERSION, &[]), &[]).unwrap();
    assert_eq!(connection.receive().unwrap().bytes, 128_u16.to_le_bytes());
    connection
}

/// The daemon serves the others, whatever one client sent.
fn assert_serves(server: &Server) {
    let store = server.client();
    let id = sealed(&store, 1);
    assert_eq!(contents(&store.get(&context(), id).unwrap()), pattern(1));
    store.delete(id).unwrap();
}

#[test]
fn a_message_that_cannot_be_read_ends_the_connection_with_a_reason() {
    let server = Server::start();
    let malformed = [135, 0, 3, 0];
    for bytes in [&[][..], &[0, 0], &[2, 0, 1], &[99, 0], &hello(VERSION, &[])] {
        let connection = welcomed(&server);
        connection.send(bytes, &[]).unwrap();
        assert_eq!(connection.receive().unwrap().bytes, malformed, "{bytes:?}");
        assert!(connection.receive().unwrap_err().is_disconnected());
    }
    // A request with a descriptor, which none has.
    let connection = welcomed(&server);
    connection.send(&10_u16.to_le_bytes(), &[std::io::stderr().as_fd()]).unwrap();
    assert_eq!(connection.receive().unwrap().bytes, malformed);
    // A request before the hello.
    let connection = with_timeout(Connection::connect(&server.address(), Some(LONG)).unwrap());
    connection.send(&10_u16.to_le_bytes(), &[]).unwrap();
    assert_eq!(connection.receive().unwrap().bytes, malformed);
    assert_serves(&server);
}

#[test]
fn nobody_but_the_creator_seals_and_only_once() {
    let server = Server::start();
    let (creator, other) = (welcomed(&server), welcomed(&server));
    creator.send(&[2, 0, 1, 0, 0, 0, 0, 0, 0, 0], &[]).unwrap();
    let created = creator.receive().unwrap();
    let id = created.bytes[2..18].to_vec();
    let seal = |connection: &Connection| {
        connection.send(&[&[3, 0], &*id].concat(), &[]).unwrap();
        connection.receive().unwrap().bytes
    };
    let refused = [&[135, 0, 6, 0], &*id].concat();
    assert_eq!(seal(&other), refused);
    assert_eq!(seal(&creator), [129, 0]);
    assert_eq!(seal(&creator), refused);
}

/// A release that crosses a reply on its way does not take that reply back too.
#[test]
fn a_release_is_about_as_many_replies_as_it_says() {
    let server = Server::start();
    let (store, holder) = (server.client(), welcomed(&server));
    let id = sealed(&store, 1).to_bytes();
    for _ in 0..3 {
        holder.send(&[&[4, 0], &id[..]].concat(), &[]).unwrap();
        assert_eq!(holder.receive().unwrap().descriptors.len(), 1);
    }
    for (count, holders) in [(0, 1), (1, 1), (1, 1), (1, 0), (1, 0)] {
        holder.send(&[&[5, 0], &id[..], &[count, 0, 0, 0, 0, 0, 0, 0]].concat(), &[]).unwrap();
        holder.send(&[10, 0], &[]).unwrap();
        holder.receive().unwrap();
        assert_eq!(store.status().unwrap().holders, holders);
    }
}

#[test]
fn any_messages_are_answered_or_end_the_connection() {
    let server = Server::start();
    let before = server.settled_descriptors();
    let message = (0_u16..19, proptest::collection::vec(any::<u8>(), 0..40))
        .prop_map(|(kind, rest)| [&kind.to_le_bytes()[..], &rest].concat());
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&proptest::collection::vec(message, 1..8), |messages| {
            let connection = welcomed(&server);
            for message in &messages {
                if connection.send(message, &[]).is_err() {
                    break;
                }
            }
            connection.finish().ok();
            // Everything that the daemon says, until it hangs up.
            while connection.receive().is_ok() {}
            Ok(())
        })
        .unwrap();
    assert_serves(&server);
    assert_eq!(server.settled_descriptors(), before);
}

#[test]
fn any_bytes_on_the_socket_harm_nobody_else() {
    let server = Server::start();
    let mut runner = proptest::test_runner::TestRunner::default();
    // Sometimes the beginning of a header, so that the rest is read as one.
    let header = prop::sample::select(vec![&b""[..], b"CIM\x01", b"CIM\x01\0\0\0\0", b"CIM\x01\x01\0\0\0"]);
    runner
        .run(&(header, proptest::collection::vec(any::<u8>(), 0..64)), |(header, bytes)| {
            let mut socket = UnixStream::connect(server.path()).unwrap();
            // Fails if the daemon has hung up meanwhile.
            let _ = socket.write_all(header).and_then(|()| socket.write_all(&bytes));
            Ok(())
        })
        .unwrap();
    assert_serves(&server);
}

/// These clients are dismissed when the daemon's patience is over, and nobody waits for them.
#[test]
fn clients_that_stop_in_the_middle_are_dismissed() {
    let server = Server::with(&["--patience", "1"]);
    let store = server.client();
    let begin = Instant::now();
    let silent = UnixStream::connect(server.path()).unwrap();
    let (half, quiet) = (UnixStream::from(welcomed(&server)), welcomed(&server));
    (&half).write_all(b"CIM\x01\0\0").unwrap();
    assert_serves(&server);
    for mut socket in [silent, half] {
        socket.set_read_timeout(Some(LONG)).unwrap();
        // A socket that was closed with unread bytes is reset.
        assert!(matches!(socket.read(&mut [0]), Ok(0) | Err(_)));
        let waited = begin.elapsed();
        assert!(waited >= Duration::from_millis(900) && waited < LONG, "{waited:?}");
    }
    // Who owes nothing may be silent.
    quiet.send(&10_u16.to_le_bytes(), &[]).unwrap();
    quiet.receive().unwrap();
    assert_eq!(store.status().unwrap().users[0].clients, 2);
}

/// A client that sends requests and receives nothing fills its socket, and no memory of the daemon.
#[test]
fn a_client_that_does_not_receive_is_dismissed() {
    let server = Server::with(&["--patience", "1"]);
    let store = server.client();
    let mut stuck = welcomed(&server);
    stuck.set_timeout(Some(Duration::from_millis(100)));
    // Until the daemon no longer reads them.
    let sent = (0..100_000).take_while(|_| stuck.send(&10_u16.to_le_bytes(), &[]).is_ok()).count();
    assert!(sent < 100_000);
    assert_serves(&server);
    let begin = Instant::now();
    while store.status().unwrap().users[0].clients > 1 {
        assert!(begin.elapsed() < LONG, "the client is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A client that asks for nothing may leave any number of revocations unread.
#[test]
fn an_idle_holder_is_not_dismissed() {
    // More than a socket has room for.
    const HELD: usize = 600;
    let server = Server::with(&["--patience", "1"]);
    let (store, idle) = (server.client(), welcomed(&server));
    let mut ids: Vec<_> =
        (0..HELD).map(|_| store.create(&context(), SIZE).unwrap().seal().unwrap().to_bytes()).collect();
    for id in &ids {
        idle.send(&[&[4, 0], &id[..]].concat(), &[]).unwrap();
        assert_eq!(idle.receive().unwrap().descriptors.len(), 1);
    }
    ids.iter().for_each(|id| store.delete(cuda_ipc_store::ObjectId::from_bytes(*id)).unwrap());
    // The end of this one, which is dismissed, says that the patience is over.
    let mut silent = UnixStream::connect(server.path()).unwrap();
    silent.set_read_timeout(Some(LONG)).unwrap();
    assert!(matches!(silent.read(&mut [0]), Ok(0) | Err(_)));
    idle.send(&[10, 0], &[]).unwrap();
    for _ in 0..HELD {
        let forget = idle.receive().unwrap().bytes;
        assert_eq!(forget[..2], [136, 0]);
        let place = ids.iter().position(|id| *id == forget[2..]).expect("an object that it holds");
        ids.remove(place);
    }
    assert_eq!(idle.receive().unwrap().bytes[..2], [133, 0]);
}

/// The others still learn what was deleted.
#[test]
fn a_holder_that_does_not_receive_holds_up_nobody() {
    let server = Server::with(&["--patience", "1", "--limit-objects-per-user", "100000"]);
    let store = server.client();
    let stuck = welcomed(&server);
    let mut is_there = true;
    for round in 0..2_000_u32 {
        let draft = store.create(&context(), SIZE).unwrap();
        let id = draft.seal().unwrap();
        if is_there {
            is_there = stuck.send(&[&4_u16.to_le_bytes()[..], &id.to_bytes()].concat(), &[]).is_ok();
        }
        store.delete(id).unwrap();
        if !is_there {
            break;
        }
        assert!(round < 1_999, "the client is still there");
    }
    drop(stuck);
    let begin = Instant::now();
    while store.status().unwrap().bytes > 0 {
        assert!(begin.elapsed() < LONG, "the memory is still there");
    }
}

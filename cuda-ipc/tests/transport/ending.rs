//! An orderly end, in which nothing is lost. It is not mistaken for a death.

use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::transport::{Connection, Direction, TransportError};
use rstest::rstest;

use crate::hostile::connection;
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
use crate::raw::{Traced, header, send};

const END: [u8; 16] = *b"CIE\x01\0\0\0\0\0\0\0\0\0\0\0\0";

/// Every later call says the same.
fn assert_finished(connection: &Connection) {
    for _ in 0..2 {
        let error = connection.receive().unwrap_err();
        assert!(matches!(error, TransportError::Finished { direction: Direction::Receiving, .. }), "{error}");
        assert!(error.to_string().contains("every message that it sent was received"), "{error}");
        assert!(!error.is_disconnected());
    }
}

#[test]
fn everything_arrives_before_the_end() {
    let (one, other) = Connection::pair().unwrap();
    for number in 0..10_u8 {
        one.send(&[number], &[]).unwrap();
    }
    one.finish().unwrap();
    drop(one);
    for number in 0..10 {
        assert_eq!(other.receive().unwrap().bytes, [number]);
    }
    assert_finished(&other);
}

#[test]
fn one_end_finishes_and_the_other_goes_on() {
    let (one, other) = Connection::pair().unwrap();
    one.finish().unwrap();
    assert_finished(&other);
    other.send(b"the rest", &[]).unwrap();
    assert_eq!(one.receive().unwrap().bytes, b"the rest");

    let error = one.send(b"one more", &[]).unwrap_err();
    assert!(matches!(error, TransportError::Finished { direction: Direction::Sending, .. }), "{error}");
    assert!(error.to_string().contains("this end has finished"), "{error}");
    one.finish().unwrap();
    other.finish().unwrap();
    assert_finished(&one);
    // The process at the other end is still alive, as far as the socket tells.
    assert!(ProcessWatch::by_hang_up(&one).unwrap().is_alive().unwrap());
    drop(other);
    ProcessWatch::by_hang_up(&one).unwrap().wait(LONG).unwrap();
    assert_finished(&one);
}

/// The producer ends without reading an acknowledgement, so the kernel resets the connection.
#[test]
fn a_send_that_fails_loses_nothing_that_was_sent() {
    let mut peer = Peer::start(module_path!(), "role_produces");
    assert_eq!(peer.process.hear(), "producing");
    peer.connection.send(b"unread", &[]).unwrap();
    assert_eq!(peer.process.hear(), "finished");
    peer.process.kill();
    let error = peer.connection.send(b"to nobody", &[]).unwrap_err();
    assert!(matches!(error, TransportError::Closed { direction: Direction::Sending, .. }), "{error}");
    assert!(error.is_disconnected() && error.to_string().contains("receive what it sent before"), "{error}");
    for number in 0..10 {
        assert_eq!(peer.connection.receive().unwrap().bytes, [number]);
    }
    assert_finished(&peer.connection);
}

/// The peer is killed after it has sent this number of pieces of a message and of the end.
#[rstest]
fn a_killed_sender_is_told_from_one_that_has_finished(#[values(0, 1, 2, 3, 4)] steps: u8) {
    let mut peer = Peer::start(module_path!(), "role_ends_in_steps");
    peer.connection.send(&[steps], &[]).unwrap();
    assert_eq!(peer.process.hear(), "sent");
    peer.process.kill();
    if steps >= 2 {
        assert_eq!(peer.connection.receive().unwrap().bytes, b"last");
    }
    if steps == 4 {
        return assert_finished(&peer.connection);
    }
    let error = peer.connection.receive().unwrap_err();
    match steps {
        0 | 2 => assert!(matches!(error, TransportError::Closed { .. }), "{error}"),
        _ => assert!(matches!(error, TransportError::Interrupted { .. }), "{error}"),
    }
    assert!(error.is_disconnected());
    // A message that was cut off leaves the connection unusable, for the same reason.
    assert!(peer.connection.receive().unwrap_err().is_disconnected());
}

#[test]
fn an_end_comes_with_nothing_else() {
    for at in 4..END.len() {
        let (connection, peer) = connection();
        let mut end = END;
        end[at] = 1;
        send(&peer, &end, &[]);
        let error = connection.receive().unwrap_err();
        assert!(matches!(error, TransportError::OtherProtocol), "byte {at}: {error}");
        let error = connection.receive().unwrap_err();
        assert!(matches!(error, TransportError::Unusable { is_disconnected: false, .. }), "byte {at}: {error}");
    }
    let (connection, peer) = connection();
    let traced = Traced::new();
    send(&peer, &END, &traced.times(1));
    let error = connection.receive().unwrap_err();
    assert!(matches!(error, TransportError::TooManyDescriptors { limit: 0, .. }), "{error}");
    drop(connection);
    traced.assert_closed();
}

#[test]
fn what_follows_the_end_is_not_read() {
    let (connection, peer) = connection();
    let traced = Traced::new();
    send(&peer, &END, &[]);
    send(&peer, &header(1, 0), &traced.times(1));
    assert_finished(&connection);
    drop(connection);
    traced.assert_closed();
}

#[test]
fn an_end_that_does_not_fit_yet_is_sent_later() {
    let (mut one, other) = Connection::pair().unwrap();
    one.set_timeout(Some(std::time::Duration::ZERO));
    let fitting = (0..).take_while(|_| one.send(b"frame", &[]).is_ok()).count();
    let error = one.finish().unwrap_err();
    assert!(matches!(error, TransportError::TimedOut { .. }), "{error}");
    for _ in 0..fitting {
        assert_eq!(other.receive().unwrap().bytes, b"frame");
    }
    one.finish().unwrap();
    assert_finished(&other);
}

roles! {
    fn role_produces(connection) {
        say("producing");
        for number in 0..10_u8 {
            connection.send(&[number], &[]).unwrap();
        }
        // The acknowledgement has arrived, and stays unread.
        rustix::net::recv(&connection, &mut [0; 16], rustix::net::RecvFlags::PEEK | rustix::net::RecvFlags::WAITALL)
            .unwrap();
        connection.finish().unwrap();
        say("finished");
        wait_for_the_end();
    }

    fn role_ends_in_steps(connection) {
        let steps = connection.receive().unwrap().bytes[0];
        let pieces: [&[u8]; 4] = [&header(0, 4), b"last", &END[..7], &END[7..]];
        for piece in &pieces[..steps.into()] {
            send(&connection, piece, &[]);
        }
        say("sent");
        wait_for_the_end();
    }
}

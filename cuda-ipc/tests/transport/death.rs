//! A peer is killed at every step of a message.

use std::os::fd::AsFd as _;
use std::thread;

use cuda_ipc::transport::{Direction, TransportError};
use rstest::rstest;

use crate::peer::{Peer, roles, say, wait_for_the_end};
use crate::raw::{Traced, header, send};

/// The peer is killed after it has sent this number of pieces.
#[rstest]
fn the_sender_dies(#[values(0, 1, 2, 3, 4, 5)] steps: u8) {
    let mut peer = Peer::start(module_path!(), "role_sends_in_steps");
    let traced = Traced::new();
    peer.connection.send(&[steps], &traced.times(1)).unwrap();
    assert_eq!(peer.process.hear(), "sent");
    peer.process.kill();
    let received = peer.connection.receive();
    match steps {
        0 => assert!(matches!(received, Err(TransportError::Closed { .. })), "{received:?}"),
        1..5 => {
            let direction = Direction::Receiving;
            assert!(matches!(received, Err(TransportError::Interrupted { direction: d, .. }) if d == direction));
            let error = peer.connection.receive().unwrap_err();
            assert!(matches!(error, TransportError::Unusable { direction: d, .. } if d == direction), "{error}");
        }
        _ => {
            let message = received.unwrap();
            assert_eq!((message.bytes.len(), message.descriptors.len()), (100, 300));
            let error = peer.connection.receive().unwrap_err();
            assert!(matches!(error, TransportError::Closed { .. }), "{error}");
        }
    }
    traced.assert_closed();
    let error = peer.connection.send(b"to nobody", &[]).unwrap_err();
    assert!(matches!(error, TransportError::Closed { .. }), "{error}");
}

/// The message is longer than the socket's buffer, so the send is still in progress when the receiver is killed.
#[test]
fn the_receiver_dies_within_a_message() {
    let mut peer = Peer::start(module_path!(), "role_reads_a_little");
    let traced = Traced::new();
    let Peer { connection, process } = &mut peer;
    let error = thread::scope(|scope| {
        let sending = scope.spawn(|| connection.send(&vec![0; 8 << 20], &traced.times(300)).unwrap_err());
        assert_eq!(process.hear(), "reading");
        process.kill();
        sending.join().unwrap()
    });
    assert!(matches!(error, TransportError::Interrupted { direction: Direction::Sending, .. }), "{error}");
    traced.assert_closed();
}

/// A peer that ends with a message unread resets the connection. A message that it sent before can still be received.
#[test]
fn the_receiver_dies_with_a_message_unread() {
    let mut peer = Peer::start(module_path!(), "role_answers_before_it_is_asked");
    assert_eq!(peer.process.hear(), "sent");
    let traced = Traced::new();
    peer.connection.send(b"unread", &traced.times(300)).unwrap();
    peer.process.kill();
    traced.assert_closed();
    assert_eq!(peer.connection.receive().unwrap().bytes, b"the answer");
    for _ in 0..2 {
        let error = peer.connection.receive().unwrap_err();
        assert!(matches!(error, TransportError::Closed { .. }), "{error}");
    }
}

roles! {
    fn role_sends_in_steps(connection) {
        let order = connection.receive().unwrap();
        let traced = order.descriptors[0].as_fd();
        let header = header(300, 100);
        let pieces: [(&[u8], usize); 5] =
            [(&header[..5], 253), (&header[5..], 0), (&[0], 47), (&[1; 60], 0), (&[1; 40], 0)];
        for (bytes, descriptors) in &pieces[..order.bytes[0].into()] {
            send(&connection, bytes, &vec![traced; *descriptors]);
        }
        say("sent");
        wait_for_the_end();
    }

    fn role_reads_a_little(connection) {
        rustix::net::recv(&connection, &mut [0; 1000], rustix::net::RecvFlags::WAITALL).unwrap();
        say("reading");
        wait_for_the_end();
    }

    fn role_answers_before_it_is_asked(connection) {
        connection.send(b"the answer", &[]).unwrap();
        say("sent");
        wait_for_the_end();
    }
}

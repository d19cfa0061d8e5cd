//! Bytes that are not a message give an error, and no descriptor stays open.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use cuda_ipc::transport::{Connection, Direction, Limits, Message, TransportError};
use rstest::rstest;

use crate::peer::with_timeout;
use crate::raw::{Traced, header, send};

/// Returns a connection, and the raw socket of its peer.
pub(crate) fn connection() -> (Connection, UnixStream) {
    let (socket, other) = UnixStream::pair().unwrap();
    let mut connection = with_timeout(Connection::from(socket));
    connection.set_limits(Limits { bytes: 1000, descriptors: 300 });
    (connection, other)
}

fn assert_unusable(connection: &Connection) {
    let error = connection.receive().unwrap_err();
    assert!(matches!(error, TransportError::Unusable { direction: Direction::Receiving, .. }), "{error}");
}

fn error_of(received: Result<Message, TransportError>) -> String {
    received.expect_err("this is not a message").to_string()
}

#[rstest]
#[case::http(b"GET / HTTP/1.1\r\n".to_vec(), "does not speak this protocol")]
#[case::zeros(vec![0; 16], "does not speak this protocol")]
#[case::next_version([b"CIM\x02".as_slice(), &[0; 12]].concat(), "use the same version of cuda-ipc")]
#[case::too_long(header(0, 1001), "has 1001 bytes, but the connection's limit is 1000")]
#[case::longest(header(0, u64::MAX), "has 18446744073709551615 bytes")]
#[case::too_many(header(301, 0), "has 301 descriptors, but at most 300 are allowed")]
#[case::most(header(u32::MAX, 0), "has 4294967295 descriptors")]
fn what_no_message_begins_with_is_refused(#[case] bytes: Vec<u8>, #[case] expected: &str) {
    let (connection, peer) = connection();
    let traced = Traced::new();
    send(&peer, &bytes, &traced.times(253));
    let message = error_of(connection.receive());
    assert!(message.contains(expected), "{message}");
    traced.assert_closed();
    assert_unusable(&connection);
    // The peer's next send fails, but this end can still send the reason.
    assert!(rustix::net::send(&peer, b"more", rustix::net::SendFlags::NOSIGNAL).is_err());
    connection.send(b"what was that?", &[]).unwrap();
    assert_eq!(Connection::from(peer).receive().unwrap().bytes, b"what was that?");
}

#[rstest]
#[case::larger_than_any_machine(1 << 46)]
#[case::largest(u64::MAX)]
fn an_announcement_alone_takes_no_memory(#[case] bytes: u64) {
    let (mut connection, peer) = connection();
    connection.set_limits(Limits { bytes: usize::MAX, ..Limits::default() });
    connection.set_timeout(Some(Duration::from_millis(10)));
    send(&peer, &header(0, bytes), &[]);
    send(&peer, &[7; 100], &[]);
    let error = connection.receive().unwrap_err();
    assert!(matches!(error, TransportError::TimedOut { .. }), "{error}");
}

#[rstest]
#[case::with_the_header(0, 1, 0)]
#[case::with_the_bytes(3, 3, 1)]
#[case::with_the_bytes_unannounced(0, 0, 200)]
fn more_descriptors_than_announced_are_refused(
    #[case] announced: u32,
    #[case] with_the_header: usize,
    #[case] with_the_bytes: usize,
) {
    let (connection, peer) = connection();
    let traced = Traced::new();
    send(&peer, &header(announced, 10), &traced.times(with_the_header));
    send(&peer, &[0; 10], &traced.times(with_the_bytes));
    let error = connection.receive().unwrap_err();
    assert!(
        matches!(error, TransportError::TooManyDescriptors { limit, .. } if limit == announced as usize),
        "{error}"
    );
    drop(connection);
    traced.assert_closed();
}

/// With 253 descriptors for each byte of the header, a peer could send four thousand before announcing any.
#[test]
fn a_header_does_not_pour_out_descriptors() {
    let (connection, peer) = connection();
    let traced = Traced::new();
    for byte in header(300, 0).chunks(1).take(2) {
        send(&peer, byte, &traced.times(253));
    }
    let error = connection.receive().unwrap_err();
    assert!(matches!(error, TransportError::TooManyDescriptors { limit: 253, .. }), "{error}");
    drop(connection);
    traced.assert_closed();
}

#[rstest]
#[case::none(0, 0)]
#[case::one_less(2, 0)]
#[case::no_second_batch(253, 1)]
fn fewer_descriptors_than_announced_cost_this_message_only(#[case] sent: usize, #[case] carriers: usize) {
    let (connection, peer) = connection();
    let traced = Traced::new();
    let announced = if carriers == 0 { 3 } else { 254 };
    send(&peer, &header(announced, 0), &traced.times(sent));
    if carriers > 0 {
        send(&peer, &vec![0; carriers], &[]);
    }
    let error = connection.receive().unwrap_err();
    assert!(matches!(error, TransportError::DescriptorsMissing { received, .. } if received == sent), "{error}");
    traced.assert_closed();
    send(&peer, &header(0, 2), &[]);
    send(&peer, b"ok", &[]);
    assert_eq!(connection.receive().unwrap().bytes, b"ok");
}

/// A stream may deliver a message in pieces of any size.
#[test]
fn a_message_in_single_bytes_is_a_message() {
    let (connection, peer) = connection();
    let traced = Traced::new();
    let message = [header(2, 3), b"abc".to_vec()].concat();
    for (index, byte) in message.chunks(1).enumerate() {
        send(&peer, byte, &traced.times(usize::from(index == 7 || index == 18)));
    }
    let received = connection.receive().unwrap();
    assert_eq!((&*received.bytes, received.descriptors.len()), (&b"abc"[..], 2));
}

/// The connection ends after each number of bytes. The end is clean only before the first byte and after the last.
#[test]
fn an_end_within_a_message_is_told_from_a_clean_end() {
    let message = [header(1, 3), b"abc".to_vec()].concat();
    for length in 0..=message.len() {
        let (connection, peer) = connection();
        let traced = Traced::new();
        if length > 0 {
            send(&peer, &message[..length], &traced.times(1));
        }
        drop(peer);
        let received = connection.receive();
        match length {
            0 => assert!(matches!(received, Err(TransportError::Closed { .. })), "{received:?}"),
            _ if length == message.len() => {
                assert_eq!(received.unwrap().descriptors.len(), 1);
                assert!(matches!(connection.receive(), Err(TransportError::Closed { .. })));
            }
            _ => {
                let direction = Direction::Receiving;
                assert!(
                    matches!(received, Err(TransportError::Interrupted { direction: found, .. }) if found == direction)
                );
                assert_unusable(&connection);
            }
        }
        drop(connection);
        traced.assert_closed();
    }
}

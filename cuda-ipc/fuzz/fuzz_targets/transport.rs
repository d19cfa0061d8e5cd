//! Checks that a `Connection` makes messages or errors of any stream of bytes and descriptors: it keeps to its limits,
//! ends, leaves no descriptor open, and loses no whole message.
//!
//! Run it in this crate's folder, on stable Rust:
//!
//! ```sh
//! mkdir -p corpus/transport
//! cargo run --release --bin transport -- corpus/transport -max_total_time=60 -timeout=10
//! ```
//!
//! The input is a list of steps of the peer, so that the fuzzer need not find the headers by itself.
#![no_main]

use std::collections::VecDeque;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use cuda_ipc::liveness::{Lease, Tenancy};
use cuda_ipc::transport::{Connection, Limits, Message, TransportError};
use cuda_ipc::{Error, Parcel};
use libfuzzer_sys::fuzz_target;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

const LIMITS: Limits = Limits { bytes: 1000, descriptors: 300 };
/// The kernel transfers no more descriptors at a time.
const BATCH: usize = 253;
const HEADER: usize = 16;
/// A ticket that needs no descriptors. One descriptor beside it is a lease.
const TICKET: &[u8] = include_bytes!("../../tests/ticket/golden/v2-legacy-memory.bin");

fuzz_target!(|input: &[u8]| {
    let (lease, tenancy) = Lease::grant().expect("a pipe");
    run(&mut Steps(input), &tenancy);
    drop(tenancy);
    // Every copy of the descriptor is closed, received or not.
    lease.wait(Duration::from_secs(5)).expect("a descriptor is still open");
});

/// What is left of the input. At its end, every byte is 0.
struct Steps<'input>(&'input [u8]);

impl<'input> Steps<'input> {
    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    fn number(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    fn bytes(&mut self, count: usize) -> &'input [u8] {
        let (bytes, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        bytes
    }
}

/// The end of the connection that the peer writes to.
struct Peer<'tenancy> {
    socket: UnixStream,
    tenancy: &'tenancy Tenancy,
    written: usize,
    /// What the connection must receive, as long as the stream has only whole messages.
    expected: Option<VecDeque<Expected>>,
}

#[derive(PartialEq)]
enum Expected {
    Message { bytes: Vec<u8>, descriptors: usize },
    End,
}

fn run(steps: &mut Steps<'_>, tenancy: &Tenancy) {
    let (ours, socket) = UnixStream::pair().expect("a pair of sockets");
    let mut connection = Connection::from(ours);
    connection.set_limits(LIMITS);
    connection.set_timeout(Some(Duration::ZERO));
    let mut peer = Peer { socket, tenancy, written: 0, expected: Some(VecDeque::new()) };
    while !steps.0.is_empty() {
        match steps.byte() % 8 {
            0 => {
                peer.expected = None;
                let (descriptors, length) = (steps.number() % (BATCH + 1), steps.number());
                peer.send(steps.bytes(length), descriptors);
            }
            1 => {
                peer.expected = None;
                let (announced, length, sent) = (steps.number(), steps.number(), steps.number() % (BATCH + 1));
                peer.send(&header(b"CIM\x01", announced as u32, length as u64), sent);
            }
            // Some of these are beyond the limits.
            2 => {
                let (descriptors, length) = (steps.number() % 305, steps.number() % 1005);
                let mut bytes = steps.bytes(length).to_vec();
                bytes.resize(length, 0);
                if descriptors > LIMITS.descriptors || length > LIMITS.bytes {
                    peer.expected = None;
                }
                peer.send_message(&bytes, descriptors);
            }
            3 => {
                let (descriptors, length) = (steps.number() % 3, steps.number() % 100);
                peer.send_message(&[TICKET, steps.bytes(length)].concat(), descriptors);
            }
            4 => {
                peer.send(&header(b"CIE\x01", 0, 0), 0);
                peer.expect(Expected::End);
            }
            // What has arrived so far, even if it is only a part of a message.
            5 => _ = peer.is_over(&connection),
            6 => peer.receive_parcel(&connection),
            _ => _ = connection.send(steps.bytes(20), &[]),
        }
    }
    let _ = peer.socket.shutdown(Shutdown::Write);
    // Each message has a header, and the first error may come before the last.
    let most = peer.written / HEADER + 2;
    assert!((0..most).any(|_| peer.is_over(&connection)), "the stream has ended, but not the connection");
}

fn header(kind: &[u8; 4], descriptors: u32, bytes: u64) -> Vec<u8> {
    [&kind[..], &descriptors.to_le_bytes(), &bytes.to_le_bytes()].concat()
}

impl Peer<'_> {
    /// Sends bytes, with descriptors at the first of them. If the socket's buffer is full, the rest is lost.
    fn send(&mut self, bytes: &[u8], descriptors: usize) {
        let descriptors: Vec<BorrowedFd<'_>> = vec![self.tenancy.as_fd(); descriptors];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        assert!(descriptors.is_empty() || control.push(SendAncillaryMessage::ScmRights(&descriptors)));
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        let sent = sendmsg(&self.socket, &[IoSlice::new(bytes)], &mut control, flags).unwrap_or_default();
        self.written += sent;
        if sent < bytes.len() {
            self.expected = None;
        }
    }

    fn send_message(&mut self, bytes: &[u8], descriptors: usize) {
        let first = descriptors.min(BATCH);
        self.send(&header(b"CIM\x01", descriptors as u32, bytes.len() as u64), first);
        if descriptors > first {
            self.send(&[&[0][..], bytes].concat(), descriptors - first);
        } else {
            self.send(bytes, 0);
        }
        self.expect(Expected::Message { bytes: bytes.to_vec(), descriptors });
    }

    fn expect(&mut self, next: Expected) {
        // What follows the end is not received.
        if let Some(expected) = self.expected.as_mut().filter(|expected| expected.back() != Some(&Expected::End)) {
            expected.push_back(next);
        }
    }

    /// Receives once, checks the result, and returns whether nothing else can come.
    fn is_over(&mut self, connection: &Connection) -> bool {
        let received = connection.receive();
        if let Ok(Message { bytes, descriptors }) = &received {
            assert!(bytes.len() <= LIMITS.bytes && descriptors.len() <= LIMITS.descriptors);
        }
        if let Some(expected) = &mut self.expected {
            match (&received, expected.front()) {
                (Ok(received), Some(Expected::Message { bytes, descriptors })) => {
                    assert!(received.bytes == *bytes && received.descriptors.len() == *descriptors);
                    expected.pop_front();
                }
                (Err(TransportError::Finished { .. }), Some(Expected::End)) => {}
                (Err(TransportError::TimedOut { .. } | TransportError::Closed { .. }), None) => {}
                _ => panic!("a whole message or the end was expected: {received:?}"),
            }
        }
        match received {
            Ok(_) => false,
            Err(error) => {
                error.is_disconnected()
                    || matches!(error, TransportError::Finished { .. } | TransportError::Unusable { .. })
            }
        }
    }

    fn receive_parcel(&mut self, connection: &Connection) {
        let received = Parcel::receive_with(connection);
        let taken = !matches!(received, Err(Error::Transport(_)));
        if let Some(expected) = self.expected.as_mut().filter(|_| taken) {
            let Some(Expected::Message { bytes, .. }) = expected.pop_front() else { panic!("nothing was sent") };
            if let Ok((parcel, message)) = received {
                assert_eq!([&*parcel.ticket.to_bytes(), &message].concat(), bytes);
            }
        }
    }
}

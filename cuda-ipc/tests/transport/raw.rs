//! The stream below the messages: what a peer sends that is not, or not yet, a message.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

use cuda_ipc::liveness::{Lease, Tenancy};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::peer::LONG;

/// What a message begins with.
pub(crate) fn header(descriptors: u32, bytes: u64) -> Vec<u8> {
    [b"CIM\x01".as_slice(), &descriptors.to_le_bytes(), &bytes.to_le_bytes()].concat()
}

/// `sendmsg`: some bytes, and descriptors with them.
pub(crate) fn send(socket: impl AsFd, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        assert!(control.push(SendAncillaryMessage::ScmRights(descriptors)));
    }
    let sent = sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL).unwrap();
    assert_eq!(sent, bytes.len());
}

/// The usual soft limit is for programs that call `select`, and too low for a thousand descriptors.
pub(crate) fn allow_many_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// A descriptor to send, of which it can be told whether any copy is still open, in any process or on its way.
pub(crate) struct Traced {
    lease: Lease,
    tenancy: Tenancy,
}

impl Traced {
    pub(crate) fn new() -> Self {
        allow_many_descriptors();
        let (lease, tenancy) = Lease::grant().unwrap();
        Self { lease, tenancy }
    }

    pub(crate) fn times(&self, count: usize) -> Vec<BorrowedFd<'_>> {
        vec![self.tenancy.as_fd(); count]
    }

    /// Every copy is closed. Another test's child may hold one between its fork and its exec, but not for long.
    pub(crate) fn assert_closed(self) {
        drop(self.tenancy);
        self.lease.wait(LONG).expect("no copy is left open");
    }
}

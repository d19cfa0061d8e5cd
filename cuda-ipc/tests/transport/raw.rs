//! The stream below the messages, for sending bytes that are not, or not yet, a message.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

use cuda_ipc::liveness::{Lease, Tenancy};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::peer::LONG;

/// Returns the header of a message.
pub(crate) fn header(descriptors: u32, bytes: u64) -> Vec<u8> {
    [b"CIM\x01".as_slice(), &descriptors.to_le_bytes(), &bytes.to_le_bytes()].concat()
}

/// `sendmsg`: sends bytes, with descriptors.
pub(crate) fn send(socket: impl AsFd, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        assert!(control.push(SendAncillaryMessage::ScmRights(descriptors)));
    }
    let sent = sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL).unwrap();
    assert_eq!(sent, bytes.len());
}

/// Raises the soft limit of open files. The usual one is meant for programs that call `select`, and is too low for a
/// thousand descriptors.
pub(crate) fn allow_many_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// A descriptor to send. It shows whether any copy is still open, in any process or in transit.
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

    /// Checks that every copy is closed. It waits, because a child of another test may hold a copy between its fork and
    /// its exec.
    pub(crate) fn assert_closed(self) {
        drop(self.tenancy);
        self.lease.wait(LONG).expect("every copy must be closed");
    }
}

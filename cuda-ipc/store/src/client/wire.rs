//! The connection to a daemon, as all threads of a client use it.

use std::os::fd::OwnedFd;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cuda_ipc::transport::{Connection, Message, TransportError};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};

use crate::Error;
use crate::protocol::{LIMITS, Reply, Request};

/// What the bell says of its one connection.
const ONLY: epoll::EventData = epoll::EventData::new_u64(0);

/// A connection on which the daemon has said welcome.
#[derive(Debug)]
pub(super) struct Wire {
    connection: Connection,
    /// Readable when the connection is, except while a thread waits for its reply.
    bell: OwnedFd,
    timeout: Duration,
    /// Set once nothing more can be sent or received.
    is_gone: AtomicBool,
    /// The process that connected. A forked child shares the socket, and must not speak for its parent.
    process: u32,
}

impl Wire {
    /// Says hello on a new connection, and waits for the welcome.
    pub(super) fn new(mut connection: Connection, timeout: Duration) -> Result<Self, Error> {
        connection.set_timeout(Some(timeout));
        connection.set_limits(LIMITS);
        let bell = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(Error::system("epoll_create1"))?;
        epoll::add(&bell, &connection, ONLY, epoll::EventFlags::IN).map_err(Error::system("epoll_ctl"))?;
        let wire = Self { connection, bell, timeout, is_gone: AtomicBool::new(false), process: process::id() };
        match wire.connection.send(&Request::HELLO.to_bytes(), &[]) {
            // A daemon that does not serve this user has said so before it hung up.
            Err(error) if !error.is_disconnected() => return Err(wire.failed(error)),
            _ => {}
        }
        match Reply::from_bytes(&wire.receive()?.bytes) {
            Ok(Reply::Welcome) => Ok(wire),
            Ok(Reply::Refused(refusal)) => Err(refusal.into()),
            _ => Err(Error::BadReply),
        }
    }

    /// Returns an error if the daemon is known to be gone, or if this process is a forked child.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.is_ours() {
            return Err(cuda_ipc::Error::Forked.into());
        }
        if self.is_gone.load(Ordering::Acquire) { Err(Error::StoreGone) } else { Ok(()) }
    }

    /// Returns whether this is the process that connected.
    pub(super) fn is_ours(&self) -> bool {
        self.process == process::id()
    }

    pub(super) fn send(&self, request: &Request) -> Result<(), Error> {
        self.check()?;
        self.connection.send(&request.to_bytes(), &[]).map_err(|error| {
            // After half a message, or none of them, nothing that follows can be read.
            self.close();
            self.failed(error)
        })
    }

    /// Sends a message that nobody waits for. If it cannot be sent, the daemon learns the same when it sees that this
    /// connection is closed.
    pub(super) fn tell(&self, request: &Request) {
        let _ = self.send(request);
    }

    /// Waits until there is something to receive that is not silenced. Returns false once the connection is closed here.
    pub(super) fn wait(&self) -> bool {
        let mut events = Vec::with_capacity(1);
        // A signal ends the wait early. The caller finds nothing to receive then, and waits again.
        let _ = epoll::wait(&self.bell, spare_capacity(&mut events), None);
        !self.is_gone.load(Ordering::Acquire)
    }

    /// Lets messages wake no thread in [`Wire::wait`] until the result is dropped. Otherwise each reply would wake that
    /// thread too, and the thread that waits for the reply would be slower.
    pub(super) fn silence(&self) -> Silence<'_> {
        self.ring_for(epoll::EventFlags::empty());
        Silence(self)
    }

    fn ring_for(&self, flags: epoll::EventFlags) {
        // It cannot fail with descriptors that this value owns. A closed connection rings in any case.
        let _ = epoll::modify(&self.bell, &self.connection, ONLY, flags);
    }

    /// Returns whether there is something to receive, or the connection has ended.
    pub(super) fn is_readable(&self) -> bool {
        let mut polled = [PollFd::new(&self.connection, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            match poll(&mut polled, Some(&at_once)) {
                Err(Errno::INTR) => {}
                // If the kernel has no memory for this, receiving fails too, and says so.
                result => return result != Ok(0),
            }
        }
    }

    /// Receives the next message, within the timeout.
    pub(super) fn receive(&self) -> Result<Message, Error> {
        self.connection.receive().map_err(|error| self.failed(error))
    }

    fn failed(&self, error: TransportError) -> Error {
        match error {
            TransportError::Finished { .. } => Error::StoreGone,
            error if error.is_disconnected() => Error::StoreGone,
            TransportError::TimedOut { .. } => Error::TimedOut { waited: self.timeout },
            TransportError::OtherProtocol
            | TransportError::TooLong { .. }
            | TransportError::TooManyDescriptors { .. }
            | TransportError::DescriptorsMissing { .. } => Error::BadReply,
            error => Error::Cuda(error.into()),
        }
    }

    /// Ends the connection in both directions, and wakes the thread that receives.
    pub(super) fn close(&self) {
        self.is_gone.store(true, Ordering::Release);
        // Fails if the connection has ended already.
        let _ = shutdown(&self.connection, Shutdown::Both);
    }
}

/// While it lives, the bell of a connection is silent.
pub(super) struct Silence<'wire>(&'wire Wire);

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        // What has arrived meanwhile rings at once.
        self.0.ring_for(epoll::EventFlags::IN);
    }
}

//! The connection to a daemon, as all threads of a client use it.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cuda_ipc::transport::{Connection, Message, TransportError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};

use crate::Error;
use crate::protocol::{LIMITS, Reply, Request};

/// A connection on which the daemon has said welcome.
#[derive(Debug)]
pub(super) struct Wire {
    connection: Connection,
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
        let wire = Self { connection, timeout, is_gone: AtomicBool::new(false), process: process::id() };
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

    /// Waits until there is something to receive. Returns false once the connection is closed here.
    pub(super) fn wait(&self) -> bool {
        self.poll(None);
        !self.is_gone.load(Ordering::Acquire)
    }

    /// Returns whether there is something to receive, or the connection has ended.
    pub(super) fn is_readable(&self) -> bool {
        self.poll(Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))
    }

    fn poll(&self, timeout: Option<&Timespec>) -> bool {
        let mut polled = [PollFd::new(&self.connection, PollFlags::IN)];
        loop {
            match poll(&mut polled, timeout) {
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

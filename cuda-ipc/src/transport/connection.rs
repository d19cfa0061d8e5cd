//! Connections.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, connect, shutdown, socket_with};

use super::incoming::Incoming;
use super::outgoing::Outgoing;
use super::{Address, Direction, Header, TransportError};
use crate::deadline::Deadline;

/// A message that was received.
#[derive(Debug)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The descriptors that came with the bytes, in the order in which they were sent. They are close-on-exec.
    pub descriptors: Vec<OwnedFd>,
}

/// The largest message that is sent and received. A larger message is refused as soon as the peer announces it, before
/// memory is allocated for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of bytes.
    pub bytes: usize,
    /// The largest number of descriptors.
    pub descriptors: usize,
}

impl Default for Limits {
    /// Returns 16 MiB and 4096 descriptors.
    fn default() -> Self {
        Self { bytes: 16 << 20, descriptors: 4096 }
    }
}

/// A connected Unix stream socket, over which messages go both ways.
///
/// Threads may share it: messages stay whole, and calls in the same direction take turns. If a message was only partly
/// sent or received (the call timed out, the peer died, or the peer sent something that is not a message), the stream
/// is shut down in this direction. Later calls in this direction return [`TransportError::Unusable`].
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    timeout: Option<Duration>,
    limits: Limits,
    sending: Half,
    receiving: Half,
}

/// Whether one direction is still usable. The lock is held while a message is sent or received.
type Half = Mutex<bool>;

impl Connection {
    /// `connect`: connects to the listener at an address.
    ///
    /// It waits only while the listener's queue is full. If there is no listener yet, it returns an error at once.
    ///
    /// # Errors
    /// [`TransportError::NobodyListens`], [`TransportError::TimedOut`], [`TransportError::BadAddress`], and
    /// [`TransportError::System`], for example if this user may not write to the socket's file.
    pub fn connect(address: &Address, timeout: Option<Duration>) -> Result<Self, TransportError> {
        let name = address.socket_address()?;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            .map_err(TransportError::system("socket"))?;
        let set_timeout =
            |timeout| set_socket_timeout(&socket, Timeout::Send, timeout).map_err(TransportError::system("setsockopt"));
        let deadline = Deadline::after(timeout);
        loop {
            // The kernel rounds to its ticks, and 0 would mean no timeout.
            set_timeout(deadline.left().map(|left| left.max(Duration::from_micros(1))))?;
            match connect(&socket, &name) {
                Ok(()) => break,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Err(TransportError::TimedOut { waiting_for: "a listener to accept" }),
                Err(Errno::CONNREFUSED | Errno::NOENT) => {
                    return Err(TransportError::NobodyListens { address: address.clone() });
                }
                Err(error) => return Err(TransportError::system("connect")(error)),
            }
        }
        set_timeout(None)?;
        Ok(Self::from(UnixStream::from(socket)))
    }

    /// `socketpair`: creates two connected ends, which are close-on-exec. One of them can be given to a child, for
    /// example as its standard input.
    ///
    /// # Errors
    /// [`TransportError::System`] if no descriptor is left.
    pub fn pair() -> Result<(Self, Self), TransportError> {
        let (one, other) = UnixStream::pair().map_err(TransportError::system("socketpair"))?;
        Ok((Self::from(one), Self::from(other)))
    }

    /// Sets how long a call may take for its whole message. With `None` it may take for ever.
    ///
    /// A peer that sends byte by byte does not extend the time. Waiting for another thread's call does not count.
    pub const fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// Sets the largest message that this end sends and receives.
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// `sendmsg`: sends a message with descriptors, of which the peer receives duplicates.
    ///
    /// One message can have any number of descriptors within the limits, although the kernel transfers at most 253 at a
    /// time. The kernel counts the user's descriptors that no peer has received yet against `RLIMIT_NOFILE`.
    ///
    /// # Errors
    /// [`TransportError::Closed`] if the peer is gone; messages that it sent before can still be received.
    /// [`TransportError::TimedOut`], [`TransportError::Interrupted`], [`TransportError::Unusable`],
    /// [`TransportError::TooLong`], [`TransportError::TooManyDescriptors`] and [`TransportError::System`].
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<(), TransportError> {
        let (direction, limits) = (Direction::Sending, self.limits);
        if bytes.len() > limits.bytes {
            let (length, limit) = (bytes.len() as u64, limits.bytes);
            return Err(TransportError::TooLong { direction, length, limit });
        }
        let count = u32::try_from(descriptors.len()).ok().filter(|_| descriptors.len() <= limits.descriptors);
        let Some(count) = count else {
            let (count, limit) = (descriptors.len(), limits.descriptors);
            return Err(TransportError::TooManyDescriptors { direction, count, limit });
        };
        let header = Header { descriptors: count, bytes: bytes.len() as u64 };
        self.take_turn(direction, |deadline| {
            let mut message = Outgoing::new(self.as_fd(), deadline);
            let result = message.send(&header, bytes, descriptors);
            let is_half_done = result.is_err() && message.has_begun;
            (result, is_half_done)
        })
    }

    /// `recvmsg`: receives the next message.
    ///
    /// If the message does not arrive whole, the descriptors that did arrive are closed.
    ///
    /// # Errors
    /// [`TransportError::Closed`] if the peer is gone and no part of a message has arrived;
    /// [`TransportError::Interrupted`] if a part has arrived. [`TransportError::DescriptorsLost`] at this process's
    /// limit of open files; only this message is lost. [`TransportError::TimedOut`], [`TransportError::TooLong`],
    /// [`TransportError::TooManyDescriptors`], [`TransportError::DescriptorsMissing`],
    /// [`TransportError::OtherProtocol`], [`TransportError::Unusable`] and [`TransportError::System`].
    pub fn receive(&self) -> Result<Message, TransportError> {
        self.take_turn(Direction::Receiving, |deadline| {
            let mut message = Incoming::new(self.as_fd(), deadline);
            let result = message.receive(self.limits);
            (result, message.is_within())
        })
    }

    /// Transfers one message in a direction. The action returns its result, and whether it left the message incomplete.
    fn take_turn<T>(
        &self,
        direction: Direction,
        action: impl FnOnce(Deadline) -> (Result<T, TransportError>, bool),
    ) -> Result<T, TransportError> {
        let (half, end) = match direction {
            Direction::Sending => (&self.sending, Shutdown::Write),
            Direction::Receiving => (&self.receiving, Shutdown::Read),
        };
        let mut is_usable = half.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_usable {
            return Err(TransportError::Unusable { direction });
        }
        let (result, is_half_done) = action(Deadline::after(self.timeout));
        if is_half_done {
            *is_usable = false;
            // This tells the peer not to wait for the rest. It fails if the peer is gone.
            let _ = shutdown(&self.socket, end);
        }
        result
    }
}

impl From<UnixStream> for Connection {
    /// Makes a connection of a connected stream, such as one that a child inherited. The other end must also be a
    /// `Connection`, and no message may have been partly sent or received.
    fn from(socket: UnixStream) -> Self {
        let [sending, receiving] = [Half::new(true), Half::new(true)];
        Self { socket, timeout: None, limits: Limits::default(), sending, receiving }
    }
}

impl From<Connection> for UnixStream {
    /// Returns the socket. No data is lost: a connection reads no further than the end of its message.
    fn from(connection: Connection) -> Self {
        connection.socket
    }
}

impl From<Connection> for OwnedFd {
    fn from(connection: Connection) -> Self {
        connection.socket.into()
    }
}

impl AsFd for Connection {
    /// Returns the descriptor for a poll loop. It is readable if a message has begun to arrive, or if the peer is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

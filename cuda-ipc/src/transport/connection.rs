//! A connection.

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

/// What was received.
#[derive(Debug)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The descriptors that came with them, in the order in which they were sent, close-on-exec.
    pub descriptors: Vec<OwnedFd>,
}

/// The largest message that is sent and received. What a peer announces beyond it is refused before memory is
/// allocated for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes.
    pub bytes: usize,
    /// The most descriptors.
    pub descriptors: usize,
}

impl Default for Limits {
    /// 16 MiB and 4096 descriptors.
    fn default() -> Self {
        Self { bytes: 16 << 20, descriptors: 4096 }
    }
}

/// A connected Unix stream socket, over which messages go both ways.
///
/// Threads may share it: messages stay whole, and calls of the same direction take turns. Once a message was only half
/// sent or half received (the time was over, the peer died, or what it sent is no message), the stream is shut down in
/// this direction, and later calls say [`TransportError::Unusable`].
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    timeout: Option<Duration>,
    limits: Limits,
    sending: Half,
    receiving: Half,
}

/// One direction, held while a message is under way in it: whether it is of use yet.
type Half = Mutex<bool>;

impl Connection {
    /// `connect`: to the listener at an address.
    ///
    /// It waits only while the listener's queue is full: an address where nobody listens yet is an error at once.
    ///
    /// # Errors
    /// [`TransportError::NobodyListens`], [`TransportError::TimedOut`], [`TransportError::BadAddress`], and
    /// [`TransportError::System`], for example where this user may not write to the socket's file.
    pub fn connect(address: &Address, timeout: Option<Duration>) -> Result<Self, TransportError> {
        let name = address.socket_address()?;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            .map_err(TransportError::system("socket"))?;
        let set_timeout =
            |timeout| set_socket_timeout(&socket, Timeout::Send, timeout).map_err(TransportError::system("setsockopt"));
        let deadline = Deadline::after(timeout);
        loop {
            // The kernel rounds to its ticks; 0 would be no timeout at all.
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

    /// `socketpair`: two connected ends, close-on-exec. One of them goes to a child, for example as its standard input.
    ///
    /// # Errors
    /// [`TransportError::System`] where no descriptor is left.
    pub fn pair() -> Result<(Self, Self), TransportError> {
        let (one, other) = UnixStream::pair().map_err(TransportError::system("socketpair"))?;
        Ok((Self::from(one), Self::from(other)))
    }

    /// How long a call may take for its message, from its beginning to the last byte; without one, for ever.
    ///
    /// A peer that sends byte by byte gains nothing. Waiting for another thread's call does not count.
    pub const fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// The largest message that this end sends and receives.
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// `sendmsg`: send a message, with descriptors of which the peer gets duplicates.
    ///
    /// Any number of descriptors within the limits is one message, though the kernel carries 253 at a time. It counts
    /// those that no peer has received yet, for the whole user, against `RLIMIT_NOFILE`.
    ///
    /// # Errors
    /// [`TransportError::Closed`] where the peer is gone; what it had sent can still be received.
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

    /// `recvmsg`: receive the next message.
    ///
    /// Where it does not arrive whole, the descriptors that did arrive are closed.
    ///
    /// # Errors
    /// [`TransportError::Closed`] where the peer is gone and nothing of a message had come;
    /// [`TransportError::Interrupted`] where something had. [`TransportError::DescriptorsLost`] at this process's limit
    /// of open files, which costs this message only. [`TransportError::TimedOut`], [`TransportError::TooLong`],
    /// [`TransportError::TooManyDescriptors`], [`TransportError::DescriptorsMissing`],
    /// [`TransportError::OtherProtocol`], [`TransportError::Unusable`] and [`TransportError::System`].
    pub fn receive(&self) -> Result<Message, TransportError> {
        self.take_turn(Direction::Receiving, |deadline| {
            let mut message = Incoming::new(self.as_fd(), deadline);
            let result = message.receive(self.limits);
            (result, message.is_within())
        })
    }

    /// Carry one message in a direction; the action says whether it left the message half done.
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
            // So that the peer learns it too, and does not wait for the rest. It fails where the peer is gone.
            let _ = shutdown(&self.socket, end);
        }
        result
    }
}

impl From<UnixStream> for Connection {
    /// A connected stream, such as one that a child inherited. The other end must be a `Connection` too, and no
    /// message under way.
    fn from(socket: UnixStream) -> Self {
        let [sending, receiving] = [Half::new(true), Half::new(true)];
        Self { socket, timeout: None, limits: Limits::default(), sending, receiving }
    }
}

impl From<Connection> for UnixStream {
    /// The socket. Nothing that was sent is lost by it: a connection reads no further than its message.
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
    /// For a poll loop: it is readable where a message begins, or the peer is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

//! Connections.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rustix::net::{Shutdown, shutdown};

use super::incoming::Incoming;
use super::outgoing::Outgoing;
use super::socket_options::refuse_pidfds;
use super::{Direction, Header, TransportError};
use crate::deadline::Deadline;

/// A message that was received.
#[derive(Debug)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The descriptors that came with the bytes, in the order in which they were sent. They are close-on-exec.
    pub descriptors: Vec<OwnedFd>,
}

/// The largest message that is sent and received. A larger message is refused as soon as the peer announces it. Memory is
/// allocated as the bytes of a message arrive.
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
/// Threads may share it: messages stay whole, and calls in the same direction take turns. A message can be sent or
/// received only in part: the call times out, the peer dies, or the peer sends something that is not a message. Then
/// the stream is shut down in this direction, and later calls in this direction return [`TransportError::Unusable`].
///
/// [`Connection::finish`] ends one direction in an orderly way. Without it, the peer cannot know whether this process
/// was done or died: dropping a connection and being killed look the same to it.
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    timeout: Option<Duration>,
    limits: Limits,
    sending: Half,
    receiving: Half,
    /// The message that is being received. Locked only while `receiving` is.
    incoming: Mutex<Incoming>,
}

/// The state of one direction. The lock is held while a message is sent or received.
type Half = Mutex<State>;

#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    /// The last message was sent or received.
    Finished,
    /// A message was only partly sent or received.
    Broken {
        is_disconnected: bool,
    },
}

impl Connection {
    /// `socketpair`: creates two connected ends, which are close-on-exec. One of them can be given to a child, for
    /// example as its standard input.
    ///
    /// # Errors
    /// [`TransportError::System`] if no descriptor is left.
    pub fn pair() -> Result<(Self, Self), TransportError> {
        let (one, other) = UnixStream::pair().map_err(TransportError::system("socketpair"))?;
        Ok((Self::from(one), Self::from(other)))
    }

    /// Sets how long a call may take for its whole message. With `None`, as in a new connection, it may take for ever.
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
    /// [`TransportError::Finished`] after [`Connection::finish`]. [`TransportError::TimedOut`],
    /// [`TransportError::Interrupted`], [`TransportError::Unusable`], [`TransportError::TooLong`],
    /// [`TransportError::TooManyDescriptors`] and [`TransportError::System`].
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<(), TransportError> {
        self.send_by(Deadline::NEVER, bytes, descriptors)
    }

    /// Sends as [`Connection::send`] does, until a deadline, or until the timeout if that comes first.
    pub(crate) fn send_by(
        &self,
        deadline: Deadline,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), TransportError> {
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
        let header = Header::Message { descriptors: count, bytes: bytes.len() as u64 };
        let half = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        self.take_turn(half, direction, deadline, |deadline| {
            let mut message = Outgoing::new(self.as_fd(), deadline);
            let result = message.send(&header, bytes, descriptors);
            let is_half_done = result.is_err() && message.has_begun;
            (result, is_half_done)
        })
    }

    /// `sendmsg`: tells the peer that this end sends no more messages.
    ///
    /// The peer receives everything that was sent before, and then [`TransportError::Finished`]. It can still send, and
    /// this end can still receive. Let the peer call `finish` only after it has received `Finished`. If this end then
    /// receives `Finished` too, it knows that the peer has received everything. Keep the connection until then: if it is
    /// dropped earlier, the peer's `finish` can return [`TransportError::Closed`]. Finishing again does nothing.
    ///
    /// # Errors
    /// As [`Connection::send`].
    pub fn finish(&self) -> Result<(), TransportError> {
        let direction = Direction::Sending;
        let half = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = self.take_turn::<()>(half, direction, Deadline::NEVER, |deadline| {
            let mut message = Outgoing::new(self.as_fd(), deadline);
            let result = message.send(&Header::End, &[], &[]);
            let is_half_done = result.is_err() && message.has_begun;
            (result.and(Err(TransportError::Finished { direction })), is_half_done)
        });
        match ended {
            Err(TransportError::Finished { .. }) => Ok(()),
            other => other,
        }
    }

    /// `recvmsg`: receives the next message.
    ///
    /// If the message does not arrive whole, the descriptors that did arrive are closed.
    ///
    /// # Errors
    /// [`TransportError::Finished`] if the peer has called [`Connection::finish`] and all its messages were received;
    /// [`TransportError::Closed`] if the peer is gone without that, and no part of a message has arrived;
    /// [`TransportError::Interrupted`] if a part has arrived. [`TransportError::DescriptorsLost`] at this process's
    /// limit of open files; only this message is lost. [`TransportError::TimedOut`], [`TransportError::TooLong`],
    /// [`TransportError::TooManyDescriptors`], [`TransportError::DescriptorsMissing`],
    /// [`TransportError::OtherProtocol`], [`TransportError::Unusable`] and [`TransportError::System`].
    pub fn receive(&self) -> Result<Message, TransportError> {
        self.receive_by(Deadline::NEVER)
    }

    /// Receives as [`Connection::receive`] does, until a deadline, or until the timeout if that comes first.
    pub(crate) fn receive_by(&self, deadline: Deadline) -> Result<Message, TransportError> {
        loop {
            let half = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
            // A call that waits returns a message or an error, so this is no busy loop.
            if let Some(message) = self.receive_until(half, Some(deadline))? {
                return Ok(message);
            }
        }
    }

    /// `recvmsg`: receives what has arrived of the next message, without waiting. Returns the message if it is complete.
    ///
    /// The connection keeps what has arrived, and the next call continues. This is for event loops: call it when the
    /// descriptor ([`Connection::as_fd`]) is readable, until it returns `None`. The timeout does not apply, so the event
    /// loop limits how long a peer may take. While another thread receives, the result is `None`.
    ///
    /// # Errors
    /// As [`Connection::receive`], but never [`TransportError::TimedOut`].
    pub fn try_receive(&self) -> Result<Option<Message>, TransportError> {
        let half = match self.receiving.try_lock() {
            Ok(half) => half,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        self.receive_until(half, None)
    }

    /// Continues with the message of which a part has arrived, or else begins the next. Without a deadline it does not
    /// wait.
    fn receive_until(
        &self,
        half: MutexGuard<'_, State>,
        deadline: Option<Deadline>,
    ) -> Result<Option<Message>, TransportError> {
        self.take_turn(half, Direction::Receiving, deadline.unwrap_or(Deadline::NEVER), |until| {
            let mut incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
            let result = incoming.receive(self.as_fd(), self.limits, deadline.map(|_| until));
            if matches!(result, Ok(None)) {
                return (result, false);
            }
            let is_half_done = incoming.is_within();
            *incoming = Incoming::new();
            (result, is_half_done)
        })
    }

    /// Transfers one message in a direction, until the deadline or the timeout. The action returns its result, and
    /// whether it left the message incomplete.
    fn take_turn<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        direction: Direction,
        deadline: Deadline,
        action: impl FnOnce(Deadline) -> (Result<T, TransportError>, bool),
    ) -> Result<T, TransportError> {
        match *state {
            State::Open => {}
            State::Finished => return Err(TransportError::Finished { direction }),
            State::Broken { is_disconnected } => return Err(TransportError::Unusable { direction, is_disconnected }),
        }
        let (result, is_half_done) = action(Deadline::after(self.timeout).min(deadline));
        if is_half_done {
            let is_disconnected = result.as_ref().is_err_and(TransportError::is_disconnected);
            *state = State::Broken { is_disconnected };
            // This tells the peer not to wait for the rest. It fails if the peer is gone.
            let end = match direction {
                Direction::Sending => Shutdown::Write,
                Direction::Receiving => Shutdown::Read,
            };
            let _ = shutdown(&self.socket, end);
        } else if matches!(result, Err(TransportError::Finished { .. })) {
            // The socket is not shut down: it then still hangs up when the peer ends, and not before.
            *state = State::Finished;
        }
        result
    }
}

impl From<UnixStream> for Connection {
    /// Makes a connection from a connected stream, such as one that a child inherited. The other end must also be a
    /// `Connection`, and no message may have been partly sent or received.
    fn from(socket: UnixStream) -> Self {
        refuse_pidfds(socket.as_fd());
        let [sending, receiving] = [Half::new(State::Open), Half::new(State::Open)];
        let incoming = Mutex::new(Incoming::new());
        Self { socket, timeout: None, limits: Limits::default(), sending, receiving, incoming }
    }
}

impl From<Connection> for UnixStream {
    /// Returns the socket. A connection reads no further than the end of its message, so no data is lost, unless
    /// [`Connection::try_receive`] has received a part of one.
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
    /// Returns the descriptor for a poll loop. It is readable if a message has begun to arrive, or if the peer has
    /// finished or is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for Connection {
    /// Returns the descriptor for an event loop that asks for this trait. It is closed when this value is dropped.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

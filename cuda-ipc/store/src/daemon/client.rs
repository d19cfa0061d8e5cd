//! One connected client, and what waits to be sent to it.

use std::collections::VecDeque;
use std::os::fd::{AsFd as _, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Connection, Message, TransportError};
use rustix::event::PollFlags;

use super::accounts::Uid;
use crate::ObjectId;
use crate::protocol::{LIMITS, Refusal, Reply, Request};

/// The pause before a message with a descriptor is tried again that the kernel refused: the daemon's user has too many
/// descriptors in messages that nobody has received yet.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Client {
    connection: Connection,
    pub(super) uid: Uid,
    /// Whether it has said hello.
    pub(super) is_welcome: bool,
    /// Whether it is hung up on when everything is sent.
    is_leaving: bool,
    /// At most one reply, because the next request waits until it is sent, and at most one message for each object that
    /// the client holds and for each name that it waits for.
    queue: VecDeque<Outgoing>,
    /// Whether the reply is in the queue.
    owes_reply: bool,
    /// A request that came while a reply waited to be sent.
    postponed: Option<Message>,
    /// When to try again to send a message that the kernel refused.
    retry: Option<Instant>,
    /// Since when the kernel refuses the first message of the queue.
    hindered: Option<Instant>,
    /// When the daemon hangs up: the client owes a hello, the rest of a message, or to receive a reply. It owes nothing
    /// for other messages, so it may be idle for as long as it likes.
    deadline: Option<Instant>,
}

#[derive(Debug)]
struct Outgoing {
    bytes: Vec<u8>,
    descriptor: Option<Rc<OwnedFd>>,
    is_reply: bool,
    /// The object whose memory the reply gives.
    gives: Option<ObjectId>,
}

/// The client is gone, or has to go.
#[derive(Debug)]
pub(super) struct Gone;

impl Client {
    /// Takes a new connection. The client has to say hello until the deadline.
    pub(super) fn new(mut connection: Connection, uid: Uid, deadline: Instant) -> Self {
        // A message that cannot be sent at once waits here, and not in the call.
        connection.set_timeout(Some(Duration::ZERO));
        connection.set_limits(LIMITS);
        let (queue, deadline) = (VecDeque::new(), Some(deadline));
        Self {
            connection,
            uid,
            is_welcome: false,
            is_leaving: false,
            queue,
            owes_reply: false,
            postponed: None,
            retry: None,
            hindered: None,
            deadline,
        }
    }

    /// Returns what to wait for.
    pub(super) fn events(&self) -> (&Connection, PollFlags) {
        let mut events = PollFlags::empty();
        events.set(PollFlags::IN, self.postponed.is_none() && !self.is_leaving);
        events.set(PollFlags::OUT, self.has_queue() && self.retry.is_none());
        (&self.connection, events)
    }

    /// Returns when something has to happen, even if the client does nothing.
    pub(super) fn next_moment(&self) -> Option<Instant> {
        [self.deadline, self.retry, self.has_turn().then(Instant::now)].into_iter().flatten().min()
    }

    pub(super) fn is_late(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Adds a message to the queue.
    pub(super) fn send(&mut self, reply: &Reply, descriptor: Option<Rc<OwnedFd>>) {
        let is_reply = !matches!(reply, Reply::Forget { .. } | Reply::Named { .. });
        let gives = match reply {
            Reply::Created { id, .. } | Reply::Object { id, .. } => Some(*id),
            _ => None,
        };
        self.owes_reply |= is_reply;
        self.queue.push_back(Outgoing { bytes: reply.to_bytes(), descriptor, is_reply, gives });
    }

    /// Hangs up as soon as everything is sent.
    pub(super) const fn dismiss(&mut self) {
        self.is_leaving = true;
    }

    /// Sends what can be sent at once. A client that does not receive a reply for `patience` is gone.
    pub(super) fn flush(&mut self, patience: Duration) -> Result<(), Gone> {
        self.retry = None;
        let mut has_sent = false;
        while let Some(message) = self.queue.front() {
            let descriptors: Vec<_> = message.descriptor.iter().map(|descriptor| descriptor.as_fd()).collect();
            match self.connection.send(&message.bytes, &descriptors) {
                Ok(()) => {
                    has_sent = true;
                    self.hindered = None;
                    self.owes_reply &= !message.is_reply;
                    self.queue.pop_front();
                }
                Err(TransportError::TimedOut { .. }) => {
                    self.hindered = None;
                    break;
                }
                Err(TransportError::System(_)) if message.descriptor.is_some() => {
                    let now = Instant::now();
                    self.retry = Some(now + PAUSE);
                    self.hindered.get_or_insert(now);
                    break;
                }
                Err(_) => return Err(Gone),
            }
        }
        if self.is_leaving && self.queue.is_empty() {
            return Err(Gone);
        }
        if !self.owes_reply {
            // All replies are sent, so only the client's next message counts.
            if has_sent && self.is_welcome {
                self.deadline = None;
            }
        } else if has_sent || self.deadline.is_none() {
            self.deadline = Some(Instant::now() + patience);
        }
        Ok(())
    }

    /// Refuses a request instead, if the kernel has refused to send its reply for `longest`. It is not this client that
    /// does not receive, so it must not be hung up on for that. Returns the object whose memory the reply would have
    /// given.
    pub(super) fn withdraw(&mut self, longest: Duration) -> Option<ObjectId> {
        self.hindered.filter(|since| since.elapsed() >= longest)?;
        (self.hindered, self.retry) = (None, None);
        let message = self.queue.front_mut()?;
        (message.bytes, message.descriptor) = (Reply::Refused(Refusal::Busy).to_bytes(), None);
        message.gives.take()
    }

    /// Returns whether there is work even if nothing can be sent or received: a pause is over, or a postponed request can
    /// be performed because something else has sent the reply before it.
    pub(super) fn has_work(&self, now: Instant) -> bool {
        self.has_turn() || self.retry.is_some_and(|retry| retry <= now)
    }

    const fn has_turn(&self) -> bool {
        self.postponed.is_some() && !self.owes_reply
    }

    pub(super) fn has_queue(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns the request to perform now, if there is one: at most one, so that no client holds up the others.
    ///
    /// While a reply waits to be sent, this is a release, and the next request of another kind is postponed. Releases are
    /// never held up: a client that must forget many objects at once may release one before it receives the next. Both
    /// sides would wait for each other.
    pub(super) fn next_request(&mut self, is_readable: bool, patience: Duration) -> Result<Option<Message>, Gone> {
        if self.postponed.is_some() {
            return Ok(if self.owes_reply { None } else { self.postponed.take() });
        }
        if !is_readable || self.is_leaving {
            return Ok(None);
        }
        let message = self.receive(patience)?;
        let is_release = |message: &Message| matches!(Request::from_bytes(&message.bytes), Ok(Request::Release { .. }));
        if self.owes_reply && message.as_ref().is_some_and(|message| !is_release(message)) {
            self.postponed = message;
            return Ok(None);
        }
        Ok(message)
    }

    /// Receives a message, if it has arrived whole. Once a message has begun, the client has `patience` for the rest.
    fn receive(&mut self, patience: Duration) -> Result<Option<Message>, Gone> {
        match self.connection.try_receive() {
            Ok(Some(message)) => {
                // Otherwise the client owes to receive the reply that waits for it.
                if self.is_welcome && !self.owes_reply {
                    self.deadline = None;
                }
                Ok(Some(message))
            }
            Ok(None) => {
                // The connection was readable, so a part of a message has arrived.
                self.deadline.get_or_insert_with(|| Instant::now() + patience);
                Ok(None)
            }
            Err(_) => Err(Gone),
        }
    }

    /// Tells the client that the daemon ends in an orderly way. If that cannot be sent at once, the client learns that
    /// the daemon is gone when the connection is closed.
    pub(super) fn finish(&self) {
        let _ = self.connection.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Status;

    const PATIENCE: Duration = Duration::from_secs(30);

    /// A request that was postponed is performed even if the reply before it was sent by the way, when another client
    /// deleted an object. Nothing can be received then that would wake the daemon.
    #[test]
    fn a_postponed_request_has_its_turn_when_the_reply_before_it_is_sent() {
        let (ours, mut theirs) = Connection::pair().unwrap();
        theirs.set_timeout(Some(PATIENCE));
        let mut client = Client::new(ours, 0, Instant::now() + PATIENCE);
        client.is_welcome = true;
        let mut replies = 0;
        while !client.has_queue() {
            client.send(&Reply::Status(Status::default()), None);
            assert!(client.flush(PATIENCE).is_ok());
            replies += 1;
        }
        theirs.send(&Request::Status.to_bytes(), &[]).unwrap();
        assert!(matches!(client.next_request(true, PATIENCE), Ok(None)));
        assert!(!client.has_work(Instant::now()) && !client.events().1.contains(PollFlags::IN));
        (1..replies).for_each(|_| drop(theirs.receive().unwrap()));
        assert!(client.flush(PATIENCE).is_ok() && !client.has_queue());
        let now = Instant::now();
        assert!(client.has_work(now) && client.next_moment().is_some_and(|moment| moment < now + PATIENCE / 2));
        assert!(matches!(client.next_request(false, PATIENCE), Ok(Some(_))));
    }
}

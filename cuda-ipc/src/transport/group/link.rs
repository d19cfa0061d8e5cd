//! One rank of a group, as another one sees it.

use std::collections::VecDeque;
use std::os::fd::{AsFd as _, BorrowedFd};

use super::super::outgoing::{Unsent, send_some};
use super::super::{Connection, Message, TransportError};
use super::frame::{Frame, Outgoing, Step};

/// A rank can be one step ahead, so a second message of it may wait.
const MOST_WAITING: usize = 2;

/// The connection to a rank, and what it has sent.
#[derive(Debug)]
pub(super) struct Link {
    connection: Connection,
    /// What has arrived of steps that this process has not taken yet, the oldest first.
    waiting: VecDeque<(Step, u64, Message)>,
    /// The rank has closed its end or died, and everything that it sent has been received.
    pub(super) is_gone: bool,
    /// The rank has sent its last message.
    pub(super) has_finished: bool,
    /// The rank receives nothing any more.
    is_deaf: bool,
}

/// How much of a message one rank was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// Which piece of it is next, and how many bytes of that were sent.
    UpTo(usize, usize),
    All,
}

impl Link {
    pub(super) const fn new(connection: Connection) -> Self {
        Self { connection, waiting: VecDeque::new(), is_gone: false, has_finished: false, is_deaf: false }
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }

    /// Sends as much of a message as the socket takes now. Returns whether more is left that the socket may take later.
    pub(super) fn send(&mut self, message: &Outgoing<'_>, sent: &mut Sent) -> Result<bool, TransportError> {
        while let Sent::UpTo(piece, bytes) = *sent {
            let Some((rest, descriptors)) = message.rest(piece, bytes) else {
                *sent = Sent::All;
                break;
            };
            if self.is_deaf {
                return Ok(false);
            }
            match send_some(self.descriptor(), [rest, &[]], descriptors) {
                Ok(count) if count == rest.len() => *sent = Sent::UpTo(piece + 1, 0),
                Ok(count) => *sent = Sent::UpTo(piece, bytes + count),
                Err(Unsent::Full) => return Ok(true),
                // Whether it died is seen when all that it sent is received.
                Err(Unsent::Closed) => self.is_deaf = true,
                Err(Unsent::Failed(error)) => return Err(TransportError::system("sendmsg")(error)),
            }
        }
        Ok(false)
    }

    /// Receives everything that has arrived.
    pub(super) fn receive(&mut self, rank: usize) -> Result<(), TransportError> {
        while !self.is_gone {
            match self.connection.try_receive() {
                Ok(Some(Message { bytes, descriptors })) => match Frame::split(&bytes) {
                    Some((Frame::Step(step, number), part)) if self.waiting.len() < MOST_WAITING => {
                        self.has_finished = step == Step::Finish;
                        let message = Message { bytes: part.to_vec(), descriptors };
                        self.waiting.push_back((step, number, message));
                    }
                    Some(_) => return Err(TransportError::OutOfStep { rank }),
                    None => return Err(TransportError::OtherProtocol),
                },
                Ok(None) => break,
                Err(error) if error.is_disconnected() => self.is_gone = true,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns whether the rank's message of a step is there.
    pub(super) fn has(&self, rank: usize, step: Step, number: u64) -> Result<bool, TransportError> {
        match self.waiting.front() {
            Some((found, at, _)) if (*found, *at) == (step, number) => Ok(true),
            Some(_) => Err(TransportError::OutOfStep { rank }),
            None => Ok(false),
        }
    }

    /// Takes the oldest message.
    pub(super) fn take(&mut self) -> Option<Message> {
        self.waiting.pop_front().map(|(_, _, message)| message)
    }
}

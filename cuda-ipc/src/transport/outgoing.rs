//! Sends one message.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::{BATCH, Direction, Header, TransportError};
use crate::deadline::Deadline;

pub(super) struct Outgoing<'socket> {
    socket: BorrowedFd<'socket>,
    deadline: Deadline,
    /// Whether a part of the message was sent.
    pub(super) has_begun: bool,
}

impl<'socket> Outgoing<'socket> {
    pub(super) const fn new(socket: BorrowedFd<'socket>, deadline: Deadline) -> Self {
        Self { socket, deadline, has_begun: false }
    }

    pub(super) fn send(
        &mut self,
        header: &Header,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), TransportError> {
        let (first, mut rest) = descriptors.split_at(descriptors.len().min(BATCH));
        let header = header.to_bytes();
        if rest.is_empty() {
            return self.send_with(&header, bytes, first);
        }
        self.send_with(&header, &[], first)?;
        while let Some((batch, others)) = rest.split_at_checked(BATCH) {
            self.send_with(&[0], &[], batch)?;
            rest = others;
        }
        if rest.is_empty() { self.send_with(bytes, &[], &[]) } else { self.send_with(&[0], bytes, rest) }
    }

    /// Sends two pieces one after the other, and descriptors with their first byte.
    fn send_with(
        &mut self,
        mut first: &[u8],
        mut second: &[u8],
        mut descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), TransportError> {
        while !first.is_empty() || !second.is_empty() {
            match send_some(self.socket, [first, second], descriptors) {
                Ok(sent) => {
                    self.has_begun |= sent > 0;
                    // The descriptors went with the first byte.
                    descriptors = &[];
                    let of_first = sent.min(first.len());
                    first = first.get(of_first..).unwrap_or_default();
                    second = second.get(sent - of_first..).unwrap_or_default();
                }
                Err(Unsent::Full) => self.wait()?,
                Err(Unsent::Closed) => return Err(self.closed()),
                Err(Unsent::Failed(error)) => return Err(TransportError::system("sendmsg")(error)),
            }
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), TransportError> {
        let ready = self.deadline.poll(self.socket, PollFlags::OUT).map_err(TransportError::system("poll"))?;
        match ready.is_empty() {
            true => Err(TransportError::TimedOut { waiting_for: "the peer to take a message" }),
            false => Ok(()),
        }
    }

    const fn closed(&self) -> TransportError {
        match self.has_begun {
            true => TransportError::Interrupted { direction: Direction::Sending },
            false => TransportError::Closed { direction: Direction::Sending },
        }
    }
}

/// Why nothing was sent.
pub(super) enum Unsent {
    /// The socket takes nothing now.
    Full,
    /// The peer receives nothing any more.
    Closed,
    Failed(Errno),
}

/// `sendmsg`: sends as much of two pieces as the socket takes now, and at most [`BATCH`] descriptors with the first
/// byte. Returns how many bytes were sent. It never waits, whatever the mode of the socket, so that deadlines hold.
pub(super) fn send_some(
    socket: BorrowedFd<'_>,
    pieces: [&[u8]; 2],
    descriptors: &[BorrowedFd<'_>],
) -> Result<usize, Unsent> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(Unsent::Failed(Errno::TOOBIG));
    }
    loop {
        match sendmsg(socket, &pieces.map(IoSlice::new), &mut control, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(sent) => return Ok(sent),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(Unsent::Full),
            Err(Errno::PIPE | Errno::CONNRESET) => return Err(Unsent::Closed),
            Err(error) => return Err(Unsent::Failed(error)),
        }
    }
}

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
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), TransportError> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
            let (count, limit) = (descriptors.len(), BATCH);
            return Err(TransportError::TooManyDescriptors { direction: Direction::Sending, count, limit });
        }
        while !first.is_empty() || !second.is_empty() {
            let pieces = [IoSlice::new(first), IoSlice::new(second)];
            // Without blocking, so that the deadline holds in any mode of the socket.
            match sendmsg(self.socket, &pieces, &mut control, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => {
                    self.has_begun |= sent > 0;
                    // The descriptors went with the first byte.
                    control.clear();
                    let of_first = sent.min(first.len());
                    first = first.get(of_first..).unwrap_or_default();
                    second = second.get(sent - of_first..).unwrap_or_default();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait()?,
                Err(Errno::PIPE | Errno::CONNRESET) => return Err(self.closed()),
                Err(error) => return Err(TransportError::system("sendmsg")(error)),
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

//! Receives one message.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};

use super::{BATCH, Direction, Header, Limits, Message, TransportError};
use crate::deadline::Deadline;

const RECEIVING: Direction = Direction::Receiving;

pub(super) struct Incoming<'socket> {
    socket: BorrowedFd<'socket>,
    deadline: Deadline,
    /// Whether a part of the message was received.
    has_begun: bool,
    /// Whether the whole message was received.
    is_complete: bool,
    /// The descriptors received so far, which are closed if the message is not completed.
    descriptors: Vec<OwnedFd>,
    most_descriptors: usize,
    /// Whether the kernel dropped some descriptors.
    is_truncated: bool,
}

impl<'socket> Incoming<'socket> {
    pub(super) const fn new(socket: BorrowedFd<'socket>, deadline: Deadline) -> Self {
        Self {
            socket,
            deadline,
            has_begun: false,
            is_complete: false,
            descriptors: Vec::new(),
            // The header carries at most one batch of descriptors.
            most_descriptors: BATCH,
            is_truncated: false,
        }
    }

    /// Whether the next byte from the socket would belong to this message.
    pub(super) const fn is_within(&self) -> bool {
        self.has_begun && !self.is_complete
    }

    pub(super) fn receive(&mut self, limits: Limits) -> Result<Message, TransportError> {
        let mut header = [0; Header::LENGTH];
        self.fill(&mut header)?;
        let header = Header::from_bytes(header).ok_or(TransportError::OtherProtocol)?;
        // The limits are checked before memory is allocated for the message.
        let Some(length) = usize::try_from(header.bytes).ok().filter(|length| *length <= limits.bytes) else {
            let (length, limit) = (header.bytes, limits.bytes);
            return Err(TransportError::TooLong { direction: RECEIVING, length, limit });
        };
        let announced = usize::try_from(header.descriptors).unwrap_or(usize::MAX);
        if announced > limits.descriptors {
            let (count, limit) = (announced, limits.descriptors);
            return Err(TransportError::TooManyDescriptors { direction: RECEIVING, count, limit });
        }
        self.most_descriptors = announced;
        self.refuse_too_many()?;

        self.fill(&mut vec![0; announced.div_ceil(BATCH).saturating_sub(1)])?;
        let mut bytes = vec![0; length];
        self.fill(&mut bytes)?;
        self.is_complete = true;

        let descriptors = std::mem::take(&mut self.descriptors);
        match descriptors.len() {
            _ if self.is_truncated => Err(TransportError::DescriptorsLost { announced }),
            received if received < announced => Err(TransportError::DescriptorsMissing { received, announced }),
            _ => Ok(Message { bytes, descriptors }),
        }
    }

    fn fill(&mut self, mut buffer: &mut [u8]) -> Result<(), TransportError> {
        while !buffer.is_empty() {
            let received = self.receive_some(buffer)?;
            if received == 0 {
                return Err(self.closed());
            }
            self.has_begun = true;
            buffer = buffer.get_mut(received..).unwrap_or_default();
        }
        Ok(())
    }

    /// `recvmsg`: returns how many bytes were received; 0 at the end of the stream. One call receives at most one batch
    /// of descriptors, because the kernel ends a call after the bytes that the descriptors were sent with.
    fn receive_some(&mut self, buffer: &mut [u8]) -> Result<usize, TransportError> {
        // There is room for credentials, because a socket that was made elsewhere may be set to deliver them.
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH), ScmCredentials(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let pieces = &mut [IoSliceMut::new(buffer)];
            match recvmsg(self.socket, pieces, &mut control, RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT) {
                Ok(received) => break received,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait()?,
                // The peer ended without reading a message of ours. Everything that it sent has been received already.
                Err(Errno::CONNRESET) => return Ok(0),
                Err(error) => return Err(TransportError::system("recvmsg")(error)),
            }
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                self.descriptors.extend(rights);
            }
        }
        if received.flags.contains(ReturnFlags::CTRUNC) || self.is_truncated {
            // The message is lost. Its other descriptors are closed at once, and its bytes are read to the end.
            self.is_truncated = true;
            self.descriptors.clear();
        }
        self.refuse_too_many()?;
        Ok(received.bytes)
    }

    fn refuse_too_many(&self) -> Result<(), TransportError> {
        let (count, limit) = (self.descriptors.len(), self.most_descriptors);
        if count <= limit {
            return Ok(());
        }
        Err(TransportError::TooManyDescriptors { direction: RECEIVING, count, limit })
    }

    fn wait(&self) -> Result<(), TransportError> {
        let ready = self.deadline.poll(self.socket, PollFlags::IN).map_err(TransportError::system("poll"))?;
        match ready.is_empty() {
            true if self.has_begun => Err(TransportError::TimedOut { waiting_for: "the rest of a message" }),
            true => Err(TransportError::TimedOut { waiting_for: "a message" }),
            false => Ok(()),
        }
    }

    const fn closed(&self) -> TransportError {
        match self.has_begun {
            true => TransportError::Interrupted { direction: RECEIVING },
            false => TransportError::Closed,
        }
    }
}

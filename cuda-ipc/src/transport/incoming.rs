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

/// A message of which any number of bytes has been received.
#[derive(Debug)]
pub(super) struct Incoming {
    /// The part that is being received.
    part: Part,
    /// The number of bytes of that part.
    size: usize,
    /// Its first bytes, of which `filled` were received.
    buffer: Vec<u8>,
    filled: usize,
    /// The size of the message's bytes, as the header announces it.
    length: usize,
    /// The number of descriptors, as the header announces it.
    announced: usize,
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

#[derive(Clone, Copy, Debug)]
enum Part {
    Header,
    /// One byte for each batch of descriptors after the first.
    Batches,
    Bytes,
}

impl Incoming {
    pub(super) fn new() -> Self {
        Self {
            part: Part::Header,
            size: Header::LENGTH,
            buffer: Vec::new(),
            filled: 0,
            length: 0,
            announced: 0,
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

    /// Receives the rest of the message. Without a deadline it does not wait, and returns `None` if the rest has not
    /// arrived yet.
    pub(super) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        limits: Limits,
        deadline: Option<Deadline>,
    ) -> Result<Option<Message>, TransportError> {
        while self.fill(socket, deadline)? {
            let next = match self.part {
                Part::Header => {
                    self.announce(limits)?;
                    (Part::Batches, self.announced.div_ceil(BATCH).saturating_sub(1))
                }
                Part::Batches => (Part::Bytes, self.length),
                Part::Bytes => return self.complete().map(Some),
            };
            (self.part, self.size) = next;
            (self.buffer, self.filled) = (Vec::new(), 0);
        }
        Ok(None)
    }

    /// Reads the header that was received.
    fn announce(&mut self, limits: Limits) -> Result<(), TransportError> {
        let header = self.buffer.first_chunk().and_then(|header| Header::from_bytes(*header));
        let (descriptors, bytes) = match header.ok_or(TransportError::OtherProtocol)? {
            Header::Message { descriptors, bytes } => (descriptors, bytes),
            Header::End => {
                self.most_descriptors = 0;
                self.refuse_too_many()?;
                self.is_complete = true;
                return Err(TransportError::Finished { direction: RECEIVING });
            }
        };
        let Some(length) = usize::try_from(bytes).ok().filter(|length| *length <= limits.bytes) else {
            return Err(TransportError::TooLong { direction: RECEIVING, length: bytes, limit: limits.bytes });
        };
        let announced = usize::try_from(descriptors).unwrap_or(usize::MAX);
        if announced > limits.descriptors {
            let (count, limit) = (announced, limits.descriptors);
            return Err(TransportError::TooManyDescriptors { direction: RECEIVING, count, limit });
        }
        (self.length, self.announced, self.most_descriptors) = (length, announced, announced);
        self.refuse_too_many()
    }

    fn complete(&mut self) -> Result<Message, TransportError> {
        self.is_complete = true;
        let (bytes, announced) = (std::mem::take(&mut self.buffer), self.announced);
        let descriptors = std::mem::take(&mut self.descriptors);
        match descriptors.len() {
            _ if self.is_truncated => Err(TransportError::DescriptorsLost { announced }),
            received if received < announced => Err(TransportError::DescriptorsMissing { received, announced }),
            _ => Ok(Message { bytes, descriptors }),
        }
    }

    /// Receives the rest of a part, and returns whether it is complete.
    fn fill(&mut self, socket: BorrowedFd<'_>, deadline: Option<Deadline>) -> Result<bool, TransportError> {
        while self.filled < self.size {
            self.make_room()?;
            match self.receive_some(socket)? {
                Some(0) => return Err(self.closed()),
                Some(received) => {
                    self.has_begun = true;
                    self.filled += received;
                }
                None => match deadline {
                    Some(deadline) => self.wait(socket, deadline)?,
                    None => return Ok(false),
                },
            }
        }
        Ok(true)
    }

    /// Grows the buffer: doubles it, or adds 64 KiB at the start. So a peer cannot make this process allocate much more
    /// than it has sent.
    fn make_room(&mut self) -> Result<(), TransportError> {
        const FEW: usize = 64 << 10;
        if self.filled < self.buffer.len() {
            return Ok(());
        }
        let more = (self.size - self.filled).min(self.filled.max(FEW));
        let reserved = self.buffer.try_reserve_exact(more);
        reserved.map_err(|_| TransportError::system("malloc")(Errno::NOMEM))?;
        self.buffer.resize(self.filled + more, 0);
        Ok(())
    }

    /// `recvmsg`: returns how many bytes were received; 0 at the end of the stream, and `None` if nothing has arrived.
    /// One call receives at most one batch of descriptors, because the kernel ends a call after the bytes that the
    /// descriptors were sent with.
    fn receive_some(&mut self, socket: BorrowedFd<'_>) -> Result<Option<usize>, TransportError> {
        // There is room for credentials, because a socket that was made elsewhere may be set to deliver them.
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH), ScmCredentials(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let pieces = &mut [IoSliceMut::new(self.buffer.get_mut(self.filled..).unwrap_or_default())];
            match recvmsg(socket, pieces, &mut control, RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT) {
                Ok(received) => break received,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                // The peer ended without reading a message of ours. Everything that it sent has been received already.
                Err(Errno::CONNRESET) => return Ok(Some(0)),
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
        Ok(Some(received.bytes))
    }

    fn refuse_too_many(&self) -> Result<(), TransportError> {
        let (count, limit) = (self.descriptors.len(), self.most_descriptors);
        if count <= limit {
            return Ok(());
        }
        Err(TransportError::TooManyDescriptors { direction: RECEIVING, count, limit })
    }

    fn wait(&self, socket: BorrowedFd<'_>, deadline: Deadline) -> Result<(), TransportError> {
        let ready = deadline.poll(socket, PollFlags::IN).map_err(TransportError::system("poll"))?;
        match ready.is_empty() {
            true if self.has_begun => Err(TransportError::TimedOut { waiting_for: "the rest of a message" }),
            true => Err(TransportError::TimedOut { waiting_for: "a message" }),
            false => Ok(()),
        }
    }

    const fn closed(&self) -> TransportError {
        match self.has_begun {
            true => TransportError::Interrupted { direction: RECEIVING },
            false => TransportError::Closed { direction: RECEIVING },
        }
    }
}

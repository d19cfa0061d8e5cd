//! Messages that the consumer has received.

use std::ops::RangeBounds;

use super::incoming::{Header, Incoming};
use super::layout::Layout;
use crate::Error;
use crate::drop_hook::report;
use crate::memory::{DeviceMemory, DeviceSlice};
use crate::stream::ScopedStream;

/// A message in its slot.
///
/// There are two ways to use it:
/// - with calls and scopes that wait for their work. Then [`release`](Message::release) it, or drop it, which does the
///   same.
/// - in a scope, by [`in_stream`](Message::in_stream). The slot becomes free when the stream has done its work, and no
///   call waits.
///
/// Messages may be released in any order.
#[derive(Debug)]
pub struct Message<'ring> {
    of: Received<'ring>,
    is_released: bool,
}

/// A message, and where it came from.
#[derive(Clone, Copy, Debug)]
struct Received<'ring> {
    incoming: &'ring Incoming,
    header: Header,
}

impl<'ring> Received<'ring> {
    fn memory(self) -> &'ring DeviceMemory {
        self.incoming.side.slot(self.header.sequence)
    }

    fn slice<T>(self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'ring, T>, Error> {
        // Values of 0 bytes do not compile here.
        let all = self.memory().slice::<T>(..)?;
        all.part(..self.header.length / size_of::<T>())?.part(range)
    }

    fn place(self) -> usize {
        Layout::freed(self.incoming.side.layout().slot_of(self.header.sequence))
    }
}

impl<'ring> Message<'ring> {
    pub(super) const fn new(incoming: &'ring Incoming, header: Header) -> Self {
        Self { of: Received { incoming, header }, is_released: false }
    }

    /// Returns the sequence number. Each message has the number after that of the message before.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.of.header.sequence
    }

    /// Returns the length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.of.header.length
    }

    /// Returns whether the message has no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.of.header.length == 0
    }

    /// Returns the number that the producer gave the message.
    #[must_use]
    pub const fn kind(&self) -> u32 {
        self.of.header.kind
    }

    /// Returns the memory of the whole slot. The message is the first [`len`](Message::len) bytes of it: see
    /// [`slice`](Message::slice).
    #[must_use]
    pub fn memory(&self) -> &DeviceMemory {
        self.of.memory()
    }

    /// Returns a view of values in the message, as [`DeviceMemory::slice`] does. An open end stands for the last whole
    /// value of the message.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`].
    pub fn slice<T>(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>, Error> {
        self.of.slice(range)
    }

    /// Returns the number beside the slot, for a kernel that compares it, if the ring is
    /// [numbered](super::Options::numbered). It is the sequence number plus 1, modulo 2^32.
    ///
    /// # Errors
    /// [`Error::Misaligned`] if the other process shared a part of its memory that does not begin at a multiple of 4
    /// bytes.
    pub fn number(&self) -> Result<Option<DeviceSlice<'_, u32>>, Error> {
        self.of.incoming.side.number_beside(self.of.header.sequence)
    }

    /// Frees the slot, as dropping the message does, and returns the error.
    ///
    /// # Errors
    /// [`Error::Forked`].
    pub fn release(mut self) -> Result<(), Error> {
        self.release_now()
    }

    /// Takes the message into a stream of a scope. The slot will become free when the stream has done the work that was
    /// enqueued before [`MessageInStream::release`], or before the value is dropped.
    pub fn in_stream<'scope, 'env>(mut self, stream: ScopedStream<'scope, 'env>) -> MessageInStream<'scope, 'env>
    where
        'ring: 'scope,
    {
        self.is_released = true;
        MessageInStream { of: self.of, stream, is_released: false }
    }

    fn release_now(&mut self) -> Result<(), Error> {
        if self.is_released {
            return Ok(());
        }
        self.is_released = true;
        self.of.incoming.released();
        self.of.incoming.side.tell_now(self.of.header.sequence, self.of.place())
    }
}

impl Drop for Message<'_> {
    fn drop(&mut self) {
        // The only error is that of a forked child, whose parent has the ring.
        let _ = self.release_now();
    }
}

/// A message in a stream of a [`scope()`](crate::stream::scope()).
///
/// Its memory can be used by any work of the scope. The slot becomes free when the stream of this value is done: if
/// other streams use the message, make this stream wait for them first.
///
/// Dropping it releases it as [`release`](MessageInStream::release) does. An error goes to the hook of
/// [`set_drop_hook`](crate::set_drop_hook), and then the slot stays taken.
#[derive(Debug)]
pub struct MessageInStream<'scope, 'env: 'scope> {
    of: Received<'scope>,
    stream: ScopedStream<'scope, 'env>,
    is_released: bool,
}

impl<'scope, 'env> MessageInStream<'scope, 'env> {
    /// Returns the sequence number.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.of.header.sequence
    }

    /// Returns the length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.of.header.length
    }

    /// Returns whether the message has no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.of.header.length == 0
    }

    /// Returns the number that the producer gave the message.
    #[must_use]
    pub const fn kind(&self) -> u32 {
        self.of.header.kind
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> ScopedStream<'scope, 'env> {
        self.stream
    }

    /// Returns a view of values in the message, for work of the scope.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`].
    pub fn slice<T>(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'scope, T>, Error> {
        self.of.slice(range)
    }

    /// Returns the number beside the slot, as [`Message::number`] does.
    ///
    /// # Errors
    /// As [`Message::number`].
    pub fn number(&self) -> Result<Option<DeviceSlice<'scope, u32>>, Error> {
        self.of.incoming.side.number_beside(self.of.header.sequence)
    }

    /// `cuStreamWriteValue32` or `cuEventRecord`: frees the slot in the order of the stream.
    ///
    /// # Errors
    /// [`Error::Refused`] if the device does not support stream values, or if the ring is ordered by events and the
    /// stream belongs to another context than the ring; [`Error::Foreign`] if other code is capturing the stream. The slot
    /// then stays taken.
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuEventRecord")]
    pub fn release(mut self) -> Result<(), Error> {
        self.enqueue_release()
    }

    fn enqueue_release(&mut self) -> Result<(), Error> {
        if self.is_released {
            return Ok(());
        }
        self.is_released = true;
        self.of.incoming.side.tell(self.stream, self.of.header.sequence, self.of.place())?;
        self.of.incoming.released();
        Ok(())
    }
}

impl Drop for MessageInStream<'_, '_> {
    fn drop(&mut self) {
        if let Err(error) = self.enqueue_release() {
            report("MessageInStream", error);
        }
    }
}

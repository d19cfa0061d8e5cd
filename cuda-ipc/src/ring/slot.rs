//! Slots that the producer has reserved.

use std::ops::RangeBounds;

use super::layout::Layout;
use super::outgoing::Outgoing;
use crate::Error;
use crate::memory::{DeviceMemory, DeviceSlice};
use crate::stream::ScopedStream;

/// A free slot, in which the producer puts a message.
///
/// There are two ways to fill it:
/// - with calls and scopes that wait for their work. Then [`commit`](Slot::commit) it.
/// - in a scope, by [`in_stream`](Slot::in_stream). The message is sent when the stream has done its work, and no call
///   waits.
///
/// Dropping a slot gives it back unused.
#[derive(Debug)]
#[must_use = "a slot that is dropped sends nothing"]
pub struct Slot<'ring> {
    outgoing: &'ring Outgoing,
    sequence: u64,
}

impl<'ring> Slot<'ring> {
    pub(super) const fn new(outgoing: &'ring Outgoing, sequence: u64) -> Self {
        Self { outgoing, sequence }
    }

    /// Returns the sequence number that the message will have.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns the memory of the slot.
    #[must_use]
    pub fn memory(&self) -> &DeviceMemory {
        self.outgoing.side.slot(self.sequence)
    }

    /// Returns a view of values in the slot, as [`DeviceMemory::slice`] does.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`].
    pub fn slice<T>(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>, Error> {
        self.memory().slice(range)
    }

    /// Sends the first `length` bytes of the slot as a message. `kind` is for you: the consumer receives it.
    ///
    /// All work in the slot must be done, as it is after a scope.
    ///
    /// # Errors
    /// [`Error::Ring`] with [`RingError::TooLong`](super::RingError::TooLong) if the slot is smaller;
    /// [`Error::Refused`] if the ring is [numbered](super::Options::numbered) and the driver refuses to write the
    /// number. Nothing is sent.
    pub fn commit(self, length: usize, kind: u32) -> Result<(), Error> {
        let (outgoing, sequence) = (self.outgoing, self.sequence);
        outgoing.write_header(sequence, length, kind)?;
        if let Some(beside) = outgoing.side.number_beside(sequence)? {
            beside.write(&[Layout::number(sequence)])?;
        }
        let slot = outgoing.side.layout().slot_of(sequence);
        outgoing.side.tell_now(sequence, Layout::header(slot).0)?;
        outgoing.committed();
        Ok(())
    }

    /// Takes the slot into a stream of a scope. The message will be sent when the stream has done the work that was
    /// enqueued before [`SlotInStream::commit`].
    #[must_use = "a slot that is dropped sends nothing"]
    pub const fn in_stream<'scope, 'env>(self, stream: ScopedStream<'scope, 'env>) -> SlotInStream<'scope, 'env>
    where
        'ring: 'scope,
    {
        SlotInStream { slot: self, stream }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.outgoing.end_reservation();
    }
}

/// A free slot in a stream of a [`scope()`](crate::stream::scope()).
///
/// Its memory can be used by any work of the scope. The message is complete when the stream of this value is: if other
/// streams write to the slot, make this stream wait for them first. If the value is dropped and work was already
/// enqueued, the next message needs the same stream, or one that waits for it.
#[derive(Debug)]
#[must_use = "a slot that is dropped sends nothing"]
pub struct SlotInStream<'scope, 'env: 'scope> {
    slot: Slot<'scope>,
    stream: ScopedStream<'scope, 'env>,
}

impl<'scope, 'env> SlotInStream<'scope, 'env> {
    /// Returns the sequence number that the message will have.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.slot.sequence
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> ScopedStream<'scope, 'env> {
        self.stream
    }

    /// Returns a view of values in the slot, for work of the scope.
    ///
    /// # Errors
    /// As [`DeviceMemory::slice`].
    pub fn slice<T>(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'scope, T>, Error> {
        self.slot.outgoing.side.slot(self.slot.sequence).slice(range)
    }

    /// `cuStreamWriteValue32` or `cuEventRecord`: sends the first `length` bytes of the slot as a message, in the order
    /// of the stream. `kind` is for you: the consumer receives it.
    ///
    /// # Errors
    /// As [`Slot::commit`]; [`Error::Refused`] if the device does not support stream values, or if the ring is ordered
    /// by events and the stream belongs to another context than the ring.
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuEventRecord")]
    pub fn commit(self, length: usize, kind: u32) -> Result<(), Error> {
        let (outgoing, sequence) = (self.slot.outgoing, self.slot.sequence);
        outgoing.write_header(sequence, length, kind)?;
        if let Some(beside) = outgoing.side.number_beside(sequence)? {
            self.stream.write_value(beside, Layout::number(sequence))?;
        }
        let slot = outgoing.side.layout().slot_of(sequence);
        outgoing.side.tell(self.stream, sequence, Layout::header(slot).0)?;
        outgoing.committed();
        Ok(())
    }
}

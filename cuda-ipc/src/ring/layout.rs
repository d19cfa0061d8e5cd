//! Where the slots of a ring are, where its numbers are, and which numbers they have.

use super::Role;

/// The words in two cache lines. Numbers of different writers are that far apart, because processors fetch lines in
/// pairs.
const LINE: usize = 32;
/// The alignment of slots, and the distance between the numbers beside them, in bytes.
const ALIGNMENT: usize = 256;
const MOST_SLOTS: usize = 4096;

/// The places of a ring.
///
/// The pages hold, each in a line of its own: the state of the consumer, the state of the producer, and then for each
/// slot the header of its latest message and the number with which it was freed. The memory holds the slots, and after
/// them a number for each slot.
///
/// A message with the sequence number `n` has the number `n + 1`, modulo 2^32. A slot is filled when the first word of
/// its header is the number of the next message there, and free when the other number is that of the message before.
/// Each slot has numbers of its own, so messages may complete in any order, in any streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    slots: usize,
    slot_size: usize,
    stride: usize,
    first: u64,
}

/// A header, as the index of its first word. The words are the number of the message, and these.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderPlace(pub(super) usize);

impl HeaderPlace {
    pub(super) const fn length(self) -> [usize; 2] {
        [self.0 + 1, self.0 + 2]
    }

    pub(super) const fn kind(self) -> usize {
        self.0 + 3
    }

    pub(super) const fn sequence(self) -> [usize; 2] {
        [self.0 + 4, self.0 + 5]
    }
}

impl Layout {
    /// Returns nothing if there is no such ring.
    pub(super) fn new(slots: usize, slot_size: usize, first: u64) -> Option<Self> {
        let stride = slot_size.checked_next_multiple_of(ALIGNMENT)?;
        let size = stride.checked_add(ALIGNMENT)?.checked_mul(slots)?;
        let is_possible = (1..=MOST_SLOTS).contains(&slots)
            && slot_size > 0
            && isize::try_from(size).is_ok()
            // Sequence numbers do not overflow.
            && first <= u64::MAX / 2;
        is_possible.then_some(Self { slots, slot_size, stride, first })
    }

    pub(super) const fn slots(&self) -> usize {
        self.slots
    }

    pub(super) const fn slot_size(&self) -> usize {
        self.slot_size
    }

    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// Returns the size of the memory in bytes.
    pub(super) const fn size(&self) -> usize {
        (self.stride + ALIGNMENT) * self.slots
    }

    /// Returns the number of words in the pages.
    pub(super) const fn words(&self) -> usize {
        (2 + 2 * self.slots) * LINE
    }

    /// Returns the slot of a message.
    pub(super) const fn slot_of(&self, sequence: u64) -> usize {
        (sequence % self.slots as u64) as usize
    }

    /// Returns the offset of a slot in the memory.
    pub(super) const fn slot(&self, slot: usize) -> usize {
        self.stride * slot
    }

    /// Returns the offset in the memory of the number beside a slot.
    pub(super) const fn number_beside(&self, slot: usize) -> usize {
        self.stride * self.slots + ALIGNMENT * slot
    }

    pub(super) const fn state(role: Role) -> usize {
        match role {
            Role::Consumer => 0,
            Role::Producer => LINE,
        }
    }

    pub(super) const fn header(slot: usize) -> HeaderPlace {
        HeaderPlace((2 + 2 * slot) * LINE)
    }

    pub(super) const fn freed(slot: usize) -> usize {
        (3 + 2 * slot) * LINE
    }

    /// Returns the number of a message.
    pub(super) const fn number(sequence: u64) -> u32 {
        sequence.wrapping_add(1) as u32
    }

    /// Returns the number of the message before, in the same slot. The first one in a slot has one too.
    pub(super) const fn number_before(&self, sequence: u64) -> u32 {
        Self::number(sequence.wrapping_sub(self.slots as u64))
    }

    /// Returns the first message of a slot.
    pub(super) const fn first_of(&self, slot: usize) -> u64 {
        let slots = self.slots as u64;
        self.first + (slot as u64 + slots - self.first % slots) % slots
    }

    /// Returns the messages that can be in the ring if `next` is the next one, oldest first.
    pub(super) fn before(&self, next: u64) -> std::ops::Range<u64> {
        next.saturating_sub(self.slots as u64).max(self.first)..next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_that_cannot_be_are_refused() {
        for (slots, slot_size, first) in
            [(0, 1, 0), (1, 0, 0), (4097, 1, 0), (2, usize::MAX / 2, 0), (1, usize::MAX, 0), (1, 1, u64::MAX / 2 + 1)]
        {
            assert_eq!(Layout::new(slots, slot_size, first), None, "{slots} {slot_size} {first}");
        }
        assert!(Layout::new(4096, 1, u64::MAX / 2).is_some());
    }

    #[test]
    fn nothing_overlaps() {
        let layout = Layout::new(3, 300, 0).unwrap();
        let mut words: Vec<_> = [Role::Consumer, Role::Producer].map(Layout::state).into();
        for slot in 0..3 {
            let header = Layout::header(slot);
            words.extend([header.0, header.kind(), Layout::freed(slot)]);
            words.extend(header.length().into_iter().chain(header.sequence()));
            assert!(layout.slot(slot).is_multiple_of(256) && layout.number_beside(slot).is_multiple_of(256));
        }
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert!(words.len() == count && words.iter().all(|word| *word < layout.words()), "{words:?}");
        assert!(layout.slot(1) >= 300 && layout.number_beside(0) >= layout.slot(2) + 300);
        assert_eq!(layout.number_beside(2) + 256, layout.size());
    }

    /// Also where the 32 bits of the numbers wrap.
    #[test]
    fn a_new_slot_is_free_and_not_filled() {
        for first in [0, 1, 5, u64::from(u32::MAX) - 3, u64::from(u32::MAX), 1 << 40] {
            for slots in [1, 2, 3, 7, 4096] {
                let layout = Layout::new(slots, 1, first).unwrap();
                for slot in 0..slots {
                    let message = layout.first_of(slot);
                    assert!((first..first + slots as u64).contains(&message) && layout.slot_of(message) == slot);
                    assert_ne!(layout.number_before(message), Layout::number(message));
                }
            }
        }
    }
}

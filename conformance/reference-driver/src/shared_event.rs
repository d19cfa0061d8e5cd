//! The part of an interprocess event that all its processes see: one slot of a shared arena.
//!
//! A record takes the next number of its slot. Its completion is noted in a ring under that number. A waiter captures
//! the number of the latest record and waits for that record, whatever is recorded later. When a slot gets another
//! event, the numbers continue, so that no waiter waits for the wrong record.

use std::fs::File;
use std::ops::Deref;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cuda_ipc_sys::CUresult;

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::environment::environment;
use crate::memfd::{Elsewhere, file_of_process, map_shared, new_file, unmap};

/// The most interprocess events that one process can have, as on an H200.
const SLOTS: u32 = 4096;

/// The most records of one event that can be pending. A further one waits.
const RING: u64 = 1024;

#[repr(C)]
struct Slot {
    /// Which event has the slot, or had it last.
    serial: AtomicU64,
    /// The number of records of the slot's earlier events.
    earlier: AtomicU64,
    /// The number of records that were ever begun.
    begun: AtomicU64,
    /// The number of records that were ever completed.
    completed: AtomicU64,
    /// Changes with every completion. Waiters sleep on it.
    changes: AtomicU32,
    /// The number of sleeping waiters, which only a driver with a fault counts.
    waiters: AtomicU32,
    /// The last completed record at each position.
    ring: [AtomicU64; RING as usize],
}

const SIZE: u64 = SLOTS as u64 * size_of::<Slot>() as u64;

/// The interprocess events of one process.
#[derive(Debug)]
pub(crate) struct Arena {
    file: File,
    base: u64,
    pub(crate) inode: u64,
    /// Used only in the process that owns the arena.
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    /// How many slots were ever used. The others are free.
    used: u32,
    /// The slots of destroyed events. Their records may still be pending.
    destroyed: Vec<u32>,
    last_serial: u64,
}

fn file_name() -> String {
    format!("cuda-events:{}", environment().machine)
}

impl Arena {
    pub(crate) fn new() -> Result<Self> {
        Self::map(new_file(&file_name(), SIZE)?)
    }

    /// Maps the arena of another process.
    pub(crate) fn of_process(process: u32, descriptor: u32, inode: u64) -> std::result::Result<Self, Elsewhere> {
        let file = file_of_process(process, descriptor, &file_name(), inode)?;
        Self::map(file).map_err(Elsewhere::Failed)
    }

    fn map(file: File) -> Result<Self> {
        let metadata = file.metadata().map_err(|_| OUT_OF_MEMORY)?;
        if metadata.len() != SIZE {
            return Err(CUresult::CUDA_ERROR_MAP_FAILED);
        }
        let base = map_shared(&file, 0, SIZE)?;
        Ok(Self { file, base, inode: metadata.ino(), slots: Mutex::default() })
    }

    pub(crate) fn descriptor(&self) -> u32 {
        self.file.as_raw_fd().cast_unsigned()
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, index: u32) -> &Slot {
        let index = index.min(SLOTS - 1) as usize;
        // SAFETY: the arena is mapped as long as it lives, aligned, and only ever accessed through atomics.
        unsafe { &*(self.base as *const Slot).add(index) }
    }

    /// Creates an event of this process.
    pub(crate) fn create(self: &Arc<Self>) -> Result<OwnEvent> {
        let mut slots = self.slots();
        // A destroyed event keeps its slot while it has pending records, since others may still wait for them.
        let is_hasty = fault!(
            "create-event-inherits-a-pending-record",
            ["IPCEVT-017"],
            "A new event has the pending record of a destroyed one.",
        );
        let settled = slots.destroyed.iter().position(|index| {
            let slot = self.slot(*index);
            slot.completed.load(Ordering::Acquire) == slot.begun.load(Ordering::Acquire)
        });
        let settled = if is_hasty { slots.destroyed.len().checked_sub(1) } else { settled };
        let index = match settled {
            Some(position) => slots.destroyed.swap_remove(position),
            None if slots.used < SLOTS => {
                slots.used += 1;
                slots.used - 1
            }
            None => return Err(OUT_OF_MEMORY),
        };
        slots.last_serial += 1;
        let slot = self.slot(index);
        if !is_hasty {
            slot.earlier.store(slot.begun.load(Ordering::Acquire), Ordering::Release);
        }
        slot.waiters.store(0, Ordering::Release);
        slot.serial.store(slots.last_serial, Ordering::Release);
        Ok(OwnEvent(SharedEvent { arena: Arc::clone(self), slot: index, serial: slots.last_serial }))
    }

    /// The event that a handle names, unless its slot has another event by now.
    pub(crate) fn find(self: &Arc<Self>, slot: u32, serial: u64) -> Option<SharedEvent> {
        if fault!("open-event-finds-its-neighbour", ["IPCEVT-011"], "A handle opens the event that was created before.")
        {
            let slot = slot.saturating_sub(1);
            let serial = self.slot(slot).serial.load(Ordering::Acquire);
            return Some(SharedEvent { arena: Arc::clone(self), slot, serial });
        }
        let event = SharedEvent { arena: Arc::clone(self), slot, serial };
        if fault!("open-event-once", ["IPCEVT-011"], "Only the first process that opens an event sees its records.")
            && event.slot().waiters.fetch_add(1, Ordering::AcqRel) > 0
        {
            return None;
        }
        if fault!("open-event-forgets-earlier-records", ["IPCEVT-018"], "An open event lacks the record made before.") {
            let slot = event.slot();
            slot.earlier.store(slot.begun.load(Ordering::Acquire), Ordering::Release);
        }
        event.is_current().then_some(event)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        unmap(self.base, SIZE);
    }
}

/// An event of this process. Dropping it gives its slot back. Waits for its pending records continue.
#[derive(Debug)]
pub(crate) struct OwnEvent(SharedEvent);

impl Deref for OwnEvent {
    type Target = SharedEvent;

    fn deref(&self) -> &SharedEvent {
        &self.0
    }
}

impl Drop for OwnEvent {
    fn drop(&mut self) {
        if fault!("destroy-event-keeps-its-slot", ["IPCEVT-033"], "A destroyed event still counts towards the limit.") {
            return;
        }
        self.0.arena.slots().destroyed.push(self.0.slot);
    }
}

/// One event in an arena.
#[derive(Clone, Debug)]
pub(crate) struct SharedEvent {
    pub(crate) arena: Arc<Arena>,
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

impl SharedEvent {
    fn slot(&self) -> &Slot {
        self.arena.slot(self.slot)
    }

    /// Whether the slot still belongs to this event. It can pass to another event after this one was destroyed.
    fn is_current(&self) -> bool {
        self.slot().serial.load(Ordering::Acquire) == self.serial
    }

    /// Ends the event for all processes, for a fault.
    pub(crate) fn end(&self) {
        self.slot().serial.store(0, Ordering::Release);
    }

    /// Completes all records that were begun, for a fault.
    pub(crate) fn complete(&self) {
        let number = self.slot().begun.load(Ordering::Acquire);
        SharedRecord { event: self.clone(), number }.complete();
    }

    /// Begins a record, which completes when the returned value is dropped. `None` if the slot belongs to another event
    /// by now. If too many records are pending, this waits, as a call of a real driver waits for room in its queue.
    pub(crate) fn begin(&self) -> Option<PendingRecord> {
        if !self.is_current() {
            return None;
        }
        let number = self.slot().begun.fetch_add(1, Ordering::AcqRel) + 1;
        if number > RING {
            let earlier = SharedRecord { event: self.clone(), number: number - RING };
            while !earlier.wait_for(None) {}
        }
        Some(PendingRecord(SharedRecord { event: self.clone(), number }))
    }

    /// The latest record at the time of the call (IPCEVT-021). `None` before the first record (IPCEVT-017).
    pub(crate) fn latest(&self) -> Option<SharedRecord> {
        let number = self.slot().begun.load(Ordering::Acquire);
        let was_recorded = number > self.slot().earlier.load(Ordering::Acquire);
        (was_recorded && self.is_current()).then(|| SharedRecord { event: self.clone(), number })
    }
}

/// One record of an event.
#[derive(Clone, Debug)]
pub(crate) struct SharedRecord {
    event: SharedEvent,
    number: u64,
}

impl SharedRecord {
    fn place(&self) -> &AtomicU64 {
        &self.event.slot().ring[(self.number % RING) as usize]
    }

    /// Marks the record as complete, without waking its waiters.
    pub(crate) fn complete(&self) {
        self.place().fetch_max(self.number, Ordering::AcqRel);
    }

    /// For a fault: whether the slot no longer counts this record.
    fn is_lost(&self) -> bool {
        self.number > RING
            && fault!(
                "record-after-1024-completes-at-once",
                ["IPCEVT-018"],
                "Only the first 1024 records of an event wait for their work.",
            )
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.place().load(Ordering::Acquire) >= self.number || self.is_lost()
    }

    /// Waits, for the given time at most, and returns whether the record is complete.
    ///
    /// IPCEVT-028: if a process is killed before the work of its record is done, the record never completes, as on an
    /// H200.
    pub(crate) fn wait_for(&self, at_most: Option<Duration>) -> bool {
        let changes = &self.event.slot().changes;
        let seen = changes.load(Ordering::Acquire);
        if self.is_complete() {
            return true;
        }
        let time = at_most
            .map(|time| libc::timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() });
        let timeout = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        let waiters = &self.event.slot().waiters;
        if awaits_its_waiters() {
            waiters.fetch_add(1, Ordering::AcqRel);
        }
        // SAFETY: the address is aligned and in the mapped arena. The call sleeps while the value is the one seen.
        unsafe { libc::syscall(libc::SYS_futex, changes.as_ptr(), libc::FUTEX_WAIT, seen, timeout) };
        if awaits_its_waiters() {
            waiters.fetch_sub(1, Ordering::AcqRel);
        }
        self.is_complete()
    }
}

/// A record whose work is not done yet.
#[derive(Debug)]
pub(crate) struct PendingRecord(SharedRecord);

impl PendingRecord {
    /// The record itself.
    pub(crate) fn record(&self) -> SharedRecord {
        self.0.clone()
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        let Self(record) = self;
        let slot = record.event.slot();
        record.complete();
        slot.completed.fetch_add(1, Ordering::AcqRel);
        slot.changes.fetch_add(1, Ordering::AcqRel);
        // SAFETY: the address is aligned and in the mapped arena. The call wakes waiters and writes nothing.
        unsafe { libc::syscall(libc::SYS_futex, slot.changes.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
        while awaits_its_waiters() && slot.waiters.load(Ordering::Acquire) != 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn awaits_its_waiters() -> bool {
    fault!(
        "record-awaits-its-waiters",
        ["IPCEVT-029"],
        "A stream continues after a record only when all waiters have noticed it, even those that were killed.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_for_the_record_that_it_captured() {
        let event = Arc::new(Arena::new().unwrap()).create().unwrap();
        assert!(event.latest().is_none());
        let first = event.begin().unwrap();
        let captured = event.latest().unwrap();
        let second = event.begin().unwrap();
        drop(second);
        assert!(event.latest().unwrap().is_complete());
        assert!(!captured.is_complete(), "the earlier record may end later");
        drop(first);
        assert!(captured.wait_for(None));
    }

    #[test]
    fn a_slot_is_reused_once_nothing_is_pending() {
        let arena = Arc::new(Arena::new().unwrap());
        let own = arena.create().unwrap();
        let event = own.clone();
        let pending = event.begin().unwrap();
        let captured = event.latest().unwrap();
        drop(own);
        let other = arena.create().unwrap();
        assert_ne!(other.slot, event.slot);
        drop(pending);
        let next = arena.create().unwrap();
        assert_eq!(next.slot, event.slot);
        assert!(next.latest().is_none(), "an event does not have the records of an earlier one");
        let _pending = next.begin().unwrap();
        assert!(captured.is_complete(), "a wait for the earlier event is not affected");
        assert!(event.latest().is_none());
        assert!(arena.find(event.slot, event.serial).is_none());
    }

    #[test]
    fn there_are_4096() {
        let arena = Arc::new(Arena::new().unwrap());
        let mut events: Vec<_> = (0..SLOTS).map(|_| arena.create().unwrap()).collect();
        assert_eq!(arena.create().unwrap_err(), OUT_OF_MEMORY);
        events.pop();
        arena.create().unwrap();
    }
}

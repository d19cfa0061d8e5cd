//! The part of an interprocess event that all its processes see: one slot of a shared arena.
//!
//! A record takes the next number; its completion is noted in a ring under that number. Who waits captures the number
//! of the latest record and waits for that one, whatever is recorded later.

use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::block::{map_shared, unmap};

/// Interprocess events of one process, as many as an H200 gives.
pub(crate) const SLOTS: usize = 4096;

/// Records whose completion can be told apart.
const RING: u64 = 32;

#[repr(C)]
struct Slot {
    /// Which event has the slot; 0 while none has.
    serial: AtomicU64,
    issued: AtomicU64,
    /// Changes with every completion: what waiters sleep on.
    completions: AtomicU32,
    _padding: u32,
    done: [AtomicU64; RING as usize],
}

const SIZE: u64 = (SLOTS * size_of::<Slot>()) as u64;

/// The interprocess events of one process.
#[derive(Debug)]
pub(crate) struct Arena {
    file: File,
    base: u64,
    pub(crate) inode: u64,
}

impl Arena {
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: the name is a C string; the call has no other input.
        let descriptor = unsafe { libc::memfd_create(c"cuda-events".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(OUT_OF_MEMORY);
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(SIZE).map_err(|_| OUT_OF_MEMORY)?;
        Self::map(file)
    }

    /// The arena of another process, or `None` where it is gone.
    pub(crate) fn of_process(process: u32, descriptor: u32, inode: u64) -> Result<Option<Self>> {
        let link = format!("/proc/{process}/fd/{descriptor}");
        let Ok(file) = File::options().read(true).write(true).open(link) else { return Ok(None) };
        if file.metadata().map_or(true, |metadata| metadata.ino() != inode || metadata.len() != SIZE) {
            return Ok(None);
        }
        Self::map(file).map(Some)
    }

    fn map(file: File) -> Result<Self> {
        let inode = file.metadata().map_err(|_| OUT_OF_MEMORY)?.ino();
        let base = map_shared(&file, 0, SIZE)?;
        Ok(Self { file, base, inode })
    }

    pub(crate) fn descriptor(&self) -> u32 {
        self.file.as_raw_fd().cast_unsigned()
    }

    fn slot(&self, index: usize) -> &Slot {
        let index = index.min(SLOTS - 1);
        // SAFETY: the arena is mapped as long as it lives, aligned, and only ever touched through atomics.
        unsafe { &*(self.base as *const Slot).add(index) }
    }

    /// A free slot for a new event. Only the process that owns the arena takes slots, under its lock.
    pub(crate) fn take_slot(&self, serial: u64) -> Result<usize> {
        let index = (0..SLOTS).find(|index| self.slot(*index).serial.load(Ordering::Acquire) == 0);
        let index = index.ok_or(OUT_OF_MEMORY)?;
        let slot = self.slot(index);
        slot.issued.store(0, Ordering::Relaxed);
        slot.done.iter().for_each(|done| done.store(0, Ordering::Relaxed));
        slot.serial.store(serial, Ordering::Release);
        Ok(index)
    }

    pub(crate) fn give_slot_back(&self, index: usize) {
        self.slot(index).serial.store(0, Ordering::Release);
    }

    pub(crate) fn serial(&self, index: usize) -> u64 {
        self.slot(index).serial.load(Ordering::Acquire)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        unmap(self.base, SIZE);
    }
}

/// One event in an arena.
#[derive(Clone, Debug)]
pub(crate) struct SharedEvent {
    pub(crate) arena: Arc<Arena>,
    pub(crate) slot: usize,
}

impl SharedEvent {
    fn slot(&self) -> &Slot {
        self.arena.slot(self.slot)
    }

    /// Begin a record; its number.
    pub(crate) fn issue(&self) -> u64 {
        self.slot().issued.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The latest record; 0 before any.
    pub(crate) fn latest(&self) -> u64 {
        self.slot().issued.load(Ordering::Acquire)
    }

    pub(crate) fn complete(&self, record: u64) {
        let slot = self.slot();
        slot.done[(record % RING) as usize].fetch_max(record, Ordering::AcqRel);
        slot.completions.fetch_add(1, Ordering::AcqRel);
        // SAFETY: an aligned address of this process; the call wakes and writes nothing.
        unsafe { libc::syscall(libc::SYS_futex, slot.completions.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// IPCEVT-017: before any record there is nothing to wait for.
    pub(crate) fn is_complete(&self, record: u64) -> bool {
        record == 0 || self.slot().done[(record % RING) as usize].load(Ordering::Acquire) >= record
    }

    /// Wait for a record. It does not end if the process that recorded is killed before its work is done.
    pub(crate) fn wait(&self, record: u64) {
        let slot = self.slot();
        loop {
            let seen = slot.completions.load(Ordering::Acquire);
            if self.is_complete(record) {
                return;
            }
            let timeout = std::ptr::null::<libc::timespec>();
            // SAFETY: an aligned address of this process; the call sleeps while the value is the one seen.
            unsafe { libc::syscall(libc::SYS_futex, slot.completions.as_ptr(), libc::FUTEX_WAIT, seen, timeout) };
        }
    }
}

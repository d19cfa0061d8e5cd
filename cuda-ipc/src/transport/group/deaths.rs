//! Which rank died first, as all ranks of a group see it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
use rustix::io::{pread, write};

/// A file that all ranks have: the numbers of the ranks that were seen dead (`u32`, little-endian), the first of them
/// first.
///
/// A rank that sees a death leaves the group, which looks like its own death. So it first writes the number here, and
/// the others go by the first number. All ranks have the same open file, so each number goes behind the one before. A
/// message could not replace this: it would wait behind one that its receiver does not receive.
#[derive(Debug)]
pub(super) struct Deaths(OwnedFd);

impl Deaths {
    /// `memfd_create`: makes the file, which rank 0 sends to the others.
    pub(super) fn new() -> io::Result<Self> {
        let file = memfd_create("cuda-ipc group", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        // No rank can take back what it has said.
        fcntl_add_seals(&file, SealFlags::SHRINK)?;
        Ok(Self(file))
    }

    /// Takes the file that rank 0 sent. Only a memfd has seals, so that no access to it can hang.
    pub(super) fn from_descriptor(file: OwnedFd) -> Option<Self> {
        fcntl_get_seals(&file).is_ok_and(|seals| seals.contains(SealFlags::SHRINK)).then_some(Self(file))
    }

    /// Notes a death, and returns the rank of the first that was noted.
    pub(super) fn note(&self, rank: usize, size: usize) -> usize {
        let first = || {
            let mut number = [0; 4];
            let is_there = matches!(pread(&self.0, &mut number, 0), Ok(4));
            Some(u32::from_le_bytes(number) as usize).filter(|rank| is_there && *rank < size)
        };
        first().unwrap_or_else(|| {
            // If this fails, for example because there is no memory left, each rank goes by what it has seen itself.
            let _ = write(&self.0, &(rank as u32).to_le_bytes());
            first().unwrap_or(rank)
        })
    }
}

impl AsFd for Deaths {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

//! The memory of a pool that processes share: one memfd, to which an exported descriptor refers.
//!
//! The file begins with the serials: one for each offset in the device's whole memory at which an allocation can begin.
//! The data follow. The file grows and never shrinks. So an importer can access what the exporter allocated after the
//! export, and memory outlives the process that allocated it. Seals enforce this for every process: none can take away
//! memory that another one has mapped.

use std::fs::File;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::account::{account, account_opened, free_memory};
use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Result};
use crate::block::{GRANULARITY, HOST, SERIALS_SIZE, UNIT, file_name};
use crate::environment::environment;
use crate::handle::Kind;
use crate::machine_lock::alone;
use crate::memfd::{Elsewhere, file_of_process, is_memfd, new_memfd};
use crate::vmm::fabric::{self, Exported};

const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;

#[derive(Debug)]
pub(crate) struct PoolFile {
    file: Arc<File>,
    /// The device's index in the machine, or `HOST`.
    pub(crate) place: usize,
    pub(crate) inode: u64,
    /// Whether this process opened the file by itself, so that its lock is not the exporter's.
    is_opened: bool,
    /// Which granules of the data are taken. Only the exporter keeps this list.
    granules: Mutex<Vec<bool>>,
}

impl PoolFile {
    pub(crate) fn new(place: usize) -> Result<Arc<Self>> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        let file = new_memfd(&Self::name(place), Self::table_size(), flags)?;
        // SAFETY: the descriptor is the file's; the argument is a number.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } < 0 {
            return Err(OUT_OF_MEMORY);
        }
        Self::with(file, place, false)
    }

    /// Opens the file behind another process's descriptor. POOL-IMP-004: any other descriptor is
    /// CUDA_ERROR_INVALID_VALUE. An H200 returns CUDA_ERROR_UNKNOWN, which is not documented for this call.
    pub(crate) fn import(descriptor: i32) -> Result<Arc<Self>> {
        let target = std::fs::read_link(format!("/proc/thread-self/fd/{descriptor}")).map_err(|_| INVALID_VALUE)?;
        let place = Self::place_of(&target).ok_or(INVALID_VALUE)?;
        // SAFETY: the descriptor was open a moment ago. The caller must not close it during the call. If it does, the
        // next line fails or finds another file, which is checked below.
        let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
        // POOL-IMP-009: the caller keeps its descriptor.
        let file = File::from(borrowed.try_clone_to_owned().map_err(|_| OUT_OF_MEMORY)?);
        // SAFETY: the descriptor is the file's.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let length = file.metadata().map_err(|_| INVALID_VALUE)?.len();
        if seals < 0 || seals & SEALS != SEALS || length < Self::table_size() {
            return Err(INVALID_VALUE);
        }
        Self::with(file, place, false)
    }

    /// Opens the file that a fabric handle names.
    pub(crate) fn of_fabric(bytes: &[u8; 64]) -> Result<Arc<Self>> {
        let (pool, _) = fabric::import(Kind::FabricPool, bytes, |handle, place| {
            // If the other process ends meanwhile, no third one may find its memory free.
            alone(place, || {
                let file = file_of_process(handle.process, handle.descriptor, &Self::name(place), handle.inode)?;
                Self::with(file, place, true).map_err(Elsewhere::Failed)
            })
        })?;
        Ok(pool)
    }

    /// The contents of a fabric handle that names this file.
    pub(crate) fn for_fabric(&self) -> Exported {
        let (descriptor, inode) = (self.file.as_raw_fd().cast_unsigned(), self.inode);
        Exported { kind: Kind::FabricPool, descriptor, inode, size: 0, place: self.place }
    }

    fn with(file: File, place: usize, is_opened: bool) -> Result<Arc<Self>> {
        let inode = file.metadata().map_err(|_| OUT_OF_MEMORY)?.ino();
        let pool = Self { file: Arc::new(file), place, inode, is_opened, granules: Mutex::default() };
        pool.account()?;
        Ok(Arc::new(pool))
    }

    /// Creates a descriptor of the file for another process. A started program inherits it, as on an H200.
    pub(crate) fn export(&self) -> Result<i32> {
        // SAFETY: the descriptor is the file's, and the call creates a new one.
        let descriptor = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_DUPFD, 0) };
        if descriptor < 0 {
            return Err(OUT_OF_MEMORY);
        }
        if fault!("pool-export-leaks-a-descriptor", ["POOL-EXP-008"], "Every export leaves one more descriptor open.") {
            // SAFETY: as above.
            unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
        }
        Ok(descriptor)
    }

    pub(crate) fn name(place: usize) -> String {
        format!("{}:pool", file_name(place))
    }

    fn place_of(target: &Path) -> Option<usize> {
        (0..environment().devices).chain([HOST]).find(|place| is_memfd(target, &Self::name(*place)))
    }

    /// Leaves a mark on the file that importers see: the exporter granted access to another device. A driver without a
    /// fault does not look at it.
    pub(super) fn tell_importers(&self) {
        // SAFETY: the descriptor is the file's.
        unsafe { libc::fchmod(self.file.as_raw_fd(), 0o700) };
    }

    pub(crate) fn is_granted(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.mode() & 0o777 == 0o700)
    }

    pub(crate) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// The bytes of the serials. Most of them are never written, and use no memory.
    pub(crate) fn table_size() -> u64 {
        environment().memory.div_ceil(GRANULARITY) * SERIALS_SIZE
    }

    /// The offset in the file at which the serials of a granule begin.
    pub(crate) const fn serials_at(offset: u64) -> u64 {
        offset / UNIT * 8
    }

    /// The offset in the file at which a part of the data begins.
    pub(crate) fn data_at(&self, offset: u64) -> u64 {
        Self::table_size() + offset
    }

    /// The bytes of the data, which grow with the exporter's allocations.
    pub(crate) fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len()).saturating_sub(Self::table_size())
    }

    /// Accounts for what the file has grown to.
    fn account(&self) -> Result<()> {
        if self.is_opened {
            return account_opened(&self.file, self.place);
        }
        account(&self.file, self.place, self.size())
    }

    fn granules(&self) -> MutexGuard<'_, Vec<bool>> {
        self.granules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes zeroed granules, preferably those that were given back.
    pub(crate) fn take(self: &Arc<Self>, size: u64) -> Result<Extent> {
        let size = size.checked_next_multiple_of(GRANULARITY).ok_or(OUT_OF_MEMORY)?;
        let count = usize::try_from(size / GRANULARITY).map_err(|_| OUT_OF_MEMORY)?;
        let mut granules = self.granules();
        let first = first_free(&granules, count);
        let missing = (first + count).saturating_sub(granules.len());
        if missing > 0 {
            let growth = missing as u64 * GRANULARITY;
            let length = self.data_at((first + count) as u64 * GRANULARITY);
            alone(self.place, || {
                if growth > free_memory(self.place) {
                    return Err(OUT_OF_MEMORY);
                }
                self.file.set_len(length).map_err(|_| OUT_OF_MEMORY)?;
                self.account()
            })?;
            granules.resize(first + count, false);
        }
        granules[first..first + count].fill(true);
        drop(granules);
        let extent = Extent { file: Arc::clone(self), first, count };
        extent.clear()?;
        Ok(extent)
    }
}

/// Returns the index of the first run of `count` free granules. The run may extend beyond the end.
fn first_free(granules: &[bool], count: usize) -> usize {
    let mut first = 0;
    for (index, taken) in granules.iter().enumerate() {
        if *taken {
            first = index + 1;
        } else if index + 1 - first >= count {
            break;
        }
    }
    first
}

/// Granules of a pool's file that are taken as long as this value lives.
#[derive(Debug)]
pub(crate) struct Extent {
    file: Arc<PoolFile>,
    first: usize,
    count: usize,
}

impl Extent {
    /// The offset in the data at which the extent begins.
    pub(crate) const fn offset(&self) -> u64 {
        self.first as u64 * GRANULARITY
    }

    pub(crate) const fn size(&self) -> u64 {
        self.count as u64 * GRANULARITY
    }

    /// Sets the bytes and the serials to zero. The previous contents no longer belong to anyone.
    fn clear(&self) -> Result<()> {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let serials = self.count as u64 * SERIALS_SIZE;
        let parts = [(self.file.data_at(self.offset()), self.size()), (PoolFile::serials_at(self.offset()), serials)];
        for (at, length) in parts {
            let (at, length) = (at.cast_signed(), length.cast_signed());
            // SAFETY: the descriptor is the file's, and nothing else owns this range of it.
            if unsafe { libc::fallocate(self.file.file.as_raw_fd(), mode, at, length) } < 0 {
                return Err(OUT_OF_MEMORY);
            }
        }
        Ok(())
    }
}

impl Drop for Extent {
    fn drop(&mut self) {
        self.file.granules()[self.first..self.first + self.count].fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn granules_are_taken_in_runs_and_given_back() {
        let file = PoolFile::new(0).unwrap();
        let one = file.take(1).unwrap();
        let two = file.take(2 * GRANULARITY).unwrap();
        assert_eq!((one.offset(), two.offset(), file.size()), (0, GRANULARITY, 3 * GRANULARITY));
        drop(one);
        let more = file.take(2 * GRANULARITY).unwrap();
        assert_eq!((more.offset(), file.size()), (3 * GRANULARITY, 5 * GRANULARITY), "one granule is not two");
        assert_eq!(file.take(1).unwrap().offset(), 0);
        drop(more);
        assert_eq!(file.take(4 * GRANULARITY).unwrap().offset(), 3 * GRANULARITY);
        assert_eq!(file.size(), 7 * GRANULARITY, "the end was free, and only the rest was new");
    }

    #[test]
    fn nobody_can_cut_the_file() {
        let file = PoolFile::new(0).unwrap();
        let _extent = file.take(1).unwrap();
        assert!(file.file.set_len(0).is_err());
        let unsealed = new_memfd(&PoolFile::name(0), PoolFile::table_size(), libc::MFD_ALLOW_SEALING).unwrap();
        assert_eq!(PoolFile::import(unsealed.as_raw_fd()).err(), Some(INVALID_VALUE), "this one could be cut");
    }
}

//! Physical memory: a memfd, mapped once in this process.
//!
//! Behind the data lies an area with one serial for every place where an allocation can begin: not zero while that
//! allocation lives. An importer reads there whether what a handle names is still the same allocation.

use std::fs::File;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuda_ipc_sys::CUmemAccess_flags;

use crate::account::{Entered, account, free_memory};
use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Result};
use crate::environment::environment;
use crate::memfd::{
    Elsewhere, file_of_process, is_memfd, is_sealed, map_fixed, map_shared, new_descriptor, new_file, new_sealed, unmap,
};
use crate::pool::{Extent, PoolFile};

/// The granularity of physical memory, 2 MiB as on every GPU of the last years.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// The host's memory, beside the places of the devices in the machine. For pools there is as much of it as a device has.
pub(crate) const HOST: usize = usize::MAX;

/// Where an allocation may begin in a block that several share.
pub(crate) const UNIT: u64 = 512;

pub(crate) const SERIALS_SIZE: u64 = GRANULARITY / UNIT * 8;

#[derive(Debug)]
pub(crate) struct Block {
    file: Arc<File>,
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) inode: u64,
    serials: u64,
    account: Account,
}

/// Where the memory is accounted for, until the block is gone.
#[derive(Debug)]
enum Account {
    /// A file of its own.
    Own { _entry: Entered },
    /// A part of a pool's file: the exporter gives the place back to the pool.
    Part { extent: Option<Extent> },
}

impl Block {
    /// Fresh zeroed memory of a device. CUDA_ERROR_OUT_OF_MEMORY where the device, or the process, has no more.
    pub(crate) fn new(device: usize, size: u64) -> Result<Self> {
        let size = size.checked_next_multiple_of(GRANULARITY).ok_or(OUT_OF_MEMORY)?;
        if size > free_memory(device) {
            return Err(OUT_OF_MEMORY);
        }
        let file = new_file(&file_name(device), size + SERIALS_SIZE)?;
        Self::map(file, device)
    }

    /// The same, for other processes to map: nobody can take away what another one uses.
    pub(crate) fn shareable(device: usize, size: u64) -> Result<Self> {
        if size > free_memory(device) {
            return Err(OUT_OF_MEMORY);
        }
        let file = new_sealed(&file_name(device), size + SERIALS_SIZE)?;
        Self::map(file, device)
    }

    /// A new descriptor, for another process. VMM-EXP-002: a started program does not inherit it, as on an H200.
    pub(crate) fn export(&self) -> Result<i32> {
        new_descriptor(&self.file)
    }

    /// The block behind a descriptor of `export`, and its place. VMM-IMP-003: whatever is not one of these is an
    /// invalid value; the UNKNOWN of an H200 is none of the documented codes.
    pub(crate) fn of_descriptor(descriptor: i32) -> Result<(Self, usize)> {
        let target = std::fs::read_link(format!("/proc/self/fd/{descriptor}")).map_err(|_| INVALID_VALUE)?;
        let place = (0..environment().devices).chain([HOST]).find(|place| is_memfd(&target, &file_name(*place)));
        let place = place.ok_or(INVALID_VALUE)?;
        // SAFETY: the descriptor was open a moment ago. The caller must not close it during the call; should it do so
        // all the same, the next line fails or finds another file, which is looked at below.
        let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
        // VMM-IMP-007, -008: the caller keeps its descriptor.
        let file = File::from(borrowed.try_clone_to_owned().map_err(|_| OUT_OF_MEMORY)?);
        if !is_sealed(&file) {
            return Err(INVALID_VALUE);
        }
        Ok((Self::map(file, place)?, place))
    }

    /// A block of another process.
    pub(crate) fn of_process(
        process: u32,
        descriptor: u32,
        device: usize,
        inode: u64,
    ) -> std::result::Result<Self, Elsewhere> {
        let file = file_of_process(process, descriptor, &file_name(device), inode)?;
        Self::map(file, device).map_err(Elsewhere::Failed)
    }

    fn map(file: File, device: usize) -> Result<Self> {
        let metadata = file.metadata().map_err(|_| OUT_OF_MEMORY)?;
        let size = metadata.len().checked_sub(SERIALS_SIZE).ok_or(OUT_OF_MEMORY)?;
        account(&file, device, size)?;
        let inode = metadata.ino();
        let account = Account::Own { _entry: Entered::new((device, inode, size)) };
        Self::map_part(Arc::new(file), inode, (0, size), size, account)
    }

    /// Memory that this process takes of a pool's file.
    pub(crate) fn in_pool(file: &PoolFile, extent: Extent) -> Result<Self> {
        let part = (file.data_at(extent.offset()), extent.size());
        let serials_at = PoolFile::serials_at(extent.offset());
        Self::map_part(file.file(), file.inode, part, serials_at, Account::Part { extent: Some(extent) })
    }

    /// Whole granules of a pool's file, which another process may have taken.
    pub(crate) fn of_pool(file: &PoolFile, offset: u64, size: u64) -> Result<Self> {
        let part = (file.data_at(offset), size);
        Self::map_part(file.file(), file.inode, part, PoolFile::serials_at(offset), Account::Part { extent: None })
    }

    fn map_part(
        file: Arc<File>,
        inode: u64,
        (data_at, size): (u64, u64),
        serials_at: u64,
        account: Account,
    ) -> Result<Self> {
        let base = map_shared(&file, data_at, size)?;
        let serials = map_shared(&file, serials_at, SERIALS_SIZE).inspect_err(|_| unmap(base, size))?;
        Ok(Self { file, base, size, inode, serials, account })
    }

    /// Let the host reach a part of the block at reserved addresses too.
    pub(crate) fn map_at(&self, address: u64, offset: u64, size: u64, access: CUmemAccess_flags) -> Result<()> {
        let protection = match access {
            CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE => libc::PROT_READ | libc::PROT_WRITE,
            CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ => libc::PROT_READ,
            _ => libc::PROT_NONE,
        };
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        map_fixed(address, size, protection, flags, self.file.as_raw_fd(), offset)
    }

    pub(crate) fn descriptor(&self) -> u32 {
        self.file.as_raw_fd().cast_unsigned()
    }

    /// The place in a pool's file that this process took.
    pub(crate) const fn extent(&self) -> Option<&Extent> {
        match &self.account {
            Account::Part { extent } => extent.as_ref(),
            Account::Own { .. } => None,
        }
    }

    /// Make the bytes zeros.
    pub(crate) fn clear(&self) -> Result<()> {
        // SAFETY: the mapping is the block's own and shared, and nobody uses what lies there.
        let answer = unsafe { libc::madvise(self.base as *mut _, self.size as usize, libc::MADV_REMOVE) };
        if answer == 0 { Ok(()) } else { Err(OUT_OF_MEMORY) }
    }

    /// The serial of what begins at an offset; 0 where nothing does.
    pub(crate) fn serial(&self, offset: u64) -> u64 {
        self.serial_at(offset).load(Ordering::Acquire)
    }

    pub(crate) fn set_serial(&self, offset: u64, serial: u64) {
        self.serial_at(offset).store(serial, Ordering::Release);
    }

    fn serial_at(&self, offset: u64) -> &AtomicU64 {
        // Only blocks of one granule are shared; in a larger one the only allocation begins at 0.
        let index = (offset / UNIT).min(SERIALS_SIZE / 8 - 1);
        // SAFETY: the area is mapped as long as the block lives, aligned, and only ever read and written atomically.
        unsafe { AtomicU64::from_ptr((self.serials + index * 8) as *mut u64) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unmap(self.base, self.size);
        unmap(self.serials, SERIALS_SIZE);
    }
}

/// The name of a device's blocks, or of the host's.
pub(crate) fn file_name(place: usize) -> String {
    let machine = &environment().machine;
    if place == HOST { format!("cuda:{machine}:host") } else { format!("cuda:{machine}:{place}") }
}

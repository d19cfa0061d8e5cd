//! Physical memory: a memfd, mapped once in this process.
//!
//! After the data, the file has one serial for every offset at which an allocation can begin. The serial is not zero
//! while that allocation lives. An importer reads it to learn whether a handle still names the same allocation.

use std::fs::File;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuda_ipc_sys::CUmemAccess_flags;

use crate::account::{Entered, account, free_memory, mark_as_freed};
use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Result};
use crate::environment::environment;
use crate::machine_lock::alone;
use crate::memfd::{
    Elsewhere, file_of_process, is_memfd, is_sealed, map_fixed, map_shared, new_descriptor, new_file, new_sealed, unmap,
};
use crate::pool::{Extent, PoolFile};

/// The granularity of physical memory: 2 MiB, as on every recent GPU.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Stands for the host's memory where a device's index in the machine is expected. Its size is that of one device.
pub(crate) const HOST: usize = usize::MAX;

/// Allocations that share a block begin at multiples of this.
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

/// How the memory is accounted for while the block lives.
#[derive(Debug)]
enum Account {
    /// A file of its own.
    Own { _entry: Entered },
    /// A part of a pool's file. In the exporter, the extent gives its space back to the pool when it is dropped.
    Part { extent: Option<Extent> },
}

impl Block {
    /// Allocates zeroed memory of a device. Returns CUDA_ERROR_OUT_OF_MEMORY if the device or the process has too
    /// little left.
    pub(crate) fn new(device: usize, size: u64) -> Result<Self> {
        let size = size.checked_next_multiple_of(GRANULARITY).ok_or(OUT_OF_MEMORY)?;
        alone(device, || {
            if size > free_memory(device) {
                return Err(OUT_OF_MEMORY);
            }
            Self::map(new_file(&file_name(device), size + SERIALS_SIZE)?, device)
        })
    }

    /// Allocates memory that other processes may map. The file is sealed: no process can take away memory that another
    /// one uses.
    pub(crate) fn shareable(device: usize, size: u64) -> Result<Self> {
        alone(device, || {
            if size > free_memory(device) {
                return Err(OUT_OF_MEMORY);
            }
            Self::map(new_sealed(&file_name(device), size + SERIALS_SIZE)?, device)
        })
    }

    /// Creates a descriptor for another process. VMM-EXP-002: a started program does not inherit it, as on an H200.
    pub(crate) fn export(&self) -> Result<i32> {
        if fault!("export-keeps-a-descriptor", ["FORK-005"], "The exporter keeps a descriptor of exported memory.") {
            std::mem::forget(self.file.try_clone());
        }
        new_descriptor(&self.file)
    }

    /// Maps the block behind a descriptor from `export`, and returns it with its device's index, or `HOST`.
    /// VMM-IMP-003: any other descriptor is CUDA_ERROR_INVALID_VALUE. An H200 returns CUDA_ERROR_UNKNOWN, which is not
    /// documented for this call.
    pub(crate) fn of_descriptor(descriptor: i32) -> Result<(Self, usize)> {
        let target = std::fs::read_link(format!("/proc/thread-self/fd/{descriptor}")).map_err(|_| INVALID_VALUE)?;
        let place = (0..environment().devices).chain([HOST]).find(|place| is_memfd(&target, &file_name(*place)));
        let place = place.ok_or(INVALID_VALUE)?;
        // SAFETY: the descriptor was open a moment ago. The caller must not close it during the call. If it does, the
        // next line fails or finds another file, which is checked below.
        let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
        // VMM-IMP-007, -008: the caller keeps its descriptor.
        let file = File::from(borrowed.try_clone_to_owned().map_err(|_| OUT_OF_MEMORY)?);
        if !is_sealed(&file) {
            return Err(INVALID_VALUE);
        }
        Ok((Self::map(file, place)?, place))
    }

    /// Whether an import takes any memory that lies where the handle says.
    pub(crate) fn takes_newer_memory() -> bool {
        fault!("open-shows-newer-memory", ["IPCMEM-OPEN-017"], "A stale handle opens newer memory in its place.")
            || Self::shifts_newer_memory()
    }

    pub(crate) fn shifts_newer_memory() -> bool {
        fault!(
            "open-shows-newer-memory-shifted",
            ["IPCMEM-OPEN-017"],
            "A stale handle opens newer memory 4 KiB further."
        )
    }

    /// Whether the handle of a large allocation does not tell it from an older one in its place.
    pub(crate) fn repeats_large() -> bool {
        fault!(
            "get-repeats-the-handle-of-a-block",
            ["IPCMEM-GET-003", "IPCMEM-OPEN-017"],
            "A new allocation at an old address has the old handle, if it has a block of its own.",
        )
    }

    /// Maps a block of another process.
    pub(crate) fn of_process(
        process: u32,
        descriptor: u32,
        device: usize,
        inode: u64,
    ) -> std::result::Result<Self, Elsewhere> {
        let is_any = Self::takes_newer_memory() || Self::repeats_large();
        // If the other process ends meanwhile, no third one may find its memory free.
        alone(device, || {
            let file = file_of_process(process, descriptor, &file_name(device), (!is_any).then_some(inode))?;
            Self::map(file, device).map_err(Elsewhere::Failed)
        })
    }

    fn map(file: File, device: usize) -> Result<Self> {
        let metadata = file.metadata().map_err(|_| OUT_OF_MEMORY)?;
        let size = metadata.len().checked_sub(SERIALS_SIZE).ok_or(OUT_OF_MEMORY)?;
        account(&file, device, size)?;
        let inode = metadata.ino();
        let account = Account::Own { _entry: Entered::new((device, inode, size)) };
        Self::map_part(Arc::new(file), inode, (0, size), size, account)
    }

    /// Maps memory that this process takes from a pool's file.
    pub(crate) fn in_pool(file: &PoolFile, extent: Extent) -> Result<Self> {
        let part = (file.data_at(extent.offset()), extent.size());
        let serials_at = PoolFile::serials_at(extent.offset());
        Self::map_part(file.file(), file.inode, part, serials_at, Account::Part { extent: Some(extent) })
    }

    /// Maps whole granules of a pool's file. Another process may have taken them.
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

    /// Maps a part of the block at reserved addresses too, for accesses by the host.
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

    /// The part of a pool's file that this process took, if the block is one.
    pub(crate) const fn extent(&self) -> Option<&Extent> {
        match &self.account {
            Account::Part { extent } => extent.as_ref(),
            Account::Own { .. } => None,
        }
    }

    /// Sets all bytes to zero.
    pub(crate) fn clear(&self) -> Result<()> {
        // SAFETY: the mapping is shared and belongs to the block, and nothing uses its contents.
        let answer = unsafe { libc::madvise(self.base as *mut _, self.size as usize, libc::MADV_REMOVE) };
        if answer == 0 { Ok(()) } else { Err(OUT_OF_MEMORY) }
    }

    /// Faults only: frees the memory, whoever still uses it.
    pub(crate) fn free_for_all(&self) {
        mark_as_freed(&self.file);
        let _ = self.clear();
    }

    /// Faults only: replaces a part of this process's mapping by memory that no other process sees.
    pub(crate) fn make_private(&self, offset: u64, size: u64, is_copy: bool) -> Result<()> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let (kind, descriptor) = if is_copy { (0, self.file.as_raw_fd()) } else { (libc::MAP_ANONYMOUS, -1) };
        let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | kind;
        map_fixed(self.base + offset, size, protection, flags, descriptor, if is_copy { offset } else { 0 })
    }

    /// The serial of the allocation that begins at an offset; 0 if none does.
    pub(crate) fn serial(&self, offset: u64) -> u64 {
        self.serial_at(offset).load(Ordering::Acquire)
    }

    pub(crate) fn set_serial(&self, offset: u64, serial: u64) {
        self.serial_at(offset).store(serial, Ordering::Release);
    }

    /// The serial after all that allocations use.
    pub(crate) fn last_serial(&self) -> &AtomicU64 {
        self.serial_at(u64::MAX)
    }

    /// Replaces a part of this process's mapping by a copy.
    pub(crate) fn detach(&self, offset: u64, size: u64) -> Result<()> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE;
        map_fixed(self.base + offset, size, protection, flags, self.file.as_raw_fd(), offset)
    }

    fn serial_at(&self, offset: u64) -> &AtomicU64 {
        // Only blocks of one granule are shared. In a larger block, the only allocation begins at 0.
        let index = (offset / UNIT).min(SERIALS_SIZE / 8 - 1);
        // SAFETY: the area is aligned, mapped as long as the block lives, and only ever accessed atomically.
        unsafe { AtomicU64::from_ptr((self.serials + index * 8) as *mut u64) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unmap(self.base, self.size);
        unmap(self.serials, SERIALS_SIZE);
    }
}

/// The memfd name of a device's blocks, or of the host's.
pub(crate) fn file_name(place: usize) -> String {
    let machine = &environment().machine;
    if place == HOST { format!("cuda:{machine}:host") } else { format!("cuda:{machine}:{place}") }
}

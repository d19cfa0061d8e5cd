//! Physical memory: a memfd, mapped once in this process.
//!
//! Behind the data lies an area with one serial for every place where an allocation can begin: not zero while that
//! allocation lives. An importer reads there whether what a handle names is still the same allocation.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUmemAccess_flags, CUresult};

use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Result};
use crate::environment::environment;
use crate::pool::{Extent, PoolFile};

/// The granularity of physical memory, 2 MiB as on every GPU of the last years.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// The host's memory, beside the places of the devices in the machine. For pools there is as much of it as a device has.
pub(crate) const HOST: usize = usize::MAX;

/// Where an allocation may begin in a block that several share.
pub(crate) const UNIT: u64 = 512;

pub(crate) const SERIALS_SIZE: u64 = GRANULARITY / UNIT * 8;

/// What makes a block one that was created to be shared.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

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

/// A mapping of one of the blocks of this process.
#[derive(Debug)]
struct Entered((usize, u64, u64));

impl Entered {
    fn new(block: (usize, u64, u64)) -> Self {
        *own_blocks().entry(block).or_insert(0) += 1;
        Self(block)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Entry::Occupied(mut entry) = own_blocks().entry(self.0) {
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }
}

/// A memfd of zeros. The name is for the eyes of the other processes of the machine.
pub(crate) fn new_file(name: &str, size: u64) -> Result<File> {
    new_memfd(name, size, libc::MFD_CLOEXEC)
}

/// A memfd whose size nobody can change.
pub(crate) fn new_sealed(name: &str, size: u64) -> Result<File> {
    let file = new_memfd(name, size, libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)?;
    // SAFETY: the descriptor is the file's; the argument is a number.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) };
    if answer < 0 { Err(OUT_OF_MEMORY) } else { Ok(file) }
}

pub(crate) fn is_sealed(file: &File) -> bool {
    // SAFETY: the descriptor is the file's.
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    seals >= 0 && seals & SEALS == SEALS
}

/// A descriptor that is closed when a program is started.
pub(crate) fn new_descriptor(file: &File) -> Result<i32> {
    // SAFETY: the descriptor is the file's, and a new one is made.
    let descriptor = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
    // VMM-EXP-010: no descriptor is left.
    if descriptor < 0 { Err(OUT_OF_MEMORY) } else { Ok(descriptor) }
}

/// The same as `new_file` with flags of `memfd_create`.
pub(crate) fn new_memfd(name: &str, size: u64, flags: u32) -> Result<File> {
    let name = CString::new(name).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: the name is a C string; the call has no other input.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    if descriptor < 0 {
        return Err(OUT_OF_MEMORY);
    }
    // SAFETY: the descriptor is new, and nobody else has it.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    file.set_len(size).map_err(|_| OUT_OF_MEMORY)?;
    Ok(file)
}

/// Why another process's file is not to be had.
#[derive(Debug)]
pub(crate) enum Elsewhere {
    /// The process has no such file any more.
    Gone,
    /// The process has another file there by now.
    Replaced,
    /// The system does not let this process look at that one.
    Forbidden,
    Failed(CUresult),
}

/// The memfd that another process has at a descriptor, if it is still the one of that name and inode.
pub(crate) fn file_of_process(
    process: u32,
    descriptor: u32,
    name: &str,
    inode: u64,
) -> std::result::Result<File, Elsewhere> {
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Elsewhere::Gone,
        ErrorKind::PermissionDenied => Elsewhere::Forbidden,
        // CUDA_ERROR_OUT_OF_MEMORY for want of descriptors.
        _ => Elsewhere::Failed(OUT_OF_MEMORY),
    };
    let link = format!("/proc/{process}/fd/{descriptor}");
    if !is_memfd(&std::fs::read_link(&link).map_err(refused)?, name) {
        return Err(Elsewhere::Replaced);
    }
    let file = File::options().read(true).write(true).open(link).map_err(refused)?;
    let same = file.metadata().map_err(refused)?.ino() == inode;
    same.then_some(file).ok_or(Elsewhere::Replaced)
}

/// Map a part of a file, shared with everyone who maps it.
pub(crate) fn map_shared(file: &File, offset: u64, size: u64) -> Result<u64> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
    let offset = libc::off_t::try_from(offset).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let address = unsafe { libc::mmap(ptr::null_mut(), size as usize, protection, flags, file.as_raw_fd(), offset) };
    if address == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(address as u64) }
}

/// Reserved addresses as they were before the host reached something there.
pub(crate) fn close_to_host(address: u64, size: u64) -> Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    map_fixed(address, size, libc::PROT_NONE, flags, -1, 0)
}

/// Map at addresses that this driver has reserved.
fn map_fixed(address: u64, size: u64, protection: i32, flags: i32, descriptor: i32, offset: u64) -> Result<()> {
    let offset = libc::off_t::try_from(offset).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: callers pass addresses of a reservation, which nothing but mappings of this driver has.
    let mapped = unsafe {
        libc::mmap(address as *mut _, size as usize, protection, flags | libc::MAP_FIXED, descriptor, offset)
    };
    if mapped == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(()) }
}

pub(crate) fn unmap(address: u64, size: u64) {
    // SAFETY: callers pass mappings that they own and do not use again.
    unsafe { libc::munmap(address as *mut _, size as usize) };
}

pub(crate) fn file_name(place: usize) -> String {
    let machine = &environment().machine;
    if place == HOST { format!("cuda:{machine}:host") } else { format!("cuda:{machine}:{place}") }
}

/// Whether a descriptor's link leads to a memfd of a name.
pub(crate) fn is_memfd(target: &Path, name: &str) -> bool {
    let text = target.as_os_str().as_encoded_bytes();
    text.strip_prefix(b"/memfd:").and_then(|text| text.strip_suffix(b" (deleted)")) == Some(name.as_bytes())
}

/// Write a block into the system's list of locks. The lock has no other meaning: it belongs to the open file, and so it
/// is there as long as somebody has a descriptor, or has one on its way to him in a socket.
fn account(file: &File, device: usize, size: u64) -> Result<()> {
    // SAFETY: all zeros are a lock.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_RDLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = lock_place(device).cast_signed();
    lock.l_len = (size / GRANULARITY).cast_signed();
    // SAFETY: the descriptor is the file's, and the call reads the lock, which is a local.
    let locked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if locked == 0 { Ok(()) } else { Err(OUT_OF_MEMORY) }
}

/// Where the lock of a device's blocks begins: a number that locks of other programs do not have.
fn lock_place(device: usize) -> u64 {
    let place = crate::handle::fnv1a(file_name(device).bytes());
    (place >> 2) | 1 << 61
}

/// The blocks of a device by inode, as the list of locks has them. It is read twice, because one that changes while it
/// is read may lack some.
fn accounted(device: usize) -> HashMap<u64, u64> {
    // 1: OFDLCK ADVISORY READ -1 00:01:73255 330712481797 330712481806: the file, the first byte and the last one.
    let place = lock_place(device);
    let block = |line: &str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [_, "OFDLCK", _, _, _, file, first, last] = fields[..] else { return None };
        let inode = file.rsplit(':').next()?.parse().ok()?;
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        (first == place).then_some((inode, (last - first + 1) * GRANULARITY))
    };
    let read = || std::fs::read_to_string("/proc/locks").unwrap_or_default();
    [read(), read()].iter().flat_map(|list| list.lines()).filter_map(block).collect()
}

/// Blocks by device, inode and size, each with the number of its mappings.
type Blocks = HashMap<(usize, u64, u64), usize>;

/// The blocks of this process.
fn own_blocks() -> MutexGuard<'static, Blocks> {
    static BLOCKS: LazyLock<Mutex<Blocks>> = LazyLock::new(Mutex::default);
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a device has left: its size without every block that any process of this machine holds. Of the others
/// descriptors are counted, not allocations, so the account is right whatever way a process ended.
pub(crate) fn free_memory(device: usize) -> u64 {
    let (name, pool_name) = (file_name(device), PoolFile::name(device));
    let mut blocks = accounted(device);
    let own: Vec<_> =
        own_blocks().keys().filter(|(of, ..)| *of == device).map(|(_, inode, size)| (*inode, *size)).collect();
    blocks.extend(own);
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = process.file_name();
        let number = number.as_encoded_bytes();
        if !number.iter().all(u8::is_ascii_digit) {
            continue;
        }
        for descriptor in std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten() {
            let link = descriptor.path();
            let Ok(target) = std::fs::read_link(&link) else { continue };
            // VMM-EXP-012: in this process too a block may have nothing left but a descriptor.
            let is_pool = is_memfd(&target, &pool_name);
            if (is_pool || is_memfd(&target, &name))
                && let Ok(metadata) = std::fs::metadata(&link)
            {
                let beside = if is_pool { PoolFile::table_size() } else { SERIALS_SIZE };
                blocks.insert(metadata.ino(), metadata.len().saturating_sub(beside));
            }
        }
    }
    environment().memory.saturating_sub(blocks.values().sum())
}

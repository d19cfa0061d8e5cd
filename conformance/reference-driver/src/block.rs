//! Physical memory: a memfd, mapped once in this process.
//!
//! Behind the data lies an area with one serial for every place where an allocation can begin: not zero while that
//! allocation lives. An importer reads there whether what a handle names is still the same allocation. Behind it comes
//! a page in which the maker of a block may describe it to who has nothing but the file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::CUresult;

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::environment::environment;

/// The granularity of physical memory, 2 MiB as on every GPU of the last years.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Where an allocation may begin in a block that several share.
pub(crate) const UNIT: u64 = 512;

const SERIALS_SIZE: u64 = GRANULARITY / UNIT * 8;

/// What a maker can say of its block.
pub(crate) const DESCRIPTION_SIZE: u64 = 4096;

const TRAILER_SIZE: u64 = SERIALS_SIZE + DESCRIPTION_SIZE;

/// In the place of a device: the memory of the host.
pub(crate) const HOST: usize = usize::MAX;

#[derive(Debug)]
pub(crate) struct Block {
    file: File,
    /// The device's place in the machine.
    device: usize,
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) inode: u64,
    serials: u64,
}

impl Block {
    /// Fresh zeroed memory of a device. CUDA_ERROR_OUT_OF_MEMORY where the device, or the process, has no more.
    pub(crate) fn new(device: usize, size: u64) -> Result<Self> {
        let size = size.checked_next_multiple_of(GRANULARITY).ok_or(OUT_OF_MEMORY)?;
        if size > free_memory(device) {
            return Err(OUT_OF_MEMORY);
        }
        let length = size.checked_add(TRAILER_SIZE).ok_or(OUT_OF_MEMORY)?;
        let file = new_file(&file_name(device), length)?;
        Self::map(file, device)
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

    /// The block of a file that this process has.
    pub(crate) fn map(file: File, device: usize) -> Result<Self> {
        let metadata = file.metadata().map_err(|_| OUT_OF_MEMORY)?;
        let size = metadata.len().checked_sub(TRAILER_SIZE).ok_or(OUT_OF_MEMORY)?;
        account(&file, device, size)?;
        let base = map_shared(&file, 0, size)?;
        let serials = map_shared(&file, size, SERIALS_SIZE).inspect_err(|_| unmap(base, size))?;
        let block = Self { file, device, base, size, inode: metadata.ino(), serials };
        *own_blocks().entry((device, block.inode, size)).or_insert(0) += 1;
        Ok(block)
    }

    pub(crate) fn descriptor(&self) -> u32 {
        self.file.as_raw_fd().cast_unsigned()
    }

    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn describe(&self, description: &[u8]) -> Result<()> {
        self.file.write_all_at(description, self.size + SERIALS_SIZE).map_err(|_| OUT_OF_MEMORY)
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
        if let Entry::Occupied(mut entry) = own_blocks().entry((self.device, self.inode, self.size)) {
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }
}

/// A memfd of zeros. The name is for the eyes of the other processes of the machine.
pub(crate) fn new_file(name: &str, size: u64) -> Result<File> {
    let name = CString::new(name).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: the name is a C string; the call has no other input.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if descriptor < 0 {
        return Err(OUT_OF_MEMORY);
    }
    // SAFETY: the descriptor is new, and nobody else has it.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    file.set_len(size).map_err(|_| OUT_OF_MEMORY)?;
    // Nobody who gets the file can take the memory from under the others.
    // SAFETY: the call has no input in memory.
    let sealed = unsafe { libc::fcntl(descriptor, libc::F_ADD_SEALS, SEALS) };
    if sealed == 0 { Ok(file) } else { Err(OUT_OF_MEMORY) }
}

const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// Whether a file keeps its size for ever, as every one of this driver does.
pub(crate) fn is_sealed(file: &File) -> bool {
    // SAFETY: the call has no input in memory.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) == SEALS }
}

/// What the maker of a block says of it, where the file has room for that.
pub(crate) fn description(file: &File) -> Option<[u8; DESCRIPTION_SIZE as usize]> {
    let mut description = [0; DESCRIPTION_SIZE as usize];
    let place = file.metadata().ok()?.len().checked_sub(DESCRIPTION_SIZE)?;
    file.read_exact_at(&mut description, place).ok()?;
    Some(description)
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

pub(crate) fn unmap(address: u64, size: u64) {
    // SAFETY: callers pass mappings that they own and do not use again.
    unsafe { libc::munmap(address as *mut _, size as usize) };
}

fn file_name(device: usize) -> String {
    let machine = &environment().machine;
    if device == HOST { format!("cuda:{machine}:host") } else { format!("cuda:{machine}:{device}") }
}

/// Whether a descriptor's link leads to a memfd of a name.
fn is_memfd(target: &Path, name: &str) -> bool {
    let text = target.as_os_str().as_encoded_bytes();
    text.strip_prefix(b"/memfd:").and_then(|text| text.strip_suffix(b" (deleted)")) == Some(name.as_bytes())
}

/// Blocks by device, inode and size, each with the number of its mappings.
type Blocks = HashMap<(usize, u64, u64), usize>;

/// The blocks of this process.
fn own_blocks() -> MutexGuard<'static, Blocks> {
    static BLOCKS: LazyLock<Mutex<Blocks>> = LazyLock::new(Mutex::default);
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bits of a lock's place that say whose memory it is; the others count granules.
const OWNER: u64 = (u64::MAX >> 1) & !((1 << 28) - 1);

/// Where the locks of a device's blocks begin.
fn lock_place(device: usize) -> u64 {
    crate::handle::fnv1a(file_name(device).bytes()) & OWNER
}

/// Write a block into the system's list of locks. The lock has no other meaning. It belongs to the open file, so that
/// it lives exactly as long as somebody maps it, has a descriptor of it, or has one on the way to him in a socket.
fn account(file: &File, device: usize, size: u64) -> Result<()> {
    // SAFETY: all zeros are a lock.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_RDLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = lock_place(device).cast_signed();
    lock.l_len = (size / GRANULARITY).cast_signed();
    // SAFETY: the call reads the lock, which is a local.
    let locked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if locked == 0 { Ok(()) } else { Err(OUT_OF_MEMORY) }
}

/// The blocks of a device by inode, as the system's list of locks has them.
fn accounted(device: usize) -> HashMap<u64, u64> {
    // "1: OFDLCK ADVISORY  READ -1 00:01:73255 330712481797 330712481806": the file, the first byte and the last one.
    let place = lock_place(device);
    let block = |line: &str| {
        let mut fields = line.split_whitespace().skip(1);
        let is_ours = fields.next()? == "OFDLCK";
        let mut fields = fields.skip(3);
        let inode = fields.next()?.rsplit(':').next()?.parse().ok()?;
        let (first, last): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        (is_ours && first == place).then_some((inode, (last - first + 1) * GRANULARITY))
    };
    let read = || std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let text = read();
    // The system gives the list page by page: one that changes meanwhile may lack a line, but hardly twice the same.
    let again = if text.len() < 4096 { String::new() } else { read() };
    text.lines().chain(again.lines()).filter_map(block).collect()
}

/// What a device has left: its size without every block that any process of this machine holds. Of the others
/// descriptors are counted, not allocations, so the account is right whatever way a process ended; and locks, for what
/// nobody has mapped.
pub(crate) fn free_memory(device: usize) -> u64 {
    if device == HOST {
        return u64::MAX;
    }
    let name = file_name(device);
    let own = std::process::id().to_string();
    let mut blocks = accounted(device);
    blocks.extend(own_blocks().keys().filter(|(of, ..)| *of == device).map(|(_, inode, size)| (*inode, *size)));
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = process.file_name();
        let number = number.as_encoded_bytes();
        if !number.iter().all(u8::is_ascii_digit) || number == own.as_bytes() {
            continue;
        }
        for descriptor in std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten() {
            let link = descriptor.path();
            let is_ours = std::fs::read_link(&link).is_ok_and(|target| is_memfd(&target, &name));
            if is_ours && let Ok(metadata) = std::fs::metadata(&link) {
                blocks.insert(metadata.ino(), metadata.len().saturating_sub(TRAILER_SIZE));
            }
        }
    }
    environment().memory.saturating_sub(blocks.values().sum())
}

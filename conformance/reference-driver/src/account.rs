//! The free memory of a device, given what all processes of the machine hold.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::block::{GRANULARITY, SERIALS_SIZE, file_name};
use crate::environment::environment;
use crate::memfd::is_memfd;
use crate::pool::PoolFile;

/// Counts one mapping of a block in this process, as long as the value lives.
#[derive(Debug)]
pub(crate) struct Entered((usize, u64, u64));

impl Entered {
    pub(crate) fn new(block: (usize, u64, u64)) -> Self {
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

/// Enters a block, or a pool and what it has grown by, in the system's list of file locks. The lock has no other purpose.
/// It belongs to the open file, so it stays as long as any process has a descriptor or a mapping of it, or a descriptor
/// is on its way through a socket.
pub(crate) fn account(file: &File, device: usize, size: u64) -> Result<()> {
    if size < GRANULARITY {
        // A lock of length 0 would have no end.
        return Ok(());
    }
    // SAFETY: all zeros are a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_RDLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = lock_place(device).cast_signed();
    lock.l_len = (size / GRANULARITY).cast_signed();
    // SAFETY: the descriptor is the file's, and the call only reads the lock, which is a local.
    let locked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if locked == 0 { Ok(()) } else { Err(OUT_OF_MEMORY) }
}

/// The mode bit of a file that a fault freed although it is in use.
const FREED: u32 = 0o1000;

/// Faults only: marks a block as freed, so that its memory counts as free.
pub(crate) fn mark_as_freed(file: &File) {
    // SAFETY: the descriptor is the file's.
    unsafe { libc::fchmod(file.as_raw_fd(), 0o777 | FREED) };
}

/// The offset of the locks on a device's blocks: a number that the locks of other programs do not have.
fn lock_place(device: usize) -> u64 {
    let place = crate::handle::fnv1a(file_name(device).bytes());
    (place >> 2) | 1 << 61
}

/// The sizes of a device's blocks and pools by inode, from the system's list of locks. Returns `None` if the system has
/// no such list.
fn accounted(device: usize) -> Option<HashMap<u64, u64>> {
    // 1: OFDLCK ADVISORY READ -1 00:01:73255 330712481797 330712481806: the file, the first byte and the last one.
    let place = lock_place(device);
    let block = |line: &str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [_, "OFDLCK", _, _, _, file, first, last] = fields[..] else { return None };
        let inode = file.rsplit(':').next()?.parse().ok()?;
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        (first == place).then_some((inode, (last - first + 1) * GRANULARITY))
    };
    let mut blocks: HashMap<u64, u64> = HashMap::new();
    let mut before = HashMap::new();
    // A list that changes while it is read may lack a lock. Two lists that are alike lack none.
    for _ in 0..MOST_READS {
        let list: HashMap<u64, u64> = std::fs::read_to_string("/proc/locks").ok()?.lines().filter_map(block).collect();
        for (inode, size) in &list {
            // A process that opened a pool by itself has a lock of its own, of the size that the pool had then.
            let largest = blocks.entry(*inode).or_default();
            *largest = (*largest).max(*size);
        }
        if list == before {
            break;
        }
        before = list;
    }
    Some(blocks)
}

/// How often the list of locks is read if it changes all the time.
const MOST_READS: usize = 8;

/// The number of mappings of each block. The key is the block's device, inode and size.
type Blocks = HashMap<(usize, u64, u64), usize>;

/// The blocks that this process has mapped.
fn own_blocks() -> MutexGuard<'static, Blocks> {
    static BLOCKS: LazyLock<Mutex<Blocks>> = LazyLock::new(Mutex::default);
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the free bytes of a device: its size without all blocks and pools that any process of this machine holds. For
/// other processes, locks are counted, not allocations, so the result is right however a process ended.
pub(crate) fn free_memory(device: usize) -> u64 {
    let forgets_descriptors = fault!(
        "descriptor-alone-holds-nothing",
        ["FORK-005"],
        "Memory is free when only programs that do not use the driver hold descriptors of it.",
    );
    let is_locked_memory_free = fault!(
        "free-memory-ignores-unread-descriptors",
        ["VMM-IMP-021"],
        "Memory counts as free if its last descriptor is in a socket.",
    );
    let accounted = if forgets_descriptors || is_locked_memory_free { None } else { accounted(device) };
    // Only faults free memory that is in use, or do not see locks.
    let is_searched = accounted.is_none() || crate::fault::active().is_some();
    let mut blocks = accounted.unwrap_or_default();
    let own: Vec<_> =
        own_blocks().keys().filter(|(of, ..)| *of == device).map(|(_, inode, size)| (*inode, *size)).collect();
    blocks.extend(own);
    // A search takes many times as long as the list of locks.
    if is_searched {
        search(device, forgets_descriptors, &mut blocks);
    }
    environment().memory.saturating_sub(blocks.values().sum())
}

/// Adds the blocks and pools of a device that some process has a descriptor of, and removes those that a fault freed.
fn search(device: usize, only_users_of_the_driver: bool, blocks: &mut HashMap<u64, u64>) {
    let (name, pool_name) = (file_name(device), PoolFile::name(device));
    let mut freed = Vec::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = process.file_name();
        let number = number.as_encoded_bytes();
        if !number.iter().all(u8::is_ascii_digit) {
            continue;
        }
        let uses_the_driver = || {
            let maps = std::fs::read_to_string(process.path().join("maps"));
            maps.is_ok_and(|maps| maps.contains("libreference_driver"))
        };
        if only_users_of_the_driver && !uses_the_driver() {
            continue;
        }
        for descriptor in std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten() {
            let link = descriptor.path();
            let Ok(target) = std::fs::read_link(&link) else { continue };
            let is_pool = is_memfd(&target, &pool_name);
            if (is_pool || is_memfd(&target, &name))
                && let Ok(metadata) = std::fs::metadata(&link)
            {
                if metadata.mode() & FREED != 0 {
                    freed.push(metadata.ino());
                }
                let beside = if is_pool { PoolFile::table_size() } else { SERIALS_SIZE };
                blocks.insert(metadata.ino(), metadata.len().saturating_sub(beside));
            }
        }
    }
    blocks.retain(|inode, _| !freed.contains(inode));
}

//! The free memory of a device, given what all processes of the machine hold.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::block::{GRANULARITY, HOST, SERIALS_SIZE, file_name};
use crate::environment::environment;
use crate::memfd::{is_memfd, new_file};
use crate::pool::PoolFile;
use crate::process::descriptors;

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
/// is on its way through a socket. It ends with that even if a program has opened the file again through `/proc`.
pub(crate) fn account(file: &File, device: usize, size: u64) -> Result<()> {
    // A lock of length 0 would have no end.
    if size < GRANULARITY || !is_accounted(file) {
        return Ok(());
    }
    lock(file, device, size, libc::F_RDLCK)
}

/// Does the same for a pool that this process opened by itself. That is another open file than the exporter's, so this
/// lock does not grow with the pool. It has a place of its own, and stands for the size that the pool has.
pub(crate) fn account_opened(file: &File, device: usize) -> Result<()> {
    if !is_accounted(file) {
        return Ok(());
    }
    lock_at(file, opened_place(device), 1, libc::F_RDLCK)
}

/// Whether the system's list of locks shows who holds a file.
fn is_accounted(file: &File) -> bool {
    let is_freed = || file.metadata().is_ok_and(|metadata| metadata.mode() & FREED != 0);
    LOCKS.is_some() && !(crate::fault::active().is_some() && is_freed())
}

fn lock(file: &File, device: usize, size: u64, kind: c_int) -> Result<()> {
    lock_at(file, lock_place(device), size / GRANULARITY, kind)
}

fn lock_at(file: &File, place: u64, length: u64, kind: c_int) -> Result<()> {
    // SAFETY: all zeros are a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = place.cast_signed();
    lock.l_len = length.cast_signed();
    // SAFETY: the descriptor is the file's, and the call only reads the lock, which is a local.
    let locked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if locked == 0 { Ok(()) } else { Err(OUT_OF_MEMORY) }
}

/// The mode bit of a file that a fault freed although it is in use.
const FREED: u32 = 0o1000;

/// Faults only: marks a block as freed, so that its memory counts as free.
pub(crate) fn mark_as_freed(file: &File) {
    for device in (0..environment().devices).chain([HOST]) {
        let _ = lock(file, device, u64::MAX >> 2, libc::F_UNLCK);
    }
    // SAFETY: the descriptor is the file's.
    unsafe { libc::fchmod(file.as_raw_fd(), 0o777 | FREED) };
}

/// The offset of the locks on a device's blocks: a number that the locks of other programs do not have.
pub(crate) fn lock_place(device: usize) -> u64 {
    let place = crate::handle::fnv1a(file_name(device).bytes());
    (place >> 2) | 1 << 61
}

/// The offset of the locks on a device's pools that other processes than the exporter have opened.
fn opened_place(device: usize) -> u64 {
    lock_place(device) ^ 1 << 60
}

/// The system's list of file locks, opened twice.
type Locks = [File; 2];

/// The list of locks, if it can be used.
static LOCKS: LazyLock<Option<Locks>> = LazyLock::new(|| usable(open_locks().ok()?));

fn open_locks() -> io::Result<Locks> {
    Ok([File::open("/proc/locks")?, File::open("/proc/locks")?])
}

/// Returns a list of locks that shows a lock which this process has just taken. A container may show an empty one.
fn usable(list: Locks) -> Option<Locks> {
    let own = new_file("cuda:locks", GRANULARITY).ok()?;
    lock(&own, HOST, GRANULARITY, libc::F_RDLCK).ok()?;
    let inode = own.metadata().ok()?.ino();
    held(&list, HOST).is_some_and(|blocks| blocks.contains_key(&inode)).then_some(list)
}

/// Opens the list of locks while the process has descriptors left.
pub(crate) fn prepare() {
    LazyLock::force(&LOCKS);
}

/// The sizes of a device's blocks and pools by inode, from the system's list of locks. `None` if it cannot be read.
fn held(locks: &Locks, device: usize) -> Option<HashMap<u64, u64>> {
    /// How often the list is read if it changes all the time.
    const MOST_READS: usize = 30;
    held_in((0..MOST_READS).map(|_| read_list(locks)), device)
}

/// The sizes of a device's blocks and pools by inode, from lists of locks, each with whether it is whole.
fn held_in(lists: impl Iterator<Item = io::Result<(Vec<u8>, bool)>>, device: usize) -> Option<HashMap<u64, u64>> {
    let (place, opened_place) = (lock_place(device), opened_place(device));
    let mut blocks: HashMap<u64, u64> = HashMap::new();
    let mut opened = HashSet::new();
    for list in lists {
        let (list, is_whole) = list.ok()?;
        if is_whole {
            blocks.clear();
            opened.clear();
        }
        for (first, inode, size) in list.split(|byte| *byte == b'\n').filter_map(block) {
            if first == place {
                blocks.insert(inode, size);
            } else if first == opened_place {
                opened.insert(inode);
            }
        }
        if is_whole {
            break;
        }
    }
    // If no list was whole, what was in any of them counts as held.
    opened.retain(|inode| !blocks.contains_key(inode));
    if !opened.is_empty() {
        // The exporters of these pools are gone, so only the files tell how large the pools are.
        blocks.extend(search(device, false).into_iter().filter(|(inode, _)| opened.contains(inode)));
    }
    Some(blocks)
}

/// Reads the list of locks, and returns whether it is whole.
///
/// The system returns it in pages. Each page is right at its time, but locks that come and go meanwhile shift the others
/// from one page to the next. So the list is read twice at once, in turns, with pages that begin in the middle of the
/// other's. If each page agrees with the two that it covers, no lock between them is lost.
///
/// To read a place again instead, the system would write the list anew from its start, which takes seconds for a long one.
fn read_list(locks: &Locks) -> io::Result<(Vec<u8>, bool)> {
    const MOST: usize = 1 << 16;
    /// Half a page: the first part of the second reading.
    const FIRST: usize = 2048;
    let mut texts = [Vec::new(), Vec::new()];
    let (mut agree, mut checked) = (true, 0);
    loop {
        let before = texts[0].len() + texts[1].len();
        for ((file, text), first) in locks.iter().zip(&mut texts).zip([MOST, FIRST]) {
            let from = text.len();
            text.resize(from + if from == 0 { first } else { MOST }, 0);
            // The offset is given, since threads share that of the descriptor.
            let read = file.read_at(&mut text[from..], from as u64)?;
            text.truncate(from + read);
        }
        let [list, again] = &mut texts;
        let both = list.len().min(again.len());
        agree &= list[checked..both] == again[checked..both];
        checked = both;
        if list.len() + again.len() == before {
            let is_whole = agree && list.len() == again.len();
            if !is_whole {
                list.append(again);
            }
            return Ok((std::mem::take(list), is_whole));
        }
    }
}

/// Returns the place of a lock, the inode, and the size of the block that a lock of this length stands for.
fn block(line: &[u8]) -> Option<(u64, u64, u64)> {
    // 1: OFDLCK ADVISORY READ -1 00:01:73255 330712481797 330712481806: the file, the first byte and the last one.
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    if fields.nth(1)? != b"OFDLCK" {
        return None;
    }
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<u64>().ok();
    let file = fields.nth(3)?;
    let (first, last) = (number(fields.next()?)?, number(fields.next()?)?);
    let inode = number(file.rsplit(|byte| *byte == b':').next()?)?;
    Some((first, inode, (last.saturating_sub(first) + 1).saturating_mul(GRANULARITY)))
}

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
    let locks = LOCKS.as_ref().filter(|_| !(forgets_descriptors || is_locked_memory_free));
    // A search takes many times as long as the list of locks, and does not find memory on its way through a socket.
    let held = locks.and_then(|locks| held(locks, device));
    let mut blocks = held.unwrap_or_else(|| search(device, forgets_descriptors));
    // A fault may have freed a block that is still mapped.
    if crate::fault::active().is_none() {
        blocks.extend(mapped(device));
    }
    environment().memory.saturating_sub(blocks.values().sum())
}

/// Returns the blocks of a device that this process has mapped.
fn mapped(device: usize) -> Vec<(u64, u64)> {
    own_blocks().keys().filter(|(of, ..)| *of == device).map(|(_, inode, size)| (*inode, *size)).collect()
}

/// Returns the blocks and pools of a device that this process has mapped, or that some process has a descriptor of.
fn search(device: usize, only_users_of_the_driver: bool) -> HashMap<u64, u64> {
    let mut blocks: HashMap<_, _> = mapped(device).into_iter().collect();
    let (name, pool_name) = (file_name(device), PoolFile::name(device));
    let mut freed = Vec::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let uses_the_driver = || {
            let maps = std::fs::read_to_string(process.path().join("maps"));
            maps.is_ok_and(|maps| maps.contains("libreference_driver"))
        };
        if only_users_of_the_driver && !uses_the_driver() {
            continue;
        }
        for link in descriptors(number) {
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
    blocks
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    fn list() -> Locks {
        open_locks().expect("this system has a list of locks")
    }

    /// How many of some lists lack a block, while other programs take and release so many locks all the time.
    fn lists_without_a_block(lists: usize, locks: u64) -> usize {
        // Places of devices that no machine of the tests has.
        const DEVICE: usize = 1000;
        const OTHER: usize = 1001;
        let (list, block, other) = (list(), new_file("block", 0).unwrap(), new_file("other", 0).unwrap());
        lock(&block, DEVICE, GRANULARITY, libc::F_RDLCK).unwrap();
        let inode = block.metadata().unwrap().ino();
        let (is_over, begin) = (AtomicBool::new(false), Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Locks that touch would be one lock.
                let set = |kind, number| lock_at(&other, lock_place(OTHER) + 2 * number, 1, kind).unwrap();
                (0..locks).for_each(|number| set(libc::F_RDLCK, number));
                begin.wait();
                while !is_over.load(Ordering::Relaxed) {
                    for kind in [libc::F_UNLCK, libc::F_RDLCK] {
                        (0..locks).for_each(|number| set(kind, number));
                    }
                }
            });
            begin.wait();
            let wrong = (0..lists).filter(|_| held(&list, DEVICE).unwrap().get(&inode) != Some(&GRANULARITY)).count();
            is_over.store(true, Ordering::Relaxed);
            wrong
        })
    }

    /// The list is longer than a page.
    #[test]
    fn a_block_is_found_while_other_locks_come_and_go() {
        for (lists, locks) in [(500, 150), (5, 3000)] {
            assert_eq!(lists_without_a_block(lists, locks), 0, "of {lists}, among {locks} other locks");
        }
    }

    /// If no list is whole, a block of any of them counts. The first whole list is the only one that counts.
    #[test]
    fn a_whole_list_replaces_those_before_it() {
        const DEVICE: usize = 1003;
        let line =
            |inode| format!("1: OFDLCK ADVISORY READ -1 00:01:{inode} {0} {0}\n", lock_place(DEVICE)).into_bytes();
        let found = |lists: &[(u64, bool)]| {
            let lists = lists.iter().map(|(inode, is_whole)| Ok((line(*inode), *is_whole)));
            let mut inodes: Vec<_> = held_in(lists, DEVICE).unwrap().into_keys().collect();
            inodes.sort_unstable();
            inodes
        };
        assert_eq!(found(&[(1, false), (2, false)]), [1, 2]);
        assert_eq!(found(&[(1, false), (2, true), (3, true)]), [2]);
    }

    #[test]
    fn a_list_that_lacks_the_own_lock_is_not_used() {
        assert!(usable(list()).is_some());
        let empty = || new_file("empty", 0).unwrap();
        assert!(usable([empty(), empty()]).is_none());
        // A file that cannot be read.
        let folder = || File::open("/proc/self").unwrap();
        assert!(usable([folder(), folder()]).is_none());
    }

    /// What a pool has grown by replaces the lock that the pool had before.
    #[test]
    fn a_block_that_grows_is_counted_once() {
        const DEVICE: usize = 1002;
        let pool = new_file("pool", 0).unwrap();
        for granules in [0, 1, 3] {
            account(&pool, DEVICE, granules * GRANULARITY).unwrap();
            let sizes: Vec<_> = held(&list(), DEVICE).unwrap().into_values().collect();
            let expected: &[u64] = if granules == 0 { &[] } else { &[granules * GRANULARITY] };
            assert_eq!(sizes, expected);
        }
    }

    /// If `/proc/locks` cannot be used, the driver searches the descriptors of all processes. It also finds those of a
    /// process whose main thread has ended.
    #[test]
    fn a_search_finds_what_a_process_without_its_main_thread_holds() {
        const DEVICE: usize = 1007;
        const GRANULES: u64 = 3;
        let file = new_file(&file_name(DEVICE), GRANULES * GRANULARITY + SERIALS_SIZE).unwrap();
        let inode = file.metadata().unwrap().ino();
        let is_found = || search(DEVICE, false).get(&inode) == Some(&(GRANULES * GRANULARITY));
        // SAFETY: the child uses nothing that another thread of this process may have locked, except the allocator, which
        // glibc's `fork` makes usable in the child.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the system calls have no input but numbers. The second one ends this thread alone, so the last
            // one is never reached.
            unsafe {
                // The child ends even if this process does not come to end it.
                libc::alarm(60);
                std::thread::spawn(|| libc::pause());
                libc::syscall(libc::SYS_exit, 0);
                libc::_exit(1)
            }
        }
        drop(file);
        let stat = format!("/proc/{child}/task/{child}/stat");
        while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        let was_found = is_found();
        // SAFETY: the process is a child that nothing has waited for.
        unsafe { (libc::kill(child, libc::SIGKILL), libc::waitpid(child, std::ptr::null_mut(), 0)) };
        assert!(was_found);
        // A child that another test is forking has the file too, until it ends.
        let deadline = Instant::now() + Duration::from_secs(30);
        while is_found() {
            assert!(Instant::now() < deadline, "the process is gone");
        }
    }
}

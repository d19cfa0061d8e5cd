//! A process that must wait for another one of its machine before it takes memory.

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::thread;

/// Locks the memory of a device, as a process of this machine does while it takes some. Then starts an allocation in
/// another process, and returns its result. Panics if that process does not wait for the lock.
pub(crate) fn waits<T: Send>(machine: &str, device: usize, process: u32, allocate: impl FnOnce() -> T + Send) -> T {
    let lock = lock(machine, device);
    thread::scope(|scope| {
        let allocation = scope.spawn(allocate);
        while !is_waiting(process) {
            assert!(!allocation.is_finished(), "it allocated while another process was about to");
            thread::yield_now();
        }
        drop(lock);
        allocation.join().expect("the other process allocates")
    })
}

/// Whether the system's list of locks shows a process that waits for one.
fn is_waiting(process: u32) -> bool {
    // 1: -> POSIX  ADVISORY  WRITE 28906 00:06:5 3 3
    let locks = fs::read_to_string("/proc/locks").expect("this system has a list of locks");
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    locks
        .lines()
        .map(fields)
        .any(|line| line.get(1).is_some_and(|arrow| arrow == "->") && line[5] == process.to_string())
}

fn lock(machine: &str, device: usize) -> File {
    let file = File::options().read(true).write(true).open("/dev/full").expect("every system has this file");
    let fnv1a = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let place = format!("cuda:{machine}:{device}").bytes().fold(0xcbf2_9ce4_8422_2325, fnv1a);
    // SAFETY: all zeros are a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_start = ((place >> 2) | 1 << 61).cast_signed();
    lock.l_len = 1;
    // SAFETY: the descriptor is the file's, and the call only reads the lock, which is a local.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLKW, &raw const lock) };
    assert_eq!(answer, 0, "{}", std::io::Error::last_os_error());
    file
}

//! A lock of a device that the processes of its machine share: one at a time looks how much memory is free and takes it.
//!
//! It is a record lock on one byte of a file that every system has, so the machine leaves no file. The system drops the
//! lock when its process ends in any way, and a forked child does not inherit it.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::account::lock_place;

/// A device that every process may open for writing, as a write lock requires. A process loses its lock when it closes
/// any descriptor of the file, and unlike `/dev/null`, programs hardly ever open this one.
const PATH: &str = "/dev/full";

/// The file, if it can be opened. Without it, processes that allocate at the same time can take too much memory.
static FILE: LazyLock<Option<File>> = LazyLock::new(|| File::options().read(true).write(true).open(PATH).ok());

/// Opens the file while the process has descriptors left.
pub(crate) fn prepare() {
    LazyLock::force(&FILE);
}

/// Performs an action on the memory of a device while no other thread or process of the machine performs one. The action
/// must be short, and must not use this function itself.
pub(crate) fn alone<T>(device: usize, action: impl FnOnce() -> T) -> T {
    // The lock belongs to the whole process, so it does not exclude the other threads.
    static THREADS: Mutex<()> = Mutex::new(());
    let _threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let _processes = FILE.as_ref().and_then(|file| Locked::new(file, device).ok());
    action()
}

/// The lock, as long as the value lives.
struct Locked<'file> {
    file: &'file File,
    device: usize,
}

impl<'file> Locked<'file> {
    fn new(file: &'file File, device: usize) -> io::Result<Self> {
        loop {
            match set(file, libc::F_SETLKW, device, libc::F_WRLCK) {
                Ok(()) => return Ok(Self { file, device }),
                // The system counts a process as waiting if any of its threads does. So it may report a deadlock over a
                // record lock of the program that another thread waits for. The holder of this lock still goes on.
                Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EDEADLK)) => {
                    std::thread::yield_now();
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let _ = set(self.file, libc::F_SETLK, self.device, libc::F_UNLCK);
    }
}

/// Locks or unlocks the byte that belongs to a device of this machine.
fn set(file: &File, command: libc::c_int, device: usize, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: all zeros are a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = lock_place(device).cast_signed();
    lock.l_len = 1;
    // SAFETY: the descriptor is the file's, and the call only reads the lock, which is a local.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), command, &raw const lock) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// A device that no machine of the tests has.
    const DEVICE: usize = 1003;

    /// The process that has the lock, as another open file sees it.
    fn holder(device: usize) -> Option<i32> {
        let file = File::options().read(true).write(true).open(PATH).unwrap();
        // SAFETY: all zeros are a valid `flock`.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as libc::c_short;
        lock.l_start = lock_place(device).cast_signed();
        lock.l_len = 1;
        // SAFETY: the descriptor is the file's, and the lock is a local.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) }, 0);
        // Closing the file would release a lock of this process.
        std::mem::forget(file);
        (lock.l_type != libc::F_UNLCK as libc::c_short).then_some(lock.l_pid)
    }

    fn own_id() -> i32 {
        std::process::id().cast_signed()
    }

    /// A forked child, which is killed when the value is dropped.
    struct Child(libc::pid_t);

    impl Child {
        /// The child performs an action and then waits. Other threads do not exist in it, so the action must not wait for
        /// one of them.
        fn new(action: impl FnOnce(&mut dyn FnMut())) -> Self {
            let (mut here, mut there) = UnixStream::pair().unwrap();
            // SAFETY: the child waits for no other thread, and ends without destructors.
            let child = unsafe { libc::fork() };
            assert!(child >= 0);
            if child == 0 {
                action(&mut || {
                    let _ = there.write_all(&[1]);
                    loop {
                        // SAFETY: the call has no input.
                        unsafe { libc::pause() };
                    }
                });
                // SAFETY: the call does not return.
                unsafe { libc::_exit(0) };
            }
            drop(there);
            let child = Self(child);
            here.read_exact(&mut [0]).unwrap();
            child
        }
    }

    impl Drop for Child {
        fn drop(&mut self) {
            // SAFETY: the process is a child that nothing has waited for.
            unsafe { (libc::kill(self.0, libc::SIGKILL), libc::waitpid(self.0, std::ptr::null_mut(), 0)) };
        }
    }

    #[test]
    fn a_process_has_the_lock_during_the_action_and_not_longer() {
        assert_eq!(alone(DEVICE, || (holder(DEVICE), holder(DEVICE + 1))), (Some(own_id()), None));
        assert_eq!(holder(DEVICE), None);
    }

    #[test]
    fn a_killed_process_leaves_the_lock() {
        const DEVICE: usize = 1005;
        // Now everything that the child needs is initialised.
        assert_eq!((alone(DEVICE, || holder(DEVICE)), holder(DEVICE)), (Some(own_id()), None));
        let child = Child::new(|wait| {
            let _lock = Locked::new(FILE.as_ref().unwrap(), DEVICE);
            wait();
        });
        assert_eq!(holder(DEVICE), Some(child.0));
        drop(child);
        assert_eq!((holder(DEVICE), alone(DEVICE, || holder(DEVICE))), (None, Some(own_id())));
    }

    #[test]
    fn a_child_that_is_forked_during_the_action_does_not_keep_the_lock() {
        const DEVICE: usize = 1006;
        let _child = alone(DEVICE, || Child::new(|wait| wait()));
        assert_eq!(holder(DEVICE), None);
    }
}

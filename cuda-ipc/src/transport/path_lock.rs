//! The lock under which a listener takes a path.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, FlockOperation, Mode, OFlags, flock, fstat, lstat, openat, unlink};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::TransportError;
use crate::error::SystemError;

/// A file beside the socket's file, with a `flock` on it. Dropping the value removes the file, unless it has content: then
/// another program made it.
///
/// Nobody waits for it, and only this user can open the file. Whoever can read a folder can lock the folder itself.
pub(super) struct PathLock {
    file: OwnedFd,
    path: PathBuf,
}

impl PathLock {
    /// Takes the lock of a socket's path. Returns `None` if another process has it, which then also takes the path.
    pub(super) fn take(socket: &Path) -> Result<Option<Self>, TransportError> {
        // Only somebody who removes the file again and again makes all of them fail.
        const TRIES: usize = 100;
        let mut path = OsString::from(socket);
        path.push(".lock");
        let path = PathBuf::from(path);
        for _ in 0..TRIES {
            let file = open(&path)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Ok(None),
                Err(error) => return Err(TransportError::system("flock")(error)),
            }
            // The process that had the lock before has removed its file, and others may have made and locked a new one.
            if is_at(&path, &file)? {
                return Ok(Some(Self { file, path }));
            }
        }
        Ok(None)
    }
}

impl Drop for PathLock {
    fn drop(&mut self) {
        if fstat(&self.file).is_ok_and(|status| status.st_size == 0) {
            // Under the lock, so that this is the file that was locked. If it fails, the next listener uses the file.
            let _ = unlink(&self.path);
        }
        // Closing alone would leave the lock to a child that another thread forked meanwhile.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Returns whether a file is still the one at a path.
fn is_at(path: &Path, file: &OwnedFd) -> Result<bool, TransportError> {
    let ours = fstat(file).map_err(TransportError::system("fstat"))?;
    match lstat(path) {
        Ok(found) => Ok((found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(TransportError::system("lstat")(error)),
    }
}

/// Opens the lock file, which is made if it does not exist. It must be a file of this user's: in a folder such as `/tmp`,
/// others can put a file of theirs at the path, or something that opens slowly.
fn open(path: &Path) -> Result<OwnedFd, TransportError> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(CWD, path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed(path, error))?;
    let status = fstat(&file).map_err(TransportError::system("fstat"))?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    if is_file && status.st_uid == geteuid().as_raw() {
        return Ok(file);
    }
    let reason = "it is not a file of this user's: remove it";
    Err(failed(path, io::Error::new(io::ErrorKind::PermissionDenied, reason)))
}

fn failed(path: &Path, error: impl Into<io::Error>) -> TransportError {
    SystemError::new("open of the lock file", error).at(path).into()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use rustix::fs::fstat;
    use rustix::io::{FdFlags, fcntl_getfd};

    use super::PathLock;

    /// Each takes a lock whose file another one removes at the same time, and never has a lock beside another one.
    #[test]
    fn one_has_the_lock() {
        const THREADS: usize = 4;
        const LOCKS: u32 = 2_000;
        let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
        let path = folder.path().join("socket");
        let (holders, all) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while all.load(Ordering::Relaxed) < LOCKS {
                        let Some(lock) = PathLock::take(&path).unwrap() else { continue };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "two have the lock");
                        all.fetch_add(1, Ordering::Relaxed);
                        // Another one takes a lock meanwhile, if it can.
                        thread::yield_now();
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
    }

    /// A program that a process starts does not get the file, and only this user may open it.
    #[test]
    fn the_file_is_closed_on_exec() {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
        let lock = PathLock::take(&folder.path().join("socket")).unwrap().unwrap();
        assert!(fcntl_getfd(&lock.file).unwrap().contains(FdFlags::CLOEXEC));
        assert_eq!(fstat(&lock.file).unwrap().st_mode & 0o777, 0o600);
    }
}

//! Leases on files: how processes that share nothing but a path learn of each other's end.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, ftruncate, lstat, openat, rename, unlink};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::LivenessError;
use super::file_lock::{Byte, is_locked, lock, lock_shared, unlock};
use crate::changes::Changes;
use crate::deadline::Deadline;
use crate::error::SystemError;

/// The most bytes that a file may have.
const LONGEST: usize = 16 << 20;

/// The owner's side of a file with bytes for other processes, such as a [`Ticket`](crate::Ticket). Dropping the value
/// removes the file.
///
/// The other side is a [`FileTenancy`]. A process that finds the file also learns whether the owner still lives, so a
/// file of an earlier run is never believed. The owner learns when nobody uses the file any more, and may then free
/// what it names.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use cuda_ipc::liveness::{FileLease, FileTenancy, LivenessError};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("ticket");
/// let lease = FileLease::publish(&path, b"a ticket")?;
///
/// // In another process, which may be waiting already, and which keeps the tenancy as long as it has the memory open:
/// let (tenancy, bytes) = FileTenancy::open(&path, Duration::from_secs(5))?;
/// assert_eq!(bytes, b"a ticket");
/// assert!(tenancy.owner_is_alive()?);
///
/// // In the first process again, before it frees the memory:
/// let waited = lease.withdraw(Duration::from_millis(1));
/// assert!(matches!(waited, Err(LivenessError::StillHeld { .. })));
/// drop(tenancy); // The other process does this, or the kernel if that process is killed.
/// lease.withdraw(Duration::from_secs(5))?;
/// # Ok(())
/// # }
/// ```
///
/// The owner locks byte 0 of the file for itself, and the tenants share a lock on byte 1 (`F_OFD_SETLK`). Who makes the
/// next file first locks its byte 2, and then looks whether that file is still the next. Programs in other languages can
/// do the same. Such a lock is like `flock`: the kernel gives it up with the last descriptor of the open file, however
/// the process ends. A child that a process forks holds it too, until the child ends or calls `exec`.
///
/// # Where the file can be
/// In a folder of this machine that only this user can write to, such as `/run/user/<uid>`. A handle of CUDA means
/// nothing on another machine. On NFS,
/// - the server keeps the locks, unless the mount has `nolock` or `local_lock`. An owner that is cut off from the server
///   may lose its lock. Then it is taken for dead, although it lives. The lock of a machine that crashed stays until the
///   server gives it up.
/// - a file of another machine may appear a second late, because the kernel reports only what this machine does.
#[derive(Debug)]
pub struct FileLease {
    file: OwnedFd,
    path: PathBuf,
    /// The process that made the file. A forked child has this value too, and must not remove the file.
    owner: u32,
}

/// A tenant's side of a [`FileLease`]. While it exists, the owner does not free what the file names.
///
/// Give it a name, such as `_tenancy`, and drop it after the memory. The pattern `_` drops it at once.
#[derive(Debug)]
pub struct FileTenancy {
    file: OwnedFd,
    /// The process that opened the file. The lock that a forked child has too is not the child's to give up.
    tenant: u32,
}

impl FileLease {
    /// `open`, `fcntl` with `F_OFD_SETLK`, `fsync`, `rename`: writes bytes to a file, which appears at the path whole
    /// and with its owner's lock, or not at all.
    ///
    /// The file is first written beside the path, with `.new` after its name. A file at the path that nobody owns is
    /// replaced, whatever it contains: a process that was killed leaves one. Only this user can read the new file.
    ///
    /// # Errors
    /// [`LivenessError::InUse`] if another process owns the file or is just making it. [`LivenessError::System`], for
    /// example if the folder does not exist, if there is something at the path that is not a file of this user, or if
    /// there are more than 16 MiB.
    pub fn publish(path: impl AsRef<Path>, bytes: &[u8]) -> Result<Self, LivenessError> {
        // An absolute path stays valid if the process changes its working directory.
        let path = std::path::absolute(path).map_err(LivenessError::system("getcwd"))?;
        if bytes.len() > LONGEST {
            let words = format!("{} bytes are too many: at most {LONGEST} can be published", bytes.len());
            return Err(failed("write", &path, io::Error::new(io::ErrorKind::FileTooLarge, words)));
        }
        let new = with_suffix(&path);
        let file = take(&new)?.ok_or_else(|| LivenessError::InUse { path: path.clone() })?;
        // From here on, only this process puts a file at the path. Dropping the value removes what it made.
        let mut lease = Self { file, path: new, owner: std::process::id() };
        if let Some(old) = open(&path, OFlags::RDONLY)?
            && is_locked(&old, Byte::Owner).map_err(|error| failed("fcntl(F_OFD_GETLK)", &path, error))?
        {
            return Err(LivenessError::InUse { path });
        }
        write(&lease.file, bytes).map_err(|error| failed("write", &lease.path, error))?;
        rename(&lease.path, &path).map_err(|error| failed("rename", &path, error))?;
        lease.path = path;
        Ok(lease)
    }

    /// `unlink`, `fcntl` with `F_OFD_SETLK`: removes the file, so that nobody finds it any more, and waits until every
    /// tenant is done or has died. [`Duration::MAX`] sets no limit.
    ///
    /// The kernel does not report the end of a lock. The call looks again after pauses that grow from 1 to 50
    /// milliseconds.
    ///
    /// # Errors
    /// [`LivenessError::StillHeld`] if the time is up: the file stays removed, and the call can be repeated.
    /// [`LivenessError::InUse`] in a forked child of the owner. [`LivenessError::System`] if the file cannot be removed.
    pub fn withdraw(&self, timeout: Duration) -> Result<(), LivenessError> {
        if self.owner != std::process::id() {
            return Err(LivenessError::InUse { path: self.path.clone() });
        }
        let (deadline, mut pause) = (Deadline::after(Some(timeout)), Duration::from_millis(1));
        self.remove().map_err(|error| failed("unlink", &self.path, error))?;
        // A tenant that opened the file before either has its lock already, or will not get it any more.
        while !lock(&self.file, Byte::Tenants).map_err(LivenessError::system("fcntl(F_OFD_SETLK)"))? {
            if deadline.has_passed() {
                return Err(LivenessError::StillHeld { waited: timeout });
            }
            thread::sleep(deadline.left().map_or(pause, |left| left.min(pause)));
            pause = (2 * pause).min(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Removes the file, if it is still the one at the path. Nobody else replaces it while this process owns it.
    fn remove(&self) -> io::Result<()> {
        if is_at(&self.path, &self.file)? { Ok(unlink(&self.path)?) } else { Ok(()) }
    }
}

impl Drop for FileLease {
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            // If this fails, the file is stale, and the next owner replaces it.
            let _ = self.remove();
            // Closing alone would leave the lock to a child that another thread forked meanwhile.
            let _ = unlock(&self.file, Byte::Owner);
            let _ = unlock(&self.file, Byte::Maker);
        }
    }
}

impl FileTenancy {
    /// `inotify_add_watch`, `open`, `fcntl` with `F_OFD_SETLK`, `read`: waits until a living process owns the file at a
    /// path, and returns its bytes. So the two processes can start in any order. [`Duration::MAX`] sets no limit.
    ///
    /// A file that nobody owns is not read. The call waits until an owner replaces it. The kernel reports the new file;
    /// if the folder does not exist yet, the call looks again after pauses that grow from 1 to 50 milliseconds.
    ///
    /// # Errors
    /// If the time is up, [`LivenessError::NoFile`], or [`LivenessError::Abandoned`] if there is a file that nobody
    /// owns. At once, because waiting does not help: [`LivenessError::System`], for example if there is something at
    /// the path that is not a file of this user.
    pub fn open(path: impl AsRef<Path>, timeout: Duration) -> Result<(Self, Vec<u8>), LivenessError> {
        let (path, deadline) = (path.as_ref(), Deadline::after(Some(timeout)));
        let mut changes = Changes::at(Some(path));
        loop {
            changes.watch();
            let is_there = match open(path, OFlags::RDONLY)? {
                Some(file) => match Self::of(file).map_err(|error| failed("read", path, error))? {
                    Some(found) => return Ok(found),
                    None => true,
                },
                None => false,
            };
            if deadline.has_passed() {
                let (path, waited) = (path.to_owned(), timeout);
                return Err(match is_there {
                    true => LivenessError::Abandoned { path, waited },
                    false => LivenessError::NoFile { path, waited },
                });
            }
            changes.wait(true, deadline).map_err(LivenessError::system("inotify"))?;
        }
    }

    /// Returns the tenancy of a file and its bytes, or nothing if nobody owns the file or its owner withdraws it.
    fn of(file: OwnedFd) -> io::Result<Option<(Self, Vec<u8>)>> {
        // In this order: once the tenant has its lock, an owner that lives does not free anything.
        if !lock_shared(&file, Byte::Tenants)? || !is_locked(&file, Byte::Owner)? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let file = File::from(file);
        (&file).take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Some((Self { file: file.into(), tenant: std::process::id() }, bytes)))
    }

    /// `fcntl` with `F_OFD_GETLK`: returns whether the owner still has its [`FileLease`], that is, has neither ended
    /// nor dropped it. Once this is false, it stays false.
    ///
    /// The kernel does not report the change. To wait for the end of the owner's process, use a
    /// [`ProcessWatch`](super::ProcessWatch) of the exporter that the ticket names.
    ///
    /// # Errors
    /// [`LivenessError::System`] if the file is on a server that does not reply.
    pub fn owner_is_alive(&self) -> Result<bool, LivenessError> {
        is_locked(&self.file, Byte::Owner).map_err(LivenessError::system("fcntl(F_OFD_GETLK)"))
    }
}

impl Drop for FileTenancy {
    fn drop(&mut self) {
        if self.tenant == std::process::id() {
            // As for the owner.
            let _ = unlock(&self.file, Byte::Tenants);
        }
    }
}

/// Returns the path beside a path at which its next file is made.
fn with_suffix(path: &Path) -> PathBuf {
    let mut new = OsString::from(path);
    new.push(".new");
    new.into()
}

/// Opens the file at a path or makes it, and locks it as its owner. Returns nothing if another process has that lock.
fn take(path: &Path) -> Result<Option<OwnedFd>, LivenessError> {
    // Only somebody who removes the file again and again makes all of them fail.
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        let Some(file) = open(path, OFlags::RDWR | OFlags::CREATE)? else { continue };
        let lock = |byte| lock(&file, byte).map_err(|error| failed("fcntl(F_OFD_SETLK)", path, error));
        if !lock(Byte::Maker)? {
            return Ok(None);
        }
        // The process that had the lock before may have moved its file to its place, and ended. A tenant may have found
        // the file there, and must not take this process for its owner.
        if is_at(path, &file).map_err(|error| failed("lstat", path, error))? {
            return Ok(lock(Byte::Owner)?.then_some(file));
        }
    }
    Ok(None)
}

/// Opens a file, if it exists. It must be a file of this user's: in a folder such as `/tmp`, others can put a file of
/// theirs at the path, or something that opens slowly.
fn open(path: &Path, flags: OFlags) -> Result<Option<OwnedFd>, LivenessError> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(CWD, path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => file,
        Err(Errno::NOENT) if !flags.contains(OFlags::CREATE) => return Ok(None),
        Err(error) => return Err(failed("open", path, error)),
    };
    let status = fstat(&file).map_err(LivenessError::system("fstat"))?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    if is_file && status.st_uid == geteuid().as_raw() {
        return Ok(Some(file));
    }
    let reason = "it is not a file of this user: choose another path, or remove it if nobody needs it";
    Err(failed("open", path, io::Error::new(io::ErrorKind::PermissionDenied, reason)))
}

/// Writes all bytes of a file. It may have others, of a process that was killed while it wrote them.
fn write(file: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
    ftruncate(file, 0)?;
    let mut file = File::from(file.try_clone()?);
    file.write_all(bytes)?;
    // Otherwise a crash of the machine could leave the name and lose the bytes.
    file.sync_all()
}

/// Returns whether a file is still the one at a path.
fn is_at(path: &Path, file: &OwnedFd) -> io::Result<bool> {
    let ours = fstat(file)?;
    match lstat(path) {
        Ok(found) => Ok((found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn failed(call: &'static str, path: &Path, error: impl Into<io::Error>) -> LivenessError {
    SystemError::new(call, error).at(path).into()
}

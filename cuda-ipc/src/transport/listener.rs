//! Waiting for others to connect.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, socket_with,
};

use super::{Address, Connection, TransportError};
use crate::deadline::Deadline;

/// A listening Unix socket.
#[derive(Debug)]
pub struct Listener {
    /// Removed first, while the socket still listens: nobody replaces the file in between.
    _file: Option<SocketFile>,
    socket: OwnedFd,
}

/// A socket's file, removed when this is dropped.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    /// Device and inode: another file at the path is not ours.
    identity: (u64, u64),
    /// A forked child has this value too, and the file is not its own.
    owner: u32,
}

impl Listener {
    /// `bind` and `listen`: wait at an address for others to connect.
    ///
    /// The file of a socket that is no more, left by a process that was killed, is replaced; one that a process still
    /// has is not, whether it listens yet or not. The file's folder is locked with `flock` meanwhile, so that two
    /// listeners of this crate never take a path from each other, however many start at once. A program that does not
    /// know of this lock loses its file only if it replaces the same stale one in the same moment.
    ///
    /// The file's mode comes from the umask: with the usual one only this user can connect. When the listener is
    /// dropped the file goes, if it is still the one that was made here, and this still the process that made it. An
    /// abstract name is free again when every child that inherited the socket has ended or called `exec`, too.
    ///
    /// # Errors
    /// [`TransportError::InUse`], [`TransportError::NotASocket`], [`TransportError::BadAddress`], and
    /// [`TransportError::System`], for example where the folder is not there.
    pub fn bind(address: &Address) -> Result<Self, TransportError> {
        let name = address.socket_address()?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
            .map_err(TransportError::system("socket"))?;
        match address {
            Address::Abstract(_) => {
                bind_to(&socket, &name, address)?;
                start_listening(&socket)?;
                Ok(Self { _file: None, socket })
            }
            Address::Path(path) => {
                // The file is still found after the process has changed its folder.
                let path = std::path::absolute(path).map_err(TransportError::system("getcwd"))?;
                let _lock = FolderLock::around(&path)?;
                remove_stale(&path, &name, address)?;
                bind_to(&socket, &name, address)?;
                let file = SocketFile::at(path)?;
                start_listening(&socket)?;
                Ok(Self { _file: Some(file), socket })
            }
        }
    }

    /// `accept`: the next connection.
    ///
    /// # Errors
    /// [`TransportError::TimedOut`], and [`TransportError::System`] where no descriptor is left.
    pub fn accept(&self, timeout: Option<Duration>) -> Result<Connection, TransportError> {
        let deadline = Deadline::after(timeout);
        loop {
            match accept_with(&self.socket, SocketFlags::CLOEXEC) {
                Ok(socket) => return Ok(Connection::from(UnixStream::from(socket))),
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(Errno::AGAIN) => {
                    let ready = deadline.poll(&self.socket, PollFlags::IN).map_err(TransportError::system("poll"))?;
                    if ready.is_empty() {
                        return Err(TransportError::TimedOut { waiting_for: "a peer to connect" });
                    }
                }
                Err(error) => return Err(TransportError::system("accept")(error)),
            }
        }
    }
}

impl AsFd for Listener {
    /// For a poll loop: it is readable where somebody waits to be accepted.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn bind_to(socket: &OwnedFd, name: &SocketAddrUnix, address: &Address) -> Result<(), TransportError> {
    bind(socket, name).map_err(|error| match error {
        Errno::ADDRINUSE => TransportError::InUse { address: address.clone() },
        error => TransportError::system("bind")(error),
    })
}

fn start_listening(socket: &OwnedFd) -> Result<(), TransportError> {
    // As many as the machine allows may wait: the kernel lowers it to net.core.somaxconn.
    listen(socket, i32::MAX).map_err(TransportError::system("listen"))
}

/// Remove the file of a socket that is no more.
fn remove_stale(path: &Path, name: &SocketAddrUnix, address: &Address) -> Result<(), TransportError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(TransportError::system("lstat")(error)),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(TransportError::NotASocket { address: address.clone() });
        }
        Ok(_) => {}
    }
    // A datagram socket is told apart from a stream socket, and is no guest that a listener would have to receive: it
    // is refused as such where the file is a socket's, and for want of a socket where it is stale.
    let probe = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(TransportError::system("socket"))?;
    match connect(&probe, name) {
        Ok(()) | Err(Errno::PROTOTYPE) => Err(TransportError::InUse { address: address.clone() }),
        Err(Errno::CONNREFUSED) => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(TransportError::system("unlink")(error)),
            _ => Ok(()),
        },
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(TransportError::system("connect")(error)),
    }
}

impl SocketFile {
    fn at(path: PathBuf) -> Result<Self, TransportError> {
        let identity = identity(&path).map_err(TransportError::system("lstat"))?;
        Ok(Self { path, identity, owner: std::process::id() })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours = self.owner == std::process::id() && identity(&self.path).is_ok_and(|file| file == self.identity);
        if is_ours {
            // What is left is stale, and replaced by the next one to bind.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let file = fs::symlink_metadata(path)?;
    Ok((file.dev(), file.ino()))
}

/// `flock` on the folder of a path, until this is dropped.
struct FolderLock(OwnedFd);

impl FolderLock {
    fn around(path: &Path) -> Result<Self, TransportError> {
        let folder = path.parent().unwrap_or(path);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open(folder, flags, Mode::empty()).map_err(TransportError::system("open of the folder"))?;
        loop {
            match flock(&folder, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Self(folder)),
                Err(Errno::INTR) => {}
                Err(error) => return Err(TransportError::system("flock")(error)),
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing alone leaves the lock to a child that another thread forked meanwhile.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

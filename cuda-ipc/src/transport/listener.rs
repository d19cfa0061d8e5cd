//! Listeners, which wait for peers to connect.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, listen, socket_with};

use super::path_lock::PathLock;
use super::probe::{Owner, owner};
use super::{Address, Connection, TransportError};
use crate::deadline::Deadline;
use crate::error::SystemError;

/// A listening Unix socket.
#[derive(Debug)]
pub struct Listener {
    /// Dropped first: the file is removed while the socket still listens, so that no process replaces it in between.
    _file: Option<SocketFile>,
    socket: OwnedFd,
}

/// A socket's file, removed when this is dropped.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    /// Device and inode: the file at the path is removed only if it is still this one.
    identity: (u64, u64),
    /// The process that made the file. A forked child has this value too, and must not remove the file.
    owner: u32,
}

impl Listener {
    /// `bind` and `listen`: makes a listener at an address.
    ///
    /// A stale file, whose socket no process has any more, is replaced: a process that was killed leaves one. A file
    /// whose socket a process still has is not replaced, whether or not that process listens yet.
    ///
    /// While it does this, the call locks (`flock`) a file beside the socket's file, with `.lock` after its name. So
    /// listeners of this crate never take a path from each other, even if many start at once. The call does not wait
    /// for the lock: if another process has it, the address is in use. A program that does not use this lock loses its
    /// file only if it replaces the same stale file at the same moment.
    ///
    /// The file's mode comes from the umask: with the usual one only this user can connect. Dropping the listener
    /// removes the file, if it is still the same file and this is still the process that made it. An abstract name is
    /// free again when the listener is dropped and every child that inherited the socket has ended or called `exec`.
    ///
    /// # Errors
    /// [`TransportError::InUse`], [`TransportError::NotASocket`], [`TransportError::BadAddress`], and
    /// [`TransportError::System`], for example if the folder does not exist.
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
                // An absolute path stays valid if the process changes its working directory.
                let path = std::path::absolute(path).map_err(TransportError::system("getcwd"))?;
                // Before a file is made beside it: the path may be a folder's.
                has_socket(&path, address)?;
                let Some(_lock) = PathLock::take(&path)? else {
                    return Err(TransportError::InUse { address: address.clone() });
                };
                remove_stale(&path, &name, address)?;
                bind_to(&socket, &name, address)?;
                let file = SocketFile::at(path)?;
                start_listening(&socket)?;
                Ok(Self { _file: Some(file), socket })
            }
        }
    }

    /// `accept`: waits for the next connection and returns it.
    ///
    /// # Errors
    /// [`TransportError::TimedOut`], and [`TransportError::System`] if no descriptor is left.
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
    /// Returns the descriptor for a poll loop. It is readable if a peer waits to be accepted.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for Listener {
    /// Returns the descriptor for an event loop that asks for this trait. It is closed when this value is dropped.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

fn bind_to(socket: &OwnedFd, name: &SocketAddrUnix, address: &Address) -> Result<(), TransportError> {
    bind(socket, name).map_err(|error| match error {
        Errno::ADDRINUSE => TransportError::InUse { address: address.clone() },
        error => SystemError::new("bind", error).at(address.to_string()).into(),
    })
}

fn start_listening(socket: &OwnedFd) -> Result<(), TransportError> {
    // As many peers may wait as the machine allows: the kernel lowers the number to net.core.somaxconn.
    listen(socket, i32::MAX).map_err(TransportError::system("listen"))
}

/// Returns whether there is a socket's file at a path. It is an error if there is something else.
fn has_socket(path: &Path, address: &Address) -> Result<bool, TransportError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => Ok(true),
        Ok(_) => Err(TransportError::NotASocket { address: address.clone() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(TransportError::system("lstat")(error)),
    }
}

/// Removes the file of a socket that no process has any more.
fn remove_stale(path: &Path, name: &SocketAddrUnix, address: &Address) -> Result<(), TransportError> {
    if !has_socket(path, address)? {
        return Ok(());
    }
    match owner(name)? {
        Owner::Process => Err(TransportError::InUse { address: address.clone() }),
        Owner::Nobody => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(TransportError::system("unlink")(error)),
            _ => Ok(()),
        },
        Owner::NoFile => Ok(()),
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
            // If this fails, the file is stale, and the next listener replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let file = fs::symlink_metadata(path)?;
    Ok((file.dev(), file.ino()))
}

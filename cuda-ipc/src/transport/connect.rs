//! Connecting to a listener.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::probe::{Owner, owner};
use super::{Address, Connection, Missing, TransportError};
use crate::changes::Changes;
use crate::deadline::Deadline;
use crate::error::SystemError;

impl Connection {
    /// `connect`: connects to the listener at an address.
    ///
    /// It waits only while the listener's queue is full. If there is no listener yet, it returns an error at once; see
    /// [`Connection::connect_when_listening`]. The timeout is for connecting alone: the connection itself waits without
    /// limit until [`Connection::set_timeout`] is called.
    ///
    /// # Errors
    /// [`TransportError::NobodyListens`], [`TransportError::TimedOut`], [`TransportError::BadAddress`],
    /// [`TransportError::NotASocket`], and [`TransportError::System`], for example if this user may not write to the
    /// socket's file.
    pub fn connect(address: &Address, timeout: Option<Duration>) -> Result<Self, TransportError> {
        connect_until(address, &address.socket_address()?, Deadline::after(timeout))
    }

    /// `connect`, `inotify_add_watch`: waits until a process listens at an address, and connects to it. So the two
    /// processes can start in any order, and a client can wait for a server that is restarted.
    ///
    /// At a path, the kernel reports the new file of a listener. It does not report
    /// - that a process begins to listen at a file that exists already,
    /// - that a folder is created,
    /// - or anything about an abstract name.
    ///
    /// In these cases the call tries again after pauses that grow from 1 to 50 milliseconds. Without a timeout it waits
    /// for ever. The timeout is for connecting alone, as that of [`Connection::connect`].
    ///
    /// # Errors
    /// [`TransportError::NobodyListens`] if the time is up, with what was missing last; [`TransportError::TimedOut`] if
    /// the listener's queue is still full then. At once, because waiting does not help: [`TransportError::BadAddress`],
    /// [`TransportError::NotASocket`], and [`TransportError::System`], for example if this user may not write to the
    /// socket's file.
    pub fn connect_when_listening(address: &Address, timeout: Option<Duration>) -> Result<Self, TransportError> {
        let (name, deadline) = (address.socket_address()?, Deadline::after(timeout));
        let mut changes = Changes::at(address.path());
        loop {
            changes.watch();
            match connect_until(address, &name, deadline) {
                Err(TransportError::NobodyListens { missing, .. }) if !deadline.has_passed() => {
                    changes.wait(missing == Missing::File, deadline).map_err(TransportError::system("inotify"))?;
                }
                done => return done,
            }
        }
    }
}

fn connect_until(address: &Address, name: &SocketAddrUnix, deadline: Deadline) -> Result<Connection, TransportError> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .map_err(TransportError::system("socket"))?;
    let set_timeout =
        |timeout| set_socket_timeout(&socket, Timeout::Send, timeout).map_err(TransportError::system("setsockopt"));
    loop {
        // The kernel rounds to its ticks, and 0 would mean no timeout.
        set_timeout(deadline.left().map(|left| left.max(Duration::from_micros(1))))?;
        match connect(&socket, name) {
            Ok(()) => break,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(TransportError::TimedOut { waiting_for: "a listener to accept" }),
            Err(Errno::CONNREFUSED | Errno::NOENT) => {
                let missing = missing(address, name)?;
                return Err(TransportError::NobodyListens { address: address.clone(), missing });
            }
            Err(error) => return Err(SystemError::new("connect", error).at(address.to_string()).into()),
        }
    }
    set_timeout(None)?;
    Ok(Connection::from(UnixStream::from(socket)))
}

/// Returns what is missing at an address that nobody listens at.
fn missing(address: &Address, name: &SocketAddrUnix) -> Result<Missing, TransportError> {
    let Address::Path(path) = address else { return Ok(Missing::Name) };
    match fs::metadata(path) {
        Ok(file) if !file.file_type().is_socket() => Err(TransportError::NotASocket { address: address.clone() }),
        Ok(_) => Ok(match owner(name)? {
            Owner::Process => Missing::Listen,
            Owner::Nobody => Missing::Process,
            Owner::NoFile => Missing::File,
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Ok(if folder.exists() { Missing::File } else { Missing::Folder })
        }
        Err(error) => Err(TransportError::system("stat")(error)),
    }
}

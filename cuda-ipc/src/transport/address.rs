//! Where a listener is found.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::net::SocketAddrUnix;

use super::TransportError;

/// A name of a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A path in the file system, of 107 bytes at most.
    ///
    /// Whoever may write to the file may connect, which its mode and its folder's decide. Containers reach each other
    /// where they share the folder.
    Path(PathBuf),
    /// An abstract name of 1 to 107 bytes, which exists as long as its listener and leaves no file.
    ///
    /// Every user of the machine may connect. The name is known within one network namespace only: containers that do
    /// not share theirs do not find each other by it.
    Abstract(Vec<u8>),
}

impl Address {
    pub(super) fn socket_address(&self) -> Result<SocketAddrUnix, TransportError> {
        let address = match self {
            // An empty name would have the kernel choose one, which nobody finds.
            Self::Path(path) if path.as_os_str().is_empty() => None,
            Self::Abstract(name) if name.is_empty() => None,
            Self::Path(path) => SocketAddrUnix::new(path).ok(),
            Self::Abstract(name) => SocketAddrUnix::new_abstract_name(name).ok(),
        };
        address.ok_or_else(|| TransportError::BadAddress { address: self.clone() })
    }
}

impl fmt::Display for Address {
    /// As `ss` and `/proc/net/unix` write it: an abstract name begins with `@`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Abstract(name) => write!(f, "@{}", OsStr::from_bytes(name).display()),
        }
    }
}

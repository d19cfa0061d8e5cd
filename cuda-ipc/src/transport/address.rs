//! The addresses of listeners.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::net::SocketAddrUnix;

use super::TransportError;

/// The address of a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A path in the file system, of at most 107 bytes.
    ///
    /// A user may connect if the modes of the file and of its folder let them write to the file. Containers reach each
    /// other if they share the folder.
    Path(PathBuf),
    /// An abstract name of 1 to 107 bytes, which exists as long as its listener and leaves no file.
    ///
    /// Every user of the machine may connect. The name is known only within one network namespace: containers with
    /// different network namespaces do not reach each other by it.
    Abstract(Vec<u8>),
}

impl Address {
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Abstract(_) => None,
        }
    }

    pub(super) fn socket_address(&self) -> Result<SocketAddrUnix, TransportError> {
        let address = match self {
            // For an empty name the kernel would choose one that no peer knows.
            Self::Path(path) if path.as_os_str().is_empty() => None,
            Self::Abstract(name) if name.is_empty() => None,
            Self::Path(path) => SocketAddrUnix::new(path).ok(),
            Self::Abstract(name) => SocketAddrUnix::new_abstract_name(name).ok(),
        };
        address.ok_or_else(|| TransportError::BadAddress { address: self.clone() })
    }
}

impl fmt::Display for Address {
    /// Writes the address as `ss` and `/proc/net/unix` do: an abstract name begins with `@`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Abstract(name) => write!(f, "@{}", OsStr::from_bytes(name).display()),
        }
    }
}

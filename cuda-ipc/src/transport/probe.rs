//! Finding out whether a process still has the socket at a path.

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::TransportError;

/// Who has the socket at a path.
pub(super) enum Owner {
    /// A process has it, whether or not it listens.
    Process,
    /// The process that made the file has ended: the file is stale.
    Nobody,
    /// There is no file.
    NoFile,
}

/// `connect`: returns whether a living process has the socket at a path.
///
/// The probe is a datagram socket, so that a listener never has to accept it. The kernel refuses it with `EPROTOTYPE`
/// if a process has a stream socket at the path, and with `ECONNREFUSED` if the file is stale.
pub(super) fn owner(name: &SocketAddrUnix) -> Result<Owner, TransportError> {
    let probe = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(TransportError::system("socket"))?;
    match connect(&probe, name) {
        Ok(()) | Err(Errno::PROTOTYPE) => Ok(Owner::Process),
        Err(Errno::CONNREFUSED) => Ok(Owner::Nobody),
        Err(Errno::NOENT) => Ok(Owner::NoFile),
        Err(error) => Err(TransportError::system("connect")(error)),
    }
}

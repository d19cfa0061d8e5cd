//! The credentials of the peer.

use std::os::fd::AsFd as _;

use super::{Connection, TransportError, socket_options};

/// `SO_PEERCRED`: the process at the other end, as it was when it connected or began to listen.
///
/// For an end of a [`Connection::pair`] it is the process that made the pair, even if the end was passed on since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PeerCredentials {
    /// The process's PID in this process's PID namespace; 0 if it has none there, because it is in another container.
    pub pid: u32,
    /// The effective user; the overflow user (65534) if this process's user namespace does not have it.
    pub uid: u32,
    /// The effective group; the overflow group (65534) if this process's user namespace does not have it.
    pub gid: u32,
}

impl Connection {
    /// `getsockopt` with `SO_PEERCRED`: returns the process at the other end.
    ///
    /// # Errors
    /// [`TransportError::System`] if the socket is not a connected Unix socket.
    pub fn peer_credentials(&self) -> Result<PeerCredentials, TransportError> {
        let [pid, uid, gid] = socket_options::peer_credentials(self.as_fd())
            .map_err(TransportError::system("getsockopt(SO_PEERCRED)"))?;
        Ok(PeerCredentials { pid, uid, gid })
    }

    /// `SO_PEERCRED`: returns an error if the peer belongs to another user.
    ///
    /// Call this before the first message if other users can connect: at abstract names, and in folders that several
    /// users can write to.
    ///
    /// # Errors
    /// [`TransportError::OtherUser`], and as [`Connection::peer_credentials`].
    pub fn require_uid(&self, uid: u32) -> Result<PeerCredentials, TransportError> {
        let peer = self.peer_credentials()?;
        if peer.uid == uid { Ok(peer) } else { Err(TransportError::OtherUser { peer, required: uid }) }
    }
}

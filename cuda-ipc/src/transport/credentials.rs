//! Who is at the other end.

use std::os::fd::AsFd as _;

use super::{Connection, TransportError, socket_options};

/// `SO_PEERCRED`: the process at the other end, as the kernel knew it when it connected, or listened.
///
/// An end of a [`Connection::pair`] names the process that made the pair, wherever the end has gone since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PeerCredentials {
    /// The process's number in this process's PID namespace; 0 where it has none, being in another container.
    pub pid: u32,
    /// Its effective user; the overflow user (65534) where this process's user namespace does not have it.
    pub uid: u32,
    /// Its effective group, likewise.
    pub gid: u32,
}

impl Connection {
    /// `getsockopt` with `SO_PEERCRED`: who is at the other end.
    ///
    /// # Errors
    /// [`TransportError::System`] where the socket is no connected Unix socket.
    pub fn peer_credentials(&self) -> Result<PeerCredentials, TransportError> {
        let [pid, uid, gid] = socket_options::peer_credentials(self.as_fd())
            .map_err(|source| TransportError::System { call: "getsockopt(SO_PEERCRED)", source })?;
        Ok(PeerCredentials { pid, uid, gid })
    }

    /// `SO_PEERCRED`: refuse a peer of another user.
    ///
    /// To be asked for before the first message wherever others can connect: at abstract names, and in folders that
    /// several users write to.
    ///
    /// # Errors
    /// [`TransportError::OtherUser`], and as [`Connection::peer_credentials`].
    pub fn require_uid(&self, uid: u32) -> Result<PeerCredentials, TransportError> {
        let peer = self.peer_credentials()?;
        if peer.uid == uid { Ok(peer) } else { Err(TransportError::OtherUser { peer, required: uid }) }
    }
}

//! Sealed tickets: a keyed MAC for transports that others can write to.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::envelope::{self, MAC, Seal};
use super::{Ticket, TicketError, layout};

/// A secret of 32 random bytes that exporter and importer have, and nobody else.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// The key of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        // HMAC itself fills a key up with zeros to SHA-256's block.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&bytes);
        Self(Hmac::new(&block.into()))
    }

    fn mac(&self, bytes: &[u8]) -> Hmac<Sha256> {
        self.0.clone().chain_update(bytes)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(secret)")
    }
}

impl Ticket {
    /// The bytes to send over a transport that others can write to.
    ///
    /// The seal says that a holder of the key wrote these bytes. It neither hides them nor says when that was: who can
    /// keep messages back can send them again, so give each pair of processes a key of its own.
    #[must_use]
    pub fn to_sealed_bytes(&self, key: &Key) -> Vec<u8> {
        let mut bytes = envelope::begin(Seal::Sealed, self);
        let mac: [u8; MAC] = key.mac(&bytes).finalize().into_bytes().into();
        bytes.extend(mac);
        envelope::close(bytes)
    }

    /// The ticket that sealed bytes are.
    ///
    /// # Errors
    /// As [`Ticket::from_bytes`], and [`TicketError::WrongSeal`] where nobody with this key wrote the bytes. A ticket
    /// that is not sealed is refused.
    pub fn from_sealed_bytes(key: &Key, bytes: &[u8]) -> Result<Self, TicketError> {
        let bytes = match envelope::open(bytes)? {
            (Seal::Sealed, bytes) => bytes,
            (Seal::Unsealed, _) => return Err(TicketError::Unsealed),
        };
        let (bytes, mac) = bytes.split_last_chunk::<MAC>().ok_or(TicketError::WrongLength)?;
        // Compares in constant time.
        key.mac(bytes).verify(mac.into()).map_err(|_| TicketError::WrongSeal)?;
        Self::new(layout::read(envelope::contents(bytes)?)?)
    }
}

//! Sealed tickets: a keyed MAC for transports that others can write to.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::envelope::{self, MAC, Seal};
use super::{Ticket, TicketError, layout};

/// A secret of 32 random bytes that only the exporter and the importer have.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// Makes a key from these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        // HMAC itself pads a key with zeros to the block size of SHA-256.
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
    /// Returns the bytes to send over a transport that others can write to.
    ///
    /// The seal proves that a holder of the key wrote these bytes. It does not hide them, and it does not say when they
    /// were written: an attacker that can store messages can send them again. So give each pair of processes its own
    /// key.
    #[must_use]
    pub fn to_sealed_bytes(&self, key: &Key) -> Vec<u8> {
        let mut bytes = envelope::begin(Seal::Sealed, self);
        let mac: [u8; MAC] = key.mac(&bytes).finalize().into_bytes().into();
        bytes.extend(mac);
        envelope::close(bytes)
    }

    /// Reads a ticket from its sealed bytes.
    ///
    /// # Errors
    /// As [`Ticket::from_bytes`], and [`TicketError::WrongSeal`] if the bytes were not sealed with this key. A ticket
    /// that is not sealed is an error.
    pub fn from_sealed_bytes(key: &Key, bytes: &[u8]) -> Result<Self, TicketError> {
        let bytes = match envelope::open(bytes)? {
            (Seal::Sealed, bytes) => bytes,
            (Seal::Unsealed, _) => return Err(TicketError::Unsealed),
        };
        let (bytes, mac) = bytes.split_last_chunk::<MAC>().ok_or(TicketError::WrongLength)?;
        // `verify` compares in constant time.
        key.mac(bytes).verify(mac.into()).map_err(|_| TicketError::WrongSeal)?;
        Self::new(layout::read(envelope::contents(bytes)?)?)
    }

    /// Returns the sealed bytes, the message, and a MAC of both. The message is bound to the ticket: it cannot be put
    /// beside another one.
    pub(crate) fn to_sealed_bytes_with(&self, key: &Key, message: &[u8]) -> Vec<u8> {
        let mut bytes = self.to_sealed_bytes(key);
        bytes.extend(message);
        let mac: [u8; MAC] = key.mac(&bytes).finalize().into_bytes().into();
        bytes.extend(mac);
        bytes
    }

    /// Reads what [`Ticket::to_sealed_bytes_with`] returned.
    pub(crate) fn from_sealed_bytes_with<'bytes>(
        key: &Key,
        bytes: &'bytes [u8],
    ) -> Result<(Self, &'bytes [u8]), TicketError> {
        let (ticket, rest) = envelope::split(bytes)?;
        let ticket = Self::from_sealed_bytes(key, ticket)?;
        let (message, mac) = rest.split_last_chunk::<MAC>().ok_or(TicketError::MessageSeal)?;
        let sealed = bytes.strip_suffix(mac).ok_or(TicketError::MessageSeal)?;
        key.mac(sealed).verify(mac.into()).map_err(|_| TicketError::MessageSeal)?;
        Ok((ticket, message))
    }
}

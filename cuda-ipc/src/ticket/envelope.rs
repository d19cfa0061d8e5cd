//! The envelope of the contents: the header, which identifies the bytes as a ticket, and the checksum.

use super::handle::MAX_CHUNKS;
use super::{Contents, TicketError, layout};

/// The version of the format that this release writes and reads.
pub const FORMAT_VERSION: u16 = 2;

pub(super) const MAC: usize = 32;

const MAGIC: [u8; 8] = *b"CUDA-IPC";
const SEALED: u16 = 1;
const HEAD: usize = 16;
const CHECKSUM: usize = 4;
const SHORTEST: usize = HEAD + CHECKSUM;

/// The header, the fields up to the kind, the fields before the chunks, the chunks, and the end of a sealed ticket.
pub(super) const MAX_LENGTH: usize = HEAD + 108 + 16 + MAX_CHUNKS * (8 + 64) + MAC + CHECKSUM;

/// Whether a keyed MAC precedes the checksum.
pub(super) enum Seal {
    Sealed,
    Unsealed,
}

/// Returns everything that precedes the checksum or, in a sealed ticket, the MAC.
pub(super) fn begin(seal: Seal, contents: &Contents) -> Vec<u8> {
    let (flags, end) = match seal {
        Seal::Sealed => (SEALED, MAC + CHECKSUM),
        Seal::Unsealed => (0, CHECKSUM),
    };
    let mut body = Vec::new();
    layout::write(contents, &mut body);
    // At most MAX_LENGTH, so it fits.
    let length = (HEAD + body.len() + end) as u32;
    [&MAGIC[..], &FORMAT_VERSION.to_le_bytes(), &flags.to_le_bytes(), &length.to_le_bytes(), &body].concat()
}

/// Appends the checksum to the bytes.
pub(super) fn close(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Splits bytes that begin with a ticket: returns those of the ticket, and what follows.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), TicketError> {
    let present = bytes.len();
    if bytes.iter().zip(&MAGIC).any(|(byte, expected)| byte != expected) {
        return Err(TicketError::NoTicket);
    }
    let Some(head) = bytes.first_chunk::<HEAD>() else {
        return Err(TicketError::Truncated { present, length: SHORTEST });
    };
    let [.., v0, v1, _, _, l0, l1, l2, l3] = *head;
    let version = u16::from_le_bytes([v0, v1]);
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    // In another version the following fields may have another meaning.
    if version != FORMAT_VERSION {
        return Err(TicketError::OtherVersion { version });
    }
    if !(SHORTEST..=MAX_LENGTH).contains(&length) {
        return Err(TicketError::WrongLength);
    }
    bytes.split_at_checked(length).ok_or(TicketError::Truncated { present, length })
}

/// Returns everything that precedes the checksum, if the checksum and the header are valid.
pub(super) fn open(bytes: &[u8]) -> Result<(Seal, &[u8]), TicketError> {
    let (ticket, rest) = split(bytes)?;
    if !rest.is_empty() {
        return Err(TicketError::TrailingBytes { present: bytes.len(), length: ticket.len() });
    }
    let (rest, checksum) = bytes.split_last_chunk().ok_or(TicketError::WrongLength)?;
    let (stated, computed) = (u32::from_le_bytes(*checksum), crc32fast::hash(rest));
    if stated != computed {
        return Err(TicketError::Checksum { stated, computed });
    }
    let [.., f0, f1, _, _, _, _] = *rest.first_chunk::<HEAD>().ok_or(TicketError::WrongLength)?;
    let flags = u16::from_le_bytes([f0, f1]);
    let seal = match flags {
        0 => Seal::Unsealed,
        SEALED => Seal::Sealed,
        _ => return Err(TicketError::ReservedBits { flags }),
    };
    Ok((seal, rest))
}

/// Returns the bytes of the contents, given those that precede the checksum or the MAC.
pub(super) fn contents(bytes: &[u8]) -> Result<&[u8], TicketError> {
    bytes.get(HEAD..).ok_or(TicketError::WrongLength)
}

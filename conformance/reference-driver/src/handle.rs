//! What the 64 bytes of a handle say: who exported, and what of theirs is meant.
//!
//! A checksum covers every byte, so that a damaged handle is refused. It is no secret: who can read the exporter's
//! descriptors can have its memory without a handle.

use crate::process::start_time;

const MEMORY: u32 = u32::from_le_bytes(*b"cmem");
const EVENT: u32 = u32::from_le_bytes(*b"cevt");

/// A process, told from a later one with the same number by when it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Exporter {
    pub(crate) process: u32,
    pub(crate) started: u64,
}

impl Exporter {
    pub(crate) fn this_process() -> Self {
        let process = std::process::id();
        Self { process, started: start_time(process).unwrap_or(0) }
    }

    pub(crate) fn is_alive(&self) -> bool {
        start_time(self.process) == Some(self.started)
    }
}

/// An allocation of another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryName {
    pub(crate) exporter: Exporter,
    pub(crate) descriptor: u32,
    pub(crate) inode: u64,
    /// Where in the block.
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) serial: u64,
    pub(crate) device_index: u32,
}

/// An event of another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventName {
    pub(crate) exporter: Exporter,
    pub(crate) descriptor: u32,
    pub(crate) inode: u64,
    pub(crate) slot: u64,
    pub(crate) serial: u64,
}

impl MemoryName {
    pub(crate) fn to_bytes(self) -> [u8; 64] {
        let Self { exporter, descriptor, inode, offset, size, serial, device_index } = self;
        seal(MEMORY, exporter, descriptor, [inode, offset, size, serial], device_index)
    }

    pub(crate) fn from_bytes(bytes: [u8; 64]) -> Option<Self> {
        let (exporter, descriptor, [inode, offset, size, serial], device_index) = unseal(MEMORY, bytes)?;
        Some(Self { exporter, descriptor, inode, offset, size, serial, device_index })
    }
}

impl EventName {
    pub(crate) fn to_bytes(self) -> [u8; 64] {
        let Self { exporter, descriptor, inode, slot, serial } = self;
        seal(EVENT, exporter, descriptor, [inode, slot, serial, 0], 0)
    }

    pub(crate) fn from_bytes(bytes: [u8; 64]) -> Option<Self> {
        let (exporter, descriptor, [inode, slot, serial, _], _) = unseal(EVENT, bytes)?;
        Some(Self { exporter, descriptor, inode, slot, serial })
    }
}

fn seal(kind: u32, exporter: Exporter, descriptor: u32, words: [u64; 4], last: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[0..4].copy_from_slice(&kind.to_le_bytes());
    bytes[8..12].copy_from_slice(&exporter.process.to_le_bytes());
    bytes[12..16].copy_from_slice(&descriptor.to_le_bytes());
    bytes[16..24].copy_from_slice(&exporter.started.to_le_bytes());
    for (index, word) in words.into_iter().enumerate() {
        bytes[24 + index * 8..32 + index * 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes[56..60].copy_from_slice(&last.to_le_bytes());
    let sum = checksum(&bytes).to_le_bytes();
    bytes[60..64].copy_from_slice(&sum[4..]);
    bytes[4..8].copy_from_slice(&sum[..4]);
    bytes
}

fn unseal(kind: u32, bytes: [u8; 64]) -> Option<(Exporter, u32, [u64; 4], u32)> {
    let short = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| u64::from(short(at)) | u64::from(short(at + 4)) << 32;
    let mut unsummed = bytes;
    unsummed[4..8].fill(0);
    unsummed[60..64].fill(0);
    let sum = u64::from(short(4)) | u64::from(short(60)) << 32;
    if short(0) != kind || checksum(&unsummed) != sum {
        return None;
    }
    let exporter = Exporter { process: short(8), started: long(16) };
    Some((exporter, short(12), [long(24), long(32), long(40), long(48)], short(56)))
}

/// FNV-1a over 64 bits.
fn checksum(bytes: &[u8; 64]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> MemoryName {
        let exporter = Exporter { process: 4711, started: 99 };
        MemoryName { exporter, descriptor: 7, inode: 12, offset: 512, size: 1024, serial: 3, device_index: 1 }
    }

    #[test]
    fn a_name_survives_its_bytes() {
        assert_eq!(MemoryName::from_bytes(name().to_bytes()), Some(name()));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for bit in 0..512 {
            let mut bytes = name().to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(MemoryName::from_bytes(bytes), None, "bit {bit}");
        }
    }

    #[test]
    fn a_memory_handle_is_no_event_handle() {
        assert_eq!(EventName::from_bytes(name().to_bytes()), None);
    }
}

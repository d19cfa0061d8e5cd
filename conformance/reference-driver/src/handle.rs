//! The 64 bytes that name memory, a pool or an event to other processes: its location, its owner, and a checksum over
//! all bits.

use std::os::unix::fs::MetadataExt as _;

use crate::process::look_at;
use crate::profile::profile;

/// The contents of a handle. To everything outside this driver, its bytes are opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle {
    pub(crate) kind: Kind,
    /// The exporting process. The start time tells it from a later process with the same PID.
    pub(crate) process: u32,
    pub(crate) start_time: u64,
    /// The memfd in that process.
    pub(crate) descriptor: u32,
    pub(crate) inode: u64,
    /// The location in the memfd: an allocation's offset in a block, a slot in an arena, or a unit of a pool. A fabric
    /// handle has its channel here.
    pub(crate) place: u32,
    pub(crate) size: u64,
    pub(crate) serial: u64,
    pub(crate) device: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Memory,
    Event,
    PoolPointer,
    Fabric,
    FabricPool,
}

impl Handle {
    /// Whether the exporter still has the memfd. A program that its process executes does not inherit it.
    pub(crate) fn has_exporter(&self) -> bool {
        let descriptor = format!("fd/{}", self.descriptor);
        match look_at(self.process, |folder| std::fs::metadata(folder.join(&descriptor))) {
            Ok(file) => file.ino() == self.inode,
            // The process of another user does not show its descriptors.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        }
    }

    /// Creates a handle that names no object. Only faults use it.
    pub(crate) const fn nowhere(kind: Kind, process: u32, start_time: u64) -> Self {
        Self { kind, process, start_time, descriptor: 0, inode: 0, place: 0, size: 0, serial: 0, device: 0 }
    }

    pub(crate) fn to_bytes(self, machine: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&self.start_time.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.inode.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.size.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.serial.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.process.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.descriptor.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.place.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.device.to_le_bytes());
        bytes[48..56].copy_from_slice(&machine.to_le_bytes());
        let sum = sum(self.kind, &bytes[..56]);
        bytes[56..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Decodes the bytes. Returns `None` unless they are an unchanged handle of this kind and machine.
    pub(crate) fn from_bytes(bytes: &[u8; 64], kind: Kind, machine: u64) -> Option<Self> {
        let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let half = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let ignored = if profile().has_unused_handle_bits { 0xFFFF << 48 } else { 0 };
        if word(56)? | ignored != sum(kind, &bytes[..56]) | ignored || word(48)? != machine {
            return None;
        }
        Some(Self {
            kind,
            start_time: word(0)?,
            inode: word(8)?,
            size: word(16)?,
            serial: word(24)?,
            process: half(32)?,
            descriptor: half(36)?,
            place: half(40)?,
            device: half(44)?,
        })
    }
}

/// A checksum that starts with the kind, so that a handle of one kind is invalid as any other kind.
fn sum(kind: Kind, bytes: &[u8]) -> u64 {
    let seed: &[u8] = match kind {
        Kind::Memory => b"memory",
        Kind::Event => b"event",
        Kind::PoolPointer => b"pool pointer",
        Kind::Fabric => b"fabric",
        Kind::FabricPool => b"fabric pool",
    };
    fnv1a(seed.iter().chain(bytes).copied())
}

/// The FNV-1a hash. Each step is invertible, so inputs that differ in one byte never have the same hash.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDLE: Handle = Handle {
        kind: Kind::Memory,
        process: 4242,
        start_time: 123_456,
        descriptor: 7,
        inode: 99,
        place: 512,
        size: 41,
        serial: 3,
        device: 1,
    };

    #[test]
    fn bytes_come_back() {
        assert_eq!(Handle::from_bytes(&HANDLE.to_bytes(5), Kind::Memory, 5), Some(HANDLE));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for bit in 0..512 {
            let mut bytes = HANDLE.to_bytes(5);
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Handle::from_bytes(&bytes, Kind::Memory, 5), None, "bit {bit}");
        }
    }

    #[test]
    fn kinds_and_machines_are_not_confused() {
        let bytes = HANDLE.to_bytes(5);
        assert_eq!(Handle::from_bytes(&bytes, Kind::Event, 5), None);
        assert_eq!(Handle::from_bytes(&bytes, Kind::PoolPointer, 5), None);
        assert_eq!(Handle::from_bytes(&bytes, Kind::Memory, 6), None);
        assert_eq!(Handle::from_bytes(&[0; 64], Kind::Memory, 0), None);
        assert_eq!(Handle::from_bytes(&[0xFF; 64], Kind::Memory, u64::MAX), None);
    }
}

//! The `Debug` output of tickets: sizes and names in full, handles by their first 8 bytes.

use std::fmt::{Debug, Display, Formatter, Result};

use super::{Chunks, Contents, Handle, PoolHandle, PoolPointer, Ticket};
use crate::ProcessIdentity;

impl Debug for Ticket {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_tuple("Ticket").field(&self.0).finish()
    }
}

impl Debug for Contents {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { exporter, device, driver, generation, size, offset, length, handle } = self;
        let ProcessIdentity { pid, pid_namespace, start_time, boot_id } = exporter;
        let boot = Uuid(boot_id);
        f.debug_struct("Contents")
            .field("exporter", &format_args!("{pid} of namespace {pid_namespace}, since {start_time} of boot {boot}"))
            .field("device", &format_args!("GPU-{}", Uuid(device)))
            .field("driver", driver)
            .field("generation", generation)
            .field("size", size)
            .field("offset", offset)
            .field("length", length)
            .field("handle", handle)
            .finish()
    }
}

impl Debug for Handle {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::LegacyMemory(handle) => write!(f, "LegacyMemory({})", First(&handle.to_bytes())),
            Self::Event(handle) => write!(f, "Event({})", First(&handle.to_bytes())),
            Self::PhysicalMemory(memory) => memory.fmt(f),
            Self::PoolPointer(pointer) => pointer.fmt(f),
        }
    }
}

impl Debug for Chunks {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Descriptors(chunks) => write!(f, "{} descriptors", chunks.len()),
            Self::Fabric(chunks) => write!(f, "{} fabric handles", chunks.len()),
        }
    }
}

impl Debug for PoolPointer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("PoolPointer")
            .field("pool", &self.pool)
            .field("pool_handle", &self.pool_handle)
            .field("pointer", &format_args!("{}", First(&self.pointer.to_bytes())))
            .finish()
    }
}

impl Debug for PoolHandle {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Descriptor(index) => f.debug_tuple("Descriptor").field(index).finish(),
            Self::Fabric(handle) => write!(f, "Fabric({})", First(&handle.to_bytes())),
        }
    }
}

/// The first 8 of a handle's 64 bytes.
struct First<'a>(&'a [u8; 64]);

impl Display for First<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…")
    }
}

struct Uuid<'a>(&'a [u8; 16]);

impl Display for Uuid<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (index, byte) in self.0.iter().enumerate() {
            let dash = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

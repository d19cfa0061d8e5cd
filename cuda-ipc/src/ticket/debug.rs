//! The `Debug` output of tickets: sizes and names in full, handles by their first 8 bytes.

use std::fmt::{Debug, Display, Formatter, Result};

use uuid::Uuid;

use super::{Chunks, Contents, Handle, PoolHandle, PoolPointer, Ticket};
use crate::{ExporterIdentity, ProcessIdentity};

impl Debug for Ticket {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_tuple("Ticket").field(&self.0).finish()
    }
}

impl Debug for Contents {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { exporter, device, driver, generation, size, offset, length, handle } = self;
        let ExporterIdentity { process, nonce } = exporter;
        let ProcessIdentity { pid, pid_namespace, start_time, boot_id } = process;
        let [nonce, boot, device] = [nonce, boot_id, device].map(Uuid::from_bytes_ref);
        let exporter = format!("{pid} of namespace {pid_namespace}, since {start_time} of boot {boot}, nonce {nonce}");
        f.debug_struct("Contents")
            .field("exporter", &format_args!("{exporter}"))
            .field("device", &format_args!("GPU-{device}"))
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

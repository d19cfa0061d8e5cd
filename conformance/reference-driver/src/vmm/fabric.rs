//! Fabric handles: 64 plain bytes that name physical memory to any process on the machine that has the channel.
//!
//! `REFERENCE_DRIVER_FABRIC` says in which of four states the fabric is. Without it there is a fabric and no channel,
//! as on a machine whose administrator gave none out.

use std::sync::OnceLock;

use cuda_ipc_sys::CUresult;

use super::Allocation;
use crate::answer::{INVALID_VALUE, NOT_PERMITTED, NOT_SUPPORTED, Result};
use crate::block::{Block, Elsewhere, HOST};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::process::{own_start_time, start_time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fabric {
    /// `absent`: the devices are on none.
    Absent,
    /// `no-channel`: this process may use no channel.
    NoChannel,
    /// `channel` or `channel:7`: it may use this one; without a number, the one of its user.
    Channel(u32),
    /// `not-ready`: the fabric is still being set up.
    NotReady,
}

/// FAB-001: whether the attribute says that there are fabric handles.
pub(crate) fn is_fabric_supported() -> bool {
    Fabric::of_environment() != Fabric::Absent
}

impl Fabric {
    pub(super) fn of_environment() -> Self {
        static FABRIC: OnceLock<Fabric> = OnceLock::new();
        *FABRIC.get_or_init(|| Self::named(&std::env::var("REFERENCE_DRIVER_FABRIC").unwrap_or_default()))
    }

    fn named(name: &str) -> Self {
        match (name, name.strip_prefix("channel:").and_then(|number| number.parse().ok())) {
            ("absent", _) => Self::Absent,
            ("not-ready", _) => Self::NotReady,
            // SAFETY: the call has no input and cannot fail.
            ("channel", _) => Self::Channel(unsafe { libc::geteuid() }),
            (_, Some(number)) => Self::Channel(number),
            _ => Self::NoChannel,
        }
    }

    /// Whether memory can be created for it.
    pub(super) fn create(self) -> Result<()> {
        match self {
            // VMM-CREATE-012: without a fabric the wish is accepted, and the export refused.
            Self::Absent => Ok(()),
            // FAB-002: the refusal comes here, as on an H200.
            other => other.channel().map(drop),
        }
    }

    /// The channel of this process.
    fn channel(self) -> Result<u32> {
        match self {
            Self::Channel(number) => Ok(number),
            Self::Absent => Err(NOT_SUPPORTED),
            Self::NoChannel => Err(NOT_PERMITTED),
            // FABRIC_NOT_READY came with CUDA 13.4; before that there was only the code for the whole system.
            Self::NotReady => Err(CUresult::CUDA_ERROR_SYSTEM_NOT_READY),
        }
    }
}

/// FAB-003, FAB-009: the same bytes each time.
pub(super) fn export(allocation: &Allocation) -> Result<[u8; 64]> {
    // FAB-001
    let channel = Fabric::of_environment().channel().map_err(|_| INVALID_VALUE)?;
    let handle = Handle {
        kind: Kind::Fabric,
        process: std::process::id(),
        start_time: own_start_time(),
        descriptor: allocation.block.descriptor(),
        inode: allocation.block.inode,
        place: channel,
        size: allocation.block.size,
        serial: 0,
        device: if allocation.device == HOST { u32::MAX } else { allocation.device as u32 },
    };
    Ok(handle.to_bytes(environment().machine_number()))
}

pub(super) fn import(bytes: &[u8; 64], fabric: Fabric) -> Result<(Block, usize)> {
    // FAB-002: whose fabric or channel is not there cannot import whatever the bytes are. To zeros an H200 answers
    // NOT_SUPPORTED.
    let channel = match fabric.channel() {
        Err(NOT_PERMITTED) if bytes == &[0; 64] => return Err(NOT_SUPPORTED),
        channel => channel?,
    };
    // FAB-005: every bit of a handle counts.
    let handle = Handle::from_bytes(bytes, Kind::Fabric, environment().machine_number()).ok_or(INVALID_VALUE)?;
    // FAB-004: who may not use the exporter's channel.
    if handle.place != channel {
        return Err(NOT_PERMITTED);
    }
    // FAB-006: the exporter is gone, or has given the memory back.
    if start_time(handle.process) != Some(handle.start_time) {
        return Err(INVALID_VALUE);
    }
    let device = if handle.device == u32::MAX { HOST } else { handle.device as usize };
    let found = Block::of_process(handle.process, handle.descriptor, device, handle.inode);
    let block = found.map_err(|reason| match reason {
        Elsewhere::Gone | Elsewhere::Replaced => INVALID_VALUE,
        Elsewhere::Forbidden => NOT_PERMITTED,
        Elsewhere::Failed(code) => code,
    })?;
    Ok((block, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_states_have_their_names_and_codes() {
        for (name, code) in [
            ("absent", Err(NOT_SUPPORTED)),
            ("no-channel", Err(NOT_PERMITTED)),
            ("", Err(NOT_PERMITTED)),
            ("channel:7", Ok(7)),
            ("not-ready", Err(CUresult::CUDA_ERROR_SYSTEM_NOT_READY)),
        ] {
            assert_eq!(Fabric::named(name).channel(), code, "{name}");
        }
    }
}

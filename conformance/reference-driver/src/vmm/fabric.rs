//! Fabric handles: 64 plain bytes that name physical memory, or a pool, to any process of the machine that has the
//! channel.
//!
//! `REFERENCE_DRIVER_FABRIC` chooses one of four states of the fabric. By default there is a fabric but no channel, as
//! on a machine whose administrator has granted none.

use std::sync::OnceLock;

use cuda_ipc_sys::CUresult;

use crate::answer::{INVALID_VALUE, NOT_PERMITTED, NOT_SUPPORTED, Result};
use crate::block::HOST;
use crate::environment::{environment, read};
use crate::handle::{Handle, Kind};
use crate::memfd::Elsewhere;
use crate::process::{own_number, own_start_time, start_time};
use crate::profile::profile;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fabric {
    /// `absent`: the devices are not on a fabric.
    Absent,
    /// `no-channel`: this process may not use any channel.
    NoChannel,
    /// `channel` or `channel:7`: this process may use this channel. Without a number, the channel is the effective user
    /// id.
    Channel(u32),
    /// `not-ready`: the fabric is still being set up.
    NotReady,
}

/// Whether the attribute reports fabric handles (FAB-001).
pub(crate) fn is_fabric_supported() -> bool {
    Fabric::of_environment() != Fabric::Absent
}

impl Fabric {
    pub(crate) fn of_environment() -> Self {
        static FABRIC: OnceLock<Fabric> = OnceLock::new();
        *FABRIC.get_or_init(|| read("FABRIC", Self::named).unwrap_or(profile().fabric))
    }

    fn named(name: &str) -> std::result::Result<Self, &'static str> {
        Ok(match (name, name.strip_prefix("channel:").and_then(|number| number.parse().ok())) {
            ("absent", _) => Self::Absent,
            ("no-channel", _) => Self::NoChannel,
            ("not-ready", _) => Self::NotReady,
            // SAFETY: the call has no input and cannot fail.
            ("channel", _) => Self::Channel(unsafe { libc::geteuid() }),
            (_, Some(number)) => Self::Channel(number),
            _ => return Err("expected absent, no-channel, channel, channel:NUMBER or not-ready"),
        })
    }

    /// Checks that memory can be created with this handle type.
    pub(crate) fn create(self) -> Result<()> {
        match self {
            // VMM-CREATE-012: without a fabric, the creation succeeds and the export fails.
            Self::Absent => Ok(()),
            Self::NoChannel
                if fault!(
                    "fabric-memory-needs-no-channel",
                    ["FAB-002"],
                    "Fabric memory is created without a channel."
                ) =>
            {
                Ok(())
            }
            Self::NoChannel
                if fault!(
                    "create-for-the-fabric-has-another-code",
                    ["VMM-CREATE-011"],
                    "Without a channel, memory for fabric handles is refused as NOT_SUPPORTED."
                ) || fault!(
                    "fabric-memory-without-a-channel-has-another-code",
                    ["FAB-002"],
                    "Without a channel, fabric memory is refused with NOT_SUPPORTED."
                ) =>
            {
                Err(NOT_SUPPORTED)
            }
            // FAB-002: without a channel, the creation itself fails, as on an H200.
            other => other.channel().map(drop),
        }
    }

    /// Checks that a pool can be created with this handle type. FAB-002: as on an H200, only its export needs the
    /// channel.
    pub(crate) fn create_pool(self) -> Result<()> {
        if self == Self::NoChannel { Ok(()) } else { self.create() }
    }

    /// The channel of this process.
    fn channel(self) -> Result<u32> {
        match self {
            Self::Channel(number) => Ok(number),
            Self::Absent => Err(NOT_SUPPORTED),
            Self::NoChannel
                if fault!(
                    "create-for-the-fabric-needs-no-channel",
                    ["VMM-CREATE-011"],
                    "Without a channel, memory for fabric handles is created and exported."
                ) =>
            {
                Ok(0)
            }
            Self::NoChannel => Err(NOT_PERMITTED),
            // FABRIC_NOT_READY came with CUDA 13.4. Before that, there was only a code for the whole system.
            Self::NotReady => Err(CUresult::CUDA_ERROR_SYSTEM_NOT_READY),
        }
    }
}

/// A memfd of this process that a fabric handle names.
pub(crate) struct Exported {
    pub(crate) kind: Kind,
    pub(crate) descriptor: u32,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// The device's index in the machine, or `HOST`.
    pub(crate) place: usize,
}

/// Exports a fabric handle. FAB-003, FAB-009: the bytes are the same each time.
pub(crate) fn export(exported: &Exported) -> Result<[u8; 64]> {
    // FAB-001
    let channel = match Fabric::of_environment() {
        Fabric::Absent
            if fault!(
                "fabric-handle-without-a-fabric",
                ["FAB-001"],
                "Memory exports although the attribute reads 0."
            ) =>
        {
            0
        }
        Fabric::NoChannel
            if exported.kind == Kind::FabricPool
                && fault!(
                    "pool-export-needs-no-channel",
                    ["FAB-002"],
                    "A pool is exported as a fabric handle without a channel."
                ) =>
        {
            0
        }
        // FAB-002: as on an H200.
        Fabric::NoChannel if exported.kind == Kind::FabricPool => return Err(NOT_PERMITTED),
        fabric => fabric.channel().map_err(|_| INVALID_VALUE)?,
    };
    let handle = Handle {
        kind: exported.kind,
        process: own_number(),
        start_time: own_start_time(),
        descriptor: exported.descriptor,
        inode: exported.inode,
        place: channel,
        size: exported.size,
        serial: 0,
        device: if exported.place == HOST { u32::MAX } else { exported.place as u32 },
    };
    let mut bytes = handle.to_bytes(environment().machine_number());
    if fault!("fabric-handle-has-32-bytes", ["FAB-003"], "The export writes only the first 32 bytes.") {
        bytes[32..].fill(0);
    }
    Ok(bytes)
}

/// Opens what the bytes name, and returns it with its device's index, or `HOST`.
pub(crate) fn import<T>(
    kind: Kind,
    bytes: &[u8; 64],
    open: impl FnOnce(&Handle, usize) -> std::result::Result<T, Elsewhere>,
) -> Result<(T, usize)> {
    // FAB-002: without a fabric or a channel, no import succeeds, whatever the bytes are. For all zeros without a
    // channel, an H200 returns NOT_SUPPORTED.
    let channel = match Fabric::of_environment().channel() {
        Err(NOT_PERMITTED) if bytes == &[0; 64] => return Err(NOT_SUPPORTED),
        Err(NOT_PERMITTED)
            if fault!("fabric-import-needs-no-channel", ["FAB-004"], "A process without any channel imports.") =>
        {
            Handle::from_bytes(bytes, kind, environment().machine_number()).ok_or(INVALID_VALUE)?.place
        }
        channel => channel?,
    };
    // FAB-005: every bit of a handle counts.
    let handle = Handle::from_bytes(bytes, kind, environment().machine_number()).ok_or(INVALID_VALUE)?;
    // FAB-004: this process may not use the exporter's channel.
    if handle.place != channel
        && !fault!("fabric-import-ignores-the-channel", ["FAB-004"], "A process with another channel imports.")
    {
        let has_another_code = fault!(
            "fabric-import-of-another-channel-has-another-code",
            ["FAB-004"],
            "The code for a handle of another channel is INVALID_VALUE."
        );
        return Err(if has_another_code { INVALID_VALUE } else { NOT_PERMITTED });
    }
    if handle.device == 1
        && fault!(
            "fabric-import-of-the-second-device-fails",
            ["FAB-003"],
            "Only fabric memory of device 0 can be imported."
        )
    {
        return Err(INVALID_VALUE);
    }
    let is_own = handle.process == own_number();
    if is_own
        && fault!("fabric-import-in-the-own-process-fails", ["FAB-003"], "The exporter cannot import its handle.",)
        || !is_own && fault!("fabric-import-elsewhere-fails", ["FAB-003"], "Only the exporter can import its handle.")
    {
        return Err(INVALID_VALUE);
    }
    // FAB-006: the exporter is gone. If it has released the memory, the open below fails.
    if start_time(handle.process) != Some(handle.start_time) {
        return Err(INVALID_VALUE);
    }
    let place = if handle.device == u32::MAX { HOST } else { handle.device as usize };
    let opened = open(&handle, place).map_err(|reason| match reason {
        Elsewhere::Gone | Elsewhere::Replaced => INVALID_VALUE,
        Elsewhere::Forbidden => NOT_PERMITTED,
        Elsewhere::Failed(code) => code,
    })?;
    Ok((opened, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_states_have_their_names_and_codes() {
        for (name, code) in [
            ("absent", Err(NOT_SUPPORTED)),
            ("no-channel", Err(NOT_PERMITTED)),
            ("channel:7", Ok(7)),
            ("not-ready", Err(CUresult::CUDA_ERROR_SYSTEM_NOT_READY)),
        ] {
            assert_eq!(Fabric::named(name).map(Fabric::channel), Ok(code), "{name}");
        }
        for name in ["banana", "channel:", "channel:-1", "channel:4294967296", "Absent"] {
            assert!(Fabric::named(name).is_err(), "{name}");
        }
    }
}

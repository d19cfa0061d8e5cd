//! Machines that people have: `REFERENCE_DRIVER_PROFILE` names one, and the driver has its devices, its CUDA version and
//! what it does not support. The default is the machine that the driver is compared with.
//!
//! A profile has only what decides how inter-process memory works. `profiles.md` gives the source of each value. An environment variable for one property, such as `REFERENCE_DRIVER_DEVICES`, overrides the profile.

use std::ffi::c_int;
use std::sync::OnceLock;

use crate::answer::{NOT_SUPPORTED, Result};
use crate::environment::read;
use crate::process::state;
use crate::vmm::fabric::Fabric;

/// Managed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Managed {
    None,
    /// The host must not access it while the device works.
    Exclusive,
    Concurrent,
}

/// A machine.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// The name, as `REFERENCE_DRIVER_PROFILE` takes it.
    pub name: &'static str,
    /// The number of devices.
    pub devices: usize,
    /// Bytes of each device.
    pub(crate) memory: u64,
    /// The CUDA version: 1000 × major + 10 × minor.
    pub cuda_version: c_int,
    pub(crate) compute_capability: (c_int, c_int),
    /// Whether the device is part of the processor, as in a Jetson.
    pub(crate) is_integrated: bool,
    /// Whether the device accesses all memory of the host by the host's page tables.
    pub(crate) is_coherent: bool,
    /// Whether processes are clients of the multi-process service.
    pub(crate) has_mps: bool,
    pub(crate) has_interprocess_events: bool,
    pub(crate) has_legacy_memory: bool,
    pub(crate) has_virtual_memory: bool,
    pub(crate) has_pools: bool,
    pub(crate) managed: Managed,
    pub(crate) has_dma_bufs: bool,
    pub(crate) has_peers: bool,
    /// Whether multicast objects are supported if the machine has at least two devices.
    pub(crate) has_multicast: bool,
    pub(crate) fabric: Fabric,
    /// Whether the driver ignores some bits of a handle. Handles are opaque, so a real driver may do this.
    pub(crate) has_unused_handle_bits: bool,
    /// Whether a UUID in `CUDA_VISIBLE_DEVICES` begins with `MIG-`, not `GPU-`.
    pub(crate) has_instances: bool,
}

const GIB: u64 = 1 << 30;

/// A machine with H200s.
const H200: Profile = Profile {
    name: "h200",
    devices: 1,
    memory: 16 * GIB,
    cuda_version: 13_000,
    compute_capability: (9, 0),
    is_integrated: false,
    is_coherent: false,
    has_mps: false,
    has_interprocess_events: true,
    has_legacy_memory: true,
    has_virtual_memory: true,
    has_pools: true,
    managed: Managed::Concurrent,
    has_dma_bufs: true,
    has_peers: true,
    has_multicast: true,
    fabric: Fabric::NoChannel,
    has_unused_handle_bits: false,
    has_instances: false,
};

/// A device in a machine without NVLink.
const PCIE: Profile = Profile { has_peers: false, has_multicast: false, fabric: Fabric::Absent, ..H200 };

/// Every profile. The first one is the default.
pub const PROFILES: &[Profile] = &[
    H200,
    Profile {
        name: "t4",
        cuda_version: 12_040,
        compute_capability: (7, 5),
        devices: 2,
        memory: 15_843_721_216,
        ..PCIE
    },
    Profile { name: "l4", cuda_version: 12_000, compute_capability: (8, 9), memory: 23_612_293_120, ..PCIE },
    Profile {
        name: "rtx-4090",
        cuda_version: 13_000,
        compute_capability: (8, 9),
        devices: 2,
        memory: 25_250_627_584,
        has_dma_bufs: false,
        ..PCIE
    },
    Profile {
        name: "a100",
        cuda_version: 12_020,
        compute_capability: (8, 0),
        devices: 2,
        memory: 42_298_834_944,
        has_multicast: false,
        fabric: Fabric::Absent,
        ..H200
    },
    Profile {
        name: "mig",
        cuda_version: 12_080,
        compute_capability: (8, 0),
        memory: 5 * GIB,
        has_instances: true,
        ..PCIE
    },
    Profile {
        name: "orin",
        cuda_version: 12_060,
        compute_capability: (8, 7),
        memory: 65_893_269_504,
        is_integrated: true,
        has_legacy_memory: false,
        managed: Managed::Exclusive,
        has_dma_bufs: false,
        ..PCIE
    },
    Profile {
        name: "wsl2",
        cuda_version: 13_000,
        compute_capability: (8, 6),
        memory: 25_769_279_488,
        managed: Managed::Exclusive,
        has_dma_bufs: false,
        ..PCIE
    },
    Profile {
        name: "vgpu",
        cuda_version: 12_080,
        compute_capability: (8, 6),
        memory: 4 * GIB,
        has_virtual_memory: false,
        has_pools: false,
        managed: Managed::None,
        has_dma_bufs: false,
        ..PCIE
    },
    Profile { name: "gh200", cuda_version: 12_090, memory: 102_005_473_280, is_coherent: true, ..PCIE },
    Profile {
        name: "b200",
        cuda_version: 13_050,
        compute_capability: (10, 0),
        devices: 8,
        memory: 191_502_483_456,
        fabric: Fabric::Channel(0),
        ..H200
    },
    Profile { name: "mps", cuda_version: 13_020, devices: 2, has_mps: true, ..H200 },
    Profile {
        name: "gt-1030",
        cuda_version: 11_080,
        compute_capability: (6, 1),
        memory: 2_098_528_256,
        has_dma_bufs: false,
        ..PCIE
    },
    Profile { name: "no-ipc", has_interprocess_events: false, has_legacy_memory: false, devices: 2, ..H200 },
    Profile { name: "unused-bits", has_unused_handle_bits: true, fabric: Fabric::Channel(0), devices: 2, ..H200 },
];

/// The profile of this process.
pub(crate) fn profile() -> &'static Profile {
    static PROFILE: OnceLock<&Profile> = OnceLock::new();
    PROFILE.get_or_init(|| read("PROFILE", named).unwrap_or(&PROFILES[0]))
}

fn named(name: &str) -> std::result::Result<&'static Profile, String> {
    let names = || PROFILES.iter().map(|profile| profile.name).collect::<Vec<_>>().join(", ");
    PROFILES.iter().find(|profile| profile.name == name).ok_or_else(|| format!("expected one of {}", names()))
}

/// Refuses a function that the machine does not support.
pub(crate) fn check_support(function: &str) -> Result<()> {
    let profile = profile();
    if profile.name == PROFILES[0].name {
        return Ok(());
    }
    let is_supported = match function {
        "cuIpcGetMemHandle" | "cuIpcOpenMemHandle_v2" | "cuIpcCloseMemHandle" => profile.has_legacy_memory,
        "cuIpcGetEventHandle" | "cuIpcOpenEventHandle" => profile.has_interprocess_events,
        "cuMemAllocManaged" => profile.managed != Managed::None,
        "cuMemGetHandleForAddressRange" => profile.has_dma_bufs,
        "cuMemAllocAsync" | "cuMemFreeAsync" | "cuMemAllocFromPoolAsync" => profile.has_pools,
        "cuDeviceGetDefaultMemPool" | "cuDeviceGetMemPool" | "cuDeviceSetMemPool" => profile.has_pools,
        "cuMemGetDefaultMemPool" | "cuMemGetMemPool" | "cuMemSetMemPool" => profile.has_pools,
        "cuMemAddressReserve"
        | "cuMemAddressFree"
        | "cuMemCreate"
        | "cuMemRelease"
        | "cuMemMap"
        | "cuMemUnmap"
        | "cuMemSetAccess"
        | "cuMemGetAccess"
        | "cuMemExportToShareableHandle"
        | "cuMemImportFromShareableHandle"
        | "cuMemGetAllocationGranularity"
        | "cuMemGetAllocationPropertiesFromHandle"
        | "cuMemRetainAllocationHandle" => profile.has_virtual_memory,
        function if function.starts_with("cuMemPool") => profile.has_pools,
        function if function.starts_with("cuMulticast") => profile.has_virtual_memory,
        _ => true,
    };
    if !is_supported {
        // Before cuInit, the call returns NOT_INITIALIZED instead.
        drop(state()?);
        return Err(NOT_SUPPORTED);
    }
    Ok(())
}

//! The machine as a role probes it, once, before the cases are listed.

use serde::{Deserialize, Serialize};

use crate::library::Library;

/// A machine as the driver under test reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The newest CUDA version that the driver supports, as 1000 × major + 10 × minor.
    pub cuda_version: u32,
    /// The library file that answers the calls.
    pub library: String,
    /// The release of NVIDIA's driver, if the library is NVIDIA's.
    pub nvidia_release: Option<String>,
    /// The devices.
    pub devices: Vec<Device>,
    /// `peer_access[i][j]`: whether device `i` can access the memory of device `j`.
    pub peer_access: Vec<Vec<bool>>,
    /// The links between the devices.
    pub links: Vec<Link>,
    /// Why no runtime (`libcudart`) works with the driver; `None` if one does.
    pub runtime_problem: Option<String>,
    /// Why no case can run; `None` if cases can run.
    pub problem: Option<String>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Device {
    /// The product name.
    pub name: String,
    /// The UUID in hexadecimal digits; empty in a record.
    pub uuid: String,
    /// The memory in bytes.
    pub memory: u64,
    /// Whether the device supports interprocess events.
    pub ipc: bool,
    /// Whether the device supports legacy memory handles.
    #[serde(default = "yes")]
    pub legacy_memory: bool,
    /// Whether the device supports managed memory.
    pub managed_memory: bool,
    /// Whether the device supports stream-ordered allocation.
    pub memory_pools: bool,
    /// The handle types that a pool can be exported as, a bit mask.
    pub pool_handle_types: u32,
    /// Whether the device supports virtual memory management.
    pub virtual_memory: bool,
    /// Whether physical memory can be exported as file descriptors.
    pub memory_descriptors: bool,
    /// The state of fabric handles.
    pub fabric: Fabric,
    /// Whether the device supports multicast objects.
    #[serde(default)]
    pub multicast: bool,
    /// Whether processes use the device as clients of the multi-process service (MPS).
    #[serde(default)]
    pub mps: bool,
}

/// The default for older reports, which lack this field: all their devices support legacy memory handles.
const fn yes() -> bool {
    true
}

/// The link from one device to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The device that accesses the other's memory.
    pub from: i32,
    /// The device whose memory is accessed.
    pub to: i32,
    /// Whether access is supported.
    pub access: bool,
    /// The performance rank of the link: the lower, the faster.
    pub performance_rank: i32,
    /// Whether the link supports native atomic operations.
    pub native_atomics: bool,
    /// Whether CUDA arrays can be accessed over the link.
    pub arrays: bool,
}

/// The state of fabric handles: what happens if memory with a fabric handle is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Fabric {
    /// The device does not support fabric handles: the attribute is 0.
    #[default]
    Absent,
    /// Creation is not permitted: the process has no IMEX channel.
    NoChannel,
    /// Creation succeeds.
    Channel,
    /// Creation succeeds, on a different IMEX channel from that of other processes. Only the reference driver can be
    /// put into this state.
    OtherChannel,
    /// Creation fails with another error: the fabric is not set up yet.
    NotReady,
}

impl Fabric {
    /// Returns the reference driver's name of the state.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::NoChannel => "no-channel",
            Self::Channel => "channel",
            // The id of a nonexistent user.
            Self::OtherChannel => "channel:4294967295",
            Self::NotReady => "not-ready",
        }
    }
}

impl Machine {
    /// Whether the driver is the reference driver. It can be put into any fabric state.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        Library::is_reference(&self.library)
    }
}

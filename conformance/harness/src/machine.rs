//! What a machine has: asked once, by a role, before the cases are listed.

use serde::{Deserialize, Serialize};

/// A machine as the driver under test shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The newest CUDA version that the driver serves, as 1000 × major + 10 × minor.
    pub cuda_version: u32,
    /// The library file that the driver was loaded from.
    pub library: String,
    /// The devices.
    pub devices: Vec<Device>,
    /// Whether the device of the row reaches the memory of the device of the column.
    pub peer_access: Vec<Vec<bool>>,
    /// What the links between the devices can do.
    pub links: Vec<Link>,
    /// Why no runtime can be used beside the driver, where that is so.
    pub runtime_problem: Option<String>,
    /// Why nothing can run at all, where that is so.
    pub problem: Option<String>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Device {
    /// The product's name.
    pub name: String,
    /// The UUID, in hexadecimal digits.
    pub uuid: String,
    /// Bytes of memory.
    pub memory: u64,
    /// Interprocess events and legacy memory handles.
    pub ipc: bool,
    /// Managed memory.
    pub managed_memory: bool,
    /// Stream-ordered allocation.
    pub memory_pools: bool,
    /// The handle types a pool can be exported as, a bit mask.
    pub pool_handle_types: u32,
    /// Virtual memory management.
    pub virtual_memory: bool,
    /// Physical memory that is exported as file descriptors.
    pub memory_descriptors: bool,
    /// How it stands with fabric handles.
    pub fabric: Fabric,
}

/// The link from one device to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The device that reaches out.
    pub from: i32,
    /// The device whose memory it reaches.
    pub to: i32,
    /// Whether it does.
    pub access: bool,
    /// Its rank among the links of the device: the lower, the faster.
    pub performance_rank: i32,
    /// Whether atomic operations work across it.
    pub native_atomics: bool,
    /// Whether arrays can be reached across it.
    pub arrays: bool,
}

/// What becomes of memory that asks for a fabric handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Fabric {
    /// The device has none: the attribute reads 0.
    #[default]
    Absent,
    /// The process may use no IMEX channel.
    NoChannel,
    /// It is created.
    Channel,
    /// It is created, for another channel than everybody else's: only the reference driver can be told.
    OtherChannel,
    /// The fabric is still being set up.
    NotReady,
}

impl Fabric {
    /// What the reference driver calls the state.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::NoChannel => "no-channel",
            Self::Channel => "channel",
            // The number of a user that there is not.
            Self::OtherChannel => "channel:4294967295",
            Self::NotReady => "not-ready",
        }
    }
}

impl Machine {
    /// Whether the driver is the reference driver, which can be put into any state.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.library.contains("libreference_driver")
    }
}

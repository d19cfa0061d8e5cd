//! The placement of a role: its device and its environment.

use super::PidNamespace;
use super::visible::visible_devices;
use crate::machine::Fabric;

/// The properties of a role that are set before it starts, except its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The ordinal of the device whose primary context is current.
    pub device: i32,
    /// The visible devices, as ordinals of those that the runner sees, separated by commas.
    pub visible_devices: Option<String>,
    /// The state of fabric handles. A real machine must already be in this state.
    pub fabric: Option<Fabric>,
    /// Whether GPUs 0 and 1 have no peer access. A real machine must already be without it.
    pub no_peer_access: bool,
    /// Whether the devices do not support multicast. Only the reference driver can be configured so.
    pub no_multicast: bool,
    /// Whether the role does not call `cuInit`. Then no context is current, and the role serves one case only.
    pub uninitialised: bool,
    /// Another PID namespace to start the role in.
    pub pid_namespace: Option<PidNamespace>,
    /// Whether the process is new and serves one case only.
    pub is_fresh: bool,
    /// The number of another user that the role becomes. The runner must be root.
    pub user: Option<u32>,
}

impl Placement {
    /// Places a role on a device.
    #[must_use]
    pub const fn device(device: i32) -> Self {
        Self {
            device,
            visible_devices: None,
            fabric: None,
            no_peer_access: false,
            no_multicast: false,
            uninitialised: false,
            pid_namespace: None,
            is_fresh: false,
            user: None,
        }
    }

    /// Makes only these devices visible, in this order: `1,0`. The ordinals are those of the devices that the runner sees.
    #[must_use]
    pub fn visible_devices(mut self, list: impl Into<String>) -> Self {
        self.visible_devices = Some(list.into());
        self
    }

    /// Removes peer access between GPUs 0 and 1. A real machine must already be without it.
    #[must_use]
    pub const fn without_peer_access(mut self) -> Self {
        self.no_peer_access = true;
        self
    }

    /// Removes the devices' support for multicast. Only the reference driver can be configured so.
    #[must_use]
    pub const fn without_multicast(mut self) -> Self {
        self.no_multicast = true;
        self
    }

    /// Loads the driver but does not call `cuInit`.
    #[must_use]
    pub const fn uninitialised(mut self) -> Self {
        self.uninitialised = true;
        self
    }

    /// Uses a new process that serves one case only.
    #[must_use]
    pub const fn fresh(mut self) -> Self {
        self.is_fresh = true;
        self
    }

    /// Starts the role in another PID namespace.
    #[must_use]
    pub fn in_pid_namespace(mut self, namespace: &PidNamespace) -> Self {
        self.pid_namespace = Some(namespace.clone());
        self
    }

    /// Makes the role become another user, by number. The runner must be root.
    #[must_use]
    pub const fn as_user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    /// Puts fabric handles into a state. A real machine must already be in this state.
    #[must_use]
    pub const fn fabric(mut self, state: Fabric) -> Self {
        self.fabric = Some(state);
        self
    }

    /// Returns the environment variables that place a role.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let set = |name: &str, value: String| (name.to_owned(), value);
        let fabric = self.fabric.map(|state| set("REFERENCE_DRIVER_FABRIC", state.word().to_owned()));
        let topology = self.no_peer_access.then(|| set("REFERENCE_DRIVER_TOPOLOGY", "all:none".to_owned()));
        // The only device of a machine does not support multicast.
        let devices = self.no_multicast.then(|| set("REFERENCE_DRIVER_DEVICES", "1".to_owned()));
        let visible = self.visible_devices.as_ref().map(|ordinals| {
            let own = std::env::var("CUDA_VISIBLE_DEVICES").ok();
            set("CUDA_VISIBLE_DEVICES", visible_devices(own.as_deref(), ordinals))
        });
        [fabric, topology, devices, visible].into_iter().flatten().collect()
    }
}

//! What a role is given before it starts.

use super::PidNamespace;
use crate::machine::Fabric;

/// What a role is given before it starts, beside its driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The device whose primary context is current, by ordinal.
    pub device: i32,
    /// `CUDA_VISIBLE_DEVICES`.
    pub visible_devices: Option<String>,
    /// The state of the fabric; on a real machine the one that it has.
    pub fabric: Option<Fabric>,
    /// Whether GPUs 0 and 1 are no peers; on a real machine they have to be none already.
    pub no_peer_access: bool,
    /// Whether the devices have no multicast, which only the reference driver can be told.
    pub no_multicast: bool,
    /// Whether nobody calls `cuInit`: no context is current, and the role serves one case only.
    pub uninitialised: bool,
    /// Another PID namespace.
    pub pid_namespace: Option<PidNamespace>,
    /// In a process that has served no case and serves no other.
    pub is_fresh: bool,
    /// Another user, by number, whom only root can become.
    pub user: Option<u32>,
}

impl Placement {
    /// On a device.
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

    /// With only these devices visible, by ordinal or UUID, as `CUDA_VISIBLE_DEVICES` takes them.
    #[must_use]
    pub fn visible_devices(mut self, list: impl Into<String>) -> Self {
        self.visible_devices = Some(list.into());
        self
    }

    /// With GPUs 0 and 1 that are no peers; on a real machine they have to be none already.
    #[must_use]
    pub const fn without_peer_access(mut self) -> Self {
        self.no_peer_access = true;
        self
    }

    /// With devices that have no multicast, which only the reference driver can be told.
    #[must_use]
    pub const fn without_multicast(mut self) -> Self {
        self.no_multicast = true;
        self
    }

    /// With the driver loaded, and `cuInit` not called.
    #[must_use]
    pub const fn uninitialised(mut self) -> Self {
        self.uninitialised = true;
        self
    }

    /// In a process that has served no case and serves no other.
    #[must_use]
    pub const fn fresh(mut self) -> Self {
        self.is_fresh = true;
        self
    }

    /// In another PID namespace.
    #[must_use]
    pub fn in_pid_namespace(mut self, namespace: &PidNamespace) -> Self {
        self.pid_namespace = Some(namespace.clone());
        self
    }

    /// As another user, by number, whom only root can become.
    #[must_use]
    pub const fn as_user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    /// With the fabric in a state; a real machine has to be in it already.
    #[must_use]
    pub const fn fabric(mut self, state: Fabric) -> Self {
        self.fabric = Some(state);
        self
    }
}

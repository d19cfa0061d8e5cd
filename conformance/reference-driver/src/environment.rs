//! The environment variables, read once.

use std::sync::OnceLock;

use crate::profile::profile;

pub(crate) struct Environment {
    /// The name of the simulated machine.
    pub(crate) machine: String,
    /// The number of devices in the machine.
    pub(crate) devices: usize,
    /// The bytes of each device.
    pub(crate) memory: u64,
    /// `CUDA_VISIBLE_DEVICES`.
    pub(crate) visible: Option<String>,
}

impl Environment {
    /// A number for the machine's name, the same in every process (FNV-1a).
    pub(crate) fn machine_number(&self) -> u64 {
        crate::handle::fnv1a(self.machine.bytes())
    }
}

pub(crate) fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| Environment {
        machine: std::env::var("REFERENCE_DRIVER_MACHINE").unwrap_or_else(|_| "0".to_owned()),
        devices: number("REFERENCE_DRIVER_DEVICES", profile().devices),
        memory: number("REFERENCE_DRIVER_MEMORY", profile().memory),
        visible: std::env::var_os("CUDA_VISIBLE_DEVICES").map(|list| list.to_string_lossy().into_owned()),
    })
}

fn number<T: std::str::FromStr>(variable: &str, default: T) -> T {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

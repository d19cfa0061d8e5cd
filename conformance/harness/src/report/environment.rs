//! The machine around the driver: what decides, beside driver and devices, what a run sees.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};

/// What a process of the suite finds around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Environment {
    /// Which kernel module serves the GPUs: `open`, `proprietary`, or none.
    pub kernel_module: Option<String>,
    /// The IMEX channels that this process sees, by number.
    pub imex_channels: Vec<String>,
    /// Where the MPS daemon listens, if one was asked for or is there; in a record the folder's name alone.
    pub mps: Option<String>,
    /// The devices that are split into instances (MIG), by their place on the bus.
    pub mig: Vec<String>,
    /// Whose machine it is, which a record leaves out.
    #[serde(flatten)]
    pub host: Option<Host>,
}

/// What is around the driver and its GPUs, and no part of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Host {
    /// The system, its release and the processor: `Linux 6.1.0 x86_64`.
    pub system: String,
    /// What kind of container this runs in, if any.
    pub container: Option<String>,
    /// The inode of the PID namespace.
    pub pid_namespace: Option<String>,
    /// Whom `pidfd_getfd` and `ptrace` may reach: Yama's `ptrace_scope`, if there is one.
    pub ptrace_scope: Option<u32>,
    /// The user.
    pub user: u32,
    /// Limits of a process.
    pub limits: Limits,
    /// Variables that drivers and this suite look at.
    pub variables: BTreeMap<String, String>,
}

/// Soft limits of a process; none where there is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// Open files.
    pub open_files: Option<u64>,
    /// Bytes of locked memory.
    pub locked_memory: Option<u64>,
    /// Bytes of addresses.
    pub addresses: Option<u64>,
}

impl Environment {
    /// What this process finds.
    #[must_use]
    pub fn find() -> Self {
        Self::below(Path::new("/"))
    }

    /// The same of a system whose files lie below a folder.
    fn below(root: &Path) -> Self {
        let text = |path: &str| fs::read_to_string(root.join(path)).ok();
        let names = |path: &str| -> Vec<String> {
            let entries = fs::read_dir(root.join(path)).into_iter().flatten().flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        Self {
            kernel_module: text("proc/driver/nvidia/version").map(|version| kernel_module(&version).to_owned()),
            imex_channels: names("dev/nvidia-caps-imex-channels")
                .into_iter()
                .filter_map(|name| name.strip_prefix("channel").map(str::to_owned))
                .collect(),
            mps: mps(root),
            mig: names("proc/driver/nvidia/capabilities")
                .into_iter()
                .filter(|gpu| gpu.starts_with("gpu"))
                .filter(|gpu| {
                    names(&format!("proc/driver/nvidia/capabilities/{gpu}/mig"))
                        .iter()
                        .any(|name| name.starts_with("gi"))
                })
                .collect(),
            host: Some(Host::below(root)),
        }
    }
}

impl Host {
    fn below(root: &Path) -> Self {
        let name = rustix::system::uname();
        let words = [name.sysname(), name.release(), name.machine()].map(|word| word.to_string_lossy().into_owned());
        let ptrace_scope = fs::read_to_string(root.join("proc/sys/kernel/yama/ptrace_scope")).ok();
        let limit = |resource| getrlimit(resource).current;
        Self {
            system: words.join(" "),
            container: container(root),
            pid_namespace: fs::read_link("/proc/self/ns/pid").ok().map(|link| link.to_string_lossy().into_owned()),
            ptrace_scope: ptrace_scope.and_then(|text| text.trim().parse().ok()),
            user: rustix::process::geteuid().as_raw(),
            limits: Limits {
                open_files: limit(Resource::Nofile),
                locked_memory: limit(Resource::Memlock),
                addresses: limit(Resource::As),
            },
            variables: std::env::vars().filter(|(name, _)| decides(name)).collect(),
        }
    }
}

fn kernel_module(version: &str) -> &'static str {
    if version.contains("Open Kernel Module") { "open" } else { "proprietary" }
}

/// The folder of the pipes of the daemon that controls the multi-process service, where there is one.
pub(crate) fn mps(root: &Path) -> Option<String> {
    const DEFAULT: &str = "/tmp/nvidia-mps";
    let folder = std::env::var("CUDA_MPS_PIPE_DIRECTORY").unwrap_or_else(|_| DEFAULT.to_owned());
    root.join(folder.trim_start_matches('/')).join("control").exists().then_some(folder)
}

fn container(root: &Path) -> Option<String> {
    let exists = |path: &str| root.join(path).exists();
    if exists(".dockerenv") {
        Some("docker".to_owned())
    } else if exists("run/.containerenv") {
        Some("podman".to_owned())
    } else if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
        Some("kubernetes".to_owned())
    } else {
        std::env::var("container").ok()
    }
}

fn decides(name: &str) -> bool {
    ["CUDA_", "NVIDIA_", "REFERENCE_DRIVER_", "CONFORMANCE_"].iter().any(|prefix| name.starts_with(prefix))
}

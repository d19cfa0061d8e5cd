//! The environment of a run: the properties of the machine, other than driver and devices, that can change its results.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};

/// The environment of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Environment {
    /// The kind of NVIDIA's kernel module, `open` or `proprietary`; null if it is not loaded.
    pub kernel_module: Option<String>,
    /// The numbers of the IMEX channels that the process can see.
    pub imex_channels: Vec<String>,
    /// The pipe folder of the MPS daemon, if one is running: `…` in place of another one than `/tmp/nvidia-mps`, unless the run
    /// was started with `--identify`. A record has only the last component.
    pub mps: Option<String>,
    /// The GPUs that are partitioned into instances (MIG), as named in /proc/driver/nvidia/capabilities.
    pub mig: Vec<String>,
    /// The host, which a record omits.
    #[serde(flatten)]
    pub host: Option<Host>,
}

/// The host: the properties of the environment that do not belong to the driver or its GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Host {
    /// The operating system, its release and the processor architecture, such as `Linux 6.1.0 x86_64`.
    pub system: String,
    /// The kind of container that the suite runs in, if any.
    pub container: Option<String>,
    /// The PID namespace, such as `pid:[4026531836]`.
    pub pid_namespace: Option<String>,
    /// Yama's `ptrace_scope`, which restricts `pidfd_getfd` and `ptrace`; null without Yama.
    pub ptrace_scope: Option<u32>,
    /// The effective user id.
    pub user: u32,
    /// The resource limits of the process.
    pub limits: Limits,
    /// The environment variables that the driver or the suite reads.
    pub variables: BTreeMap<String, String>,
}

/// The soft limits of a process; null means unlimited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// The number of open files.
    pub open_files: Option<u64>,
    /// The locked memory in bytes.
    pub locked_memory: Option<u64>,
    /// The address space in bytes.
    pub addresses: Option<u64>,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn find() -> Self {
        Self::below(Path::new("/"))
    }

    /// Reads the environment of a system whose files lie below a folder.
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
            variables: std::env::vars_os()
                // A variable need not be text.
                .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
                .filter(|(name, _)| decides(name))
                .collect(),
        }
    }
}

fn kernel_module(version: &str) -> &'static str {
    if version.contains("Open Kernel Module") { "open" } else { "proprietary" }
}

/// The pipe folder of the MPS daemon if `CUDA_MPS_PIPE_DIRECTORY` names none.
pub(crate) const MPS_FOLDER: &str = "/tmp/nvidia-mps";

/// Returns the pipe folder of the MPS daemon, if one is running.
pub(crate) fn mps(root: &Path) -> Option<String> {
    let folder = std::env::var("CUDA_MPS_PIPE_DIRECTORY").unwrap_or_else(|_| MPS_FOLDER.to_owned());
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

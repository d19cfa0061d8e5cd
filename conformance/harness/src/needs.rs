//! The needs of a case, and why a machine does not meet them.

use std::path::Path;

use cuda_ipc_sys::CudaVersion;

use crate::machine::{Fabric, Machine};
use crate::report::mps;

/// The file in which NVIDIA's kernel module lists its load parameters.
pub const KERNEL_PARAMETERS: &str = "/proc/driver/nvidia/params";

/// The needs of a case. A role can be placed on any of the GPUs that the case needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    gpus: usize,
    interprocess_events: bool,
    legacy_memory: bool,
    peer_access: bool,
    no_peer_access: bool,
    managed_memory: bool,
    memory_pools: bool,
    pool_descriptors: bool,
    virtual_memory: bool,
    memory_descriptors: bool,
    fabric: Option<Fabric>,
    simulated: bool,
    real: bool,
    cuda: u32,
    cuda_before: u32,
    runtime: bool,
    root: bool,
    kernel_module: bool,
    multicast: bool,
    mps: bool,
    no_mps: bool,
    wsl: bool,
}

impl Needs {
    /// Needs one GPU and nothing else.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            gpus: 1,
            interprocess_events: false,
            legacy_memory: false,
            peer_access: false,
            no_peer_access: false,
            managed_memory: false,
            memory_pools: false,
            pool_descriptors: false,
            virtual_memory: false,
            memory_descriptors: false,
            fabric: None,
            simulated: false,
            real: false,
            cuda: 0,
            cuda_before: u32::MAX,
            runtime: false,
            root: false,
            kernel_module: false,
            multicast: false,
            mps: false,
            no_mps: false,
            wsl: false,
        }
    }

    /// Needs at least this number of GPUs.
    #[must_use]
    pub const fn gpus(mut self, count: usize) -> Self {
        self.gpus = count;
        self
    }

    /// Returns how many GPUs the case needs.
    pub(crate) const fn gpu_count(&self) -> usize {
        self.gpus
    }

    /// Returns the first CUDA version that the driver must support, and the one that it must not support yet.
    pub(crate) fn cuda_versions(&self) -> (Option<u32>, Option<u32>) {
        (Some(self.cuda).filter(|version| *version > 0), Some(self.cuda_before).filter(|version| *version < u32::MAX))
    }

    /// Removes the needs that a row of `IPCMEM` or `IPCEVT` implies, because the case also runs on devices without IPC.
    #[must_use]
    pub const fn any_device(self) -> Self {
        self
    }

    /// Needs interprocess events. A case of a row of `IPCEVT` has this need automatically.
    #[must_use]
    pub const fn interprocess_events(mut self) -> Self {
        self.interprocess_events = true;
        self
    }

    /// Needs legacy memory handles. A case of a row of `IPCMEM` has this need automatically.
    #[must_use]
    pub const fn legacy_memory(mut self) -> Self {
        self.legacy_memory = true;
        self
    }

    /// Needs multicast objects.
    #[must_use]
    pub const fn multicast(mut self) -> Self {
        self.multicast = true;
        self
    }

    /// Needs every two of the case's GPUs to be able to access each other's memory: GPUs 0 and 1, or more if the case
    /// needs more.
    #[must_use]
    pub const fn peer_access(mut self) -> Self {
        self.peer_access = true;
        self
    }

    /// Needs GPUs 0 and 1 to be unable to access each other's memory. The case places its roles with
    /// [`Placement::without_peer_access`](crate::Placement::without_peer_access).
    #[must_use]
    pub const fn no_peer_access(mut self) -> Self {
        self.no_peer_access = true;
        self
    }

    /// Needs managed memory.
    #[must_use]
    pub const fn managed_memory(mut self) -> Self {
        self.managed_memory = true;
        self
    }

    /// Needs stream-ordered allocation.
    #[must_use]
    pub const fn memory_pools(mut self) -> Self {
        self.memory_pools = true;
        self
    }

    /// Needs pools that can be exported as file descriptors.
    #[must_use]
    pub const fn pool_descriptors(mut self) -> Self {
        self.pool_descriptors = true;
        self
    }

    /// Needs virtual memory management.
    #[must_use]
    pub const fn virtual_memory(mut self) -> Self {
        self.virtual_memory = true;
        self
    }

    /// Needs physical memory that can be exported as file descriptors.
    #[must_use]
    pub const fn memory_descriptors(mut self) -> Self {
        self.memory_descriptors = true;
        self
    }

    /// Needs fabric handles in this state. The reference driver can be put into any state.
    #[must_use]
    pub const fn fabric(mut self, state: Fabric) -> Self {
        self.fabric = Some(state);
        // Older drivers have no fabric handles.
        if !matches!(state, Fabric::Absent) {
            self.cuda = 12_030;
        }
        self
    }

    /// Needs a real driver, because the reference driver does not simulate this.
    #[must_use]
    pub const fn real(mut self) -> Self {
        self.real = true;
        self
    }

    /// Needs the reference driver: only it can do this without an administrator, or the case must not run on a real
    /// machine.
    #[must_use]
    pub const fn simulated(mut self) -> Self {
        self.simulated = true;
        self
    }

    /// Needs a driver that supports this CUDA version, given as 1000 × major + 10 × minor.
    #[must_use]
    pub const fn cuda(mut self, version: u32) -> Self {
        self.cuda = version;
        self
    }

    /// Needs a driver that supports only older CUDA versions: a different rule applies from this version on.
    #[must_use]
    pub const fn cuda_before(mut self, version: u32) -> Self {
        self.cuda_before = version;
        self
    }

    /// Needs a runtime (`libcudart`) that works with the driver under test.
    #[must_use]
    pub const fn runtime(mut self) -> Self {
        self.runtime = true;
        self
    }

    /// Needs root, as namespaces and other users do.
    #[must_use]
    pub const fn root(mut self) -> Self {
        self.root = true;
        self
    }

    /// Needs a real driver whose kernel module lists its load parameters in [`KERNEL_PARAMETERS`].
    #[must_use]
    pub const fn kernel_module(mut self) -> Self {
        self.kernel_module = true;
        self
    }

    /// Needs a real driver whose processes are clients of the multi-process service (MPS).
    #[must_use]
    pub const fn mps(mut self) -> Self {
        self.mps = true;
        self
    }

    /// Needs processes that are not clients of the multi-process service (MPS), because under MPS a fault of one client
    /// ends the others.
    #[must_use]
    pub const fn no_mps(mut self) -> Self {
        self.no_mps = true;
        self
    }

    /// Needs a real driver in the Windows Subsystem for Linux.
    #[must_use]
    pub const fn wsl(mut self) -> Self {
        self.wsl = true;
        self
    }

    /// Returns the first need that the machine does not meet, in words.
    #[must_use]
    pub fn unmet(&self, machine: &Machine) -> Option<String> {
        if let Some(problem) = &machine.problem {
            return Some(problem.clone());
        }
        let found = machine.devices.len();
        if found < self.gpus {
            return Some(format!("needs {} GPUs, found {found}", self.gpus));
        }
        if let Some(problem) = machine.runtime_problem.as_ref().filter(|_| self.runtime) {
            return Some(format!("needs a runtime: {problem}"));
        }
        let (needed, before) = (CudaVersion(self.cuda), CudaVersion(self.cuda_before));
        let version = CudaVersion(machine.cuda_version);
        if version < needed {
            return Some(format!("needs CUDA {needed}, the driver supports {version}"));
        }
        if version >= before {
            return Some(format!("needs a driver before CUDA {before}, the driver supports {version}"));
        }
        let of_the_case = 0..self.gpus.max(2);
        let peers = found >= 2
            && of_the_case
                .clone()
                .all(|one| of_the_case.clone().all(|other| one == other || machine.peer_access[one][other]));
        let first = &machine.devices[0];
        let is_real_and_has = |path: &str| !machine.is_simulated() && Path::new(path).exists();
        let has_mps = || !machine.is_simulated() && mps(Path::new("/")).is_some();
        let is_root = || rustix::process::geteuid().is_root();
        let has = |state| machine.is_simulated() || first.fabric == state;
        [
            (self.interprocess_events && !first.ipc, "needs interprocess events"),
            (self.legacy_memory && !first.legacy_memory, "needs legacy memory handles"),
            (self.multicast && !first.multicast, "needs multicast objects"),
            (self.no_mps && (first.mps || has_mps()), "needs processes that are not clients of MPS"),
            (self.peer_access && !peers, "needs peer access between the GPUs that it uses"),
            (self.no_peer_access && peers && !machine.is_simulated(), "needs GPUs 0 and 1 without peer access"),
            (self.managed_memory && !first.managed_memory, "needs managed memory"),
            (self.memory_pools && !first.memory_pools, "needs memory pools"),
            (self.pool_descriptors && first.pool_handle_types & 1 == 0, "needs pools that export file descriptors"),
            (self.virtual_memory && !first.virtual_memory, "needs virtual memory management"),
            (self.memory_descriptors && !first.memory_descriptors, "needs memory that exports file descriptors"),
            (self.fabric.is_some_and(|state| !has(state)), "needs fabric handles in another state"),
            (self.simulated && !machine.is_simulated(), "needs the reference driver"),
            (self.real && machine.is_simulated(), "needs a real driver"),
            (self.root && !is_root(), "needs to run as root"),
            (self.kernel_module && !is_real_and_has(KERNEL_PARAMETERS), "needs NVIDIA's kernel module"),
            (self.mps && !has_mps(), "needs the multi-process service (MPS)"),
            (self.wsl && !is_real_and_has("/dev/dxg"), "needs the Windows Subsystem for Linux"),
        ]
        .into_iter()
        .find_map(|(unmet, reason)| unmet.then(|| reason.to_owned()))
    }
}

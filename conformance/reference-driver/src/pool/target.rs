//! The kind and the location of a pool's memory.

use cuda_ipc_sys::{CUmemAllocationType, CUmemLocation, CUmemLocationType};

use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, Result};
use crate::block::HOST;
use crate::process::State;
use crate::version::cuda_version;

type L = CUmemLocationType;

/// A kind of memory and its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    /// Whether this is managed memory, which migrates. Its location is then the preferred one.
    pub(crate) is_managed: bool,
    pub(crate) location: CUmemLocationType,
    /// For a device, its index in the machine.
    index: usize,
}

impl Target {
    /// The pinned memory of a place: a device's, or the host's.
    pub(super) fn of_place(place: usize) -> Self {
        let location = if place == HOST { L::CU_MEM_LOCATION_TYPE_HOST_NUMA } else { L::CU_MEM_LOCATION_TYPE_DEVICE };
        Self { is_managed: false, location, index: if place == HOST { 0 } else { place } }
    }

    /// The device or the host that the memory comes from. Managed memory is the host's until it moves, and in this
    /// driver it never does.
    pub(super) fn place(&self) -> usize {
        let is_device = !self.is_managed && self.location == L::CU_MEM_LOCATION_TYPE_DEVICE;
        if is_device { self.index } else { HOST }
    }

    /// Whether this is page-locked memory of the host.
    pub(crate) fn is_host(&self) -> bool {
        !self.is_managed && self.place() == HOST
    }

    /// The location's identifier as this process sees it.
    pub(super) fn id(&self, state: &State) -> i32 {
        if self.location == L::CU_MEM_LOCATION_TYPE_DEVICE { state.ordinal(self.index) } else { self.index as i32 }
    }
}

/// Whether a location is in the host's memory.
pub(super) fn is_host(location: CUmemLocationType) -> bool {
    [L::CU_MEM_LOCATION_TYPE_HOST, L::CU_MEM_LOCATION_TYPE_HOST_NUMA].contains(&location)
}

impl State {
    /// The target that a location and an allocation type name.
    pub(super) fn target(&mut self, location: &CUmemLocation, kind: CUmemAllocationType) -> Result<Target> {
        let is_managed = match kind {
            CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED => false,
            // Managed pools came with CUDA 13.
            CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED if cuda_version() >= 13_000 => true,
            _ => return Err(INVALID_VALUE),
        };
        let index = match location.type_ {
            L::CU_MEM_LOCATION_TYPE_DEVICE => self.device(location.id())?.index,
            // The identifier has no meaning here.
            L::CU_MEM_LOCATION_TYPE_HOST
                if !fault!(
                    "pool-create-of-the-host-refused",
                    ["DEVATTR-007"],
                    "A pool of host memory is refused although the attribute for it reads 1."
                ) =>
            {
                0
            }
            // The machine has one NUMA node.
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA
                if location.id() == 0
                    && !fault!(
                        "pool-create-of-a-numa-node-refused",
                        ["DEVATTR-007"],
                        "A pool of a NUMA node is refused although the attribute for it reads 1."
                    ) =>
            {
                0
            }
            // Managed memory may have no preferred location.
            L::CU_MEM_LOCATION_TYPE_NONE if is_managed => 0,
            // POOL-CREATE-007
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
                if fault!(
                    "pool-create-takes-the-current-numa-node",
                    ["POOL-CREATE-007"],
                    "A pool of the current NUMA node can be created."
                ) =>
            {
                0
            }
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => return Err(NOT_SUPPORTED),
            _ => return Err(INVALID_VALUE),
        };
        Ok(Target { is_managed, location: location.type_, index })
    }
}

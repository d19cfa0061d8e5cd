//! Access to `CUmemLocation` without its union. CUDA 13.2 made the identifier a union, but its bytes mean the same.

use std::ffi::c_int;

use crate::{CUdevice, CUmemLocation, CUmemLocationType};

/// The device number of the host (a cast in the header, which bindgen does not evaluate).
pub const CU_DEVICE_CPU: CUdevice = -1;

/// The device number of a device that is not visible to this process.
pub const CU_DEVICE_INVALID: CUdevice = -2;

impl CUmemLocation {
    /// Creates a location from its type and identifier.
    #[must_use]
    pub fn new(type_: CUmemLocationType, id: c_int) -> Self {
        let mut location = Self { type_, ..Self::default() };
        location.__bindgen_anon_1.id = id;
        location
    }

    /// Returns the location of a device's memory.
    #[must_use]
    pub fn device(device: CUdevice) -> Self {
        Self::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, device)
    }

    /// Returns the location of host memory on any NUMA node (CUDA 12.2).
    #[must_use]
    pub fn host() -> Self {
        Self::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0)
    }

    /// Returns the location of host memory on a given NUMA node (CUDA 12.2).
    #[must_use]
    pub fn host_numa(node: c_int) -> Self {
        Self::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, node)
    }

    /// Returns the identifier: a device ordinal or a NUMA node, depending on the type.
    #[must_use]
    pub fn id(&self) -> c_int {
        // SAFETY: both members of the union consist of plain integers, and `new` initialises all bytes.
        unsafe { self.__bindgen_anon_1.id }
    }
}

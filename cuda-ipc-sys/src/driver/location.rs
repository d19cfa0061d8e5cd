//! `CUmemLocation` without its union: CUDA 13.2 made the identifier one, and what the bytes mean did not change.

use std::ffi::c_int;

use crate::{CUdevice, CUmemLocation, CUmemLocationType};

/// The device number of the host (a cast in the header, which bindgen does not evaluate).
pub const CU_DEVICE_CPU: CUdevice = -1;

/// The device number of a device that this process does not see.
pub const CU_DEVICE_INVALID: CUdevice = -2;

impl CUmemLocation {
    /// A location from its type and identifier.
    #[must_use]
    pub fn new(type_: CUmemLocationType, id: c_int) -> Self {
        let mut location = Self { type_, ..Self::default() };
        location.__bindgen_anon_1.id = id;
        location
    }

    /// The memory of a device.
    #[must_use]
    pub fn device(device: CUdevice) -> Self {
        Self::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, device)
    }

    /// Host memory, wherever it lies (CUDA 12.2).
    #[must_use]
    pub fn host() -> Self {
        Self::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0)
    }

    /// The host memory of a NUMA node (CUDA 12.2).
    #[must_use]
    pub fn host_numa(node: c_int) -> Self {
        Self::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, node)
    }

    /// The identifier: a device ordinal or a NUMA node, as the type says.
    #[must_use]
    pub fn id(&self) -> c_int {
        // SAFETY: both readings of the union are plain integers, and `new` initialises all of it.
        unsafe { self.__bindgen_anon_1.id }
    }
}

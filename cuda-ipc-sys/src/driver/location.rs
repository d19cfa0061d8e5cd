//! Access to `CUmemLocation` without its union. CUDA 13.2 made the identifier a union, but its bytes mean the same.

use std::ffi::c_int;
use std::fmt;

use crate::runtime::cudaMemLocation;
use crate::{CUdevice, CUmemLocation, CUmemLocationType};

impl CUmemLocation {
    /// Creates a location from its type and identifier.
    #[must_use]
    pub fn new(type_: CUmemLocationType, id: c_int) -> Self {
        let mut location = Self { type_, ..Self::default() };
        location.anonymous.id = id;
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

    /// Returns the identifier: a device ordinal or a NUMA node, depending on the type. A location whose union was made
    /// with the two bytes of `localized` has none, and must not be asked or printed.
    #[must_use]
    pub fn id(&self) -> c_int {
        // SAFETY: both members of the union consist of plain integers. `new`, C and `default` initialise all bytes. A union
        // made with `localized` alone has two bytes that are not: nothing but the sentence above prevents that.
        unsafe { self.anonymous.id }
    }
}

impl fmt::Debug for CUmemLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CUmemLocation").field("type_", &self.type_).field("id", &self.id()).finish()
    }
}

impl fmt::Debug for cudaMemLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: both members of the union consist of plain integers.
        let id = unsafe { self.anonymous.id };
        f.debug_struct("cudaMemLocation").field("type_", &self.type_).field("id", &id).finish()
    }
}

//! Access to locations of memory without their unions. A release after CUDA 13.0 made the identifier a union, but its
//! bytes mean the same.

use std::ffi::c_int;
use std::fmt;

use crate::runtime::{
    cudaMemLocation, cudaMemLocation_anonymous, cudaMemLocation_anonymous_localized, cudaMemLocationType,
};
use crate::{CUdevice, CUmemLocation, CUmemLocation_anonymous, CUmemLocation_anonymous_localized, CUmemLocationType};

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

    /// Returns the location of a locality domain of a device's memory (CUDA 13.5).
    #[must_use]
    pub fn locality_domain(device: u8, domain: u8) -> Self {
        let localized = CUmemLocation_anonymous_localized { deviceId: device, localityDomainId: domain };
        Self {
            type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN,
            anonymous: CUmemLocation_anonymous::from_localized(localized),
        }
    }

    /// Returns the identifier: a device ordinal or a NUMA node, depending on the type. For a locality domain, it is the
    /// number that has the same bytes.
    #[must_use]
    pub const fn id(&self) -> c_int {
        self.anonymous.id()
    }
}

macro_rules! identifier {
    ($location:ident, $type:ident::$locality_domain:ident, $union:ident, $localized:ident, $path:literal) => {
        // `id` covers the whole union. What C writes is also initialised: it fills the structure that it is given.
        const _: () = assert!(size_of::<$union>() == size_of::<c_int>());

        /// The identifier has four bytes, which are always initialised. The member `localized` has only two of them, so it
        /// is not public: a union that is made with it alone would lack the others.
        ///
        /// ```compile_fail,E0451
        #[doc = concat!("let lacks_two_bytes = ", $path, " { localized: Default::default() };")]
        /// ```
        ///
        /// ```
        #[doc = concat!("let complete = ", $path, "::from_localized(Default::default());")]
        /// assert_eq!(complete.id(), 0);
        /// ```
        impl $union {
            /// Creates the identifier of a locality domain. The bytes that belong to no domain are zero.
            #[must_use]
            pub fn from_localized(localized: $localized) -> Self {
                let mut identifier = Self::default();
                identifier.localized = localized;
                identifier
            }

            /// Returns the identifier as a device ordinal or a NUMA node.
            #[must_use]
            pub const fn id(&self) -> c_int {
                // SAFETY: any bytes are an integer, and no safe code makes a union that lacks one: see above.
                unsafe { self.id }
            }

            /// Returns the identifier as that of a locality domain.
            #[must_use]
            pub const fn localized(&self) -> $localized {
                // SAFETY: as above, for two integers.
                unsafe { self.localized }
            }
        }

        /// Prints the member of the union that the type selects.
        impl fmt::Debug for $location {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($location));
                text.field("type_", &self.type_);
                match self.type_ {
                    $type::$locality_domain => text.field("localized", &self.anonymous.localized()),
                    _ => text.field("id", &self.anonymous.id()),
                };
                text.finish()
            }
        }
    };
}

identifier!(
    CUmemLocation,
    CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN,
    CUmemLocation_anonymous,
    CUmemLocation_anonymous_localized,
    "cuda_ipc_sys::CUmemLocation_anonymous"
);
identifier!(
    cudaMemLocation,
    cudaMemLocationType::cudaMemLocationTypeDeviceLocalityDomain,
    cudaMemLocation_anonymous,
    cudaMemLocation_anonymous_localized,
    "cuda_ipc_sys::runtime::cudaMemLocation_anonymous"
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Miri fails this test if a byte that is read was never written.
    #[test]
    fn every_byte_of_an_identifier_is_initialised() {
        let domain = CUmemLocation::locality_domain(3, 7);
        assert_eq!(domain.id().to_ne_bytes(), [3, 7, 0, 0]);
        let text = "localized: CUmemLocation_anonymous_localized { deviceId: 3, localityDomainId: 7 }";
        assert!(format!("{domain:?}").ends_with(&format!("{text} }}")), "{domain:?}");

        let localized = cudaMemLocation_anonymous_localized { deviceId: 3, localityDomainId: 7 };
        let mut domain = cudaMemLocation {
            type_: cudaMemLocationType::cudaMemLocationTypeDeviceLocalityDomain,
            anonymous: cudaMemLocation_anonymous::from_localized(localized),
        };
        assert!(format!("{domain:?}").contains("localityDomainId: 7"), "{domain:?}");
        // Another type selects all four bytes.
        domain.type_ = cudaMemLocationType::cudaMemLocationTypeDevice;
        domain.anonymous = cudaMemLocation_anonymous { id: 5 };
        assert_eq!(format!("{domain:?}"), "cudaMemLocation { type_: cudaMemLocationTypeDevice, id: 5 }");
        assert_eq!(domain.anonymous.localized().deviceId, i32::to_ne_bytes(5)[0]);
        assert_eq!((CUmemLocation::default().id(), cudaMemLocation::default().anonymous.id()), (0, 0));
    }
}

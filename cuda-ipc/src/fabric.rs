//! The NVLink fabric: whether it works here, and if not, why.

use std::fmt;

use crate::sys::{CUdevice_attribute, CUresult};
use crate::vmm::{Allocation, HandleTypes, granularity};
use crate::{Device, Error};

/// Whether a device can share memory over the fabric.
///
/// The device's attribute alone is not enough: without an IMEX channel it is set, but no memory can be created.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FabricSupport {
    /// Memory was created, exported and released. Only the peers can tell whether they can import it.
    Works,
    /// `CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED` is 0, or the driver does not know it: there is no fabric.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED")]
    Absent,
    /// The attribute is set, but this process may not use the fabric: it has no IMEX channel.
    NoChannel(Error),
    /// The attribute is set, but creating or exporting memory failed with this error.
    Fails(Error),
}

impl FabricSupport {
    /// Returns whether the fabric works.
    #[must_use]
    pub const fn works(&self) -> bool {
        matches!(self, Self::Works)
    }
}

impl fmt::Display for FabricSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Works => f.write_str("the fabric works"),
            Self::Absent => f.write_str("the device is not in a fabric"),
            Self::NoChannel(error) => write!(
                f,
                "the device is in a fabric, but this process has no IMEX channel: check \
                 /dev/nvidia-caps-imex-channels/channel* and the nvidia-imex service ({error})"
            ),
            Self::Fails(error) => write!(f, "the device is in a fabric that does not work: {error}"),
        }
    }
}

/// `cuDeviceGetAttribute`, `cuMemCreate`, `cuMemExportToShareableHandle`: tests whether the fabric works, with the
/// smallest allocation.
///
/// # Errors
/// [`Error::Refused`] if the attribute of the device cannot be queried.
#[doc(alias = "cuDeviceGetAttribute")]
#[doc(alias = "cuMemCreate")]
#[doc(alias = "cuMemExportToShareableHandle")]
pub fn probe(device: Device) -> Result<FabricSupport, Error> {
    match device.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED) {
        Ok(0) => return Ok(FabricSupport::Absent),
        Ok(_) => {}
        // The driver is older than the attribute.
        Err(error) if error.code() == Some(CUresult::CUDA_ERROR_INVALID_VALUE) => return Ok(FabricSupport::Absent),
        Err(error) => return Err(error),
    }
    let tried = granularity(device, HandleTypes::FABRIC)
        .and_then(|size| Allocation::new(device, size, HandleTypes::FABRIC))
        .and_then(|allocation| allocation.export_fabric());
    Ok(match tried {
        Ok(_) => FabricSupport::Works,
        Err(error) if error.code() == Some(CUresult::CUDA_ERROR_NOT_PERMITTED) => FabricSupport::NoChannel(error),
        Err(error) => FabricSupport::Fails(error),
    })
}

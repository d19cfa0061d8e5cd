//! The NVLink fabric: whether it works here, and if not, why.

use std::fmt;

use crate::sys::{CUdevice_attribute, CUresult};
use crate::vmm::{Allocation, HandleTypes, granularity};
use crate::{Device, Error};

/// Whether a device can share memory over the fabric.
///
/// The attribute alone promises too much: without an IMEX channel it says yes, and nothing can be created.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FabricSupport {
    /// Memory was created, exported and given back. That peers can import it only they can tell.
    Works,
    /// `CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED` is 0, or the driver does not know it: no fabric.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED")]
    Absent,
    /// The attribute says yes, and this process may not: it has no IMEX channel.
    NoChannel(Error),
    /// The attribute says yes, and this went wrong.
    Fails(Error),
}

impl FabricSupport {
    /// Whether it works.
    #[must_use]
    pub const fn works(&self) -> bool {
        matches!(self, Self::Works)
    }
}

impl fmt::Display for FabricSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Works => f.write_str("the fabric works"),
            Self::Absent => f.write_str("the device is in no fabric"),
            Self::NoChannel(error) => write!(
                f,
                "the device is in a fabric and this process has no IMEX channel: look for \
                 /dev/nvidia-caps-imex-channels/channel* and the nvidia-imex service ({error})"
            ),
            Self::Fails(error) => write!(f, "the device is in a fabric that does not work: {error}"),
        }
    }
}

/// `cuDeviceGetAttribute`, `cuMemCreate`, `cuMemExportToShareableHandle`: whether the fabric works, tried with the
/// smallest allocation.
///
/// # Errors
/// [`Error::Refused`] where the device itself cannot be asked.
#[doc(alias = "cuDeviceGetAttribute")]
#[doc(alias = "cuMemCreate")]
#[doc(alias = "cuMemExportToShareableHandle")]
pub fn probe(device: Device) -> Result<FabricSupport, Error> {
    match device.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED) {
        Ok(0) => return Ok(FabricSupport::Absent),
        Ok(_) => {}
        // A driver from before the fabric.
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

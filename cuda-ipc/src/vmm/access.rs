//! The access of devices to memory.

use crate::Device;
use crate::sys::{CUmemAccess_flags, CUmemAccessDesc, CUmemLocation};

/// The access of a device to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `CU_MEM_ACCESS_FLAGS_PROT_NONE`: no access.
    #[doc(alias = "CU_MEM_ACCESS_FLAGS_PROT_NONE")]
    None,
    /// `CU_MEM_ACCESS_FLAGS_PROT_READ`: read only.
    #[doc(alias = "CU_MEM_ACCESS_FLAGS_PROT_READ")]
    Read,
    /// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`: read and write.
    #[doc(alias = "CU_MEM_ACCESS_FLAGS_PROT_READWRITE")]
    ReadWrite,
}

impl Access {
    pub(crate) const fn flags(self) -> CUmemAccess_flags {
        match self {
            Self::None => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
            Self::Read => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ,
            Self::ReadWrite => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        }
    }

    /// Converts flags. Flags that this crate does not know count as the largest access that they include.
    pub(crate) const fn from_flags(flags: CUmemAccess_flags) -> Self {
        if flags.0 & Self::ReadWrite.flags().0 == Self::ReadWrite.flags().0 {
            Self::ReadWrite
        } else if flags.0 & Self::Read.flags().0 != 0 {
            Self::Read
        } else {
            Self::None
        }
    }

    /// Returns whether this access permits what another one does.
    pub(crate) const fn includes(self, other: Self) -> bool {
        self.flags().0 & other.flags().0 == other.flags().0
    }

    /// Returns the description of this access for a device.
    pub(crate) fn of(self, device: Device) -> CUmemAccessDesc {
        CUmemAccessDesc { location: CUmemLocation::device(device.raw()), flags: self.flags() }
    }
}

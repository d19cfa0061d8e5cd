//! The 64-byte handles as plain data: they convert from and to bytes, and compare by value.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::runtime::{cudaIpcEventHandle_t, cudaIpcMemHandle_t, cudaMemFabricHandle_t, cudaMemPoolPtrExportData};
use crate::{CUipcEventHandle, CUipcMemHandle, CUmemFabricHandle, CUmemPoolPtrExportData};

macro_rules! plain_bytes {
    ($($handle:ident),*) => {$(
        impl $handle {
            /// Creates a handle from bytes that another process sent. The driver may accept altered bytes, so opening a
            /// handle is `unsafe`.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 64]) -> Self {
                // SAFETY: the handle is 64 bytes without padding (size asserted below), and any bit pattern is valid.
                unsafe { std::mem::transmute(bytes) }
            }

            /// Returns the bytes to send to another process.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 64] {
                // SAFETY: as above, in the other direction.
                unsafe { std::mem::transmute(self) }
            }
        }

        const _: () = assert!(size_of::<$handle>() == 64);

        impl PartialEq for $handle {
            fn eq(&self, other: &Self) -> bool {
                self.to_bytes() == other.to_bytes()
            }
        }

        impl Eq for $handle {}

        impl Hash for $handle {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.to_bytes().hash(state);
            }
        }

        impl fmt::Debug for $handle {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($handle), "("))?;
                for byte in self.to_bytes() {
                    write!(f, "{byte:02x}")?;
                }
                write!(f, ")")
            }
        }
    )*};
}

plain_bytes!(CUipcMemHandle, CUipcEventHandle, CUmemPoolPtrExportData, CUmemFabricHandle);
plain_bytes!(cudaIpcMemHandle_t, cudaIpcEventHandle_t, cudaMemPoolPtrExportData, cudaMemFabricHandle_t);

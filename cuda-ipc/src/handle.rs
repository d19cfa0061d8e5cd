//! The handles of 64 bytes that travel between processes.

use crate::sys::{CUipcEventHandle, CUipcMemHandle, CUmemFabricHandle, CUmemPoolPtrExportData};

macro_rules! handles {
    ($($(#[$attribute:meta])* $name:ident($raw:ident);)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) $raw);

        impl $name {
            /// Makes a handle from the bytes that another process sent. This does not check them, and opening the
            /// handle does not check all of them: drivers open some altered handles as other memory, or crash.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 64]) -> Self {
                Self($raw::from_bytes(bytes))
            }

            /// Returns the bytes to send.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 64] {
                self.0.to_bytes()
            }
        }
    )*};
}

handles! {
    /// `CUipcMemHandle`: names an allocation to other processes of the machine. It is plain data and owns nothing.
    #[doc(alias = "CUipcMemHandle")]
    MemHandle(CUipcMemHandle);

    /// `CUipcEventHandle`: names an event to other processes of the machine. It is plain data and owns nothing.
    #[doc(alias = "CUipcEventHandle")]
    EventHandle(CUipcEventHandle);

    /// `CUmemFabricHandle`: names physical memory or a pool to processes of every machine on a fabric. It is plain data
    /// and owns nothing.
    #[doc(alias = "CUmemFabricHandle")]
    FabricHandle(CUmemFabricHandle);

    /// `CUmemPoolPtrExportData`: names memory in a pool to processes that imported the pool. It is plain data and owns
    /// nothing.
    #[doc(alias = "CUmemPoolPtrExportData")]
    PoolPointerData(CUmemPoolPtrExportData);
}

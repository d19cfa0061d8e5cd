//! The arguments and outputs of calls as plain data: addresses, handles and objects of a role.

use std::fmt;

use cuda_ipc_sys::{
    CUipcEventHandle, CUipcMemHandle, CUmemAllocationType, CUmemFabricHandle, CUmemLocationType, CUmemPoolPtrExportData,
};
use serde::{Deserialize, Serialize};

macro_rules! object {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub struct $name(pub u64);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:#x})"), self.0)
            }
        }
    )*};
}

object!(
    /// An address in a role, of device or host memory.
    Pointer,
    /// A `CUcontext` of a role.
    Context,
    /// A `CUstream` of a role.
    Stream,
    /// A `CUevent` of a role.
    Event,
    /// A `CUmemoryPool` of a role.
    Pool,
    /// A `CUmemGenericAllocationHandle` of a role.
    Physical,
    /// A `CUgraph` of a role.
    Graph,
    /// A `CUgraphExec` of a role.
    GraphExec
);

/// The number of a file descriptor in a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor(pub i32);

/// The properties of physical memory, `CUmemAllocationProp`: requested in a call or returned for a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemProperties {
    /// A `CUmemAllocationType`.
    pub allocation_type: u32,
    /// A mask of `CUmemAllocationHandleType`.
    pub handle_types: u32,
    /// A `CUmemLocationType`.
    pub location_type: u32,
    /// The ordinal of a device or the number of a NUMA node.
    pub location: i32,
}

impl MemProperties {
    /// Returns the properties of pinned device memory that cannot be exported.
    #[must_use]
    pub const fn device(device: i32) -> Self {
        Self {
            allocation_type: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED.0,
            handle_types: 0,
            location_type: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE.0,
            location: device,
        }
    }

    /// Makes the memory exportable as these handle types.
    #[must_use]
    pub const fn exportable(mut self, handle_types: u32) -> Self {
        self.handle_types = handle_types;
        self
    }

    /// Changes the location.
    #[must_use]
    pub const fn at(mut self, location_type: u32, location: i32) -> Self {
        (self.location_type, self.location) = (location_type, location);
        self
    }
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Self = Self(0);

    /// Returns the address plus a number of bytes. It wraps around at 2^64.
    #[must_use]
    pub const fn offset(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

impl Pool {
    /// The null pool.
    pub const NULL: Self = Self(0);
}

impl Stream {
    /// The legacy default stream.
    pub const DEFAULT: Self = Self(0);
    /// The legacy default stream, by its handle `CU_STREAM_LEGACY`.
    pub const LEGACY: Self = Self(1);
    /// The default stream of the calling thread, by its handle `CU_STREAM_PER_THREAD`.
    pub const PER_THREAD: Self = Self(2);
}

impl Event {
    /// The null event.
    pub const NULL: Self = Self(0);
}

/// Serialises the 64 bytes of a handle as two halves, because serde supports arrays of up to 32 bytes.
mod halves {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    /// A handle of the sys crate, which is plain bytes.
    pub(super) trait Bytes {
        fn from_bytes(bytes: [u8; 64]) -> Self;
        fn to_bytes(&self) -> [u8; 64];
    }

    pub(super) fn serialize<H: Bytes, S: Serializer>(handle: &H, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = handle.to_bytes();
        let (halves, _) = bytes.as_chunks::<32>();
        [halves[0], halves[1]].serialize(serializer)
    }

    pub(super) fn deserialize<'de, H: Bytes, D: Deserializer<'de>>(deserializer: D) -> Result<H, D::Error> {
        let halves = <[[u8; 32]; 2]>::deserialize(deserializer)?;
        let mut bytes = [0; 64];
        bytes.copy_from_slice(halves.as_flattened());
        Ok(H::from_bytes(bytes))
    }
}

macro_rules! handle {
    ($($(#[$doc:meta])* $name:ident($sys:ident)),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub struct $name(#[serde(with = "halves")] pub $sys);

        impl halves::Bytes for $sys {
            fn from_bytes(bytes: [u8; 64]) -> Self {
                Self::from_bytes(bytes)
            }

            fn to_bytes(&self) -> [u8; 64] {
                (*self).to_bytes()
            }
        }

        impl $name {
            /// Creates a handle from its bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 64]) -> Self {
                Self($sys::from_bytes(bytes))
            }

            /// Returns the bytes of the handle.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 64] {
                self.0.to_bytes()
            }

            /// Returns the handle with one bit flipped.
            #[must_use]
            pub fn with_bit_flipped(self, bit: usize) -> Self {
                let mut bytes = self.to_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                Self::from_bytes(bytes)
            }
        }
    )*};
}

handle!(
    /// A handle of `cuIpcGetMemHandle`.
    MemHandle(CUipcMemHandle),
    /// A handle of `cuIpcGetEventHandle`.
    EventHandle(CUipcEventHandle),
    /// A fabric handle.
    FabricHandle(CUmemFabricHandle),
    /// The data of `cuMemPoolExportPointer`.
    PoolPointer(CUmemPoolPtrExportData)
);

/// Base and size of an allocation, as `cuMemGetAddressRange` returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressRange {
    /// The first address.
    pub base: Pointer,
    /// The size in bytes.
    pub size: u64,
}

/// Free and total bytes of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemInfo {
    /// Free bytes.
    pub free: u64,
    /// Total bytes.
    pub total: u64,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// A 32-bit number.
    U32(u32),
    /// A 64-bit number or a pointer.
    U64(u64),
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl From<u64> for Argument {
    fn from(value: u64) -> Self {
        Self::U64(value)
    }
}

impl From<Pointer> for Argument {
    fn from(pointer: Pointer) -> Self {
        Self::U64(pointer.0)
    }
}

/// A byte of memory that is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongByte {
    /// The number of bytes before it.
    pub offset: u64,
    /// What was written.
    pub expected: u8,
    /// What was read.
    pub actual: u8,
}

/// Writes `offset 7 (expected 0x5c, read 0x00)`.
impl fmt::Display for WrongByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {} (expected {:#04x}, read {:#04x})", self.offset, self.expected, self.actual)
    }
}

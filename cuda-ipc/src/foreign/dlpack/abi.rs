//! The structures of `dlpack.h`, version 1. Their layout is fixed: a new layout would be a new major version.
//!
//! They are written here because they are few and never change, while the crates that have them change their interface
//! often. The tests compare them with those of the crate `dlpark`, which bindgen made from the header.

use std::ffi::c_void;

/// `DLDevice`: a kind of device, and the ordinal of one.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The kind, such as [`Device::CUDA`].
    pub kind: i32,
    /// The ordinal of the device in this process.
    pub ordinal: i32,
}

impl Device {
    /// `kDLCUDA`: a GPU of CUDA.
    pub const CUDA: i32 = 2;
}

/// `DLDataType`: the type of a tensor's elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataType {
    /// `DLDataTypeCode`: 0 for signed integers, 1 for unsigned integers, 2 for floating-point numbers, and other
    /// numbers for other types.
    pub code: u8,
    /// The number of bits of a lane.
    pub bits: u8,
    /// The number of lanes: 1, except for vectors.
    pub lanes: u16,
}

/// `DLTensor`: where the elements are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawTensor {
    /// The address of the allocation, or of the first element.
    pub data: *mut c_void,
    /// The device that has the elements.
    pub device: Device,
    /// The number of dimensions.
    pub dimensions: i32,
    /// The type of the elements.
    pub data_type: DataType,
    /// The number of elements in each dimension.
    pub shape: *mut i64,
    /// The distance between neighbours in each dimension, in elements. If it is null, the tensor is compact.
    pub strides: *mut i64,
    /// The offset of the first element from `data`, in bytes.
    pub byte_offset: u64,
}

/// `DLManagedTensor`: a tensor with its owner, as all versions of DLPack have it.
#[repr(C)]
#[derive(Debug)]
pub struct Managed {
    /// The tensor.
    pub tensor: RawTensor,
    /// Belongs to the producer.
    pub context: *mut c_void,
    /// Releases the tensor. If it is null, there is nothing to release.
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// `DLManagedTensorVersioned`: a tensor with its owner, since version 1 of DLPack.
#[repr(C)]
#[derive(Debug)]
pub struct ManagedVersioned {
    /// The major version of DLPack. Only the fields up to `deleter` are the same in every version.
    pub major: u32,
    /// The minor version of DLPack.
    pub minor: u32,
    /// Belongs to the producer.
    pub context: *mut c_void,
    /// Releases the tensor. If it is null, there is nothing to release.
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
    /// Flags, such as [`ManagedVersioned::READ_ONLY`].
    pub flags: u64,
    /// The tensor.
    pub tensor: RawTensor,
}

impl ManagedVersioned {
    /// The major version that this crate knows.
    pub const MAJOR: u32 = 1;
    /// `DLPACK_FLAG_BITMASK_READ_ONLY`: the consumer must not write to the tensor.
    pub const READ_ONLY: u64 = 1;
}

/// The two structures that have an owner: [`Managed`] and [`ManagedVersioned`].
///
/// # Safety
/// The methods return and call what the structure's fields say.
pub unsafe trait Abi: Sized + sealed::Sealed {
    #[doc(hidden)]
    fn new(tensor: RawTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self;
    #[doc(hidden)]
    fn context(&self) -> *mut c_void;
    #[doc(hidden)]
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    /// Returns the tensor, or the version if it is unknown, and whether consumers must not write to the tensor.
    #[doc(hidden)]
    fn tensor(&self) -> Result<(&RawTensor, bool), (u32, u32)>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Managed {}
    impl Sealed for super::ManagedVersioned {}
}

// SAFETY: the methods do what the trait says.
unsafe impl Abi for Managed {
    fn new(tensor: RawTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Self { tensor, context, deleter: Some(deleter) }
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn tensor(&self) -> Result<(&RawTensor, bool), (u32, u32)> {
        Ok((&self.tensor, false))
    }
}

// SAFETY: the methods do what the trait says.
unsafe impl Abi for ManagedVersioned {
    fn new(tensor: RawTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Self { major: Self::MAJOR, minor: 0, context, deleter: Some(deleter), flags: 0, tensor }
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn tensor(&self) -> Result<(&RawTensor, bool), (u32, u32)> {
        if self.major != Self::MAJOR {
            return Err((self.major, self.minor));
        }
        Ok((&self.tensor, self.flags & Self::READ_ONLY != 0))
    }
}

//! The kind of memory that an address is in.
#![allow(unsafe_code)] // Calls the driver.

use std::ffi::c_void;
use std::fmt;
use std::ptr;

use crate::sys::{CUdeviceptr, CUmemorytype, CUpointer_attribute, CUresult};
use crate::{Context, Error};

/// The kind of memory that an address is in, which decides how it can be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryKind {
    /// Memory from `cuMemAlloc`. It has a legacy handle.
    Linear,
    /// Memory from `cuMemAllocAsync` or a pool. It can be shared through a pool with a handle type.
    StreamOrdered,
    /// Memory from `cuMemCreate`, mapped by `cuMemMap`. The physical memory is exported, not the address.
    Virtual,
    /// Memory from `cuMemAllocManaged`. It stays in its process.
    Managed,
    /// Host memory that the driver knows. It stays in its process, or is shared like any host memory.
    Host,
    /// Device memory of any other kind without a legacy handle, most likely imported from another process.
    Imported,
    /// Memory that the driver does not know: ordinary host memory, freed memory, or no memory at all.
    Unknown,
}

/// `cuPointerGetAttribute` with `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`: returns whether the memory at an address is on the
/// host or on a device, or `None` if the driver does not know it, as ordinary host memory. The address is looked up and
/// not dereferenced.
pub(crate) fn type_of(context: &Context, pointer: CUdeviceptr) -> Result<Option<CUmemorytype>, Error> {
    let driver = context.enter()?;
    let (mut kind, attribute) = (0_u32, CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
    // SAFETY: the output is a local of the attribute's type.
    let answer = unsafe { driver.cuPointerGetAttribute((&raw mut kind).cast(), attribute, pointer) };
    Ok(matches!(answer, Ok(CUresult::CUDA_SUCCESS)).then_some(CUmemorytype(kind)))
}

impl MemoryKind {
    /// `cuPointerGetAttribute`: returns the kind of memory at an address, which is looked up and not dereferenced.
    ///
    /// # Errors
    /// [`Error::Refused`] if the context cannot be made current. Memory that the driver does not know is not an error:
    /// the result is [`MemoryKind::Unknown`].
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn of_pointer(context: &Context, pointer: CUdeviceptr) -> Result<Self, Error> {
        use CUpointer_attribute as A;
        let driver = context.enter()?;
        // Returns an attribute of up to 8 bytes, or `None` if the driver does not know the address or the attribute.
        let ask = |attribute| {
            let mut value = 0_u64;
            // SAFETY: the output has room for each attribute that is queried here.
            let answer = unsafe { driver.cuPointerGetAttribute((&raw mut value).cast::<c_void>(), attribute, pointer) };
            matches!(answer, Ok(CUresult::CUDA_SUCCESS)).then_some(value)
        };
        let is = |attribute| ask(attribute).is_some_and(|value| value != 0);
        Ok(match ask(A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            None => Self::Unknown,
            Some(_) if is(A::CU_POINTER_ATTRIBUTE_IS_MANAGED) => Self::Managed,
            Some(kind) if kind == u64::from(CUmemorytype::CU_MEMORYTYPE_HOST.0) => Self::Host,
            Some(_) if is(A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE) => Self::Linear,
            Some(_) if is(A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE) => Self::StreamOrdered,
            Some(_) => {
                let mut handle = 0;
                let address = ptr::without_provenance_mut(pointer as usize);
                // SAFETY: the output is a local. The address is looked up and not dereferenced.
                match unsafe { driver.cuMemRetainAllocationHandle(&mut handle, address) } {
                    Ok(CUresult::CUDA_SUCCESS) => {
                        // SAFETY: the handle was retained just now. An error would not change the result.
                        let _ = unsafe { driver.cuMemRelease(handle) };
                        Self::Virtual
                    }
                    _ => Self::Imported,
                }
            }
        })
    }

    /// Returns how to share memory of this kind, or why that is not possible.
    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::Linear => {
                "linear memory has a legacy handle: its context was destroyed, or it was freed in the meantime"
            }
            Self::StreamOrdered => {
                "stream-ordered memory has no legacy handle: allocate it from a pool that has a handle type, and \
                 export the pool and the pointer"
            }
            Self::Virtual => "virtual memory has no legacy handle: export the allocation that is mapped there",
            Self::Managed => "managed memory cannot be exported: copy it to device memory",
            Self::Host => {
                "host memory has no handle: share it between the processes as host memory, and register it in both"
            }
            Self::Imported => {
                "imported memory cannot be exported again: only the process that allocated it can export it"
            }
            Self::Unknown => {
                "only device memory has a handle, and the driver knows none there: it was freed, or is host memory"
            }
        }
    }
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linear => "linear memory",
            Self::StreamOrdered => "stream-ordered memory",
            Self::Virtual => "virtual memory",
            Self::Managed => "managed memory",
            Self::Host => "host memory",
            Self::Imported => "imported memory",
            Self::Unknown => "memory that the driver does not know",
        })
    }
}

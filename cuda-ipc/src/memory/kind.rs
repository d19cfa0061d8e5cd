//! What kind of memory an address is in.
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
    /// Of `cuMemAlloc`: it has a legacy handle.
    Linear,
    /// Of `cuMemAllocAsync` or a pool: a pool with a handle type shares it.
    StreamOrdered,
    /// Of `cuMemCreate`, mapped by `cuMemMap`: the physical memory is exported, not the address.
    Virtual,
    /// Of `cuMemAllocManaged`: it stays in its process.
    Managed,
    /// Memory of the host that the driver knows: it stays in its process, or is shared as host memory is.
    Host,
    /// Device memory without a legacy handle of any other kind: what another process exported, most likely.
    Imported,
    /// Nothing that the driver knows: ordinary host memory, or freed, or no memory at all.
    Unknown,
}

impl MemoryKind {
    /// `cuPointerGetAttribute`: the kind of memory at an address, which is looked up and not followed.
    ///
    /// # Errors
    /// [`Error::Refused`] where the driver cannot be asked; of memory that it does not know it says so in another way,
    /// and the answer is [`MemoryKind::Unknown`].
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn of_pointer(context: &Context, pointer: CUdeviceptr) -> Result<Self, Error> {
        use CUpointer_attribute as A;
        let driver = context.enter()?;
        // An attribute that fits 8 bytes; nothing where the driver does not know the address or the attribute.
        let ask = |attribute| {
            let mut value = 0_u64;
            // SAFETY: the output has room for each attribute that is asked for here.
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
                // SAFETY: the output is a local. The address is looked up and not followed.
                match unsafe { driver.cuMemRetainAllocationHandle(&mut handle, address) } {
                    Ok(CUresult::CUDA_SUCCESS) => {
                        // SAFETY: the handle was retained just now. An error would change nothing about the answer.
                        let _ = unsafe { driver.cuMemRelease(handle) };
                        Self::Virtual
                    }
                    _ => Self::Imported,
                }
            }
        })
    }

    /// How such memory is shared.
    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::Linear => "it has a legacy handle: its context was destroyed, or it was freed meanwhile",
            Self::StreamOrdered => {
                "stream-ordered memory has no legacy handle: allocate it from a pool that has a handle type, and export \
                 pool and pointer"
            }
            Self::Virtual => "virtual memory has no legacy handle: export the allocation that is mapped there",
            Self::Managed => "managed memory stays in its process: copy it to device memory",
            Self::Host => "host memory has no handle: share it as memory of the host, and register it on both sides",
            Self::Imported => "an import cannot be passed on: only the process that allocated memory exports it",
            Self::Unknown => "only device memory has a handle, and the driver knows none there: freed, or of the host",
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

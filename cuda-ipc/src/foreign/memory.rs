//! Raw device memory.

use std::fmt;
use std::ops::Deref;

use crate::foreign::Owner;
use crate::memory::{DeviceMemory, allocation_of};
use crate::sys::CUdeviceptr;
use crate::{Context, DeviceBuffer, Error};

/// Device memory of other code, which is never freed here. `O` is the owner, which keeps the memory alive: a value of
/// the other code, or a reference to one.
///
/// It can be shared with other processes if the other code allocated it with a call whose memory has handles:
/// [`MemoryKind::of_pointer`](crate::memory::MemoryKind::of_pointer) tells.
pub struct ForeignMemory<O> {
    /// Dropped before the context.
    owner: Owner<O>,
    memory: DeviceMemory,
}

impl<O> ForeignMemory<O> {
    /// Borrows device memory of other code. Dropping the value does not free it.
    ///
    /// # Safety
    /// The caller promises that
    /// - the `size` bytes at `pointer` are device memory that the context can read and write;
    /// - they are allocated by now: work that allocates them in stream order is complete;
    /// - they are not freed, unmapped or closed before `owner` is dropped;
    /// - a host value that other code reads from them is valid with any bytes, because safe code can write any.
    ///
    /// No promise is needed about when the other code writes: a read during a write returns a mixture of bytes.
    pub unsafe fn borrow_raw(context: &Context, pointer: CUdeviceptr, size: usize, owner: O) -> Self {
        Self { owner: Owner::new(owner), memory: DeviceMemory::with_varying_access(context.clone(), pointer, size) }
    }

    /// Returns the owner.
    pub fn owner(&self) -> &O {
        &self.owner
    }

    /// Ends the borrow, and returns the owner.
    pub fn into_owner(self) -> O {
        self.owner.into_inner()
    }
}

impl<O> Deref for ForeignMemory<O> {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}

impl<O> fmt::Debug for ForeignMemory<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, memory } = self;
        f.debug_struct("ForeignMemory").field("memory", memory).field("owner", owner).finish()
    }
}

impl DeviceBuffer {
    /// `cuMemGetAddressRange`: takes over memory from `cuMemAlloc`, of the size that the driver reports. Dropping the
    /// value frees it.
    ///
    /// # Errors
    /// [`Error::Refused`] if the driver knows no memory at the address. It then still belongs to the caller.
    ///
    /// # Safety
    /// The caller promises that
    /// - `pointer` is what `cuMemAlloc` of this driver's library returned in this context;
    /// - nothing else frees it, or uses it after the value is dropped.
    #[doc(alias = "cuMemGetAddressRange")]
    pub unsafe fn from_raw(context: &Context, pointer: CUdeviceptr) -> Result<Self, Error> {
        let (_, size) = allocation_of(context, pointer)?;
        Ok(Self::hold(DeviceMemory::new(context.clone(), pointer, size)))
    }

    /// Hands the memory over: returns its address. This crate no longer frees it: the caller does, with `cuMemFree`,
    /// before the context is released.
    #[must_use]
    pub fn into_raw(self) -> CUdeviceptr {
        self.relinquish()
    }
}

//! Legacy memory handles.
#![allow(unsafe_code)] // Calls the driver, and opens handles of other processes.

use std::ops::Deref;

use crate::error::{check, check_with};
use crate::memory::{DeviceBuffer, DeviceMemory, MemoryKind, allocation_of};
use crate::resource::{Owned, Resource};
use crate::sys::{CUdeviceptr, CUipcMem_flags, CUipcMemHandle};
use crate::{Context, Error};

use super::MemHandle;

impl MemHandle {
    /// `cuIpcGetMemHandle`: returns the handle of the allocation that contains an address, whoever allocated it.
    ///
    /// This is for memory that another library owns. For your own buffers, use [`DeviceBuffer::ipc_handle`]. The handle
    /// names the whole allocation, even if the address is in the middle of it.
    /// [`allocation_of`](crate::memory::allocation_of) returns where the allocation begins.
    ///
    /// # Errors
    /// [`Error::Refused`] if the address is not in memory from `cuMemAlloc`, because no other memory has a legacy
    /// handle. The error says in which kind of memory the address is, and how to share that kind.
    #[doc(alias = "cuIpcGetMemHandle")]
    pub fn of_pointer(context: &Context, pointer: CUdeviceptr) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut handle = CUipcMemHandle::default();
        // SAFETY: the output is a local. The address is looked up and not dereferenced.
        let answer = unsafe { driver.cuIpcGetMemHandle(&mut handle, pointer) };
        check_with("cuIpcGetMemHandle", answer, || match MemoryKind::of_pointer(context, pointer) {
            Ok(kind) => (format!("pointer {pointer:#x}, {kind}"), Some(kind.hint())),
            Err(_) => (format!("pointer {pointer:#x}"), None),
        })?;
        Ok(Self(handle))
    }
}

impl DeviceBuffer {
    /// `cuIpcGetMemHandle`: returns the handle with which other processes open this buffer. Every call returns the same
    /// handle.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuIpcGetMemHandle")]
    pub fn ipc_handle(&self) -> Result<MemHandle, Error> {
        MemHandle::of_pointer(self.context(), self.pointer())
    }
}

/// Memory of another process, mapped in this process. It can be closed, but not freed.
#[derive(Debug)]
pub struct ImportedBuffer(Owned<Import>);

#[derive(Debug)]
struct Import(DeviceMemory);

impl Resource for Import {
    const NAME: &'static str = "ImportedBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.0.context().enter()?;
        let pointer = self.0.pointer();
        // SAFETY: the address comes from `cuIpcOpenMemHandle`, and the import that this value stands for is not used
        // again.
        check("cuIpcCloseMemHandle", unsafe { driver.cuIpcCloseMemHandle(pointer) }, || format!("{pointer:#x}"))
    }
}

impl ImportedBuffer {
    /// `cuIpcOpenMemHandle`: maps an allocation of another process.
    ///
    /// Peer access is enabled if the exporter's device is another one. The size is the one that `cuMemGetAddressRange`
    /// returns for the mapping. Opening a handle again gives the same addresses, but a separate value.
    ///
    /// # Errors
    /// [`Error::Refused`], for example with `INVALID_CONTEXT` in the process that exported the memory, `INVALID_VALUE`
    /// if the bytes are not a handle or the memory was freed, or `INVALID_HANDLE` if the exporter has ended.
    ///
    /// # Safety
    /// Another process decides what the bytes mean, and the driver trusts them. The caller promises that
    /// - `handle` is what `cuIpcGetMemHandle` returned to another process of this machine, with no bit changed: a
    ///   driver opens some altered handles as memory that nobody meant to share;
    /// - that process does not free the memory before the value is closed or dropped: CUDA does not define what a
    ///   mapping refers to after that;
    /// - work that was given [`DeviceMemory::pointer`] is complete before the value is closed or dropped.
    ///
    /// No promise is needed about what the other process writes, or when. A read during a write returns a mixture of
    /// bytes; use an [`ImportedEvent`](super::ImportedEvent) to order the two.
    #[doc(alias = "cuIpcOpenMemHandle")]
    pub unsafe fn open(context: &Context, handle: &MemHandle) -> Result<Self, Error> {
        let driver = context.enter()?;
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        let mut pointer = 0;
        // SAFETY: the output is a local; the caller promises that the handle is genuine.
        let answer = unsafe { driver.cuIpcOpenMemHandle(&mut pointer, handle.0, flags) };
        check("cuIpcOpenMemHandle", answer, || format!("{:?}", handle.0))?;
        // From here on, an error also closes the import.
        let mut import = Owned::new(Import(DeviceMemory::new(context.clone(), pointer, 0)));
        let (base, size) = allocation_of(context, pointer)?;
        let size = size.saturating_sub(pointer.abs_diff(base) as usize);
        import.resource.0 = DeviceMemory::new(context.clone(), pointer, size);
        Ok(Self(import))
    }

    /// `cuIpcCloseMemHandle`: closes the import as dropping does, and returns the error. The last close of a mapping
    /// unmaps it.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuIpcCloseMemHandle")]
    pub fn close(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Deref for ImportedBuffer {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.0.0
    }
}

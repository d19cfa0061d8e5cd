//! Legacy memory handles.
#![allow(unsafe_code)] // Calls the driver, and opens what other processes made.

use std::ops::Deref;

use crate::error::{check, check_with};
use crate::memory::{DeviceBuffer, DeviceMemory, MemoryKind, allocation_of};
use crate::resource::{Owned, Resource};
use crate::sys::{CUdeviceptr, CUipcMem_flags, CUipcMemHandle};
use crate::{Context, Error};

use super::MemHandle;

impl MemHandle {
    /// `cuIpcGetMemHandle`: the handle of the allocation that an address lies in, whoever allocated it.
    ///
    /// For memory that another library owns; [`DeviceBuffer::ipc_handle`] is for one's own. The handle names the whole
    /// allocation, wherever in it the address lies: [`allocation_of`](crate::memory::allocation_of) says where it
    /// begins.
    ///
    /// # Errors
    /// [`Error::Refused`] where the address is not in memory of `cuMemAlloc`: nothing else has a legacy handle. The
    /// error says what the address is in, and how that is shared.
    #[doc(alias = "cuIpcGetMemHandle")]
    pub fn of_pointer(context: &Context, pointer: CUdeviceptr) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut handle = CUipcMemHandle::default();
        // SAFETY: the output is a local. The address is looked up and not followed.
        let answer = unsafe { driver.cuIpcGetMemHandle(&mut handle, pointer) };
        check_with("cuIpcGetMemHandle", answer, || match MemoryKind::of_pointer(context, pointer) {
            Ok(kind) => (format!("pointer {pointer:#x}, {kind}"), Some(kind.hint())),
            Err(_) => (format!("pointer {pointer:#x}"), None),
        })?;
        Ok(Self(handle))
    }
}

impl DeviceBuffer {
    /// `cuIpcGetMemHandle`: the handle with which other processes open this buffer. Asking again gives the same.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuIpcGetMemHandle")]
    pub fn ipc_handle(&self) -> Result<MemHandle, Error> {
        MemHandle::of_pointer(self.context(), self.pointer())
    }
}

/// Memory of another process, mapped here. It can be closed, not freed.
#[derive(Debug)]
pub struct ImportedBuffer(Owned<Import>);

#[derive(Debug)]
struct Import(DeviceMemory);

impl Resource for Import {
    const NAME: &'static str = "ImportedBuffer";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.0.context().enter()?;
        let pointer = self.0.pointer();
        // SAFETY: the address is of `cuIpcOpenMemHandle`, and this one of its openings is not used again.
        check("cuIpcCloseMemHandle", unsafe { driver.cuIpcCloseMemHandle(pointer) }, || format!("{pointer:#x}"))
    }
}

impl ImportedBuffer {
    /// `cuIpcOpenMemHandle`: map an allocation of another process.
    ///
    /// Peer access is enabled where the exporter's device is another one. The size is what `cuMemGetAddressRange` says
    /// of the mapping. Opening a handle again gives the same addresses, each opening with a value of its own.
    ///
    /// # Errors
    /// [`Error::Refused`], among others: `INVALID_CONTEXT` in the process that exported, `INVALID_VALUE` where the
    /// bytes are no handle or the memory was freed, `INVALID_HANDLE` where the exporter has ended.
    ///
    /// # Safety
    /// Another process decides what the bytes mean, and the driver trusts them. The caller promises that
    /// - `handle` is what `cuIpcGetMemHandle` gave to another process of this machine, with no bit changed: a driver
    ///   opens some altered handles as memory that nobody meant to share;
    /// - until the value is closed or dropped, that process does not free the memory: CUDA leaves it undefined what a
    ///   mapping is after that;
    /// - work that was given [`DeviceMemory::pointer`] is done before the value is closed or dropped.
    ///
    /// No promise is needed of what the other process writes and when: reading while it writes gives a mixture of
    /// bytes, and an [`ImportedEvent`](super::ImportedEvent) is the way to order the two.
    #[doc(alias = "cuIpcOpenMemHandle")]
    pub unsafe fn open(context: &Context, handle: &MemHandle) -> Result<Self, Error> {
        let driver = context.enter()?;
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        let mut pointer = 0;
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.cuIpcOpenMemHandle(&mut pointer, handle.0, flags) };
        check("cuIpcOpenMemHandle", answer, || format!("{:?}", handle.0))?;
        // From here on, whatever fails, it is closed.
        let mut import = Owned::new(Import(DeviceMemory::new(context.clone(), pointer, 0)));
        let (base, size) = allocation_of(context, pointer)?;
        let size = size.saturating_sub(pointer.abs_diff(base) as usize);
        import.resource.0 = DeviceMemory::new(context.clone(), pointer, size);
        Ok(Self(import))
    }

    /// `cuIpcCloseMemHandle`: what dropping does, and the error. The last close of a mapping unmaps it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
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

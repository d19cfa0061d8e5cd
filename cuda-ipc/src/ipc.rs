//! Legacy handles: out of one process, into another.
#![allow(unsafe_code)] // Calls the driver, and opens what other processes made.

use std::ops::Deref;
use std::ptr;

use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::sys::{CUdeviceptr, CUipcEventHandle, CUipcMem_flags, CUipcMemHandle};
use crate::{Context, DeviceBuffer, DeviceMemory, Error, Event, EventHandle, InterprocessEvent, MemHandle};

impl MemHandle {
    /// `cuIpcGetMemHandle`: the handle of the allocation that an address lies in, whoever allocated it.
    ///
    /// For memory that another library owns; [`DeviceBuffer::ipc_handle`] is for one's own. The handle names the whole
    /// allocation, wherever in it the address lies.
    ///
    /// # Errors
    /// [`Error::Refused`] where the address is not in memory of `cuMemAlloc`: nothing else has a legacy handle.
    pub fn of_pointer(context: &Context, pointer: CUdeviceptr) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut handle = CUipcMemHandle::default();
        // SAFETY: the output is a local. The address is looked up and not followed.
        let answer = unsafe { driver.cuIpcGetMemHandle(&mut handle, pointer) };
        check("cuIpcGetMemHandle", answer, || format!("pointer {pointer:#x}"))?;
        Ok(Self(handle))
    }
}

impl DeviceBuffer {
    /// `cuIpcGetMemHandle`: the handle with which other processes open this buffer. Asking again gives the same.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
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
        let DeviceMemory { context, pointer, .. } = &self.0;
        let driver = context.enter()?;
        // SAFETY: the address is of `cuIpcOpenMemHandle`, and this one of its openings is not used again.
        check("cuIpcCloseMemHandle", unsafe { driver.cuIpcCloseMemHandle(*pointer) }, || format!("{pointer:#x}"))
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
    /// bytes, and an [`ImportedEvent`] is the way to order the two.
    pub unsafe fn open(context: &Context, handle: &MemHandle) -> Result<Self, Error> {
        let driver = context.enter()?;
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        let mut pointer = 0;
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.cuIpcOpenMemHandle(&mut pointer, handle.0, flags) };
        check("cuIpcOpenMemHandle", answer, || format!("{:?}", handle.0))?;
        // From here on, whatever fails, it is closed.
        let mut import = Owned::new(Import(DeviceMemory { context: context.clone(), pointer, size: 0 }));
        let (mut base, mut size) = (0, 0);
        // SAFETY: the outputs are locals, and the address was mapped just now.
        let answer = unsafe { driver.cuMemGetAddressRange(&mut base, &mut size, pointer) };
        check("cuMemGetAddressRange", answer, || format!("pointer {pointer:#x}"))?;
        import.resource.0.size = size.saturating_sub(pointer.abs_diff(base) as usize);
        Ok(Self(import))
    }

    /// `cuIpcCloseMemHandle`: what dropping does, and the error. The last close of a mapping unmaps it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
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

impl InterprocessEvent {
    /// `cuIpcGetEventHandle`: the handle with which other processes open this event.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn ipc_handle(&self) -> Result<EventHandle, Error> {
        let driver = self.context().enter()?;
        let mut handle = CUipcEventHandle::default();
        // SAFETY: the output is a local, and the event is live.
        check("cuIpcGetEventHandle", unsafe { driver.cuIpcGetEventHandle(&mut handle, self.raw()) }, String::new)?;
        Ok(EventHandle(handle))
    }
}

/// An event of another process. It has no handle of its own to pass on.
#[derive(Debug)]
pub struct ImportedEvent(Owned<Event>);

impl ImportedEvent {
    /// `cuIpcOpenEventHandle`: an event of another process, to wait for and to record.
    ///
    /// # Errors
    /// [`Error::Refused`], among others: `INVALID_CONTEXT` in the process that exported, `MAP_FAILED` where the bytes
    /// are no handle.
    ///
    /// # Safety
    /// The caller promises that
    /// - `handle` is what `cuIpcGetEventHandle` gave to another process of this machine, with no bit changed;
    /// - until the value is closed or dropped, that process does not destroy the event: CUDA leaves it undefined what
    ///   an import does after that.
    pub unsafe fn open(context: &Context, handle: &EventHandle) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local; the caller promises the handle.
        let answer = unsafe { driver.cuIpcOpenEventHandle(&mut raw, handle.0) };
        check("cuIpcOpenEventHandle", answer, || format!("{:?}", handle.0))?;
        Ok(Self(Owned::new(Event::new(context, raw))))
    }

    /// `cuEventDestroy`: what dropping does, and the error. The exporter's event is not touched.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    pub fn close(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Deref for ImportedEvent {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.0
    }
}

//! The calls of a program in C. The caller has made its context current.

use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::ptr;

use cuda_ipc::Context;
use cuda_ipc::ipc::{EventHandle, MemHandle};
use cuda_ipc::pool::PoolPointerData;
use cuda_ipc::sys::{
    self, CUdeviceptr, CUevent, CUipcEventHandle, CUipcMem_flags, CUipcMemHandle, CUmemAccess_flags, CUmemAccessDesc,
    CUmemAllocationHandleType, CUmemLocation, CUmemPoolPtrExportData, CUmemoryPool, CUstream, CUstreamWaitValue_flags,
};

use crate::driver::ok;

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// The driver, and the access that the importer's device gets.
pub(crate) struct Raw {
    driver: &'static sys::Driver,
    access: CUmemAccessDesc,
    /// Whether the memory is on another device than the importer's.
    pub(crate) is_remote: bool,
}

/// Mapped physical memory: its address, size and handle.
pub(crate) type Mapped = (CUdeviceptr, usize, u64);

impl Raw {
    pub(crate) fn new(context: &Context, is_remote: bool) -> Self {
        let location = CUmemLocation::device(context.device().raw());
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        Self { driver: context.driver().raw(), access: CUmemAccessDesc { location, flags }, is_remote }
    }

    pub(crate) fn export_legacy(&self, pointer: CUdeviceptr) -> CUipcMemHandle {
        let mut handle = CUipcMemHandle::default();
        // SAFETY: the output is a local.
        ok(unsafe { self.driver.cuIpcGetMemHandle(&mut handle, pointer) });
        handle
    }

    pub(crate) fn export_event(&self, event: CUevent) -> CUipcEventHandle {
        let mut handle = CUipcEventHandle::default();
        // SAFETY: the output is a local, and the event is live.
        ok(unsafe { self.driver.cuIpcGetEventHandle(&mut handle, event) });
        handle
    }

    pub(crate) fn export_descriptor(&self, handle: u64) -> OwnedFd {
        let mut descriptor = -1;
        // SAFETY: the output is a local; the driver gives the descriptor to this call.
        unsafe {
            ok(self.driver.cuMemExportToShareableHandle((&raw mut descriptor).cast(), handle, DESCRIPTOR, 0));
            OwnedFd::from_raw_fd(descriptor)
        }
    }

    pub(crate) fn export_pool_pointer(&self, pointer: CUdeviceptr) -> CUmemPoolPtrExportData {
        let mut data = CUmemPoolPtrExportData::default();
        // SAFETY: the output is a local.
        ok(unsafe { self.driver.cuMemPoolExportPointer(&mut data, pointer) });
        data
    }

    pub(crate) fn open_legacy(&self, handle: &MemHandle) -> CUdeviceptr {
        let (mut pointer, handle) = (0, CUipcMemHandle::from_bytes(handle.to_bytes()));
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        // SAFETY: the output is a local, and the exporter keeps the memory.
        ok(unsafe { self.driver.cuIpcOpenMemHandle(&mut pointer, handle, flags) });
        pointer
    }

    pub(crate) fn close_legacy(&self, pointer: CUdeviceptr) {
        // SAFETY: nothing uses the memory.
        ok(unsafe { self.driver.cuIpcCloseMemHandle(pointer) });
    }

    pub(crate) fn map_descriptor(&self, descriptor: BorrowedFd<'_>, size: usize) -> Mapped {
        let (mut address, mut handle) = (0, 0);
        let os_handle = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: outputs and the description are locals, the descriptor is open, and the memory has this size.
        unsafe {
            ok(self.driver.cuMemImportFromShareableHandle(&mut handle, os_handle, DESCRIPTOR));
            ok(self.driver.cuMemAddressReserve(&mut address, size, 0, 0, 0));
            ok(self.driver.cuMemMap(address, size, 0, handle, 0));
            ok(self.driver.cuMemSetAccess(address, size, &self.access, 1));
        }
        (address, size, handle)
    }

    pub(crate) fn unmap(&self, (address, size, handle): Mapped) {
        // SAFETY: nothing uses the memory.
        unsafe {
            ok(self.driver.cuMemUnmap(address, size));
            ok(self.driver.cuMemRelease(handle));
            ok(self.driver.cuMemAddressFree(address, size));
        }
    }

    pub(crate) fn import_pool(&self, descriptor: BorrowedFd<'_>) -> CUmemoryPool {
        let mut pool = ptr::null_mut();
        let os_handle = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: the output and the description are locals, and the descriptor is open.
        unsafe {
            ok(self.driver.cuMemPoolImportFromShareableHandle(&mut pool, os_handle, DESCRIPTOR, 0));
            if self.is_remote {
                ok(self.driver.cuMemPoolSetAccess(pool, &self.access, 1));
            }
        }
        pool
    }

    pub(crate) fn close_pool(&self, pool: CUmemoryPool) {
        // SAFETY: nothing uses the pool.
        ok(unsafe { self.driver.cuMemPoolDestroy(pool) });
    }

    pub(crate) fn open_pool_pointer(&self, pool: CUmemoryPool, pointer: &PoolPointerData) -> CUdeviceptr {
        let (mut address, mut data) = (0, CUmemPoolPtrExportData::from_bytes(pointer.to_bytes()));
        // SAFETY: the output is a local, the pool is live, and the exporter keeps the memory.
        ok(unsafe { self.driver.cuMemPoolImportPointer(&mut address, pool, &mut data) });
        address
    }

    pub(crate) fn close_pool_pointer(&self, pointer: CUdeviceptr) {
        // SAFETY: nothing uses the memory.
        ok(unsafe { self.driver.cuMemFree(pointer) });
    }

    pub(crate) fn open_event(&self, handle: &EventHandle) -> CUevent {
        let (mut event, handle) = (ptr::null_mut(), CUipcEventHandle::from_bytes(handle.to_bytes()));
        // SAFETY: the output is a local, and the exporter keeps the event.
        ok(unsafe { self.driver.cuIpcOpenEventHandle(&mut event, handle) });
        event
    }

    pub(crate) fn destroy_event(&self, event: CUevent) {
        // SAFETY: nothing uses the event.
        ok(unsafe { self.driver.cuEventDestroy(event) });
    }

    pub(crate) fn record(&self, event: CUevent, stream: CUstream) {
        // SAFETY: both are live.
        ok(unsafe { self.driver.cuEventRecord(event, stream) });
    }

    pub(crate) fn wait(&self, event: CUevent, stream: CUstream) {
        // SAFETY: both are live.
        ok(unsafe { self.driver.cuStreamWaitEvent(stream, event, 0) });
    }

    pub(crate) fn synchronize(&self, event: CUevent) {
        // SAFETY: the event is live.
        ok(unsafe { self.driver.cuEventSynchronize(event) });
    }

    pub(crate) fn write_value(&self, pointer: CUdeviceptr, value: u32, stream: CUstream) {
        // SAFETY: the stream is live, and the caller keeps the memory until the stream is done.
        ok(unsafe { self.driver.cuStreamWriteValue32(stream, pointer, value, 0) });
    }

    pub(crate) fn wait_value(&self, pointer: CUdeviceptr, value: u32, stream: CUstream) {
        let flags = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_EQ.0;
        // SAFETY: as above.
        ok(unsafe { self.driver.cuStreamWaitValue32(stream, pointer, value, flags) });
    }
}

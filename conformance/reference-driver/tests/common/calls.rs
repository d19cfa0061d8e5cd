//! Wrappers of driver calls, most of them for physical memory.
#![allow(dead_code, reason = "no test uses everything")]

use std::ffi::c_void;
use std::ptr;
use std::time::Duration;

use cuda_ipc_sys::{
    CUcontext, CUdevice_attribute, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemFabricHandle, CUmemLocation, CUmulticastObjectProp, CUresult,
};

pub(crate) const GRANULE: usize = 2 << 20;

pub(crate) type Answer<T> = Result<T, CUresult>;
pub(crate) type Types = CUmemAllocationHandleType;
pub(crate) type Access = CUmemAccess_flags;

pub(crate) const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
pub(crate) const INVALID_DEVICE: CUresult = CUresult::CUDA_ERROR_INVALID_DEVICE;
pub(crate) const NOT_SUPPORTED: CUresult = CUresult::CUDA_ERROR_NOT_SUPPORTED;
pub(crate) const NOT_PERMITTED: CUresult = CUresult::CUDA_ERROR_NOT_PERMITTED;

pub(crate) const DESCRIPTOR: Types = Types::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
pub(crate) const FABRIC: Types = Types::CU_MEM_HANDLE_TYPE_FABRIC;
pub(crate) const NO_TYPE: Types = Types::CU_MEM_HANDLE_TYPE_NONE;

pub(crate) const NONE: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_NONE;
pub(crate) const READ: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_READ;
pub(crate) const READ_WRITE: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

/// A context that belongs to one test and is current in its thread.
pub(crate) struct Context(pub(crate) CUcontext);

impl Context {
    pub(crate) fn new() -> Self {
        Self::of_device(0)
    }

    pub(crate) fn of_device(device: i32) -> Self {
        let mut context = ptr::null_mut();
        call!(cuInit(0));
        call!(cuCtxCreate(&mut context, 0, device));
        Self(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The test may have destroyed it already.
        let _ = code!(cuCtxDestroy(self.0));
    }
}

pub(crate) fn properties(location: CUmemLocation, types: Types) -> CUmemAllocationProp {
    let type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    CUmemAllocationProp { type_, location, requestedHandleTypes: types, ..Default::default() }
}

pub(crate) fn create_at(location: CUmemLocation, size: usize, types: Types) -> Answer<u64> {
    let mut handle = 0;
    code!(cuMemCreate(&mut handle, size, &properties(location, types), 0)).result().map(|()| handle)
}

pub(crate) fn create(size: usize, types: Types) -> Answer<u64> {
    create_at(CUmemLocation::device(0), size, types)
}

pub(crate) fn release(handle: u64) -> Answer<()> {
    code!(cuMemRelease(handle)).result()
}

pub(crate) fn reserve(size: usize) -> CUdeviceptr {
    let mut base = 0;
    call!(cuMemAddressReserve(&mut base, size, 0, 0, 0));
    base
}

/// Maps memory at newly reserved addresses.
pub(crate) fn map(handle: u64, size: usize) -> Answer<CUdeviceptr> {
    let base = reserve(size);
    code!(cuMemMap(base, size, 0, handle, 0)).result().map(|()| base)
}

/// Unmaps memory that `map` mapped, and frees the addresses.
pub(crate) fn unmap(base: CUdeviceptr, size: usize) -> Answer<()> {
    code!(cuMemUnmap(base, size)).result()?;
    code!(cuMemAddressFree(base, size)).result()
}

pub(crate) fn grant_to(location: CUmemLocation, base: CUdeviceptr, size: usize, flags: Access) -> Answer<()> {
    code!(cuMemSetAccess(base, size, &CUmemAccessDesc { location, flags }, 1)).result()
}

pub(crate) fn grant(base: CUdeviceptr, size: usize, flags: Access) -> Answer<()> {
    grant_to(CUmemLocation::device(0), base, size, flags)
}

/// Returns the access that a location has at an address.
pub(crate) fn granted(location: CUmemLocation, base: CUdeviceptr) -> Answer<u64> {
    let mut flags = 7;
    code!(cuMemGetAccess(&mut flags, &location, base)).result().map(|()| flags)
}

/// Reads the first word at an address, or returns the code of the failed copy.
pub(crate) fn read(pointer: CUdeviceptr) -> Answer<u32> {
    let mut word = 0_u32;
    code!(cuMemcpyDtoH((&raw mut word).cast(), pointer, 4)).result().map(|()| word)
}

pub(crate) fn write(pointer: CUdeviceptr, word: u32) -> Answer<()> {
    code!(cuMemcpyHtoD(pointer, (&raw const word).cast(), 4)).result()
}

pub(crate) fn free_bytes() -> usize {
    let (mut free, mut total) = (0, 0);
    call!(cuMemGetInfo(&mut free, &mut total));
    free
}

pub(crate) fn create_multicast(devices: u32, size: usize, types: Types) -> Answer<u64> {
    let properties =
        CUmulticastObjectProp { numDevices: devices, size, handleTypes: types.0.into(), ..Default::default() };
    let mut handle = 0;
    code!(cuMulticastCreate(&mut handle, &properties)).result().map(|()| handle)
}

pub(crate) fn add_device(multicast: u64, device: i32) -> Answer<()> {
    code!(cuMulticastAddDevice(multicast, device)).result()
}

pub(crate) fn bind(multicast: u64, offset: usize, memory: u64, memory_offset: usize, size: usize) -> Answer<()> {
    code!(cuMulticastBindMem(multicast, offset, memory, memory_offset, size, 0)).result()
}

/// Returns an attribute of the first device.
pub(crate) fn attribute(attribute: CUdevice_attribute) -> Answer<i32> {
    let mut value = 0;
    code!(cuDeviceGetAttribute(&mut value, attribute, 0)).result().map(|()| value)
}

pub(crate) fn export_descriptor(handle: u64) -> Answer<i32> {
    let mut descriptor = -1_i32;
    code!(cuMemExportToShareableHandle((&raw mut descriptor).cast(), handle, DESCRIPTOR, 0))
        .result()
        .map(|()| descriptor)
}

pub(crate) fn import_descriptor(descriptor: i32) -> Answer<u64> {
    import(descriptor as *mut c_void, DESCRIPTOR)
}

pub(crate) fn import(shareable: *mut c_void, kind: Types) -> Answer<u64> {
    let mut handle = 0;
    code!(cuMemImportFromShareableHandle(&mut handle, shareable, kind)).result().map(|()| handle)
}

pub(crate) fn export_fabric(handle: u64) -> Answer<[u8; 64]> {
    let mut fabric = CUmemFabricHandle::default();
    code!(cuMemExportToShareableHandle((&raw mut fabric).cast(), handle, FABRIC, 0))
        .result()
        .map(|()| fabric.to_bytes())
}

pub(crate) fn import_fabric(bytes: [u8; 64]) -> Answer<u64> {
    let mut fabric = CUmemFabricHandle::from_bytes(bytes);
    import((&raw mut fabric).cast(), FABRIC)
}

/// Launches a kernel in the default stream.
pub(crate) fn launch(kernel: &kernels::Kernel, arguments: &[*const c_void]) -> Answer<()> {
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    code!(cuModuleLoadData(&mut module, kernel.ptx.as_ptr().cast())).result()?;
    code!(cuModuleGetFunction(&mut function, module, kernel.entry.as_ptr())).result()?;
    let arguments = arguments.as_ptr().cast_mut().cast();
    code!(cuLaunchKernel(function, 2, 1, 1, 4, 1, 1, 0, ptr::null_mut(), arguments, ptr::null_mut())).result()
}

/// Fills words with a kernel, and waits for it.
pub(crate) fn fill(words: CUdeviceptr, count: u64, seed: u32) -> Answer<()> {
    launch(&kernels::FILL, &[(&raw const words).cast(), (&raw const count).cast(), (&raw const seed).cast()])?;
    code!(cuCtxSynchronize()).result()
}

/// Launches a kernel that spins for the given time, and does not wait for it.
pub(crate) fn spin(time: Duration) -> Answer<()> {
    let nanoseconds = time.as_nanos() as u64;
    launch(&kernels::SPIN, &[(&raw const nanoseconds).cast()])
}

/// Counts the words that differ from the pattern, with a kernel that only reads them.
pub(crate) fn verify(words: CUdeviceptr, count: u64, seed: u32) -> Answer<u32> {
    let mut counter = 0;
    call!(cuMemAlloc(&mut counter, 8));
    let words: *const c_void = (&raw const words).cast();
    let arguments = [words, (&raw const count).cast(), (&raw const seed).cast(), (&raw const counter).cast()];
    launch(&kernels::VERIFY, &arguments)?;
    code!(cuCtxSynchronize()).result()?;
    read(counter)
}

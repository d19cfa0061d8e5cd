//! Pools. Their properties, attributes, handle types and locations have the driver's values.

use std::ffi::c_void;

use cuda_ipc_sys::{
    CUdevice, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemLocation,
    CUmemPool_attribute, CUmemPoolProps, CUmemPoolPtrExportData, CUmemoryPool, CUstream,
};

use crate::answer::{Input, Output};

runtime_calls! {
    initialised fn cudaDeviceGetDefaultMemPool(pool: Output<CUmemoryPool>, device: CUdevice) {
        driver!(pool::current::cuDeviceGetDefaultMemPool(pool, device))
    }

    initialised fn cudaDeviceGetMemPool(pool: Output<CUmemoryPool>, device: CUdevice) {
        driver!(pool::current::cuDeviceGetMemPool(pool, device))
    }

    initialised fn cudaDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        driver!(pool::current::cuDeviceSetMemPool(device, pool))
    }

    active fn cudaMallocAsync(pointer: Output<CUdeviceptr>, size: usize, stream: CUstream) {
        driver!(pool::allocate::cuMemAllocAsync(pointer, size, stream))
    }

    active fn cudaFreeAsync(pointer: CUdeviceptr, stream: CUstream) {
        driver!(pool::allocate::cuMemFreeAsync(pointer, stream))
    }

    active fn cudaMallocFromPoolAsync(
        pointer: Output<CUdeviceptr>,
        size: usize,
        pool: CUmemoryPool,
        stream: CUstream,
    ) {
        driver!(pool::allocate::cuMemAllocFromPoolAsync(pointer, size, pool, stream))
    }

    active fn cudaMemPoolCreate(pool: Output<CUmemoryPool>, properties: Input<CUmemPoolProps>) {
        driver!(pool::cuMemPoolCreate(pool, properties))
    }

    active fn cudaMemPoolDestroy(pool: CUmemoryPool) {
        driver!(pool::cuMemPoolDestroy(pool))
    }

    active fn cudaMemPoolTrimTo(pool: CUmemoryPool, bytes_to_keep: usize) {
        driver!(pool::attribute::cuMemPoolTrimTo(pool, bytes_to_keep))
    }

    active fn cudaMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: Input<c_void>) {
        driver!(pool::attribute::cuMemPoolSetAttribute(pool, attribute, value))
    }

    active fn cudaMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: Output<c_void>) {
        driver!(pool::attribute::cuMemPoolGetAttribute(pool, attribute, value))
    }

    active fn cudaMemPoolSetAccess(pool: CUmemoryPool, wanted: Input<CUmemAccessDesc>, count: usize) {
        driver!(pool::access::cuMemPoolSetAccess(pool, wanted, count))
    }

    active fn cudaMemPoolGetAccess(
        flags: Output<CUmemAccess_flags>,
        pool: CUmemoryPool,
        location: Input<CUmemLocation>,
    ) {
        driver!(pool::access::cuMemPoolGetAccess(flags, pool, location))
    }

    active fn cudaMemPoolExportToShareableHandle(
        handle: Output<c_void>,
        pool: CUmemoryPool,
        kind: CUmemAllocationHandleType,
        flags: u32,
    ) {
        driver!(pool::share::cuMemPoolExportToShareableHandle(handle, pool, kind, flags.into()))
    }

    active fn cudaMemPoolImportFromShareableHandle(
        pool: Output<CUmemoryPool>,
        handle: *mut c_void,
        kind: CUmemAllocationHandleType,
        flags: u32,
    ) {
        driver!(pool::import::cuMemPoolImportFromShareableHandle(pool, handle, kind, flags.into()))
    }

    active fn cudaMemPoolExportPointer(data: Output<CUmemPoolPtrExportData>, pointer: CUdeviceptr) {
        driver!(pool::share::cuMemPoolExportPointer(data, pointer))
    }

    active fn cudaMemPoolImportPointer(
        pointer: Output<CUdeviceptr>,
        pool: CUmemoryPool,
        data: Input<CUmemPoolPtrExportData>,
    ) {
        driver!(pool::import::cuMemPoolImportPointer(pointer, pool, data))
    }
}

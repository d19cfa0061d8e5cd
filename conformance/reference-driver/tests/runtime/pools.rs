//! Memory pools.

use std::ffi::c_void;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr;

use cuda_ipc_sys::runtime::{
    cudaMemAccessDesc, cudaMemAccessFlags as Access, cudaMemAllocationHandleType as HandleType, cudaMemAllocationType,
    cudaMemLocation, cudaMemLocation_anonymous, cudaMemLocationType, cudaMemPool_t, cudaMemPoolAttr, cudaMemPoolProps,
    cudaMemPoolPtrExportData,
};

use crate::*;

const DESCRIPTOR: HandleType = HandleType::cudaMemHandleTypePosixFileDescriptor;

fn place(device: i32) -> cudaMemLocation {
    let type_ = cudaMemLocationType::cudaMemLocationTypeDevice;
    cudaMemLocation { type_, anonymous: cudaMemLocation_anonymous { id: device } }
}

fn create(handle_types: HandleType) -> Result<cudaMemPool_t> {
    let properties = cudaMemPoolProps {
        allocType: cudaMemAllocationType::cudaMemAllocationTypePinned,
        handleTypes: handle_types,
        location: place(0),
        ..Default::default()
    };
    let mut pool = ptr::null_mut();
    code!(cudaMemPoolCreate(&mut pool, &properties)).result().map(|()| pool)
}

fn used(pool: cudaMemPool_t) -> Result<u64> {
    let mut bytes = 0_u64;
    let attribute = cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent;
    code!(cudaMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast())).result().map(|()| bytes)
}

fn descriptor(pool: cudaMemPool_t) -> Result<OwnedFd> {
    let mut descriptor = -1;
    code!(cudaMemPoolExportToShareableHandle((&raw mut descriptor).cast(), pool, DESCRIPTOR, 0)).result()?;
    // SAFETY: the descriptor is new, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

tests! {
    fn a_device_has_a_pool_and_can_be_given_another() {
        let (mut default, mut current) = (ptr::null_mut(), ptr::null_mut());
        call!(cudaDeviceGetDefaultMemPool(&mut default, 0));
        call!(cudaDeviceGetMemPool(&mut current, 0));
        assert_eq!(current, default);
        assert_eq!(code!(cudaMemPoolDestroy(default)), INVALID_VALUE);
        let pool = create(HandleType::cudaMemHandleTypeNone).unwrap();
        call!(cudaDeviceSetMemPool(0, pool));
        let mut pointer = ptr::null_mut();
        call!(cudaMallocAsync(&mut pointer, MIB, DEFAULT));
        assert_eq!((used(pool), used(default)), (Ok(MIB as u64), Ok(0)));
        call!(cudaFreeAsync(pointer, DEFAULT));
        call!(cudaStreamSynchronize(DEFAULT));
        assert_eq!(used(pool), Ok(0));
        call!(cudaMemPoolTrimTo(pool, 0));
        call!(cudaMemPoolDestroy(pool));
        assert_eq!(used(pool), Err(INVALID_VALUE));
    }

    fn attributes_are_set_and_read() {
        let pool = create(HandleType::cudaMemHandleTypeNone).unwrap();
        let attribute = cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold;
        let (mut threshold, mut read) = (12_345_u64, 0_u64);
        call!(cudaMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()));
        call!(cudaMemPoolGetAttribute(pool, attribute, (&raw mut read).cast()));
        assert_eq!(read, threshold);
    }

    fn access_is_granted_to_devices() {
        let pool = create(HandleType::cudaMemHandleTypeNone).unwrap();
        let access = |device| {
            let mut flags = Access(7);
            call!(cudaMemPoolGetAccess(&mut flags, pool, &mut place(device)));
            flags
        };
        assert_eq!((access(0), access(1)), (Access::cudaMemAccessFlagsProtReadWrite, Access::cudaMemAccessFlagsProtNone));
        let wanted = cudaMemAccessDesc { location: place(1), flags: Access::cudaMemAccessFlagsProtReadWrite };
        call!(cudaMemPoolSetAccess(pool, &wanted, 1));
        assert_eq!(access(1), Access::cudaMemAccessFlagsProtReadWrite);
    }

    fn a_pool_is_shared_by_descriptor() {
        let pool = create(DESCRIPTOR).unwrap();
        let descriptor = descriptor(pool).unwrap();
        let (mut import, mut pointer, mut data) = (ptr::null_mut(), ptr::null_mut(), cudaMemPoolPtrExportData::default());
        call!(cudaMallocFromPoolAsync(&mut pointer, 4096, pool, DEFAULT));
        call!(cudaMemset(pointer, 7, 4096));
        call!(cudaMemPoolExportPointer(&mut data, pointer));
        let by_value = descriptor.as_raw_fd() as usize as *mut c_void;
        call!(cudaMemPoolImportFromShareableHandle(&mut import, by_value, DESCRIPTOR, 0));
        let mut imported = ptr::null_mut();
        call!(cudaMemPoolImportPointer(&mut imported, import, &mut data));
        assert_eq!(used(import), Ok(4096));
        call!(cudaFree(imported));
        assert_eq!(used(import), Ok(0));
        call!(cudaFree(pointer));
        assert_eq!(code!(cudaMemPoolExportPointer(&mut data, memory(4))), INVALID_VALUE);
        let flags = code!(cudaMemPoolImportFromShareableHandle(&mut import, by_value, DESCRIPTOR, 1));
        assert_eq!(flags, INVALID_VALUE);
    }

    fn a_pool_that_was_not_created_for_it_is_not_shared() {
        let pool = create(HandleType::cudaMemHandleTypeNone).unwrap();
        assert_eq!(descriptor(pool).map(drop), Err(INVALID_VALUE));
        assert_eq!(create(HandleType::cudaMemHandleTypeWin32), Err(INVALID_VALUE));
    }
}

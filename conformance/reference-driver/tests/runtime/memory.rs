//! Memory, copies, and the attributes of a pointer.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::runtime::{cudaError, cudaMemcpyKind as Kind, cudaMemoryType, cudaPointerAttributes};

use crate::*;

fn attributes(pointer: *const c_void) -> Result<cudaPointerAttributes> {
    let mut attributes = cudaPointerAttributes::default();
    code!(cudaPointerGetAttributes(&mut attributes, pointer)).result().map(|()| attributes)
}

/// Returns the kind, the device, the device pointer and the host pointer, the pointers as offsets from `pointer`.
fn known(pointer: *mut c_void) -> (cudaMemoryType, i32, Option<isize>, Option<isize>) {
    let found = attributes(pointer).unwrap_or_else(|code| panic!("{code}"));
    let offset = |other: *mut c_void| (!other.is_null()).then(|| other as isize - pointer as isize);
    (found.type_, found.device, offset(found.devicePointer), offset(found.hostPointer))
}

/// Copies in the direction of `kind`.
fn copy(to: *mut c_void, from: *const c_void, size: usize, kind: Kind) -> cudaError {
    code!(cudaMemcpy(to, from, size, kind))
}

fn read(pointer: *mut c_void) -> u32 {
    let mut word = 0_u32;
    assert_eq!(copy((&raw mut word).cast(), pointer, 4, Kind::cudaMemcpyDeviceToHost), SUCCESS);
    word
}

fn write(pointer: *mut c_void, word: u32) {
    assert_eq!(copy(pointer, (&raw const word).cast(), 4, Kind::cudaMemcpyHostToDevice), SUCCESS);
}

fn free_bytes() -> usize {
    let (mut free, mut total) = (0, 0);
    call!(cudaMemGetInfo(&mut free, &mut total));
    assert!(free <= total);
    free
}

tests! {
    fn memory_is_allocated_and_freed_once() {
        let before = free_bytes();
        let memory = memory(4 * MIB);
        assert_eq!(before - free_bytes(), 4 * MIB);
        assert_eq!(code!(cudaFree(memory.wrapping_byte_add(1))), INVALID_VALUE);
        call!(cudaFree(memory));
        assert_eq!((free_bytes(), code!(cudaFree(memory))), (before, INVALID_VALUE));
        assert_eq!(malloc(1 << 50), Err(cudaError::cudaErrorMemoryAllocation));
    }

    fn null_is_freed_and_nothing_is_allocated() {
        call!(cudaFree(ptr::null_mut()));
        call!(cudaFreeHost(ptr::null_mut()));
        assert!(is_active(0), "freeing null is the usual way to initialise a device");
        assert_eq!(malloc(0), Ok(ptr::null_mut()));
    }

    fn outputs_have_to_be_there() {
        assert_eq!(code!(cudaMalloc(ptr::null_mut(), 4)), INVALID_VALUE);
        assert_eq!(code!(cudaMalloc(ptr::null_mut(), 0)), INVALID_VALUE);
        assert_eq!(code!(cudaMallocHost(ptr::null_mut(), 4)), INVALID_VALUE);
        assert_eq!(code!(cudaMallocManaged(ptr::null_mut(), 4, 1)), INVALID_VALUE);
        assert_eq!(code!(cudaMemGetInfo(ptr::null_mut(), ptr::null_mut())), INVALID_VALUE);
        assert_eq!(code!(cudaPointerGetAttributes(ptr::null_mut(), ptr::null())), INVALID_VALUE);
        assert_eq!(code!(cudaGetDevice(ptr::null_mut())), INVALID_VALUE);
        assert_eq!(code!(cudaGetDeviceCount(ptr::null_mut())), INVALID_VALUE);
    }

    fn the_kinds_of_memory_are_told_apart() {
        type T = cudaMemoryType;
        call!(cudaSetDevice(1));
        let (mut managed, mut host, mut pooled) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let linear = memory(4096);
        call!(cudaMallocManaged(&mut managed, 4096, 1));
        call!(cudaHostAlloc(&mut host, 4096, 0));
        call!(cudaMallocAsync(&mut pooled, 4096, DEFAULT));
        for inside in [0, 4095] {
            let at = |pointer: *mut c_void| known(pointer.wrapping_byte_add(inside));
            assert_eq!(at(linear), (T::cudaMemoryTypeDevice, 1, Some(0), None));
            assert_eq!(at(pooled), (T::cudaMemoryTypeDevice, 1, Some(0), None));
            assert_eq!(at(managed), (T::cudaMemoryTypeManaged, 1, Some(0), Some(0)));
            assert_eq!(at(host), (T::cudaMemoryTypeHost, 1, Some(0), Some(0)));
        }
        call!(cudaSetDevice(0));
        assert_eq!(known(linear), (T::cudaMemoryTypeDevice, 1, None, None), "not accessible without peer access");
        call!(cudaDeviceEnablePeerAccess(1, 0));
        assert_eq!(known(linear), (T::cudaMemoryTypeDevice, 1, Some(0), None));
    }

    fn memory_that_cuda_does_not_know_is_unregistered() {
        type T = cudaMemoryType;
        let mut page = vec![0_u8; 3 * 4096];
        let own = page.as_mut_ptr().cast::<c_void>();
        assert_eq!(known(own).0, T::cudaMemoryTypeUnregistered);
        assert_eq!(attributes(ptr::null()).map(|found| found.type_), Ok(T::cudaMemoryTypeUnregistered));
        assert_eq!(code!(cudaPeekAtLastError()), SUCCESS);
        call!(cudaHostRegister(own, page.len(), 0));
        assert_eq!(code!(cudaHostRegister(own, page.len(), 0)), cudaError::cudaErrorHostMemoryAlreadyRegistered);
        assert_eq!(known(own), (T::cudaMemoryTypeHost, 0, Some(0), Some(0)));
        call!(cudaHostUnregister(own));
        assert_eq!(code!(cudaHostUnregister(own)), cudaError::cudaErrorHostMemoryNotRegistered);
        assert_eq!(known(own).0, T::cudaMemoryTypeUnregistered);
        let freed = memory(4096);
        call!(cudaFree(freed));
        assert_eq!(known(freed).0, T::cudaMemoryTypeUnregistered);
    }

    fn copies_go_every_way() {
        let (one, other) = (memory(8), memory(8));
        write(one, 7);
        assert_eq!(copy(other, one, 4, Kind::cudaMemcpyDeviceToDevice), SUCCESS);
        assert_eq!(read(other), 7);
        write(other, 8);
        assert_eq!(copy(one, other, 4, Kind::cudaMemcpyDefault), SUCCESS);
        assert_eq!(read(one), 8);
        let (from, mut to) = (9_u32, 0_u32);
        assert_eq!(copy((&raw mut to).cast(), (&raw const from).cast(), 4, Kind::cudaMemcpyHostToHost), SUCCESS);
        call!(cudaMemcpyAsync(one, (&raw const to).cast(), 4, Kind::cudaMemcpyHostToDevice, DEFAULT));
        call!(cudaMemcpyAsync(other, one, 4, Kind::cudaMemcpyDeviceToDevice, DEFAULT));
        call!(cudaMemcpyAsync((&raw mut to).cast(), other, 4, Kind::cudaMemcpyDeviceToHost, DEFAULT));
        call!(cudaStreamSynchronize(DEFAULT));
        assert_eq!(to, 9);
    }

    fn a_direction_that_there_is_not_is_refused() {
        let memory = memory(8);
        for kind in [Kind(5), Kind(u32::MAX)] {
            assert_eq!(copy(memory, memory, 4, kind), cudaError::cudaErrorInvalidMemcpyDirection);
            let code = code!(cudaMemcpyAsync(memory, memory, 4, kind, DEFAULT));
            assert_eq!(code, cudaError::cudaErrorInvalidMemcpyDirection);
        }
        assert_eq!(copy(memory, memory.wrapping_byte_add(4), 5, Kind::cudaMemcpyDeviceToDevice), INVALID_VALUE);
    }

    fn a_fill_takes_the_lowest_byte() {
        let memory = memory(8);
        call!(cudaMemset(memory, 0x0012_34ab, 8));
        assert_eq!(read(memory), 0xabab_abab);
        call!(cudaMemsetAsync(memory, 1, 2, DEFAULT));
        assert_eq!(read(memory), 0xabab_0101);
        assert_eq!(code!(cudaMemset(memory, 1, 9)), INVALID_VALUE);
    }

    fn devices_copy_between_each_other() {
        let here = memory(4);
        write(here, 7);
        call!(cudaSetDevice(1));
        let there = memory(4);
        call!(cudaMemcpyPeer(there, 1, here, 0, 4));
        assert_eq!(read(there), 7);
        write(there, 8);
        call!(cudaMemcpyPeerAsync(here, 0, there, 1, 4, DEFAULT));
        assert_eq!(read(here), 8);
        assert_eq!(code!(cudaMemcpyPeer(there, 2, here, 0, 4)), INVALID_DEVICE);
    }
}

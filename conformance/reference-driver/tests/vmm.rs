//! Physical memory, reserved addresses, mappings and access, within one process.

// A failing kernel ends the device work of its whole process, so those tests run in processes of their own.
#[macro_use]
#[path = "common/own_process.rs"]
mod own_process;
#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;

use std::ffi::c_void;
use std::ptr;

use calls::*;
use common::turn::my_turn;
use cuda_ipc_sys::{
    CUdeviceptr, CUmemAccessDesc, CUmemAllocationGranularity_flags, CUmemAllocationProp, CUmemLocation,
    CUmemLocationType, CUpointer_attribute as Attribute, CUresult,
};

const ILLEGAL_ADDRESS: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
const GIB: usize = 1 << 30;

fn at(size: usize, alignment: usize, hint: CUdeviceptr, flags: u64) -> Answer<CUdeviceptr> {
    let mut base = 0;
    code!(cuMemAddressReserve(&mut base, size, alignment, hint, flags)).result().map(|()| base)
}

fn free(base: CUdeviceptr, size: usize) -> Answer<()> {
    code!(cuMemAddressFree(base, size)).result()
}

fn map_at(base: CUdeviceptr, size: usize, offset: usize, handle: u64, flags: u64) -> Answer<()> {
    code!(cuMemMap(base, size, offset, handle, flags)).result()
}

fn unmap_at(base: CUdeviceptr, size: usize) -> Answer<()> {
    code!(cuMemUnmap(base, size)).result()
}

fn attribute_of(pointer: CUdeviceptr, attribute: Attribute) -> Answer<u64> {
    let mut value = 0_u64;
    code!(cuPointerGetAttribute((&raw mut value).cast(), attribute, pointer)).result().map(|()| value)
}

fn retain(pointer: CUdeviceptr) -> Answer<u64> {
    let mut handle = 0;
    code!(cuMemRetainAllocationHandle(&mut handle, pointer as *mut c_void)).result().map(|()| handle)
}

fn properties_of(handle: u64) -> Answer<CUmemAllocationProp> {
    let mut properties = CUmemAllocationProp::default();
    code!(cuMemGetAllocationPropertiesFromHandle(&mut properties, handle)).result().map(|()| properties)
}

#[test]
fn reserved_addresses_keep_to_alignment_and_pages() {
    let _turn = my_turn();
    call!(cuInit(0));
    let base = at(2 * GRANULE, GIB, 0, 0).unwrap();
    assert_eq!(base % GIB as u64, 0);
    for (size, alignment, hint, flags) in
        [(0, 0, 0, 0), (GRANULE - 1, 0, 0, 0), (GRANULE, 3, 0, 0), (GRANULE, 0, base + 8, 0), (GRANULE, 0, 0, 1)]
    {
        assert_eq!(at(size, alignment, hint, flags), Err(INVALID_VALUE), "{size} {alignment} {hint} {flags}");
    }
    assert_eq!(at(usize::MAX & !4095, 0, 0, 0), Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
    let elsewhere = at(GRANULE, 0, base, 0).unwrap();
    assert!(elsewhere + GRANULE as u64 <= base || elsewhere >= base + 2 * GRANULE as u64, "a hint in use is ignored");
    for (pointer, size) in [(base + GRANULE as u64, GRANULE), (base, GRANULE), (base, 0), (0, 2 * GRANULE)] {
        assert_eq!(free(pointer, size), Err(INVALID_VALUE));
    }
    assert_eq!((free(base, 2 * GRANULE), free(elsewhere, GRANULE)), (Ok(()), Ok(())));
    assert_eq!(free(base, 2 * GRANULE), Err(INVALID_VALUE), "they are already free");
}

#[test]
fn one_granularity_serves_every_kind_of_memory() {
    let _turn = my_turn();
    call!(cuInit(0));
    use CUmemAllocationGranularity_flags as G;
    let wished = properties(CUmemLocation::device(0), DESCRIPTOR | FABRIC);
    let mut size = 0;
    for option in [G::CU_MEM_ALLOC_GRANULARITY_MINIMUM, G::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED] {
        call!(cuMemGetAllocationGranularity(&mut size, &wished, option));
        assert_eq!(size, GRANULE);
    }
    assert_eq!(code!(cuMemGetAllocationGranularity(&mut size, &wished, G(2))), INVALID_VALUE);
    assert_eq!(code!(cuMemGetAllocationGranularity(ptr::null_mut(), &wished, G(0))), INVALID_VALUE);
}

#[test]
fn memory_is_made_as_its_properties_say() {
    let _turn = my_turn();
    let _context = Context::new();
    use CUmemLocationType as L;
    let device = CUmemLocation::device(0);
    let plain = properties(device, NO_TYPE);
    let of = |properties: &CUmemAllocationProp, size, flags| {
        let mut handle = 0;
        code!(cuMemCreate(&mut handle, size, properties, flags)).result().map(|()| handle)
    };
    for (size, flags) in [(0, 0), (GRANULE - 1, 0), (GRANULE + 4096, 0), (GRANULE, 1)] {
        assert_eq!(of(&plain, size, flags), Err(INVALID_VALUE), "{size} {flags}");
    }
    assert_eq!(code!(cuMemCreate(ptr::null_mut(), GRANULE, &plain, 0)), INVALID_VALUE);
    assert_eq!(of(&CUmemAllocationProp::default(), GRANULE, 0), Err(INVALID_VALUE), "invalid allocation type");
    for (location, code) in [
        (CUmemLocation::device(-1), INVALID_DEVICE),
        (CUmemLocation::device(2), INVALID_DEVICE),
        (CUmemLocation::new(L::CU_MEM_LOCATION_TYPE_INVALID, 0), INVALID_VALUE),
        (CUmemLocation::new(L(0xFF), 0), INVALID_VALUE),
        (CUmemLocation::new(L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0), INVALID_VALUE),
        (CUmemLocation::host_numa(1000), INVALID_VALUE),
    ] {
        assert_eq!(create_at(location, GRANULE, NO_TYPE), Err(code), "{:?} {}", location.type_, location.id());
    }
    assert_eq!(create_at(CUmemLocation::host(), GRANULE, DESCRIPTOR), Err(INVALID_VALUE), "HOST cannot be shared");
    let mut odd = plain;
    odd.win32HandleMetaData = ptr::dangling_mut();
    assert_eq!(of(&odd, GRANULE, 0), Err(INVALID_VALUE));
    odd = plain;
    odd.allocFlags.gpuDirectRDMACapable = 1;
    assert_eq!(of(&odd, GRANULE, 0), Err(NOT_SUPPORTED), "as the device attribute says");
    for kind in [Types::CU_MEM_HANDLE_TYPE_WIN32, Types::CU_MEM_HANDLE_TYPE_WIN32_KMT] {
        assert_eq!(create(GRANULE, kind), Err(INVALID_VALUE));
    }
    assert_eq!(create(1 << 45, NO_TYPE), Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
    let before = free_bytes();
    let handle = create(3 * GRANULE, cuda_ipc_sys::CUmemAllocationHandleType(0x40)).unwrap();
    assert_eq!(free_bytes(), before - 3 * GRANULE);
    assert_eq!((release(handle), release(handle)), (Ok(()), Err(INVALID_VALUE)));
    assert_eq!(free_bytes(), before);
}

#[test]
fn properties_tell_what_was_obtained() {
    let _turn = my_turn();
    call!(cuInit(0));
    for (location, types) in [
        (CUmemLocation::device(0), NO_TYPE),
        (CUmemLocation::device(1), DESCRIPTOR),
        (CUmemLocation::host(), NO_TYPE),
        (CUmemLocation::host_numa(0), DESCRIPTOR),
    ] {
        let handle = create_at(location, GRANULE, types).unwrap();
        let obtained = properties_of(handle).unwrap();
        assert_eq!((obtained.location.type_, obtained.location.id()), (location.type_, location.id()));
        assert_eq!((obtained.type_.0, obtained.requestedHandleTypes), (1, types));
        let base = map(handle, GRANULE).unwrap();
        let allowed = attribute_of(base, Attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES);
        assert_eq!(allowed, Ok(types.0.into()));
        assert_eq!(code!(cuMemGetAllocationPropertiesFromHandle(ptr::null_mut(), handle)), INVALID_VALUE);
        assert_eq!((unmap(base, GRANULE), release(handle)), (Ok(()), Ok(())));
    }
    assert_eq!(properties_of(0).map(|_| ()), Err(INVALID_VALUE));
}

#[test]
fn only_free_reserved_addresses_can_be_mapped() {
    let _turn = my_turn();
    let _context = Context::new();
    let base = reserve(4 * GRANULE);
    let handle = create(2 * GRANULE, NO_TYPE).unwrap();
    let mut linear = 0;
    call!(cuMemAlloc(&mut linear, 2 * GRANULE));
    for (pointer, size, offset, flags) in [
        (base, 3 * GRANULE, 0, 0),
        (base, 0, 0, 0),
        (base, GRANULE + 4096, 0, 0),
        (base + 4096, GRANULE, 0, 0),
        (base, GRANULE, GRANULE, 0),
        (base, GRANULE, 0, 1),
        (base + 3 * GRANULE as u64, 2 * GRANULE, 0, 0),
        (linear, GRANULE, 0, 0),
        (0, GRANULE, 0, 0),
    ] {
        assert_eq!(map_at(pointer, size, offset, handle, flags), Err(INVALID_VALUE), "{size} {offset} {flags}");
    }
    assert_eq!(map_at(base, GRANULE, 0, handle + 1, 0), Err(INVALID_VALUE));
    assert_eq!(map_at(base, GRANULE, 0, handle, 0), Ok(()), "a part of the memory");
    assert_eq!(map_at(base, GRANULE, 0, handle, 0), Err(INVALID_VALUE), "memory is already mapped there");
    assert_eq!(map_at(base + 2 * GRANULE as u64, 2 * GRANULE, 0, handle, 0), Ok(()), "all of it, once more");
    assert_eq!(free(base, 4 * GRANULE), Err(INVALID_VALUE), "memory is still mapped there");
    assert_eq!((unmap(base, 4 * GRANULE), release(handle)), (Ok(()), Ok(())));
    assert_eq!(code!(cuMemFree(linear)), CUresult::CUDA_SUCCESS);
}

#[test]
fn aliases_show_the_same_memory_and_have_their_own_access() {
    let _turn = my_turn();
    let _context = Context::new();
    let handle = create(GRANULE, NO_TYPE).unwrap();
    let (one, other) = (map(handle, GRANULE).unwrap(), map(handle, GRANULE).unwrap());
    assert_eq!(grant(one, GRANULE, READ_WRITE), Ok(()));
    assert_eq!(read(other), Err(INVALID_VALUE));
    assert_eq!(grant(other, GRANULE, READ), Ok(()));
    assert_eq!((fill(one, 100, 3), read(other + 396)), (Ok(()), Ok(kernels::pattern(3, 99))));
    let block = |pointer| attribute_of(pointer, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID).unwrap();
    assert_eq!(block(one), block(other));
    assert_eq!((unmap(one, GRANULE), read(other + 396)), (Ok(()), Ok(kernels::pattern(3, 99))));
    assert_eq!((unmap(other, GRANULE), release(handle)), (Ok(()), Ok(())));
}

#[test]
fn unmapping_takes_whole_mappings_and_their_access() {
    let _turn = my_turn();
    let _context = Context::new();
    let base = reserve(4 * GRANULE);
    let handle = create(2 * GRANULE, NO_TYPE).unwrap();
    assert_eq!(map_at(base, 2 * GRANULE, 0, handle, 0), Ok(()));
    assert_eq!(map_at(base + 2 * GRANULE as u64, GRANULE, 0, handle, 0), Ok(()));
    assert_eq!(grant(base, 3 * GRANULE, READ_WRITE), Ok(()));
    assert_eq!((write(base, 5), unmap_at(base, GRANULE)), (Ok(()), Err(INVALID_VALUE)));
    assert_eq!(read(base + 2 * GRANULE as u64), Ok(5), "nothing was unmapped");
    assert_eq!(unmap_at(base, 5 * GRANULE), Err(INVALID_VALUE), "beyond the reservation");
    assert_eq!(unmap_at(base, 4 * GRANULE), Ok(()), "both mappings, and the rest without a mapping");
    assert_eq!(unmap_at(base, 4 * GRANULE), Ok(()), "nothing is mapped any longer; it succeeds as on an H200");
    assert_eq!(map_at(base, GRANULE, 0, handle, 0), Ok(()));
    assert_eq!((granted(CUmemLocation::device(0), base), read(base)), (Ok(0), Err(INVALID_VALUE)));
    assert_eq!((unmap(base, 4 * GRANULE), release(handle)), (Ok(()), Ok(())));
}

#[test]
fn access_is_each_devices_own() {
    let _turn = my_turn();
    let other = Context::of_device(1);
    let context = Context::new();
    let (here, there) = (CUmemLocation::device(0), CUmemLocation::device(1));
    let handle = create(GRANULE, NO_TYPE).unwrap();
    let base = map(handle, GRANULE).unwrap();
    assert_eq!((granted(here, base), granted(there, base)), (Ok(0), Ok(0)));
    // Access to a mapping does not depend on peer access between contexts.
    assert_eq!(grant_to(there, base, GRANULE, READ_WRITE), Ok(()));
    assert_eq!((granted(here, base), granted(there, base)), (Ok(0), Ok(3)));
    assert_eq!((read(base), write(base, 1)), (Err(INVALID_VALUE), Err(INVALID_VALUE)));
    call!(cuCtxSetCurrent(other.0));
    assert_eq!((fill(base, 8, 7), read(base)), (Ok(()), Ok(kernels::pattern(7, 0))));
    call!(cuCtxSetCurrent(context.0));
    let both = [here, there].map(|location| CUmemAccessDesc { location, flags: READ });
    call!(cuMemSetAccess(base, GRANULE, both.as_ptr(), 2));
    assert_eq!(read(base), Ok(kernels::pattern(7, 0)));
    call!(cuCtxSetCurrent(other.0));
    assert_eq!(write(base, 1), Err(INVALID_VALUE));
    assert_eq!((unmap(base, GRANULE), release(handle)), (Ok(()), Ok(())));
}

tests! {
    fn memory_that_may_be_read_is_written_by_nobody() {
        let _context = Context::new();
        let handle = create(GRANULE, NO_TYPE).unwrap();
        let base = map(handle, GRANULE).unwrap();
        assert_eq!((grant(base, GRANULE, READ_WRITE), fill(base, 100, 7)), (Ok(()), Ok(())));
        assert_eq!(grant(base, GRANULE, READ), Ok(()));
        assert_eq!((read(base), verify(base, 100, 7)), (Ok(kernels::pattern(7, 0)), Ok(0)));
        assert_eq!(write(base, 1), Err(INVALID_VALUE));
        assert_eq!(code!(cuMemsetD8(base, 1, 4)), INVALID_VALUE);
        assert_eq!(code!(cuMemcpyDtoD(base + 4096, base, 4)), INVALID_VALUE);
        assert_eq!(fill(base, 1, 9), Err(ILLEGAL_ADDRESS));
        assert_eq!((unmap(base, GRANULE), release(handle)), (Ok(()), Ok(())));
    }
}

tests! {
    fn access_that_is_taken_back_is_gone() {
        let _context = Context::new();
        let handle = create(GRANULE, NO_TYPE).unwrap();
        let base = map(handle, GRANULE).unwrap();
        assert_eq!((grant(base, GRANULE, READ_WRITE), write(base, 1)), (Ok(()), Ok(())));
        assert_eq!(grant(base, GRANULE, NONE), Ok(()));
        assert_eq!((granted(CUmemLocation::device(0), base), read(base)), (Ok(0), Err(INVALID_VALUE)));
        assert_eq!(code!(cuMemsetD8(base, 1, 4)), INVALID_VALUE);
        assert_eq!(verify(base, 1, 7), Err(ILLEGAL_ADDRESS));
        assert_eq!((unmap(base, GRANULE), release(handle)), (Ok(()), Ok(())));
    }
}

#[test]
fn access_is_granted_to_whole_mappings_and_known_locations() {
    let _turn = my_turn();
    let _context = Context::new();
    let device = CUmemLocation::device(0);
    let base = reserve(3 * GRANULE);
    let handle = create(2 * GRANULE, NO_TYPE).unwrap();
    assert_eq!(map_at(base, 2 * GRANULE, 0, handle, 0), Ok(()));
    assert_eq!(grant(base, 3 * GRANULE, READ), Err(INVALID_VALUE), "no memory is mapped at the end");
    assert_eq!(grant(base, GRANULE, READ), Err(INVALID_VALUE), "it is half of a mapping");
    for (location, flags, code) in [
        (device, cuda_ipc_sys::CUmemAccess_flags(2), INVALID_VALUE),
        (CUmemLocation::default(), READ, INVALID_VALUE),
        (CUmemLocation::host(), READ, NOT_SUPPORTED),
        (CUmemLocation::host_numa(0), READ, NOT_SUPPORTED),
        (CUmemLocation::device(2), READ, INVALID_VALUE),
        (CUmemLocation::device(-1), READ, INVALID_VALUE),
    ] {
        assert_eq!(grant_to(location, base, 2 * GRANULE, flags), Err(code), "{:?}", location.type_);
    }
    let wanted = CUmemAccessDesc { location: device, flags: READ };
    assert_eq!(code!(cuMemSetAccess(base, 2 * GRANULE, &wanted, 0)), INVALID_VALUE);
    assert_eq!(code!(cuMemSetAccess(base, 2 * GRANULE, ptr::null(), 1)), INVALID_VALUE);
    assert_eq!(granted(device, base), Ok(0), "the refused calls granted nothing");
    assert_eq!(granted(device, base + 2 * GRANULE as u64), Err(INVALID_VALUE));
    assert_eq!(granted(CUmemLocation::default(), base), Err(INVALID_VALUE));
    assert_eq!((unmap(base, 3 * GRANULE), release(handle)), (Ok(()), Ok(())));
}

#[test]
fn a_retained_handle_is_the_one_that_was_mapped() {
    let _turn = my_turn();
    let _context = Context::new();
    let before = free_bytes();
    let handle = create(GRANULE, DESCRIPTOR).unwrap();
    let base = map(handle, GRANULE).unwrap();
    assert_eq!(retain(base + 5), Ok(handle));
    assert_eq!((release(handle), release(handle)), (Ok(()), Ok(())), "the retain added one reference");
    assert_eq!(release(handle), Err(INVALID_VALUE));
    assert_eq!(retain(base), Ok(handle), "the mapping keeps the memory, and the handle is valid again");
    assert_eq!(properties_of(handle).unwrap().requestedHandleTypes, DESCRIPTOR);
    assert_eq!(unmap(base, GRANULE), Ok(()));
    assert_eq!(free_bytes(), before - GRANULE, "the handle keeps the memory");
    assert_eq!((release(handle), free_bytes()), (Ok(()), before));
    let (mut linear, mut pooled) = (0, 0);
    call!(cuMemAlloc(&mut linear, GRANULE));
    call!(cuMemAllocAsync(&mut pooled, GRANULE, ptr::null_mut()));
    for pointer in [0, base, linear, pooled] {
        assert_eq!(retain(pointer), Err(INVALID_VALUE));
    }
    call!(cuMemFree(pooled));
}

#[test]
fn a_mapping_keeps_memory_whose_handle_is_released() {
    let _turn = my_turn();
    let _context = Context::new();
    let before = free_bytes();
    let handle = create(GRANULE, NO_TYPE).unwrap();
    let base = map(handle, GRANULE).unwrap();
    assert_eq!((release(handle), free_bytes()), (Ok(()), before - GRANULE));
    assert_eq!((grant(base, GRANULE, READ_WRITE), write(base, 5), read(base)), (Ok(()), Ok(()), Ok(5)));
    assert_eq!(code!(cuMemFree(base)), INVALID_VALUE, "it was not allocated by cuMemAlloc");
    assert_eq!((unmap(base, GRANULE), free_bytes()), (Ok(()), before));
}

#[test]
fn memory_outlives_the_context_that_was_current() {
    let _turn = my_turn();
    let context = Context::new();
    let handle = create(GRANULE, DESCRIPTOR).unwrap();
    let base = map(handle, GRANULE).unwrap();
    assert_eq!((grant(base, GRANULE, READ_WRITE), write(base, 5)), (Ok(()), Ok(())));
    drop(context);
    let _next = Context::new();
    assert_eq!(read(base), Ok(5));
    assert_eq!((unmap(base, GRANULE), release(handle)), (Ok(()), Ok(())));
}

#[test]
fn the_host_uses_its_own_memory_at_the_same_addresses() {
    let _turn = my_turn();
    for location in [CUmemLocation::host(), CUmemLocation::host_numa(0)] {
        let _context = Context::new();
        let before = free_bytes();
        let handle = create_at(location, GRANULE, NO_TYPE).unwrap();
        assert_eq!(free_bytes(), before, "it takes no device memory");
        let base = map(handle, GRANULE).unwrap();
        assert_eq!(grant_to(location, base, GRANULE, READ_WRITE), Ok(()));
        assert_eq!((granted(location, base), granted(CUmemLocation::device(0), base)), (Ok(3), Ok(0)));
        // SAFETY: the host was given access.
        unsafe { (base as *mut u32).write(5) };
        assert_eq!(read(base), Ok(5), "copies may use it too");
        assert_eq!(grant(base, GRANULE, READ_WRITE), Ok(()));
        assert_eq!((read(base), fill(base, 8, 7)), (Ok(5), Ok(())));
        // SAFETY: as above.
        assert_eq!(unsafe { (base as *const u32).add(7).read() }, kernels::pattern(7, 7));
        assert_eq!(attribute_of(base, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), Ok(1));
        assert_eq!((unmap(base, GRANULE), release(handle)), (Ok(()), Ok(())));
    }
}

/// Checks that a kernel fails in memory of the host to which only the host has access, although a copy succeeds.
fn a_kernel_fails_in_memory_of(location: CUmemLocation) {
    let _context = Context::new();
    let base = map(create_at(location, GRANULE, NO_TYPE).unwrap(), GRANULE).unwrap();
    assert_eq!(grant_to(location, base, GRANULE, READ_WRITE), Ok(()));
    assert_eq!((write(base, 5), fill(base, 1, 7)), (Ok(()), Err(ILLEGAL_ADDRESS)));
}

tests! {
    fn kernels_need_access_of_their_own_to_memory_of_the_host() {
        a_kernel_fails_in_memory_of(CUmemLocation::host());
    }

    fn kernels_need_access_of_their_own_to_memory_of_a_numa_node() {
        a_kernel_fails_in_memory_of(CUmemLocation::host_numa(0));
    }
}

#[test]
fn of_mappings_side_by_side_a_range_is_one() {
    let _turn = my_turn();
    let _context = Context::new();
    let base = reserve(3 * GRANULE);
    let handle = create(2 * GRANULE, NO_TYPE).unwrap();
    assert_eq!(map_at(base, GRANULE, 0, handle, 0), Ok(()));
    assert_eq!(map_at(base + GRANULE as u64, 2 * GRANULE, 0, handle, 0), Ok(()));
    let (mut first, mut size) = (0, 0);
    call!(cuMemGetAddressRange(&mut first, &mut size, base + GRANULE as u64 + 7));
    assert_eq!((first, size), (base + GRANULE as u64, 2 * GRANULE));
    assert_eq!(attribute_of(base, Attribute::CU_POINTER_ATTRIBUTE_MAPPING_SIZE), Ok(GRANULE as u64));
    assert_eq!(attribute_of(base, Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE), Ok(3 * GRANULE as u64));
    assert_eq!((unmap(base, 3 * GRANULE), release(handle)), (Ok(()), Ok(())));
    let nothing = code!(cuMemGetAddressRange(&mut first, &mut size, base));
    assert_eq!(nothing, CUresult::CUDA_ERROR_NOT_FOUND);
}

//! Pools within one process, and rules that hold whether or not a pool is shared.

use crate::*;

#[test]
fn freed_memory_is_kept_up_to_the_threshold_and_until_it_is_trimmed() {
    let _turn = turn();
    let pool = create(&properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)).unwrap();
    let first = allocate(pool, 4 * MIB).unwrap();
    free(first);
    assert_eq!(reserved(pool), Ok(0));
    let mut threshold = 4 * MIB;
    let name = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    call!(cuMemPoolSetAttribute(pool, name, (&raw mut threshold).cast()));
    let (first, second) = (allocate(pool, 4 * MIB).unwrap(), allocate(pool, 4 * MIB).unwrap());
    call!(cuMemsetD32(first, 7, 1));
    free(first);
    assert_eq!(reserved(pool), Ok(4 * MIB), "the memory in use already reaches the threshold");
    call!(cuMemsetD32(second, 7, 1));
    free(second);
    assert_eq!((reserved(pool), used(pool)), (Ok(4 * MIB), Ok(0)));
    let third = allocate(pool, 4 * MIB).unwrap();
    assert_eq!((third, read(third)), (second, Ok(0)), "the same memory, filled with zeros");
    free(third);
    call!(cuMemPoolTrimTo(pool, 4 * MIB as usize));
    assert_eq!(reserved(pool), Ok(4 * MIB));
    call!(cuMemPoolTrimTo(pool, 0));
    assert_eq!(reserved(pool), Ok(0));

    threshold = 16 * MIB;
    call!(cuMemPoolSetAttribute(pool, name, (&raw mut threshold).cast()));
    let before = free_bytes();
    let (first, last) = (allocate(pool, 4 * MIB).unwrap(), allocate(pool, 4 * MIB).unwrap());
    free(first);
    call!(cuMemPoolDestroy(pool));
    assert_eq!(before - free_bytes(), 4 * MIB, "a destroyed pool keeps only the memory in use");
    free(last);
    assert_eq!(free_bytes(), before);
}

fn read_unified(pointer: u64) -> Result<u32> {
    let mut word = 0_u32;
    code!(cuMemcpy((&raw mut word) as u64, pointer, 4)).result().map(|()| word)
}

#[test]
fn pools_of_the_host_are_the_hosts_until_a_device_has_access() {
    let _turn = turn();
    let node = CUmemPoolProps { location: CUmemLocation::host_numa(0), ..properties(DESCRIPTOR) };
    let pool = create(&node).unwrap();
    let descriptor = export(pool, DESCRIPTOR).unwrap();
    let imported = import(descriptor.as_raw_fd()).unwrap();
    let own = allocate(pool, 4096).unwrap();
    // SAFETY: the memory is host memory and mapped, and nothing else uses it.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(own as usize).write(7) };
    // Seen on an H200: only a copy that takes any addresses takes these.
    assert_eq!((read(own), read_unified(own)), (Err(INVALID_VALUE), Ok(7)));
    assert_eq!(pointer_attribute(own, CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), 1);
    let data = export_pointer(own).unwrap();
    let pointer = import_pointer(imported, data).unwrap();
    assert_eq!(code!(cuMemsetD8(pointer, 8, 4096)), INVALID_VALUE);
    assert_eq!(grant(imported, 0, Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE), SUCCESS);
    assert_eq!((read(pointer), read_unified(pointer)), (Err(INVALID_VALUE), Ok(7)));
    call!(cuMemsetD8(pointer, 8, 4096));
    assert_eq!(read_unified(own), Ok(0x0808_0808));
    assert_eq!(import_pointer(imported, data), Err(CUresult::CUDA_ERROR_ALREADY_MAPPED));
    free(pointer);
    assert_eq!(read_unified(pointer), Err(INVALID_VALUE), "the failed import added no reference");
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn managed_pools_are_everybodys_and_cannot_be_shared() {
    let turn = turn();
    let managed = CUmemPoolProps {
        allocType: Kind::CU_MEM_ALLOCATION_TYPE_MANAGED,
        ..properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)
    };
    let pool = create(&managed).unwrap();
    let pointer = allocate(pool, 4096).unwrap();
    // SAFETY: the host may use managed memory, and nothing else uses it.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(pointer as usize).write(7) };
    for context in turn.contexts {
        call!(cuCtxSetCurrent(context));
        assert_eq!(read(pointer), Ok(7));
    }
    assert_eq!(pointer_attribute(pointer, CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED), 1);
    free(pointer);
    call!(cuMemPoolDestroy(pool));
    assert_eq!(create(&CUmemPoolProps { handleTypes: DESCRIPTOR, ..managed }), Err(INVALID_VALUE));
    assert_eq!(create(&CUmemPoolProps { maxSize: 1 << 21, ..managed }), Err(INVALID_VALUE));
}

#[test]
fn impossible_pools_are_refused() {
    type L = CUmemLocationType;
    let _turn = turn();
    let wished = properties(DESCRIPTOR);
    let at = |location| CUmemPoolProps { location, ..wished };
    let mut reserved = wished;
    reserved.reserved[7] = 1;
    let refused = [
        at(CUmemLocation::host()),
        at(CUmemLocation::host_numa(1)),
        at(CUmemLocation::device(-1)),
        at(CUmemLocation::device(2)),
        at(CUmemLocation::new(L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0)),
        at(CUmemLocation::new(L::CU_MEM_LOCATION_TYPE_NONE, 0)),
        at(CUmemLocation::new(CUmemLocationType(99), 0)),
        properties(HandleType(2)),
        properties(HandleType(16)),
        CUmemPoolProps { allocType: Kind::CU_MEM_ALLOCATION_TYPE_INVALID, ..wished },
        reserved,
    ];
    for properties in &refused {
        assert_eq!(create(properties), Err(INVALID_VALUE), "{:?}", properties.location.type_);
    }
    let mut pool = ptr::null_mut();
    assert_eq!(code!(cuMemPoolCreate(&mut pool, ptr::null())), INVALID_VALUE);
    assert_eq!(code!(cuMemPoolCreate(ptr::null_mut(), &wished)), INVALID_VALUE);
}

#[test]
fn each_kind_of_memory_has_a_default_pool_and_a_current_one() {
    let _turn = turn();
    let places = [(CUmemLocation::device(0), 1), (CUmemLocation::device(1), 1), (CUmemLocation::host_numa(0), 1)];
    let places = places.into_iter().chain([(CUmemLocation::host(), 1), (CUmemLocation::device(0), 2)]);
    let mut defaults = Vec::new();
    for (mut location, kind) in places {
        let (mut default, mut current) = (ptr::null_mut(), ptr::null_mut());
        call!(cuMemGetDefaultMemPool(&mut default, &mut location, Kind(kind)));
        call!(cuMemGetMemPool(&mut current, &mut location, Kind(kind)));
        assert_eq!(default, current);
        assert!(!defaults.contains(&default));
        assert_eq!(code!(cuMemPoolDestroy(default)), INVALID_VALUE);
        defaults.push(default);
    }
    let (pool, mut current) = (create(&properties(DESCRIPTOR)).unwrap(), ptr::null_mut());
    assert_eq!(code!(cuDeviceSetMemPool(1, pool)), INVALID_VALUE, "the pool is of another device");
    call!(cuDeviceSetMemPool(0, pool));
    call!(cuMemGetMemPool(&mut current, &mut CUmemLocation::device(0), Kind(1)));
    assert_eq!(current, pool);
    let mut pointer = 0;
    call!(cuMemAllocAsync(&mut pointer, 4096, DEFAULT));
    assert_eq!(used(pool), Ok(4096));
    free(pointer);
    call!(cuMemPoolDestroy(pool));
    call!(cuDeviceGetMemPool(&mut current, 0));
    assert_eq!(current, defaults[0], "a destroyed pool is no longer the current one");
}

#[test]
fn a_free_comes_after_the_work_before_it() {
    let _turn = turn();
    let (pool, _descriptor, _imported) = both_sides();
    let (memory, flag) = (allocate(pool, 4096).unwrap(), allocate(pool, 4).unwrap());
    let mut stream = ptr::null_mut();
    call!(cuStreamCreate(&mut stream, 1));
    let mut host = ptr::null_mut();
    call!(cuMemsetD32(memory, 7, 1));
    call!(cuCtxSynchronize());
    call!(cuStreamWaitValue32(stream, flag, 1, 0));
    call!(cuMemAllocHost(&mut host, 4));
    call!(cuMemcpyDtoHAsync(host, memory, 4, stream));
    call!(cuMemFreeAsync(memory, stream));
    assert_eq!(used(pool), Ok(4), "memory with a pending free is not in use");
    assert_eq!(code!(cuMemFreeAsync(memory, stream)), INVALID_VALUE);
    assert_ne!(allocate(pool, 4096), Ok(memory), "the memory is not free yet");
    call!(cuMemsetD32(flag, 1, 1));
    call!(cuStreamSynchronize(stream));
    // SAFETY: the memory is page-locked, and the copy into it is done.
    assert_eq!(unsafe { host.cast::<u32>().read() }, 7);
    assert_eq!(read(memory), Err(INVALID_VALUE));
    call!(cuMemFreeHost(host));
    call!(cuStreamDestroy(stream));
}

#[test]
fn attributes_that_came_later_or_are_counts_cannot_be_set() {
    let _turn = turn();
    let pool = create(&properties(DESCRIPTOR)).unwrap();
    let set = |name, mut value: u64| code!(cuMemPoolSetAttribute(pool, name, (&raw mut value).cast()));
    let pointer = allocate(pool, 4096).unwrap();
    free(pointer);
    assert_eq!(attribute(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH), Ok(4096));
    assert_eq!(set(Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 1), INVALID_VALUE);
    assert_eq!(set(Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0), SUCCESS);
    assert_eq!(attribute(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH), Ok(0));
    assert_eq!(set(Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 0), INVALID_VALUE);
    for number in [0, 9, 10, 15, 16, u32::MAX] {
        assert_eq!(attribute(pool, Attribute(number)), Err(INVALID_VALUE), "{number}");
        assert_eq!(set(Attribute(number), 0), INVALID_VALUE, "{number}");
    }
    call!(cuMemPoolDestroy(pool));
    assert_eq!(code!(cuMemPoolDestroy(pool)), INVALID_VALUE);
}

#[test]
fn no_place_that_there_is_none_of_has_access() {
    let _turn = turn();
    let pool = create(&properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)).unwrap();
    let mut flags = Access::CU_MEM_ACCESS_FLAGS_PROT_READ;
    let invalid = CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_INVALID, 0);
    for mut location in [CUmemLocation::device(-1), CUmemLocation::device(99), invalid] {
        assert_eq!(code!(cuMemPoolGetAccess(&mut flags, pool, &mut location)), INVALID_VALUE);
    }
    assert_eq!(flags, Access::CU_MEM_ACCESS_FLAGS_PROT_READ, "nothing was written");
    assert_eq!(grant(pool, 99, flags), CUresult::CUDA_ERROR_INVALID_DEVICE);
}

//! The rules of exports and imports, with the exporter and the importer in this process.

use crate::*;

tests! {
    fn access_is_each_devices_own_and_each_sides_own() {
        const ALL: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        const NONE: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_NONE;
        let turn = turn();
        let (pool, _descriptor, imported) = both_sides();
        assert_eq!(grant(pool, 1, ALL), SUCCESS);
        let own = allocate(pool, 4096).unwrap();
        let pointer = import_pointer(imported, export_pointer(own).unwrap()).unwrap();
        assert_eq!([granted(imported, 0), granted(imported, 1)], [ALL, NONE], "the exporter's grants stay with it");
        call!(cuCtxSetCurrent(turn.contexts[1]));
        assert_eq!((read(own), read(pointer)), (Ok(0), Err(INVALID_VALUE)));
        assert_eq!(code!(cuMemsetD8(pointer, 1, 1)), INVALID_VALUE);
        assert_eq!(grant(imported, 1, ALL), SUCCESS);
        assert_eq!(read(pointer), Ok(0));
        assert_eq!(grant(imported, 1, NONE), SUCCESS);
        assert_eq!(read(pointer), Err(INVALID_VALUE));
        assert_eq!(grant(imported, 0, NONE), CUresult::CUDA_ERROR_INVALID_DEVICE, "the pool's device keeps its access");
        let (mut module, mut fill) = (ptr::null_mut(), ptr::null_mut());
        call!(cuModuleLoadData(&mut module, kernels::FILL.ptx.as_ptr().cast()));
        call!(cuModuleGetFunction(&mut fill, module, kernels::FILL.entry.as_ptr()));
        let (count, seed) = (1_u64, 0_u32);
        let mut arguments = [
            (&raw const pointer).cast_mut().cast(),
            (&raw const count).cast_mut().cast(),
            (&raw const seed).cast_mut().cast(),
        ];
        call!(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, DEFAULT, arguments.as_mut_ptr(), ptr::null_mut()));
        assert_eq!(code!(cuCtxSynchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    }

    // The test counts the descriptors of its process, so it needs a process of its own.
    fn exports_leave_no_descriptor_and_threads_do_not_meet() {
        let _turn = turn();
        let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        let before = descriptors();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let (pool, descriptor, imported) = both_sides();
                        assert_eq!(import(descriptor.as_raw_fd()), Ok(imported));
                        for pool in [imported, imported, pool] {
                            call!(cuMemPoolDestroy(pool));
                        }
                    }
                });
            }
        });
        assert_eq!(descriptors(), before);
    }
}

#[test]
fn only_what_was_made_to_be_shared_is_exported() {
    let _turn = turn();
    let plain = create(&properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)).unwrap();
    let shared = create(&properties(DESCRIPTOR)).unwrap();
    let mut default = ptr::null_mut();
    call!(cuDeviceGetDefaultMemPool(&mut default, 0));
    for pool in [plain, default, ptr::null_mut()] {
        assert_eq!(export(pool, DESCRIPTOR).err(), Some(INVALID_VALUE));
    }
    for kind in [HandleType(0), HandleType(2), FABRIC, HandleType(64)] {
        assert_eq!(export(shared, kind).err(), Some(INVALID_VALUE), "{kind:?}");
    }
    let mut descriptor: RawFd = -1;
    let flagged = code!(cuMemPoolExportToShareableHandle((&raw mut descriptor).cast(), shared, DESCRIPTOR, 1));
    assert_eq!((flagged, descriptor), (INVALID_VALUE, -1));
    assert_eq!(code!(cuMemPoolExportToShareableHandle(ptr::null_mut(), shared, DESCRIPTOR, 0)), INVALID_VALUE);

    let (pointer, other) = (allocate(shared, 4096).unwrap(), allocate(plain, 4096).unwrap());
    assert_eq!(export_pointer(pointer), Err(INVALID_VALUE), "the pool is not exported yet");
    let descriptor = export(shared, DESCRIPTOR).unwrap();
    // SAFETY: the call only reads a flag of a descriptor.
    assert_eq!(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFD) }, 0, "a started program inherits it");
    assert!(export_pointer(pointer).is_ok());
    for refused in [other, pointer + 256, 0] {
        assert_eq!(export_pointer(refused), Err(INVALID_VALUE));
    }
    free(pointer);
    free(other);
    assert_eq!(export_pointer(pointer), Err(INVALID_VALUE));
    call!(cuMemPoolDestroy(plain));
    call!(cuMemPoolDestroy(shared));
}

/// As on an H200: physical memory for fabric handles is refused at its creation, a pool only at its export.
#[test]
fn without_a_channel_a_pool_for_the_fabric_is_created_and_not_exported() {
    let _turn = turn();
    for types in [FABRIC, DESCRIPTOR | FABRIC] {
        let pool = create(&properties(types)).unwrap();
        let pointer = allocate(pool, 4096).unwrap();
        let mut handle = CUmemFabricHandle::default();
        let refused = code!(cuMemPoolExportToShareableHandle((&raw mut handle).cast(), pool, FABRIC, 0));
        assert_eq!((refused, handle.to_bytes()), (CUresult::CUDA_ERROR_NOT_PERMITTED, [0; 64]));
        assert_eq!(export_pointer(pointer), Err(INVALID_VALUE), "the pool is not exported");
        assert_eq!(export(pool, DESCRIPTOR).is_ok(), types != FABRIC);
        free(pointer);
        call!(cuMemPoolDestroy(pool));
    }
}

#[test]
fn foreign_descriptors_are_refused_and_left_alone() {
    let _turn = turn();
    let mut pipe = [-1; 2];
    // SAFETY: the descriptors are new, and nothing else owns them.
    let made = unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        [pipe[0], pipe[1], libc::eventfd(0, 0), libc::memfd_create(c"cuda".as_ptr(), 0)]
            .map(|descriptor| OwnedFd::from_raw_fd(descriptor))
    };
    let (socket, _peer) = UnixStream::pair().unwrap();
    let mut others = Vec::from(made);
    others.extend([OwnedFd::from(socket), File::open("/dev/null").unwrap().into()]);
    others.push(File::open(std::env::current_exe().unwrap()).unwrap().into());
    for descriptor in &others {
        assert_eq!(import(descriptor.as_raw_fd()), Err(INVALID_VALUE), "{descriptor:?}");
        assert!(descriptor.try_clone().is_ok(), "it is still open");
    }
    for number in [-1, RawFd::MIN, RawFd::MAX] {
        assert_eq!(import(number), Err(INVALID_VALUE));
    }
    let (pool, descriptor, imported) = both_sides();
    let (mut output, number) = (ptr::null_mut(), descriptor.as_raw_fd());
    let pointer = (&raw const number).cast_mut().cast();
    let code = code!(cuMemPoolImportFromShareableHandle(&mut output, pointer, DESCRIPTOR, 0));
    assert_eq!(code, INVALID_VALUE, "the call takes the number, not its address");
    assert_eq!(import(number), Ok(imported), "one more reference to the same pool");
    call!(cuMemPoolDestroy(imported));
    assert_eq!(used(imported), Ok(0));
    call!(cuMemPoolDestroy(imported));
    assert_eq!(used(imported), Err(INVALID_VALUE));
    drop(descriptor);
    assert_eq!(import(number), Err(INVALID_VALUE), "it is closed");
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn an_imported_pool_only_imports() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    let pointer = import_pointer(imported, data).unwrap();
    assert_eq!(allocate(imported, 4096), Err(INVALID_VALUE));
    assert_eq!(export(imported, DESCRIPTOR).err(), Some(INVALID_VALUE));
    assert_eq!(export_pointer(pointer), Err(INVALID_VALUE));
    assert_eq!(code!(cuDeviceSetMemPool(0, imported)), INVALID_VALUE);
    let mut threshold = 1_u64;
    let name = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    assert_eq!(code!(cuMemPoolSetAttribute(imported, name, (&raw mut threshold).cast())), INVALID_VALUE);
    assert_eq!(import_pointer(pool, data), Err(INVALID_VALUE), "it is the exporting pool");
    free(pointer);
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn every_bit_of_the_data_counts_and_so_does_its_pool() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let (other, _other_descriptor, other_imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    for bit in 0..512 {
        let mut corrupted = data;
        corrupted[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(import_pointer(imported, corrupted), Err(INVALID_VALUE), "bit {bit}");
    }
    assert_eq!(import_pointer(imported, [0; 64]), Err(INVALID_VALUE));
    assert_eq!(import_pointer(other_imported, data), Err(INVALID_VALUE));
    free(own);
    for pool in [pool, imported, other, other_imported] {
        call!(cuMemPoolDestroy(pool));
    }
}

#[test]
fn a_pointer_is_freed_as_often_as_it_was_imported() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    let first = import_pointer(imported, data).unwrap();
    assert_eq!(import_pointer(imported, data), Ok(first));
    free(first);
    assert_eq!(read(first), Ok(0), "the second import is still valid");
    call!(cuMemFree(first));
    assert_eq!(read(first), Err(INVALID_VALUE));
    assert_eq!(code!(cuMemFree(first)), INVALID_VALUE);
    assert_eq!(code!(cuMemFreeAsync(first, DEFAULT)), INVALID_VALUE);
    assert_eq!(read(own), Ok(0));
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn a_shared_pool_never_shrinks() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let (first, second) = (allocate(pool, 4 * MIB).unwrap(), allocate(pool, 1000).unwrap());
    call!(cuMemsetD32(first, 7, 1));
    free(first);
    call!(cuMemPoolTrimTo(pool, 0));
    assert_eq!(reserved(pool), Ok(6 * MIB));
    let third = allocate(pool, 4 * MIB).unwrap();
    assert_eq!((reserved(pool), read(third)), (Ok(6 * MIB), Ok(0)), "the memory of the first, filled with zeros");
    call!(cuMemPoolTrimTo(imported, 0));
    free(second);
    free(third);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn one_pointer_imported_by_many_threads_has_one_address() {
    let turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    let (imported, context) = (imported as usize, turn.contexts[0] as usize);
    let import_here = move || {
        call!(cuCtxSetCurrent(context as CUcontext));
        import_pointer(imported as CUmemoryPool, data)
    };
    let threads = [(); 4].map(|()| std::thread::spawn(import_here));
    let pointers = threads.map(|thread| thread.join().unwrap().unwrap());
    assert!(pointers.iter().all(|pointer| *pointer == pointers[0]), "{pointers:?}");
    assert_eq!(used(imported as CUmemoryPool), Ok(4096));
    pointers.into_iter().for_each(free);
    assert_eq!(code!(cuMemFree(pointers[0])), INVALID_VALUE);
    free(own);
    call!(cuMemPoolDestroy(imported as CUmemoryPool));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn what_a_stream_is_going_to_free_is_not_shared_any_more() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let (own, flag) = (allocate(pool, 4096).unwrap(), allocate(pool, 4).unwrap());
    let data = export_pointer(own).unwrap();
    let pointer = import_pointer(imported, data).unwrap();
    let mut stream = ptr::null_mut();
    call!(cuStreamCreate(&mut stream, 1));
    call!(cuStreamWaitValue32(stream, flag, 1, 0));
    call!(cuMemFreeAsync(pointer, stream));
    let again = import_pointer(imported, data).unwrap();
    call!(cuMemFreeAsync(own, stream));
    assert_eq!(export_pointer(own), Err(INVALID_VALUE));
    call!(cuMemsetD32(flag, 1, 1));
    call!(cuStreamSynchronize(stream));
    assert_eq!((read(pointer), read(again)), (Err(INVALID_VALUE), Ok(0)), "the later import stays valid");
    free(again);
    free(flag);
    call!(cuStreamDestroy(stream));
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

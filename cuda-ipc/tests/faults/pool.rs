//! Pools: all imports of a pointer have the same address, and the first free unmaps it. A pool must not be destroyed
//! while it has memory, while a free waits, or if it was never exported as it was created for.

use std::os::fd::AsFd as _;

use cuda_ipc::pool::{ImportedPool, Pool, PoolBuffer};
use cuda_ipc::sys::{CUmemPool_attribute, CUmemoryPool, CUresult};
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Error, Stream};
use rstest::rstest;

use crate::{SIZE, alone, context, driver};

#[test]
fn a_pointer_that_is_given_back_is_not_imported_meanwhile() {
    let _alone = alone();
    let (context, device) = (context(), driver().device(0).unwrap());
    let pool = Pool::new(device, HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    let buffer = PoolBuffer::new(&pool, SIZE, &Stream::new(&context).unwrap()).unwrap();
    buffer.fill(3).unwrap();
    let imported = ImportedPool::import(device, pool.export().unwrap().as_fd()).unwrap();
    let pointer = buffer.export().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    // SAFETY: the pointer was exported above, and the buffer outlives the imports.
                    let import = unsafe { imported.open(&context, &pointer) }.unwrap();
                    let mut byte = [0_u8];
                    import.read(SIZE - 1, &mut byte).unwrap();
                    assert_eq!(byte, [3]);
                    import.close().unwrap();
                }
            });
        }
    });
}

/// Returns whether the driver still has a pool.
fn exists(pool: CUmemoryPool) -> bool {
    let mut used = 0_u64;
    let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
    // SAFETY: the output is a local of the attribute's type. The reference driver refuses a pool that it does not have.
    let answer = unsafe { driver().raw().cuMemPoolGetAttribute(pool, attribute, (&raw mut used).cast()) };
    answer == Ok(CUresult::CUDA_SUCCESS)
}

#[test]
fn a_pool_is_destroyed_after_its_pending_frees() {
    let _alone = alone();
    let (context, device) = (context(), driver().device(0).unwrap());
    let streams = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
    let pool = Pool::new(device, HandleTypes::NONE, None).unwrap();
    for stream in &streams {
        let [first, second] = [(); 2].map(|()| PoolBuffer::new(&pool, SIZE, stream).unwrap());
        first.free().unwrap();
        drop(second);
    }
    // The frees wait in the streams, which outlive this even if they are dropped.
    drop(streams);
    let raw = pool.raw();
    assert!(exists(raw));
    pool.destroy().unwrap();
    assert!(!exists(raw));
}

#[test]
fn a_pool_that_was_made_current_is_not_destroyed() {
    let _alone = alone();
    let (context, device) = (context(), driver().device(0).unwrap());
    let pool = Pool::new(device, HandleTypes::NONE, None).unwrap();
    pool.make_current().unwrap();
    // Another library allocates, as the driver lets it, and knows nothing of the pool.
    let (mut pointer, stream) = (0, Stream::new(&context).unwrap());
    // SAFETY: the output is a local, and the stream is live.
    let allocate = || unsafe { driver().raw().cuMemAllocAsync(&mut pointer, SIZE, stream.raw()) };
    assert_eq!(context.within(allocate).unwrap(), Ok(CUresult::CUDA_SUCCESS));
    let raw = pool.raw();
    Pool::default_of(device).unwrap().make_current().unwrap();
    pool.destroy().unwrap();
    assert!(exists(raw));
    // SAFETY: the memory was allocated above, and nothing uses it.
    let free = || unsafe { driver().raw().cuMemFreeAsync(pointer, stream.raw()) };
    assert_eq!(context.within(free).unwrap(), Ok(CUresult::CUDA_SUCCESS));
    stream.synchronize().unwrap();
}

#[test]
fn a_pool_whose_memory_could_not_be_freed_is_not_destroyed() {
    let _alone = alone();
    let (context, device) = (context(), driver().device(0).unwrap());
    let pool = Pool::new(device, HandleTypes::NONE, None).unwrap();
    let buffer = PoolBuffer::new(&pool, SIZE, &Stream::new(&context).unwrap()).unwrap();
    let pointer = buffer.pointer();
    // SAFETY: nothing uses the memory any more. The buffer still counts it as its own.
    let free = || unsafe { driver().raw().cuMemFree(pointer) };
    assert_eq!(context.within(free).unwrap(), Ok(CUresult::CUDA_SUCCESS));
    buffer.free().unwrap_err();
    let raw = pool.raw();
    pool.destroy().unwrap();
    assert!(exists(raw));
}

/// There is no channel, so the driver creates such a pool, and refuses to export it as a fabric handle.
#[rstest]
fn a_pool_for_the_fabric_that_was_never_exported_is_not_destroyed(
    #[values(HandleTypes::FABRIC, HandleTypes::FABRIC | HandleTypes::POSIX_FILE_DESCRIPTOR)] types: HandleTypes,
    #[values(false, true)] is_tried: bool,
) {
    let _alone = alone();
    let pool = Pool::new(driver().device(0).unwrap(), types, None).unwrap();
    if is_tried {
        assert_eq!(pool.export_fabric().unwrap_err().code(), Some(CUresult::CUDA_ERROR_NOT_PERMITTED));
        assert_eq!(pool.export().is_ok(), types != HandleTypes::FABRIC);
    }
    let (raw, clone) = (pool.raw(), pool.clone());
    drop(pool);
    let error = clone.destroy().unwrap_err();
    assert!(matches!(error, Error::NeverExported), "{error}");
    assert!(error.to_string().contains("fabric::probe"), "{error}");
    assert!(exists(raw));
}

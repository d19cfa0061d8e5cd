//! Pools within one process.

use std::os::fd::AsFd as _;

use cuda_ipc::pool::{ImportedPool, LARGEST_EXPORT, Pool, PoolBuffer, PoolPointerData};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, HandleTypes};
use cuda_ipc::{Error, Stream};
use rustix::io::{FdFlags, fcntl_getfd};

use crate::common::{context, device, driver};

fn pool() -> Pool {
    Pool::new(device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap()
}

fn stream() -> Stream {
    Stream::new(&context()).unwrap()
}

#[test]
fn memory_of_a_pool_is_read_and_written() {
    let (pool, stream) = (pool(), stream());
    let buffer = PoolBuffer::new(&pool, 10_000, &stream).unwrap();
    assert!(pool.used().unwrap() >= 10_000 && pool.reserved().unwrap() >= pool.used().unwrap());
    buffer.fill(5).unwrap();
    let mut byte = [0_u8];
    buffer.read(9_999, &mut byte).unwrap();
    assert_eq!(byte, [5]);
    // The buffer keeps the pool and the stream alive.
    pool.destroy().unwrap();
    stream.destroy().unwrap();
    buffer.read(0, &mut byte).unwrap();
    buffer.free().unwrap();
}

#[test]
fn a_pool_counts_what_is_used_and_gives_back_the_rest() {
    // The pool has no handle type, because pools that can be exported keep their memory.
    let (pool, stream) = (Pool::new(device(), HandleTypes::NONE, None).unwrap(), stream());
    pool.set_release_threshold(u64::MAX).unwrap();
    PoolBuffer::new(&pool, 1 << 20, &stream).unwrap().free().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(pool.used().unwrap(), 0);
    assert!(pool.reserved().unwrap() > 0);
    pool.trim_to(0).unwrap();
    assert_eq!(pool.reserved().unwrap(), 0);
}

#[test]
fn a_stream_allocates_and_frees_in_its_order() {
    let (pool, stream) = (pool(), Stream::non_blocking(&context()).unwrap());
    let mut bytes = [0_u8; 16];
    // SAFETY: only this stream uses the memory, and it frees the memory after these uses.
    unsafe {
        let buffer = PoolBuffer::new_async(&pool, 16, &stream).unwrap();
        buffer.fill_async(8, &stream).unwrap();
        buffer.read_async(0, &mut bytes, &stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(bytes, [8; 16]);
}

#[test]
fn a_pool_with_a_maximum_ends_there() {
    let pool = Pool::new(device(), HandleTypes::NONE, Some(4 << 20)).unwrap();
    let error = PoolBuffer::new(&pool, 1 << 30, &stream()).unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY), "{error}");
}

#[test]
fn a_pointer_is_opened_once_and_shared() {
    let (pool, stream) = (pool(), stream());
    let buffer = PoolBuffer::new(&pool, 2 << 20, &stream).unwrap();
    buffer.fill(3).unwrap();
    let descriptor = pool.export().unwrap();
    assert!(fcntl_getfd(&descriptor).unwrap().contains(FdFlags::CLOEXEC));
    let pointer = buffer.export().unwrap();
    let imported = ImportedPool::import(device(), descriptor.as_fd()).unwrap();
    drop(descriptor);
    // SAFETY: the pointer was exported above, and the buffer outlives the imports.
    let open = || unsafe { imported.open(&context(), &PoolPointerData::from_bytes(pointer.to_bytes())) }.unwrap();
    let (first, second) = (open(), open());
    assert_eq!((first.pointer(), first.size()), (second.pointer(), second.size()));
    assert!(second.size() >= 2 << 20);
    // Without the layer, the driver would unmap both imports here.
    first.close().unwrap();
    let mut byte = [0_u8];
    second.read(0, &mut byte).unwrap();
    assert_eq!(byte, [3]);
    second.close().unwrap();
    let third = open();
    third.read(0, &mut byte).unwrap();
    assert_eq!(byte, [3]);
}

/// Frees the pointer once, behind the layer's back. If the layer had imported it twice, a driver that counts imports
/// would keep it mapped.
#[test]
fn the_driver_imports_a_pointer_once() {
    let (pool, stream) = (pool(), stream());
    let buffer = PoolBuffer::new(&pool, 2 << 20, &stream).unwrap();
    let imported = ImportedPool::import(device(), pool.export().unwrap().as_fd()).unwrap();
    let (context, pointer) = (context(), buffer.export().unwrap());
    // SAFETY: the pointer was exported above, and the buffer outlives the imports.
    let (one, other) = unsafe { (imported.open(&context, &pointer), imported.open(&context, &pointer)) };
    let (one, other) = (one.unwrap(), other.unwrap());
    // SAFETY: frees the memory behind the values' back; nothing else is mapped until they are closed.
    let freed = context.within(|| unsafe { driver().raw().cuMemFree(one.pointer()) }).unwrap();
    assert_eq!(freed, Ok(CUresult::CUDA_SUCCESS));
    other.read(0, &mut [0_u8]).unwrap_err();
    other.close().unwrap();
    assert_eq!(one.close().unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn threads_open_and_close_one_pointer() {
    let (pool, stream) = (pool(), stream());
    let buffer = PoolBuffer::new(&pool, 2 << 20, &stream).unwrap();
    buffer.fill(3).unwrap();
    let imported = ImportedPool::import(device(), pool.export().unwrap().as_fd()).unwrap();
    let pointer = buffer.export().unwrap();
    let context = context();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    // SAFETY: as above.
                    let import = unsafe { imported.open(&context, &pointer) }.unwrap();
                    let mut byte = [0_u8];
                    import.read(1 << 20, &mut byte).unwrap();
                    assert_eq!(byte, [3]);
                    import.close().unwrap();
                }
            });
        }
    });
}

#[test]
fn pools_are_exported_before_their_pointers_and_only_if_made_for_it() {
    let (pool, stream) = (pool(), stream());
    let buffer = PoolBuffer::new(&pool, 4096, &stream).unwrap();
    let error = buffer.export().unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    assert!(error.to_string().ends_with(error.hint().expect("this error has a hint")), "{error}");
    assert!(error.to_string().contains("export the pool first"), "{error}");
    let private = Pool::new(device(), HandleTypes::NONE, None).unwrap();
    assert_eq!(private.export().unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    let standard = Pool::default_of(device()).unwrap();
    assert_eq!(standard.export().unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    standard.destroy().unwrap();
}

#[test]
fn memory_that_importers_do_not_survive_is_not_exported() {
    let (pool, stream) = (pool(), stream());
    let _descriptor = pool.export().unwrap();
    let buffer = PoolBuffer::new(&pool, LARGEST_EXPORT + 1, &stream).unwrap();
    let error = buffer.export().unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("share it as virtual memory"), "{error}");
    drop(buffer);
    PoolBuffer::new(&pool, LARGEST_EXPORT, &stream).unwrap().export().unwrap();
}

#[test]
fn descriptors_of_something_else_are_no_pools() {
    let file = std::fs::File::open("/dev/null").unwrap();
    let error = ImportedPool::import(device(), file.as_fd()).unwrap_err();
    assert!(error.to_string().starts_with("cuMemPoolImportFromShareableHandle("), "{error}");
}

#[test]
fn a_pools_own_device_keeps_its_access() {
    let pool = pool();
    assert_eq!(pool.access(device()).unwrap(), Access::ReadWrite);
    assert!(pool.set_access(device(), Access::None).is_err());
    pool.make_current().unwrap();
    Pool::default_of(device()).unwrap().make_current().unwrap();
}

//! All imports of a pool pointer have the same address, and the first free unmaps it.

use std::os::fd::AsFd as _;

use cuda_ipc::Stream;
use cuda_ipc::pool::{ImportedPool, Pool, PoolBuffer};
use cuda_ipc::vmm::HandleTypes;

use crate::{SIZE, context, driver};

#[test]
fn a_pointer_that_is_given_back_is_not_imported_meanwhile() {
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

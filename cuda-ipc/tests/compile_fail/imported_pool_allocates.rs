//! An imported pool can neither allocate memory nor be exported again.

fn main() {}

fn allocate(pool: &cuda_ipc::pool::ImportedPool, stream: &cuda_ipc::Stream) {
    let _ = cuda_ipc::pool::PoolBuffer::new(pool, 4096, stream);
    let _ = pool.export();
}

//! Nothing is allocated from another process's pool, nor is it exported again.

fn main() {}

fn allocate(pool: &cuda_ipc::pool::ImportedPool, stream: &cuda_ipc::Stream) {
    let _ = cuda_ipc::pool::PoolBuffer::new(pool, 4096, stream);
    let _ = pool.export();
}

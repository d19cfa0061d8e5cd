//! What came by a parcel, or out of the cache, is not passed on.

fn main() {}

fn share(import: &cuda_ipc::ImportedMemory, cached: &cuda_ipc::cache::CachedMemory) {
    let _ = import.share(..);
    let _ = cached.share(..);
}

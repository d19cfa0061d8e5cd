//! Memory that was opened from a parcel or the cache cannot be shared again.

fn main() {}

fn share(import: &cuda_ipc::ImportedMemory, cached: &cuda_ipc::cache::CachedMemory) {
    let _ = import.share(..);
    let _ = cached.share(..);
}

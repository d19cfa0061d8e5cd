//! An import is closed: freeing is its owner's.

fn main() {}

fn free(import: cuda_ipc::ipc::ImportedBuffer) {
    let _ = import.free();
}

//! An import is closed. Only the owner frees the memory.

fn main() {}

fn free(import: cuda_ipc::ipc::ImportedBuffer) {
    let _ = import.free();
}

//! `close` consumes the import.

fn main() {}

fn close_and_fill(import: cuda_ipc::ipc::ImportedBuffer) {
    let _ = import.close();
    let _ = import.fill(0);
}

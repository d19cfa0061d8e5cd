//! Only the process that allocated memory can export it.

fn main() {}

fn share(import: &cuda_ipc::ipc::ImportedBuffer) {
    let _ = import.share(..);
    let _ = import.ipc_handle();
}

//! Only the process that created an event can export it.

fn main() {}

fn share(import: &cuda_ipc::ipc::ImportedEvent) {
    let _ = import.share();
    let _ = import.ipc_handle();
}

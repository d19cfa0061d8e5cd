//! An event is exported by the process that created it.

fn main() {}

fn share(import: &cuda_ipc::ipc::ImportedEvent) {
    let _ = import.share();
    let _ = import.ipc_handle();
}

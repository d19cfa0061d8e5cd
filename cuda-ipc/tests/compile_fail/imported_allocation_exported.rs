//! Only the process that created physical memory can export it.

fn main() {}

fn export(import: &cuda_ipc::vmm::ImportedAllocation) {
    let _ = import.export();
    let _ = import.export_fabric();
}

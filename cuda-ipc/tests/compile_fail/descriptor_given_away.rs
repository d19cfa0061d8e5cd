//! An import borrows the descriptor. The caller still owns it and closes it.

use std::os::fd::OwnedFd;

use cuda_ipc::vmm::ImportedAllocation;

fn main() {}

fn import(driver: cuda_ipc::Driver, descriptor: OwnedFd) {
    let _ = ImportedAllocation::import(driver, descriptor, 4096);
}

fn import_pool(device: cuda_ipc::Device, descriptor: OwnedFd) {
    let _ = cuda_ipc::pool::ImportedPool::import(device, descriptor);
}

//! The raw interface is all unsafe.

fn main() {}

fn free(driver: cuda_ipc::Driver) {
    let _ = driver.raw().cuMemFree(4096);
}

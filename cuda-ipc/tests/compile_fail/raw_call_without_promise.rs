//! Every function of the raw interface is `unsafe`.

fn main() {}

fn free(driver: cuda_ipc::Driver) {
    let _ = driver.raw().cuMemFree(4096);
}

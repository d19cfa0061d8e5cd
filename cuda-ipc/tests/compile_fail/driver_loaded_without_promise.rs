//! Loading a library runs its code, so the caller must promise that it is a driver.

fn main() {}

fn load() {
    let _ = cuda_ipc::Driver::load_from("libcuda.so.1");
}

//! A library runs as it is loaded: that it is a driver is a promise.

fn main() {}

fn load() {
    let _ = cuda_ipc::Driver::load_from("libcuda.so.1");
}

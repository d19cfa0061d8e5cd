//! Freeing a buffer consumes it.

fn main() {}

fn free_twice(buffer: cuda_ipc::DeviceBuffer) {
    let _ = (buffer.free(), buffer.free());
}

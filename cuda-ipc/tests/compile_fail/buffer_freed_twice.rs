//! A buffer has one owner and cannot be cloned.

fn main() {}

fn free_twice(buffer: cuda_ipc::DeviceBuffer) {
    let other = buffer.clone();
    let _ = (buffer.free(), other.free());
}

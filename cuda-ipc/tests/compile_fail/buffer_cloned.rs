//! A buffer has one owner.

fn main() {}

fn copy<T: Clone>(value: &T) -> T {
    value.clone()
}

fn free_twice(buffer: cuda_ipc::DeviceBuffer) {
    let other = copy(&buffer);
    let _ = (buffer.free(), other.free());
}

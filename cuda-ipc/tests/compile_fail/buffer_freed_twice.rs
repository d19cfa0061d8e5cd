//! There is one owner, of which there is no copy.

fn main() {}

fn free_twice(buffer: cuda_ipc::DeviceBuffer) {
    let other = buffer.clone();
    let _ = (buffer.free(), other.free());
}

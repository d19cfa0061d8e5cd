//! `free` consumes the buffer.

fn main() {}

fn free_and_fill(buffer: cuda_ipc::DeviceBuffer) {
    let _ = buffer.free();
    let _ = buffer.fill(0);
}

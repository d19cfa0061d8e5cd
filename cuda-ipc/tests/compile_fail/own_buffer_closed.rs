//! A process frees its own memory. `close` is for imports.

fn main() {}

fn close(buffer: cuda_ipc::DeviceBuffer) {
    let _ = buffer.close();
}

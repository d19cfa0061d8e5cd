//! Memory of one's own is freed: closing is for imports.

fn main() {}

fn close(buffer: cuda_ipc::DeviceBuffer) {
    let _ = buffer.close();
}

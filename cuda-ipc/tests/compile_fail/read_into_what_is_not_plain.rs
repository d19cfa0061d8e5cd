//! Device memory may hold any bytes, and not every type permits all of them.

fn main() {}

fn read(buffer: &cuda_ipc::DeviceBuffer, flags: &mut [bool], texts: &mut [&str]) {
    let _ = buffer.read(0, flags);
    let _ = buffer.read(0, texts);
    let _ = buffer.mirror::<char>(..);
}

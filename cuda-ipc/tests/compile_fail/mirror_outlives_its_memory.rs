//! A mirror is written back to its memory, so the memory must outlive the mirror.

use cuda_ipc::mirror::Mirror;

fn main() {}

fn outlive(buffer: cuda_ipc::DeviceBuffer) -> Mirror<'static, u8> {
    buffer.mirror(0..1).unwrap()
}

fn free_under_a_mirror(buffer: cuda_ipc::DeviceBuffer) {
    let mirror = buffer.mirror::<u8>(0..1).unwrap();
    let _ = buffer.free();
    drop(mirror);
}

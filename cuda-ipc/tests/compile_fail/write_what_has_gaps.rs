//! The padding between a value's fields is uninitialized, so the value cannot be written.

fn main() {}

#[derive(Clone, Copy)]
#[repr(C)]
struct Gaps(u8, u32);

fn write(buffer: &cuda_ipc::DeviceBuffer) {
    let _ = buffer.write(0, &[Gaps(1, 2)]);
}

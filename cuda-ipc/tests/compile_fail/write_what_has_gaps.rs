//! The bytes between a value's fields are nobody's: they are not sent.

fn main() {}

#[derive(Clone, Copy)]
#[repr(C)]
struct Gaps(u8, u32);

fn write(buffer: &cuda_ipc::DeviceBuffer) {
    let _ = buffer.write(0, &[Gaps(1, 2)]);
}

//! What an owner holds is looked at, never replaced: two buffers could not free each other's memory.

fn main() {}

fn swap(one: &mut cuda_ipc::DeviceBuffer, other: &mut cuda_ipc::DeviceBuffer) {
    std::mem::swap(&mut **one, &mut **other);
}

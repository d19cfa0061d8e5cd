//! An owner never lends its memory mutably. If two buffers swapped theirs, each would free the other's.

fn main() {}

fn swap(one: &mut cuda_ipc::DeviceBuffer, other: &mut cuda_ipc::DeviceBuffer) {
    std::mem::swap(&mut **one, &mut **other);
}

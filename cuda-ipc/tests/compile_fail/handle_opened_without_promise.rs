//! Only the caller can promise what another process's bytes mean, so opening a handle is `unsafe`.

use cuda_ipc::ipc::{EventHandle, ImportedBuffer, ImportedEvent, MemHandle};

fn main() {}

fn open(context: &cuda_ipc::Context, memory: &MemHandle, event: &EventHandle) {
    let _ = ImportedBuffer::open(context, memory);
    let _ = ImportedEvent::open(context, event);
}

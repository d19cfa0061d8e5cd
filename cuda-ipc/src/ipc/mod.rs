//! Legacy handles: out of one process, into another.

mod event;
mod handle;
mod memory;

pub use event::ImportedEvent;
pub use handle::{EventHandle, MemHandle};
pub use memory::ImportedBuffer;

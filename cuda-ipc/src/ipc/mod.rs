//! Legacy handles: out of one process, into another.

mod event;
mod memory;

pub use event::ImportedEvent;
pub use memory::ImportedBuffer;

pub use crate::handle::{EventHandle, MemHandle};

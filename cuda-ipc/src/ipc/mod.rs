//! Legacy handles: exporting them from one process, and opening them in another.

mod event;
mod memory;

pub use event::ImportedEvent;
pub use memory::ImportedBuffer;

pub use crate::handle::{EventHandle, MemHandle};

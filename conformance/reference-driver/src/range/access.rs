//! An access to memory: who performs it, its kind, the access that devices have, and the memory that it touches.

use std::any::Any;
use std::collections::BTreeMap;
use std::ptr;
use std::sync::Arc;

use cuda_ipc_sys::CUmemAccess_flags;

/// The access that devices have to memory: CU_MEM_ACCESS_FLAGS by the device's index in the machine.
pub(crate) type AccessOf = BTreeMap<usize, CUmemAccess_flags>;

/// The origin of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A copy or a fill, which the driver performs whichever context the memory belongs to.
    Driver,
    /// A kernel, which can access only memory that is mapped for its context.
    Kernel,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Memory to read or write now, kept mapped as long as this value lives.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Other memory of the same size that gets a copy of everything written here.
    pub(super) mirrors: Vec<Self>,
    pub(super) _owner: Option<Arc<dyn Any + Send + Sync>>,
}

impl Span {
    /// A span of memory that the user keeps mapped.
    pub(crate) const fn of_user(address: u64, size: u64) -> Self {
        Self { address, size, mirrors: Vec::new(), _owner: None }
    }

    pub(crate) fn kept(address: u64, size: u64, owner: Arc<dyn Any + Send + Sync>) -> Self {
        Self { address, size, mirrors: Vec::new(), _owner: Some(owner) }
    }

    pub(crate) fn with_mirrors(self, mirrors: Vec<Self>) -> Self {
        Self { mirrors, ..self }
    }

    /// Copies the span to its mirrors. Call this after writing the span.
    pub(crate) fn broadcast(&self) {
        for mirror in &self.mirrors {
            // SAFETY: spans are mapped as long as they live. They may overlap, since the same memory can be bound
            // twice.
            unsafe { ptr::copy(self.address as *const u8, mirror.address as *mut u8, mirror.size as usize) };
        }
    }
}

//! Whether a context, and the process, can still do device work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cuda_ipc_sys::CUresult;

use crate::answer::{CONTEXT_IS_DESTROYED, Result};
use crate::profile::profile;

/// The first error of device code, in any context. From then on the process does no more device work, and every call
/// that touches a context returns this code. For such codes the documentation says that the process must end. On an
/// H200 neither destroying the context, nor a reset, nor a new context helps.
#[derive(Debug, Default)]
pub(crate) struct StickyError(AtomicU32);

impl StickyError {
    /// Sets the error, if there is none yet. Under MPS, such an error ends the work of every client of the device. This
    /// driver ends only the process that has the error.
    fn set(&self, code: CUresult) {
        if profile().has_mps {
            eprintln!(
                "reference driver: {code:?} in device code; MPS would end every client of the device, so this \
                 process ends"
            );
            std::process::abort();
        }
        let _ = self.0.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    pub(crate) fn check(&self) -> Result<()> {
        CUresult(self.0.load(Ordering::Acquire)).result()
    }
}

/// Whether a context works. It stops working when it is destroyed or when its process has an error.
#[derive(Debug, Default)]
pub(crate) struct Health {
    process: Arc<StickyError>,
    is_destroyed: AtomicBool,
}

impl Health {
    /// Creates the health of a new context. Returns the process's error if there is one.
    pub(crate) fn new(process: &Arc<StickyError>) -> Result<Arc<Self>> {
        process.check()?;
        Ok(Arc::new(Self { process: Arc::clone(process), is_destroyed: AtomicBool::new(false) }))
    }

    /// Records an error of the context's device code.
    pub(crate) fn fail(&self, code: CUresult) {
        self.process.set(code);
    }

    /// Records that the context is about to be destroyed.
    pub(crate) fn end(&self) {
        self.is_destroyed.store(true, Ordering::Release);
    }

    /// Returns the error that a call in the context must return, if any.
    pub(crate) fn check(&self) -> Result<()> {
        self.process.check()?;
        if self.is_destroyed.load(Ordering::Acquire) { Err(CONTEXT_IS_DESTROYED) } else { Ok(()) }
    }

    /// Whether the context can still do device work.
    pub(crate) fn works(&self) -> bool {
        self.check().is_ok()
    }
}

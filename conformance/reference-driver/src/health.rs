//! Whether device work goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cuda_ipc_sys::CUresult;

use crate::answer::{CONTEXT_IS_DESTROYED, Result};

/// What device code did wrong first, in whatever context: from then on the process does no more device work, and every
/// call that touches a context answers this. The documentation of such codes says that the process has to end, and on
/// an H200 nothing else helps: no destruction, no reset and no new context.
#[derive(Debug, Default)]
pub(crate) struct StickyError(AtomicU32);

impl StickyError {
    /// The first error is the one that stays.
    fn set(&self, code: CUresult) {
        let _ = self.0.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    pub(crate) fn check(&self) -> Result<()> {
        CUresult(self.0.load(Ordering::Acquire)).result()
    }
}

/// Whether a context works: it ends with its destruction, or with its process's error.
#[derive(Debug, Default)]
pub(crate) struct Health {
    process: Arc<StickyError>,
    is_destroyed: AtomicBool,
}

impl Health {
    /// That of a new context, in a process that has no error.
    pub(crate) fn new(process: &Arc<StickyError>) -> Result<Arc<Self>> {
        process.check()?;
        Ok(Arc::new(Self { process: Arc::clone(process), is_destroyed: AtomicBool::new(false) }))
    }

    /// Device code of the context went wrong.
    pub(crate) fn fail(&self, code: CUresult) {
        self.process.set(code);
    }

    /// The context is going to be destroyed.
    pub(crate) fn end(&self) {
        self.is_destroyed.store(true, Ordering::Release);
    }

    /// What a call in the context answers.
    pub(crate) fn check(&self) -> Result<()> {
        self.process.check()?;
        if self.is_destroyed.load(Ordering::Acquire) { Err(CONTEXT_IS_DESTROYED) } else { Ok(()) }
    }

    /// Whether device work of the context goes on.
    pub(crate) fn works(&self) -> bool {
        self.check().is_ok()
    }
}

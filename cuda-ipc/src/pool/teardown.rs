//! When a pool may be destroyed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::lock::lock;
use crate::vmm::HandleTypes;
use crate::{Error, Stream};

/// What must happen before a pool of this process may be destroyed.
///
/// CUDA allows that memory outlives its pool. But on an H200, freeing memory after its pool was destroyed damaged the
/// heap of the process.
#[derive(Debug)]
pub(super) struct Teardown {
    /// The pool may have memory that this crate cannot wait for, so it is never destroyed.
    is_kept: AtomicBool,
    /// Without an IMEX channel, an H200 creates a pool for fabric handles, refuses to export it, and crashes when it is
    /// destroyed. So such a pool is destroyed only after an export as a fabric handle has succeeded.
    lacks_export: AtomicBool,
    /// The streams in which memory of the pool was freed, and which may not have reached the free yet.
    freeing: Mutex<Vec<Stream>>,
}

impl Teardown {
    pub(super) fn of_pool_for(handle_types: HandleTypes) -> Self {
        let lacks_export = AtomicBool::new(handle_types.contain(HandleTypes::FABRIC));
        Self { is_kept: AtomicBool::new(false), lacks_export, freeing: Mutex::default() }
    }

    /// Notes that the pool may have memory that this crate cannot wait for.
    pub(super) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    /// Notes that the pool was exported as a fabric handle.
    pub(super) fn exported_as_fabric(&self) {
        self.lacks_export.store(false, Ordering::Relaxed);
    }

    /// Notes that memory of the pool was freed in the order of a stream.
    pub(super) fn freed_in(&self, stream: &Stream) {
        let mut freeing = lock(&self.freeing);
        if freeing.iter().any(|known| known.is(stream)) {
            return;
        }
        // Programs that use many streams one after the other would pile them up here.
        let (done, busy) =
            std::mem::take(&mut *freeing).into_iter().partition(|known| matches!(known.query(), Ok(true)));
        *freeing = busy;
        freeing.push(stream.clone());
        // A stream of other code may drop an owner, which may free memory of this pool.
        drop(freeing);
        drop::<Vec<_>>(done);
    }

    /// Waits until the pool may be destroyed. Returns `false` if it must stay.
    pub(super) fn wait(&self) -> Result<bool, Error> {
        if self.is_kept.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if self.lacks_export.load(Ordering::Relaxed) {
            return Err(Error::NeverExported);
        }
        let freeing = std::mem::take(&mut *lock(&self.freeing));
        freeing.iter().try_for_each(Stream::synchronize)?;
        Ok(true)
    }
}

//! Raw streams.

use std::ptr;

use crate::error::check;
use crate::foreign::{AnyOwner, ForeignError};
use crate::sys::CUstream;
use crate::{Context, Error, Stream};

/// `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`, casts in the header.
const LEGACY: usize = 1;
pub(super) const PER_THREAD: usize = 2;

impl Stream {
    /// `cuStreamGetCtx`: takes over a stream. Dropping the last clone destroys it.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream belongs to another context, or is a default stream; [`Error::Refused`] with the
    /// driver's error code. The stream then still belongs to the caller.
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is a live stream of this driver's library, or a default stream;
    /// - nothing else destroys it, or uses it after the last clone of the value is dropped.
    #[doc(alias = "cuStreamGetCtx")]
    pub unsafe fn from_raw(context: &Context, raw: CUstream) -> Result<Self, Error> {
        if raw.is_null() || raw.addr() == LEGACY {
            return Err(ForeignError::DefaultStream.into());
        }
        // SAFETY: the caller promises that the stream lives.
        unsafe { check_context(context, raw)? };
        let taken = Self::hold(context, raw, None);
        taken.make_known();
        Ok(taken)
    }

    /// `cuStreamGetCtx`: borrows a stream of other code. Dropping the value does not destroy it.
    ///
    /// `owner` is dropped with the last clone of the value. A null stream and `CU_STREAM_LEGACY` are the context's
    /// default stream, which needs no owner.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream belongs to another context, or is `CU_STREAM_PER_THREAD`; [`Error::Refused`]
    /// with the driver's error code.
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is a live stream of this driver's library, or a default stream;
    /// - it is not destroyed before `owner` is dropped.
    #[doc(alias = "cuStreamGetCtx")]
    pub unsafe fn borrow_raw<O>(context: &Context, raw: CUstream, owner: O) -> Result<Self, Error>
    where
        O: Send + Sync + 'static,
    {
        if raw.is_null() || raw.addr() == LEGACY {
            return Ok(Self::default_of(context));
        }
        // SAFETY: the caller promises that the stream lives.
        unsafe { check_context(context, raw)? };
        Ok(Self::hold(context, raw, Some(AnyOwner::new(Box::new(owner)))))
    }

    /// Hands the stream over: returns the raw stream, which this crate no longer destroys. The caller destroys it with
    /// `cuStreamDestroy`, before its context is released.
    ///
    /// # Errors
    /// The value itself, if the stream is borrowed or a default stream, or if it has clones.
    pub fn into_raw(self) -> Result<CUstream, Self> {
        self.relinquish()
    }
}

/// Returns an error unless the stream belongs to the context, and is one stream.
///
/// # Safety
/// The stream must live.
unsafe fn check_context(context: &Context, raw: CUstream) -> Result<(), Error> {
    // The driver would name the current context, to which the current thread's stream belongs.
    if raw.addr() == PER_THREAD {
        return Err(ForeignError::PerThreadStream.into());
    }
    let (driver, mut found) = (context.enter()?, ptr::null_mut());
    // SAFETY: the output is a local, and the caller promises that the stream lives.
    check("cuStreamGetCtx", unsafe { driver.cuStreamGetCtx(raw, &mut found) }, String::new)?;
    if found == context.raw() { Ok(()) } else { Err(ForeignError::OtherContext.into()) }
}

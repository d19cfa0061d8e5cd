//! Objects that are being written.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use cuda_ipc::{Context, DeviceMemory, ImportedMemory, Parcel, Ticket};

use super::session::{Answer, Session};
use crate::protocol::{Reply, Request};
use crate::{Error, ObjectId};

/// A new object, which only this client writes. It ends with this value, with the client and with the process, unless
/// it is sealed.
///
/// It dereferences to its memory, whose contents are unspecified until they are written. All that `cuda-ipc` does with
/// device memory works here: [`write`](DeviceMemory::write), kernels in a `stream::scope`, and mirrors.
///
/// ```no_run
/// use cuda_ipc::Context;
/// use cuda_ipc::host::PinnedBuffer;
/// use cuda_ipc_store::{Client, Error, ObjectId};
///
/// fn compose(store: &Client, context: &Context) -> Result<ObjectId, Error> {
///     let draft = store.create(context, 4096)?;
///     // A pinned host copy. Nothing is read from the device before it is written there.
///     let mut mirror = draft.slice::<u8>(..)?.mirror_with(PinnedBuffer::new(context, 4096)?)?;
///     mirror[..11].copy_from_slice(b"hello world");
///     mirror.flush()?;
///     drop(mirror);
///     draft.seal()
/// }
/// ```
#[derive(Debug)]
pub struct Draft {
    /// Dropped first: the drop of the next field tells the daemon that the draft has ended.
    memory: ImportedMemory,
    claim: Claim,
}

/// An object was not sealed. The draft comes back, as it was.
///
/// `?` turns this into an [`Error`], and drops the draft: then the object ends.
///
/// `{}` and `{:?}` write the message of the reason.
pub struct SealError {
    /// The reason.
    pub error: Error,
    /// The draft, which can be written, and sealed under another name.
    pub draft: Box<Draft>,
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl fmt::Debug for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl std::error::Error for SealError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl From<SealError> for Error {
    fn from(error: SealError) -> Self {
        error.error
    }
}

/// The right to seal an object. Dropping it ends the object, unless it is sealed.
#[derive(Debug)]
struct Claim {
    id: ObjectId,
    is_sealed: bool,
    session: Arc<Session>,
}

impl Draft {
    pub(super) fn create(session: &Arc<Session>, context: &Context, size: usize) -> Result<Self, Error> {
        let answer = session.ask(&Request::Create { size: size as u64 })?;
        let Answer { reply: Reply::Created { id, ticket }, descriptors, .. } = answer else {
            return Err(Error::BadReply);
        };
        // From here on, an error ends the object.
        let claim = Claim { id, is_sealed: false, session: Arc::clone(session) };
        let ticket = Ticket::from_bytes(&ticket).map_err(|_| Error::BadReply)?;
        let memory = Parcel { ticket, descriptors, tenancy: None }.map(context)?;
        Ok(Self { memory, claim })
    }

    /// Returns the id that the object will have.
    #[must_use]
    pub const fn id(&self) -> ObjectId {
        self.claim.id
    }

    /// `cuCtxSynchronize`, `cuMemUnmap`: seals the object. From then on every client can get it for reading, and it
    /// lives until it is deleted.
    ///
    /// The call first waits for all work of the context, so that what kernels write is there. This client's own mapping
    /// ends too: to read the object, get it. [`seal_as`](Draft::seal_as) also gives it a name.
    ///
    /// # Errors
    /// [`Error::Cuda`] if the work of the context failed; [`Error::StoreGone`]; [`Error::TimedOut`];
    /// [`Error::Refused`] with [`Refusal::NoObject`](crate::Refusal::NoObject) if the object was deleted meanwhile.
    /// After an error the object has ended.
    #[doc(alias = "cuCtxSynchronize")]
    #[doc(alias = "cuMemUnmap")]
    pub fn seal(self) -> Result<ObjectId, Error> {
        let Self { memory, mut claim } = self;
        memory.context().synchronize()?;
        memory.close()?;
        match claim.session.ask(&Request::Seal { id: claim.id })?.reply {
            Reply::Done => {}
            _ => return Err(Error::BadReply),
        }
        claim.is_sealed = true;
        Ok(claim.id)
    }

    /// `cuCtxSynchronize`, `cuMemUnmap`: seals the object and gives it a name, in one step: as
    /// [`seal`](Draft::seal) and then [`Client::bind`](crate::Client::bind), but no other process sees the object without
    /// its name, and if the name is refused, nothing is sealed.
    ///
    /// ```no_run
    /// use cuda_ipc_store::{Draft, Error, ObjectId, Refusal};
    ///
    /// /// Takes the first free name.
    /// fn publish(mut draft: Draft) -> Result<ObjectId, Error> {
    ///     for number in 0.. {
    ///         match draft.seal_as(&format!("batch {number}")) {
    ///             Err(taken) if matches!(taken.error.refusal(), Some(Refusal::NameTaken { .. })) => draft = *taken.draft,
    ///             other => return Ok(other?),
    ///         }
    ///     }
    ///     unreachable!()
    /// }
    /// ```
    ///
    /// # Errors
    /// [`SealError`], with the draft and one of these: [`Error::BadName`]; [`Error::Refused`] with
    /// [`Refusal::NameTaken`](crate::Refusal::NameTaken), [`Refusal::Limit`](crate::Refusal::Limit), or
    /// [`Refusal::NoObject`](crate::Refusal::NoObject) if the object was deleted meanwhile; [`Error::Cuda`] if the work of
    /// the context failed; [`Error::StoreGone`]; [`Error::TimedOut`], after which it is unknown whether the object was
    /// sealed.
    ///
    /// An error of `cuMemUnmap` goes to the hook of [`cuda_ipc::set_drop_hook`], because the object is sealed by then.
    #[doc(alias = "cuCtxSynchronize")]
    #[doc(alias = "cuMemUnmap")]
    pub fn seal_as(self, name: &str) -> Result<ObjectId, SealError> {
        if let Err(error) = self.ask_to_seal_as(name) {
            return Err(SealError { error, draft: Box::new(self) });
        }
        let Self { memory, mut claim } = self;
        claim.is_sealed = true;
        // The work of this process is done, and nobody can enqueue more.
        drop(memory);
        Ok(claim.id)
    }

    fn ask_to_seal_as(&self, name: &str) -> Result<(), Error> {
        self.memory.context().synchronize()?;
        match self.claim.session.ask(&Request::SealAs { id: self.claim.id, name: name.to_owned() })?.reply {
            Reply::Done => Ok(()),
            _ => Err(Error::BadReply),
        }
    }
}

impl Deref for Draft {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.is_sealed {
            self.session.wire.tell(&Request::Release { id: self.id, count: 1 });
        }
    }
}

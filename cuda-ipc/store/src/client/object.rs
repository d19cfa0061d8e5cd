//! Objects that are read.

use std::ops::Deref;
use std::sync::Arc;

use cuda_ipc::cache::CachedMemory;
use cuda_ipc::{Context, DeviceMemory, Error as CudaError};

use super::registry::Known;
use super::session::{Answer, Session};
use crate::protocol::{Reply, Request};
use crate::{Error, ObjectId};

/// A sealed object, mapped for reading.
///
/// It dereferences to its memory. The memory stays readable as long as this value lives, even if the object is deleted
/// or the daemon is killed. Writing is an error, and so is a [`mirror`](DeviceMemory::mirror): use a
/// [`snapshot`](DeviceMemory::snapshot).
#[derive(Debug)]
pub struct Object {
    /// Dropped first: the drop of the next field tells the daemon that the object is released.
    memory: CachedMemory,
    known: Arc<Known>,
    /// Dropped last: it closes the connection.
    _session: Arc<Session>,
}

impl Object {
    pub(super) fn get(session: &Arc<Session>, context: &Context, id: ObjectId) -> Result<Self, Error> {
        session.wire.check()?;
        let registry = &session.registry;
        let with = |known, memory| Self { memory, known, _session: Arc::clone(session) };
        if let Some(known) = registry.find(id) {
            match registry.map(context, &known, None) {
                Ok(memory) => return Ok(with(known, memory)),
                // The cache has closed it, or has it for another context, or it was deleted at this moment.
                Err(CudaError::Descriptors { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let Answer { reply: Reply::Object { .. }, descriptors, known: Some(known) } =
            session.ask(&Request::Get { id })?
        else {
            return Err(Error::BadReply);
        };
        let memory = registry.map(context, &known, Some(descriptors))?;
        Ok(with(known, memory))
    }

    /// Returns the id of the object.
    #[must_use]
    pub fn id(&self) -> ObjectId {
        self.known.id
    }
}

impl Deref for Object {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}

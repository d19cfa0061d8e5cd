//! The objects that a client keeps mapped.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_ipc::cache::{Cache, CachedMemory};
use cuda_ipc::{Context, Parcel, Ticket};

use super::wire::Wire;
use crate::protocol::Request;
use crate::{Error, ObjectId};

/// The sealed objects that the daemon has given to this client, and their imports.
#[derive(Debug)]
pub(super) struct Registry {
    wire: Arc<Wire>,
    cache: Cache,
    known: Mutex<HashMap<ObjectId, Arc<Known>>>,
}

/// An object that the daemon has given to this client. Dropping the last reference tells the daemon that the client
/// holds it no longer. So whoever uses the memory has a reference, and drops it after the memory.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: ObjectId,
    /// The ticket alone: an open descriptor would keep the memory after the cache has closed it.
    parcel: Parcel,
    /// How many replies gave the object.
    count: AtomicU64,
    /// Whether the cache must not keep the object any more.
    is_revoked: AtomicBool,
    wire: Arc<Wire>,
}

impl Registry {
    pub(super) fn new(wire: Arc<Wire>) -> Self {
        Self { wire, cache: Cache::new(usize::MAX), known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<ObjectId, Arc<Known>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, id: ObjectId) -> Option<Arc<Known>> {
        self.known().get(&id).cloned()
    }

    /// Notes a reply that gives an object. The thread that receives it calls this before anybody receives a
    /// revocation that follows it.
    pub(super) fn note(&self, id: ObjectId, ticket: &[u8]) -> Result<Arc<Known>, Error> {
        let ticket = Ticket::from_bytes(ticket).map_err(|_| Error::BadReply)?;
        let known = Arc::clone(self.known().entry(id).or_insert_with(|| {
            let (count, is_revoked) = (AtomicU64::new(0), AtomicBool::new(false));
            Arc::new(Known { id, parcel: Parcel::of(ticket), count, is_revoked, wire: Arc::clone(&self.wire) })
        }));
        known.count.fetch_add(1, Ordering::Relaxed);
        Ok(known)
    }

    /// Maps an object, or finds it mapped. Without the descriptor it can only be found.
    pub(super) fn map(
        &self,
        context: &Context,
        known: &Known,
        descriptors: Option<Vec<OwnedFd>>,
    ) -> Result<CachedMemory, cuda_ipc::Error> {
        let memory = match descriptors {
            None => self.cache.map(context, &known.parcel)?,
            Some(descriptors) => {
                let parcel = Parcel { ticket: known.parcel.ticket.clone(), descriptors, tenancy: None };
                self.cache.map(context, &parcel)?
            }
        };
        // The object may have been revoked before the import was in the cache. Otherwise the revocation closes it.
        if known.is_revoked.load(Ordering::SeqCst) {
            self.cache.forget(&known.parcel.ticket);
        }
        Ok(memory)
    }

    /// Forgets an object, and returns it if it was known. Its memory is still open.
    pub(super) fn revoke(&self, id: ObjectId) -> Option<Arc<Known>> {
        let known = self.known().remove(&id)?;
        known.is_revoked.store(true, Ordering::SeqCst);
        Some(known)
    }

    /// Closes the imports of an object that was revoked, at once if nobody uses them, and otherwise with their last use.
    pub(super) fn close(&self, known: &Known) {
        self.cache.forget(&known.parcel.ticket);
    }

    pub(super) fn trim_to(&self, bytes: usize) {
        self.cache.trim_to(bytes);
    }

    pub(super) fn bytes(&self) -> usize {
        self.cache.bytes()
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let (id, count) = (self.id, *self.count.get_mut());
        self.wire.tell(&Request::Release { id, count });
    }
}

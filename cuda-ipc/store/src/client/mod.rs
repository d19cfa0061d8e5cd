//! The client of a store.

mod draft;
mod object;
mod registry;
mod session;
mod waiters;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use cuda_ipc::Context;
use cuda_ipc::transport::{Address, Connection};

pub use draft::{Draft, SealError};
pub use object::Object;

use crate::protocol::{LARGEST_PAGE, MOST_NAMES, ObjectStatus, Reply, Request, Status};
use crate::{Error, ObjectId};
use session::Session;

/// A connection to a store. Clones share it, and so may threads.
///
/// The client keeps what it gets mapped, until the object is deleted or released, or until
/// [`trim_to`](Client::trim_to) closes it. So the second [`get`](Client::get) of an object makes no system call to the
/// daemon. A thread of the client receives the daemon's messages: when an object is deleted, the thread closes what is
/// kept of it.
///
/// In a forked child, every method returns [`cuda_ipc::Error::Forked`] or does nothing. The child shares the connection, so
/// if the parent ends, the store notices that only when the child ends too or calls `exec`.
///
/// Every method that asks the daemon can return [`Error::StoreGone`], if the daemon has ended, and [`Error::TimedOut`].
/// The "Errors" sections name only other errors.
#[derive(Clone, Debug)]
pub struct Client(Arc<Session>);

impl Client {
    /// Connects to the store at an address. `timeout` is how long this call and each later one waits for a reply.
    ///
    /// # Errors
    /// [`Error::Cuda`] with [`NobodyListens`](cuda_ipc::transport::TransportError::NobodyListens) if no store runs there;
    /// [`Error::Refused`] if the store speaks another version of the protocol, does not serve this user, or has too
    /// many clients of this user; [`Error::BadReply`] if what listens there is not a store.
    pub fn connect(address: &Address, timeout: Duration) -> Result<Self, Error> {
        let connection = Connection::connect(address, Some(timeout)).map_err(cuda_ipc::Error::from)?;
        Ok(Self(Arc::new(Session::new(connection, timeout)?)))
    }

    /// Waits until a store listens at an address, at most for `timeout`, and connects to it as [`Client::connect`] does.
    /// So the store and its clients can start in any order.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub fn connect_when_listening(address: &Address, timeout: Duration) -> Result<Self, Error> {
        let connection = Connection::connect_when_listening(address, Some(timeout)).map_err(cuda_ipc::Error::from)?;
        Ok(Self(Arc::new(Session::new(connection, timeout)?)))
    }

    /// Creates an object of `size` bytes, and maps it in a context for writing. The context's device is the store's, or
    /// a peer of it.
    ///
    /// # Errors
    /// [`Error::Refused`] with [`Refusal::Limit`](crate::Refusal::Limit) or
    /// [`Refusal::NoMemory`](crate::Refusal::NoMemory); [`Error::Cuda`] if the context's device cannot reach the memory.
    #[doc(alias = "cuMemCreate")]
    pub fn create(&self, context: &Context, size: usize) -> Result<Draft, Error> {
        Draft::create(&self.0, context, size)
    }

    /// Maps a sealed object in a context for reading. If this client still has it mapped there, the call asks nobody.
    ///
    /// # Errors
    /// [`Error::Refused`] with [`Refusal::NoObject`](crate::Refusal::NoObject) or
    /// [`Refusal::NotSealed`](crate::Refusal::NotSealed); [`Error::Cuda`] if the context's device cannot reach the
    /// memory.
    #[doc(alias = "cuMemMap")]
    pub fn get(&self, context: &Context, id: ObjectId) -> Result<Object, Error> {
        Object::get(&self.0, context, id)
    }

    /// Closes what this client keeps of an object: at once if no [`Object`] uses it, and otherwise with the last one.
    /// The daemon then knows that this client does not hold it. Releasing an object that the client does not keep does
    /// nothing.
    pub fn release(&self, id: ObjectId) {
        if self.0.wire.is_ours() {
            self.0.registry.revoke(id).iter().for_each(|known| self.0.registry.close(known));
        }
    }

    /// Deletes an object and its names. Nobody can get it from then on. Clients that hold it can still read it, and the
    /// memory is free when the last of them has released it. What clients keep without using it, they close at once.
    ///
    /// # Errors
    /// [`Error::Refused`] with [`Refusal::NoObject`](crate::Refusal::NoObject) or
    /// [`Refusal::NotTheOwner`](crate::Refusal::NotTheOwner).
    pub fn delete(&self, id: ObjectId) -> Result<(), Error> {
        self.done(&Request::Delete { id })
    }

    /// Gives a sealed object a name of 1 to 255 bytes. An object can have several names.
    ///
    /// # Errors
    /// [`Error::BadName`]; [`Error::Refused`] with [`Refusal::NameTaken`](crate::Refusal::NameTaken),
    /// [`Refusal::NoObject`](crate::Refusal::NoObject), [`Refusal::NotSealed`](crate::Refusal::NotSealed),
    /// [`Refusal::NotTheOwner`](crate::Refusal::NotTheOwner) or [`Refusal::Limit`](crate::Refusal::Limit).
    pub fn bind(&self, name: &str, id: ObjectId) -> Result<(), Error> {
        self.done(&Request::Bind { id, name: name.to_owned() })
    }

    /// Gives a sealed object a name, as [`bind`](Client::bind) does. If another object has the name, this takes it from
    /// that object, and returns its id: nobody who looks the name up finds it free in between. That object stays, without
    /// this name. The result is `None` if no other object had the name.
    ///
    /// # Errors
    /// As [`bind`](Client::bind), except for [`Refusal::NameTaken`](crate::Refusal::NameTaken);
    /// [`Refusal::NotTheOwner`](crate::Refusal::NotTheOwner) also if the object that has the name belongs to another
    /// user.
    pub fn bind_or_replace(&self, name: &str, id: ObjectId) -> Result<Option<ObjectId>, Error> {
        match self.ask(&Request::Rebind { id, name: name.to_owned() })? {
            Reply::Done => Ok(None),
            Reply::Found { id } => Ok(Some(id)),
            _ => Err(Error::BadReply),
        }
    }

    /// Returns the object that has a name. To wait until an object has it, use [`wait_for`](Client::wait_for).
    ///
    /// # Errors
    /// [`Error::BadName`]; [`Error::Refused`] with [`Refusal::NoName`](crate::Refusal::NoName).
    pub fn lookup(&self, name: &str) -> Result<ObjectId, Error> {
        match self.ask(&Request::Lookup { name: name.to_owned() })? {
            Reply::Found { id } => Ok(id),
            _ => Err(Error::BadReply),
        }
    }

    /// Waits until an object has a name, at most for `limit`, and returns the object. [`Duration::MAX`] sets no limit.
    ///
    /// The daemon tells this client when the name is given, so the call does not ask again and again. Other threads can
    /// use the client meanwhile. The object may have been deleted by the time that it is got. Do not call this in a drop
    /// hook: the thread that runs the hook may be the one that receives the daemon's messages.
    ///
    /// # Errors
    /// [`Error::NotNamed`] if the time is up; [`Error::BadName`]; [`Error::Refused`] with
    /// [`Refusal::Limit`](crate::Refusal::Limit) if this user waits for too many names.
    pub fn wait_for(&self, name: &str, limit: Duration) -> Result<ObjectId, Error> {
        self.0.wait_for(name, limit)
    }

    /// Takes a name from its object. The object stays.
    ///
    /// # Errors
    /// [`Error::BadName`]; [`Error::Refused`] with [`Refusal::NoName`](crate::Refusal::NoName) or
    /// [`Refusal::NotTheOwner`](crate::Refusal::NotTheOwner).
    pub fn unbind(&self, name: &str) -> Result<(), Error> {
        self.done(&Request::Unbind { name: name.to_owned() })
    }

    /// Returns the objects of this user with their names, sealed or not, in the order of their ids. For the user of the
    /// daemon, it returns those of all users.
    ///
    /// The daemon sends the list in pages. What changes meanwhile may be missing.
    ///
    /// # Errors
    /// None but those that every method can return.
    pub fn list(&self) -> Result<Vec<ObjectStatus>, Error> {
        let mut objects: Vec<ObjectStatus> = Vec::new();
        loop {
            let after = objects.last().map(|object| object.id);
            match self.ask(&Request::List { after })? {
                Reply::Page(page) => {
                    let is_last = page.len() < LARGEST_PAGE;
                    objects.extend(page);
                    if is_last {
                        break;
                    }
                }
                _ => return Err(Error::BadReply),
            }
        }
        self.add_names(&mut objects)?;
        Ok(objects)
    }

    fn add_names(&self, objects: &mut [ObjectStatus]) -> Result<(), Error> {
        let mut after = None;
        loop {
            let Reply::Names(page) = self.ask(&Request::Names { after })? else { return Err(Error::BadReply) };
            let is_last = page.len() < MOST_NAMES;
            after = page.last().map(|(_, name)| name.clone());
            for (id, name) in page {
                // An object of a later time is not in this list.
                if let Ok(place) = objects.binary_search_by_key(&id, |object| object.id) {
                    objects[place].names.push(name);
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Returns the state of the store.
    ///
    /// # Errors
    /// None but those that every method can return.
    pub fn status(&self) -> Result<Status, Error> {
        match self.ask(&Request::Status)? {
            Reply::Status(status) => Ok(status),
            _ => Err(Error::BadReply),
        }
    }

    /// Closes what this client keeps and no [`Object`] uses, least recently used first, until at most `bytes` bytes are
    /// mapped.
    pub fn trim_to(&self, bytes: usize) {
        self.0.registry.trim_to(bytes);
    }

    /// Returns how many bytes of sealed objects this client keeps mapped, in use or not.
    #[must_use]
    pub fn mapped_bytes(&self) -> usize {
        self.0.registry.bytes()
    }

    fn done(&self, request: &Request) -> Result<(), Error> {
        match self.ask(request)? {
            Reply::Done => Ok(()),
            _ => Err(Error::BadReply),
        }
    }

    fn ask(&self, request: &Request) -> Result<Reply, Error> {
        Ok(self.0.ask(request)?.reply)
    }
}

//! Requests and replies.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cuda_ipc::transport::{Connection, Message};

use super::registry::{Known, Registry};
use super::wire::Wire;
use crate::Error;
use crate::protocol::{Reply, Request};

/// A connection with a thread that obeys revocations while no request is made. Dropping it releases everything that the
/// client holds.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) wire: Arc<Wire>,
    pub(super) registry: Arc<Registry>,
    turn: Arc<Turn>,
    listener: Option<JoinHandle<()>>,
}

/// Locked by the one thread that receives. A thread that makes a request receives its reply itself, because to be woken
/// by another thread would take longer than the daemon does.
#[derive(Debug, Default)]
struct Turn(Mutex<()>);

/// A reply with what belongs to it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) descriptors: Vec<OwnedFd>,
    /// The object that the reply gives.
    pub(super) known: Option<Arc<Known>>,
}

impl Session {
    pub(super) fn new(connection: Connection, timeout: Duration) -> Result<Self, Error> {
        let wire = Arc::new(Wire::new(connection, timeout)?);
        let registry = Arc::new(Registry::new(Arc::clone(&wire)));
        let turn = Arc::new(Turn::default());
        let listener = thread::Builder::new().name("buffer-store".to_owned()).spawn({
            let (wire, registry, turn) = (Arc::clone(&wire), Arc::clone(&registry), Arc::clone(&turn));
            move || listen(&wire, &registry, &turn)
        });
        let listener = Some(listener.map_err(Error::system("pthread_create"))?);
        Ok(Self { wire, registry, turn, listener })
    }

    /// Sends a request, and waits for its reply.
    pub(super) fn ask(&self, request: &Request) -> Result<Answer, Error> {
        self.wire.check()?;
        let _turn = self.turn.take();
        self.wire.send(request)?;
        let answer = self.receive_reply().inspect_err(|_| {
            // A late reply would be taken for that of the next request.
            self.wire.close();
        })?;
        match answer.reply {
            Reply::Refused(refusal) => Err(refusal.into()),
            _ => Ok(answer),
        }
    }

    fn receive_reply(&self) -> Result<Answer, Error> {
        loop {
            if let Some(answer) = read(&self.registry, self.wire.receive()?)? {
                return Ok(answer);
            }
        }
    }
}

impl Turn {
    fn take(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Obeys revocations until the connection ends, so that an idle client gives memory back too.
fn listen(wire: &Wire, registry: &Registry, turn: &Turn) {
    while wire.wait() {
        let _turn = turn.take();
        // A thread with a request may have received it meanwhile.
        if !wire.is_readable() {
            continue;
        }
        // A reply that nobody asked for is an error too.
        if !matches!(wire.receive().map(|message| read(registry, message)), Ok(Ok(None))) {
            break;
        }
    }
    wire.close();
}

/// Reads a message. Obeys it if it is a revocation, and returns it otherwise.
fn read(registry: &Registry, Message { bytes, descriptors }: Message) -> Result<Option<Answer>, Error> {
    let reply = Reply::from_bytes(&bytes).map_err(|_| Error::BadReply)?;
    let known = match &reply {
        Reply::Forget { id } => {
            registry.forget(*id);
            return Ok(None);
        }
        Reply::Object { id, ticket } => Some(registry.note(*id, ticket)?),
        _ => None,
    };
    Ok(Some(Answer { reply, descriptors, known }))
}

impl Drop for Session {
    fn drop(&mut self) {
        // A forked child has neither the thread nor the right to end its parent's connection.
        if !self.wire.is_ours() {
            return;
        }
        self.wire.close();
        // A drop hook may drop the session in its own thread.
        if let Some(listener) = self.listener.take().filter(|listener| listener.thread().id() != thread::current().id())
        {
            // The thread ends as soon as the connection does. Its panic would be a bug that was reported already.
            let _ = listener.join();
        }
        self.registry.trim_to(0);
    }
}

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
        let mut revoked = Vec::new();
        let turn = self.turn.take();
        let answer = self.exchange(request, &mut revoked);
        drop(turn);
        revoked.iter().for_each(|known| self.registry.close(known));
        let answer = answer?;
        match answer.reply {
            Reply::Refused(refusal) => Err(refusal.into()),
            _ => Ok(answer),
        }
    }

    /// Exchanges a request and its reply, and collects what was revoked meanwhile.
    fn exchange(&self, request: &Request, revoked: &mut Vec<Arc<Known>>) -> Result<Answer, Error> {
        self.wire.send(request)?;
        self.receive_reply(revoked).inspect_err(|_| {
            // A late reply would be taken for that of the next request.
            self.wire.close();
        })
    }

    fn receive_reply(&self, revoked: &mut Vec<Arc<Known>>) -> Result<Answer, Error> {
        loop {
            match read(&self.registry, self.wire.receive()?)? {
                Read::Answer(answer) => return Ok(answer),
                Read::Revoked(known) => revoked.extend(known),
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
        let turn = turn.take();
        // A thread with a request may have received it meanwhile.
        if !wire.is_readable() {
            continue;
        }
        let message = wire.receive().and_then(|message| read(registry, message));
        drop(turn);
        match message {
            Ok(Read::Revoked(known)) => known.iter().for_each(|known| registry.close(known)),
            // A reply that nobody asked for is an error too.
            Ok(Read::Answer(_)) | Err(_) => break,
        }
    }
    wire.close();
}

/// What a message was.
enum Read {
    Answer(Answer),
    /// The client forgets the object, if it knew it. Whoever receives this closes the memory when it no longer holds the
    /// turn: closing may call a drop hook, and the hook may make a request.
    Revoked(Option<Arc<Known>>),
}

/// Reads a message, and notes what it gives or revokes.
fn read(registry: &Registry, Message { bytes, descriptors }: Message) -> Result<Read, Error> {
    let reply = Reply::from_bytes(&bytes).map_err(|_| Error::BadReply)?;
    let known = match &reply {
        Reply::Forget { id } => return Ok(Read::Revoked(registry.revoke(*id))),
        Reply::Object { id, ticket } => Some(registry.note(*id, ticket)?),
        _ => None,
    };
    Ok(Read::Answer(Answer { reply, descriptors, known }))
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

//! Requests and replies.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Connection, Message};

use super::registry::{Known, Registry};
use super::waiters::Waiters;
use super::wire::Wire;
use crate::protocol::{Reply, Request, is_name};
use crate::{Error, ObjectId};

/// A connection with a thread that receives what is not a reply while no request is made: revocations, and names that
/// appear. Dropping it releases everything that the
/// client holds.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) wire: Arc<Wire>,
    pub(super) registry: Arc<Registry>,
    waiters: Arc<Waiters>,
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
        let (waiters, turn) = (Arc::new(Waiters::default()), Arc::new(Turn::default()));
        let listener = thread::Builder::new().name("buffer-store".to_owned()).spawn({
            let (wire, registry) = (Arc::clone(&wire), Arc::clone(&registry));
            let (waiters, turn) = (Arc::clone(&waiters), Arc::clone(&turn));
            move || listen(&wire, &registry, &waiters, &turn)
        });
        let listener = Some(listener.map_err(Error::system("pthread_create"))?);
        Ok(Self { wire, registry, waiters, turn, listener })
    }

    /// Sends a request, and waits for its reply.
    pub(super) fn ask(&self, request: &Request) -> Result<Answer, Error> {
        if let Some(name) = request.name().filter(|name| !is_name(name)) {
            return Err(Error::BadName { length: name.len() });
        }
        self.wire.check()?;
        let mut revoked = Vec::new();
        let turn = self.turn.take();
        let silence = self.wire.silence();
        let answer = self.exchange(request, &mut revoked);
        // In this order: the next thread in turn may ask for silence at once.
        drop(silence);
        drop(turn);
        revoked.iter().for_each(|known| self.registry.close(known));
        let answer = answer?;
        match answer.reply {
            Reply::Refused(refusal) => Err(refusal.into()),
            _ => Ok(answer),
        }
    }

    /// Waits until an object has a name, at most for `limit`. Other threads can ask meanwhile.
    pub(super) fn wait_for(&self, name: &str, limit: Duration) -> Result<ObjectId, Error> {
        self.wire.check()?;
        let (begin, waiter) = (Instant::now(), self.waiters.add());
        match self.ask(&Request::Wait { number: waiter.number, name: name.to_owned() })?.reply {
            Reply::Done => {}
            Reply::Found { id } => return Ok(id),
            _ => return Err(Error::BadReply),
        }
        if let Some(id) = waiter.wait(limit.saturating_sub(begin.elapsed()))? {
            return Ok(id);
        }
        self.ask(&Request::GiveUp { number: waiter.number })?;
        // The object may have got the name before the daemon has read this.
        waiter.wait(Duration::ZERO)?.ok_or_else(|| Error::NotNamed { name: name.to_owned(), waited: limit })
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
            match read(&self.registry, &self.waiters, self.wire.receive()?)? {
                Read::Answer(answer) => return Ok(answer),
                Read::Revoked(known) => revoked.extend(known),
                Read::Named => {}
            }
        }
    }
}

impl Turn {
    fn take(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives what is not a reply until the connection ends, so that an idle client gives memory back too.
fn listen(wire: &Wire, registry: &Registry, waiters: &Waiters, turn: &Turn) {
    while wire.wait() {
        let turn = turn.take();
        // A thread with a request may have received it meanwhile.
        if !wire.is_readable() {
            continue;
        }
        let message = wire.receive().and_then(|message| read(registry, waiters, message));
        drop(turn);
        match message {
            Ok(Read::Revoked(known)) => known.iter().for_each(|known| registry.close(known)),
            Ok(Read::Named) => {}
            // A reply that nobody asked for is an error too.
            Ok(Read::Answer(_)) | Err(_) => break,
        }
    }
    wire.close();
    // A thread that begins to wait from now on sees that the connection is closed.
    waiters.abandon();
}

/// What a message was.
enum Read {
    Answer(Answer),
    /// The client forgets the object, if it knew it. Whoever receives this closes the memory when it no longer holds the
    /// turn: closing may call a drop hook, and the hook may make a request.
    Revoked(Option<Arc<Known>>),
    /// An object has got a name. The thread that waits for it was told.
    Named,
}

/// Reads a message, and notes what it gives, revokes or tells.
fn read(registry: &Registry, waiters: &Waiters, Message { bytes, descriptors }: Message) -> Result<Read, Error> {
    let reply = Reply::from_bytes(&bytes).map_err(|_| Error::BadReply)?;
    let known = match &reply {
        Reply::Forget { id } => return Ok(Read::Revoked(registry.revoke(*id))),
        Reply::Named { number, id } => {
            waiters.tell(*number, *id);
            return Ok(Read::Named);
        }
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

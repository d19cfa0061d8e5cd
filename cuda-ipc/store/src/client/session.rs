//! Requests and replies.

use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cuda_ipc::transport::{Address, Message};

use super::registry::{Known, Registry};
use super::wire::Wire;
use crate::Error;
use crate::protocol::{Reply, Request};

/// A connection with the thread that receives on it. Dropping it releases everything that the client holds.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) wire: Arc<Wire>,
    pub(super) registry: Arc<Registry>,
    /// Locked from a request until its reply: replies come in the order of the requests.
    replies: Mutex<Receiver<Result<Answer, Error>>>,
    receiver: Option<JoinHandle<()>>,
}

/// A reply with what belongs to it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) descriptors: Vec<OwnedFd>,
    /// The object that the reply gives.
    pub(super) known: Option<Arc<Known>>,
}

impl Session {
    pub(super) fn connect(address: &Address, timeout: Duration) -> Result<Self, Error> {
        let wire = Arc::new(Wire::connect(address, timeout)?);
        let registry = Arc::new(Registry::new(Arc::clone(&wire)));
        let (sender, replies) = channel();
        let receiver = thread::Builder::new().name("buffer-store".to_owned()).spawn({
            let (wire, registry) = (Arc::clone(&wire), Arc::clone(&registry));
            move || receive(&wire, &registry, &sender)
        });
        let receiver = Some(receiver.map_err(Error::system("pthread_create"))?);
        Ok(Self { wire, registry, replies: Mutex::new(replies), receiver })
    }

    /// Sends a request, and waits for its reply.
    pub(super) fn ask(&self, request: &Request) -> Result<Answer, Error> {
        self.wire.check()?;
        let replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        self.wire.send(request)?;
        match replies.recv_timeout(self.wire.timeout) {
            Ok(Ok(Answer { reply: Reply::Refused(refusal), .. })) => Err(refusal.into()),
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => Err(Error::StoreGone),
            Err(RecvTimeoutError::Timeout) => {
                // A late reply would be taken for that of the next request.
                self.wire.close();
                Err(Error::TimedOut { waited: self.wire.timeout })
            }
        }
    }
}

/// Receives until the connection ends. Revocations are obeyed here, so that an idle client gives memory back too.
fn receive(wire: &Wire, registry: &Registry, replies: &Sender<Result<Answer, Error>>) {
    while let Ok(message) = wire.receive() {
        let answer = match read(registry, message) {
            Ok(Answer { reply: Reply::Forget { id }, .. }) => {
                registry.forget(id);
                continue;
            }
            answer => answer,
        };
        let is_bad = answer.is_err();
        // Fails if the session is just being dropped.
        if replies.send(answer).is_err() || is_bad {
            break;
        }
    }
    wire.close();
}

fn read(registry: &Registry, Message { bytes, descriptors }: Message) -> Result<Answer, Error> {
    let reply = Reply::from_bytes(&bytes).map_err(|_| Error::BadReply)?;
    let known = match &reply {
        Reply::Object { id, ticket } => Some(registry.note(*id, ticket)?),
        _ => None,
    };
    Ok(Answer { reply, descriptors, known })
}

impl Drop for Session {
    fn drop(&mut self) {
        // A forked child has neither the thread nor the right to end its parent's connection.
        if !self.wire.is_ours() {
            return;
        }
        self.wire.close();
        if let Some(receiver) = self.receiver.take() {
            // The thread ends as soon as the connection does. Its panic would be a bug that was reported already.
            let _ = receiver.join();
        }
        self.registry.trim_to(0);
    }
}

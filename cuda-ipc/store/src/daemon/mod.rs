//! The daemon: it owns the memory of all objects, and serves its clients in one thread.

mod accounts;
mod client;
mod memory;
mod objects;
mod waits;

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cuda_ipc::Device;
use cuda_ipc::transport::{Address, Listener, Message, TransportError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::protocol::{Counted, Refusal, Reply, Request, VERSION};
use crate::{Error, Limits, ObjectId};
use accounts::{Accounts, Uid};
use client::{Client, Gone};
use memory::Allocator;
use objects::{Given, Objects, Requester, Token};
use waits::Waits;

/// The pause if no connection can be accepted, because no descriptor is left.
const PAUSE: Duration = Duration::from_millis(100);

/// Whom a daemon serves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Only the user that the daemon runs as.
    #[default]
    SameUser,
    /// That user and these others.
    Users(Vec<u32>),
    /// Every user that can connect.
    Everyone,
}

/// How a daemon serves its clients.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// What each user may have.
    pub limits: Limits,
    /// Whom the daemon serves.
    pub admission: Admission,
    /// How long the daemon waits for a client that has connected and says nothing, that has sent a part of a message,
    /// or that does not receive a reply. Then it hangs up.
    pub patience: Duration,
}

impl Default for Settings {
    /// Returns the default limits, the daemon's own user, and 10 seconds.
    fn default() -> Self {
        let (limits, admission) = (Limits::default(), Admission::default());
        Self { limits, admission, patience: Duration::from_secs(10) }
    }
}

/// A store of buffers on one device, for the processes of this machine.
///
/// It serves all clients in one thread, and never waits for one of them. The device only holds the memory: the daemon
/// needs no context, and runs nothing there.
#[derive(Debug)]
pub struct Daemon {
    listener: Listener,
    settings: Settings,
    objects: Objects,
    waits: Waits,
    clients: BTreeMap<Token, Client>,
    /// The user that the daemon runs as.
    own_uid: Uid,
    next_token: Token,
    /// The messages of all clients so far.
    received: u64,
    /// Set while no descriptor is left for another connection.
    accept_again: Option<Instant>,
}

impl Daemon {
    /// Makes a store on a device, which listens at an address. The file that a killed daemon left is replaced.
    ///
    /// # Errors
    /// [`Error::Cuda`] if another process listens there, or if the device has no virtual memory that is shared by
    /// descriptors.
    pub fn bind(device: Device, address: &Address, settings: Settings) -> Result<Self, Error> {
        let objects = Objects::new(Allocator::new(device)?, Accounts::new(settings.limits));
        let listener = Listener::bind(address).map_err(cuda_ipc::Error::from)?;
        let own_uid = rustix::process::geteuid().as_raw();
        let (waits, clients) = (Waits::default(), BTreeMap::new());
        Ok(Self {
            listener,
            settings,
            objects,
            waits,
            clients,
            own_uid,
            next_token: 0,
            received: 0,
            accept_again: None,
        })
    }

    /// Serves clients until `stop` is readable, or for ever. Then the memory of all objects is freed; what clients have
    /// mapped stays theirs.
    ///
    /// # Errors
    /// [`Error::System`] if the kernel has no memory left.
    pub fn run(mut self, stop: Option<BorrowedFd<'_>>) -> Result<(), Error> {
        loop {
            let Ready { stop, listener, clients } = self.wait(stop)?;
            if stop {
                self.clients.values().for_each(Client::finish);
                return Ok(());
            }
            for (token, is_readable) in clients {
                if self.serve(token, is_readable).is_err() {
                    self.remove(token);
                }
            }
            if listener {
                self.accept();
            }
            self.dismiss_late_clients();
        }
    }

    /// `poll`: waits until something can be done.
    fn wait(&self, stop: Option<BorrowedFd<'_>>) -> Result<Ready, Error> {
        let listens = if self.accept_again.is_some() { PollFlags::empty() } else { PollFlags::IN };
        let mut polled = vec![PollFd::new(&self.listener, listens)];
        polled.extend(self.clients.values().map(|client| {
            let (connection, events) = client.events();
            PollFd::new(connection, events)
        }));
        polled.extend(stop.map(|stop| PollFd::from_borrowed_fd(stop, PollFlags::IN)));
        let moments = self.clients.values().filter_map(Client::next_moment).chain(self.accept_again);
        let timeout = moments.min().map(|moment| moment.saturating_duration_since(Instant::now()));
        match poll(&mut polled, timeout.map(timespec).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Error::system("poll")(error)),
        }
        let is_ready = |polled: &PollFd<'_>| !polled.revents().is_empty();
        let (listener, others) = polled.split_first().map_or((false, &[][..]), |(first, rest)| (is_ready(first), rest));
        let now = Instant::now();
        let has_work = |(client, polled): (&Client, &PollFd<'_>)| is_ready(polled) || client.has_work(now);
        let clients = self.clients.iter().zip(others).filter(|((_, client), polled)| has_work((client, polled)));
        let unreadable = PollFlags::OUT;
        let clients =
            clients.map(|((token, _), polled)| (*token, !(polled.revents() - unreadable).is_empty())).collect();
        let stop = stop.is_some() && others.last().is_some_and(is_ready);
        Ok(Ready { stop, listener, clients })
    }

    /// Sends to a client what waits for it, then receives at most one request, and answers it.
    fn serve(&mut self, token: Token, is_readable: bool) -> Result<(), Gone> {
        let patience = self.settings.patience;
        let Some(client) = self.clients.get_mut(&token) else { return Ok(()) };
        if client.has_queue() {
            client.flush(patience)?;
            if let Some(id) = client.withdraw(patience / 2) {
                self.objects.release(token, id, 1);
                client.flush(patience)?;
            }
        }
        let Some(message) = client.next_request(is_readable, patience)? else { return Ok(()) };
        self.received += 1;
        self.answer(token, &message);
        self.flush(token)
    }

    fn flush(&mut self, token: Token) -> Result<(), Gone> {
        self.clients.get_mut(&token).map_or(Ok(()), |client| client.flush(self.settings.patience))
    }

    /// Reads a message, and queues the reply.
    fn answer(&mut self, token: Token, message: &Message) {
        let Some(client) = self.clients.get_mut(&token) else { return };
        let request = Request::from_bytes(&message.bytes).ok().filter(|_| message.descriptors.is_empty());
        let (refusal, requester) = match (request, client.is_welcome) {
            (Some(Request::Hello { version: VERSION }), false) => {
                client.is_welcome = true;
                return client.send(&Reply::Welcome, None);
            }
            (Some(Request::Hello { .. }), false) => (Refusal::OtherVersion { store: VERSION }, None),
            (Some(Request::Hello { .. }) | None, _) | (Some(_), false) => (Refusal::Malformed, None),
            (Some(request), true) => {
                let requester = Requester { token, uid: client.uid, is_own_user: client.uid == self.own_uid };
                match self.perform(requester, request) {
                    Ok(()) => return,
                    Err(refusal) => (refusal, Some(requester)),
                }
            }
        };
        self.send(token, &Reply::Refused(refusal), None);
        // What follows a message that cannot be read cannot be trusted.
        if requester.is_none()
            && let Some(client) = self.clients.get_mut(&token)
        {
            client.dismiss();
        }
    }

    /// Performs a request, and queues the reply unless it is a refusal.
    fn perform(&mut self, requester: Requester, request: Request) -> Result<(), Refusal> {
        let (token, objects) = (requester.token, &mut self.objects);
        let (reply, descriptor) = match request {
            Request::Create { size } => {
                let Given { id, ticket, descriptor } = objects.create(requester, size)?;
                (Reply::Created { id, ticket }, Some(descriptor))
            }
            Request::Get { id } => {
                let Given { id, ticket, descriptor } = objects.get(token, id)?;
                (Reply::Object { id, ticket }, Some(descriptor))
            }
            Request::Release { id, count } => {
                objects.release(token, id, count);
                return Ok(());
            }
            Request::Delete { id } => {
                let holders = objects.delete(requester, id)?;
                self.revoke(token, id, &holders);
                (Reply::Done, None)
            }
            Request::Seal { id } => objects.seal(token, id).map(|()| (Reply::Done, None))?,
            Request::SealAs { id, name } => {
                objects.seal_as(token, id, &name)?;
                self.tell_waiting(token, &name, id);
                (Reply::Done, None)
            }
            Request::Bind { id, name } => {
                objects.bind(requester, id, &name)?;
                self.tell_waiting(token, &name, id);
                (Reply::Done, None)
            }
            Request::Rebind { id, name } => {
                let previous = objects.rebind(requester, id, &name)?;
                self.tell_waiting(token, &name, id);
                (previous.map_or(Reply::Done, |id| Reply::Found { id }), None)
            }
            Request::Wait { number, name } => (self.wait_for_name(requester, number, name)?, None),
            Request::GiveUp { number } => {
                self.end_wait(token, requester.uid, number);
                (Reply::Done, None)
            }
            Request::Unbind { name } => objects.unbind(requester, name).map(|()| (Reply::Done, None))?,
            Request::Lookup { name } => (Reply::Found { id: objects.lookup(name)? }, None),
            Request::Status => (Reply::Status(objects.status(self.received)), None),
            Request::List { after } => (Reply::Page(objects.list(requester, after)), None),
            Request::Names { after } => (Reply::Names(objects.names(requester, after.as_deref())), None),
            Request::Hello { .. } => return Err(Refusal::Malformed),
        };
        self.send(token, &reply, descriptor);
        Ok(())
    }

    /// Asks the holders of a deleted object to forget it. The requester receives this before the reply.
    fn revoke(&mut self, requester: Token, id: ObjectId, holders: &[Token]) {
        for holder in holders {
            self.send(*holder, &Reply::Forget { id }, None);
            if *holder != requester && self.flush(*holder).is_err() {
                self.remove(*holder);
            }
        }
    }

    /// Notes that a client waits for a name, unless an object has it.
    fn wait_for_name(&mut self, requester: Requester, number: u64, name: String) -> Result<Reply, Refusal> {
        // A number that waits already waits for this name from now on.
        self.end_wait(requester.token, requester.uid, number);
        if let Ok(id) = self.objects.lookup(name.clone()) {
            return Ok(Reply::Found { id });
        }
        self.objects.accounts.take(requester.uid, Counted::Waits, 1)?;
        self.waits.add(requester.token, number, name);
        Ok(Reply::Done)
    }

    /// Tells the clients that wait for a name which object has it now. The requester receives this before the reply.
    fn tell_waiting(&mut self, requester: Token, name: &str, id: ObjectId) {
        for (token, number) in self.waits.of_name(name) {
            let Some(uid) = self.clients.get(&token).map(|client| client.uid) else { continue };
            self.end_wait(token, uid, number);
            self.send(token, &Reply::Named { number, id }, None);
            if token != requester && self.flush(token).is_err() {
                self.remove(token);
            }
        }
    }

    fn end_wait(&mut self, token: Token, uid: Uid, number: u64) {
        if self.waits.remove(token, number) {
            self.objects.accounts.give_back(uid, Counted::Waits, 1);
        }
    }

    fn send(&mut self, token: Token, reply: &Reply, descriptor: Option<Rc<OwnedFd>>) {
        if let Some(client) = self.clients.get_mut(&token) {
            client.send(reply, descriptor);
        }
    }

    /// Accepts one connection, and refuses it at once if the daemon does not serve its user.
    fn accept(&mut self) {
        let connection = match self.listener.accept(Some(Duration::ZERO)) {
            Ok(connection) => connection,
            // The client has changed its mind.
            Err(TransportError::TimedOut { .. }) => return,
            Err(_) => {
                self.accept_again = Some(Instant::now() + PAUSE);
                return;
            }
        };
        // Fails only if the connection is none.
        let Ok(peer) = connection.peer_credentials() else { return };
        let mut client = Client::new(connection, peer.uid, Instant::now() + self.settings.patience);
        match self.admit(peer.uid) {
            Ok(()) => {
                self.clients.insert(self.next_token, client);
                self.next_token += 1;
            }
            Err(refusal) => {
                client.send(&Reply::Refused(refusal), None);
                // A new socket has room for the reply.
                let _ = client.flush(Duration::ZERO);
            }
        }
    }

    fn admit(&mut self, uid: Uid) -> Result<(), Refusal> {
        let is_served = uid == self.own_uid
            || match &self.settings.admission {
                Admission::SameUser => false,
                Admission::Users(users) => users.contains(&uid),
                Admission::Everyone => true,
            };
        if !is_served {
            return Err(Refusal::OtherUser { uid });
        }
        self.objects.accounts.take(uid, Counted::Clients, 1)
    }

    fn dismiss_late_clients(&mut self) {
        let now = Instant::now();
        if self.accept_again.is_some_and(|moment| moment <= now) {
            self.accept_again = None;
        }
        let late: Vec<Token> =
            self.clients.iter().filter(|(_, client)| client.is_late(now)).map(|(token, _)| *token).collect();
        late.into_iter().for_each(|token| self.remove(token));
    }

    /// Hangs up on a client, and ends what it has not sealed.
    fn remove(&mut self, token: Token) {
        if let Some(client) = self.clients.remove(&token) {
            self.objects.leave(token);
            for number in self.waits.of_client(token) {
                self.end_wait(token, client.uid, number);
            }
            self.objects.accounts.give_back(client.uid, Counted::Clients, 1);
        }
    }
}

/// What can be done without waiting.
struct Ready {
    stop: bool,
    listener: bool,
    /// With whether a request can be received, or the client has hung up.
    clients: Vec<(Token, bool)>,
}

fn timespec(duration: Duration) -> Timespec {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: duration.subsec_nanos().into() }
}

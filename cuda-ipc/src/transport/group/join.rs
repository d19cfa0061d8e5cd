//! Joining a group.

use std::ffi::OsString;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::process::geteuid;

use super::super::{Address, Connection, Listener, Message, TransportError};
use super::Group;
use super::deaths::Deaths;
use super::frame::Frame;
use super::link::Link;
use crate::deadline::Deadline;

/// The pause between attempts to connect to a rank that has not come yet. No call reports all the ways in which it can
/// come.
const PAUSE: Duration = Duration::from_millis(10);

/// What has come of the ranks that are not in the group yet.
struct Arrivals {
    path: PathBuf,
    /// By rank: the connection to it, if its greeting has not arrived yet.
    greeted: Vec<Option<Connection>>,
    /// Processes that have connected, and have not said yet which rank they are.
    strangers: Vec<Connection>,
}

/// What a new connection has brought.
enum Greeting {
    NotYet,
    Rank(usize, Option<Deaths>),
    /// It has ended, or does not begin as that of a rank.
    None,
}

impl Group {
    /// The most ranks of a group. Each rank has a connection to every other one, which is a descriptor.
    pub const MOST_RANKS: usize = 4096;

    /// `bind`, `connect`, `accept`: joins the group at a path, and waits until every rank has joined.
    ///
    /// Each rank listens at a socket of its own, as long as it is in the group: the path with a dot and its rank after
    /// it, such as `/run/user/1000/group.2`. A file that a killed process has left there is replaced. Each rank
    /// connects to the lower ones, and looks for those that have not come yet every 10 milliseconds.
    ///
    /// Processes of other users are refused. A connection that does not begin as one of a rank is ignored.
    ///
    /// # Errors
    /// - [`TransportError::BadRank`] if `rank` is not below `size`;
    /// - [`TransportError::GroupTooLarge`] if `size` is above [`Group::MOST_RANKS`];
    /// - [`TransportError::RankTaken`] if another process has the rank;
    /// - [`TransportError::OtherSize`] if another rank has another number of ranks in mind;
    /// - [`TransportError::RanksMissing`] if the time is up;
    /// - [`TransportError::RankDied`] if a rank joined and died before all others had come;
    /// - [`TransportError::BadAddress`], [`TransportError::NotASocket`], [`TransportError::OtherUser`],
    ///   [`TransportError::OutOfStep`] and [`TransportError::System`], for example if the folder does not exist.
    pub fn join(
        path: impl AsRef<Path>,
        rank: usize,
        size: usize,
        timeout: Option<Duration>,
    ) -> Result<Self, TransportError> {
        if rank >= size {
            return Err(TransportError::BadRank { rank, size });
        }
        if size > Self::MOST_RANKS {
            return Err(TransportError::GroupTooLarge { size, most: Self::MOST_RANKS });
        }
        let (path, deadline) = (path.as_ref().to_owned(), Deadline::after(timeout));
        let address = address(&path, rank);
        let listener = Listener::bind(&address).map_err(|error| match error {
            TransportError::InUse { .. } => TransportError::RankTaken { rank, address },
            other => other,
        })?;
        let deaths = (rank == 0).then(Deaths::new).transpose().map_err(TransportError::system("memfd_create"))?;
        let mut group = Self { rank, links: nothing(size), deaths, number: 0, end: None, listener };
        let mut arrivals = Arrivals { path, greeted: nothing(size), strangers: Vec::new() };
        let joined = group.wait_for_all(&mut arrivals, deadline);
        group.unless_failed(joined)?;
        // Every rank has a connection to this one. The barrier shows that they have connections to each other too.
        group.barrier(deadline.left())?;
        Ok(group)
    }

    fn wait_for_all(&mut self, arrivals: &mut Arrivals, deadline: Deadline) -> Result<(), TransportError> {
        loop {
            self.connect(arrivals)?;
            self.accept(arrivals)?;
            self.seat(arrivals)?;
            self.receive()?;
            let is_missing = |rank: &usize| *rank != self.rank && self.links[*rank].is_none();
            let missing: Vec<_> = (0..self.size()).filter(is_missing).collect();
            if missing.is_empty() {
                return Ok(());
            }
            if deadline.has_passed() {
                return Err(TransportError::RanksMissing { ranks: missing });
            }
            let must_connect = missing.iter().any(|rank| *rank < self.rank && arrivals.greeted[*rank].is_none());
            let next = if must_connect { deadline.min(Deadline::after(Some(PAUSE))) } else { deadline };
            let joined = self.others().filter(|(_, link)| !link.is_gone).map(|(_, link)| link.descriptor());
            let arriving = arrivals.greeted.iter().flatten().chain(&arrivals.strangers).map(|one| one.as_fd());
            let all = joined.chain(arriving).chain([self.listener.as_fd()]);
            let mut polled: Vec<_> = all.map(|one| PollFd::from_borrowed_fd(one, PollFlags::IN)).collect();
            next.poll_all(&mut polled).map_err(TransportError::system("poll"))?;
        }
    }

    /// Connects to the lower ranks that listen by now.
    fn connect(&self, arrivals: &mut Arrivals) -> Result<(), TransportError> {
        for (rank, greeted) in arrivals.greeted.iter_mut().enumerate().take(self.rank) {
            if greeted.is_none() && self.links[rank].is_none() {
                match Connection::connect(&address(&arrivals.path, rank), Some(PAUSE)) {
                    Ok(connection) => {
                        connection.require_uid(geteuid().as_raw())?;
                        *greeted = self.greet(connection);
                    }
                    Err(TransportError::NobodyListens { .. } | TransportError::TimedOut { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Accepts the processes that have connected.
    fn accept(&self, arrivals: &mut Arrivals) -> Result<(), TransportError> {
        loop {
            match self.listener.accept(Some(Duration::ZERO)) {
                Ok(connection) if connection.require_uid(geteuid().as_raw()).is_ok() => {
                    arrivals.strangers.extend(self.greet(connection));
                }
                Ok(_) => {}
                Err(TransportError::TimedOut { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Says which rank this is. Rank 0 adds the file of deaths. Returns nothing if the other process has ended already.
    fn greet(&self, mut connection: Connection) -> Option<Connection> {
        // The socket's buffer is empty, so this does not wait.
        connection.set_timeout(Some(PAUSE));
        let hello = Frame::Hello { rank: self.rank as u32, size: self.size() as u32 };
        let deaths: Vec<_> = self.deaths.iter().filter(|_| self.rank == 0).map(|deaths| deaths.as_fd()).collect();
        connection.send(&hello.to_bytes(), &deaths).ok().map(|()| connection)
    }

    /// Takes those into the group that have said which rank they are.
    fn seat(&mut self, arrivals: &mut Arrivals) -> Result<(), TransportError> {
        for expected in 0..self.rank {
            let Some(connection) = arrivals.greeted[expected].take() else { continue };
            match self.greeting(&connection)? {
                Greeting::NotYet => arrivals.greeted[expected] = Some(connection),
                Greeting::Rank(rank, deaths) if rank == expected => {
                    self.links[rank] = Some(Link::new(connection));
                    self.deaths = self.deaths.take().or(deaths);
                }
                // Perhaps a process that was just ending. The next attempt finds its successor.
                Greeting::Rank(..) | Greeting::None => {}
            }
        }
        for connection in std::mem::take(&mut arrivals.strangers) {
            match self.greeting(&connection)? {
                Greeting::NotYet => arrivals.strangers.push(connection),
                Greeting::Rank(rank, _) if rank > self.rank && self.links[rank].is_none() => {
                    self.links[rank] = Some(Link::new(connection));
                }
                Greeting::Rank(..) | Greeting::None => {}
            }
        }
        Ok(())
    }

    /// Returns what a connection has brought: a rank is below the size.
    fn greeting(&self, connection: &Connection) -> Result<Greeting, TransportError> {
        let Message { bytes, descriptors } = match connection.try_receive() {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(Greeting::NotYet),
            Err(_) => return Ok(Greeting::None),
        };
        let Some((Frame::Hello { rank, size }, [])) = Frame::split(&bytes) else { return Ok(Greeting::None) };
        let (rank, size, count) = (rank as usize, size as usize, descriptors.len());
        let deaths = descriptors.into_iter().next().and_then(Deaths::from_descriptor);
        // Rank 0 sends one descriptor, and the others send none.
        let is_valid = rank < size && count == usize::from(rank == 0) && deaths.is_some() == (rank == 0);
        if !is_valid {
            return Ok(Greeting::None);
        }
        if size != self.size() {
            return Err(TransportError::OtherSize { rank, size, expected: self.size() });
        }
        Ok(Greeting::Rank(rank, deaths))
    }
}

/// Returns the address at which a rank listens.
fn address(path: &Path, rank: usize) -> Address {
    let mut address = OsString::from(path);
    address.push(format!(".{rank}"));
    Address::Path(address.into())
}

fn nothing<T>(size: usize) -> Vec<Option<T>> {
    (0..size).map(|_| None).collect()
}

//! Groups of processes that take steps together.

mod deaths;
mod frame;
mod join;
mod link;

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use super::{Direction, Limits, Listener, Message, TransportError};
use crate::deadline::Deadline;
use deaths::Deaths;
use frame::{Frame, Outgoing, Step};
use link::{Link, Sent};

/// Processes of one machine, the *ranks* 0 to n - 1, that exchange messages and wait for each other.
///
/// Every rank calls the same methods in the same order. Each call is a step: it returns when the message of every other
/// rank has arrived.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use cuda_ipc::transport::{Group, TransportError};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("group");
/// let patience = Some(Duration::from_secs(5));
/// // In the process of each rank, of which there are three here:
/// let work = |rank| -> Result<usize, TransportError> {
///     let mut group = Group::join(&path, rank, 3, patience)?;
///     let messages = group.all_gather(&[b'a' + rank as u8], &[], patience)?;
///     for (other, message) in messages.iter().enumerate().filter(|(other, _)| *other != rank) {
///         assert_eq!(message.as_ref().unwrap().bytes, [b'a' + other as u8]);
///     }
///     group.barrier(patience)?;
///     group.finish(patience)?;
///     Ok(messages.len())
/// };
/// # std::thread::scope(|scope| {
/// #     let ranks: Vec<_> = (0..3).map(|rank| scope.spawn(move || work(rank).unwrap())).collect();
/// #     ranks.into_iter().for_each(|rank| assert_eq!(rank.join().unwrap(), 3));
/// # });
/// # Ok(())
/// # }
/// ```
///
/// # Death
/// Every rank has a connection to every other one, so the kernel reports a death to each of them at once, whichever
/// rank it is. With one rank in the middle, a death would be told only as soon as that rank looks, and its own would
/// leave the others without a way to agree. `n` ranks need `n * (n - 1) / 2` connections, which is little on one
/// machine.
///
/// The next call of each other rank, or the call in which it is, returns [`TransportError::RankDied`]. All of them name
/// the same rank, the one that was first seen dead: a rank that sees a death and leaves does not count.
///
/// After any error of a step, this process has left the group, and all calls return that error. To the others it counts
/// as dead. So does a rank that drops the group without [`Group::finish`].
#[derive(Debug)]
pub struct Group {
    rank: usize,
    /// By rank. Nothing at the place of this rank, and of those that have not joined yet.
    links: Vec<Option<Link>>,
    /// Absent until rank 0 has sent it.
    deaths: Option<Deaths>,
    /// The number of the next step.
    number: u64,
    /// The error that ended the group for this process.
    end: Option<TransportError>,
    /// Kept as long as the group, so that no other process takes the rank.
    listener: Listener,
}

impl Group {
    /// Returns the rank of this process.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.links.len()
    }

    /// `sendmsg`, `recvmsg`: sends a message with descriptors to every other rank, and returns the message of each.
    ///
    /// The result has one place for each rank, in their order. The place of this rank is empty, because it has the
    /// original. [`Parcel::all_gather`](crate::Parcel::all_gather) does the same with parcels.
    ///
    /// # Errors
    /// [`TransportError::RankDied`]; [`TransportError::RanksMissing`] if the time is up; [`TransportError::OutOfStep`]
    /// if another rank called another method; [`TransportError::DescriptorsLost`] at the limit of open files;
    /// [`TransportError::OtherProtocol`] and [`TransportError::System`]. Above the default [`Limits`],
    /// [`TransportError::TooLong`] and [`TransportError::TooManyDescriptors`]: then this rank is still in the group.
    pub fn all_gather(
        &mut self,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
        timeout: Option<Duration>,
    ) -> Result<Vec<Option<Message>>, TransportError> {
        self.take_step(Step::Gather, bytes, descriptors, timeout)
    }

    /// `sendmsg`, `recvmsg`: waits until every rank has called this.
    ///
    /// # Errors
    /// As [`Group::all_gather`].
    pub fn barrier(&mut self, timeout: Option<Duration>) -> Result<(), TransportError> {
        self.take_step(Step::Barrier, &[], &[], timeout).map(drop)
    }

    /// `sendmsg`, `recvmsg`: ends the group in an orderly way, when every rank has called this. No rank then takes the
    /// end of another one for its death.
    ///
    /// # Errors
    /// As [`Group::all_gather`].
    pub fn finish(mut self, timeout: Option<Duration>) -> Result<(), TransportError> {
        self.take_step(Step::Finish, &[], &[], timeout).map(drop)
    }

    /// `recvmsg`: looks without waiting whether a rank has died. A process that works for a long time between two steps
    /// can call this to learn of a death earlier.
    ///
    /// # Errors
    /// [`TransportError::RankDied`], and as [`Group::all_gather`], but never [`TransportError::RanksMissing`].
    pub fn check(&mut self) -> Result<(), TransportError> {
        self.require_member()?;
        let looked = self.receive();
        self.unless_failed(looked)
    }

    fn take_step(
        &mut self,
        step: Step,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
        timeout: Option<Duration>,
    ) -> Result<Vec<Option<Message>>, TransportError> {
        self.require_member()?;
        let (direction, limits) = (Direction::Sending, Limits::default());
        if bytes.len() > limits.bytes - Frame::LENGTH {
            let (length, limit) = (bytes.len() as u64, limits.bytes - Frame::LENGTH);
            return Err(TransportError::TooLong { direction, length, limit });
        }
        if descriptors.len() > limits.descriptors {
            let (count, limit) = (descriptors.len(), limits.descriptors);
            return Err(TransportError::TooManyDescriptors { direction, count, limit });
        }
        let message = Outgoing::new(Frame::Step(step, self.number), bytes, descriptors);
        let mut sent = vec![Sent::UpTo(0, 0); self.size()];
        let exchanged = self.exchange(step, &message, &mut sent, Deadline::after(timeout));
        self.unless_failed(exchanged)?;
        self.number += 1;
        Ok(self.links.iter_mut().map(|link| link.as_mut().and_then(Link::take)).collect())
    }

    /// Sends the message of this step to every other rank, and receives those of the others.
    fn exchange(
        &mut self,
        step: Step,
        message: &Outgoing<'_>,
        sent: &mut [Sent],
        deadline: Deadline,
    ) -> Result<(), TransportError> {
        loop {
            let mut is_full = vec![false; self.size()];
            for ((link, sent), is_full) in self.links.iter_mut().zip(&mut *sent).zip(&mut is_full) {
                if let Some(link) = link {
                    *is_full = link.send(message, sent)?;
                }
            }
            self.receive()?;
            let mut missing = Vec::new();
            for (rank, link) in self.others() {
                // A rank that has finished has received everything, even if it is gone by now.
                if !link.has(rank, step, self.number)? || (sent[rank] != Sent::All && !link.has_finished) {
                    missing.push(rank);
                }
            }
            if missing.is_empty() {
                return Ok(());
            }
            if !self.wait(&is_full, deadline)? {
                return Err(TransportError::RanksMissing { ranks: missing });
            }
        }
    }

    /// Receives what has arrived from every other rank. It is an error if one of them has died.
    fn receive(&mut self) -> Result<(), TransportError> {
        let mut died = None;
        for (rank, link) in self.links.iter_mut().enumerate() {
            let Some(link) = link else { continue };
            link.receive(rank)?;
            if link.is_gone && !link.has_finished {
                died = died.or(Some(rank));
            }
        }
        let Some(seen) = died else { return Ok(()) };
        // This rank may itself have seen a death and left.
        let rank = self.deaths.as_ref().map_or(seen, |deaths| deaths.note(seen, self.size()));
        Err(TransportError::RankDied { rank })
    }

    /// `poll`: waits until something has arrived, or until a socket takes more. Returns whether that was in time.
    fn wait(&self, is_full: &[bool], deadline: Deadline) -> Result<bool, TransportError> {
        let flags = |rank: usize| if is_full[rank] { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let living = self.others().filter(|(_, link)| !link.is_gone);
        let mut polled: Vec<_> =
            living.map(|(rank, link)| PollFd::from_borrowed_fd(link.descriptor(), flags(rank))).collect();
        deadline.poll_all(&mut polled).map_err(TransportError::system("poll"))
    }

    fn others(&self) -> impl Iterator<Item = (usize, &Link)> {
        self.links.iter().enumerate().filter_map(|(rank, link)| Some((rank, link.as_ref()?)))
    }

    fn require_member(&self) -> Result<(), TransportError> {
        self.end.clone().map_or(Ok(()), Err)
    }

    /// Leaves the group if a step failed.
    fn unless_failed(&mut self, result: Result<(), TransportError>) -> Result<(), TransportError> {
        if let Err(error) = &result {
            self.links.iter_mut().for_each(|link| *link = None);
            self.end = Some(error.clone());
        }
        result
    }
}

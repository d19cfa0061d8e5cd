//! Sharing of memory of any kind: the parcel that an exporter sends, and the memory that an importer opens from it.
//!
//! A [`Parcel`] is a [`Ticket`] with the descriptors that are sent with it. Each type that can be shared has a method
//! that makes one, such as [`DeviceBuffer::share`](crate::DeviceBuffer::share). A [`Connection`] carries the parcel.
//! The importer opens it as [`ImportedMemory`] and need not know which kind of memory the exporter chose.

mod open;
mod share;

pub use open::ImportedMemory;

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use crate::Error;
use crate::liveness::{Lease, LivenessError, Tenancy};
use crate::ticket::Ticket;
use crate::transport::{Connection, Group, Message};

/// A ticket and the descriptors that are sent with it.
///
/// A parcel names the memory and does not keep it alive, with one exception: a descriptor of virtual memory keeps the
/// memory alive until the descriptor is closed in every process that has it.
#[derive(Debug)]
pub struct Parcel {
    /// The ticket.
    pub ticket: Ticket,
    /// The descriptors, in the order that the ticket's indices refer to.
    pub descriptors: Vec<OwnedFd>,
    /// The importers' side of the lease, if there is one. Through it the exporter learns when all importers are done,
    /// and the importers learn when the exporter has ended.
    pub tenancy: Option<Tenancy>,
}

impl Parcel {
    /// Makes a parcel from a ticket that needs no descriptors.
    #[must_use]
    pub const fn of(ticket: Ticket) -> Self {
        Self { ticket, descriptors: Vec::new(), tenancy: None }
    }

    /// `pipe2`: adds a lease, which each importer holds as long as it has the memory open.
    ///
    /// An exporter that waits for the end of the lease before it frees the memory keeps the promise that
    /// [`Parcel::open`] requires. The parcel itself holds the lease too, until it is dropped.
    ///
    /// # Errors
    /// [`Error::Liveness`] if the parcel has a lease already, which importers may hold, or if no descriptor is left.
    pub fn lease(&mut self) -> Result<Lease, Error> {
        if self.tenancy.is_some() {
            return Err(LivenessError::HasLease.into());
        }
        let (lease, tenancy) = Lease::grant()?;
        self.tenancy = Some(tenancy);
        Ok(lease)
    }

    /// `sendmsg` with `SCM_RIGHTS`: sends the whole parcel. The same parcel can be sent to several importers.
    ///
    /// # Errors
    /// [`Error::Transport`].
    pub fn send(&self, connection: &Connection) -> Result<(), Error> {
        self.send_with(connection, &[])
    }

    /// `sendmsg` with `SCM_RIGHTS`: sends the whole parcel and a message of your own beside it, such as the number of a
    /// slot or of a frame. Either both arrive or neither.
    ///
    /// The ticket and the message together count against the connection's [`Limits`](crate::transport::Limits).
    ///
    /// # Errors
    /// [`Error::Transport`].
    pub fn send_with(&self, connection: &Connection, message: &[u8]) -> Result<(), Error> {
        self.send_bytes(connection, &[&self.ticket.to_bytes(), message].concat())
    }

    /// `recvmsg` with `SCM_RIGHTS`: receives a parcel that the other end sent.
    ///
    /// # Errors
    /// [`Error::Transport`]; [`Error::Ticket`] if the bytes are not a ticket, or if there is a message beside it;
    /// [`Error::Descriptors`] if there are too few or too many descriptors; [`Error::Liveness`] if an additional
    /// descriptor is not a lease.
    pub fn receive(connection: &Connection) -> Result<Self, Error> {
        Self::try_from(connection.receive()?)
    }

    /// `recvmsg` with `SCM_RIGHTS`: receives a parcel and the message beside it, which is empty if the other end used
    /// [`Parcel::send`].
    ///
    /// # Errors
    /// As [`Parcel::receive`].
    pub fn receive_with(connection: &Connection) -> Result<(Self, Vec<u8>), Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        let (ticket, message) = Ticket::from_prefix(&bytes)?;
        Ok((Self::assemble(ticket, descriptors)?, message.to_vec()))
    }

    /// Sends the parcel as [`Parcel::send`] does, with the ticket sealed.
    ///
    /// # Errors
    /// As [`Parcel::send`].
    #[cfg(feature = "mac")]
    pub fn send_sealed(&self, connection: &Connection, key: &crate::ticket::Key) -> Result<(), Error> {
        self.send_bytes(connection, &self.ticket.to_sealed_bytes(key))
    }

    /// Receives a parcel as [`Parcel::receive`] does, with a ticket that is sealed.
    ///
    /// # Errors
    /// As [`Parcel::receive`]; [`Error::Ticket`] if the ticket was not sealed with this key.
    #[cfg(feature = "mac")]
    pub fn receive_sealed(connection: &Connection, key: &crate::ticket::Key) -> Result<Self, Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        Self::assemble(Ticket::from_sealed_bytes(key, &bytes)?, descriptors)
    }

    /// Sends the parcel and a message as [`Parcel::send_with`] does, with both sealed. The seal also proves that they
    /// belong together.
    ///
    /// # Errors
    /// As [`Parcel::send`].
    #[cfg(feature = "mac")]
    pub fn send_sealed_with(
        &self,
        connection: &Connection,
        key: &crate::ticket::Key,
        message: &[u8],
    ) -> Result<(), Error> {
        self.send_bytes(connection, &self.ticket.to_sealed_bytes_with(key, message))
    }

    /// Receives a parcel and a message as [`Parcel::receive_with`] does, both sealed. Even an empty message must have
    /// its seal.
    ///
    /// # Errors
    /// As [`Parcel::receive`]; [`Error::Ticket`] if the ticket or the message was not sealed with this key.
    #[cfg(feature = "mac")]
    pub fn receive_sealed_with(connection: &Connection, key: &crate::ticket::Key) -> Result<(Self, Vec<u8>), Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        let (ticket, message) = Ticket::from_sealed_bytes_with(key, &bytes)?;
        Ok((Self::assemble(ticket, descriptors)?, message.to_vec()))
    }

    /// `sendmsg` and `recvmsg` with `SCM_RIGHTS`: sends the parcel to every other rank of a group, and returns the parcel
    /// of each.
    ///
    /// The place of this rank is empty: a process does not open its own parcel, because it has the original.
    ///
    /// # Errors
    /// [`Error::Transport`], as [`Group::all_gather`]; otherwise as [`Parcel::receive`].
    pub fn all_gather(&self, group: &mut Group, timeout: Option<Duration>) -> Result<Vec<Option<Self>>, Error> {
        let messages = group.all_gather(&self.ticket.to_bytes(), &self.borrowed(), timeout)?;
        messages.into_iter().map(|message| message.map(Self::try_from).transpose()).collect()
    }

    fn send_bytes(&self, connection: &Connection, bytes: &[u8]) -> Result<(), Error> {
        Ok(connection.send(bytes, &self.borrowed())?)
    }

    /// Returns the descriptors to send.
    pub(crate) fn borrowed(&self) -> Vec<BorrowedFd<'_>> {
        let tenancy = self.tenancy.iter().map(|tenancy| tenancy.as_fd());
        self.descriptors.iter().map(|descriptor| descriptor.as_fd()).chain(tenancy).collect()
    }

    /// Assembles what was received. One descriptor more than the ticket names is a tenancy.
    fn assemble(ticket: Ticket, mut descriptors: Vec<OwnedFd>) -> Result<Self, Error> {
        let (found, wanted) = (descriptors.len(), ticket.descriptor_count());
        let tenancy = match found.checked_sub(wanted) {
            Some(0) => None,
            Some(1) => descriptors.pop().map(Tenancy::try_from).transpose()?,
            _ => return Err(Error::Descriptors { found, wanted }),
        };
        Ok(Self { ticket, descriptors, tenancy })
    }
}

impl TryFrom<Message> for Parcel {
    type Error = Error;

    /// Makes a parcel from a message, such as one from [`Connection::try_receive`].
    ///
    /// # Errors
    /// As [`Parcel::receive`], except for [`Error::Transport`].
    fn try_from(message: Message) -> Result<Self, Error> {
        Self::assemble(Ticket::from_bytes(&message.bytes)?, message.descriptors)
    }
}

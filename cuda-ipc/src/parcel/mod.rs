//! Sharing, whatever the memory is: what an exporter sends, and what an importer makes of it.
//!
//! A [`Parcel`] is a [`Ticket`] with the descriptors that travel beside it. Whatever can be shared makes one
//! ([`DeviceBuffer::share`](crate::DeviceBuffer::share) and the others), a [`Connection`] carries it, and the importer
//! opens it as [`ImportedMemory`] without having to know what the exporter chose.

mod open;
mod share;

pub use open::ImportedMemory;

use std::os::fd::{AsFd as _, OwnedFd};

use crate::liveness::{Lease, Tenancy};
use crate::ticket::Ticket;
use crate::transport::{Connection, Message};
use crate::{Error, ProcessIdentity};

/// A ticket and the descriptors that travel beside it.
///
/// It names what is shared and does not keep it, with one exception: descriptors of virtual memory keep that until they
/// are closed, in whatever process.
#[derive(Debug)]
pub struct Parcel {
    /// The ticket.
    pub ticket: Ticket,
    /// The descriptors, where the ticket's indices say.
    pub descriptors: Vec<OwnedFd>,
    /// What tells the exporter that its importers are done, and them that it has ended.
    pub tenancy: Option<Tenancy>,
}

impl Parcel {
    /// A parcel of a ticket that needs no descriptors.
    #[must_use]
    pub const fn of(ticket: Ticket) -> Self {
        Self { ticket, descriptors: Vec::new(), tenancy: None }
    }

    /// `pipe2`: let the importers hold a lease as long as they have the memory open; an exporter that waits for its end
    /// before it frees the memory keeps what opening asks of it.
    ///
    /// The parcel holds the lease as well, until it is dropped.
    ///
    /// # Errors
    /// [`Error::Liveness`] where no descriptor is left.
    pub fn lease(&mut self) -> Result<Lease, Error> {
        let (lease, tenancy) = Lease::grant()?;
        self.tenancy = Some(tenancy);
        Ok(lease)
    }

    /// `sendmsg` with `SCM_RIGHTS`: send all of it. It stays here, to be sent to others.
    ///
    /// # Errors
    /// [`Error::Transport`].
    pub fn send(&self, connection: &Connection) -> Result<(), Error> {
        self.send_bytes(connection, &self.ticket.to_bytes())
    }

    /// `recvmsg` with `SCM_RIGHTS`: a parcel that the other end sent.
    ///
    /// # Errors
    /// [`Error::Transport`]; [`Error::Ticket`] where the message is no ticket; [`Error::Descriptors`].
    pub fn receive(connection: &Connection) -> Result<Self, Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        Self::assemble(Ticket::from_bytes(&bytes)?, descriptors)
    }

    /// [`Parcel::send`] with the ticket sealed.
    ///
    /// # Errors
    /// As [`Parcel::send`].
    #[cfg(feature = "mac")]
    pub fn send_sealed(&self, connection: &Connection, key: &crate::ticket::Key) -> Result<(), Error> {
        self.send_bytes(connection, &self.ticket.to_sealed_bytes(key))
    }

    /// [`Parcel::receive`] of one whose ticket is sealed.
    ///
    /// # Errors
    /// As [`Parcel::receive`]; [`Error::Ticket`] where the seal is not of this key.
    #[cfg(feature = "mac")]
    pub fn receive_sealed(connection: &Connection, key: &crate::ticket::Key) -> Result<Self, Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        Self::assemble(Ticket::from_sealed_bytes(key, &bytes)?, descriptors)
    }

    fn send_bytes(&self, connection: &Connection, bytes: &[u8]) -> Result<(), Error> {
        let tenancy = self.tenancy.iter().map(|tenancy| tenancy.as_fd());
        let descriptors: Vec<_> = self.descriptors.iter().map(|descriptor| descriptor.as_fd()).chain(tenancy).collect();
        Ok(connection.send(bytes, &descriptors)?)
    }

    /// One more descriptor than the ticket has is a tenancy.
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

/// This process, as tickets name it.
fn this_process() -> Result<ProcessIdentity, Error> {
    ProcessIdentity::current().map_err(Error::system("/proc/self"))
}

//! How the two ends of a ring find each other's memory.
//!
//! 1. Each end says first what it is. The consumer sends a hello with the properties of the ring, and the descriptor of
//!    the pages. The producer sends an offer: what it accepts. So both ends know whether they can make a ring, before
//!    the producer allocates anything.
//! 2. The consumer sends the parcel of the slots, if they are its memory, and the parcels of its events, if there are
//!    any.
//! 3. When the producer has received these, it sends the same of its own, and then [`READY`].

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use super::layout::Layout;
use super::{Placement, RingError, Role};
use crate::deadline::Deadline;
use crate::host::SharedPages;
use crate::transport::{Connection, Message, TransportError};
use crate::{Error, Parcel};

/// The name and version of the protocol. It does not begin as a ticket does.
const NAME: [u8; 16] = *b"CUDA-IPC ring 2\n";
const READY: &[u8] = b"CUDA-IPC ring ready\n";

/// What says when a message has arrived, and when a slot is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Values,
    Events,
}

impl Order {
    const fn name(self) -> &'static str {
        match self {
            Self::Values => "stream values",
            Self::Events => "events",
        }
    }
}

/// The properties of a ring, as both ends need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) layout: Layout,
    pub(super) placement: Placement,
    pub(super) order: Order,
    pub(super) is_numbered: bool,
}

impl Hello {
    const LENGTH: usize = 40;

    /// Writes, in little-endian order: the name, the number of slots (`u32`), placement, order and numbering (a byte
    /// each), a byte 0, the size of a slot and the first message (`u64`).
    fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..16].copy_from_slice(&NAME);
        bytes[16..20].copy_from_slice(&(self.layout.slots() as u32).to_le_bytes());
        bytes[20] = u8::from(self.placement == Placement::Producer);
        bytes[21] = u8::from(self.order == Order::Events);
        bytes[22] = u8::from(self.is_numbered);
        bytes[24..32].copy_from_slice(&(self.layout.slot_size() as u64).to_le_bytes());
        bytes[32..].copy_from_slice(&self.layout.first().to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let word = |place: usize| Some(u64::from_le_bytes(*bytes[place..].first_chunk()?));
        let slots = u32::from_le_bytes(*bytes[16..].first_chunk()?);
        let layout = Layout::new(slots.try_into().ok()?, word(24)?.try_into().ok()?, word(32)?)?;
        let placement = if bytes[20] == 0 { Placement::Consumer } else { Placement::Producer };
        let order = if bytes[21] == 0 { Order::Values } else { Order::Events };
        let hello = Self { layout, placement, order, is_numbered: bytes[22] != 0 };
        // Each ring has one representation.
        (hello.to_bytes() == *bytes).then_some(hello)
    }
}

/// What a producer accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) order: Order,
    /// The most bytes of all slots together that the producer allocates.
    pub(super) most_bytes: u64,
}

impl Offer {
    const LENGTH: usize = 32;

    /// Writes, in little-endian order: the name, the order (a byte), 7 bytes 0, the most bytes (`u64`).
    fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..16].copy_from_slice(&NAME);
        bytes[16] = u8::from(self.order == Order::Events);
        bytes[24..].copy_from_slice(&self.most_bytes.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let order = if bytes[16] == 0 { Order::Values } else { Order::Events };
        let offer = Self { order, most_bytes: u64::from_le_bytes(*bytes[24..].first_chunk()?) };
        (offer.to_bytes() == *bytes).then_some(offer)
    }

    /// Returns an error if a producer with this offer cannot take part in a ring. Both ends ask, each with its own order
    /// as the expected one.
    fn require(self, hello: &Hello, role: Role) -> Result<(), RingError> {
        let (found, expected) = match role {
            Role::Consumer => (self.order, hello.order),
            Role::Producer => (hello.order, self.order),
        };
        if found != expected {
            return Err(RingError::OtherOrder { found: found.name(), expected: expected.name() });
        }
        let wanted = hello.layout.slots() as u64 * hello.layout.slot_size() as u64;
        if hello.placement == Placement::Producer && wanted > self.most_bytes {
            return Err(RingError::TooMuchMemory { wanted, allowed: self.most_bytes });
        }
        Ok(())
    }
}

/// A connection while a ring is made: all calls together end by a deadline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) connection: &'a Connection,
    role: Role,
    limit: Duration,
    deadline: Deadline,
}

impl<'a> Line<'a> {
    pub(super) fn new(connection: &'a Connection, role: Role, limit: Duration) -> Self {
        Self { connection, role, limit, deadline: Deadline::after(Some(limit)) }
    }

    /// Sends a hello, receives the producer's offer, and returns an error if they do not fit.
    pub(super) fn say_hello(&self, hello: &Hello, pages: &SharedPages<u32>) -> Result<(), Error> {
        self.send(&hello.to_bytes(), &[pages.as_fd()])?;
        let Message { bytes, .. } = self.receive()?;
        match Offer::from_bytes(&bytes) {
            Some(offer) => Ok(offer.require(hello, self.role)?),
            None => Err(self.other_message(Hello::from_bytes(&bytes).is_some())),
        }
    }

    /// Sends an offer, receives the consumer's hello with the descriptor of the pages, and returns an error if they do
    /// not fit.
    pub(super) fn say_offer(&self, offer: Offer) -> Result<(Hello, OwnedFd), Error> {
        self.send(&offer.to_bytes(), &[])?;
        let Message { bytes, descriptors } = self.receive()?;
        match (Hello::from_bytes(&bytes), <[OwnedFd; 1]>::try_from(descriptors)) {
            (Some(hello), Ok([pages])) => {
                offer.require(&hello, self.role).map(|()| (hello, pages)).map_err(Error::from)
            }
            _ => Err(self.other_message(Offer::from_bytes(&bytes).is_some())),
        }
    }

    pub(super) fn send_ready(&self) -> Result<(), Error> {
        self.send(READY, &[])
    }

    pub(super) fn receive_ready(&self) -> Result<(), Error> {
        if self.receive()?.bytes == READY { Ok(()) } else { Err(RingError::OtherMessage.into()) }
    }

    pub(super) fn send_parcel(&self, parcel: &Parcel) -> Result<(), Error> {
        self.send(&parcel.ticket.to_bytes(), &parcel.borrowed())
    }

    pub(super) fn receive_parcel(&self) -> Result<Parcel, Error> {
        Parcel::try_from(self.receive()?)
    }

    fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<(), Error> {
        self.connection.send_by(self.deadline, bytes, descriptors).map_err(|error| self.failed(error))
    }

    fn receive(&self) -> Result<Message, Error> {
        self.connection.receive_by(self.deadline).map_err(|error| self.failed(error))
    }

    fn other_message(&self, is_same_role: bool) -> Error {
        match is_same_role {
            true => RingError::SameRole { role: self.role.name() }.into(),
            false => RingError::OtherMessage.into(),
        }
    }

    /// The connection's own timeout may have ended the call before the deadline.
    fn failed(&self, error: TransportError) -> Error {
        match error {
            TransportError::TimedOut { .. } if self.deadline.has_passed() => {
                RingError::NotMade { other: self.role.other().name(), waited: self.limit }.into()
            }
            error => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        let layout = Layout::new(3, 1000, 1 << 40).unwrap();
        Hello { layout, placement: Placement::Producer, order: Order::Values, is_numbered: true }
    }

    #[test]
    fn a_hello_comes_back() {
        for (order, placement) in [(Order::Values, Placement::Producer), (Order::Events, Placement::Consumer)] {
            let hello = Hello { order, placement, ..hello() };
            assert_eq!(Hello::from_bytes(&hello.to_bytes()), Some(hello));
        }
    }

    /// Each bit that is changed gives another ring or none.
    #[test]
    fn a_changed_hello_is_another() {
        let bytes = hello().to_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Hello::from_bytes(&changed), Some(hello()), "bit {bit}");
        }
        assert_eq!(Hello::from_bytes(&bytes[1..]), None);
        assert_eq!(Hello::from_bytes(&[&bytes[..], &[0]].concat()), None);
    }

    #[test]
    fn an_offer_comes_back_and_a_changed_one_is_another() {
        let offer = Offer { order: Order::Events, most_bytes: 1 << 33 };
        let bytes = offer.to_bytes();
        assert_eq!(Offer::from_bytes(&bytes), Some(offer));
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Offer::from_bytes(&changed), Some(offer), "bit {bit}");
        }
        assert_eq!(Offer::from_bytes(&hello().to_bytes()), None);
        assert_eq!(Hello::from_bytes(&bytes), None);
    }

    /// Both ends come to the same result.
    #[test]
    fn an_offer_limits_only_the_memory_of_the_producer() {
        let wanted = 3000;
        for role in [Role::Consumer, Role::Producer] {
            let require = |order, most_bytes, hello: Hello| Offer { order, most_bytes }.require(&hello, role);
            assert_eq!(require(Order::Values, wanted, hello()), Ok(()));
            let too_much = RingError::TooMuchMemory { wanted, allowed: wanted - 1 };
            assert_eq!(require(Order::Values, wanted - 1, hello()), Err(too_much));
            assert_eq!(require(Order::Values, 0, Hello { placement: Placement::Consumer, ..hello() }), Ok(()));
            let error = require(Order::Events, wanted, hello()).unwrap_err();
            assert!(matches!(error, RingError::OtherOrder { .. }), "{error}");
        }
    }
}

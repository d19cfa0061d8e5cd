//! How the two ends of a ring find each other's memory.
//!
//! 1. The consumer sends a hello with the properties of the ring, and the descriptor of the pages.
//! 2. The consumer sends the parcel of the slots, if they are its memory, and the parcels of its events, if there are
//!    any.
//! 3. The producer sends the same of its own, and then [`READY`].

use std::os::fd::{AsFd as _, OwnedFd};

use super::layout::Layout;
use super::{Placement, RingError};
use crate::Error;
use crate::host::SharedPages;
use crate::transport::{Connection, Message};

/// The name and version of the protocol. It does not begin as a ticket does.
const NAME: [u8; 16] = *b"CUDA-IPC ring 1\n";
const READY: &[u8] = b"CUDA-IPC ring ready\n";

/// What says when a message has arrived, and when a slot is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Values,
    Events,
}

impl Order {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Values => "stream values",
            Self::Events => "events",
        }
    }

    /// Returns an error unless this is the expected order.
    pub(super) fn require(self, expected: Self) -> Result<(), RingError> {
        let (found, expected) = (self.name(), expected.name());
        if found == expected { Ok(()) } else { Err(RingError::OtherOrder { found, expected }) }
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

    pub(super) fn send(self, connection: &Connection, pages: &SharedPages<u32>) -> Result<(), Error> {
        Ok(connection.send(&self.to_bytes(), &[pages.as_fd()])?)
    }

    pub(super) fn receive(connection: &Connection) -> Result<(Self, OwnedFd), Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        match (Self::from_bytes(&bytes), <[OwnedFd; 1]>::try_from(descriptors)) {
            (Some(hello), Ok([pages])) => Ok((hello, pages)),
            _ => Err(RingError::OtherMessage.into()),
        }
    }
}

pub(super) fn send_ready(connection: &Connection) -> Result<(), Error> {
    Ok(connection.send(READY, &[])?)
}

pub(super) fn receive_ready(connection: &Connection) -> Result<(), Error> {
    if connection.receive()?.bytes == READY { Ok(()) } else { Err(RingError::OtherMessage.into()) }
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
}

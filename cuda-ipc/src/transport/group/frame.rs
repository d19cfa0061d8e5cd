//! What the messages within a group begin with.

use std::iter::once;
use std::os::fd::BorrowedFd;

use super::super::{BATCH, Header};

/// The first bytes of a message: its kind with the version of the protocol, and two numbers (`u32`, little-endian).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The first message of each rank to each other one.
    Hello { rank: u32, size: u32 },
    /// A rank's part of a step that all ranks take together, and the step's number. The other bytes are the part.
    Step(Step, u64),
}

/// What all ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Barrier,
    Gather,
    /// The last step: a rank whose message of it has arrived may end.
    Finish,
}

impl Frame {
    pub(super) const LENGTH: usize = 12;

    pub(super) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let (kind, number) = match self {
            Self::Hello { rank, size } => (b"CGH\x01", u64::from(rank) | u64::from(size) << 32),
            Self::Step(Step::Barrier, number) => (b"CGB\x01", number),
            Self::Step(Step::Gather, number) => (b"CGG\x01", number),
            Self::Step(Step::Finish, number) => (b"CGF\x01", number),
        };
        let mut bytes = [0; Self::LENGTH];
        bytes[..4].copy_from_slice(kind);
        bytes[4..].copy_from_slice(&number.to_le_bytes());
        bytes
    }

    /// Returns the frame that a message begins with, and the bytes after it. Returns nothing if it begins with none.
    pub(super) fn split(message: &[u8]) -> Option<(Self, &[u8])> {
        let (kind, rest) = message.split_first_chunk::<4>()?;
        let (number, rest) = rest.split_first_chunk()?;
        let number = u64::from_le_bytes(*number);
        let frame = match kind {
            b"CGH\x01" => Self::Hello { rank: number as u32, size: (number >> 32) as u32 },
            b"CGB\x01" => Self::Step(Step::Barrier, number),
            b"CGG\x01" => Self::Step(Step::Gather, number),
            b"CGF\x01" => Self::Step(Step::Finish, number),
            _ => return None,
        };
        Some((frame, rest))
    }
}

/// A message to send to several ranks: pieces of bytes, and the descriptors that go with the first byte of each.
pub(super) struct Outgoing<'fd> {
    pieces: Vec<(Vec<u8>, &'fd [BorrowedFd<'fd>])>,
}

impl<'fd> Outgoing<'fd> {
    pub(super) fn new(frame: Frame, bytes: &[u8], descriptors: &'fd [BorrowedFd<'fd>]) -> Self {
        let length = (Frame::LENGTH + bytes.len()) as u64;
        let header = Header::Message { descriptors: descriptors.len() as u32, bytes: length }.to_bytes();
        let (first, rest) = descriptors.split_at(descriptors.len().min(BATCH));
        let others = rest.chunks(BATCH).map(|batch| (vec![0], batch));
        let mut pieces: Vec<_> = once((header.to_vec(), first)).chain(others).collect();
        if let Some((last, _)) = pieces.last_mut() {
            last.extend(frame.to_bytes());
            last.extend(bytes);
        }
        Self { pieces }
    }

    /// Returns what is left of a piece, and the descriptors to send with it. There is none after the last piece.
    pub(super) fn rest(&self, piece: usize, sent: usize) -> Option<(&[u8], &'fd [BorrowedFd<'fd>])> {
        let (bytes, descriptors) = self.pieces.get(piece)?;
        Some((bytes.get(sent..)?, if sent == 0 { descriptors } else { &[] }))
    }
}

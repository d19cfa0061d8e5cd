//! Fields of messages.

use super::{LONGEST_NAME, Malformed};
use crate::ObjectId;

/// Takes fields from the front of the remaining bytes.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn id(&mut self) -> Result<ObjectId, Malformed> {
        self.array().map(ObjectId::from_bytes)
    }

    /// Takes all remaining bytes.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Takes all remaining bytes as text.
    pub(super) fn text(&mut self) -> Result<String, Malformed> {
        std::str::from_utf8(self.rest()).map(str::to_owned).map_err(|_| Malformed)
    }

    /// Takes all remaining bytes as a name.
    pub(super) fn name(&mut self) -> Result<String, Malformed> {
        self.text().and_then(|name| if is_name(&name) { Ok(name) } else { Err(Malformed) })
    }

    /// Takes a length in one byte, and a name of that length.
    pub(super) fn short_name(&mut self) -> Result<String, Malformed> {
        let length = self.u8()?.into();
        let (name, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Reader(name).name()
    }

    /// Takes a `u32`, and as many items.
    pub(super) fn list<T>(&mut self, item: impl Fn(&mut Self) -> Result<T, Malformed>) -> Result<Vec<T>, Malformed> {
        // Memory is allocated only as items are read: the number may be wrong, and alone allocates nothing.
        (0..self.u32()?).map(|_| item(self)).collect()
    }

    /// Succeeds if nothing is left.
    pub(super) fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}

/// Returns whether a text can be a name.
pub(crate) const fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME
}

//! The names of objects that the daemon chooses.

use std::fmt;
use std::str::FromStr;

use rustix::io::{Errno, retry_on_intr};
use rustix::rand::{GetRandomFlags, getrandom};
use thiserror::Error;

/// Names one object: 128 random bits, which no other object of any store has. It is written as 32 hexadecimal digits.
///
/// Every user that the store serves can get a sealed object if they know its id, and nobody can guess it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 16]);

/// A text is not an object id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not an object id, which has 32 hexadecimal digits, such as `buffer-store list` prints")]
pub struct ParseObjectIdError;

impl ObjectId {
    /// `getrandom`: draws a new id.
    pub(crate) fn draw() -> Result<Self, Errno> {
        let mut id = [0; 16];
        // The kernel fills requests of up to 256 bytes whole.
        retry_on_intr(|| getrandom(&mut id, GetRandomFlags::empty()))?;
        Ok(Self(id))
    }

    /// Makes an id from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the id.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Returns the first half of the id, which is as random as the whole.
    pub(crate) const fn first_half(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

impl FromStr for ObjectId {
    type Err = ParseObjectIdError;

    fn from_str(text: &str) -> Result<Self, ParseObjectIdError> {
        // `from_str_radix` would also accept a sign.
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ParseObjectIdError);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| ParseObjectIdError)?;
        Ok(Self(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        let id = ObjectId::from_bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(id.to_string(), "000102030405060708090a0b0c0d0eff");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in ["", "00", "+00102030405060708090a0b0c0d0eff", "000102030405060708090a0b0c0d0eff0", "é"] {
            assert_eq!(text.parse::<ObjectId>(), Err(ParseObjectIdError), "{text}");
        }
    }

    #[test]
    fn ids_differ() {
        assert_ne!(ObjectId::draw().unwrap(), ObjectId::draw().unwrap());
    }
}

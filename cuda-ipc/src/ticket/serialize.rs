//! Tickets in serde formats: as bytes, or as hexadecimal digits in human-readable formats.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Ticket;

impl Serialize for Ticket {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.to_bytes();
        if serializer.is_human_readable() {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            serializer.serialize_str(&digits)
        } else {
            serializer.serialize_bytes(&bytes)
        }
    }
}

impl<'de> Deserialize<'de> for Ticket {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Digits)
        } else {
            deserializer.deserialize_bytes(Bytes)
        }
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Ticket;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a ticket")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Ticket, E> {
        Ticket::from_bytes(bytes).map_err(E::custom)
    }
}

struct Digits;

impl Visitor<'_> for Digits {
    type Value = Ticket;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a ticket's bytes as pairs of the digits 0 to 9 and a to f, at most {}", Ticket::MAX_LENGTH)
    }

    fn visit_str<E: Error>(self, digits: &str) -> Result<Ticket, E> {
        let bytes = parse(digits).ok_or_else(|| E::invalid_value(Unexpected::Other("text"), &self))?;
        Bytes.visit_bytes(&bytes)
    }
}

/// Parses the bytes. Capital letters are refused, so that each ticket has one representation.
fn parse(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks();
    if !rest.is_empty() || pairs.len() > Ticket::MAX_LENGTH {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

const fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

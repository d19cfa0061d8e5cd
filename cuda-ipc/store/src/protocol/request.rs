//! What a client sends.

use super::bytes::Reader;
use super::{Malformed, VERSION};
use crate::ObjectId;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// The first message of each connection, with the version of the client.
    Hello {
        version: u16,
    },
    Create {
        size: u64,
    },
    Seal {
        id: ObjectId,
    },
    Get {
        id: ObjectId,
    },
    /// The client no longer uses what this many replies gave it. There is no reply.
    Release {
        id: ObjectId,
        count: u64,
    },
    Delete {
        id: ObjectId,
    },
    Bind {
        id: ObjectId,
        name: String,
    },
    Lookup {
        name: String,
    },
    Unbind {
        name: String,
    },
    Status,
    /// Asks for the objects after one, or for the first ones.
    List {
        after: Option<ObjectId>,
    },
    /// Seals an object and binds a name to it, or does neither.
    SealAs {
        id: ObjectId,
        name: String,
    },
    /// Binds a name, and takes it from the object that has it.
    Rebind {
        id: ObjectId,
        name: String,
    },
    /// Asks for the names after one, or for the first ones.
    Names {
        after: Option<String>,
    },
    /// Asks to be told when an object gets a name. The client chooses the number.
    Wait {
        number: u64,
        name: String,
    },
    /// Takes a wait back.
    GiveUp {
        number: u64,
    },
}

/// The beginning of a hello. It and the version that follows stay the same in every version of the protocol.
const MAGIC: [u8; 8] = *b"BUFSTORE";

const HELLO: u16 = 1;
const CREATE: u16 = 2;
const SEAL: u16 = 3;
const GET: u16 = 4;
const RELEASE: u16 = 5;
const DELETE: u16 = 6;
const BIND: u16 = 7;
const LOOKUP: u16 = 8;
const UNBIND: u16 = 9;
const STATUS: u16 = 10;
const LIST: u16 = 11;
const SEAL_AS: u16 = 12;
const REBIND: u16 = 13;
const NAMES: u16 = 14;
const WAIT: u16 = 15;
const GIVE_UP: u16 = 16;

impl Request {
    pub(crate) const HELLO: Self = Self::Hello { version: VERSION };

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let id = |kind: u16, id: &ObjectId| [&kind.to_le_bytes()[..], &id.to_bytes()].concat();
        let name = |kind: u16, name: &str| [&kind.to_le_bytes(), name.as_bytes()].concat();
        let both = |kind: u16, of: &ObjectId, name: &str| [&id(kind, of), name.as_bytes()].concat();
        let number = |kind: u16, number: u64| [&kind.to_le_bytes()[..], &number.to_le_bytes()].concat();
        match self {
            Self::Hello { version } => [&HELLO.to_le_bytes()[..], &MAGIC, &version.to_le_bytes()].concat(),
            Self::Create { size } => number(CREATE, *size),
            Self::Seal { id: of } => id(SEAL, of),
            Self::Get { id: of } => id(GET, of),
            Self::Release { id: of, count } => [id(RELEASE, of), count.to_le_bytes().to_vec()].concat(),
            Self::Delete { id: of } => id(DELETE, of),
            Self::Bind { id: of, name } => both(BIND, of, name),
            Self::Lookup { name: of } => name(LOOKUP, of),
            Self::Unbind { name: of } => name(UNBIND, of),
            Self::Status => STATUS.to_le_bytes().to_vec(),
            Self::List { after: None } => LIST.to_le_bytes().to_vec(),
            Self::List { after: Some(after) } => id(LIST, after),
            Self::SealAs { id: of, name } => both(SEAL_AS, of, name),
            Self::Rebind { id: of, name } => both(REBIND, of, name),
            Self::Names { after } => name(NAMES, after.as_deref().unwrap_or_default()),
            Self::Wait { number: of, name } => [&number(WAIT, *of), name.as_bytes()].concat(),
            Self::GiveUp { number: of } => number(GIVE_UP, *of),
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let request = match reader.u16()? {
            HELLO => {
                if reader.array()? != MAGIC {
                    return Err(Malformed);
                }
                let version = reader.u16()?;
                if version != VERSION {
                    // The hello of another version may go on.
                    reader.rest();
                }
                Self::Hello { version }
            }
            CREATE => Self::Create { size: reader.u64()? },
            SEAL => Self::Seal { id: reader.id()? },
            GET => Self::Get { id: reader.id()? },
            RELEASE => Self::Release { id: reader.id()?, count: reader.u64()? },
            DELETE => Self::Delete { id: reader.id()? },
            BIND => Self::Bind { id: reader.id()?, name: reader.name()? },
            LOOKUP => Self::Lookup { name: reader.name()? },
            UNBIND => Self::Unbind { name: reader.name()? },
            STATUS => Self::Status,
            LIST if reader.0.is_empty() => Self::List { after: None },
            LIST => Self::List { after: Some(reader.id()?) },
            SEAL_AS => Self::SealAs { id: reader.id()?, name: reader.name()? },
            REBIND => Self::Rebind { id: reader.id()?, name: reader.name()? },
            NAMES if reader.0.is_empty() => Self::Names { after: None },
            NAMES => Self::Names { after: Some(reader.name()?) },
            WAIT => Self::Wait { number: reader.u64()?, name: reader.name()? },
            GIVE_UP => Self::GiveUp { number: reader.u64()? },
            _ => return Err(Malformed),
        };
        reader.end()?;
        Ok(request)
    }

    /// Returns the name in the request.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Bind { name, .. }
            | Self::Lookup { name }
            | Self::Unbind { name }
            | Self::SealAs { name, .. }
            | Self::Rebind { name, .. }
            | Self::Wait { name, .. } => Some(name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> impl Strategy<Value = Request> {
        let id = any::<[u8; 16]>().prop_map(ObjectId::from_bytes);
        let name = "[a-zé/]{1,80}";
        prop_oneof![
            any::<u16>().prop_map(|version| Request::Hello { version }),
            any::<u64>().prop_map(|size| Request::Create { size }),
            id.clone().prop_map(|id| Request::Seal { id }),
            id.clone().prop_map(|id| Request::Get { id }),
            (id.clone(), any::<u64>()).prop_map(|(id, count)| Request::Release { id, count }),
            id.clone().prop_map(|id| Request::Delete { id }),
            (id.clone(), name).prop_map(|(id, name)| Request::Bind { id, name }),
            name.prop_map(|name| Request::Lookup { name }),
            name.prop_map(|name| Request::Unbind { name }),
            Just(Request::Status),
            proptest::option::of(id.clone()).prop_map(|after| Request::List { after }),
            (id.clone(), name).prop_map(|(id, name)| Request::SealAs { id, name }),
            (id, name).prop_map(|(id, name)| Request::Rebind { id, name }),
            proptest::option::of(name).prop_map(|after| Request::Names { after }),
            (any::<u64>(), name).prop_map(|(number, name)| Request::Wait { number, name }),
            any::<u64>().prop_map(|number| Request::GiveUp { number }),
        ]
    }

    /// What other clients send, by PROTOCOL.md.
    #[test]
    fn the_layout_stays() {
        let id = ObjectId::from_bytes(*b"0123456789abcdef");
        let name = || "name".to_owned();
        for (request, expected) in [
            (Request::HELLO, &b"\x01\0BUFSTORE\x01\0"[..]),
            (Request::Create { size: 0x0102 }, b"\x02\0\x02\x01\0\0\0\0\0\0"),
            (Request::Seal { id }, b"\x03\x000123456789abcdef"),
            (Request::Get { id }, b"\x04\x000123456789abcdef"),
            (Request::Release { id, count: 3 }, b"\x05\x000123456789abcdef\x03\0\0\0\0\0\0\0"),
            (Request::Delete { id }, b"\x06\x000123456789abcdef"),
            (Request::Bind { id, name: name() }, b"\x07\x000123456789abcdefname"),
            (Request::Lookup { name: name() }, b"\x08\0name"),
            (Request::Unbind { name: name() }, b"\x09\0name"),
            (Request::Status, b"\x0a\0"),
            (Request::List { after: None }, b"\x0b\0"),
            (Request::List { after: Some(id) }, b"\x0b\x000123456789abcdef"),
            (Request::SealAs { id, name: name() }, b"\x0c\x000123456789abcdefname"),
            (Request::Rebind { id, name: name() }, b"\x0d\x000123456789abcdefname"),
            (Request::Names { after: None }, b"\x0e\0"),
            (Request::Names { after: Some(name()) }, b"\x0e\0name"),
            (Request::Wait { number: 5, name: name() }, b"\x0f\0\x05\0\0\0\0\0\0\0name"),
            (Request::GiveUp { number: 5 }, b"\x10\0\x05\0\0\0\0\0\0\0"),
        ] {
            assert_eq!(request.to_bytes(), expected, "{request:?}");
        }
    }

    proptest! {
        #[test]
        fn a_request_is_read_as_it_was_written(request in request()) {
            prop_assert_eq!(Request::from_bytes(&request.to_bytes()), Ok(request));
        }

        #[test]
        fn any_bytes_are_a_request_or_refused(kind in 0_u16..19, rest in proptest::collection::vec(any::<u8>(), 0..64)) {
            let bytes = [&kind.to_le_bytes()[..], &rest].concat();
            if let Ok(request) = Request::from_bytes(&bytes) {
                // The hello of another version may have more than this version knows.
                let may_be_longer = matches!(request, Request::Hello { .. });
                prop_assert!(may_be_longer || request.to_bytes() == bytes);
            }
        }

        #[test]
        fn a_request_that_is_cut_off_or_too_long_is_not_taken_for_itself(request in request(), cut in 1_usize..4) {
            let bytes = request.to_bytes();
            let cut_off = bytes.len().checked_sub(cut).map(|length| Request::from_bytes(&bytes[..length]));
            prop_assert_ne!(cut_off, Some(Ok(request)));
        }
    }
}

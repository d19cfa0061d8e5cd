//! Why a daemon refuses a request.

use std::fmt;

use thiserror::Error;

use super::bytes::Reader;
use super::{Malformed, VERSION};
use crate::ObjectId;

/// The reason why a daemon refused a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The daemon speaks another version of the protocol.
    #[error(
        "the store speaks version {store} of the protocol, and this client version {VERSION}: use the same version of \
         cuda-ipc-store"
    )]
    OtherVersion {
        /// The version of the daemon.
        store: u16,
    },
    /// The daemon does not serve this user.
    #[error("the store does not serve user {uid}: start it with --allow-user {uid}")]
    OtherUser {
        /// The user of the client.
        uid: u32,
    },
    /// The bytes that the client sent are not a request.
    #[error("the store could not read a request of this client: this is a bug of the client, so report it")]
    Malformed,
    /// The object does not exist: it was deleted, or it ended with its creator, or it never existed.
    #[error(
        "the store has no object {id}, because it was deleted, never sealed, or never existed: see `buffer-store list`"
    )]
    NoObject {
        /// The object.
        id: ObjectId,
    },
    /// The object is not sealed yet.
    #[error("object {id} is not sealed yet, so only its creator uses it: wait until the creator has sealed it")]
    NotSealed {
        /// The object.
        id: ObjectId,
    },
    /// Only the connection that created an object seals it, and only once.
    #[error("object {id} is sealed already, or another client created it: its creator seals it, once")]
    NotTheCreator {
        /// The object.
        id: ObjectId,
    },
    /// The object belongs to another user.
    #[error(
        "object {id} belongs to another user: only that user and the user of the store delete it, and bind and unbind its \
         names"
    )]
    NotTheOwner {
        /// The object.
        id: ObjectId,
    },
    /// No object has this name.
    #[error("the store has no object with the name {name:?}: give it to a sealed object first, or wait for it")]
    NoName {
        /// The name.
        name: String,
    },
    /// An object has this name already.
    #[error("the name {name:?} is taken: unbind it first, or choose another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The user's limit is reached.
    #[error(
        "{wanted} more {counted} would exceed the limit of the user, who has {used} of {limit}: give up what is not needed, \
         or start the store with a higher limit"
    )]
    Limit {
        /// What is limited.
        counted: Counted,
        /// The limit.
        limit: u64,
        /// What the user has.
        used: u64,
        /// What the request needs.
        wanted: u64,
    },
    /// The daemon could not allocate or export the memory.
    #[error("the store could not create the object: {message}")]
    NoMemory {
        /// The error of the daemon.
        message: String,
    },
    /// The kernel does not let the daemon send another descriptor of memory, because the daemon's user has too many in
    /// messages that clients have not received. The request has had no effect, and may succeed later.
    #[error(
        "the store cannot send memory now, because clients have not received what it sent before: try again, or start \
         the store with a higher limit of open files"
    )]
    Busy,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Bytes of device memory, in whole multiples of the granularity.
    Bytes,
    /// Objects, including deleted ones that clients still hold.
    Objects,
    /// Names.
    Names,
    /// Connected clients.
    Clients,
    /// Names that clients wait for.
    Waits,
}

const OTHER_VERSION: u16 = 1;
const OTHER_USER: u16 = 2;
const MALFORMED: u16 = 3;
const NO_OBJECT: u16 = 4;
const NOT_SEALED: u16 = 5;
const NOT_THE_CREATOR: u16 = 6;
const NOT_THE_OWNER: u16 = 7;
const NO_NAME: u16 = 8;
const NAME_TAKEN: u16 = 9;
const LIMIT: u16 = 10;
const NO_MEMORY: u16 = 11;
const BUSY: u16 = 12;

impl Refusal {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let mut put = |code: u16, fields: &[&[u8]]| {
            bytes.extend(code.to_le_bytes());
            fields.iter().for_each(|field| bytes.extend(*field));
        };
        match self {
            Self::OtherVersion { store } => put(OTHER_VERSION, &[&store.to_le_bytes()]),
            Self::OtherUser { uid } => put(OTHER_USER, &[&uid.to_le_bytes()]),
            Self::Malformed => put(MALFORMED, &[]),
            Self::NoObject { id } => put(NO_OBJECT, &[&id.to_bytes()]),
            Self::NotSealed { id } => put(NOT_SEALED, &[&id.to_bytes()]),
            Self::NotTheCreator { id } => put(NOT_THE_CREATOR, &[&id.to_bytes()]),
            Self::NotTheOwner { id } => put(NOT_THE_OWNER, &[&id.to_bytes()]),
            Self::NoName { name } => put(NO_NAME, &[name.as_bytes()]),
            Self::NameTaken { name } => put(NAME_TAKEN, &[name.as_bytes()]),
            Self::Limit { counted, limit, used, wanted } => {
                put(LIMIT, &[&[counted.code()], &limit.to_le_bytes(), &used.to_le_bytes(), &wanted.to_le_bytes()])
            }
            Self::NoMemory { message } => put(NO_MEMORY, &[message.as_bytes()]),
            Self::Busy => put(BUSY, &[]),
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match reader.u16()? {
            OTHER_VERSION => {
                let store = reader.u16()?;
                // The refusal of another version may go on.
                reader.rest();
                Self::OtherVersion { store }
            }
            OTHER_USER => Self::OtherUser { uid: reader.u32()? },
            MALFORMED => Self::Malformed,
            NO_OBJECT => Self::NoObject { id: reader.id()? },
            NOT_SEALED => Self::NotSealed { id: reader.id()? },
            NOT_THE_CREATOR => Self::NotTheCreator { id: reader.id()? },
            NOT_THE_OWNER => Self::NotTheOwner { id: reader.id()? },
            NO_NAME => Self::NoName { name: reader.name()? },
            NAME_TAKEN => Self::NameTaken { name: reader.name()? },
            LIMIT => Self::Limit {
                counted: Counted::from_code(reader.u8()?)?,
                limit: reader.u64()?,
                used: reader.u64()?,
                wanted: reader.u64()?,
            },
            NO_MEMORY => Self::NoMemory { message: reader.text()? },
            BUSY => Self::Busy,
            _ => return Err(Malformed),
        })
    }
}

impl Counted {
    const fn code(self) -> u8 {
        match self {
            Self::Bytes => 1,
            Self::Objects => 2,
            Self::Names => 3,
            Self::Clients => 4,
            Self::Waits => 5,
        }
    }

    const fn from_code(code: u8) -> Result<Self, Malformed> {
        Ok(match code {
            1 => Self::Bytes,
            2 => Self::Objects,
            3 => Self::Names,
            4 => Self::Clients,
            5 => Self::Waits,
            _ => return Err(Malformed),
        })
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Objects => "objects",
            Self::Names => "names",
            Self::Clients => "clients",
            Self::Waits => "waits for names",
        })
    }
}

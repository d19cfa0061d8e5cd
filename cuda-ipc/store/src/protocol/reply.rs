//! What a daemon sends.

use super::bytes::Reader;
use super::{Malformed, ObjectStatus, Refusal, Status};
use crate::ObjectId;

/// The largest number of objects in one page of a list.
pub(crate) const LARGEST_PAGE: usize = 128;

/// The largest number of names in one page of a list of names.
pub(crate) const MOST_NAMES: usize = 100;

/// The largest number of users in a status.
pub(crate) const MOST_USERS: usize = 256;

/// A message of a daemon. All but `Forget` and `Named` are replies, in the order of the requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Welcome,
    Done,
    /// The memory of a new object, for writing. One descriptor comes with it.
    Created {
        id: ObjectId,
        ticket: Vec<u8>,
    },
    /// The memory of a sealed object, for reading. One descriptor comes with it.
    Object {
        id: ObjectId,
        ticket: Vec<u8>,
    },
    Found {
        id: ObjectId,
    },
    Status(Status),
    Page(Vec<ObjectStatus>),
    Refused(Refusal),
    /// An object was deleted that this client holds. This is not a reply.
    Forget {
        id: ObjectId,
    },
    Names(Vec<(ObjectId, String)>),
    /// An object has got the name that this client waits for. This is not a reply.
    Named {
        number: u64,
        id: ObjectId,
    },
}

const WELCOME: u16 = 128;
const DONE: u16 = 129;
const CREATED: u16 = 130;
const OBJECT: u16 = 131;
const FOUND: u16 = 132;
const STATUS: u16 = 133;
const PAGE: u16 = 134;
/// The same in every version of the protocol, and so are the refusals that come instead of a welcome.
const REFUSED: u16 = 135;
const FORGET: u16 = 136;
const NAMES: u16 = 137;
const NAMED: u16 = 138;

impl Reply {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, mut bytes) = (self.kind(), Vec::new());
        bytes.extend(kind.to_le_bytes());
        match self {
            Self::Welcome | Self::Done => {}
            Self::Created { id, ticket } | Self::Object { id, ticket } => {
                bytes.extend(id.to_bytes());
                bytes.extend(ticket);
            }
            Self::Found { id } | Self::Forget { id } => bytes.extend(id.to_bytes()),
            Self::Status(status) => status.write(&mut bytes),
            Self::Page(objects) => {
                // At most LARGEST_PAGE, so the number fits.
                bytes.extend((objects.len() as u32).to_le_bytes());
                objects.iter().for_each(|object| object.write(&mut bytes));
            }
            Self::Refused(refusal) => refusal.write(&mut bytes),
            Self::Names(names) => {
                // At most MOST_NAMES, so the number fits. So does the length of each.
                bytes.extend((names.len() as u32).to_le_bytes());
                for (id, name) in names {
                    bytes.extend(id.to_bytes());
                    bytes.push(name.len() as u8);
                    bytes.extend(name.as_bytes());
                }
            }
            Self::Named { number, id } => {
                bytes.extend(number.to_le_bytes());
                bytes.extend(id.to_bytes());
            }
        }
        bytes
    }

    const fn kind(&self) -> u16 {
        match self {
            Self::Welcome => WELCOME,
            Self::Done => DONE,
            Self::Created { .. } => CREATED,
            Self::Object { .. } => OBJECT,
            Self::Found { .. } => FOUND,
            Self::Status(_) => STATUS,
            Self::Page(_) => PAGE,
            Self::Refused(_) => REFUSED,
            Self::Forget { .. } => FORGET,
            Self::Names(_) => NAMES,
            Self::Named { .. } => NAMED,
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let reply = match reader.u16()? {
            WELCOME => Self::Welcome,
            DONE => Self::Done,
            CREATED => Self::Created { id: reader.id()?, ticket: reader.rest().to_vec() },
            OBJECT => Self::Object { id: reader.id()?, ticket: reader.rest().to_vec() },
            FOUND => Self::Found { id: reader.id()? },
            STATUS => Self::Status(Status::read(&mut reader)?),
            PAGE => Self::Page(reader.list(ObjectStatus::read)?),
            REFUSED => Self::Refused(Refusal::read(&mut reader)?),
            FORGET => Self::Forget { id: reader.id()? },
            NAMES => Self::Names(reader.list(|reader| Ok((reader.id()?, reader.short_name()?)))?),
            NAMED => Self::Named { number: reader.u64()?, id: reader.id()? },
            _ => return Err(Malformed),
        };
        reader.end()?;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{Counted, LIMITS, LONGEST_NAME, UserStatus};

    fn id() -> impl Strategy<Value = ObjectId> {
        any::<[u8; 16]>().prop_map(ObjectId::from_bytes)
    }

    fn refusal() -> impl Strategy<Value = Refusal> {
        let counted = [Counted::Bytes, Counted::Objects, Counted::Names, Counted::Clients, Counted::Waits];
        let counted = prop::sample::select(counted.to_vec());
        let name = "[a-zé]{1,20}";
        prop_oneof![
            any::<u16>().prop_map(|store| Refusal::OtherVersion { store }),
            any::<u32>().prop_map(|uid| Refusal::OtherUser { uid }),
            Just(Refusal::Malformed),
            id().prop_map(|id| Refusal::NoObject { id }),
            id().prop_map(|id| Refusal::NotSealed { id }),
            id().prop_map(|id| Refusal::NotTheCreator { id }),
            id().prop_map(|id| Refusal::NotTheOwner { id }),
            name.prop_map(|name| Refusal::NoName { name }),
            name.prop_map(|name| Refusal::NameTaken { name }),
            (counted, any::<[u64; 3]>()).prop_map(|(counted, [limit, used, wanted])| Refusal::Limit {
                counted,
                limit,
                used,
                wanted
            }),
            "[a-zé]{0,20}".prop_map(|message| Refusal::NoMemory { message }),
            Just(Refusal::Busy),
        ]
    }

    fn user() -> impl Strategy<Value = UserStatus> {
        (any::<u32>(), any::<[u64; 5]>()).prop_map(|(uid, [clients, objects, bytes, names, waits])| UserStatus {
            uid,
            clients,
            objects,
            bytes,
            names,
            waits,
        })
    }

    fn object() -> impl Strategy<Value = ObjectStatus> {
        (id(), any::<u64>(), any::<[u32; 2]>(), any::<bool>()).prop_map(|(id, size, [owner, holders], is_sealed)| {
            ObjectStatus { id, size, owner, holders, is_sealed, names: Vec::new() }
        })
    }

    fn status() -> impl Strategy<Value = Status> {
        (any::<[u8; 16]>(), any::<[u64; 7]>(), vec(user(), 0..5)).prop_map(|(device, numbers, users)| {
            let [sealed, unsealed, deleted, bytes, names, holders, received] = numbers;
            Status { device, sealed, unsealed, deleted, bytes, names, holders, received, users }
        })
    }

    fn reply() -> impl Strategy<Value = Reply> {
        prop_oneof![
            Just(Reply::Welcome),
            Just(Reply::Done),
            (id(), vec(any::<u8>(), 0..300)).prop_map(|(id, ticket)| Reply::Created { id, ticket }),
            (id(), vec(any::<u8>(), 0..300)).prop_map(|(id, ticket)| Reply::Object { id, ticket }),
            id().prop_map(|id| Reply::Found { id }),
            status().prop_map(Reply::Status),
            vec(object(), 0..9).prop_map(Reply::Page),
            refusal().prop_map(Reply::Refused),
            id().prop_map(|id| Reply::Forget { id }),
            vec((id(), "[a-zé]{1,20}"), 0..9).prop_map(Reply::Names),
            (any::<u64>(), id()).prop_map(|(number, id)| Reply::Named { number, id }),
        ]
    }

    proptest! {
        #[test]
        fn a_reply_is_read_as_it_was_written(reply in reply()) {
            prop_assert_eq!(Reply::from_bytes(&reply.to_bytes()), Ok(reply));
        }

        #[test]
        fn any_bytes_are_a_reply_or_refused(kind in 127_u16..141, rest in vec(any::<u8>(), 0..200)) {
            let bytes = [&kind.to_le_bytes()[..], &rest].concat();
            if let Ok(reply) = Reply::from_bytes(&bytes) {
                // A refusal of another version may have more than this version knows.
                let may_be_longer = matches!(reply, Reply::Refused(Refusal::OtherVersion { .. }));
                prop_assert!(may_be_longer || reply.to_bytes() == bytes);
            }
        }
    }

    #[test]
    fn the_longest_replies_are_within_the_limit() {
        let id = ObjectId::from_bytes([7; 16]);
        let object = ObjectStatus { id, size: 1, owner: 2, holders: 3, is_sealed: true, names: Vec::new() };
        let page = Reply::Page(vec![object; LARGEST_PAGE]);
        let status = Status { users: vec![UserStatus::default(); MOST_USERS], ..Status::default() };
        let names = Reply::Names(vec![(id, "x".repeat(LONGEST_NAME)); MOST_NAMES]);
        for reply in [page, Reply::Status(status), names] {
            assert!(reply.to_bytes().len() <= LIMITS.bytes);
        }
    }
}

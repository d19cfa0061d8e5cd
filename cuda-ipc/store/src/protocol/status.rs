//! What a daemon tells about itself.

use super::Malformed;
use super::bytes::Reader;
use crate::ObjectId;

/// The state of a store at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The UUID of the device that the memory is on.
    pub device: [u8; 16],
    /// The number of sealed objects.
    pub sealed: u64,
    /// The number of objects that their creators have not sealed yet.
    pub unsealed: u64,
    /// The number of deleted objects that clients still hold.
    pub deleted: u64,
    /// The bytes of all these objects, as they count against the limits.
    pub bytes: u64,
    /// The number of names.
    pub names: u64,
    /// The number of pairs of an object and a client that holds it.
    pub holders: u64,
    /// The number of messages that the daemon has received from all clients, this request included.
    pub received: u64,
    /// The users that have an object or a client, at most the first 256.
    pub users: Vec<UserStatus>,
}

/// What one user has in a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserStatus {
    /// The user.
    pub uid: u32,
    /// The number of connected clients.
    pub clients: u64,
    /// The number of objects, including deleted ones that clients still hold.
    pub objects: u64,
    /// The bytes of these objects: whole multiples of the granularity of the device's memory.
    pub bytes: u64,
    /// The number of names.
    pub names: u64,
    /// The number of names that clients wait for.
    pub waits: u64,
}

/// One object of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectStatus {
    /// The object.
    pub id: ObjectId,
    /// The size in bytes.
    pub size: u64,
    /// The user that created it.
    pub owner: u32,
    /// The number of clients that hold it.
    pub holders: u32,
    /// Whether it is sealed.
    pub is_sealed: bool,
    /// The names, in alphabetical order of their bytes.
    pub names: Vec<String>,
}

impl Status {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.device);
        for number in [self.sealed, self.unsealed, self.deleted, self.bytes, self.names, self.holders, self.received] {
            bytes.extend(number.to_le_bytes());
        }
        // At most MOST_USERS, so the number fits.
        bytes.extend((self.users.len() as u32).to_le_bytes());
        for user in &self.users {
            bytes.extend(user.uid.to_le_bytes());
            for number in [user.clients, user.objects, user.bytes, user.names, user.waits] {
                bytes.extend(number.to_le_bytes());
            }
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            device: reader.array()?,
            sealed: reader.u64()?,
            unsealed: reader.u64()?,
            deleted: reader.u64()?,
            bytes: reader.u64()?,
            names: reader.u64()?,
            holders: reader.u64()?,
            received: reader.u64()?,
            users: reader.list(UserStatus::read)?,
        })
    }
}

impl UserStatus {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            uid: reader.u32()?,
            clients: reader.u64()?,
            objects: reader.u64()?,
            bytes: reader.u64()?,
            names: reader.u64()?,
            waits: reader.u64()?,
        })
    }
}

impl ObjectStatus {
    /// Writes everything but the names, which have pages of their own.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.id.to_bytes());
        bytes.extend(self.size.to_le_bytes());
        bytes.extend(self.owner.to_le_bytes());
        bytes.extend(self.holders.to_le_bytes());
        bytes.push(self.is_sealed.into());
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            id: reader.id()?,
            size: reader.u64()?,
            owner: reader.u32()?,
            holders: reader.u32()?,
            is_sealed: match reader.u8()? {
                0 => false,
                1 => true,
                _ => return Err(Malformed),
            },
            names: Vec::new(),
        })
    }
}

//! The objects, their names and their holders.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use super::accounts::{Accounts, Uid};
use super::memory::{Allocator, Memory};
use crate::ObjectId;
use crate::protocol::{Counted, LARGEST_PAGE, MOST_NAMES, ObjectStatus, Refusal, Status};

/// Names one connection. None is used again.
pub(super) type Token = u64;

/// Who makes a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requester {
    pub(super) token: Token,
    pub(super) uid: Uid,
    /// Whether it is the daemon's own user. This user may delete everything.
    pub(super) is_own_user: bool,
}

/// All objects of a store.
#[derive(Debug)]
pub(super) struct Objects {
    allocator: Allocator,
    pub(super) accounts: Accounts,
    objects: BTreeMap<ObjectId, Object>,
    /// What is left of deleted objects, until the last client has released them. The daemon's part of the memory is
    /// freed already, and the kernel keeps the rest for the clients.
    deleted: BTreeMap<ObjectId, Claim>,
    names: BTreeMap<String, ObjectId>,
    /// The objects that each connection holds, deleted ones included.
    held: BTreeMap<Token, BTreeSet<ObjectId>>,
}

#[derive(Debug)]
struct Object {
    claim: Claim,
    memory: Memory,
    size: u64,
    /// The connection that may write, until the object is sealed.
    creator: Option<Token>,
    names: BTreeSet<String>,
}

impl Object {
    fn is_listed_for(&self, requester: Requester) -> bool {
        self.claim.owner == requester.uid || requester.is_own_user
    }
}

/// What counts against an owner's limits, and who holds it.
#[derive(Debug)]
struct Claim {
    owner: Uid,
    bytes: u64,
    /// How many replies gave the memory to each connection. A release says how many of them it is about, so one that
    /// crosses a reply on its way takes back only what its sender had seen.
    holders: BTreeMap<Token, u64>,
}

/// Memory that a reply gives to a client.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) id: ObjectId,
    pub(super) ticket: Vec<u8>,
    pub(super) descriptor: Rc<OwnedFd>,
}

impl Objects {
    pub(super) fn new(allocator: Allocator, accounts: Accounts) -> Self {
        let (objects, deleted) = (BTreeMap::new(), BTreeMap::new());
        Self { allocator, accounts, objects, deleted, names: BTreeMap::new(), held: BTreeMap::new() }
    }

    /// Creates an object that only this connection may write, and that ends with it unless it is sealed.
    pub(super) fn create(&mut self, requester: Requester, size: u64) -> Result<Given, Refusal> {
        let no_memory = |message: String| Refusal::NoMemory { message };
        let bytes = self.allocator.charge(size).filter(|bytes| *bytes > 0);
        let bytes =
            bytes.ok_or_else(|| no_memory(format!("{size} bytes: use at least 1, and no more than the device has")))?;
        self.accounts.take(requester.uid, Counted::Objects, 1)?;
        let created = self.accounts.take(requester.uid, Counted::Bytes, bytes).and_then(|()| {
            let created = ObjectId::draw().map_err(|error| no_memory(format!("getrandom: {error}"))).and_then(|id| {
                let memory = self.allocator.create(id, size, bytes);
                memory.map(|memory| (id, memory)).map_err(|error| no_memory(error.to_string()))
            });
            created.inspect_err(|_| self.accounts.give_back(requester.uid, Counted::Bytes, bytes))
        });
        let (id, memory) = created.inspect_err(|_| self.accounts.give_back(requester.uid, Counted::Objects, 1))?;
        let given = Given { id, ticket: memory.to_write.clone(), descriptor: Rc::clone(&memory.descriptor) };
        let claim = Claim { owner: requester.uid, bytes, holders: BTreeMap::from([(requester.token, 1)]) };
        let object = Object { claim, memory, size, creator: Some(requester.token), names: BTreeSet::new() };
        self.objects.insert(id, object);
        self.held.entry(requester.token).or_default().insert(id);
        Ok(given)
    }

    /// Ends the writing of an object. Its creator then holds it no longer.
    pub(super) fn seal(&mut self, token: Token, id: ObjectId) -> Result<(), Refusal> {
        let object = self.objects.get_mut(&id).ok_or(Refusal::NoObject { id })?;
        if object.creator != Some(token) {
            return Err(Refusal::NotTheCreator { id });
        }
        object.creator = None;
        self.release(token, id, u64::MAX);
        Ok(())
    }

    /// Seals an object and gives it a name. If the name is refused, the object is as before.
    pub(super) fn seal_as(&mut self, token: Token, id: ObjectId, name: &str) -> Result<(), Refusal> {
        let object = self.objects.get(&id).ok_or(Refusal::NoObject { id })?;
        if object.creator != Some(token) {
            return Err(Refusal::NotTheCreator { id });
        }
        self.name(id, object.claim.owner, name)?;
        self.seal(token, id)
    }

    /// Gives the memory of a sealed object for reading.
    pub(super) fn get(&mut self, token: Token, id: ObjectId) -> Result<Given, Refusal> {
        let object = self.objects.get_mut(&id).ok_or(Refusal::NoObject { id })?;
        if object.creator.is_some() {
            return Err(Refusal::NotSealed { id });
        }
        *object.claim.holders.entry(token).or_default() += 1;
        self.held.entry(token).or_default().insert(id);
        let Memory { to_read, descriptor, .. } = &object.memory;
        Ok(Given { id, ticket: to_read.clone(), descriptor: Rc::clone(descriptor) })
    }

    /// Notes that a connection no longer uses what some replies gave it. An object whose creator releases it before it
    /// is sealed ends. What the connection does not hold is ignored.
    pub(super) fn release(&mut self, token: Token, id: ObjectId, count: u64) {
        let claim = match self.objects.get_mut(&id) {
            Some(object) => Some(&mut object.claim),
            None => self.deleted.get_mut(&id),
        };
        let Some(claim) = claim else { return };
        let Some(held) = claim.holders.get_mut(&token) else { return };
        *held = held.saturating_sub(count);
        if *held > 0 {
            return;
        }
        claim.holders.remove(&token);
        let is_free = claim.holders.is_empty();
        if let Some(held) = self.held.get_mut(&token) {
            held.remove(&id);
        }
        if self.objects.get(&id).is_some_and(|object| object.creator == Some(token)) {
            self.unlink(id);
        } else if is_free && let Some(claim) = self.deleted.remove(&id) {
            self.settle(&claim);
        }
    }

    /// Deletes an object at once, and returns the connections that hold its memory.
    pub(super) fn delete(&mut self, requester: Requester, id: ObjectId) -> Result<Vec<Token>, Refusal> {
        self.require_owner(requester, id)?;
        Ok(self.unlink(id))
    }

    /// Removes an object and its names, and frees the daemon's part of its memory.
    fn unlink(&mut self, id: ObjectId) -> Vec<Token> {
        let Some(Object { claim, names, .. }) = self.objects.remove(&id) else { return Vec::new() };
        for name in names {
            self.names.remove(&name);
            self.accounts.give_back(claim.owner, Counted::Names, 1);
        }
        let holders: Vec<Token> = claim.holders.keys().copied().collect();
        if holders.is_empty() {
            self.settle(&claim);
        } else {
            self.deleted.insert(id, claim);
        }
        holders
    }

    fn settle(&mut self, claim: &Claim) {
        self.accounts.give_back(claim.owner, Counted::Bytes, claim.bytes);
        self.accounts.give_back(claim.owner, Counted::Objects, 1);
    }

    fn require_owner(&self, requester: Requester, id: ObjectId) -> Result<&Object, Refusal> {
        let object = self.objects.get(&id).ok_or(Refusal::NoObject { id })?;
        if object.claim.owner != requester.uid && !requester.is_own_user {
            return Err(Refusal::NotTheOwner { id });
        }
        Ok(object)
    }

    /// Returns the owner of a sealed object that the requester may name.
    fn require_nameable(&self, requester: Requester, id: ObjectId) -> Result<Uid, Refusal> {
        let object = self.require_owner(requester, id)?;
        if object.creator.is_some() { Err(Refusal::NotSealed { id }) } else { Ok(object.claim.owner) }
    }

    /// Gives a sealed object a name.
    pub(super) fn bind(&mut self, requester: Requester, id: ObjectId, name: &str) -> Result<(), Refusal> {
        let owner = self.require_nameable(requester, id)?;
        self.name(id, owner, name)
    }

    /// Gives a sealed object a name, and returns the other object that had the name until now.
    pub(super) fn rebind(
        &mut self,
        requester: Requester,
        id: ObjectId,
        name: &str,
    ) -> Result<Option<ObjectId>, Refusal> {
        let owner = self.require_nameable(requester, id)?;
        let Some(previous) = self.names.get(name).copied() else { return self.name(id, owner, name).map(|()| None) };
        if previous == id {
            return Ok(None);
        }
        let owner_before = self.require_owner(requester, previous)?.claim.owner;
        // An owner has as many names as before, even at the limit.
        if owner != owner_before {
            self.accounts.take(owner, Counted::Names, 1)?;
            self.accounts.give_back(owner_before, Counted::Names, 1);
        }
        if let Some(object) = self.objects.get_mut(&previous) {
            object.names.remove(name);
        }
        self.insert_name(id, name);
        Ok(Some(previous))
    }

    fn name(&mut self, id: ObjectId, owner: Uid, name: &str) -> Result<(), Refusal> {
        if self.names.contains_key(name) {
            return Err(Refusal::NameTaken { name: name.to_owned() });
        }
        self.accounts.take(owner, Counted::Names, 1)?;
        self.insert_name(id, name);
        Ok(())
    }

    fn insert_name(&mut self, id: ObjectId, name: &str) {
        if let Some(object) = self.objects.get_mut(&id) {
            object.names.insert(name.to_owned());
        }
        self.names.insert(name.to_owned(), id);
    }

    /// Returns the object that has a name.
    pub(super) fn lookup(&self, name: String) -> Result<ObjectId, Refusal> {
        self.names.get(&name).copied().ok_or(Refusal::NoName { name })
    }

    /// Takes a name from its object.
    pub(super) fn unbind(&mut self, requester: Requester, name: String) -> Result<(), Refusal> {
        let id = self.lookup(name.clone())?;
        let owner = self.require_owner(requester, id)?.claim.owner;
        self.names.remove(&name);
        if let Some(object) = self.objects.get_mut(&id) {
            object.names.remove(&name);
        }
        self.accounts.give_back(owner, Counted::Names, 1);
        Ok(())
    }

    /// Releases everything that a connection holds, and ends what it has not sealed.
    pub(super) fn leave(&mut self, token: Token) {
        for id in self.held.remove(&token).unwrap_or_default() {
            self.release(token, id, u64::MAX);
        }
    }

    /// Returns the objects after one that the requester owns, in the order of their ids, up to a page.
    pub(super) fn list(&self, requester: Requester, after: Option<ObjectId>) -> Vec<ObjectStatus> {
        let range = self.objects.range((after.map_or(Unbounded, Excluded), Unbounded));
        let visible = range.filter(|(_, object)| object.is_listed_for(requester)).map(|(id, object)| ObjectStatus {
            id: *id,
            size: object.size,
            owner: object.claim.owner,
            holders: u32::try_from(object.claim.holders.len()).unwrap_or(u32::MAX),
            is_sealed: object.creator.is_none(),
            // They have pages of their own.
            names: Vec::new(),
        });
        visible.take(LARGEST_PAGE).collect()
    }

    /// Returns the names after one of objects that the requester owns, in order, up to a page.
    pub(super) fn names(&self, requester: Requester, after: Option<&str>) -> Vec<(ObjectId, String)> {
        let range = self.names.range::<str, _>((after.map_or(Unbounded, Excluded), Unbounded));
        let is_visible = |id: &ObjectId| self.objects.get(id).is_some_and(|object| object.is_listed_for(requester));
        let visible = range.filter(|(_, id)| is_visible(id)).map(|(name, id)| (*id, name.clone()));
        visible.take(MOST_NAMES).collect()
    }

    pub(super) fn status(&self, received: u64) -> Status {
        let claims = || self.objects.values().map(|object| &object.claim).chain(self.deleted.values());
        let unsealed = self.objects.values().filter(|object| object.creator.is_some()).count() as u64;
        Status {
            device: self.allocator.uuid(),
            sealed: self.objects.len() as u64 - unsealed,
            unsealed,
            deleted: self.deleted.len() as u64,
            bytes: claims().map(|claim| claim.bytes).sum(),
            names: self.names.len() as u64,
            holders: claims().map(|claim| claim.holders.len() as u64).sum(),
            received,
            users: self.accounts.status(),
        }
    }
}

//! What each user has, and whether they may have more.

use std::collections::BTreeMap;

use crate::Limits;
use crate::protocol::{Counted, MOST_USERS, Refusal, UserStatus};

/// A user, as the kernel tells it.
pub(super) type Uid = u32;

/// The users that have something.
#[derive(Debug)]
pub(super) struct Accounts {
    limits: Limits,
    users: BTreeMap<Uid, UserStatus>,
}

impl Accounts {
    pub(super) const fn new(limits: Limits) -> Self {
        Self { limits, users: BTreeMap::new() }
    }

    /// Adds to what a user has, unless that would exceed the limit.
    pub(super) fn take(&mut self, uid: Uid, counted: Counted, wanted: u64) -> Result<(), Refusal> {
        let limit = match counted {
            Counted::Bytes => self.limits.bytes_per_user,
            Counted::Objects | Counted::Names | Counted::Waits => self.limits.objects_per_user,
            Counted::Clients => self.limits.clients_per_user,
        };
        let used = self.users.get(&uid).map_or(0, |user| *field(&mut user.clone(), counted));
        match used.checked_add(wanted).filter(|sum| *sum <= limit) {
            Some(sum) => {
                *field(self.users.entry(uid).or_insert(UserStatus { uid, ..UserStatus::default() }), counted) = sum;
                Ok(())
            }
            None => Err(Refusal::Limit { counted, limit, used, wanted }),
        }
    }

    /// Takes back what [`Accounts::take`] added. A user that has nothing more is forgotten.
    pub(super) fn give_back(&mut self, uid: Uid, counted: Counted, amount: u64) {
        if let Some(user) = self.users.get_mut(&uid) {
            let field = field(user, counted);
            *field = field.saturating_sub(amount);
            if [user.clients, user.objects, user.bytes, user.names, user.waits] == [0; 5] {
                self.users.remove(&uid);
            }
        }
    }

    pub(super) fn status(&self) -> Vec<UserStatus> {
        self.users.values().copied().take(MOST_USERS).collect()
    }
}

const fn field(user: &mut UserStatus, counted: Counted) -> &mut u64 {
    match counted {
        Counted::Bytes => &mut user.bytes,
        Counted::Objects => &mut user.objects,
        Counted::Names => &mut user.names,
        Counted::Clients => &mut user.clients,
        Counted::Waits => &mut user.waits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reached_and_not_exceeded() {
        let mut accounts = Accounts::new(Limits { bytes_per_user: 10, ..Limits::default() });
        accounts.take(1, Counted::Bytes, 7).unwrap();
        let refusal = accounts.take(1, Counted::Bytes, 4).unwrap_err();
        assert_eq!(refusal, Refusal::Limit { counted: Counted::Bytes, limit: 10, used: 7, wanted: 4 });
        accounts.take(1, Counted::Bytes, u64::MAX).unwrap_err();
        accounts.take(1, Counted::Bytes, 3).unwrap();
        // Another user has an account of their own.
        accounts.take(2, Counted::Bytes, 10).unwrap();
        accounts.give_back(1, Counted::Bytes, 10);
        assert_eq!(accounts.status().iter().map(|user| user.uid).collect::<Vec<_>>(), [2]);
    }
}

//! Who waits for which name.

use std::collections::{BTreeMap, BTreeSet};

use super::objects::Token;

/// The waits of all clients. A client names each of its waits by a number.
#[derive(Debug, Default)]
pub(super) struct Waits {
    by_name: BTreeMap<String, BTreeSet<(Token, u64)>>,
    by_client: BTreeMap<Token, BTreeMap<u64, String>>,
}

impl Waits {
    /// Adds a wait.
    pub(super) fn add(&mut self, token: Token, number: u64, name: String) {
        self.by_name.entry(name.clone()).or_default().insert((token, number));
        self.by_client.entry(token).or_default().insert(number, name);
    }

    /// Removes a wait, and returns whether there was one.
    pub(super) fn remove(&mut self, token: Token, number: u64) -> bool {
        let Some(of_client) = self.by_client.get_mut(&token) else { return false };
        let Some(name) = of_client.remove(&number) else { return false };
        if of_client.is_empty() {
            self.by_client.remove(&token);
        }
        if let Some(of_name) = self.by_name.get_mut(&name) {
            of_name.remove(&(token, number));
            if of_name.is_empty() {
                self.by_name.remove(&name);
            }
        }
        true
    }

    /// Returns the waits for a name.
    pub(super) fn of_name(&self, name: &str) -> Vec<(Token, u64)> {
        self.by_name.get(name).into_iter().flatten().copied().collect()
    }

    /// Returns the numbers of a client's waits.
    pub(super) fn of_client(&self, token: Token) -> Vec<u64> {
        self.by_client.get(&token).into_iter().flat_map(BTreeMap::keys).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_waits_that_ended() {
        let mut waits = Waits::default();
        for (token, number, name) in [(1, 7, "a"), (2, 7, "a"), (1, 8, "a"), (1, 9, "b")] {
            waits.add(token, number, name.to_owned());
        }
        assert_eq!((waits.of_name("a"), waits.of_name("c")), (vec![(1, 7), (1, 8), (2, 7)], vec![]));
        assert!(waits.remove(1, 7) && !waits.remove(1, 7) && !waits.remove(3, 7));
        assert_eq!((waits.of_name("a"), waits.of_client(1)), (vec![(1, 8), (2, 7)], vec![8, 9]));
        assert!(waits.remove(1, 8) && waits.remove(1, 9) && waits.remove(2, 7));
        assert!(waits.by_name.is_empty() && waits.by_client.is_empty(), "{waits:?}");
    }
}

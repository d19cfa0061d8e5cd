//! Which devices of the machine can access each other's memory.
//!
//! All of them can, with native atomic operations, except the pairs that `REFERENCE_DRIVER_TOPOLOGY` names. With
//! `0-1:none,1-2:no-atomics`, devices 0 and 1 cannot access each other's memory, and devices 1 and 2 have no native
//! atomic operations between them. `all` stands for every pair: `all:none`.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::environment::{environment, read};
use crate::profile::profile;

/// The restriction between two devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    None,
    NoAtomics,
}

#[derive(Debug, Default)]
pub(crate) struct Topology {
    /// The restricted pairs, with the smaller device first.
    links: HashMap<(usize, usize), Link>,
}

impl Topology {
    fn parse(text: &str, devices: usize) -> Result<Self, String> {
        let mut links = HashMap::new();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let wrong = || format!("invalid entry `{entry}`; expected a pair such as 0-1:none or 0-1:no-atomics");
            let (pair, link) = entry.split_once(':').ok_or_else(wrong)?;
            let link = match link {
                "none" => Link::None,
                "no-atomics" => Link::NoAtomics,
                _ => return Err(wrong()),
            };
            if pair == "all" {
                let pairs = (0..devices).flat_map(|one| (one + 1..devices).map(move |other| (one, other)));
                links.extend(pairs.map(|pair| (pair, link)));
                continue;
            }
            let (one, other) = pair.split_once('-').ok_or_else(wrong)?;
            let device = |text: &str| text.parse::<usize>().map_err(|_| wrong());
            let (one, other) = (device(one)?, device(other)?);
            if one.max(other) >= devices {
                return Err(format!("`{entry}` names a nonexistent device; the number of devices is {devices}"));
            }
            links.insert((one.min(other), one.max(other)), link);
        }
        Ok(Self { links })
    }

    fn link(&self, one: usize, other: usize) -> Option<Link> {
        self.links.get(&(one.min(other), one.max(other))).copied()
    }

    /// Whether a device can access another device's memory. False for a device and itself.
    pub(crate) fn reaches(&self, one: usize, other: usize) -> bool {
        one != other && self.link(one, other) != Some(Link::None)
    }

    /// Whether a device may use the memory at a place: its own, a peer's or the host's.
    pub(crate) fn may_use(&self, device: usize, place: usize) -> bool {
        device == place || self.reaches(device, place)
    }

    /// Whether a device has native atomic operations in another device's memory.
    pub(crate) fn has_native_atomics(&self, one: usize, other: usize) -> bool {
        one != other && self.link(one, other).is_none()
    }
}

pub(crate) fn topology() -> &'static Topology {
    static TOPOLOGY: OnceLock<Topology> = OnceLock::new();
    TOPOLOGY.get_or_init(|| {
        let parse = |text: &str| Topology::parse(text, environment().devices);
        let default = || parse(if profile().has_peers { "" } else { "all:none" }).unwrap_or_default();
        read("TOPOLOGY", parse).unwrap_or_else(default)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_peers_but_the_named_pairs() {
        let topology = Topology::parse("1-0:none, 1-2:no-atomics", 3).unwrap();
        assert!(!topology.reaches(0, 1) && !topology.reaches(1, 0) && !topology.has_native_atomics(0, 1));
        assert!(topology.reaches(1, 2) && !topology.has_native_atomics(2, 1));
        assert!(topology.reaches(0, 2) && topology.has_native_atomics(0, 2));
        assert!(!topology.reaches(3, 3) && topology.may_use(3, 3));
    }

    #[test]
    fn all_stands_for_every_pair() {
        let topology = Topology::parse("all:none,0-2:no-atomics", 3).unwrap();
        assert!(!topology.reaches(0, 1) && !topology.reaches(2, 1));
        assert!(topology.reaches(0, 2) && !topology.has_native_atomics(0, 2));
    }

    #[test]
    fn another_form_is_refused_with_the_entry() {
        for text in ["0-1", "all", "all:some", "0:none", "0-1:some", "a-b:none", "0-1:none,x", "0-2:none"] {
            assert!(Topology::parse(text, 2).is_err(), "{text}");
        }
    }
}

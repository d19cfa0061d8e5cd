//! The known differences between releases, from exceptions.toml.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cuda_ipc_sys_generator::headers::HeaderSet;
use cuda_ipc_sys_generator::{Exception, exceptions};

use crate::probe::{Answer, Probe};

pub(crate) struct Exceptions(Vec<Entry>);

struct Entry {
    exception: Exception,
    /// The last set that is older than `since`. It must differ from the bindings, or `since` is too late.
    before: Option<String>,
    /// The statements that `since` changed for that set.
    changed: Vec<Probe>,
    is_needed: bool,
    /// The properties that each set's value excused.
    excused: BTreeMap<String, BTreeSet<&'static str>>,
}

impl Exceptions {
    pub(crate) fn read(sets: &[HeaderSet]) -> Result<Self> {
        Ok(Self::of(exceptions()?, sets))
    }

    fn of(exceptions: Vec<Exception>, sets: &[HeaderSet]) -> Self {
        let entry = |exception: Exception| {
            let is_older =
                |set: &&HeaderSet| exception.since.as_ref().is_some_and(|since| numbers(&set.version) < numbers(since));
            let before = sets.iter().rfind(is_older).map(|set| set.version.clone());
            let (changed, excused) = (Vec::new(), BTreeMap::new());
            Entry { exception, before, changed, is_needed: false, excused }
        };
        Self(exceptions.into_iter().map(entry).collect())
    }

    /// Returns the probe to run on a set. For a set older than a member, it asks whether the bytes are reserved there.
    pub(crate) fn adapt(&mut self, probe: &Probe, set: &HeaderSet) -> Option<Probe> {
        let is_about = |Entry { exception, .. }: &&mut Entry| {
            let is_older = |since: &String| numbers(&set.version) < numbers(since);
            let is_inside = || probe.subject.strip_prefix(&exception.name).is_some_and(|rest| rest.starts_with('.'));
            (probe.subject == exception.name || is_inside()) && exception.since.as_ref().is_some_and(is_older)
        };
        let Some(entry) = self.0.iter_mut().find(is_about) else { return Some(probe.clone()) };
        if entry.before.as_ref() == Some(&set.version) {
            entry.changed.push(probe.clone());
        }
        let lies_in = entry.exception.lies_in.as_ref()?;
        (probe.what == "offset" && probe.subject == entry.exception.name).then(|| probe.lies_in(lies_in))
    }

    /// Notes which entries are needed, with a function that says whether statements hold in the set without them.
    pub(crate) fn examine(&mut self, set: &HeaderSet, hold: impl Fn(&[Probe]) -> Result<bool>) -> Result<()> {
        for entry in self.0.iter_mut().filter(|entry| entry.before.as_ref() == Some(&set.version)) {
            entry.is_needed = !hold(&entry.changed)?;
        }
        Ok(())
    }

    /// Whether exceptions.toml states this answer for the set.
    pub(crate) fn excuse(&mut self, probe: &Probe, answer: Answer, set: &HeaderSet) -> bool {
        let is_stated = |Entry { exception, .. }: &&mut Entry| {
            exception.name == probe.subject && exception.values.get(&set.version) == Some(&answer)
        };
        let Some(entry) = self.0.iter_mut().find(is_stated) else { return false };
        entry.excused.entry(set.version.clone()).or_default().insert(probe.what);
        true
    }

    /// Returns a message for each statement of an exception that no set needed, because such a statement is wrong.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for Entry { exception, before, is_needed, excused, .. } in &self.0 {
            let Exception { name, since, values, .. } = exception;
            if let Some(since) = since
                && !is_needed
            {
                let before = before.as_deref().unwrap_or("no older set");
                wrong
                    .push(format!("exceptions.toml says that {name} came with CUDA {since}, but CUDA {before} has it"));
            }
            for set in values.keys() {
                match excused.get(set).map_or(0, BTreeSet::len) {
                    0 => wrong.push(format!("exceptions.toml gives a value of {name} that CUDA {set} does not need")),
                    1 => {}
                    _ => {
                        let what: Vec<_> = excused[set].iter().copied().collect();
                        let what = what.join(" and ");
                        wrong.push(format!("exceptions.toml excuses more than one property of {name}: its {what}"));
                    }
                }
            }
            if since.is_none() && values.is_empty() {
                wrong.push(format!("exceptions.toml lists {name} without a difference"));
            }
        }
        wrong
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use cuda_ipc_sys_generator::headers;

    use super::*;

    /// The messages about an exception after these answers of the first three sets.
    fn wrong(exception: &str, act: impl FnOnce(&mut Exceptions, [&HeaderSet; 3])) -> Vec<String> {
        let sets = headers::sets().expect("headers.toml is valid");
        let exception = toml::from_str(exception).expect("an exception");
        let mut exceptions = Exceptions::of(vec![exception], &sets);
        act(&mut exceptions, [0, 1, 2].map(|index| &sets[index]));
        exceptions.wrong()
    }

    fn probe(what: &'static str) -> Probe {
        Probe::new("CUx", what, String::new(), 8)
    }

    #[test]
    fn a_member_is_as_new_as_the_exception_says() {
        let text = "name = 'CUx'\nreason = 'why'\nsince = '12.4.127'";
        let after = |holds: bool| {
            wrong(text, |exceptions, [oldest, before, since]| {
                for (set, is_older) in [(oldest, true), (before, true), (since, false)] {
                    assert_eq!(exceptions.adapt(&probe("size"), set).is_none(), is_older);
                    let hold = |probes: &[Probe]| {
                        assert_eq!((set.version.as_str(), probes.len()), (before.version.as_str(), 1));
                        Ok(holds)
                    };
                    exceptions.examine(set, hold).expect("no error");
                }
            })
        };
        assert!(after(false).is_empty());
        assert_eq!(after(true), ["exceptions.toml says that CUx came with CUDA 12.4.127, but CUDA 12.0.146 has it"]);
    }

    #[test]
    fn a_value_excuses_one_property_of_the_set_that_has_it() {
        let text = "name = 'CUx'\nreason = 'why'\nvalues = { '11.8.89' = 4, '12.0.146' = 4 }";
        let none_left = |exceptions: &mut Exceptions, [first, second, third]: [&HeaderSet; 3]| {
            assert!(exceptions.excuse(&probe("size"), 4, first) && exceptions.excuse(&probe("size"), 4, second));
            assert!(!exceptions.excuse(&probe("size"), 5, first) && !exceptions.excuse(&probe("size"), 4, third));
        };
        assert!(wrong(text, none_left).is_empty());
        let one_left = wrong(text, |exceptions, [first, ..]| {
            assert!(exceptions.excuse(&probe("size"), 4, first));
        });
        assert_eq!(one_left, ["exceptions.toml gives a value of CUx that CUDA 12.0.146 does not need"]);
        let two_properties = wrong(text, |exceptions, [first, second, _]| {
            for (what, set) in [("size", first), ("alignment", first), ("size", second)] {
                assert!(exceptions.excuse(&probe(what), 4, set));
            }
        });
        assert_eq!(two_properties, ["exceptions.toml excuses more than one property of CUx: its alignment and size"]);
    }

    #[test]
    fn an_exception_has_a_difference() {
        let without = wrong("name = 'CUx'\nreason = 'why'", |_, _| {});
        assert_eq!(without, ["exceptions.toml lists CUx without a difference"]);
    }
}

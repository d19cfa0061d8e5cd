//! The names of the files of bug reports.

use std::collections::{BTreeMap, BTreeSet};

/// The name of the page that lists the others, without its extension.
pub(super) const INDEX: &str = "index";

/// The longest name of a case's files, without the extension. Most file systems allow 255 bytes.
const LONGEST: usize = 200;

/// The name of each case's files, without an extension.
pub(super) struct Names<'report>(BTreeMap<&'report str, String>);

impl<'report> Names<'report> {
    /// Names the files of all cases of a report. The names do not depend on which of the cases have a page, so a later call
    /// for the same report finds the files of an earlier one.
    pub(super) fn of(cases: impl Iterator<Item = &'report str>) -> Self {
        let mut taken = BTreeSet::from([INDEX.to_owned()]);
        let mut names = BTreeMap::new();
        let mut others = Vec::new();
        for case in cases {
            let name = plain(case);
            if name.len() <= LONGEST && taken.insert(name.clone()) {
                names.insert(case, name);
            } else {
                others.push((case, name));
            }
        }
        // These come last, so that a name that only one case has stays as it is.
        let mut last = BTreeMap::new();
        for (case, name) in others {
            let stem = &name[..name.len().min(LONGEST)];
            let number = last.entry(stem.to_owned()).or_insert(1);
            let numbered = loop {
                *number += 1;
                let numbered = format!("{stem}-{number}");
                if taken.insert(numbered.clone()) {
                    break numbered;
                }
            };
            names.insert(case, numbered);
        }
        Self(names)
    }

    /// Returns the name of a case's files. It is empty for a case that is not in the report.
    pub(super) fn of_case(&self, case: &str) -> &str {
        self.0.get(case).map_or("", String::as_str)
    }
}

/// Returns the name of a case with only the characters that every file system and shell takes. Those have one byte each.
fn plain(case: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    case.replace("::", "-").chars().map(|c| if is_kept(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{LONGEST, Names};

    /// An ordinary name stays as it is. Each case has a name of its own, which is short enough and not that of the index.
    #[test]
    fn each_case_has_a_name_of_its_own() {
        let long = "a".repeat(1000);
        let other_long = format!("{long}b");
        let cases = ["vmm::map::part/size=1", "x/a=1", "x/a-1", "x/a+1", "x-a-1-2", "index", &long, &other_long];
        let names = Names::of(cases.into_iter());
        let all = cases.map(|case| names.of_case(case));
        assert_eq!(all[..6], ["vmm-map-part-size-1", "x-a-1", "x-a-1-3", "x-a-1-4", "x-a-1-2", "index-2"]);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), cases.len(), "two cases share a name: {all:?}");
        assert!(all.iter().all(|name| name.len() < LONGEST + 10), "a name is too long: {all:?}");
    }
}

//! The rules that a release of a driver broke.

use std::collections::{BTreeMap, HashMap};

use super::gather::{Broken, Gathered, Kept};
use super::peers::{RARE, product, ways};
use super::types::{Before, Regression};
use crate::Defect;
use crate::diff::is_much_more;
use crate::report::Runs;

/// What a rule does with one release.
struct State<'a> {
    driver: usize,
    checked: usize,
    broken: Vec<(&'a Kept, &'a Broken)>,
}

impl<'a> State<'a> {
    /// In fewer reports, it is an outlier.
    fn breaks(&self) -> bool {
        self.broken.len() * RARE > self.checked
    }

    /// Returns the kinds of the failures that no list knows, the worst first.
    fn unlisted(&self) -> Vec<Defect> {
        let mut kinds: Vec<_> = self.of_no_list().map(|(_, kind)| kind).collect();
        kinds.sort();
        kinds
    }

    fn of_no_list(&self) -> impl Iterator<Item = (&'a Kept, Defect)> {
        self.broken.iter().filter(|(_, one)| !one.is_listed).map(|(report, one)| (*report, one.kind))
    }

    /// Returns how many reports have a failure that no list knows, and that their hosts did not have with another release;
    /// and how many have the same failure as before.
    fn new_failures(&self, before: &Self) -> (usize, usize) {
        // The worst failure of each host.
        let mut had: HashMap<&str, Defect> = HashMap::new();
        for (report, kind) in before.of_no_list() {
            let Some(host) = report.host.as_deref() else { continue };
            had.entry(host).and_modify(|worst| *worst = kind.min(*worst)).or_insert(kind);
        }
        let worst = |report: &Kept| report.host.as_deref().and_then(|host| had.get(host)).copied();
        let is_new = |report: &Kept, kind| worst(report).is_none_or(|worst| kind < worst);
        let (new, old): (Vec<_>, Vec<_>) = self.of_no_list().partition(|(report, kind)| is_new(report, *kind));
        (new.len(), old.len())
    }

    /// Returns what the rule did with the release before, if this one made it worse. A worse kind counts from the same
    /// share of the reports on as a broken rule does. The failures of a few hosts do not hide those of most.
    fn is_worse_than(&self, before: &Self) -> Option<Before> {
        let (new, old) = (self.unlisted(), before.unlisted());
        let (newly_broken, still_broken) = self.new_failures(before);
        let worst = match old.first() {
            // A few of the hosts that could break are outliers.
            _ if newly_broken * RARE <= self.checked - still_broken => return None,
            _ if !before.breaks() => return Some(Before::Held),
            None => return Some(Before::Listed),
            Some(worst) => worst,
        };
        if new.iter().filter(|kind| *kind < worst).count() * RARE > self.checked {
            return Some(Before::Milder);
        }
        let runs = |kinds: &[Defect], bad, of| Runs {
            failed: kinds.iter().filter(|kind| **kind <= bad).count().try_into().unwrap_or(u32::MAX),
            of: u32::try_from(of).unwrap_or(u32::MAX),
        };
        let is_more = |bad| is_much_more(runs(&old, bad, before.checked), runs(&new, bad, self.checked));
        new.iter().any(|bad| is_more(*bad)).then_some(Before::Fewer)
    }
}

/// Returns the rules that hold with one release of a driver and break with the next, on GPUs of the same product, and those
/// that a release broke in a worse way than the release before. A rule that a later release repaired is none. Neither is
/// one that only listed deviations break: they are known.
pub(super) fn regressions(gathered: &Gathered, compared: &[usize], driver_of: &[usize]) -> Vec<Regression> {
    let reports = &gathered.reports;
    // By the name of the driver and the product, the reports of each release in the order of the releases.
    let mut series: BTreeMap<(&str, &str), BTreeMap<usize, Vec<&Kept>>> = BTreeMap::new();
    for index in compared {
        let report = &reports[*index];
        let releases = series.entry((&report.driver.0, product(report))).or_default();
        releases.entry(driver_of[*index]).or_default().push(report);
    }
    let mut all = Vec::new();
    for ((_, product), releases) in series.iter().filter(|(_, releases)| releases.len() > 1) {
        let newest = releases.keys().next_back().copied();
        for (row, name) in gathered.rows.list.iter().enumerate() {
            let states: Vec<_> = releases.iter().filter_map(|(driver, reports)| state(row, *driver, reports)).collect();
            let held = states.iter().rposition(|state| !state.breaks()).unwrap_or_default();
            for pair in states[held.min(states.len())..].windows(2) {
                let [before, first] = pair else { continue };
                let Some(was) = first.is_worse_than(before) else { continue };
                all.push(Regression {
                    row: name.clone(),
                    driver: first.driver,
                    before: before.driver,
                    was,
                    is_newest: newest == Some(first.driver),
                    product: (*product).to_owned(),
                    checked: first.checked,
                    broken: first.broken.len(),
                    causes: ways(first.broken.iter().map(|(_, broken)| *broken), &gathered.whats.list),
                });
            }
        }
    }
    let kind = |one: &Regression| one.causes.iter().map(|way| way.kind).min();
    all.sort_by(|one, other| {
        (other.driver, kind(one), &one.row, &one.product).cmp(&(one.driver, kind(other), &other.row, &other.product))
    });
    all
}

/// Returns what a rule does in the reports of a release, if any of them checks it.
fn state<'a>(row: usize, driver: usize, reports: &[&'a Kept]) -> Option<State<'a>> {
    let broken: Vec<_> = reports
        .iter()
        .filter_map(|report| {
            let place = report.broken.binary_search_by_key(&row, |broken| broken.row).ok()?;
            Some((*report, &report.broken[place]))
        })
        .collect();
    // If a run broke off, the case that breaks the rule may not have run.
    let is_sound = |report: &&&Kept| {
        report.has_ended() && report.checks(row) && report.broken.binary_search_by_key(&row, |one| one.row).is_err()
    };
    let checked = broken.len() + reports.iter().filter(is_sound).count();
    (checked > 0).then_some(State { driver, checked, broken })
}

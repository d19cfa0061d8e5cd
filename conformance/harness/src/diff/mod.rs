//! Compares two reports: the machine, and the verdict, reason, observations, disclosures and duration of each
//! case.
//!
//! Only what regressed is worse. A case that the new run did not check, because of its machine, a filter or an early end,
//! says nothing about the driver, and neither does a case that only the new suite has.

mod cause;
mod change;
mod cover;
mod headline;
pub(crate) mod noise;
mod scope;
mod setting;
mod times;
mod types;
mod way;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub use cause::Cause;
pub use change::{Change, Difference, Severity, Why};
pub(crate) use change::{changed_disclosures, changed_observations, is_much_more};
pub use scope::Scope;
pub use setting::Setting;
pub(crate) use times::of_calls;
pub use times::{CallTime, Times};
pub use types::{Diff, Side};
pub(crate) use way::{cause_of, key, without_numbers};

use crate::report::{Index, Report, Source, Spread, Unreadable};
use change::Pair;
use times::Clock;

impl Diff {
    /// Compares two reports.
    #[must_use]
    pub fn of(old: &Report, new: &Report) -> Self {
        let Ok(diff) = Self::between(old, new);
        diff
    }

    /// Compares two reports in their files, which can have any size.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn of_files(old: &Path, new: &Path) -> Result<Self, Unreadable> {
        Self::between(&Index::read(old)?, &Index::read(new)?)
    }

    fn between<S: Source>(old: &S, new: &S) -> Result<Self, S::Error> {
        let running: BTreeSet<_> = new.running().iter().map(String::as_str).collect();
        let ids: BTreeSet<_> = old.ids().chain(new.ids()).chain(running.iter().copied()).collect();
        let (mut changes, mut left_out) = (Vec::new(), 0);
        let has_record = old.run().is_record() || new.run().is_record();
        let is_same_gpu = old.run().gpus() == new.run().gpus();
        let is_same_seed = old.run().seed == new.run().seed;
        // Another GPU has other times.
        let is_timed = is_same_gpu && old.run().repeat == new.run().repeat;
        // How many GPUs there are says which cases run, and hardly how long the calls of a record take.
        let has_same_calls = is_same_gpu || has_record && old.run().models() == new.run().models();
        let missing = &scope::missing(old, new);
        let mut clock = Clock::default();
        let mut checked = BTreeSet::new();
        for id in &ids {
            let is_running = running.contains(id);
            let pair = Pair { old: old.case(id)?, new: new.case(id)?, is_running, is_timed, is_same_seed, missing };
            match (&pair.old, &pair.new) {
                (Some(old), Some(new)) => clock.add(old, new),
                // A record has no cases that check no row.
                (Some(only), None) | (None, Some(only))
                    if has_record && only.rows.is_empty() && only.verdict.is_good() =>
                {
                    left_out += 1;
                    continue;
                }
                _ => {}
            }
            if let Some(new) = pair.new.as_ref().filter(|new| new.verdict != crate::Verdict::Unsupported) {
                checked.extend(new.rows.iter().cloned());
            }
            match Change::of(id, &pair) {
                Some(change) => changes.push(change),
                // Only one report has it, and does not check it either.
                None => left_out += usize::from(pair.old.is_none() || pair.new.is_none()),
            }
        }
        let same = ids.len() - changes.len() - left_out;
        let loads = [old.run().load, new.run().load];
        let recorded = [&recorded_calls(old, new), &recorded_calls(new, old)];
        let environment = setting::differences(old.run(), new.run());
        let mut diff = Self {
            headline: String::new(),
            old: Side::of(old),
            new: Side::of(new),
            scope: Scope::of(old, new),
            covers: cover::covers(old.run(), new.run(), &environment, &changes, &checked),
            environment,
            causes: Vec::new(),
            times: if has_same_calls { clock.compare(recorded, loads) } else { Times::default() },
            changes,
            same,
        };
        diff.expect_the_usual_slowdown();
        diff.conclude();
        Ok(diff)
    }

    /// Sorts the changes, groups the regressions, and says it in one sentence.
    fn conclude(&mut self) {
        // A stable sort keeps cases of one severity in the order of their names.
        self.changes.sort_by_key(|change| change.severity);
        self.causes = Cause::of_changes(&self.changes);
        self.headline = headline::headline(self);
    }

    /// Ignores cases that became slower or faster only as much as a typical call did.
    fn expect_the_usual_slowdown(&mut self) {
        let Some(usual) = self.times.slowdown else { return };
        let count = self.changes.len();
        self.changes.retain(|change| change.severity != Severity::Time || change.exceeds(usual));
        self.same += count - self.changes.len();
    }

    /// Ignores all times.
    pub fn ignore_times(&mut self) {
        self.times = Times::default();
        self.retain(|change| change.severity != Severity::Time);
    }

    /// Keeps only some of the changes. The other cases count as unchanged.
    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&Change) -> bool) {
        let count = self.changes.len();
        self.changes.retain(is_kept);
        self.same += count - self.changes.len();
        self.conclude();
    }
}

/// Returns the times of calls of a record. They are those of all its cases together, so only a report of all of them can be
/// compared with them.
pub(crate) fn recorded_calls<S: Source>(record: &S, other: &S) -> BTreeMap<String, Spread> {
    let is_whole = other.is_complete() && !other.run().is_partial && record.ids().all(|id| other.verdict(id).is_some());
    if is_whole { record.run().calls.clone() } else { BTreeMap::new() }
}

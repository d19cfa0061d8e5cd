//! Compares two reports: the machine, and the verdict, reason, observations, disclosures and duration of each
//! case.
//!
//! Only what regressed is worse. A case that the new run did not check, because of its machine, a filter or an early end,
//! says nothing about the driver, and neither does a case that only the new suite has.

mod cause;
mod change;
mod headline;
pub(crate) mod noise;
mod scope;
mod setting;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

pub use cause::Cause;
pub use change::{Change, Difference, Severity, Why};
pub(crate) use change::{changed_disclosures, changed_observations};
pub use scope::Scope;
pub use setting::Setting;

use change::Pair;

use crate::report::{Index, Report, Source, Suite, Unreadable};

/// The differences between two reports, case by case.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// The result in one sentence, without a full stop.
    pub headline: String,
    /// The old report.
    pub old: Side,
    /// The new report.
    pub new: Side,
    /// How many cases both reports check, and what leaves cases out.
    pub scope: Scope,
    /// The differences in suite, driver, devices, links, environment and mode (`fresh`, `repeat`).
    pub environment: Vec<Setting>,
    /// The regressions, grouped by cause. The worst kind comes first.
    pub causes: Vec<Cause>,
    /// The cases that changed, sorted by severity (worst first), then by name.
    pub changes: Vec<Change>,
    /// The number of cases without a difference.
    pub same: usize,
}

/// One of the two reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// A description of the run, such as `NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200, suite 0.1.0
    /// (7feee947f0a1)`.
    pub title: String,
    /// The driver's name and version.
    pub driver: String,
    /// The driver's name.
    pub name: String,
    /// The driver's version.
    pub version: String,
    /// The number and product name of the devices, such as `2 × NVIDIA H200`.
    pub gpus: String,
    /// The suite, if the report names it.
    pub suite: Option<Suite>,
    /// Whether a filter selected the cases.
    pub is_partial: bool,
    /// Whether the report says that the run is complete.
    pub is_complete: bool,
    /// The cases that had started but not ended when the report ends.
    pub running: Vec<String>,
    /// The number of cases per verdict.
    pub summary: BTreeMap<&'static str, usize>,
}

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
        let mut changes = Vec::new();
        let is_timed = old.run().repeat == new.run().repeat;
        let missing = &scope::missing(new);
        for id in &ids {
            let is_running = running.contains(id);
            let pair = Pair { old: old.case(id)?, new: new.case(id)?, is_running, is_timed, missing };
            changes.extend(Change::of(id, &pair));
        }
        let same = ids.len() - changes.len();
        let mut diff = Self {
            headline: String::new(),
            old: Side::of(old),
            new: Side::of(new),
            scope: Scope::of(old, new),
            environment: setting::differences(old.run(), new.run()),
            causes: Vec::new(),
            changes,
            same,
        };
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

    /// Keeps only some of the changes. The other cases count as unchanged.
    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&Change) -> bool) {
        let count = self.changes.len();
        self.changes.retain(is_kept);
        self.same += count - self.changes.len();
        self.conclude();
    }

    /// Whether a case regressed.
    #[must_use]
    pub fn has_regressed(&self) -> bool {
        self.changes_of(Severity::Regressed).next().is_some()
    }

    /// Returns the changes of one severity.
    pub fn changes_of(&self, severity: Severity) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.severity == severity)
    }
}

impl Side {
    fn of(report: &impl Source) -> Self {
        let run = report.run();
        Self {
            title: run.to_string(),
            driver: format!("{} {}", run.driver.name, run.driver.version),
            name: run.driver.name.clone(),
            version: run.driver.version.clone(),
            gpus: run.gpus(),
            suite: run.suite.clone(),
            is_partial: run.is_partial,
            is_complete: report.is_complete(),
            running: report.running().to_vec(),
            summary: report.summary(),
        }
    }
}

//! What a comparison contains.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cause::Cause;
use super::change::{Change, Severity};
use super::scope::Scope;
use super::setting::Setting;
use super::times::{self, Times};
use crate::report::{Load, Source, Suite, way_of_end};

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
    /// Whether the new run checks every case that the old one checked, except those that its suite no longer has or, at the
    /// same `--level quick`, replaces by others.
    pub covers: bool,
    /// The differences in suite, driver, devices, links, environment and mode (`fresh`, `repeat`).
    pub environment: Vec<Setting>,
    /// The regressions, grouped by cause. The worst kind comes first.
    pub causes: Vec<Cause>,
    /// The calls that became slower or faster.
    pub times: Times,
    /// The cases that changed, sorted by severity (worst first), then by name.
    pub changes: Vec<Change>,
    /// The number of cases without a difference, of those that are in both reports.
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
    /// How busy the machine was before the run, if the report says so.
    pub load: Option<Load>,
    /// Whether a filter selected the cases.
    pub is_partial: bool,
    /// Whether the report says that the run is complete.
    pub is_complete: bool,
    /// The cases that had started but not ended when the report ends.
    pub running: Vec<String>,
    /// The processes that crashed or hung outside any case, in words. If there are any, the run failed.
    pub bad_ends: Vec<String>,
    /// What the run required of the machine and did not find, such as `gpus=8, found 2`. If there is any, the run failed.
    pub unmet: Vec<String>,
    /// The number of cases that appear more than once; the worst result of each counts.
    pub repeated: usize,
    /// The number of cases per verdict.
    pub summary: BTreeMap<&'static str, usize>,
}

impl Diff {
    /// Whether something regressed, a case is checked for the first time and fails, or a disclosure is new where the old
    /// report could not show it.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.has_regressed() || self.changes.iter().any(|change| change.is_new_failure() || change.discloses())
    }

    /// Whether a case regressed, a call became slower, or a process crashed or hung outside any case in a way that the old
    /// run does not have.
    #[must_use]
    pub fn has_regressed(&self) -> bool {
        self.changes_of(Severity::Regressed).next().is_some()
            || !self.times.slower.is_empty()
            || !self.new_bad_ends().is_empty()
    }

    /// Returns the processes of the new run that crashed or hung outside any case in a way that the old run does not have.
    /// How many there are varies from run to run, so only the ways are compared.
    #[must_use]
    pub fn new_bad_ends(&self) -> Vec<&str> {
        let known: BTreeSet<_> = self.old.bad_ends.iter().map(|end| way_of_end(end)).collect();
        let ends = self.new.bad_ends.iter().map(String::as_str);
        ends.filter(|end| !known.contains(&way_of_end(end))).collect()
    }

    /// Whether every call took many times as long on a machine that is known to have been no busier than before. Then the
    /// usual slowdown excuses no call.
    #[must_use]
    pub fn is_slower_without_excuse(&self) -> bool {
        times::has_no_excuse(self.times.slowdown, self.old.load, self.new.load)
    }

    /// Returns the changes of one severity.
    pub fn changes_of(&self, severity: Severity) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.severity == severity)
    }
}

impl Side {
    pub(super) fn of(report: &impl Source) -> Self {
        let run = report.run();
        Self {
            title: run.to_string(),
            driver: format!("{} {}", run.driver.name, run.driver.version),
            name: run.driver.name.clone(),
            version: run.driver.version.clone(),
            gpus: run.gpus(),
            suite: run.suite.clone(),
            load: run.load,
            is_partial: run.is_partial,
            is_complete: report.is_complete(),
            running: report.running().to_vec(),
            bad_ends: report.bad_ends().to_vec(),
            unmet: run.unmet.clone(),
            repeated: report.repeated(),
            summary: report.summary(),
        }
    }
}

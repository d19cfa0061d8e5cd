//! `--resume`: goes on where a run ended, as after a crash of the machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::case::Case;
use crate::report::{CaseReport, Line, Report, Run};
use crate::{Defect, Failure, Verdict};

/// The report of a run that did not end.
pub(super) struct Resumed {
    pub(super) report: Report,
    /// How often each case was started that has not ended.
    started: BTreeMap<String, usize>,
}

impl Resumed {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let report = Report::read_outline(path).map_err(|error| error.to_string())?;
        if report.is_complete {
            return Err(format!("--resume: {} is complete", path.display()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut started: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Start { id } => *started.entry(id).or_default() += 1,
                Line::Case(case) => _ = started.remove(&case.id),
                _ => {}
            }
        }
        Ok(Self { report, started })
    }

    /// Refuses to mix two drivers, machines or selections in one report.
    pub(super) fn check(&self, path: &Path, now: &Run) -> Result<(), String> {
        let before = &self.report.run;
        let of = |run: &Run| {
            let driver = &run.driver;
            (driver.name.clone(), driver.version.clone(), driver.sha256.clone(), run.gpus(), run.selection.clone())
        };
        if of(before) == of(now) {
            return Ok(());
        }
        let told = |run: &Run| match &run.selection {
            Some(selection) => format!("{run}, selected by {selection}"),
            None => run.to_string(),
        };
        Err(format!("--resume: {} is of {}, but this is {}", path.display(), told(before), told(now)))
    }

    /// Returns the cases that are left, and those that are not tried a third time. What ended the run comes last: if it
    /// does so again, the others have run.
    pub(super) fn left(&self, cases: Vec<Case>) -> (Vec<Case>, Vec<CaseReport>) {
        const TRIED: usize = 2;
        let tries = |case: &Case| self.started.get(&case.id).copied().unwrap_or_default();
        let left = cases.into_iter().filter(|case| self.report.case(&case.id).is_none());
        let (mut left, given_up): (Vec<_>, Vec<_>) = left.partition(|case| tries(case) < TRIED);
        left.sort_by_key(tries);
        let given_up = given_up.iter().map(|case| CaseReport {
            failure: Some(Failure::of(Defect::Crash)),
            ..CaseReport::of(case, Verdict::Crash, Some(format!("the run ended {} times in this case", tries(case))))
        });
        (left, given_up.collect())
    }
}

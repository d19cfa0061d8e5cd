//! `--resume`: goes on where a run ended, as after a crash of the machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::case::Case;
use crate::report::{CaseReport, Line, Report, Run};
use crate::{Defect, Failure, Verdict};

/// The report of a run that did not end.
pub(super) struct Resumed {
    pub(super) report: Report,
    /// How often each case was started. Only cases that have not ended are asked for.
    started: BTreeMap<String, usize>,
}

impl Resumed {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let report = Report::read_outline(path).map_err(|error| format!("--resume {error}"))?;
        if report.is_complete {
            return Err(format!("--resume: {} is complete", path.display()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| format!("--resume {}: {error}", path.display()))?;
        let mut started: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            if let Line::Start { id } = line {
                *started.entry(id).or_default() += 1;
            }
        }
        Ok(Self { report, started })
    }

    /// Refuses to mix two drivers, machines, selections or ways to run in one report, which tells only of the first.
    pub(super) fn check(&self, path: &Path, now: &Run) -> Result<(), String> {
        let (before, path) = (&self.report.run, path.display());
        if before.selection != now.selection {
            let told = |run: &Run| run.selection.clone().unwrap_or_else(|| "no filter".to_owned());
            return Err(format!(
                "--resume: the run of {path} had {}, and this one has {}: give the same filters as before",
                told(before),
                told(now)
            ));
        }
        let settings = [
            ("--seed", before.seed.to_string(), now.seed.to_string()),
            ("--repeat", before.repeat.to_string(), now.repeat.to_string()),
            ("--fresh", before.fresh.to_string(), now.fresh.to_string()),
            ("unmet requirements", format!("{:?}", before.unmet), format!("{:?}", now.unmet)),
        ];
        if let Some((name, old, new)) = settings.iter().find(|(_, old, new)| old != new) {
            return Err(format!(
                "--resume: the run of {path} had {name}: {old}, and this one has {new}: give the same flags as before"
            ));
        }
        let of = |run: &Run| (run.driver.name.clone(), run.driver.version.clone(), run.gpus());
        if of(before) != of(now) {
            return Err(format!("--resume: {path} is of {before}, but this is {now}"));
        }
        if before.driver.sha256 != now.driver.sha256 {
            let driver = &now.driver.path;
            return Err(format!(
                "--resume: the driver has the same version as in {path}, but {driver} is another file"
            ));
        }
        Ok(())
    }

    /// Says how many cases ended before, how many are left, and what leaves out the others of the suite.
    pub(super) fn told(&self, path: &Path, left: usize, given_up: usize, left_out: usize) -> String {
        let number = |count: usize, one: &str, several: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {several}"),
        };
        let ended = number(self.report.cases.len(), "case has ended and does", "cases have ended and do");
        let left = number(left, "is", "are");
        let mut told = format!("--resume {}: {ended} not run again, {left} left", path.display());
        if given_up > 0 {
            let given_up = number(given_up, "case has ended two runs and does", "cases have ended two runs and do");
            told += &format!("; {given_up} not run a third time");
        }
        if let Some(selection) = self.report.run.selection.as_ref().filter(|_| left_out > 0) {
            let others = number(left_out, "other case of this suite is", "other cases of this suite are");
            told += &format!("; {others} left out by {selection}");
        }
        told
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
            ..CaseReport::of(
                case,
                Verdict::Crash,
                Some(format!("{} runs of the suite broke off while this case was running", tries(case))),
            )
        });
        (left, given_up.collect())
    }
}

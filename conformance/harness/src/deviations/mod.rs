//! Known driver bugs. A listed case still runs. It becomes a `deviation` if it ends as listed, and `fixed` if it passes.
//! An entry that has expired excuses nothing.
//!
//! Entries come from the shipped list and from the lists of a site.

mod entry;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::case::Case;
use crate::report::{Report, Run};
use crate::{Verdict, catalogue};
use entry::Entry;
pub(crate) use entry::without_list;

const NAME: &str = "deviations.toml";
const BUILT_IN: &str = include_str!("../../../deviations.toml");

/// The listed bugs.
#[derive(Debug, Default)]
pub struct Deviations {
    entries: Vec<Entry>,
}

/// The contents of deviations.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    deviation: Vec<toml::Value>,
}

impl Deviations {
    /// Reads the lists of a site, and the shipped list if it is wanted: the file beside this program, as in a bundle, else
    /// the built-in list.
    ///
    /// # Errors
    /// Names the file, the entry and what is invalid.
    pub fn read(lists: &[PathBuf], with_shipped: bool) -> Result<Self, String> {
        let mut entries = if with_shipped { shipped()? } else { Vec::new() };
        for list in lists {
            entries.extend(entries_of(list)?);
        }
        Ok(Self { entries })
    }

    /// Checks that every entry names a case.
    ///
    /// # Errors
    /// Names each entry that names no case.
    pub(crate) fn check(&self, cases: &[Case]) -> Result<(), String> {
        let rows: BTreeSet<_> = catalogue::rows()?.into_keys().collect();
        let is_unknown = |entry: &&Entry| !cases.iter().any(|case| entry.names(&case.id, case.registered.rows));
        let unknown: Vec<_> = self.entries.iter().filter(is_unknown).map(|entry| entry.unknown(&rows, cases)).collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("deviations: {}", unknown.join("; "))) }
    }

    /// Returns whether an entry lists a case for the driver, the GPUs and the mode of a run.
    pub(crate) fn applies(&self, case: &Case, run: &Run) -> bool {
        self.entries.iter().any(|entry| entry.names(&case.id, case.registered.rows) && entry.applies(run))
    }

    /// Returns the verdict and reason of a case after the listed bugs are applied.
    pub(crate) fn judge(
        &self,
        case: &Case,
        run: &Run,
        verdict: Verdict,
        reason: Option<String>,
    ) -> (Verdict, Option<String>) {
        let is_listed = |entry: &&Entry| entry.names(&case.id, case.registered.rows) && entry.applies(run);
        let listed: Vec<_> = self.entries.iter().filter(is_listed).collect();
        let text = reason.as_deref().unwrap_or_default();
        if let Some(met) = listed.iter().find(|entry| entry.is_met(verdict, text)) {
            return (Verdict::Deviation, Some(met.deviation(text)));
        }
        if let Some(entry) = listed.first().filter(|_| verdict == Verdict::Pass) {
            return (Verdict::Fixed, Some(entry.fixed()));
        }
        let is_overdue = |entry: &&Entry| {
            entry.names(&case.id, case.registered.rows) && entry.no_longer_applies(run) && entry.is_met(verdict, text)
        };
        match self.entries.iter().find(is_overdue) {
            Some(entry) if !verdict.is_good() => (verdict, Some(entry.overdue(text))),
            _ => (verdict, reason),
        }
    }

    /// Returns a sentence for each entry whose cases ran but that none of them matched, that the run did not have, or
    /// that has expired.
    #[must_use]
    pub fn unmatched(&self, report: &Report) -> Vec<String> {
        let told = |entry: &Entry| {
            let ran = report.cases.iter().filter(|case| case.verdict != Verdict::Unsupported);
            let named: Vec<_> = ran.filter(|case| entry.names(&case.id, &case.rows)).collect();
            if named.is_empty() {
                return None;
            }
            if entry.no_longer_applies(&report.run) {
                return Some(entry.expired());
            }
            if !entry.applies(&report.run) || named.iter().any(|case| entry.was_met(case)) {
                return None;
            }
            // `show` can have other lists than the run had.
            if named.iter().any(|case| entry.would_be_met(case)) {
                return Some(entry.unused());
            }
            let has_passed = named.iter().all(|case| matches!(case.verdict, Verdict::Pass | Verdict::Fixed));
            Some(entry.unmatched(has_passed))
        };
        self.entries.iter().filter_map(told).collect()
    }
}

fn shipped() -> Result<Vec<Entry>, String> {
    let bundled = std::env::current_exe().ok().map(|program| program.with_file_name(NAME));
    match bundled.filter(|path| path.is_file()) {
        Some(path) => entries_of(&path),
        None => parse(NAME, BUILT_IN).map_err(|error| format!("{NAME}: {error}")),
    }
}

fn entries_of(path: &Path) -> Result<Vec<Entry>, String> {
    let invalid = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    // Reasons have the name without folders, because they must not say where a user keeps files.
    parse(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy(), &text).map_err(invalid)
}

fn parse(name: &str, text: &str) -> Result<Vec<Entry>, String> {
    let File { deviation } = toml::from_str(text).map_err(|error| error.to_string())?;
    let entry = |(place, value)| Entry::new(name, value).map_err(|error| format!("entry {}: {error}", place + 1));
    deviation.into_iter().enumerate().map(entry).collect()
}

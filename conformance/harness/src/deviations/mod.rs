//! Known driver bugs. A listed case still runs. It becomes a `deviation` if it ends as listed, and fails if it passes
//! unexpectedly.

mod entry;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::case::Case;
use crate::report::{Report, Run};
use crate::{Verdict, catalogue};
use entry::Entry;

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
    /// Reads the given file, else the file beside this program, as in a bundle, else the built-in list.
    ///
    /// # Errors
    /// Names the file, the entry and what is invalid.
    pub fn read(file: Option<&Path>) -> Result<Self, String> {
        let bundled = || std::env::current_exe().ok().map(|program| program.with_file_name(NAME));
        let path = file.map(Path::to_owned).or_else(|| bundled().filter(|path| path.is_file()));
        let (name, text) = match path {
            Some(path) => {
                let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                (path.display().to_string(), text)
            }
            None => (NAME.to_owned(), BUILT_IN.to_owned()),
        };
        Self::parse(&text).map_err(|error| format!("{name}: {error}"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let File { deviation } = toml::from_str(text).map_err(|error| error.to_string())?;
        let entry = |(place, value)| Entry::new(value).map_err(|error| format!("entry {}: {error}", place + 1));
        let entries = deviation.into_iter().enumerate().map(entry).collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// Checks that every entry names a case.
    ///
    /// # Errors
    /// Names each entry that names no case.
    pub(crate) fn check(&self, cases: &[Case]) -> Result<(), String> {
        let rows: BTreeSet<_> =
            catalogue::groups()?.into_iter().flat_map(|group| group.row).map(|row| row.id).collect();
        let is_unknown = |entry: &&Entry| !cases.iter().any(|case| entry.names(&case.id, case.registered.rows));
        let unknown: Vec<_> = self.entries.iter().filter(is_unknown).map(|entry| entry.unknown(&rows)).collect();
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
        match listed.first() {
            Some(entry) if verdict == Verdict::Pass => (Verdict::Fixed, Some(entry.fixed(NAME))),
            _ => (verdict, reason),
        }
    }

    /// Returns a sentence for each entry that applies to a report but matched none of the cases that ran.
    #[must_use]
    pub fn unmatched(&self, report: &Report) -> Vec<String> {
        let is_unmatched = |entry: &&Entry| {
            let ran = report.cases.iter().filter(|case| case.verdict != Verdict::Unsupported);
            let mut named = ran.filter(|case| entry.names(&case.id, &case.rows)).peekable();
            entry.applies(&report.run) && named.peek().is_some() && !named.any(|case| entry.was_met(case))
        };
        let told =
            |entry: &Entry| format!("deviation: {} ran but never ended as listed: {}", entry.name(), entry.expected());
        self.entries.iter().filter(is_unmatched).map(told).collect()
    }
}

//! Known driver bugs: the case still runs, the verdict becomes `deviation`, and an unexpected pass is a failure.

mod entry;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use crate::case::Case;
use crate::report::Run;
use crate::{Verdict, catalogue};
use entry::Entry;

const NAME: &str = "deviations.toml";
const BUILT_IN: &str = include_str!("../../deviations.toml");

/// The listed bugs.
#[derive(Debug)]
pub(crate) struct Deviations {
    entries: Vec<Entry>,
    /// Places of the entries whose cases ran on a driver that they apply to.
    applied: Mutex<BTreeSet<usize>>,
    /// Those that were met.
    matched: Mutex<BTreeSet<usize>>,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    deviation: Vec<toml::Value>,
}

impl Deviations {
    /// The file that was given; else the one beside this program, as in a bundle; else that of this suite.
    ///
    /// # Errors
    /// Names what cannot be read in it.
    pub(crate) fn read(file: Option<&Path>) -> Result<Self, String> {
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
        Ok(Self { entries, applied: Mutex::default(), matched: Mutex::default() })
    }

    /// Whether every entry names something.
    ///
    /// # Errors
    /// Names each entry that names no case and no row.
    pub(crate) fn check(&self, cases: &[Case]) -> Result<(), String> {
        let rows: BTreeSet<_> =
            catalogue::groups()?.into_iter().flat_map(|group| group.row).map(|row| row.id).collect();
        let is_unknown = |entry: &&Entry| !cases.iter().any(|case| entry.names(case));
        let unknown: Vec<_> = self.entries.iter().filter(is_unknown).map(|entry| entry.unknown(&rows)).collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("deviations: {}", unknown.join("; "))) }
    }

    /// The verdict and reason once the listed bugs are taken into account.
    pub(crate) fn judge(
        &self,
        case: &Case,
        run: &Run,
        verdict: Verdict,
        reason: Option<String>,
    ) -> (Verdict, Option<String>) {
        let entries = self.entries.iter().enumerate();
        let listed: Vec<_> = entries.filter(|(_, entry)| entry.names(case) && entry.applies(run)).collect();
        if verdict != Verdict::Unsupported {
            add(&self.applied, listed.iter().map(|(place, _)| *place));
        }
        let text = reason.as_deref().unwrap_or_default();
        if let Some((place, met)) = listed.iter().find(|(_, entry)| entry.is_met(verdict, text)) {
            add(&self.matched, [*place]);
            return (Verdict::Deviation, Some(format!("{text} (listed: {})", met.link)));
        }
        match listed.first() {
            Some((_, entry)) if verdict == Verdict::Pass => {
                let reason = format!("passes, but {NAME} lists it as {} ({})", entry.verdict, entry.link);
                (Verdict::Fail, Some(reason))
            }
            _ => (verdict, reason),
        }
    }

    /// Entries that apply to this driver and whose cases ran, and that were never met, in sentences.
    pub(crate) fn unmatched(&self) -> Vec<String> {
        let [applied, matched] = [&self.applied, &self.matched].map(|places| {
            let places = places.lock().unwrap_or_else(PoisonError::into_inner);
            places.clone()
        });
        let entries = applied.difference(&matched).filter_map(|place| self.entries.get(*place));
        let told = |entry: &Entry| format!("deviation: {} ran and was never {}", entry.name(), entry.expected());
        entries.map(told).collect()
    }
}

fn add(places: &Mutex<BTreeSet<usize>>, more: impl IntoIterator<Item = usize>) {
    places.lock().unwrap_or_else(PoisonError::into_inner).extend(more);
}

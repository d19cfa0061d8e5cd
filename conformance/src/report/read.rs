//! Reading a report, also one that ends early or that an earlier suite wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{CaseReport, FORMAT, Line, Report, Run};

/// Why a report cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unreadable {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// There is nothing in it.
    Empty(PathBuf),
    /// It is no report of this suite.
    Foreign(PathBuf, String),
    /// A later suite wrote it.
    Future(PathBuf, u32),
    /// It is broken in the middle.
    Broken(PathBuf, usize, String),
    /// It was changed while it was read.
    Changed(PathBuf),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Empty(path) => write!(f, "{} is empty: did the run begin?", path.display()),
            Self::Foreign(path, why) => {
                write!(f, "{} is no report of the conformance suite: {why}", path.display())
            }
            Self::Future(path, format) => write!(
                f,
                "{} has format {format}, and this command reads formats up to {FORMAT}: use that of the suite that wrote \
                 it",
                path.display()
            ),
            Self::Broken(path, line, why) => write!(f, "{}, line {line}: {why}", path.display()),
            Self::Changed(path) => {
                write!(f, "{} was changed while it was read: compare it when its run has ended", path.display())
            }
        }
    }
}

impl std::error::Error for Unreadable {}

/// What decides how the rest is read.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

/// Format 1: one value, rewritten after every case.
#[derive(Deserialize)]
struct FormatOne {
    #[serde(flatten)]
    run: Run,
    cases: Vec<CaseReport>,
}

/// What a report says besides its cases.
pub(super) struct Head {
    pub(super) run: Run,
    pub(super) running: Vec<String>,
    pub(super) is_complete: bool,
}

impl Report {
    /// Read a report. One whose last line is cut off is used as far as it goes.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn read(path: &Path) -> Result<Self, Unreadable> {
        collect(path, |case| case)
    }

    /// Read a report without the steps of its cases, which are most of its size.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn read_outline(path: &Path) -> Result<Self, Unreadable> {
        collect(path, |case| CaseReport { steps: Vec::new(), ..case })
    }
}

fn collect(path: &Path, keep: fn(CaseReport) -> CaseReport) -> Result<Report, Unreadable> {
    let file = File::open(path).map_err(|error| Unreadable::Io(path.to_owned(), error))?;
    let mut cases = BTreeMap::new();
    let Head { run, running, is_complete } = scan(path, &file, |case, _| {
        cases.insert(case.id.clone(), keep(case));
    })?;
    Ok(Report { run, cases: cases.into_values().collect(), running, is_complete })
}

/// Pass on every case that ended, with the place of its line if it has one of its own. One that ran again comes again, and
/// counts as it ended last.
pub(super) fn scan(path: &Path, file: &File, case: impl FnMut(CaseReport, Option<u64>)) -> Result<Head, Unreadable> {
    let lines = &mut BufReader::new(file);
    let failed = |error| Unreadable::Io(path.to_owned(), error);
    let foreign = |why: String| Unreadable::Foreign(path.to_owned(), why);
    let mut first = Vec::new();
    lines.read_until(b'\n', &mut first).map_err(failed)?;
    if first.iter().all(u8::is_ascii_whitespace) {
        return Err(Unreadable::Empty(path.to_owned()));
    }
    let Ok(header) = serde_json::from_slice::<Header>(&first) else {
        // A value over several lines.
        lines.read_to_end(&mut first).map_err(failed)?;
        let header: Header = serde_json::from_slice(&first).map_err(|error| foreign(error.to_string()))?;
        return match header.format {
            1 => format_one(&first, case).map_err(foreign),
            later => Err(Unreadable::Future(path.to_owned(), later)),
        };
    };
    if header.format > FORMAT {
        return Err(Unreadable::Future(path.to_owned(), header.format));
    }
    match serde_json::from_slice(&first) {
        Ok(Line::Run(run)) => cases(path, *run, lines, first.len() as u64, case),
        Ok(_) => Err(foreign("it does not begin with the line of a run".to_owned())),
        Err(error) => format_one(&first, case).map_err(|_| foreign(error.to_string())),
    }
}

fn format_one(text: &[u8], mut case: impl FnMut(CaseReport, Option<u64>)) -> Result<Head, String> {
    let FormatOne { run, cases } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    cases.into_iter().for_each(|ended| case(ended, None));
    Ok(Head { run, running: Vec::new(), is_complete: true })
}

/// The lines after the first.
fn cases(
    path: &Path,
    run: Run,
    lines: &mut impl BufRead,
    mut place: u64,
    mut case: impl FnMut(CaseReport, Option<u64>),
) -> Result<Head, Unreadable> {
    let (mut running, mut text, mut is_complete) = (BTreeSet::new(), Vec::new(), false);
    for number in 2.. {
        text.clear();
        let length = lines.read_until(b'\n', &mut text).map_err(|error| Unreadable::Io(path.to_owned(), error))?;
        if length == 0 {
            break;
        }
        match serde_json::from_slice(&text) {
            Ok(Line::Start { id }) => {
                running.insert(id);
            }
            Ok(Line::Case(ended)) => {
                running.remove(&ended.id);
                case(ended, Some(place));
            }
            Ok(Line::End { .. }) => is_complete = true,
            Ok(Line::Run(_)) => return Err(broken(path, number, "a second run begins")),
            // The machine went down while it was written.
            Err(_) if !text.ends_with(b"\n") => break,
            Err(error) => return Err(broken(path, number, &error.to_string())),
        }
        place += length as u64;
    }
    Ok(Head { run, running: running.into_iter().collect(), is_complete })
}

fn broken(path: &Path, line: usize, why: &str) -> Unreadable {
    Unreadable::Broken(path.to_owned(), line, why.to_owned())
}

//! What a comparison reads of a report: in memory, or in its file, case by case.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use serde::Deserialize;

use super::read::{Ended, Head, collect, open, scan};
use super::{CaseReport, Report, Run, Unreadable, summary};
use crate::Verdict;

/// A report whose cases can be asked for by name.
pub(crate) trait Source {
    type Error;

    fn run(&self) -> &Run;
    fn running(&self) -> &[String];
    fn is_complete(&self) -> bool;
    fn summary(&self) -> BTreeMap<&'static str, usize>;
    fn ids(&self) -> impl Iterator<Item = &str>;
    fn case(&self, id: &str) -> Result<Option<Cow<'_, CaseReport>>, Self::Error>;
}

impl Source for Report {
    type Error = Infallible;

    fn run(&self) -> &Run {
        &self.run
    }

    fn running(&self) -> &[String] {
        &self.running
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn summary(&self) -> BTreeMap<&'static str, usize> {
        self.summary()
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|case| case.id.as_str())
    }

    fn case(&self, id: &str) -> Result<Option<Cow<'_, CaseReport>>, Infallible> {
        Ok(self.case(id).map(Cow::Borrowed))
    }
}

/// A report in its file. Of its cases only the names and where they are is kept, so that the size of a report does not
/// matter.
pub(crate) struct Index {
    path: PathBuf,
    file: RefCell<BufReader<File>>,
    head: Head,
    cases: BTreeMap<Box<str>, Entry>,
}

struct Entry {
    verdict: Verdict,
    /// Where its line begins.
    place: u64,
}

/// What of a case is read to find it again.
#[derive(Deserialize)]
struct Outline {
    id: Box<str>,
    verdict: Verdict,
}

impl Ended for Outline {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Index {
    /// Read where the cases of a report are.
    pub(crate) fn read(path: &Path) -> Result<Self, Unreadable> {
        let failed = |error| Unreadable::Io(path.to_owned(), error);
        let file = seekable(path).map_err(failed)?;
        let index = Self::of(path, file)?;
        if index.head.run.format > 1 {
            return Ok(index);
        }
        // Format 1 has no lines: a copy that has them.
        let mut file = index.file.into_inner().into_inner();
        file.rewind().map_err(failed)?;
        let lines = collect(path, &file, |case| case)?.to_lines().map_err(|error| failed(error.into()))?;
        Self::of(path, copy(lines.as_bytes()).map_err(failed)?)
    }

    fn of(path: &Path, file: File) -> Result<Self, Unreadable> {
        let mut cases = BTreeMap::new();
        let head = scan(path, &file, |Outline { id, verdict }, place| {
            cases.insert(id, Entry { verdict, place });
        })?;
        Ok(Self { path: path.to_owned(), file: RefCell::new(BufReader::new(file)), head, cases })
    }

    fn at(&self, place: u64) -> io::Result<Vec<u8>> {
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(place))?;
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        Ok(line)
    }
}

/// What comes through a pipe can be read once: a copy of it.
fn seekable(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { copy(file) }
}

/// Copies into a file in memory, which goes away with its descriptor.
fn copy(mut from: impl io::Read) -> io::Result<File> {
    let mut copy = File::from(memfd_create("report", MemfdFlags::CLOEXEC)?);
    io::copy(&mut from, &mut copy)?;
    copy.rewind()?;
    Ok(copy)
}

impl Source for Index {
    type Error = Unreadable;

    fn run(&self) -> &Run {
        &self.head.run
    }

    fn running(&self) -> &[String] {
        &self.head.running
    }

    fn is_complete(&self) -> bool {
        self.head.is_complete
    }

    fn summary(&self) -> BTreeMap<&'static str, usize> {
        summary(self.cases.values().map(|entry| entry.verdict))
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.keys().map(|id| &**id)
    }

    fn case(&self, id: &str) -> Result<Option<Cow<'_, CaseReport>>, Unreadable> {
        let Some(entry) = self.cases.get(id) else { return Ok(None) };
        let line = self.at(entry.place).map_err(|error| Unreadable::Io(self.path.clone(), error))?;
        match serde_json::from_slice::<CaseReport>(&line) {
            Ok(case) if case.id == id => Ok(Some(Cow::Owned(case))),
            _ => Err(Unreadable::Changed(self.path.clone())),
        }
    }
}

//! The source of a comparison: a report in memory, or in its file, which is read case by case.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, btree_map};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use serde::Deserialize;

use super::read::{AllEnds, Ended, Head, Weight, collect, open, scan, unread};
use super::{CaseReport, Report, Run, Unreadable, summary};
use crate::{Failure, Verdict};

/// A report whose cases can be read by name.
pub(crate) trait Source {
    type Error;

    fn run(&self) -> &Run;
    fn running(&self) -> &[String];
    /// The processes that crashed or hung outside any case.
    fn bad_ends(&self) -> &[String];
    fn is_complete(&self) -> bool;
    /// The number of cases that appear more than once; a report in memory has each once.
    fn repeated(&self) -> usize;
    fn summary(&self) -> BTreeMap<&'static str, usize>;
    fn ids(&self) -> impl Iterator<Item = &str>;
    fn verdict(&self, id: &str) -> Option<Verdict>;
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

    fn bad_ends(&self) -> &[String] {
        &self.bad_ends
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn repeated(&self) -> usize {
        0
    }

    fn summary(&self) -> BTreeMap<&'static str, usize> {
        self.summary()
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|case| case.id.as_str())
    }

    fn verdict(&self, id: &str) -> Option<Verdict> {
        self.case(id).map(|case| case.verdict)
    }

    fn case(&self, id: &str) -> Result<Option<Cow<'_, CaseReport>>, Infallible> {
        Ok(self.case(id).map(Cow::Borrowed))
    }
}

/// A report in its file. Only the names, verdicts and offsets of its cases are in memory, so a report can have any
/// size.
pub(crate) struct Index {
    path: PathBuf,
    file: RefCell<BufReader<File>>,
    head: Head,
    cases: BTreeMap<Box<str>, Entry>,
}

struct Entry {
    verdict: Verdict,
    /// The offset of its line in the file.
    place: u64,
    /// The offsets of the lines in which it ended as well or better.
    others: Vec<u64>,
}

/// The part of a case that the index contains.
#[derive(Deserialize)]
struct Outline {
    id: Box<str>,
    verdict: Verdict,
    failure: Option<Failure>,
}

impl Ended for Outline {
    fn id(&self) -> &str {
        &self.id
    }

    fn weight(&self) -> Weight {
        Weight::of(self.verdict, self.failure.as_ref())
    }
}

impl Index {
    /// Reads the names, verdicts and offsets of the cases of a report.
    pub(crate) fn read(path: &Path) -> Result<Self, Unreadable> {
        let failed = |error| Unreadable::Io(path.to_owned(), error);
        let file = seekable(path).map_err(failed)?;
        let index = Self::of(path, file)?;
        if index.head.run.format > 1 {
            return Ok(index);
        }
        // Format 1 does not consist of lines, so convert it into a copy in the current format.
        let mut file = index.file.into_inner().into_inner();
        file.rewind().map_err(failed)?;
        let (report, repeated) = collect(path, &file, |case| case)?;
        let lines = report.to_lines().map_err(|error| failed(error.into()))?;
        let mut index = Self::of(path, copy(lines.as_bytes()).map_err(failed)?)?;
        index.head.repeated = repeated;
        Ok(index)
    }

    fn of(path: &Path, file: File) -> Result<Self, Unreadable> {
        let mut cases = BTreeMap::new();
        let add = |Outline { id, verdict, .. }, place, is_worst| match cases.entry(id) {
            btree_map::Entry::Vacant(new) => _ = new.insert(Entry { verdict, place, others: Vec::new() }),
            btree_map::Entry::Occupied(mut known) => {
                let Entry { verdict: worst, place: first, others } = known.get_mut();
                others.push(if is_worst { std::mem::replace(first, place) } else { place });
                *worst = if is_worst { verdict } else { *worst };
            }
        };
        let head = scan(path, &file, add)?;
        Ok(Self { path: path.to_owned(), file: RefCell::new(BufReader::new(file)), head, cases })
    }

    fn at(&self, place: u64) -> io::Result<Vec<u8>> {
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(place))?;
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        Ok(line)
    }

    fn read_case(&self, id: &str, place: u64) -> Result<CaseReport, Unreadable> {
        let failed = |error| Unreadable::Io(self.path.clone(), error);
        let line = self.at(place).map_err(failed)?;
        match serde_json::from_slice::<CaseReport>(&line) {
            Ok(case) if case.id == id => Ok(case),
            // The line is as the index has it, so something that the index does not read is damaged.
            Err(error) if serde_json::from_slice::<Outline>(&line).is_ok_and(|outline| *outline.id == *id) => {
                let number = self.number(place).map_err(failed)?;
                Err(Unreadable::Broken(self.path.clone(), number, unread(&error, self.run())))
            }
            _ => Err(Unreadable::Changed(self.path.clone())),
        }
    }

    /// Returns the number of the line at an offset, from 1.
    fn number(&self, place: u64) -> io::Result<usize> {
        let mut file = self.file.borrow_mut();
        file.rewind()?;
        Ok(file.by_ref().take(place).split(b'\n').count() + 1)
    }
}

/// Opens a file that can be read several times. The contents of a pipe are copied.
fn seekable(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { copy(file) }
}

/// Copies into a file in memory, which is freed with its descriptor.
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

    fn bad_ends(&self) -> &[String] {
        &self.head.bad_ends
    }

    fn is_complete(&self) -> bool {
        self.head.is_complete
    }

    fn repeated(&self) -> usize {
        self.head.repeated
    }

    fn summary(&self) -> BTreeMap<&'static str, usize> {
        summary(self.cases.values().map(|entry| entry.verdict))
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.keys().map(|id| &**id)
    }

    fn verdict(&self, id: &str) -> Option<Verdict> {
        self.cases.get(id).map(|entry| entry.verdict)
    }

    fn case(&self, id: &str) -> Result<Option<Cow<'_, CaseReport>>, Unreadable> {
        let Some(entry) = self.cases.get(id) else { return Ok(None) };
        let mut ends = AllEnds::of(self.read_case(id, entry.place)?);
        for place in &entry.others {
            ends.add(self.read_case(id, *place)?);
        }
        Ok(Some(Cow::Owned(ends.into_case())))
    }
}

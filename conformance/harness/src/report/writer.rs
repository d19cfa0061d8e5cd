//! Writing a report, line by line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::{CaseReport, Line, Run, summary};
use crate::Verdict;

/// Where the report goes. Other processes may write the same one.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
}

impl Writer {
    /// Begin a report; or, where processes share one, go on with that of the same run.
    pub(crate) fn new(path: &Path, run: &Run, is_shared: bool) -> io::Result<Self> {
        let mut file = locked(path)?;
        if !is_shared || first_line(&file)?.is_none_or(|begun| begun.run != run.run) {
            file.set_len(0)?;
            write(&mut file, &Line::Run(Box::new(run.clone())))?;
        }
        Ok(Self { path: path.to_owned() })
    }

    /// A case starts.
    pub(crate) fn start(&self, id: &str) -> io::Result<()> {
        self.add(&Line::Start { id: id.to_owned() })
    }

    /// A case has ended.
    pub(crate) fn end(&self, case: CaseReport) -> io::Result<()> {
        self.add(&Line::Case(case))
    }

    /// The run has come to its end.
    pub(crate) fn finish(&self, verdicts: &[Verdict]) -> io::Result<()> {
        let summary = summary(verdicts.iter().copied()).into_iter().map(|(word, count)| (word.to_owned(), count));
        self.add(&Line::End { summary: summary.collect() })
    }

    /// The file is opened each time: what was moved away meanwhile is an error, and not written to unseen.
    fn add(&self, line: &Line) -> io::Result<()> {
        write(&mut locked(&self.path)?, line)
    }
}

/// The file, to be appended to while no other process does.
fn locked(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

fn first_line(file: &File) -> io::Result<Option<Run>> {
    let mut text = String::new();
    // Whatever else is there gives way to the new report.
    match BufReader::new(file).read_line(&mut text) {
        Err(error) if error.kind() != io::ErrorKind::InvalidData => Err(error),
        _ => Ok(match serde_json::from_str(&text) {
            Ok(Line::Run(run)) => Some(*run),
            _ => None,
        }),
    }
}

/// In one call, so that a line is whole or missing.
fn write(file: &mut File, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)
}

//! Writes a report line by line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::{CaseReport, Line, Run, anonymous_case, summary};
use crate::Verdict;

/// Writes a report into a file. Other processes may write the same file.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    /// The first line of the report, by which it is recognised.
    first: Vec<u8>,
    /// Whether the report identifies no machine.
    is_anonymous: bool,
}

impl Writer {
    /// Begins a report. If processes share reports and the file contains one of the same run, continues it. An older report
    /// of a run of its own is kept under another name, which is returned.
    pub(crate) fn new(path: &Path, run: &Run, is_shared: bool) -> io::Result<(Self, Option<PathBuf>)> {
        // To open a named pipe would wait for its other end.
        if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(io::Error::other("it is a pipe or a device, and a report must be a file"));
        }
        let kept = if is_shared { None } else { keep(path)? };
        let mut file = locked(path)?;
        if !is_shared || first_line(&file)?.is_none_or(|begun| begun.run != run.run) {
            file.set_len(0)?;
            write(&mut file, &Line::Run(Box::new(run.clone())))?;
        }
        Ok((Self::of(path, &file)?, kept))
    }

    /// Goes on with the report of a run that ended early, without the line that it was writing.
    pub(crate) fn resume(path: &Path) -> io::Result<Self> {
        let mut file = locked(path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        file.set_len(text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end as u64 + 1))?;
        Self::of(path, &file)
    }

    fn of(path: &Path, file: &File) -> io::Result<Self> {
        let first = first_bytes(file)?;
        let is_identified =
            matches!(serde_json::from_slice(&first), Ok(Line::Run(run)) if run.identification.is_some());
        Ok(Self { path: path.to_owned(), first, is_anonymous: !is_identified })
    }

    /// Writes that a case has started.
    pub(crate) fn start(&self, id: &str) -> io::Result<()> {
        self.add(&Line::Start { id: id.to_owned() })
    }

    /// Writes that a case has ended.
    pub(crate) fn end(&self, case: CaseReport) -> io::Result<()> {
        let case = if self.is_anonymous { anonymous_case(case) } else { case };
        self.add(&Line::Case(Box::new(case)))
    }

    /// Writes that a process crashed or hung outside any case.
    pub(crate) fn process(&self, end: &str) -> io::Result<()> {
        self.add(&Line::Process { end: end.to_owned() })
    }

    /// Writes that the run is complete.
    pub(crate) fn finish(&self, verdicts: &[Verdict]) -> io::Result<()> {
        let summary = summary(verdicts.iter().copied()).into_iter().map(|(word, count)| (word.to_owned(), count));
        self.add(&Line::End { summary: summary.collect() })
    }

    /// Appends a line. Opens the file by its path each time, so that no line goes into a file that was moved away
    /// meanwhile. Another run may have put its own file there: two runs in one report would be one that neither made.
    fn add(&self, line: &Line) -> io::Result<()> {
        let mut file = locked(&self.path)?;
        let mut first = vec![0; self.first.len()];
        match file.read_exact_at(&mut first, 0) {
            Ok(()) if first == self.first => write(&mut file, line),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Err(io::Error::other(format!(
                "{} is no longer the report of this run: another run has begun to write it",
                self.path.display()
            ))),
        }
    }
}

/// Returns the first line as it is in the file.
fn first_bytes(file: &File) -> io::Result<Vec<u8>> {
    let mut reader = file.try_clone()?;
    reader.rewind()?;
    let mut first = Vec::new();
    BufReader::new(reader).read_until(b'\n', &mut first)?;
    Ok(first)
}

/// Renames a report that has cases, so that a new one does not take its place without a word.
fn keep(path: &Path) -> io::Result<Option<PathBuf>> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    if !file.metadata()?.is_file() || is_of_a_descriptor(path) || first_line(&file)?.is_none() {
        return Ok(None);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".old");
    std::fs::rename(path, &name)?;
    Ok(Some(name.into()))
}

/// Whether a path names an open file by its descriptor, as `/proc/self/fd/3` and `/dev/fd/3` do. So does `/dev/stdout`, a
/// link that would be renamed itself.
fn is_of_a_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let places = [folder, path.read_link().ok()];
    places.into_iter().flatten().any(|place| place.starts_with("/proc"))
}

/// Opens the file for appending and locks it against other processes.
fn locked(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

fn first_line(file: &File) -> io::Result<Option<Run>> {
    let mut text = String::new();
    // Any other contents are replaced by the new report.
    match BufReader::new(file).read_line(&mut text) {
        Err(error) if error.kind() != io::ErrorKind::InvalidData => Err(error),
        _ => Ok(match serde_json::from_str(&text) {
            Ok(Line::Run(run)) => Some(*run),
            _ => None,
        }),
    }
}

/// Writes a line in one call, so that it is complete or missing.
fn write(file: &mut File, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)
}

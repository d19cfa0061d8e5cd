//! Reads only how the cases of a report ended. This is many times faster than reading the whole report, so thousands of
//! reports can be read.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use memchr::{memchr, memmem};
use serde::Deserialize;

use super::read::{Ending, First, Named, Summary, described, reason, unread};
use super::{CaseReport, Report, Run, Unreadable};
use crate::Verdict;

/// A report except its cases.
pub(crate) struct Brief {
    pub(crate) run: Run,
    /// Whether the report has its last line.
    pub(crate) is_complete: bool,
    /// The number of cases that the last line counts.
    pub(crate) said: usize,
    /// A case that had started but not ended when the report ends.
    pub(crate) running: Option<String>,
    /// The processes that crashed or hung outside any case.
    pub(crate) bad_ends: Vec<String>,
}

/// How a case ended.
pub(crate) struct BriefCase<'line> {
    pub(crate) id: &'line str,
    pub(crate) verdict: Verdict,
    /// The rows as the suite writes them, `"A","B"`, if the line has its form.
    pub(crate) rows: Option<&'line [u8]>,
    whole: Whole<'line>,
}

/// Where the rest of a case is.
enum Whole<'line> {
    Line(&'line [u8]),
    Read(&'line CaseReport),
}

impl BriefCase<'_> {
    /// Whether the case may have a disclosure or an Xid message. If not, it need not be read as a whole.
    pub(crate) fn may_have_incidents(&self) -> bool {
        static KEYS: LazyLock<[memmem::Finder<'static>; 2]> =
            LazyLock::new(|| ["\"disclosures\"", "\"xids\""].map(memmem::Finder::new));
        match self.whole {
            Whole::Line(line) => KEYS.iter().any(|key| key.find(line).is_some()),
            Whole::Read(case) => !case.disclosures.is_empty() || !case.xids.is_empty(),
        }
    }

    /// Returns the case with its rows, its reason and everything else.
    pub(crate) fn whole(&self) -> Result<CaseReport, String> {
        match self.whole {
            Whole::Line(line) => serde_json::from_slice(line).map_err(|error| reason(&error)),
            Whole::Read(case) => Ok(case.clone()),
        }
    }
}

/// A line as any writer may write it.
#[derive(Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
enum Other {
    Run,
    Start(Named),
    Case { id: String, verdict: Verdict },
    Process(Ending),
    End(Summary),
}

impl Brief {
    /// Reads a report through the buffer, and calls a function for each case that ended. If the function fails, the line is
    /// broken.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub(crate) fn read(
        path: &Path,
        buffer: &mut Vec<u8>,
        mut case: impl FnMut(&BriefCase<'_>) -> Result<(), String>,
    ) -> Result<Self, Unreadable> {
        let failed = |error| Unreadable::Io(path.to_owned(), error);
        let mut lines = Lines::of(File::open(path).map_err(failed)?, buffer);
        let first = lines.next().map_err(failed)?;
        let First::Run(run) = described(path, first)? else {
            return Self::of_format_one(path, case);
        };
        let mut brief = Self { run: *run, is_complete: false, said: 0, running: None, bad_ends: Vec::new() };
        for number in 2.. {
            let line = lines.next().map_err(failed)?;
            if line.is_empty() {
                break;
            }
            match brief.add(line, &mut case) {
                // The run was interrupted while it wrote the last line.
                Err(_) if !line.ends_with(b"\n") => break,
                Err(_) if line.trim_ascii().is_empty() => return Err(Unreadable::Blank(path.to_owned(), number)),
                Err(why) => return Err(Unreadable::Broken(path.to_owned(), number, why)),
                Ok(()) => {}
            }
        }
        Ok(brief)
    }

    fn of_format_one(
        path: &Path,
        mut case: impl FnMut(&BriefCase<'_>) -> Result<(), String>,
    ) -> Result<Self, Unreadable> {
        let Report { run, cases, is_complete, .. } = Report::read(path)?;
        for ended in &cases {
            let brief = BriefCase { id: &ended.id, verdict: ended.verdict, rows: None, whole: Whole::Read(ended) };
            case(&brief).map_err(|why| Unreadable::Foreign(path.to_owned(), why))?;
        }
        Ok(Self { run, is_complete, said: 0, running: None, bad_ends: Vec::new() })
    }

    fn add(&mut self, line: &[u8], case: &mut impl FnMut(&BriefCase<'_>) -> Result<(), String>) -> Result<(), String> {
        if self.is_complete {
            return Err("it follows the last line of the run".to_owned());
        }
        if let Some((id, verdict, rows)) = as_written(line) {
            self.running = None;
            return case(&BriefCase { id, verdict, rows: Some(rows), whole: Whole::Line(line) });
        }
        match serde_json::from_slice(line).map_err(|error| unread(&error, &self.run))? {
            Other::Run => return Err("a second run begins here".to_owned()),
            Other::Start(Named { id }) => self.running = Some(id),
            Other::Case { id, verdict } => {
                self.running = None;
                return case(&BriefCase { id: &id, verdict, rows: None, whole: Whole::Line(line) });
            }
            Other::Process(Ending { end }) => self.bad_ends.push(end),
            Other::End(summary) => (self.is_complete, self.said) = (true, summary.count()),
        }
        Ok(())
    }
}

/// Returns the name, the verdict and the rows in a line of a case, if it has the form in which the suite writes it.
fn as_written(line: &[u8]) -> Option<(&str, Verdict, &[u8])> {
    let rest = line.strip_prefix(br#"{"line":"case","id":""#)?;
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (id, rest) = rest.split_at(end);
    let rest = rest.strip_prefix(br#"","rows":["#)?;
    const BEFORE_THE_VERDICT: &[u8] = br#"],"verdict":""#;
    let (rows, rest) = rest.split_at(memmem::find(rest, BEFORE_THE_VERDICT)?);
    let rest = &rest[BEFORE_THE_VERDICT.len()..];
    let word = rest.get(..memchr(b'"', rest)?)?;
    let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.word().as_bytes() == word)?;
    if !line.ends_with(b"}\n") {
        return None;
    }
    Some((std::str::from_utf8(id).ok()?, verdict, rows))
}

/// The lines of a file. Only a part of the file is in memory, because a buffer that fits into the processor's cache is
/// filled and searched in half the time.
struct Lines<'buffer> {
    file: File,
    buffer: &'buffer mut Vec<u8>,
    /// The part of the buffer that was read from the file and not returned yet.
    rest: Range<usize>,
}

impl<'buffer> Lines<'buffer> {
    /// The buffer grows if a line is longer than this.
    const PART: usize = 256 << 10;

    fn of(file: File, buffer: &'buffer mut Vec<u8>) -> Self {
        buffer.resize(buffer.len().max(Self::PART), 0);
        Self { file, buffer, rest: 0..0 }
    }

    /// Returns the next line with its end. The last line may lack one, and after it the lines are empty.
    fn next(&mut self) -> io::Result<&[u8]> {
        let mut searched = self.rest.start;
        loop {
            if let Some(place) = memchr(b'\n', &self.buffer[searched..self.rest.end]) {
                return Ok(self.take(searched + place + 1));
            }
            self.buffer.copy_within(self.rest.clone(), 0);
            self.rest = 0..self.rest.len();
            searched = self.rest.end;
            if searched == self.buffer.len() {
                self.buffer.resize(2 * searched, 0);
            }
            match self.file.read(&mut self.buffer[searched..]) {
                Ok(0) => return Ok(self.take(searched)),
                Ok(read) => self.rest.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, end: usize) -> &[u8] {
        let line = self.rest.start..end;
        self.rest.start = end;
        &self.buffer[line]
    }
}

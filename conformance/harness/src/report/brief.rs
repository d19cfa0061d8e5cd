//! Reads of a report only how its cases ended, many times as fast as the whole report. Thousands of reports are read
//! like this.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use memchr::{memchr, memmem};
use serde::Deserialize;

use super::read::{First, Named, described, reason};
use super::{CaseReport, Report, Run, Unreadable};
use crate::Verdict;

/// A report except its cases.
pub(crate) struct Brief {
    pub(crate) run: Run,
    pub(crate) is_complete: bool,
    /// A case that had started but not ended when the report ends.
    pub(crate) running: Option<String>,
}

/// How a case ended.
pub(crate) struct BriefCase<'line> {
    pub(crate) id: &'line str,
    pub(crate) verdict: Verdict,
    whole: Whole<'line>,
}

/// Where the rest of a case is.
enum Whole<'line> {
    Line(&'line [u8]),
    Read(&'line CaseReport),
}

impl BriefCase<'_> {
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
    End,
}

impl Brief {
    /// Reads a report into the buffer, and calls a function for each case that ended. If the function fails, the line is
    /// broken.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub(crate) fn read(
        path: &Path,
        buffer: &mut Vec<u8>,
        mut case: impl FnMut(&BriefCase<'_>) -> Result<(), String>,
    ) -> Result<Self, Unreadable> {
        buffer.clear();
        let failed = |error| Unreadable::Io(path.to_owned(), error);
        File::open(path).and_then(|mut file| file.read_to_end(buffer)).map_err(failed)?;
        let (first, mut rest) = split(buffer);
        if first.trim_ascii().is_empty() {
            return Err(Unreadable::Empty(path.to_owned()));
        }
        let First::Run(run) = described(path, first)? else {
            return Self::of_format_one(path, case);
        };
        let mut brief = Self { run: *run, is_complete: false, running: None };
        for number in 2.. {
            if rest.is_empty() {
                break;
            }
            let (line, after) = split(rest);
            // The run was interrupted while it wrote the last line.
            let is_cut = !line.ends_with(b"\n");
            match brief.add(line, &mut case) {
                Err(_) if is_cut => break,
                Err(why) => return Err(Unreadable::Broken(path.to_owned(), number, why)),
                Ok(()) => rest = after,
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
            let brief = BriefCase { id: &ended.id, verdict: ended.verdict, whole: Whole::Read(ended) };
            case(&brief).map_err(|why| Unreadable::Foreign(path.to_owned(), why))?;
        }
        Ok(Self { run, is_complete, running: None })
    }

    fn add(&mut self, line: &[u8], case: &mut impl FnMut(&BriefCase<'_>) -> Result<(), String>) -> Result<(), String> {
        if self.is_complete {
            return Err("it follows the last line of the run".to_owned());
        }
        if let Some((id, verdict)) = as_written(line) {
            self.running = None;
            return case(&BriefCase { id, verdict, whole: Whole::Line(line) });
        }
        match serde_json::from_slice(line).map_err(|error| reason(&error))? {
            Other::Run => return Err("a second run begins here".to_owned()),
            Other::Start(Named { id }) => self.running = Some(id),
            Other::Case { id, verdict } => {
                self.running = None;
                return case(&BriefCase { id: &id, verdict, whole: Whole::Line(line) });
            }
            Other::End => self.is_complete = true,
        }
        Ok(())
    }
}

/// Returns the name and the verdict in a line of a case, if it has the form in which the suite writes it.
fn as_written(line: &[u8]) -> Option<(&str, Verdict)> {
    let rest = line.strip_prefix(br#"{"line":"case","id":""#)?;
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (id, rest) = rest.split_at(end);
    let rest = rest.strip_prefix(br#"","rows":["#)?;
    const BEFORE_THE_VERDICT: &[u8] = br#"],"verdict":""#;
    let rest = rest.get(memmem::find(rest, BEFORE_THE_VERDICT)? + BEFORE_THE_VERDICT.len()..)?;
    let word = rest.get(..memchr(b'"', rest)?)?;
    let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.word().as_bytes() == word)?;
    if !line.ends_with(b"}\n") {
        return None;
    }
    Some((std::str::from_utf8(id).ok()?, verdict))
}

/// Splits off the first line, with its end.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(memchr(b'\n', text).map_or(text.len(), |end| end + 1))
}

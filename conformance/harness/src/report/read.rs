//! Reads reports, including incomplete ones and those of earlier suites.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{CaseReport, FORMAT, Line, Report, Run};
use crate::identity::release;
use crate::{Defect, Failure, Verdict};

/// Why a report cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unreadable {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// The file is empty.
    Empty(PathBuf),
    /// The file is compressed, or is text of another encoding.
    Encoded(PathBuf, Encoding),
    /// A line is blank.
    Blank(PathBuf, usize),
    /// The file is not a report of this suite.
    Foreign(PathBuf, String),
    /// A later suite wrote the report, in a newer format.
    Future(PathBuf, u32),
    /// A line is invalid.
    Broken(PathBuf, usize, String),
    /// The file was changed while it was read.
    Changed(PathBuf),
}

/// What a file is whose first bytes are not those of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Compressed with gzip.
    Gzip,
    /// Compressed with zstd.
    Zstd,
    /// UTF-8 text behind a byte order mark.
    Marked,
    /// UTF-16 text.
    Utf16,
}

impl Encoding {
    fn of(text: &[u8]) -> Option<Self> {
        const FIRST: [(&[u8], Encoding); 5] = [
            (b"\x1f\x8b", Encoding::Gzip),
            (b"\x28\xb5\x2f\xfd", Encoding::Zstd),
            (b"\xef\xbb\xbf", Encoding::Marked),
            (b"\xff\xfe", Encoding::Utf16),
            (b"\xfe\xff", Encoding::Utf16),
        ];
        FIRST.into_iter().find(|(first, _)| text.starts_with(first)).map(|(_, encoding)| encoding)
    }
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Empty(path) => write!(f, "{} is empty: the run may not have started", path.display()),
            Self::Encoded(path, encoding) => {
                let path = path.display();
                match encoding {
                    Encoding::Gzip => write!(
                        f,
                        "{path} is compressed with gzip: unpack it first, with `gunzip < {path} > report.jsonl`"
                    ),
                    Encoding::Zstd => write!(
                        f,
                        "{path} is compressed with zstd: unpack it first, with `zstd -d < {path} > report.jsonl`"
                    ),
                    Encoding::Marked => write!(
                        f,
                        r"{path} begins with a byte order mark, which no run writes: remove it with `sed -i '1s/^\xEF\xBB\xBF//' {path}`"
                    ),
                    Encoding::Utf16 => write!(
                        f,
                        "{path} is UTF-16 text, and a report is UTF-8: convert it, with `iconv -f UTF-16 -t UTF-8 \
                         {path} > report.jsonl`"
                    ),
                }
            }
            Self::Blank(path, line) => write!(
                f,
                "{}, line {line} is blank, and a run writes no blank lines: copy the report again from its machine, or \
                 remove the line",
                path.display()
            ),
            Self::Foreign(path, why) => {
                write!(f, "{} is not a report of the conformance suite: {why}", path.display())
            }
            Self::Future(path, format) => write!(
                f,
                "{} has format {format}, but this command reads formats up to {FORMAT}: use the command of the suite \
                 that wrote it",
                path.display()
            ),
            Self::Broken(path, line, why) => write!(f, "{}, line {line}: {why}", path.display()),
            Self::Changed(path) => {
                write!(f, "{} was changed while it was read: try again after its run has ended", path.display())
            }
        }
    }
}

impl std::error::Error for Unreadable {}

/// The part of a report that says how to read the rest.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

/// Format 1: one JSON value, rewritten after every case.
#[derive(Deserialize)]
struct FormatOne<C> {
    #[serde(flatten)]
    run: Run,
    cases: Vec<C>,
}

/// The kind of a line. The other fields are parsed afterwards, when the kind is known. This takes a third of the time
/// that `Line` takes, because serde must expect its tag at any place.
#[derive(Deserialize)]
struct Tagged {
    line: Tag,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tag {
    Run,
    Start,
    Case,
    Process,
    End,
}

/// The name in a line of a case. The other fields are ignored.
#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

/// How a process ended that no case used.
#[derive(Deserialize)]
pub(super) struct Ending {
    pub(super) end: String,
}

/// The contents of a report except the cases that ended.
pub(super) struct Head {
    pub(super) run: Run,
    pub(super) running: Vec<String>,
    pub(super) bad_ends: Vec<String>,
    pub(super) is_complete: bool,
    /// The number of cases that ended more than once.
    pub(super) repeated: usize,
}

/// The part of a case that is read.
pub(super) trait Ended: DeserializeOwned {
    fn id(&self) -> &str;
    fn weight(&self) -> Weight;
}

/// How bad the end of a case is. A failure is worse than an error of the harness, which says nothing of the driver. Between
/// two failures, the kind of the defect decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight {
    is_failure: bool,
    /// A run that could not take place says nothing of one that did.
    ran: bool,
    /// The verdict; that of all failures is `fail`.
    verdict: Verdict,
    kind: Option<Reverse<Defect>>,
}

impl Weight {
    pub(crate) fn of(verdict: Verdict, failure: Option<&Failure>) -> Self {
        let is_failure = !verdict.is_good() && verdict != Verdict::Error;
        let kind = failure.map(|failure| failure.kind).or(Failure::of_verdict(verdict).map(|failure| failure.kind));
        let ran = verdict != Verdict::Unsupported;
        Self { is_failure, ran, verdict: if is_failure { Verdict::Fail } else { verdict }, kind: kind.map(Reverse) }
    }
}

impl Ended for CaseReport {
    fn id(&self) -> &str {
        &self.id
    }

    fn weight(&self) -> Weight {
        Weight::of(self.verdict, self.failure.as_ref())
    }
}

/// The ends of one case: the worst of them, with the disclosures and the Xid messages of all.
pub(super) struct AllEnds {
    case: CaseReport,
    /// The disclosures and the Xid messages of the case. A search in its lists would take quadratic time in all.
    disclosures: BTreeSet<String>,
    xids: BTreeSet<String>,
}

impl AllEnds {
    pub(super) fn of(case: CaseReport) -> Self {
        let set = |texts: &[String]| -> BTreeSet<String> { texts.iter().cloned().collect() };
        Self { disclosures: set(&case.disclosures), xids: set(&case.xids), case }
    }

    /// Adds an end that is no worse than those before.
    pub(super) fn add(&mut self, other: CaseReport) {
        let add = |known: &mut BTreeSet<String>, all: &mut Vec<String>, new: Vec<String>| {
            for text in new {
                if known.insert(text.clone()) {
                    all.push(text);
                }
            }
        };
        add(&mut self.disclosures, &mut self.case.disclosures, other.disclosures);
        add(&mut self.xids, &mut self.case.xids, other.xids);
    }

    /// Adds an end that is worse than those before.
    fn add_worse(&mut self, worse: CaseReport) {
        let before = std::mem::replace(self, Self::of(worse));
        self.add(before.case);
    }

    pub(super) fn into_case(self) -> CaseReport {
        self.case
    }
}

impl Report {
    /// Reads a report, or standard input if the path is `-`. A truncated last line is ignored.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn read(path: &Path) -> Result<Self, Unreadable> {
        Self::read_and_count(path).map(|(report, _)| report)
    }

    /// Reads a report, and returns how many cases appear in it more than once. Of such a case the worst end counts,
    /// and the disclosures of all.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn read_and_count(path: &Path) -> Result<(Self, usize), Unreadable> {
        let file = open(path).map_err(|error| Unreadable::Io(path.to_owned(), error))?;
        collect(path, &file, |case| case)
    }

    /// Reads a report without the steps of its cases, which make up most of its size.
    ///
    /// # Errors
    /// [`Unreadable`], which names the file.
    pub fn read_outline(path: &Path) -> Result<Self, Unreadable> {
        let file = open(path).map_err(|error| Unreadable::Io(path.to_owned(), error))?;
        collect(path, &file, |case| CaseReport { steps: Vec::new(), ..case }).map(|(report, _)| report)
    }
}

/// Reads a report, and returns how many cases appear in it more than once.
pub(super) fn collect(
    path: &Path,
    file: &File,
    keep: fn(CaseReport) -> CaseReport,
) -> Result<(Report, usize), Unreadable> {
    let mut cases: BTreeMap<String, AllEnds> = BTreeMap::new();
    let add = |case: CaseReport, _, is_worst| match cases.entry(case.id.clone()) {
        Entry::Vacant(place) => _ = place.insert(AllEnds::of(keep(case))),
        Entry::Occupied(known) if is_worst => known.into_mut().add_worse(keep(case)),
        Entry::Occupied(known) => known.into_mut().add(case),
    };
    let Head { run, running, bad_ends, is_complete, repeated } = scan(path, file, add)?;
    Ok((
        Report { run, cases: cases.into_values().map(AllEnds::into_case).collect(), running, bad_ends, is_complete },
        repeated,
    ))
}

/// Opens the file of a report, or standard input if the path is `-`.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(if path == Path::new("-") { Path::new("/dev/stdin") } else { path })
}

/// Calls a function for every case that ended, with the offset of its line, and whether it ended worse than in the lines
/// before: a try that passed hides no failure.
pub(super) fn scan<C: Ended>(path: &Path, file: &File, case: impl FnMut(C, u64, bool)) -> Result<Head, Unreadable> {
    let lines = &mut BufReader::new(file);
    let failed = |error| Unreadable::Io(path.to_owned(), error);
    let mut first = Vec::new();
    lines.read_until(b'\n', &mut first).map_err(failed)?;
    let length = first.len() as u64;
    match described(path, &first)? {
        First::Run(run) => cases(path, *run, lines, length, case),
        First::FormatOne => {
            // Format 1 is one value, which may have several lines.
            lines.read_to_end(&mut first).map_err(failed)?;
            format_one(path, &first, case)
        }
    }
}

/// What the first line of a report says.
pub(super) enum First {
    /// The run: the other lines follow.
    Run(Box<Run>),
    /// The whole file is one value of format 1, or no report.
    FormatOne,
}

/// Reads the first line of a report.
pub(super) fn described(path: &Path, first: &[u8]) -> Result<First, Unreadable> {
    if let Some(encoding) = Encoding::of(first) {
        return Err(Unreadable::Encoded(path.to_owned(), encoding));
    }
    if first.trim_ascii().is_empty() {
        let has_more = std::fs::metadata(path).is_ok_and(|file| file.len() > first.len() as u64);
        return Err(if has_more { Unreadable::Blank(path.to_owned(), 1) } else { Unreadable::Empty(path.to_owned()) });
    }
    if serde_json::from_slice::<Tagged>(first).is_err() {
        return Ok(First::FormatOne);
    }
    match format(path, first)? {
        0 => Err(headless(path)),
        _ => match serde_json::from_slice::<Line>(first) {
            Ok(Line::Run(run)) => Ok(First::Run(run)),
            Ok(_) => Err(headless(path)),
            Err(error) => Err(match newer(suite(first).as_deref()) {
                Some(hint) => Unreadable::Broken(path.to_owned(), 1, format!("{}: {hint}", reason(&error))),
                None => Unreadable::Foreign(path.to_owned(), reason(&error)),
            }),
        },
    }
}

/// Returns the version of the suite in a first line of which not everything is known.
fn suite(first: &[u8]) -> Option<String> {
    let line: serde_json::Value = serde_json::from_slice(first).ok()?;
    line["suite"]["version"].as_str().map(str::to_owned)
}

/// Says what to do if a later suite wrote a report.
fn newer(version: Option<&str>) -> Option<String> {
    const THIS: &str = env!("CARGO_PKG_VERSION");
    let version = version.filter(|version| release(version) > release(THIS))?;
    Some(format!("suite {version} wrote it, and this command is of suite {THIS}; use the command of that suite"))
}

/// Says why a line of a report cannot be read, and what to do.
pub(super) fn unread(error: &serde_json::Error, run: &Run) -> String {
    let hint = newer(run.suite.as_ref().map(|suite| suite.version.as_str()));
    // The first words of the message are all that serde tells of an unknown line.
    let is_unknown = error.is_data() && error.to_string().starts_with("unknown variant");
    let hint = hint.unwrap_or_else(|| match is_unknown {
        true => "another version of the suite wrote it, or it is damaged; use the command of that suite, or copy the report \
                 again from its machine"
            .to_owned(),
        false => "the line is damaged; copy the report again from its machine".to_owned(),
    });
    format!("{}: {hint}", reason(error))
}

fn format(path: &Path, text: &[u8]) -> Result<u32, Unreadable> {
    let Header { format } = serde_json::from_slice(text).map_err(|error: serde_json::Error| {
        if error.is_data() { headless(path) } else { Unreadable::Foreign(path.to_owned(), reason(&error)) }
    })?;
    if format > FORMAT { Err(Unreadable::Future(path.to_owned(), format)) } else { Ok(format) }
}

fn headless(path: &Path) -> Unreadable {
    Unreadable::Foreign(path.to_owned(), "it does not begin with a line that describes a run".to_owned())
}

fn format_one<C: Ended>(path: &Path, text: &[u8], mut case: impl FnMut(C, u64, bool)) -> Result<Head, Unreadable> {
    if format(path, text)? != 1 {
        return Err(headless(path));
    }
    let FormatOne { run, cases } = serde_json::from_slice(text)
        .map_err(|error: serde_json::Error| Unreadable::Foreign(path.to_owned(), reason(&error)))?;
    let mut ends = Ends::default();
    for ended in cases {
        let is_worst = ends.counts(&ended);
        case(ended, 0, is_worst);
    }
    Ok(Head { run, running: Vec::new(), bad_ends: Vec::new(), is_complete: true, repeated: ends.repeated })
}

/// How the cases of a report ended.
#[derive(Default)]
struct Ends {
    /// The worst end of each case, and whether it ended more than once.
    worst: BTreeMap<String, (Weight, bool)>,
    repeated: usize,
}

impl Ends {
    /// Whether the case ended for the first time, or worse than before.
    fn counts(&mut self, ended: &impl Ended) -> bool {
        let new = ended.weight();
        let Some((worst, is_repeated)) = self.worst.get_mut(ended.id()) else {
            self.worst.insert(ended.id().to_owned(), (new, false));
            return true;
        };
        self.repeated += usize::from(!std::mem::replace(is_repeated, true));
        let is_worse = new > *worst;
        *worst = new.max(*worst);
        is_worse
    }
}

/// Reads the lines after the first.
fn cases<C: Ended>(
    path: &Path,
    run: Run,
    lines: &mut impl BufRead,
    mut place: u64,
    mut case: impl FnMut(C, u64, bool),
) -> Result<Head, Unreadable> {
    let (mut running, mut text, mut is_complete) = (BTreeSet::new(), Vec::new(), false);
    let (mut ends, mut bad_ends, mut said) = (Ends::default(), Vec::new(), 0);
    for number in 2.. {
        text.clear();
        let length = lines.read_until(b'\n', &mut text).map_err(|error| Unreadable::Io(path.to_owned(), error))?;
        if length == 0 {
            break;
        }
        let broken = |why: String| Unreadable::Broken(path.to_owned(), number, why);
        let read = serde_json::from_slice(&text).and_then(|Tagged { line }| {
            match line {
                Tag::Start => _ = running.insert(serde_json::from_slice::<Named>(&text)?.id),
                Tag::Case => {
                    let ended: C = serde_json::from_slice(&text)?;
                    running.remove(ended.id());
                    let is_worst = ends.counts(&ended);
                    case(ended, place, is_worst);
                }
                Tag::Process => bad_ends.push(serde_json::from_slice::<Ending>(&text)?.end),
                Tag::End => said = serde_json::from_slice::<Summary>(&text)?.count(),
                Tag::Run => {}
            }
            Ok(line)
        });
        match read {
            Ok(Tag::Run) => return Err(broken("a second run begins here".to_owned())),
            Ok(_) if is_complete => return Err(broken("it follows the last line of the run".to_owned())),
            Ok(Tag::End) => is_complete = true,
            Ok(Tag::Start | Tag::Case | Tag::Process) => {}
            // The run was interrupted while it wrote this line.
            Err(_) if !text.ends_with(b"\n") => break,
            Err(_) if text.trim_ascii().is_empty() => return Err(Unreadable::Blank(path.to_owned(), number)),
            Err(error) => return Err(broken(unread(&error, &run))),
        }
        place += length as u64;
    }
    // Lines were lost if the last one counts more cases.
    is_complete &= ends.worst.len() >= said;
    Ok(Head { run, running: running.into_iter().collect(), bad_ends, is_complete, repeated: ends.repeated })
}

/// The counts in the last line.
#[derive(Deserialize)]
pub(super) struct Summary {
    summary: BTreeMap<String, usize>,
}

impl Summary {
    /// Returns the number of cases. A damaged line can count more than a number holds.
    pub(super) fn count(&self) -> usize {
        self.summary.values().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// Returns the parser's message without its line number, which is relative to the start of the parsed text.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    match error.column() {
        // It is unknown for a value that was read before its kind was known.
        0 => what.to_owned(),
        column => format!("{what} at column {column}"),
    }
}

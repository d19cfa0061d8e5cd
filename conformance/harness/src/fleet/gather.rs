//! Reads the reports of a folder, on all processors, and keeps of each only which rules it checks and which break.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use super::types::{IncidentKind, Unread};
use crate::diff::noise::without_addresses;
use crate::diff::{cause_of, key, without_numbers};
use crate::report::{Brief, BriefCase, Runs, Weight, how_it_ended, way_of_end};
use crate::{Defect, Verdict};

/// Values by number, each once.
pub(super) struct Names<T> {
    pub(super) list: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Names<T> {
    pub(super) fn number(&mut self, value: &T) -> usize {
        self.number_by(value.clone(), value)
    }

    /// Returns the number of a value that has one.
    pub(super) fn number_of(&self, value: &T) -> Option<usize> {
        self.numbers.get(value).copied()
    }

    /// Returns the number of a value. Values with the same key have the same number, and the first of them is kept.
    fn number_by(&mut self, key: T, value: &T) -> usize {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        self.list.push(value.clone());
        self.numbers.insert(key, self.list.len() - 1);
        self.list.len() - 1
    }
}

impl Names<String> {
    /// Returns names that have the numbers from 0 on.
    fn of(numbers: HashMap<String, usize>) -> Self {
        let mut list = vec![String::new(); numbers.len()];
        numbers.iter().for_each(|(name, number)| list[*number].clone_from(name));
        Self { list, numbers }
    }
}

/// Whether a number is in a set of bits.
fn has(bits: &[u64], number: usize) -> bool {
    bits.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
}

/// Adds a number to a set of bits.
fn set(bits: &mut Vec<u64>, number: usize) {
    if bits.len() <= number / 64 {
        bits.resize(number / 64 + 1, 0);
    }
    bits[number / 64] |= 1 << (number % 64);
}

/// How a rule breaks in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The number of the row.
    pub(super) row: usize,
    pub(super) kind: Defect,
    /// The number of the words that say what went wrong.
    pub(super) what: usize,
    /// Whether only a listed deviation breaks it.
    pub(super) is_listed: bool,
    /// How often the case failed, if it ran several times.
    pub(super) runs: Option<Runs>,
}

impl Broken {
    /// Sorts the ways in which the cases of a rule fail, the one that counts first: the one that is not listed, of those
    /// the worst, and of those the one of every run.
    fn rank(&self) -> (bool, Defect, bool) {
        (self.is_listed, self.kind, self.runs.is_some_and(Runs::is_flaky))
    }
}

/// A disclosure, an Xid message, or a process that crashed or hung outside any case, which some reports have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Seen {
    pub(super) kind: IncidentKind,
    pub(super) what: String,
    /// The first case that showed it; `None` for a process, which belongs to no case.
    pub(super) case: Option<String>,
}

impl Seen {
    fn disclosure(text: &str, case: &str) -> Self {
        Self { kind: IncidentKind::Disclosure, what: without_addresses(text), case: Some(case.to_owned()) }
    }

    /// Leaves out the address of the GPU: `Xid (PCI:0000:18:00): 79, GPU has fallen off the bus.` is `Xid 79, GPU …`.
    fn xid(message: &str, case: &str) -> Self {
        let parts = message.strip_prefix("Xid (").and_then(|rest| rest.split_once("): "));
        let what = parts.map_or_else(|| message.to_owned(), |(_, what)| format!("Xid {what}"));
        Self { kind: IncidentKind::Xid, what, case: Some(case.to_owned()) }
    }

    /// Leaves out the process number: it differs in each report, and chance decides which report is read first.
    fn process(end: &str) -> Self {
        let what = how_it_ended(end).to_owned();
        Self { kind: IncidentKind::Process, what, case: None }
    }

    /// What is the same in every report that has it. A disclosure in another case is another one.
    fn key(&self) -> Self {
        let (what, case) = match self.kind {
            IncidentKind::Disclosure => (without_numbers(&self.what), self.case.clone()),
            IncidentKind::Process => (way_of_end(&self.what), None),
            IncidentKind::Xid => (self.what.split(',').next().unwrap_or_default().to_owned(), None),
        };
        Self { kind: self.kind, what, case }
    }
}

/// What is kept of a report.
pub(super) struct Kept {
    pub(super) path: PathBuf,
    pub(super) host: Option<String>,
    /// When the run began.
    pub(super) began: Option<String>,
    /// The driver's name and its version.
    pub(super) driver: (String, String),
    pub(super) gpus: String,
    /// What `--require` asked for and the machine did not have.
    pub(super) unmet: Vec<String>,
    pub(super) is_complete: bool,
    /// Whether the run broke off or still goes on.
    pub(super) is_unfinished: bool,
    /// Whether a filter, a level or a budget left out cases.
    pub(super) is_partial: bool,
    pub(super) has_cases: bool,
    /// The number of cases that the last line counts and the report lacks.
    pub(super) lost: usize,
    /// The number of cases that appear more than once.
    pub(super) repeated: usize,
    /// The number of cases in which the harness failed.
    pub(super) errors: usize,
    pub(super) running: Option<String>,
    /// The numbers of its incidents.
    pub(super) incidents: Vec<usize>,
    /// The numbers of the rows that were checked, as bits.
    pub(super) checked: Vec<u64>,
    /// The numbers of the cases that say something about the driver, as bits.
    pub(super) ran: Vec<u64>,
    /// The rows that broke, sorted by number.
    pub(super) broken: Vec<Broken>,
}

impl Kept {
    pub(super) fn checks(&self, row: usize) -> bool {
        has(&self.checked, row)
    }

    /// The number of rules that the report checks.
    pub(super) fn rules(&self) -> usize {
        self.checked.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Whether the run ended and the report has all its cases. A report of nextest has no end line, but its run did not
    /// break off.
    pub(super) const fn has_ended(&self) -> bool {
        !self.is_unfinished && self.lost == 0
    }

    pub(super) fn ran(&self, case: usize) -> bool {
        has(&self.ran, case)
    }
}

/// The reports of a folder.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) rows: Names<String>,
    pub(super) cases: Names<String>,
    pub(super) whats: Names<String>,
    pub(super) incidents: Names<Seen>,
    pub(super) reports: Vec<Kept>,
    pub(super) unreadable: Vec<Unread>,
}

pub(super) fn gather(folder: &Path) -> io::Result<Gathered> {
    let (mut paths, mut unreadable) = (Vec::new(), Vec::new());
    files(folder, &mut paths, &mut unreadable)?;
    paths.sort();
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, |count| count.get().min(paths.len().max(1)));
    let parts: io::Result<Vec<Gathered>> = thread::scope(|scope| {
        let reader = || {
            let mut reader = Reader::default();
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                reader.read(path);
            }
            Gathered { cases: Names::of(reader.cases), ..reader.gathered }
        };
        let readers: Vec<_> = (0..threads).map(|_| scope.spawn(reader)).collect();
        // If a reader panics, its reports are lost, and the result would look complete without them.
        let lost = |_| io::Error::other("a reader of its reports panicked, as the message above says");
        let ends: Vec<_> = readers.into_iter().map(|reader| reader.join().map_err(lost)).collect();
        ends.into_iter().collect()
    });
    let mut all = Gathered { unreadable, ..Gathered::default() };
    parts?.into_iter().for_each(|part| all.take(part));
    all.reports.sort_by(|one, other| one.path.cmp(&other.path));
    all.unreadable.sort_by(|one, other| one.path.cmp(&other.path));
    for report in &mut all.reports {
        report.path = report.path.strip_prefix(folder).map_or_else(|_| report.path.clone(), Path::to_owned);
    }
    Ok(all)
}

/// Finds the reports below a folder, and the folders below it that cannot be read. Links are not followed, so that no folder
/// is read twice.
fn files(folder: &Path, paths: &mut Vec<PathBuf>, unreadable: &mut Vec<Unread>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            // Such as lost+found, which only root can read.
            if let Err(error) = files(&path, paths, unreadable) {
                unreadable.push(Unread { why: format!("{}: {error}", path.display()), path });
            }
        // A pipe would be waited for.
        } else if path.is_file()
            && path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
        {
            paths.push(path);
        }
    }
    Ok(())
}

impl Gathered {
    /// Returns which of the known rows of a case a report has. Rows that are new become known.
    fn rows_of(&mut self, case: &BriefCase<'_>, known: &mut Vec<(Vec<u8>, Vec<usize>)>) -> Result<usize, String> {
        let written = case.rows.and_then(|text| known.iter().position(|(of, _)| of == text));
        if let Some(place) = written {
            return Ok(place);
        }
        let numbers: Vec<_> = case.whole()?.rows.iter().map(|row| self.rows.number(row)).collect();
        // A line in another form has no text that can be compared.
        if let Some(place) = known.iter().position(|(_, of)| *of == numbers).filter(|_| case.rows.is_none()) {
            return Ok(place);
        }
        known.push((case.rows.unwrap_or_default().to_vec(), numbers));
        Ok(known.len() - 1)
    }

    /// Adds the reports of another thread, whose numbers are its own.
    fn take(&mut self, part: Self) {
        let rows: Vec<_> = part.rows.list.iter().map(|row| self.rows.number(row)).collect();
        let cases: Vec<_> = part.cases.list.iter().map(|case| self.cases.number(case)).collect();
        let whats: Vec<_> = part.whats.list.iter().map(|what| self.whats.number_by(key(what), what)).collect();
        let incidents: Vec<_> =
            part.incidents.list.iter().map(|seen| self.incidents.number_by(seen.key(), seen)).collect();
        for mut report in part.reports {
            report.incidents.iter_mut().for_each(|number| *number = incidents[*number]);
            for (bits, numbers) in [(&mut report.checked, &rows), (&mut report.ran, &cases)] {
                let old = std::mem::take(bits);
                (0..numbers.len()).filter(|number| has(&old, *number)).for_each(|number| set(bits, numbers[number]));
            }
            for broken in &mut report.broken {
                (broken.row, broken.what) = (rows[broken.row], whats[broken.what]);
            }
            report.broken.sort_by_key(|broken| broken.row);
            self.reports.push(report);
        }
        self.unreadable.extend(part.unreadable);
    }
}

/// Reads reports one after the other.
#[derive(Default)]
struct Reader {
    gathered: Gathered,
    /// The number of each case.
    cases: HashMap<String, usize>,
    /// The rows of each case as reports write them, with their numbers. Suites of two versions can have others.
    rows: Vec<Vec<(Vec<u8>, Vec<usize>)>>,
    /// How each case ended in the report that is being read.
    ends: Vec<Option<End>>,
    buffer: Vec<u8>,
}

/// How a case ended. If it appears more than once, the worst end counts.
#[derive(Clone)]
struct End {
    verdict: Verdict,
    weight: Weight,
    /// Which rows of the case this report has, if it checks them.
    rows: Option<usize>,
    is_repeated: bool,
    /// How it failed, with the number of the words that say what went wrong.
    failure: Option<(Defect, usize, Option<Runs>)>,
}

impl Reader {
    fn read(&mut self, path: &Path) {
        self.ends.clear();
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut incidents = BTreeSet::new();
        let brief = Brief::read(path, &mut buffer, |case| self.add(case, &mut incidents));
        self.buffer = buffer;
        match brief {
            Ok(brief) => self.keep(path, brief, incidents),
            Err(error) => self.gathered.unreadable.push(Unread { path: path.to_owned(), why: error.to_string() }),
        }
    }

    /// Notes how a case ended.
    fn add(&mut self, case: &BriefCase<'_>, incidents: &mut BTreeSet<usize>) -> Result<(), String> {
        let Self { gathered, cases, rows, ends, .. } = self;
        let number = match cases.get(case.id) {
            Some(number) => *number,
            None => {
                cases.insert(case.id.to_owned(), rows.len());
                rows.push(Vec::new());
                rows.len() - 1
            }
        };
        if ends.len() <= number {
            ends.resize(number + 1, None);
        }
        if case.may_have_incidents() {
            let whole = case.whole()?;
            let disclosures = whole.disclosures.iter().map(|text| Seen::disclosure(text, case.id));
            let xids = whole.xids.iter().map(|message| Seen::xid(message, case.id));
            incidents.extend(disclosures.chain(xids).map(|seen| gathered.incidents.number_by(seen.key(), &seen)));
        }
        let is_checked = case.verdict.is_about_the_driver();
        let is_broken = is_checked && (!case.verdict.is_good() || case.verdict == Verdict::Deviation);
        let whole = if is_broken { Some(case.whole()?) } else { None };
        let weight = Weight::of(case.verdict, whole.as_ref().and_then(|case| case.failure.as_ref()));
        if let Some(end) = &mut ends[number] {
            end.is_repeated = true;
            if weight <= end.weight {
                return Ok(());
            }
        }
        let of_case = if is_checked { Some(gathered.rows_of(case, &mut rows[number])?) } else { None };
        let failure = whole.map(|whole| {
            let (kind, what) = cause_of(&whole);
            (kind, gathered.whats.number_by(key(&what), &what), whole.runs)
        });
        let is_repeated = ends[number].is_some();
        ends[number] = Some(End { verdict: case.verdict, weight, rows: of_case, is_repeated, failure });
        Ok(())
    }

    /// Keeps what the cases of a report say about its rows.
    fn keep(&mut self, path: &Path, brief: Brief, mut incidents: BTreeSet<usize>) {
        let Brief { run, is_complete, said, running, bad_ends } = brief;
        let known = &mut self.gathered.incidents;
        incidents.extend(bad_ends.iter().map(|end| Seen::process(end)).map(|seen| known.number_by(seen.key(), &seen)));
        let ended = || self.ends.iter().flatten();
        let lost = said.saturating_sub(ended().count());
        let mut report = Kept {
            path: path.to_owned(),
            host: run.identification.as_ref().map(|machine| machine.host.clone()),
            gpus: run.gpus(),
            is_partial: run.is_partial,
            is_unfinished: !is_complete && !run.is_of_nextest(),
            unmet: run.unmet,
            began: run.began,
            driver: (run.driver.name, run.driver.version),
            is_complete: is_complete && lost == 0,
            has_cases: ended().next().is_some(),
            lost,
            repeated: ended().filter(|end| end.is_repeated).count(),
            errors: ended().filter(|end| end.verdict == Verdict::Error).count(),
            running,
            incidents: incidents.into_iter().collect(),
            checked: Vec::new(),
            ran: Vec::new(),
            broken: Vec::new(),
        };
        let mut broken: BTreeMap<usize, Broken> = BTreeMap::new();
        for (number, (end, known)) in self.ends.iter().zip(&self.rows).enumerate() {
            let Some(end) = end else { continue };
            let Some(rows) = end.rows.map(|place| &known[place].1) else { continue };
            set(&mut report.ran, number);
            rows.iter().for_each(|row| set(&mut report.checked, *row));
            if let Some((kind, what, runs)) = end.failure {
                let is_listed = end.verdict == Verdict::Deviation;
                add_broken(Broken { row: 0, kind, what, is_listed, runs }, rows, &mut broken);
            }
        }
        report.broken = broken.into_values().collect();
        self.gathered.reports.push(report);
    }
}

/// Notes the rows that a case breaks.
fn add_broken(how: Broken, rows: &[usize], broken: &mut BTreeMap<usize, Broken>) {
    for row in rows {
        let new = Broken { row: *row, ..how };
        let worst = broken.entry(*row).or_insert(new);
        if new.rank() < worst.rank() {
            *worst = new;
        }
    }
}

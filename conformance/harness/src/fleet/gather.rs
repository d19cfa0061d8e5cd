//! Reads the reports of a folder, on all processors, and keeps of each only which rules it checks and which break.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use super::types::Unread;
use crate::diff::{cause_of, without_numbers};
use crate::report::{Brief, BriefCase};
use crate::{Defect, Verdict};

/// Values by number, each once.
#[derive(Default)]
pub(super) struct Names<T> {
    pub(super) list: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Names<T> {
    pub(super) fn number(&mut self, value: &T) -> usize {
        self.number_by(value.clone(), value)
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

/// What a rule does in a report, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The number of the row.
    pub(super) row: usize,
    pub(super) kind: Defect,
    /// The number of the words that say what went wrong.
    pub(super) what: usize,
    /// Whether only a listed deviation breaks it.
    pub(super) is_listed: bool,
}

/// What is kept of a report.
pub(super) struct Kept {
    pub(super) path: PathBuf,
    pub(super) host: Option<String>,
    /// The driver's name and its version.
    pub(super) driver: (String, String),
    pub(super) gpus: String,
    /// What `--require` asked for and the machine did not have.
    pub(super) unmet: Vec<String>,
    pub(super) is_complete: bool,
    pub(super) running: Option<String>,
    /// The numbers of the rows that were checked, as bits.
    pub(super) checked: Vec<u64>,
    /// The rows that broke, sorted by number.
    pub(super) broken: Vec<Broken>,
}

impl Kept {
    pub(super) fn checks(&self, row: usize) -> bool {
        self.checked.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    fn check(&mut self, row: usize) {
        if self.checked.len() <= row / 64 {
            self.checked.resize(row / 64 + 1, 0);
        }
        self.checked[row / 64] |= 1 << (row % 64);
    }
}

/// The reports of a folder.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) rows: Names<String>,
    pub(super) whats: Names<String>,
    pub(super) reports: Vec<Kept>,
    pub(super) unreadable: Vec<Unread>,
}

pub(super) fn gather(folder: &Path) -> io::Result<Gathered> {
    let mut paths = Vec::new();
    files(folder, &mut paths)?;
    paths.sort();
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, |count| count.get().min(paths.len().max(1)));
    let parts: Vec<Gathered> = thread::scope(|scope| {
        let reader = || {
            let mut reader = Reader::default();
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                reader.read(path);
            }
            reader.gathered
        };
        let readers: Vec<_> = (0..threads).map(|_| scope.spawn(reader)).collect();
        readers.into_iter().filter_map(|reader| reader.join().ok()).collect()
    });
    let mut all = Gathered::default();
    parts.into_iter().for_each(|part| all.take(part));
    all.reports.sort_by(|one, other| one.path.cmp(&other.path));
    all.unreadable.sort_by(|one, other| one.path.cmp(&other.path));
    for report in &mut all.reports {
        report.path = report.path.strip_prefix(folder).map_or_else(|_| report.path.clone(), Path::to_owned);
    }
    Ok(all)
}

/// Finds the reports below a folder. Links are not followed, so that no folder is read twice.
fn files(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            files(&path, paths)?;
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
    /// Adds the reports of another thread, whose numbers are its own.
    fn take(&mut self, part: Self) {
        let rows: Vec<_> = part.rows.list.iter().map(|row| self.rows.number(row)).collect();
        let whats: Vec<_> =
            part.whats.list.iter().map(|what| self.whats.number_by(without_numbers(what), what)).collect();
        for mut report in part.reports {
            let old = std::mem::take(&mut report.checked);
            let is_checked = |row: &usize| old.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1);
            (0..rows.len()).filter(is_checked).for_each(|row| report.check(rows[row]));
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
    /// The numbers of the rows of each case. The cases of a row are those of its first report.
    rows_of_cases: HashMap<String, Vec<usize>>,
    buffer: Vec<u8>,
}

impl Reader {
    fn read(&mut self, path: &Path) {
        let Self { gathered, rows_of_cases, buffer } = self;
        let mut checked: Vec<u64> = Vec::new();
        let mut broken: BTreeMap<usize, Broken> = BTreeMap::new();
        let brief = Brief::read(path, buffer, |case| {
            if matches!(case.verdict, Verdict::Unsupported | Verdict::Error) {
                return Ok(());
            }
            if !rows_of_cases.contains_key(case.id) {
                let rows = case.whole()?.rows.iter().map(|row| gathered.rows.number(row)).collect();
                rows_of_cases.insert(case.id.to_owned(), rows);
            }
            let rows = rows_of_cases.get(case.id).map_or(&[][..], Vec::as_slice);
            for row in rows {
                if checked.len() <= row / 64 {
                    checked.resize(row / 64 + 1, 0);
                }
                checked[row / 64] |= 1 << (row % 64);
            }
            add_broken(case, rows, &mut gathered.whats, &mut broken)
        });
        match brief {
            Ok(Brief { run, is_complete, running }) => gathered.reports.push(Kept {
                path: path.to_owned(),
                host: run.identification.as_ref().map(|machine| machine.host.clone()),
                gpus: run.gpus(),
                unmet: run.unmet,
                driver: (run.driver.name, run.driver.version),
                is_complete,
                running,
                checked,
                broken: broken.into_values().collect(),
            }),
            Err(error) => gathered.unreadable.push(Unread { path: path.to_owned(), why: error.to_string() }),
        }
    }
}

/// Notes the rows that a case breaks. Of several failures of a row, the one that is not listed counts, and of those the
/// worst.
fn add_broken(
    case: &BriefCase<'_>,
    rows: &[usize],
    whats: &mut Names<String>,
    broken: &mut BTreeMap<usize, Broken>,
) -> Result<(), String> {
    let is_listed = case.verdict == Verdict::Deviation;
    if case.verdict.is_good() && !is_listed {
        return Ok(());
    }
    let (kind, what) = cause_of(&case.whole()?);
    let what = whats.number_by(without_numbers(&what), &what);
    for row in rows {
        let new = Broken { row: *row, kind, what, is_listed };
        let worst = broken.entry(*row).or_insert(new);
        if (is_listed, kind) < (worst.is_listed, worst.kind) {
            *worst = new;
        }
    }
    Ok(())
}

//! The JSON report: rewritten after every case, and shared by the processes of one nextest run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Verdict;
use crate::driver::{Identity, UnderTest};
use crate::machine::Device;

/// A run of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The format.
    pub format: u32,
    /// The run: processes of one nextest run share it.
    pub run: String,
    /// The driver under test.
    pub driver: Identity,
    /// The devices it showed.
    pub devices: Vec<Device>,
    /// The seed of every random choice.
    pub seed: u64,
    /// Whether every role was a new process.
    pub fresh: bool,
    /// The cases that ran, by name.
    pub cases: Vec<CaseReport>,
    /// How many ended how.
    pub summary: BTreeMap<String, usize>,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseReport {
    /// The name, with parameters.
    pub id: String,
    /// The rows it checks.
    pub rows: Vec<String>,
    /// How it ended.
    pub verdict: Verdict,
    /// Why, where it did not pass.
    pub reason: Option<String>,
    /// What was seen where the documentation leaves it open.
    pub observations: BTreeMap<String, Value>,
    /// How long it took, start of its roles included.
    pub duration_ms: f64,
}

/// Where the report goes.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    empty: Report,
}

impl Writer {
    /// Begin a report, or go on with that of the same run.
    pub(crate) fn new(path: PathBuf, run: String, driver: &UnderTest, seed: u64, fresh: bool) -> io::Result<Self> {
        let empty = Report {
            format: 1,
            run,
            driver: driver.identity.clone(),
            devices: driver.machine.devices.clone(),
            seed,
            fresh,
            cases: Vec::new(),
            summary: BTreeMap::new(),
        };
        let writer = Self { path, empty };
        writer.update(|_| {})?;
        Ok(writer)
    }

    /// Add a case that ended.
    pub(crate) fn add(&self, case: CaseReport) -> io::Result<()> {
        self.update(|report| {
            report.cases.retain(|other| other.id != case.id);
            report.cases.push(case);
            report.cases.sort_by(|one, other| one.id.cmp(&other.id));
        })
    }

    /// Read, change and replace the file, while no other process does.
    fn update(&self, change: impl FnOnce(&mut Report)) -> io::Result<()> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // The lock is on the folder, because the file is replaced.
        let lock = File::open(folder)?;
        flock(&lock, FlockOperation::LockExclusive)?;
        let before = fs::read(&self.path).ok().and_then(|bytes| serde_json::from_slice::<Report>(&bytes).ok());
        let mut report = before.filter(|report| report.run == self.empty.run).unwrap_or_else(|| self.empty.clone());
        change(&mut report);
        report.summary = summary(report.cases.iter().map(|case| case.verdict));
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let new = folder.join(name);
        let mut text = serde_json::to_vec_pretty(&report)?;
        text.push(b'\n');
        fs::write(&new, text)?;
        fs::rename(&new, &self.path)
    }
}

/// How many ended how, every verdict named.
pub(crate) fn summary(verdicts: impl Iterator<Item = Verdict>) -> BTreeMap<String, usize> {
    let mut summary: BTreeMap<_, _> = Verdict::ALL.iter().map(|verdict| (verdict.word().to_owned(), 0)).collect();
    for verdict in verdicts {
        *summary.entry(verdict.word().to_owned()).or_default() += 1;
    }
    summary
}

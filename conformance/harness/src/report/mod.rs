//! Reports: JSON Lines, written while a run goes on, so that a crash of the machine loses the running case at most.
//!
//! The first line describes the [`Run`]; then each case has a line when it starts and one when it has ended
//! ([`CaseReport`]); the last line says that the run came to its end. Processes of one nextest run write one report.

mod environment;
mod read;
mod source;
mod writer;

use std::collections::BTreeMap;
use std::process::Command;
use std::{fmt, fs};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use environment::mps;
pub use environment::{Environment, Host, Limits};
pub use read::Unreadable;
pub(crate) use source::{Index, Source};
pub(crate) use writer::Writer;

use crate::Verdict;
use crate::identity::Identity;
use crate::machine::{Device, Link};
pub use crate::step::Step;

/// The format of the reports that this suite writes. It reads this one and those before it.
pub const FORMAT: u32 = 2;

/// The name of a golden record in place of a run's.
pub(crate) const RECORD: &str = "record";

/// A run of the suite, as far as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What ran, where, on what.
    pub run: Run,
    /// The cases that ended, by name.
    pub cases: Vec<CaseReport>,
    /// The cases that had started and not ended when the report ends.
    pub running: Vec<String>,
    /// Whether the run came to its end, as far as the report can tell.
    pub is_complete: bool,
}

impl Report {
    /// How many cases ended how, every verdict named.
    #[must_use]
    pub fn summary(&self) -> BTreeMap<&'static str, usize> {
        summary(self.cases.iter().map(|case| case.verdict))
    }

    /// The lines of the report as a run would have written them, without those of starts.
    ///
    /// # Errors
    /// Where a value cannot be written as JSON.
    pub fn to_lines(&self) -> serde_json::Result<String> {
        let run = Line::Run(Box::new(self.run.clone()));
        let cases = self.cases.iter().cloned().map(Line::Case);
        let running = self.running.iter().map(|id| Line::Start { id: id.clone() });
        let end = self.is_complete.then(|| Line::End {
            summary: self.summary().into_iter().map(|(word, count)| (word.to_owned(), count)).collect(),
        });
        let lines = [run].into_iter().chain(cases).chain(running).chain(end);
        lines.map(|line| Ok(serde_json::to_string(&line)? + "\n")).collect()
    }

    /// A case by its name.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&CaseReport> {
        self.cases.binary_search_by(|case| case.id.as_str().cmp(id)).ok().map(|place| &self.cases[place])
    }
}

/// How many ended how, every verdict named.
pub(crate) fn summary(verdicts: impl Iterator<Item = Verdict>) -> BTreeMap<&'static str, usize> {
    let mut summary: BTreeMap<_, _> = Verdict::ALL.iter().map(|verdict| (verdict.word(), 0)).collect();
    for verdict in verdicts {
        *summary.entry(verdict.word()).or_default() += 1;
    }
    summary
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum Line {
    /// The first line.
    Run(Box<Run>),
    /// A case starts.
    Start {
        /// Its name.
        id: String,
    },
    /// A case has ended.
    Case(CaseReport),
    /// The run has come to its end.
    End {
        /// How many cases ended how.
        summary: BTreeMap<String, usize>,
    },
}

/// The JSON Schema of a line, which is published beside this file.
#[must_use]
#[cfg(feature = "schema")]
pub fn schema() -> Value {
    schemars::schema_for!(Line).to_value()
}

/// What ran, where, on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// The format of the report.
    pub format: u32,
    /// The run's name: processes of one nextest run share it. `record` in a golden record.
    pub run: String,
    /// When it began, in UTC (RFC 3339); unknown in reports of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// The suite; unknown in reports of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Suite>,
    /// The driver under test.
    pub driver: Identity,
    /// The devices it showed.
    pub devices: Vec<Device>,
    /// The links between the devices.
    #[serde(default)]
    pub links: Vec<Link>,
    /// The machine around them; unknown in reports of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// The seed of every random choice.
    pub seed: u64,
    /// Whether every role was a new process.
    pub fresh: bool,
    /// What `--require` named and the machine does not have: such a run fails, whatever its cases did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
    /// Whether a filter chose the cases: what is not here was not asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

impl Run {
    /// Whether this is a golden record, which does not know whose machine it was, and no checks of the harness.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.run == RECORD
    }

    /// The product of its devices and how many there are; of different devices, each: `2 × NVIDIA H200`.
    #[must_use]
    pub fn gpus(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for device in &self.devices {
            match counts.iter_mut().find(|(name, _)| *name == device.name) {
                Some((_, count)) => *count += 1,
                None => counts.push((&device.name, 1)),
            }
        }
        let words: Vec<_> = counts.into_iter().map(|(name, count)| format!("{count} × {name}")).collect();
        if words.is_empty() { "no device".to_owned() } else { words.join(" + ") }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity { name, version, cuda, .. } = &self.driver;
        write!(f, "{name} {version} (CUDA {cuda}) on {}", self.gpus())?;
        if let Some(suite) = &self.suite {
            write!(f, ", suite {suite}")?;
        }
        Ok(())
    }
}

/// Which suite it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suite {
    /// Its version.
    pub version: String,
    /// The commit that it was built from, where that was known, with `+` where files had been changed.
    pub commit: Option<String>,
}

impl Suite {
    /// This one. A bundle has its commit in a file beside the executable; a checkout is asked.
    #[must_use]
    pub fn this() -> Self {
        let bundled =
            std::env::current_exe().ok().and_then(|program| fs::read_to_string(program.with_file_name("COMMIT")).ok());
        let commit = bundled.map(|commit| commit.trim().to_owned()).or_else(|| {
            let commit = git(&["rev-parse", "HEAD"])?;
            let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
            Some(if is_changed { commit + "+" } else { commit })
        });
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), commit }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ABBREVIATED: usize = 12;
        f.write_str(&self.version)?;
        let Some(commit) = &self.commit else { return Ok(()) };
        let mark = if commit.ends_with('+') { "+" } else { "" };
        let digits: String = commit.trim_end_matches('+').chars().take(ABBREVIATED).collect();
        write!(f, " ({digits}{mark})")
    }
}

/// What git says of the checkout that this was built in, if it is still there.
fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    let output = command.arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// One case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// What was done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// How long it took in milliseconds, start of its roles included.
    pub duration_ms: f64,
}

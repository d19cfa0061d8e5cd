//! Reports in JSON Lines. They are written during a run, so that a crash of the machine loses at most the running case.
//!
//! The first line describes the [`Run`]. Then each case has a line when it starts and a line when it has ended
//! ([`CaseReport`]). A process that crashed or hung outside any case has a line too. The last line says that the run is
//! complete. All processes of a nextest run write the same report,
//! which has no such line.

mod brief;
mod environment;
mod home;
mod identification;
mod load;
mod read;
mod source;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::process::Command;
use std::{fmt, fs};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use brief::{Brief, BriefCase};
pub use environment::{Environment, Host, Limits};
pub(crate) use environment::{MPS_FOLDER, mps};
pub use identification::{Board, Identification};
pub(crate) use identification::{KernelLog, anonymous, anonymous_case};
pub use load::Load;
pub(crate) use read::Weight;
pub use read::{Encoding, Unreadable};
pub(crate) use source::{Index, Source};
pub(crate) use writer::Writer;

use crate::case::Case;
use crate::identity::Identity;
use crate::machine::{Device, Link};
pub use crate::step::{Step, check_in_c};
use crate::{Failure, Verdict};

/// Returns how a process ended that crashed or hung outside any case, without its number, which differs in each run,
/// and without the seconds of its deadline, which reports of earlier suites do not have.
#[must_use]
pub fn how_it_ended(end: &str) -> &str {
    const HANG: &str = " before the deadline";
    let after = end.strip_prefix("process ").map(|end| end.trim_start_matches(|c: char| c.is_ascii_digit()));
    let how = after.and_then(|end| end.strip_prefix(", ")).unwrap_or(end);
    how.find(HANG).map_or(how, |place| &how[..place + HANG.len()])
}

/// Returns the way in which a process ended that crashed or hung outside any case: its role, and how it ended. The
/// number of the role is left out: of several equal roles, such as `importer 2`, chance decides which one crashes.
pub(crate) fn way_of_end(end: &str) -> String {
    let end = how_it_ended(end);
    let Some((role, how)) = end.split_once(": ") else { return end.to_owned() };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let role = role.rsplit_once(' ').filter(|(_, number)| is_number(number)).map_or(role, |(role, _)| role);
    format!("{role}: {how}")
}

/// The format of the reports that this suite writes. It reads this format and all earlier ones.
pub const FORMAT: u32 = 2;

/// The name in a golden record, in place of a run's name.
pub(crate) const RECORD: &str = "record";

/// The report of a run, complete or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The run: its driver, devices, environment and settings.
    pub run: Run,
    /// The cases that ended, sorted by name.
    pub cases: Vec<CaseReport>,
    /// The cases that had started but not ended when the report ends.
    pub running: Vec<String>,
    /// The processes that crashed or hung outside any case, in words. If there are any, the run fails regardless of its
    /// cases.
    pub bad_ends: Vec<String>,
    /// Whether the report says that the run is complete: always in format 1, never in a nextest run.
    pub is_complete: bool,
}

impl Report {
    /// Returns the number of cases per verdict, for every verdict.
    #[must_use]
    pub fn summary(&self) -> BTreeMap<&'static str, usize> {
        summary(self.cases.iter().map(|case| case.verdict))
    }

    /// Returns the lines of the report as a run writes them. Cases that ended have no line for their start.
    ///
    /// # Errors
    /// A value cannot be written as JSON.
    pub fn to_lines(&self) -> serde_json::Result<String> {
        let run = Line::Run(Box::new(self.run.clone()));
        let cases = self.cases.iter().map(|case| Line::Case(Box::new(case.clone())));
        let running = self.running.iter().map(|id| Line::Start { id: id.clone() });
        let processes = self.bad_ends.iter().map(|end| Line::Process { end: end.clone() });
        let end = self.is_complete.then(|| Line::End {
            summary: self.summary().into_iter().map(|(word, count)| (word.to_owned(), count)).collect(),
        });
        let lines = [run].into_iter().chain(cases).chain(running).chain(processes).chain(end);
        lines.map(|line| Ok(serde_json::to_string(&line)? + "\n")).collect()
    }

    /// Returns a case by its name.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&CaseReport> {
        self.cases.binary_search_by(|case| case.id.as_str().cmp(id)).ok().map(|place| &self.cases[place])
    }

    /// Returns every disclosure with its case.
    pub fn disclosures(&self) -> impl Iterator<Item = (&CaseReport, &str)> {
        self.cases.iter().flat_map(|case| case.disclosures.iter().map(move |disclosure| (case, disclosure.as_str())))
    }

    /// Returns every Xid message with the case during which it came. There are none without `--identify`.
    pub fn xids(&self) -> impl Iterator<Item = (&CaseReport, &str)> {
        self.cases.iter().flat_map(|case| case.xids.iter().map(move |xid| (case, xid.as_str())))
    }
}

/// Returns the number of each verdict, for every verdict.
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
    /// The first line, which describes the run.
    Run(Box<Run>),
    /// A case has started.
    Start {
        /// The name of the case.
        id: String,
    },
    /// A case has ended.
    Case(Box<CaseReport>),
    /// A process of the run crashed or hung when no case used it. No verdict says so, and the run fails.
    Process {
        /// Which process it was and how it ended, such as `process 4711, keeper: killed by signal 11 (SIGSEGV) in exit()`.
        end: String,
    },
    /// The run is complete.
    End {
        /// The number of cases per verdict.
        summary: BTreeMap<String, usize>,
    },
}

/// Returns the JSON Schema of a line of a report.
#[must_use]
#[cfg(feature = "schema")]
pub fn schema() -> Value {
    schemars::schema_for!(Line).to_value()
}

/// The run: its driver, devices, environment and settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// The format of the report.
    pub format: u32,
    /// The name of the run, which all processes of a nextest run share; `record` in a golden record.
    pub run: String,
    /// The start of the run in UTC (RFC 3339); absent in reports of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// The suite; absent in reports of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Suite>,
    /// The driver under test.
    pub driver: Identity,
    /// The devices that the driver reports.
    pub devices: Vec<Device>,
    /// The links between the devices.
    #[serde(default)]
    pub links: Vec<Link>,
    /// The environment of the run; absent in reports of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// How busy the machine was before the run; absent in records and in reports of earlier suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// What identifies the machine; absent unless the run was started with `--identify`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identification: Option<Identification>,
    /// The seed of every random choice in the run.
    pub seed: u64,
    /// Whether every role was a new process.
    pub fresh: bool,
    /// How many times in a row each case ran; fewer if a run disagreed with the first.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeat: NonZeroU32,
    /// The capabilities that `--require` names and the machine does not have. If there are any, the run fails
    /// regardless of its cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
    /// What selected the cases, in words; absent if nothing did, or in reports of earlier suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// How long each call took, in a golden record, which has no steps.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, Spread>,
    /// Whether a filter selected the cases, so that missing cases are no regression.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// The number of runs of a case without `--repeat`.
pub(crate) const ONCE: NonZeroU32 = NonZeroU32::MIN;

const fn once() -> NonZeroU32 {
    ONCE
}

fn is_once(repeat: &NonZeroU32) -> bool {
    *repeat == ONCE
}

impl Run {
    /// Whether this is a golden record, which contains neither the host nor checks of the harness.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.run == RECORD
    }

    /// Whether the processes of nextest wrote the report, which then has no end line. nextest names its runs by UUIDs; without
    /// it, the process id is the name.
    #[must_use]
    pub fn is_of_nextest(&self) -> bool {
        !self.run.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Returns the product names of the devices, each once.
    pub(crate) fn models(&self) -> BTreeSet<&str> {
        self.devices.iter().map(|device| device.name.as_str()).collect()
    }

    /// Returns the number and product name of the devices, such as `2 × NVIDIA H200`. Different products are joined
    /// with ` + `.
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

/// The suite that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suite {
    /// The version of the suite.
    pub version: String,
    /// The commit of the sources that the suite was built from, followed by `+` if files had been changed. A bundle names
    /// it. Otherwise it is that of the checkout when the run began, if cargo had just built the suite there. Null if not
    /// known, as for an executable that was started without cargo.
    pub commit: Option<String>,
}

impl Suite {
    /// Describes this suite. The commit comes from a file beside the executable in a bundle, else from git.
    #[must_use]
    pub fn this() -> Self {
        let bundled =
            std::env::current_exe().ok().and_then(|program| fs::read_to_string(program.with_file_name("COMMIT")).ok());
        let commit = bundled.map(|commit| commit.trim().to_owned()).or_else(|| {
            // Cargo sets it for the programs that it builds and starts. Any other may be older than the checkout.
            std::env::var_os("CARGO")?;
            commit_of_the_checkout()
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

/// Returns the commit of the checkout, followed by `+` if files are changed; `None` if git does not track the sources, as
/// those of an unpacked package.
#[must_use]
pub fn commit_of_the_checkout() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "HEAD"])?;
    let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if is_changed { commit + "+" } else { commit })
}

/// Returns the output of git for the checkout in which this suite was built, if the checkout still exists.
fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    let output = command.arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A case that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseReport {
    /// The name of the case, with parameters.
    pub id: String,
    /// The rows that the case checks.
    pub rows: Vec<String>,
    /// How the case ended.
    pub verdict: Verdict,
    /// Why the case did not pass; null if it passed.
    #[serde(default, deserialize_with = "crate::step::read_reason")]
    pub reason: Option<String>,
    /// How the case failed; absent if it did not fail, or in reports of earlier suites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The flags that reproduce the failure or the disclosure, besides the driver and the seed, such as `--script` and `17`;
    /// empty if none are needed, and in reports of earlier suites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// How often the case failed; absent if it ran only once, or if every run passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Runs>,
    /// The observations: the driver's behaviour in details that the documentation leaves open.
    pub observations: BTreeMap<String, Value>,
    /// The disclosures: what a process can access although it was never shared with it, and no documented rule forbids
    /// that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disclosures: Vec<String>,
    /// The Xid messages of NVIDIA's kernel module that came while the case ran; empty without `--identify`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub xids: Vec<String>,
    /// The steps of the case, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The duration of all its runs in milliseconds, without the time until its roles have started, and without the runs
    /// that counted how often it fails.
    pub duration_ms: f64,
}

/// How long a call took, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// Half of its steps took less.
    pub median: f64,
    /// A tenth of its steps took less.
    pub low: f64,
    /// A tenth of its steps took more.
    pub high: f64,
    /// The number of steps.
    pub count: usize,
}

impl Spread {
    /// Returns the spread of some times, which it sorts; `None` if there are none.
    pub(crate) fn of(times: &mut [f64]) -> Option<Self> {
        times.sort_by(f64::total_cmp);
        let at = |tenths: usize| times.get((times.len() * tenths / 10).min(times.len().checked_sub(1)?)).copied();
        Some(Self { median: at(5)?, low: at(1)?, high: at(9)?, count: times.len() })
    }
}

/// How often a case failed in several runs. A run that passed hides no failure: the verdict is that of the failed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Runs {
    /// The runs that failed, that ended worse than another run, or that disagreed with a first run that passed.
    pub failed: u32,
    /// All runs.
    pub of: u32,
}

impl Runs {
    /// Adds up the runs of two cases.
    pub(crate) fn sum(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let add = |one: Self, other: Self| Self {
            failed: one.failed.saturating_add(other.failed),
            of: one.of.saturating_add(other.of),
        };
        one.zip(other).map(|(one, other)| add(one, other)).or(one).or(other)
    }

    /// Whether the case also passed.
    #[must_use]
    pub const fn is_flaky(self) -> bool {
        self.failed < self.of
    }
}

/// Writes `1 of 3`.
impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.failed, self.of)
    }
}

impl CaseReport {
    /// Returns a report of a case with only its verdict and reason.
    pub(crate) fn of(case: &Case, verdict: Verdict, reason: Option<String>) -> Self {
        Self {
            id: case.id.clone(),
            rows: case.registered.rows.iter().map(|row| (*row).to_owned()).collect(),
            verdict,
            reason,
            failure: None,
            flags: Vec::new(),
            runs: None,
            observations: BTreeMap::new(),
            disclosures: Vec::new(),
            xids: Vec::new(),
            steps: Vec::new(),
            duration_ms: 0.0,
        }
    }

    /// Returns how the case failed; `None` if it did not fail. A report of an earlier suite says it only in the words of the
    /// reason, if at all.
    #[must_use]
    pub fn how_it_failed(&self) -> Option<Failure> {
        let of_verdict = Failure::of_verdict(self.verdict)?;
        // After an error of the harness nothing is known, however a process ended. The reason of a wrong result may quote how
        // a process ended in another run.
        let is_said = matches!(self.verdict, Verdict::Crash | Verdict::Timeout | Verdict::Leak | Verdict::Deviation);
        let reason = self.reason.as_deref().filter(|_| is_said);
        let in_words = || reason.and_then(Failure::in_words);
        Some(self.failure.clone().or_else(in_words).unwrap_or(of_verdict))
    }
}

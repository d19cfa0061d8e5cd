//! The suite's command line. Most flags are environment variables too, because nextest passes no arguments.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{Parser, ValueEnum, value_parser};

use super::nextest::under_nextest;
use crate::Verdict;
use crate::driver::Choice;
use crate::machine::{Fabric, Machine};
use crate::records;

/// The default of `--deadline`.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);

/// Replaces libtest's remark, which says that tests run in parallel.
const AFTER_HELP: &str = "\
Cases run one at a time, because they share the GPUs.

Exit codes:
  0    no case failed
  1    the run cannot start, or its report or its output cannot be written
  2    invalid flags
  101  a case failed, a process crashed or hung outside any case, a requirement is not met, or --budget was too short for
       any case
A run that signal N ended has the exit code 128 + N in a shell.";

/// Checks the inter-process memory of a CUDA driver against its documentation.
#[derive(Clone, Debug, Parser)]
#[command(name = "conformance-suite", after_help = AFTER_HELP)]
pub struct Options {
    /// The arguments of libtest: filters, --exact, --list, --skip, --ignored …
    #[command(flatten)]
    pub libtest: libtest_mimic::Arguments,

    /// More filters: a case runs if any of them selects it. A filter is a part of its name, a pattern of the whole name
    /// with `*` and `?`, a row or group of the catalogue (`IPCMEM-OPEN-002`, `IPCMEM-OPEN`), or `class=D`
    #[arg(value_name = "FILTER")]
    pub more: Vec<String>,

    /// Run only the cases that failed in this report, or did not end. If it is complete and has none, the run says so and
    /// ends with 0
    #[arg(long, value_name = "REPORT")]
    pub from: Option<PathBuf>,

    /// With --from, run the cases with these verdicts instead, such as `fail,crash`
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "from", value_parser = verdict)]
    pub verdict: Vec<Verdict>,

    /// How thorough the run is
    #[arg(long, env = "CONFORMANCE_LEVEL", value_enum, default_value_t = Level::Full)]
    pub level: Level,

    /// Start no case after this time, such as `60s` or `10m`; cases that check another documented rule come first. The run
    /// fails if no case can start
    #[arg(long, env = "CONFORMANCE_BUDGET", value_name = "TIME", value_parser = budget)]
    pub budget: Option<Duration>,

    /// Run the cases in random order, which the seed determines
    #[arg(long, env = "CONFORMANCE_SHUFFLE", value_parser = FalseyValueParser::new())]
    pub shuffle: bool,

    /// Use only these GPUs, such as `0,3`: their numbers among those that this process sees
    #[arg(long, env = "CONFORMANCE_GPUS", value_name = "LIST", value_delimiter = ',')]
    pub gpus: Vec<u32>,

    /// Go on where the run of this report ended, with the same filters and flags, such as --level, --budget and --repeat:
    /// its cases are not run again, and the new ones are added to it. A case that ended the run comes last, and if it ended
    /// two runs, it is a crash
    #[arg(long, value_name = "REPORT", conflicts_with = "report")]
    pub resume: Option<PathBuf>,

    /// Driver under test: auto, system, reference, or the path of a library
    #[arg(long, env = "CONFORMANCE_DRIVER", default_value = "auto", value_name = "DRIVER")]
    pub driver: Choice,

    /// Capabilities the machine must have, such as `gpus=2,peer_access`; the run fails if one is missing when it begins or
    /// while a case runs, or if no case is selected
    #[arg(long, env = "CONFORMANCE_REQUIRE", default_value = "", value_name = "LIST", hide_default_value = true)]
    pub require: Requirements,

    /// Run only the cases in this file: a name on each line, with or without parameters
    #[arg(long, env = "CONFORMANCE_CASES", value_name = "FILE")]
    pub cases: Option<PathBuf>,

    /// Fail also if a case differs from what other drivers were seen to do
    #[arg(long, env = "CONFORMANCE_STRICT", value_parser = FalseyValueParser::new())]
    pub strict: bool,

    /// Start a new process for every role instead of reusing warm ones
    #[arg(long, env = "CONFORMANCE_FRESH", value_parser = FalseyValueParser::new())]
    pub fresh: bool,

    /// Run each case this many times in a row; a case whose runs have different verdicts or observations fails, and the
    /// report says in how many runs
    #[arg(long, env = "CONFORMANCE_REPEAT", default_value = "1", value_name = "NUMBER", value_parser = times)]
    pub repeat: NonZeroU32,

    /// Run each case that fails this many times again, in new processes, to count how often it fails; 0 to run it once
    #[arg(long, env = "CONFORMANCE_RERUNS", default_value = "2", value_name = "NUMBER")]
    pub reruns: u32,

    /// Write a report in JSON Lines to this file
    #[arg(long, env = "CONFORMANCE_REPORT", value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Folder of golden records to compare with, without effect on the exit code [default: `records` beside this
    /// program, else the checkout's]
    #[arg(long, env = "CONFORMANCE_RECORDS", value_name = "DIR")]
    pub records: Option<PathBuf>,

    /// File of known driver bugs, besides the shipped list: `deviations.toml` beside this program, else the built-in one.
    /// For several files, repeat the flag or separate them with colons
    #[arg(long, env = "CONFORMANCE_DEVIATIONS", value_name = "FILE", value_delimiter = ':')]
    pub deviations: Vec<PathBuf>,

    /// Leave out the shipped list of known driver bugs
    #[arg(long, env = "CONFORMANCE_NO_SHIPPED_DEVIATIONS", value_parser = FalseyValueParser::new())]
    pub no_shipped_deviations: bool,

    /// Seed of every random choice [default: a new one for each run]
    #[arg(long, env = "CONFORMANCE_SEED", value_name = "NUMBER")]
    pub seed: Option<u64>,

    /// Let each model of the suite make random scripts for this many minutes, instead of a fixed number of scripts
    #[arg(long, env = "CONFORMANCE_SOAK", value_name = "MINUTES", value_parser = minutes)]
    pub soak: Option<Duration>,

    /// The number of random scripts of each model [default: 100, on a GPU 40]
    #[arg(long, env = "CONFORMANCE_SCRIPTS", value_name = "NUMBER", conflicts_with = "soak", value_parser = value_parser!(u32).range(1..))]
    pub scripts: Option<u32>,

    /// Run only the script with this number in each model, as a failure names it
    #[arg(long, env = "CONFORMANCE_SCRIPT", value_name = "NUMBER")]
    pub script: Option<u32>,

    /// Report the first script of a model that fails as it is, without looking for a shorter one
    #[arg(long, env = "CONFORMANCE_NO_SHRINK", value_parser = FalseyValueParser::new())]
    pub no_shrink: bool,

    /// Make the cases of `load::` as large as their full size: 64 processes, 10,000 handles, 100,000 opens and closes
    #[arg(long, env = "CONFORMANCE_LOAD", value_parser = FalseyValueParser::new())]
    pub load: bool,

    /// Seconds that one step of a role may take
    #[arg(long, env = "CONFORMANCE_DEADLINE", default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    pub deadline: Duration,

    /// Name the machine in the report: host, container image, and of each GPU its UUID, VBIOS and state of the fabric; and
    /// note the Xid messages of the kernel. CONFORMANCE_HOST and CONFORMANCE_IMAGE name the host and the image where the
    /// system does not, as in a pod. Without this, a report identifies no machine
    #[arg(long, env = "CONFORMANCE_IDENTIFY", value_parser = FalseyValueParser::new())]
    pub identify: bool,

    /// With --identify, the log in which the kernel's messages appear
    #[arg(long, env = "CONFORMANCE_KERNEL_LOG", default_value = "/dev/kmsg", value_name = "FILE")]
    pub kernel_log: PathBuf,

    /// Print as JSON what the driver reports and what each case lacks on this machine; run no case
    #[arg(long)]
    pub probe: bool,
}

impl Options {
    /// Resolves relative paths against the folder of the shell. `cargo test` starts this program in the folder of the
    /// package, where nobody would look for a report.
    pub(crate) fn relative_to_the_shell(mut self) -> Self {
        let is_in_the_package =
            || std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) == std::env::current_dir().ok();
        let shell = std::env::var_os("PWD").map(PathBuf::from).filter(|shell| shell.is_dir() && is_in_the_package());
        if let Some(shell) = shell {
            let driver = match &mut self.driver {
                // The loader looks for a name without a folder.
                Choice::Path(path) if path.components().count() > 1 => Some(path),
                _ => None,
            };
            let files = [&mut self.cases, &mut self.from, &mut self.report, &mut self.resume, &mut self.records];
            let lists = self.deviations.iter_mut().chain([&mut self.kernel_log]);
            for path in files.into_iter().flatten().chain(lists).chain(driver) {
                *path = shell.join(&*path);
            }
        }
        self
    }

    /// Returns the filters.
    pub(crate) fn filters(&self) -> Vec<&str> {
        self.libtest.filter.iter().chain(&self.more).map(String::as_str).collect()
    }

    /// Returns what selects a part of the cases, in words; `None` if all run. Under nextest, which selects one case per
    /// process, nothing does.
    #[must_use]
    pub fn selection(&self) -> Option<String> {
        if under_nextest().is_some() {
            return None;
        }
        // A path may name a user, and a file may be called like a host.
        let path = |flag: &str, path: &Option<PathBuf>, anonymous: &str| {
            let path = path.as_ref()?;
            let name = path.file_name().unwrap_or(path.as_os_str()).display();
            Some(if self.identify { format!("{flag} {name}") } else { format!("{flag} {anonymous}") })
        };
        let filters = self.filters();
        let filters = (!filters.is_empty()).then(|| format!("the filter {}", filters.join(" ")));
        let skip = (!self.libtest.skip.is_empty()).then(|| format!("--skip {}", self.libtest.skip.join(" --skip ")));
        let level = (self.level == Level::Quick).then(|| "--level quick".to_owned());
        let budget = self.budget.map(|budget| format!("--budget {}", humantime::format_duration(budget)));
        let ignored = self.libtest.ignored.then(|| "--ignored".to_owned());
        let bench = self.libtest.bench.then(|| "--bench".to_owned());
        let cases = path("--cases", &self.cases, "a file");
        let from = path("--from", &self.from, "a report");
        let parts = [filters, cases, from, skip, level, budget, ignored, bench];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" with "))
    }

    /// Returns how often each case runs.
    pub(crate) fn times(&self) -> NonZeroU32 {
        /// Often enough that a case which fails half the time is noticed in most runs.
        const EXTENDED: NonZeroU32 = NonZeroU32::new(3).unwrap();
        if self.level == Level::Extended { self.repeat.max(EXTENDED) } else { self.repeat }
    }

    /// Whether a case that ends with this verdict fails the run.
    pub(super) fn fails_on(&self, verdict: Verdict) -> bool {
        !verdict.is_good() || self.strict && verdict == Verdict::Differs
    }

    /// Returns the folder of the golden records.
    pub(super) fn records_folder(&self) -> PathBuf {
        self.records.clone().unwrap_or_else(records::folder)
    }

    /// Returns what is wrong with the flags, if anything is.
    pub(super) fn problem(&self) -> Option<String> {
        if self.libtest.test_threads == Some(0) {
            return Some("--test-threads 0: no case could run".to_owned());
        }
        // CUDA would see no GPU at all.
        let is_repeated = |place: &usize| self.gpus[..*place].contains(&self.gpus[*place]);
        let twice = (0..self.gpus.len()).find(is_repeated);
        twice.map(|place| format!("--gpus lists GPU {} twice", self.gpus[place]))
    }

    /// Returns the file of the report, new or resumed.
    #[must_use]
    pub fn report_file(&self) -> Option<&Path> {
        self.resume.as_deref().or(self.report.as_deref())
    }

    /// Whether a run that names what the machine must have ended without a case. A mistake in a filter must not make it
    /// green.
    #[must_use]
    pub const fn has_checked_nothing(&self, cases: usize) -> bool {
        cases == 0 && !self.require.is_empty() && !self.libtest.list
    }
}

fn budget(text: &str) -> Result<Duration, String> {
    let budget = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if budget.is_zero() {
        // The driver starts within it.
        return Err(format!("a budget of {text} lets no case start: the smallest useful one is about 1s"));
    }
    Ok(budget)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if seconds > 0.0 && seconds.is_finite() {
        Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
    } else {
        Err(format!("a deadline of {text} seconds is invalid: it must be positive and finite"))
    }
}

fn verdict(text: &str) -> Result<Verdict, String> {
    let found = Verdict::ALL.into_iter().find(|verdict| verdict.word() == text);
    let words = || Verdict::ALL.map(Verdict::word).join(", ");
    found.ok_or_else(|| format!("unknown verdict `{text}`; expected one of {}", words()))
}

/// How thorough a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// For each documented rule, a case that costs least: about 10 seconds
    Quick,
    /// Every case
    #[default]
    Full,
    /// Every case, at least three times in a row
    Extended,
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of minutes, such as 30 or 0.5"))?;
    if minutes > 0.0 && minutes.is_finite() {
        Duration::try_from_secs_f64(minutes * 60.0).map_err(|error| error.to_string())
    } else {
        Err(format!("{text} minutes are invalid: the number must be positive and finite"))
    }
}

fn times(text: &str) -> Result<NonZeroU32, String> {
    let number: u32 = text.parse().map_err(|_| format!("`{text}` is not a number of runs"))?;
    NonZeroU32::new(number).ok_or_else(|| "a case must run at least once".to_owned())
}

/// The capabilities that `--require` lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    list: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    Gpus(usize),
    InterprocessEvents,
    LegacyMemory,
    PeerAccess,
    ManagedMemory,
    MemoryPools,
    VirtualMemory,
    MemoryDescriptors,
    FabricChannel,
    Runtime,
}

/// The requirements without a number, by name.
const NAMED: [(&str, Requirement); 9] = [
    ("interprocess_events", Requirement::InterprocessEvents),
    ("legacy_memory", Requirement::LegacyMemory),
    ("peer_access", Requirement::PeerAccess),
    ("managed_memory", Requirement::ManagedMemory),
    ("memory_pools", Requirement::MemoryPools),
    ("virtual_memory", Requirement::VirtualMemory),
    ("memory_descriptors", Requirement::MemoryDescriptors),
    ("fabric_channel", Requirement::FabricChannel),
    ("runtime", Requirement::Runtime),
];

impl FromStr for Requirements {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let list = words.map(|word| match word.split_once('=') {
            Some(("gpus", count)) => {
                count.parse().map(Requirement::Gpus).map_err(|_| format!("`{count}` in `{word}` is not a number"))
            }
            _ => {
                NAMED.into_iter().find(|(name, _)| *name == word).map(|(_, requirement)| requirement).ok_or_else(|| {
                    let names = NAMED.map(|(name, _)| name).join(", ");
                    format!("unknown requirement `{word}`; expected one of gpus=N, {names}")
                })
            }
        });
        Ok(Self { list: list.collect::<Result<_, _>>()? })
    }
}

impl Requirements {
    /// Whether no capability is required.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the requirements that the machine does not meet, in words.
    #[must_use]
    pub fn unmet(&self, machine: &Machine) -> Vec<String> {
        self.list.iter().filter_map(|requirement| requirement.unmet(machine)).collect()
    }
}

impl Requirement {
    fn unmet(&self, machine: &Machine) -> Option<String> {
        let found = machine.devices.len();
        let every = |has: fn(&crate::machine::Device) -> bool| found > 0 && machine.devices.iter().all(has);
        let (met, text) = match self {
            Self::Gpus(count) => (found >= *count, format!("gpus={count}, found {found}")),
            Self::PeerAccess => {
                let peers =
                    (0..found).all(|row| (0..found).all(|column| row == column || machine.peer_access[row][column]));
                (found >= 2 && peers, "peer_access: not every pair of GPUs has it".to_owned())
            }
            Self::InterprocessEvents => (every(|device| device.ipc), "interprocess_events".to_owned()),
            Self::LegacyMemory => (every(|device| device.legacy_memory), "legacy_memory".to_owned()),
            Self::ManagedMemory => (every(|device| device.managed_memory), "managed_memory".to_owned()),
            Self::MemoryPools => (every(|device| device.memory_pools), "memory_pools".to_owned()),
            Self::Runtime => {
                let problem = machine.runtime_problem.clone();
                let is_met = found > 0 && problem.is_none();
                (is_met, format!("runtime: {}", problem.unwrap_or_else(|| "there is no GPU".to_owned())))
            }
            Self::VirtualMemory => (every(|device| device.virtual_memory), "virtual_memory".to_owned()),
            Self::MemoryDescriptors => (every(|device| device.memory_descriptors), "memory_descriptors".to_owned()),
            Self::FabricChannel => (
                every(|device| device.fabric == Fabric::Channel),
                "fabric_channel: not every GPU can create memory with a fabric handle".to_owned(),
            ),
        };
        (!met).then_some(text)
    }
}

//! What a fleet contains.

use std::path::PathBuf;

use serde::Serialize;

use crate::Defect;
use crate::report::Runs;

/// What many reports say together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fleet {
    /// Disclosures, Xid messages, and processes that crashed or hung outside any case. Those that are outliers come first,
    /// the rarest of them before the others.
    pub incidents: Vec<Incident>,
    /// The rules that a release of a driver broke: they still break with the newest release, and held with an earlier one,
    /// or broke only as a list says, in a milder way or in fewer of the reports.
    pub regressions: Vec<Regression>,
    /// What only few of otherwise equal machines do, the rarest first, and broken rules before others.
    pub outliers: Vec<Outlier>,
    /// The rules that are checked, sorted by name.
    pub rules: Vec<Rule>,
    /// The number of rules that hold wherever they are checked.
    pub held: usize,
    /// The drivers, sorted by name and release.
    pub drivers: Vec<String>,
    /// The reports that could be read, sorted by path.
    pub reports: Vec<Member>,
    /// The files that could not be read.
    pub unreadable: Vec<Unread>,
}

/// A report of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Member {
    /// The name of the host, if the report identifies it and is compared; else the path of the report within the folder.
    pub name: String,
    /// The name of the host, if the report identifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Whether the report is compared with those of its peers: it names no host, or it is the newest of its host and
    /// driver. That of a run of a part of the suite is compared only if the host has no whole one, and a report that broke
    /// off, lost lines or has no case only if the host has no other. The reports that are not compared count in what each
    /// rule does on each driver.
    pub is_compared: bool,
    /// Whether it says what the machine does now: it names no host, or it is the newest of its host, with whatever driver. A
    /// whole report comes before others.
    pub is_current: bool,
    /// The path of the report.
    pub path: PathBuf,
    /// The index of the driver in the list of drivers.
    pub driver: usize,
    /// The number and product name of the devices, such as `8 × NVIDIA H200`.
    pub gpus: String,
    /// Whether the report says that the run is complete, and has all cases that its last line counts.
    pub is_complete: bool,
    /// Whether it is the newest report of its host and has no end, because the run broke off or still goes on.
    pub is_unfinished: bool,
    /// The number of cases that the last line counts and the report lacks: their lines were lost.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub lost: usize,
    /// The number of cases that appear more than once; the worst result of each counts.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub repeated: usize,
    /// The number of cases in which the harness failed, so nothing is known of their rules.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub errors: usize,
    /// A case that had started but not ended when the report ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// The number of rules that were checked.
    pub checked: usize,
    /// The number of rules that the usual report with this driver and this kind of GPU checks, if this one checks fewer
    /// than nine tenths of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks_less_than: Option<usize>,
    /// What `--require` asked for and the machine did not have.
    pub unmet: Vec<String>,
    /// The number of rules that broke.
    pub broken: usize,
    /// The number of outliers that name this report.
    pub outliers: usize,
}

const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A disclosure, an Xid message, or a process that crashed or hung outside any case, and the machines that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Incident {
    /// Which of the three it is.
    pub kind: IncidentKind,
    /// What a process can access, the message, or how the process ended, in the first report that has it. Addresses and
    /// numbers in it may differ in the other reports, and of an Xid message only its number is compared.
    pub what: String,
    /// The first case that showed it; null for a process, which belongs to no case.
    pub case: Option<String>,
    /// The driver of all these machines, as an index in the list of drivers.
    pub driver: usize,
    /// The devices of all these machines.
    pub gpus: String,
    /// The number of compared reports with this driver and these devices; of a past incident, of all reports.
    pub peers: usize,
    /// The indices of the reports that have it.
    pub reports: Vec<usize>,
    /// Whether it is an outlier: at most a third of the peers have it, or one of only two. A process always is, because its
    /// run failed.
    pub is_rare: bool,
    /// Whether no compared report has it, only earlier or incomplete reports.
    pub is_past: bool,
}

/// The kind of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum IncidentKind {
    /// A process can access memory that was never shared with it, and no documented rule forbids that.
    Disclosure,
    /// NVIDIA's kernel module wrote a message with an Xid while a case ran.
    Xid,
    /// A process crashed or hung outside any case, so its run failed.
    Process,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unread {
    /// The path of the file or folder.
    pub path: PathBuf,
    /// Why it could not be read.
    pub why: String,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rule {
    /// The row of the catalogue.
    pub row: String,
    /// What it does on each driver, in the order of the drivers.
    pub by_driver: Vec<Cell>,
    /// The indices of the reports in which it breaks.
    pub broken_in: Vec<usize>,
    /// The indices of those in which only listed deviations break it.
    pub listed_in: Vec<usize>,
}

/// A rule on one driver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// The number of reports that check the rule.
    pub checked: usize,
    /// The number of reports in which it breaks, listed deviations included.
    pub broken: usize,
    /// The number of reports in which only listed deviations break it.
    pub listed: usize,
    /// How it breaks, the most frequent way first; at most three ways.
    pub causes: Vec<Way>,
}

/// A way in which a rule breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Way {
    /// The kind of the defect.
    pub kind: Defect,
    /// What went wrong, in words.
    pub what: String,
    /// The number of reports.
    pub reports: usize,
    /// How often its cases failed in these reports, added up over those that ran several times; null if none did.
    pub runs: Option<Runs>,
}

/// A rule that a release of a driver broke, or broke in a worse way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Regression {
    /// The row of the catalogue.
    pub row: String,
    /// The release, as an index in the list of drivers. With it and all later ones that check the rule, it breaks in more
    /// than a third of the compared reports.
    pub driver: usize,
    /// The release before.
    pub before: usize,
    /// What the rule does with that release.
    pub was: Before,
    /// Whether the release is the newest of its driver and of these devices.
    pub is_newest: bool,
    /// The product name of the devices.
    pub product: String,
    /// The number of compared reports with the release and these devices that check the rule.
    pub checked: usize,
    /// The number of those in which it breaks.
    pub broken: usize,
    /// How it breaks, the most frequent way first; at most three ways.
    pub causes: Vec<Way>,
}

/// What a rule does with the release before the one that broke it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Before {
    /// It holds.
    Held,
    /// Only listed deviations break it.
    Listed,
    /// It breaks too, but with a defect of a less severe kind.
    Milder,
    /// It breaks this badly too, but in a share of the reports that is at least 50 percentage points smaller.
    Fewer,
}

/// What few of otherwise equal machines do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outlier {
    /// The row of the catalogue.
    pub row: String,
    /// Whether the rule breaks in these reports, and holds in most others or breaks there in a milder way.
    pub is_broken: bool,
    /// The driver of all these machines, as an index in the list of drivers.
    pub driver: usize,
    /// The devices of all these machines.
    pub gpus: String,
    /// The number of compared reports with this driver and these devices that check the rule.
    pub checked: usize,
    /// The indices of the reports that are different.
    pub reports: Vec<usize>,
    /// For each of these reports, how many reports of its host and driver check the rule.
    pub nights: Vec<usize>,
    /// How the rule breaks, the most frequent way first; empty unless it breaks.
    pub causes: Vec<Way>,
    /// How the rule breaks in other reports, if that is why these are worse; else empty.
    pub usual: Vec<Way>,
}

impl Fleet {
    /// Returns the driver of a report or an outlier.
    #[must_use]
    pub fn driver(&self, index: usize) -> &str {
        self.drivers.get(index).map_or("", String::as_str)
    }

    /// Returns the current reports in which a rule breaks. Those of which a list knows are among them if asked for.
    pub fn broken_now<'a>(&'a self, rule: &'a Rule, with_listed: bool) -> impl Iterator<Item = usize> {
        let is_shown = move |index: &usize| {
            let is_current = self.reports.get(*index).is_some_and(|report| report.is_current);
            is_current && (with_listed || rule.listed_in.binary_search(index).is_err())
        };
        rule.broken_in.iter().copied().filter(is_shown)
    }

    /// Returns the rule of a row, if a report checks it.
    #[must_use]
    pub fn rule(&self, row: &str) -> Option<&Rule> {
        self.rules.binary_search_by(|rule| rule.row.as_str().cmp(row)).ok().and_then(|place| self.rules.get(place))
    }
}

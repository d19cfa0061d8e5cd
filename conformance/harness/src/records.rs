//! Golden records: the behaviour of a driver on a GPU product, as an earlier run observed it. A run is compared with
//! the nearest record.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::diff::noise::{quiet, without_addresses};
use crate::diff::{Diff, Setting, Severity, of_calls, recorded_calls};
use crate::identity::{Identity, Kind, release};
use crate::report::{CaseReport, RECORD, Report, Run};

/// Converts a report into a record. A record is sorted and omits what differs between machines or between runs of the
/// same driver: steps, paths, UUIDs of devices, the host and addresses.
///
/// It also omits cases without rows, which say nothing about a driver.
#[must_use]
pub fn record(mut report: Report) -> Report {
    let run = &mut report.run;
    run.format = crate::report::FORMAT;
    run.run = RECORD.to_owned();
    run.unmet = Vec::new();
    if let Some(environment) = &mut run.environment {
        environment.host = None;
        environment.mps = environment.mps.as_deref().map(file_name);
    }
    run.driver.path = file_name(&run.driver.path);
    run.identification = None;
    run.load = None;
    for device in &mut run.devices {
        device.uuid = String::new();
    }
    report.cases.retain(|case| !case.rows.is_empty());
    let calls = of_calls(&report.cases);
    // A record has no steps any more.
    if !calls.is_empty() {
        report.run.calls = calls;
    }
    report.cases.iter_mut().for_each(normalise);
    report.cases.sort_by(|one, other| one.id.cmp(&other.id));
    (report.running, report.bad_ends) = (Vec::new(), Vec::new());
    report.is_complete = true;
    report
}

fn normalise(case: &mut CaseReport) {
    case.steps = Vec::new();
    case.xids = Vec::new();
    case.flags = Vec::new();
    case.reason = case.reason.as_deref().map(without_addresses);
    case.observations.values_mut().for_each(|value| *value = quiet(value));
    case.disclosures.iter_mut().for_each(|text| *text = without_addresses(text));
    // One significant digit, so that a record does not change with the noise of each run.
    let digit = 10_f64.powf(case.duration_ms.max(1.0).log10().floor());
    case.duration_ms = (case.duration_ms / digit).round() * digit;
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Returns the file name of a run's record, such as `nvidia-580.159.04-h200-x2.jsonl`.
#[must_use]
pub fn name(run: &Run) -> String {
    let Identity { name, version, .. } = &run.driver;
    let count = match run.devices.len() {
        0 | 1 => String::new(),
        count => format!("-x{count}"),
    };
    format!("{}-{}-{}{count}.jsonl", slug(name), slug(version), slug(gpu(run).trim_start_matches("NVIDIA ")))
}

/// Returns the product name of the first device.
fn gpu(run: &Run) -> &str {
    run.devices.first().map_or("no device", |device| &device.name)
}

/// Converts text to lower case and replaces everything except letters, digits and dots with hyphens.
fn slug(text: &str) -> String {
    let is_kept = |c: &char| c.is_ascii_alphanumeric() || *c == '.';
    text.chars().map(|c| if is_kept(&c) { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// Returns the default folder of records: `records` beside the executable, as in a bundle, else that of the checkout.
#[must_use]
pub fn folder() -> PathBuf {
    let program = std::env::current_exe().ok();
    let beside = program.map(|program| program.with_file_name("records")).filter(|folder| folder.is_dir());
    beside.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("records"))
}

/// The records in a folder.
#[derive(Debug, Default)]
pub struct Records {
    /// The records and their files, sorted by file name.
    pub records: Vec<(PathBuf, Report)>,
    /// Why files or the folder cannot be used. Each warning names the path.
    pub warnings: Vec<String>,
}

impl Records {
    /// Reads every record in a folder. A file that cannot be read becomes a warning.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        let mut records = Self::default();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                records.warnings.push(format!("cannot read the records in {}: {error}", folder.display()));
                return records;
            }
        };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json"));
        paths.sort();
        for path in paths {
            match Report::read_outline(&path) {
                Ok(report) => records.records.push((path, report)),
                Err(error) => records.warnings.push(format!("ignored a record: {error}")),
            }
        }
        records
    }

    /// Returns the record to compare a run with.
    #[must_use]
    pub fn nearest(&self, run: &Run) -> Option<(Nearness, &Path, &Report)> {
        let candidates = self.records.iter().filter_map(|(path, record)| {
            let distance = Distance::between(&record.run, run)?;
            Some((distance, path, record))
        });
        let (distance, path, record) = candidates.min_by(|(one, ..), (other, ..)| one.cmp(other))?;
        Some((distance.nearness, path, record))
    }

    /// Returns the other records that are as near to a run as the chosen one. That one is only newer, or the first by name.
    fn equally_near(&self, run: &Run, chosen: &Path) -> Vec<PathBuf> {
        let distances =
            self.records.iter().filter_map(|(path, record)| Some((path, Distance::between(&record.run, run)?)));
        let distances: Vec<_> = distances.collect();
        let Some((_, nearest)) = distances.iter().find(|(path, _)| *path == chosen) else { return Vec::new() };
        let is_as_near = |other: &Distance| {
            let of = |distance: &Distance| (distance.nearness, distance.versions.clone(), distance.devices);
            of(other) == of(nearest)
        };
        distances
            .iter()
            .filter(|(path, distance)| *path != chosen && is_as_near(distance))
            .map(|(path, _)| (*path).clone())
            .collect()
    }
}

/// How similar a record's driver and GPUs are to those of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Nearness {
    /// The same driver version on the same number of the same GPU.
    Same,
    /// The same GPU and driver, but a different driver version or number of GPUs.
    SameGpu,
    /// The same driver version on a different GPU.
    SameDriver,
}

impl Nearness {
    /// Returns a description for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Same => "same driver, same GPUs",
            Self::SameGpu => "the nearest of this GPU",
            Self::SameDriver => "the same driver on another GPU",
        }
    }
}

/// The order of records for a run: by nearness, then by the difference between the driver versions, then by the
/// difference between the numbers of devices.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    nearness: Nearness,
    versions: Vec<u32>,
    devices: usize,
    /// The newer of two equally near records comes first.
    newer: Reverse<Vec<u32>>,
}

impl Distance {
    fn between(record: &Run, run: &Run) -> Option<Self> {
        let (recorded, under_test) = (release(&record.driver.version), release(&run.driver.version));
        let is_whose = record.driver.name == run.driver.name;
        let is_driver = is_whose && record.driver.version == run.driver.version;
        let is_gpu = !run.devices.is_empty() && gpu(record) == gpu(run);
        let nearness = match (is_driver, is_gpu) {
            (true, true) if record.devices.len() == run.devices.len() => Nearness::Same,
            (_, true) if is_whose => Nearness::SameGpu,
            (true, false) => Nearness::SameDriver,
            _ => return None,
        };
        let places = 0..recorded.len().max(under_test.len());
        let at = |release: &[u32], place: usize| release.get(place).copied().unwrap_or_default();
        let versions = places.map(|place| at(&recorded, place).abs_diff(at(&under_test, place))).collect();
        let devices = record.devices.len().abs_diff(run.devices.len());
        Some(Self { nearness, versions, devices, newer: Reverse(recorded) })
    }
}

/// A comparison of two reports. If the old one is a record that was selected for the new one, it is named.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The record that was selected; absent if the user named both reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Chosen>,
    /// The changes.
    #[serde(flatten)]
    pub diff: Diff,
}

/// The record that a run was compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chosen {
    /// The file of the record.
    pub path: PathBuf,
    /// How similar the record's driver and GPUs are to those of the run.
    pub nearness: Nearness,
    /// Other records that are as near to the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equally_near: Vec<PathBuf>,
    /// The number of cases of the run that are not in the record.
    pub new: usize,
    /// The number of cases of the record that the run did not start.
    pub not_run: usize,
}

/// Returns the JSON Schema of [`Comparison`].
#[must_use]
#[cfg(feature = "schema")]
pub fn schema() -> Value {
    schemars::schema_for!(Comparison).to_value()
}

impl Records {
    /// Compares a run with the nearest record. Returns `None` if no record is near.
    #[must_use]
    pub fn compare(&self, run: &Report) -> Option<Comparison> {
        let (nearness, path, record) = self.nearest(&run.run)?;
        let unknown = run.cases.iter().filter(|case| !case.rows.is_empty() && record.case(&case.id).is_none());
        let not_run = record.cases.iter().filter(|case| !began(run, &case.id));
        let chosen = Chosen {
            path: path.to_owned(),
            nearness,
            equally_near: self.equally_near(&run.run, path),
            new: unknown.count(),
            not_run: not_run.count(),
        };
        Some(Comparison { record: Some(chosen), diff: compare(record, run) })
    }
}

/// Whether a run started a case.
fn began(run: &Report, id: &str) -> bool {
    run.case(id).is_some() || run.running.iter().any(|running| running == id)
}

/// Compares the cases that are in both a run and a record. Cases that the run did not start are ignored, because a run
/// may select a part of the cases. The durations of cases are ignored, because a record contains them only rounded. Those
/// of calls are compared if the run has the steps of all cases of the record.
#[must_use]
pub fn compare(record: &Report, run: &Report) -> Diff {
    let mut old =
        Report { cases: record.cases.iter().filter(|case| began(run, &case.id)).cloned().collect(), ..record.clone() };
    old.run.calls = recorded_calls(record, run);
    let mut new = run.clone();
    new.cases.retain(|case| record.case(&case.id).is_some());
    let mut diff = Diff::of(&old, &new);
    diff.retain(|change| change.severity != Severity::Time);
    diff
}

impl Comparison {
    /// Returns a line that names the record, its nearness and the number of changes, or `None` if the user named both
    /// reports.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let Chosen { path, nearness, new, equally_near, .. } = self.record.as_ref()?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let how_near = match nearness {
            Nearness::Same => nearness.words().to_owned(),
            _ => format!("{}: {}", nearness.words(), self.diff.old.title),
        };
        let count = self.diff.changes.len();
        let mut title = format!("record: {file} ({how_near}): {count} of {} cases changed", count + self.diff.same);
        if *new > 0 {
            title += &format!(", {new} are not in the record");
        }
        if let Some(other) = equally_near.first() {
            let names: Vec<_> = equally_near
                .iter()
                .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect();
            let (are, which) = if names.len() == 1 { ("is", "it") } else { ("are", "the first") };
            title += &format!(
                "; {} {are} equally near: `conformance diff {} REPORT` compares with {which}",
                names.join(" and "),
                other.display()
            );
        }
        Some(title)
    }

    /// Returns the flag of `conformance diff` that names the folder of the record, or nothing if it is the default
    /// folder.
    fn flag(&self) -> String {
        let parent = self.record.as_ref().and_then(|record| record.path.parent());
        parent
            .filter(|parent| **parent != folder())
            .map_or_else(String::new, |parent| format!(" --records {}", parent.display()))
    }

    /// Returns the differences in the environment. Those of driver and GPUs are in the title.
    fn environment(&self) -> impl Iterator<Item = &Setting> {
        self.diff.environment.iter().filter(|setting| setting.name.starts_with("environment."))
    }
}

/// Returns the lines at the end of a run: the record, its nearness and the changes.
#[must_use]
pub fn verdict(records: &Records, run: &Report) -> Vec<String> {
    const SHOWN: usize = 5;
    let mut lines: Vec<_> = records.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    let Some(comparison) = records.compare(run) else {
        lines.push(format!("record: not compared: {}", none_near(run)));
        return lines;
    };
    lines.extend(comparison.title());
    lines.extend(
        comparison
            .environment()
            .map(|setting| format!("  {}: {} -> {}", setting.name, plain(&setting.old), plain(&setting.new))),
    );
    let changes = &comparison.diff.changes;
    lines.extend(changes.iter().take(SHOWN).map(|change| format!("  {}: {}", change.severity.word(), change.id)));
    if changes.len() > SHOWN {
        lines.push(format!("  and {} more: conformance diff{} REPORT", changes.len() - SHOWN, comparison.flag()));
    }
    lines
}

fn plain(value: &Option<Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Says why no record is near a run.
#[must_use]
pub fn none_near(run: &Report) -> String {
    match run.run.driver.kind {
        Kind::Reference => "records exist only for real GPUs".to_owned(),
        _ => format!(
            "no earlier run of this driver or this GPU ({}); keep this one with `conformance record update REPORT`",
            run.run
        ),
    }
}

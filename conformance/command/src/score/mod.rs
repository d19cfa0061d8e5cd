//! `conformance score`: whether the suite notices a broken driver.
//!
//! Each declared fault is run against the cases of the rows that it violates. It is a fault of the reference driver, or
//! one that the interposer adds to another driver. A fault that none of these cases notices is a hole in the suite.

mod environment;
mod models;
mod run;
mod sample;
mod target;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conformance::Verdict;
use conformance::catalogue;
use conformance::driver::Choice;
use fault::{Fault, Machine};
use serde::Serialize;

use crate::output::{Failure, print, remark};
use crate::suite::Suite;
use models::Listed;
use run::Runner;
use sample::is_sample;
use target::Target;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Only the faults with one of these texts in their name, or of these rows
    faults: Vec<String>,

    /// The driver that has the faults: reference, system, or the path of a library
    #[arg(long, default_value = "reference", value_name = "DRIVER")]
    driver: Choice,

    /// Only a sample of the faults, about every fourth; a run ends at the first case that notices its fault
    #[arg(long)]
    sample: bool,

    /// Print the faults and their rows, and run nothing
    #[arg(long)]
    list: bool,

    /// Suites that run at the same time [default: the number of processors; with `--driver system` or a path, at most
    /// 4]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,

    /// A file with the names of the faults that may survive: another survivor is an error, and so is one that is killed
    #[arg(long, value_name = "FILE")]
    survivors: Option<PathBuf>,

    /// Measure the models instead of the cases
    #[arg(long, conflicts_with = "survivors")]
    models: bool,

    /// With --models, a file with the names of the faults that they find: run a sample of these, about every eighth,
    /// and fail if one is missed
    #[arg(long, value_name = "FILE", requires = "models")]
    found: Option<PathBuf>,

    /// With --found, run every fault that the file lists
    #[arg(long, requires = "found")]
    all: bool,

    /// With --found, run all faults and write the file
    #[arg(long, requires = "found")]
    write: bool,

    /// With --found, print the table of the file, and run nothing
    #[arg(long, requires = "found", conflicts_with_all = ["write", "all"])]
    table: bool,

    /// The output format of the score and of --list; --models and --table always print text
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
A fault is killed if a case of a row that it violates ends as fail, differs, leak, timeout or crash. A fault that only
other cases notice survives: the case of its row proves less than it claims.

The reference driver has faults of its own. On the system's driver or on a library, another library sits between the
suite and the driver and alters one result; only a case that passed without the fault can notice it. Such a run needs a
GPU, and ends for each fault at the first case that notices it.

The score is that of the default suite and driver: no CONFORMANCE_ or REFERENCE_DRIVER_ variable may be set, except
CONFORMANCE_SUITE and CONFORMANCE_RECORDS.

With --models, a fault runs with the model of its first row, if there is one.

Examples:
  cargo conformance score
  cargo conformance score IPCMEM-OPEN
  cargo conformance score --driver system
  cargo conformance score --models IPCMEM
  cargo conformance score --models --found conformance/found-by-models.txt --all
  REFERENCE_DRIVER_FAULT=close-ignores-the-count cargo test -p conformance -- ipcmem::close

Exit codes: 0 every fault is killed, or the survivors are those of --survivors; 1 another fault survived, or one of
--survivors was killed; 2 the driver without a fault is not clean, or nothing could run. With --models: 0 each model
finds at least 60 % of its faults, and with --found no fault of the file was missed; 1 otherwise; 2 as above";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}

/// What became of one fault.
#[derive(Debug, Serialize)]
struct Outcome {
    name: &'static str,
    rows: &'static [&'static str],
    summary: &'static str,
    file: &'static str,
    /// The CUDA version that the driver served, if it was not the default.
    version: Option<&'static str>,
    /// The number of devices, if it was not the default.
    devices: Option<usize>,
    end: End,
    /// The cases of its rows that noticed it: all of them, or the first one if the run ends there.
    killers: Vec<String>,
    /// The cases of other rows that noticed it. They run only on the reference driver, and only if no case of its rows
    /// noticed it.
    foreign: Vec<String>,
}

/// How a fault ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum End {
    /// A case of its rows noticed it.
    Killed,
    /// Only other cases noticed it.
    KilledByOthers,
    /// No case noticed it.
    Survived,
    /// No case of its rows passed without the fault.
    Untested,
}

/// The score of the suite.
#[derive(Debug, Serialize)]
struct Score {
    faults: Vec<Outcome>,
    /// Cases of the violated rows that noticed no fault and recorded nothing.
    idle: Vec<String>,
    /// Documented rows that no fault violates.
    rows_without_a_fault: Vec<String>,
}

/// Returns the faults for `--list --format json`, with the names that the score has for the same values.
fn json(faults: &[&Fault]) -> serde_json::Value {
    let json = |fault: &&Fault| {
        serde_json::json!({
            "name": fault.name,
            "rows": fault.rows,
            "summary": fault.summary,
            "version": fault.machine.version,
            "devices": fault.machine.devices,
        })
    };
    serde_json::json!({ "faults": faults.iter().map(json).collect::<Vec<_>>() })
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let target = Target::new(&arguments.driver)?;
    let declared = target.faults();
    let mut faults = chosen(declared.clone(), &arguments.faults)?;
    faults.retain(|fault| !arguments.sample || is_sample(fault.name));
    if arguments.list {
        return print(&match arguments.format {
            Format::Text => text::list(&faults),
            Format::Json => format!("{:#}\n", json(&faults)),
        });
    }
    let known = match &arguments.survivors {
        Some(file) => known_survivors(file, &declared)?,
        None => BTreeSet::new(),
    };
    if let Some(file) = arguments.found.as_deref().filter(|_| arguments.table) {
        return models::print_table(&faults, file);
    }
    environment::check(&arguments.driver)?;
    let runner = Runner::new(Suite::find()?, target, arguments.jobs, arguments.sample)?;
    if arguments.models {
        let listed = match (arguments.found.as_deref(), arguments.write, arguments.all) {
            (None, ..) => Listed::Nothing,
            (Some(file), true, _) => Listed::Written(file),
            (Some(file), false, true) => Listed::All(file),
            (Some(file), false, false) => Listed::Sample(file),
        };
        return models::run(&runner, &faults, listed);
    }
    let score = score(&runner, &faults, &known)?;
    let is_unexpected = |fault: &&Outcome| (fault.end == End::Killed) == known.contains(fault.name);
    let unexpected: Vec<_> = score.faults.iter().filter(is_unexpected).collect();
    print(&match arguments.format {
        Format::Text => text::text(&score),
        Format::Json => format!("{:#}\n", serde_json::json!(score)),
    })?;
    for fault in &unexpected {
        match fault.end {
            End::Killed => remark(format_args!("{} is killed: take it off the list of survivors", fault.name)),
            _ if arguments.survivors.is_some() => remark(format_args!("{} survives, and is not listed", fault.name)),
            _ => {}
        }
    }
    Ok(ExitCode::from(u8::from(!unexpected.is_empty())))
}

/// The names in a file, one on each line. What follows `#` is a comment.
fn known_survivors(file: &Path, declared: &[&Fault]) -> Result<BTreeSet<String>, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format_args!("cannot read {}: {error}", file.display())))?;
    let names = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: BTreeSet<_> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    match names.iter().find(|name| !declared.iter().any(|fault| fault.name == **name)) {
        Some(name) => Err(Failure::new(format_args!("{}: no fault is called {name}", file.display()))),
        None => Ok(names),
    }
}

/// The declared faults that the arguments select: all of them without arguments.
fn chosen(mut faults: Vec<&'static Fault>, names: &[String]) -> Result<Vec<&'static Fault>, Failure> {
    if let Some(pair) = faults.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(Failure::new(format_args!("two faults are called {}", pair[0].name)));
    }
    let is_chosen = |fault: &&Fault, name: &String| {
        fault.name.contains(name.as_str()) || fault.rows.iter().any(|row| row.starts_with(name.as_str()))
    };
    let is_unknown = |name: &&String| name.is_empty() || !faults.iter().any(|fault| is_chosen(fault, name));
    if let Some(name) = names.iter().find(is_unknown) {
        return Err(Failure::new(format_args!("no fault is called `{name}` or violates a row of that name")));
    }
    faults.retain(|fault| names.is_empty() || names.iter().any(|name| is_chosen(fault, name)));
    Ok(faults)
}

/// Runs the suite with each fault. Of known survivors, only the cases of their rows run.
fn score(runner: &Runner, faults: &[&'static Fault], known: &BTreeSet<String>) -> Result<Score, Failure> {
    let rows = catalogue::rows().map_err(Failure::new)?;
    if let Some((fault, row)) =
        faults.iter().find_map(|fault| Some((fault, fault.rows.iter().find(|row| !rows.contains_key(**row))?)))
    {
        return Err(Failure::new(format_args!("the fault {} violates the unknown row {row}", fault.name)));
    }
    let claiming = |fault: &Fault| -> BTreeSet<String> {
        fault.rows.iter().flat_map(|row| rows[*row].cases.iter().cloned()).collect()
    };
    // The driver without a fault, as each machine that a fault needs.
    let mut clean = BTreeMap::new();
    for machine in faults.iter().map(|fault| fault.machine).collect::<BTreeSet<_>>() {
        let cases = faults.iter().filter(|fault| fault.machine == machine).flat_map(|fault| claiming(fault)).collect();
        clean.insert(machine, runner.baseline(machine, &cases)?);
    }
    let outcomes = runner.each(faults, |fault| -> Result<Outcome, Failure> {
        let (cases, clean) = (claiming(fault), &clean[&fault.machine]);
        let is_testable = clean.iter().any(|(id, case)| {
            case.verdict == Verdict::Pass && cases.contains(id.split('/').next().unwrap_or_default())
        });
        let noticed = if cases.is_empty() { Vec::new() } else { runner.noticed(fault, Some(&cases), clean)? };
        // On a real driver, all cases take too long.
        let asks_others = noticed.is_empty() && is_testable && runner.is_cheap() && !known.contains(fault.name);
        let foreign = if asks_others { runner.noticed(fault, None, clean)? } else { Vec::new() };
        let end = match (noticed.is_empty(), foreign.is_empty()) {
            (false, _) => End::Killed,
            (true, _) if !is_testable => End::Untested,
            (true, false) => End::KilledByOthers,
            (true, true) => End::Survived,
        };
        let Fault { name, rows, summary, file, machine: Machine { version, devices } } = *fault;
        Ok(Outcome { name, rows, summary, file, version, devices, end, killers: noticed, foreign })
    })?;
    // A run that ends at the first case that notices the fault says nothing about the cases after it. Rows without a
    // fault are not listed either: the interposer cannot have a fault for every row. And a part of the faults says nothing
    // about the cases that the others would end.
    if !runner.is_cheap() || faults.len() < reference_driver::faults().len() {
        return Ok(Score { faults: outcomes, idle: Vec::new(), rows_without_a_fault: Vec::new() });
    }
    let violated: BTreeSet<_> = reference_driver::faults().iter().flat_map(|fault| fault.rows).copied().collect();
    let busy: BTreeSet<_> = outcomes.iter().flat_map(|outcome| &outcome.killers).collect();
    let idle = clean.values().flat_map(BTreeMap::values).filter(|case| {
        case.verdict == Verdict::Pass
            && case.observations.is_empty()
            && !busy.contains(&case.id)
            && case.rows.iter().all(|row| violated.contains(row.as_str()))
    });
    let idle: BTreeSet<_> = idle.map(|case| case.id.clone()).collect();
    let is_without = |row: &&catalogue::Row| {
        matches!(row.class, catalogue::Class::Documented | catalogue::Class::Derived)
            && row.unrunnable.is_none()
            && !violated.contains(row.id.as_str())
    };
    let rows_without_a_fault = rows.values().filter(is_without).map(|row| row.id.clone()).collect();
    Ok(Score { faults: outcomes, idle: idle.into_iter().collect(), rows_without_a_fault })
}

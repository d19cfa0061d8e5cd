//! `conformance record`: updates and lists golden records.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use conformance::diff::Diff;
use conformance::records;
use conformance::report::{CaseReport, Report};

use crate::diff;
use crate::folder::Folder;
use crate::markup::word;
use crate::output::{Failure, print, remark, write};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a report the golden record of its driver and GPUs, and print what that changes
    Update(Update),
    /// Print the golden records
    List(Folder),
}

#[derive(Args)]
pub(crate) struct Update {
    /// The report of a complete run
    report: PathBuf,
    /// Print what would change, but write nothing
    #[arg(long)]
    dry_run: bool,
    /// Accept a run with bad verdicts: later runs that fail alike then count as unchanged
    #[arg(long)]
    with_failures: bool,
    #[command(flatten)]
    folder: Folder,
}

pub(crate) fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Update(arguments) => update(arguments),
        Command::List(folder) => list(folder),
    }
}

fn update(arguments: &Update) -> Result<ExitCode, Failure> {
    let report = Report::read(&arguments.report).map_err(Failure::new)?;
    if report.run.is_record() {
        return Err(Failure::new(format_args!(
            "{} is a record already: a record is made from the report of a run",
            arguments.report.display()
        )));
    }
    if let Some(lack) = lack(&report) {
        let path = arguments.report.display();
        return Err(Failure::new(format_args!("{path} {lack}: only the report of a complete run can become a record")));
    }
    let bad = bad(&report);
    if !bad.is_empty() && !arguments.with_failures {
        return Err(Failure::new(format_args!(
            "{} has {} cases with bad verdicts, and a record with them makes later failures look normal: {}; list them in \
             deviations.toml, or pass --with-failures",
            arguments.report.display(),
            bad.len(),
            named(&bad)
        )));
    }
    let folder = arguments.folder.path();
    if !folder.is_dir() {
        let folder = folder.display().to_string();
        return Err(Failure::new(format_args!(
            "there is no folder {folder} for the record: choose another with --records, or make it with `mkdir -p {}`",
            word(&folder)
        )));
    }
    let new = records::record(report);
    if new.run.calls.is_empty() {
        remark("the report has no times of calls, so the record has none");
    }
    let path = folder.join(records::name(&new.run));
    if path.exists() {
        let old = Report::read_outline(&path).map_err(Failure::new)?;
        if old == new {
            return print(&format!("{}: no changes\n", path.display()));
        }
        print(&diff::changes(Diff::of(&old, &new))?)?;
    }
    if arguments.dry_run {
        return print(&format!("{}: not written (--dry-run)\n", path.display()));
    }
    write(Some(&path), &new.to_lines().map_err(Failure::new)?)?;
    let with = if bad.is_empty() { String::new() } else { format!(", with bad verdicts: {}", named(&bad)) };
    print(&format!("{}: {} cases{with}\n", path.display(), new.cases.len()))
}

/// Returns the cases with bad verdicts that would be in the record.
fn bad(report: &Report) -> Vec<String> {
    let bad = report.cases.iter().filter(|case| !case.verdict.is_good() && !case.rows.is_empty());
    bad.map(|case| format!("{} {}", case.verdict, case.id)).collect()
}

/// Names the first of several cases.
fn named(cases: &[String]) -> String {
    const NAMED: usize = 5;
    let more = if cases.len() > NAMED { format!(" and {} more", cases.len() - NAMED) } else { String::new() };
    format!("{}{more}", cases.get(..NAMED).unwrap_or(cases).join(", "))
}

/// Returns what a report lacks to be that of a complete run.
fn lack(report: &Report) -> Option<String> {
    if let Some(running) = report.running.first() {
        return Some(format!("ends while {running} is still running"));
    }
    let is_of_a_driver = |case: &CaseReport| !case.rows.is_empty();
    let lack = match () {
        () if !report.is_complete => "has no end line",
        () if report.run.is_partial => "covers only a part of the suite",
        () if !report.run.unmet.is_empty() => "is of a machine that did not meet --require",
        () if !report.bad_ends.is_empty() => "has a process that crashed or hung outside any case",
        () if !report.cases.iter().any(is_of_a_driver) => "has no cases that check a row",
        () => return None,
    };
    Some(lack.to_owned())
}

fn list(folder: &Folder) -> Result<ExitCode, Failure> {
    let path = folder.path();
    if !path.is_dir() {
        return Err(Failure::new(format_args!("{} is not a folder of records", path.display())));
    }
    let line = |(path, record): &(PathBuf, Report)| {
        format!("{}: {}, {} cases\n", path.display(), record.run, record.cases.len())
    };
    let records = folder.read().records;
    if records.is_empty() {
        remark(format_args!("there are no records in {}", path.display()));
    }
    print(&records.iter().map(line).collect::<String>())
}

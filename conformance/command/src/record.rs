//! `conformance record`: golden records.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use conformance::diff::Diff;
use conformance::records::{self, Records};
use conformance::report::{CaseReport, Report};

use crate::diff;
use crate::output::{Failure, print, remark, write};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a report the record of its driver and GPUs, and print what that changes
    Update(Update),
    /// Print the records
    List(Folder),
}

#[derive(Args)]
pub(crate) struct Update {
    /// The report of a whole run
    report: PathBuf,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    folder: Folder,
}

#[derive(Args)]
pub(crate) struct Folder {
    /// The folder of the records; `records` beside this command, or those of the checkout, where it is not given
    #[arg(long, env = "CONFORMANCE_RECORDS", value_name = "DIR")]
    records: Option<PathBuf>,
}

impl Folder {
    pub(crate) fn path(&self) -> PathBuf {
        self.records.clone().unwrap_or_else(records::folder)
    }

    /// The records that can be read; of the others a warning is printed.
    pub(crate) fn read(&self) -> Records {
        let records = Records::read(&self.path());
        for warning in &records.warnings {
            remark(warning);
        }
        records
    }
}

pub(crate) fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Update(arguments) => update(arguments),
        Command::List(folder) => list(folder),
    }
}

fn update(arguments: &Update) -> Result<ExitCode, Failure> {
    let report = Report::read_outline(&arguments.report).map_err(Failure::new)?;
    if let Some(lack) = lack(&report) {
        let path = arguments.report.display();
        return Err(Failure::new(format_args!("{path} {lack}: only a whole run makes a record")));
    }
    let new = records::record(report);
    let path = arguments.folder.path().join(records::name(&new.run));
    if path.exists() {
        let old = Report::read_outline(&path).map_err(Failure::new)?;
        if old == new {
            return print(&format!("{}: nothing changes\n", path.display()));
        }
        print(&diff::changes(Diff::of(&old, &new))?)?;
    }
    if arguments.dry_run {
        return print(&format!("{}: not written\n", path.display()));
    }
    write(Some(&path), &new.to_lines().map_err(Failure::new)?)?;
    print(&format!("{}: {} cases\n", path.display(), new.cases.len()))
}

/// What a report lacks of a whole run.
fn lack(report: &Report) -> Option<String> {
    if let Some(running) = report.running.first() {
        return Some(format!("ends while {running} was running"));
    }
    let is_of_a_driver = |case: &CaseReport| !case.rows.is_empty();
    let lack = match () {
        () if !report.is_complete => "has no end",
        () if report.run.is_partial => "is of a part of the suite",
        () if !report.run.unmet.is_empty() => "is of a machine that lacked what was required",
        () if !report.cases.iter().any(is_of_a_driver) => "has no cases",
        () => return None,
    };
    Some(lack.to_owned())
}

fn list(folder: &Folder) -> Result<ExitCode, Failure> {
    let path = folder.path();
    if !path.is_dir() {
        return Err(Failure::new(format_args!("{} is no folder of records", path.display())));
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

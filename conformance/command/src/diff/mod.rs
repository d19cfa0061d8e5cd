//! `conformance diff`: compares two reports, or a report with the nearest golden record.

mod markdown;
mod phrase;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conformance::diff::Diff;
use conformance::records::{self, Comparison};
use conformance::report::Report;

use crate::folder::Folder;
use crate::output::{Failure, write};
use phrase::Rows;

#[derive(Args)]
#[command(after_help = EXAMPLES, allow_missing_positional = true)]
pub(crate) struct Arguments {
    /// The older report, or a golden record [default: the record nearest to NEW]
    old: Option<PathBuf>,
    /// The newer report
    new: PathBuf,
    #[command(flatten)]
    folder: Folder,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The changes that lead to exit code 1
    #[arg(long, value_enum, default_value_t = ExitOn::Regressed, value_name = "CHANGE")]
    exit_on: ExitOn,
    /// End with 3 instead of 0 if NEW does not check every case that OLD checks, except those that its suite lost
    #[arg(long)]
    must_cover: bool,
    /// Ignore how long calls and cases took
    #[arg(long)]
    no_time: bool,
    /// Name every case in the text, with what changed
    #[arg(long)]
    all: bool,
}

/// The exit code of a comparison in which nothing regressed, but that covers less than it must.
const LESS_IS_CHECKED: u8 = 3;

const EXAMPLES: &str = "\
Examples:
  cargo conformance diff before.jsonl after.jsonl
  cargo conformance diff report.jsonl
  cargo conformance diff --format markdown --output comment.md before.jsonl after.jsonl
  cargo conformance diff --format json before.jsonl after.jsonl | jq '.changes[] | select(.severity == \"regressed\") | .id'

The first line is the result in one sentence. If a filter, an early end or fewer GPUs left cases out, it says so, and the
comparison covers the cases that both reports check.

Severities:
  regressed                 a rule that held no longer holds, even if a list knows the bug (a deviation); no list excuses
                            a failure any more, or a case fails in another way than the list says; a case fails in a
                            worse way, or in more of its runs (by 50 percentage points or more); or a case that passed
                            in both reports discloses memory only in the new one. The cases are grouped by cause
  no longer checked         the machine lacks something, a filter, --level quick or the budget left the case out, or the
                            report ends before it
  disclosure                a disclosure is gone, or is new where the old report could not show it
  different                 another result code or observation that the documentation leaves open, or another reason for
                            a failure, or a case that fails a little more or less often
  time                      the time of a case of 100 ms or more changed more than three times as much as that of a typical
                            call
  checked for the first time  the old report says nothing of the case: it was absent, unsupported, or an error
  better                    a rule that did not hold holds now, a case that differed passes, or a case fails in fewer of
                            its runs (by 50 percentage points or more)

Only what regressed, slower calls, and a process that crashed or hung outside any case in a way that the old report
does not have (its role, and the signal, the exit code or the hang) lead to exit code 1. With --exit-on failed, so do a
case that is checked for the first time and fails, and a disclosure that is new where the old report could not show it.
The cases that regressed have a kind: disclosure, corruption, crash, hang, leak, wrong result, wrong code, or harness
error. If a case failed in some of its runs only, the text says in how many. If a case appears more than once in a report,
its worst result counts: a failure before a harness error, which says nothing of the driver.

Slower calls: in a third of the cases that make the call and in two more (of three cases in all), the median of its steps
became more than three times as long, and longer by more than 1 ms, on the same GPUs. Cases in which it became as much
faster are subtracted. Calls that succeed and calls that are refused are compared apart. If a typical call slowed down
too, as on a busier machine, only a call that slowed down more than three times as much counts; but if it took ten times
as long or more, and both reports say that the machine was no busier, nothing excuses it, and each slower call counts.
--no-time leaves all times out.

A record has no steps, but the times of each call over all its cases. So only the report of a whole run is compared with
them, on the same model of GPU: the median of all steps must be slower by the same factor and by more than 1 ms, and longer
than nine tenths of the recorded steps.

If only NEW is given, it is compared with the nearest golden record. This comparison leaves out cases that only one of the
two has, and the durations of cases, because a record rounds them. The last lines of a run summarise it, without the times
of calls.

The schema of the JSON: cargo conformance schema diff
Exit codes: 0 nothing regressed, 1 something regressed (see --exit-on), 2 invalid arguments, unusable reports, or no case
that both reports check if nothing leads to 1, 3 nothing regressed, but less is checked (with --must-cover). At the same
--level quick, another suite may check the same rules by other cases, which is not less.";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// Markdown for a comment on a pull request
    Markdown,
    /// JSON for programs
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExitOn {
    /// A regression
    #[value(alias = "worse")]
    Regressed,
    /// A regression, a new case that fails, or a disclosure that the old report could not show
    Failed,
    /// Any change of a case except its time
    Any,
    /// No change
    Never,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut comparison = compare(arguments)?;
    if arguments.no_time {
        comparison.diff.ignore_times();
    }
    let text = match arguments.format {
        Format::Text => text::text(&comparison, &Rows::read()?, arguments.all),
        Format::Markdown => markdown::markdown(&comparison, &Rows::read()?),
        Format::Json => serde_json::to_string_pretty(&comparison).map_err(Failure::new)? + "\n",
    };
    write(arguments.output.as_deref(), &text)?;
    match arguments.exit_on.is_met(&comparison.diff) {
        true => Ok(ExitCode::FAILURE),
        // Nothing is known, and that must not look like a good result.
        false if comparison.diff.scope.is_empty() => Err(Failure::new("no case is checked in both reports")),
        false if arguments.must_cover && !comparison.diff.covers => Ok(ExitCode::from(LESS_IS_CHECKED)),
        false => Ok(ExitCode::SUCCESS),
    }
}

fn compare(arguments: &Arguments) -> Result<Comparison, Failure> {
    if let Some(old) = &arguments.old {
        let diff = Diff::of_files(old, &arguments.new).map_err(Failure::new)?;
        return Ok(Comparison { record: None, diff });
    }
    let (new, repeated) = Report::read_and_count(&arguments.new).map_err(Failure::new)?;
    let records = arguments.folder.read();
    let none = || {
        let folder = arguments.folder.path();
        Failure::new(format_args!("cannot compare with a record in {}: {}", folder.display(), records::none_near(&new)))
    };
    let mut comparison = records.compare(&new).ok_or_else(none)?;
    comparison.diff.new.repeated = repeated;
    Ok(comparison)
}

impl ExitOn {
    fn is_met(self, diff: &Diff) -> bool {
        match self {
            Self::Regressed => diff.has_regressed(),
            Self::Failed => diff.has_failed(),
            Self::Any => {
                diff.has_regressed()
                    || diff.changes.iter().any(|change| change.severity != conformance::diff::Severity::Time)
            }
            Self::Never => false,
        }
    }
}

/// Returns the changes as text, for commands that show what they change.
pub(crate) fn changes(diff: Diff) -> Result<String, Failure> {
    Ok(text::text(&Comparison { record: None, diff }, &Rows::read()?, true))
}

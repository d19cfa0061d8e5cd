//! `conformance diff`: compares two reports, or a report with the nearest golden record.

mod markdown;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conformance::Verdict;
use conformance::catalogue::{self, Row};
use conformance::diff::{Diff, Difference, Side};
use conformance::records::{self, Comparison};
use conformance::report::Report;
use serde_json::Value;

use crate::output::{Failure, write};
use crate::record::Folder;

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
    #[arg(long, value_enum, default_value_t = ExitOn::Worse, value_name = "CHANGE")]
    exit_on: ExitOn,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance diff before.jsonl after.jsonl
  cargo conformance diff report.jsonl
  cargo conformance diff --format markdown --output comment.md before.jsonl after.jsonl
  cargo conformance diff --format json before.jsonl after.jsonl | jq '.changes[] | select(.severity == \"worse\") | .id'

Severities:
  worse      a rule no longer holds, fails in a worse way, or is no longer checked
  different  another result code or observation that the documentation leaves open, or another reason for a failure
  time       a case of 100 ms or more became more than three times slower or faster
  better     a rule holds now, or is checked now

If only NEW is given, it is compared with the nearest golden record. The last lines of a run summarise this comparison.
It leaves out cases that only one of the two has, and times, because a record rounds them.

The schema of the JSON: cargo conformance schema diff
Exit codes: 0 nothing is worse, 1 something is worse (see --exit-on), 2 invalid arguments or unusable reports";

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
    /// A change for the worse
    Worse,
    /// Any change of a case except its time
    Any,
    /// No change
    Never,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let comparison = compare(arguments)?;
    let text = match arguments.format {
        Format::Text => text::text(&comparison, &Rows::read()?),
        Format::Markdown => markdown::markdown(&comparison, &Rows::read()?),
        Format::Json => serde_json::to_string_pretty(&comparison).map_err(Failure::new)? + "\n",
    };
    write(arguments.output.as_deref(), &text)?;
    Ok(if arguments.exit_on.is_met(&comparison.diff) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn compare(arguments: &Arguments) -> Result<Comparison, Failure> {
    if let Some(old) = &arguments.old {
        let diff = Diff::of_files(old, &arguments.new).map_err(Failure::new)?;
        return Ok(Comparison { record: None, diff });
    }
    let new = Report::read_outline(&arguments.new).map_err(Failure::new)?;
    let records = arguments.folder.read();
    let none = || {
        let folder = arguments.folder.path();
        Failure::new(format_args!("cannot compare with a record in {}: {}", folder.display(), records::none_near(&new)))
    };
    records.compare(&new).ok_or_else(none)
}

impl ExitOn {
    fn is_met(self, diff: &Diff) -> bool {
        match self {
            Self::Worse => diff.is_worse(),
            Self::Any => diff.changes.iter().any(|change| change.severity != conformance::diff::Severity::Time),
            Self::Never => false,
        }
    }
}

/// Returns the changes as text, for commands that show what they change.
pub(crate) fn changes(diff: Diff) -> Result<String, Failure> {
    Ok(text::text(&Comparison { record: None, diff }, &Rows::read()?))
}

/// The rows of the catalogue by id.
pub(crate) struct Rows(BTreeMap<String, Row>);

impl Rows {
    pub(crate) fn read() -> Result<Self, Failure> {
        let groups = catalogue::groups().map_err(Failure::new)?;
        Ok(Self(groups.into_iter().flat_map(|group| group.row).map(|row| (row.id.clone(), row)).collect()))
    }

    /// Returns the row's class and statement. A report of another version of the suite may name a row that this
    /// catalogue does not contain.
    fn statement(&self, id: &str) -> (&'static str, &str) {
        self.0.get(id).map_or(("?", "not in this suite's catalogue"), |row| (row.class.letter(), &row.statement))
    }
}

/// Returns what the text and the Markdown add to the title of a report.
fn remark(side: &Side) -> String {
    match (side.running.as_slice(), side.is_complete) {
        ([], true) => String::new(),
        ([], false) => ", without an end line".to_owned(),
        (running, _) => format!(", incomplete: ended while running {}", running.join(", ")),
    }
}

/// Returns the name of a difference, the old value and the new value.
fn words(difference: &Difference) -> (&str, String, String) {
    const NOTHING: &str = "none";
    let reason = |reason: &Option<String>| reason.clone().unwrap_or_else(|| NOTHING.to_owned());
    let value = |value: &Option<Value>| value.as_ref().map_or_else(|| NOTHING.to_owned(), plain);
    match difference {
        Difference::Verdict { old, new } => ("verdict", old.to_string(), new.to_string()),
        Difference::Reason { old, new } => ("reason", reason(old), reason(new)),
        Difference::Observation { name, old, new } => (name, value(old), value(new)),
        Difference::Time { old, new } => ("time", milliseconds(*old), milliseconds(*new)),
        Difference::Added { verdict } => ("verdict", "not in the old report".to_owned(), verdict.to_string()),
        Difference::Removed { verdict } => ("verdict", verdict.to_string(), "not in the new report".to_owned()),
        Difference::Unended { old } => {
            let old = old.map_or_else(|| "not in the old report".to_owned(), |verdict| verdict.to_string());
            ("verdict", old, "still running at the end of the new report".to_owned())
        }
    }
}

/// Formats a value; a string without its JSON quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn milliseconds(duration: f64) -> String {
    format!("{duration:.0} ms")
}

/// Returns the number of cases per verdict in the old and in the new report, without verdicts that neither has.
fn counts(diff: &Diff) -> Vec<(Verdict, usize, usize)> {
    let count = |side: &Side, verdict: Verdict| side.summary.get(verdict.word()).copied().unwrap_or_default();
    let counts = Verdict::ALL.map(|verdict| (verdict, count(&diff.old, verdict), count(&diff.new, verdict)));
    counts.into_iter().filter(|(_, old, new)| old + new > 0).collect()
}

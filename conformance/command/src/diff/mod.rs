//! `conformance diff`: what changed between two reports, or since the nearest record.

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
    /// The report from before: of the old driver, or a record; the record nearest to NEW where it is not given
    old: Option<PathBuf>,
    /// The report of now
    new: PathBuf,
    #[command(flatten)]
    folder: Folder,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What ends with exit code 1
    #[arg(long, value_enum, default_value_t = ExitOn::Worse, value_name = "CHANGE")]
    exit_on: ExitOn,
}

const EXAMPLES: &str = "\
Examples:
  conformance diff before.jsonl after.jsonl
  conformance diff report.jsonl
  conformance diff --format markdown --output comment.md before.jsonl after.jsonl
  conformance diff --format json before.jsonl after.jsonl | jq '.changes[] | select(.severity == \"worse\") | .id'

Severities:
  worse      a rule does not hold any more, fails harder, or is not checked any more
  different  another code or observation where the documentation leaves it open, another reason of a failure
  time       a case of 100 ms or more became three times as slow or as quick
  better     a rule holds now, or is checked now

With one report it is what a run says of the nearest record in its last lines, as a whole: cases that only one of the two
has and times, which a record rounds, are left out.

The shape of the JSON: conformance schema diff
Exit codes: 0 nothing worse, 1 changed for the worse (see --exit-on), 2 unusable (arguments, files, reports)";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For a comment on a pull request
    Markdown,
    /// For machines
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExitOn {
    /// A change for the worse
    Worse,
    /// Any change of a case but its time
    Any,
    /// Nothing
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
        Failure::new(format_args!("no record in {} is near: {}", folder.display(), records::none_near(&new)))
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

/// A text of the changes, for commands that show what they change.
pub(crate) fn changes(diff: Diff) -> Result<String, Failure> {
    Ok(text::text(&Comparison { record: None, diff }, &Rows::read()?))
}

/// The rows of the catalogue by their names.
pub(crate) struct Rows(BTreeMap<String, Row>);

impl Rows {
    pub(crate) fn read() -> Result<Self, Failure> {
        let groups = catalogue::groups().map_err(Failure::new)?;
        Ok(Self(groups.into_iter().flat_map(|group| group.row).map(|row| (row.id.clone(), row)).collect()))
    }

    /// The row's class and statement. A report of another suite may name a row that this one does not have.
    fn statement(&self, id: &str) -> (&'static str, &str) {
        self.0.get(id).map_or(("?", "not in this suite's catalogue"), |row| (row.class.letter(), &row.statement))
    }
}

/// What both formats say of a report beside its title.
fn remark(side: &Side) -> String {
    match (side.running.as_slice(), side.is_complete) {
        ([], true) => String::new(),
        ([], false) => ", without an end".to_owned(),
        (running, _) => format!(", incomplete: {} was running", running.join(", ")),
    }
}

/// A difference in words: what it is of, before, now.
fn words(difference: &Difference) -> (&str, String, String) {
    const NOTHING: &str = "nothing";
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
            ("verdict", old, "was running when the new report ends".to_owned())
        }
    }
}

/// A value without the quotes of JSON where it is a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn milliseconds(duration: f64) -> String {
    format!("{duration:.0} ms")
}

/// How many cases ended how before and now, of the verdicts that there are.
fn counts(diff: &Diff) -> Vec<(Verdict, usize, usize)> {
    let count = |side: &Side, verdict: Verdict| side.summary.get(verdict.word()).copied().unwrap_or_default();
    let counts = Verdict::ALL.map(|verdict| (verdict, count(&diff.old, verdict), count(&diff.new, verdict)));
    counts.into_iter().filter(|(_, old, new)| old + new > 0).collect()
}

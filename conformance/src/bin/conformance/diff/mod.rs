//! `conformance diff`: what changed between two reports.

mod markdown;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conformance::Verdict;
use conformance::catalogue::{self, Row};
use conformance::diff::{Diff, Difference, Side};
use conformance::report::Report;
use serde_json::Value;

use crate::output::{Failure, write};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report from before: of the old driver, or a record
    old: PathBuf,
    /// The report of now
    new: PathBuf,
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
  conformance diff --format markdown --output comment.md before.jsonl after.jsonl
  conformance diff --format json before.jsonl after.jsonl | jq '.changes[] | select(.severity == \"worse\") | .id'

Severities:
  worse      a rule does not hold any more, fails harder, or is not checked any more
  different  another code or observation where the documentation leaves it open, another reason of a failure
  time       a case of 100 ms or more became three times as slow or as quick
  better     a rule holds now, or is checked now

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
    let read = |path| Report::read_outline(path).map_err(Failure::new);
    let diff = Diff::of(&read(&arguments.old)?, &read(&arguments.new)?);
    let text = match arguments.format {
        Format::Text => text::text(&diff, &Rows::read()?),
        Format::Markdown => markdown::markdown(&diff, &Rows::read()?),
        Format::Json => serde_json::to_string_pretty(&diff).map_err(Failure::new)? + "\n",
    };
    write(arguments.output.as_deref(), &text)?;
    Ok(if arguments.exit_on.is_met(&diff) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
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
pub(crate) fn changes(diff: &Diff) -> Result<String, Failure> {
    Ok(text::text(diff, &Rows::read()?))
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

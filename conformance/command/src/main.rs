//! The `conformance` command: runs the suite, and shows, compares and converts its reports.

mod bundle;
mod diff;
mod doctor;
mod fleet;
mod folder;
mod html;
mod junit;
mod list;
mod markup;
mod output;
mod plural;
mod progress;
mod record;
mod report;
mod run;
mod score;
mod show;
mod source;
mod suite;
mod told;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use output::Failure;

/// Runs the conformance suite for CUDA inter-process memory, and shows, compares and converts its reports
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance doctor
  cargo conformance run --driver system --require gpus=1 --report new.jsonl
  cargo conformance diff old.jsonl new.jsonl
  cargo conformance html new.jsonl --compare old.jsonl --output report.html
  cargo conformance fleet reports/

In an unpacked bundle, the command is ./conformance.
Exit codes: 0 success; 1 something regressed (diff), no case can run (doctor), or the faults that survive are not those
expected (score); 2 invalid arguments or unusable files; 3 less is checked than before (diff --must-cover).
The exit codes of `run` are those of the suite.";

#[derive(Subcommand)]
enum Command {
    /// Pack the suite for a machine without cargo
    Bundle(bundle::Arguments),
    /// Compare two reports, or a report with the nearest golden record
    Diff(diff::Arguments),
    /// Show which cases this machine can run, and why it cannot run the others
    Doctor(doctor::Arguments),
    /// Compare thousands of reports: outliers among equal machines, rules by driver, the history of a rule
    Fleet(fleet::Arguments),
    /// Render a report as one HTML file, which a browser shows offline
    Html(html::Arguments),
    /// Convert a report to JUnit XML
    Junit(junit::Arguments),
    /// Print the requirement rows with their class, status, needs and cases
    List(list::Arguments),
    /// Update or list the golden records, which hold the behaviour of real drivers
    #[command(
        subcommand,
        after_help = "Examples:\n  cargo conformance record list\n  cargo conformance record update report.jsonl --dry-run"
    )]
    Record(record::Command),
    /// Write a bug report for each case that failed, is a listed deviation or disclosed memory, with a C program
    Report(report::Arguments),
    /// Run the suite
    Run(run::Arguments),
    /// Measure whether the suite notices a broken driver
    Score(score::Arguments),
    /// Show a report: the run, and its rows, cases and steps
    Show(show::Arguments),
    /// Print the JSON Schema of a report, of a comparison or of a fleet
    #[command(after_help = "Example:\n  cargo conformance schema diff > diff.schema.json")]
    Schema {
        /// What the schema describes
        #[arg(value_enum, default_value_t = Schema::Report)]
        of: Schema,
    },
    /// Print completions for a shell
    #[command(after_help = "Example, if `conformance` is in PATH:\n  source <(conformance completions bash)")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Schema {
    /// The lines of a report
    Report,
    /// The output of `conformance diff --format json`
    Diff,
    /// The output of `conformance fleet --format json`
    Fleet,
}

impl Schema {
    fn text(self) -> serde_json::Value {
        match self {
            Self::Report => conformance::report::schema(),
            Self::Diff => conformance::records::schema(),
            Self::Fleet => conformance::fleet::schema(),
        }
    }
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Fleet(arguments) => fleet::run(&arguments),
        Command::Html(arguments) => html::run(&arguments),
        Command::Junit(arguments) => junit::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Record(command) => record::run(&command),
        Command::Report(arguments) => report::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Schema { of } => output::print(&format!("{:#}\n", of.text())),
        Command::Completions { shell } => completions(shell),
    };
    done.unwrap_or_else(|failure| {
        output::remark(failure);
        ExitCode::from(2)
    })
}

fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Options::command(), "conformance", &mut text);
    output::print(&String::from_utf8_lossy(&text))
}

//! The `conformance` command: what the suite checks, and what its reports say.

mod bundle;
mod diff;
mod doctor;
mod html;
mod junit;
mod list;
mod output;
mod progress;
mod record;
mod run;
mod show;
mod suite;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use output::Failure;

/// What the conformance suite checks, and what its reports say
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  conformance doctor
  conformance run --driver system --require gpus=1 --report new.jsonl
  conformance diff old.jsonl new.jsonl
  conformance html new.jsonl --compare old.jsonl --output report.html

Exit codes: 0 as wanted, 1 worse or failed, 2 unusable (arguments, files, reports)";

#[derive(Subcommand)]
enum Command {
    /// Pack the suite for a machine that has no cargo
    Bundle(bundle::Arguments),
    /// Compare two reports, or one with the nearest record: what changed, the worst first
    Diff(diff::Arguments),
    /// Tell what this machine can do, and why not
    Doctor(doctor::Arguments),
    /// Draw a report as one HTML file, readable offline
    Html(html::Arguments),
    /// Write a report as JUnit XML
    Junit(junit::Arguments),
    /// Print the requirement rows: class, status, needs, cases
    List(list::Arguments),
    /// Golden records: what drivers were seen to do
    #[command(subcommand)]
    Record(record::Command),
    /// Run the suite
    Run(run::Arguments),
    /// Show what a report says: the run, rows, cases, steps
    Show(show::Arguments),
    /// Print a JSON Schema
    #[command(after_help = "Example:\n  conformance schema diff > diff.schema.json")]
    Schema {
        /// Of what
        #[arg(value_enum, default_value_t = Schema::Report)]
        of: Schema,
    },
    /// Print completions for a shell
    #[command(after_help = "Example:\n  source <(conformance completions bash)")]
    Completions {
        /// Which shell
        shell: Shell,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Schema {
    /// The lines of a report
    Report,
    /// What `conformance diff --format json` prints
    Diff,
}

impl Schema {
    fn text(self) -> serde_json::Value {
        match self {
            Self::Report => conformance::report::schema(),
            Self::Diff => conformance::records::schema(),
        }
    }
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Html(arguments) => html::run(&arguments),
        Command::Junit(arguments) => junit::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Record(command) => record::run(&command),
        Command::Run(arguments) => run::run(&arguments),
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

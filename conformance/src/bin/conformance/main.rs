//! The `conformance` command: what the suite checks, and what its reports say.

mod list;
mod output;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
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
Exit codes: 0 as wanted, 1 worse or failed, 2 unusable (arguments, files, reports)";

#[derive(Subcommand)]
enum Command {
    /// Print the requirement rows: class, status, needs, cases
    List(list::Arguments),
    /// Print the JSON Schema of a report's lines
    Schema,
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::List(arguments) => list::run(&arguments),
        Command::Schema => output::print(&format!("{:#}\n", conformance::report::schema())),
        Command::Completions { shell } => completions(shell),
    };
    done.unwrap_or_else(|failure| {
        eprintln!("conformance: {failure}");
        ExitCode::from(2)
    })
}

fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Options::command(), "conformance", &mut text);
    output::print(&String::from_utf8_lossy(&text))
}

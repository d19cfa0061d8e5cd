//! The `conformance` command: what the suite checks.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use conformance::catalogue::{self, Group};
use serde_json::json;

/// What the conformance suite checks.
#[derive(Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the requirement rows: class, status, cases
    List {
        /// How to print them
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Print the JSON Schema of a report's lines
    Schema,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For machines
    Json,
}

fn main() -> ExitCode {
    let text = match Options::parse().command {
        Command::List { format } => match (catalogue::groups(), format) {
            (Ok(groups), Format::Text) => text(&groups),
            (Ok(groups), Format::Json) => json(&groups),
            (Err(message), _) => {
                eprintln!("conformance: {message}");
                return ExitCode::FAILURE;
            }
        },
        Command::Schema => format!("{:#}\n", conformance::report::schema()),
    };
    match io::stdout().write_all(text.as_bytes()) {
        // A reader such as `head` that has seen enough is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("conformance: cannot print: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn text(groups: &[Group]) -> String {
    let mut lines = Vec::new();
    for group in groups {
        lines.push(format!("{}: {}", group.group, group.title));
        for row in &group.row {
            lines.push(format!("  {:16} {:2} {:13} {}", row.id, row.class.letter(), row.status(), row.statement));
            lines.extend(row.cases.iter().map(|case| format!("{:36}{case}", "")));
        }
        lines.push(String::new());
    }
    let rows = || groups.iter().flat_map(|group| &group.row);
    let implemented = rows().filter(|row| !row.cases.is_empty()).count();
    lines.push(format!("{implemented} of {} rows have a case\n", rows().count()));
    lines.join("\n")
}

fn json(groups: &[Group]) -> String {
    let rows: Vec<_> = groups
        .iter()
        .flat_map(|group| group.row.iter().map(move |row| (group, row)))
        .map(|(group, row)| {
            json!({
                "id": row.id,
                "group": group.group,
                "class": row.class.letter(),
                "status": row.status(),
                "call": row.call,
                "statement": row.statement,
                "source": row.source,
                "expected": row.expected,
                "provoke": row.provoke,
                "needs": row.needs,
                "cases": row.cases,
            })
        })
        .collect();
    format!("{:#}\n", json!({ "rows": rows }))
}

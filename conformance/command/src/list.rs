//! `conformance list`: prints the requirement rows.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conformance::catalogue::{self, Group, Row};
use serde_json::json;

use crate::output::{Failure, print};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
The line of a row shows its id, its class, its status, the number of processes (P) and GPUs (G) that it needs, and its
statement. Its cases follow, one a line, or the reason why it cannot have one.
Classes: D documented, D* derived from the documentation, U documented as undefined, O observed, Q open.

Examples:
  cargo conformance list
  cargo conformance list --format json | jq -r '.rows[] | select(.cases == []) | .id'";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let groups = catalogue::groups().map_err(Failure::new)?;
    print(&match arguments.format {
        Format::Text => text(&groups),
        Format::Json => json(&groups),
    })
}

fn text(groups: &[Group]) -> String {
    let mut lines = Vec::new();
    for group in groups {
        lines.push(format!("{}: {}", group.group, group.title));
        for row in &group.row {
            let (class, needs) = (row.class.letter(), needs(row));
            lines.push(format!("  {:16} {class:2} {:13} {needs:6} {}", row.id, row.status(), row.statement));
            lines.extend(row.cases.iter().chain(&row.unrunnable).map(|line| format!("{:43}{line}", "")));
        }
        lines.push(String::new());
    }
    let rows = || groups.iter().flat_map(|group| &group.row);
    let of_status = |status| rows().filter(|row| row.status() == status).count();
    let (implemented, unrunnable) = (of_status("implemented"), of_status("unrunnable"));
    lines.push(format!("{implemented} of {} rows have a case, {unrunnable} cannot have one\n", rows().count()));
    lines.join("\n")
}

/// Formats the processes and GPUs that a row needs as `2P 1G`.
fn needs(row: &Row) -> String {
    format!("{}P {}G", row.needs.processes, row.needs.gpus)
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
                "unrunnable": row.unrunnable,
            })
        })
        .collect();
    format!("{:#}\n", json!({ "rows": rows }))
}

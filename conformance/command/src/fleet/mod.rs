//! `conformance fleet`: what thousands of reports say together.

mod page;
mod text;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conformance::catalogue::{self, Row};
use conformance::fleet::Fleet;

use crate::output::{Failure, remark, write};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the reports; folders in it are read too
    folder: PathBuf,
    /// The columns of the table of rules
    #[arg(long, value_enum, default_value_t = By::Driver)]
    by: By,
    /// Show the history of one rule over the driver releases
    #[arg(long, value_name = "ROW")]
    rule: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Every file whose name ends in .jsonl or .json is read, except behind links to folders. A file that cannot be read is
named, and does not stop the others. Of a case that passed, little more than its name and verdict is read.
With --identify, a report names its host. Only the newest report of each host and driver is compared with its peers. If
that run checked a part of the suite (a filter, --level quick), the newest report of a whole run is compared instead, if
the host has one. A report that broke off, lost lines or has no case is compared only if the host has no other. A report
without a host is compared as it is.

First come the rules that a release of a driver broke: they hold with the release before, and still break with the
newest. A rule is also among them if it broke before only as a list of deviations says, in a milder way, or in far fewer
reports. If only listed deviations break it now, it is not among them.

Then come outliers: what at most a third of the hosts with the same driver and the same GPUs have. Disclosures, Xid
messages, and processes that crashed or hung outside any case come first. Then come rules that break on few hosts, or
that break there in a worse way than on the others, or that break there unlisted although a list knows the failures of
the others. Broken rules are compared among three such hosts or more. If there are two, a disclosure or an Xid message
that only one of them has is an outlier. A process that crashed or hung outside any case is always an outlier, because
its run failed.

Then comes the table of the rules that break in any report, with the number of reports in which each breaks. Earlier
reports of a host count too. If at most five hosts break a rule now, and no list knows it, they are named below it. With
--by host, the table has the hosts on which a rule breaks now. A listed deviation counts as broken. If a case appears
more than once in a report, its worst result counts: a failure before a harness error, which says nothing of the driver.
Reports with harness errors, and those that lost lines, are named.

Examples:
  cargo conformance fleet reports/
  cargo conformance fleet reports/ --by host
  cargo conformance fleet reports/ --rule IPCMEM-OPEN-002
  cargo conformance fleet reports/ --format html --output fleet.html
  cargo conformance fleet reports/ --format json | jq '.outliers[] | select(.is_broken) | .row'

The schema of the JSON: cargo conformance schema fleet
Exit codes: 0 at least one report was read, 2 invalid arguments, or no report can be used";

/// The columns of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// The driver releases
    Driver,
    /// The hosts on which a rule breaks
    Host,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// One HTML file, which a browser shows offline
    Html,
    /// JSON for programs
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folder = arguments.folder.display();
    let fleet = Fleet::read(&arguments.folder).map_err(|error| Failure::new(format_args!("{folder}: {error}")))?;
    if fleet.reports.is_empty() {
        let unreadable = fleet.unreadable.iter().map(|unread| format!("\n  {}", unread.why));
        return Err(Failure::new(format_args!(
            "{folder} has no report that can be read{}",
            unreadable.collect::<String>()
        )));
    }
    let groups = catalogue::groups().map_err(Failure::new)?;
    let rows: Vec<Row> = groups.into_iter().flat_map(|group| group.row).collect();
    if let Some(row) = &arguments.rule
        && fleet.rule(row).is_none()
    {
        let hint = match rows.iter().any(|known| known.id == *row) {
            true => "no report checks it",
            false => "the catalogue has no such row; `conformance list` prints all rows",
        };
        return Err(Failure::new(format_args!("{row}: {hint}")));
    }
    let rule = arguments.rule.as_deref();
    let text = match arguments.format {
        Format::Text => text::text(&fleet, arguments.by, rule, &rows),
        Format::Html => page::page(&fleet, rule, &rows)?,
        Format::Json => serde_json::to_string(&fleet).map_err(Failure::new)? + "\n",
    };
    // The text lists them. Other output goes into a browser or a program.
    for unread in fleet.unreadable.iter().filter(|_| !matches!(arguments.format, Format::Text)) {
        remark(format_args!("left out: {}", unread.why));
    }
    write(arguments.output.as_deref(), &text)
}

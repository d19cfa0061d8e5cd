//! `conformance html`: renders a report as one HTML file, which a browser shows offline.

mod comparison;
mod facts;
mod headline;
mod outline;
mod text;
mod topology;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use askama::Template;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use clap::Args;
use conformance::catalogue::{self, Group};
use conformance::diff::{Diff, Severity};
use conformance::report::Report;
use sha2::{Digest as _, Sha256};

use crate::output::{Failure, write};
use comparison::Comparison;
use facts::Fact;
use headline::Headline;
use outline::Outline;
use text::Piece;
use topology::Topology;

pub(crate) const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report
    report: PathBuf,
    /// An older report; the page shows what changed since
    #[arg(long, value_name = "OLD")]
    compare: Option<PathBuf>,
    /// With --compare, ignore how long calls and cases took
    #[arg(long, requires = "compare")]
    no_time: bool,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance html report.jsonl --output report.html
  cargo conformance html new.jsonl --compare old.jsonl --output changes.html";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let read = |path: &Path| Report::read(path).map_err(Failure::new);
    let report = read(&arguments.report)?;
    let old = arguments.compare.as_deref().map(read).transpose()?;
    let groups = catalogue::groups().map_err(Failure::new)?;
    // Only the file name: the page may be read on another machine, where the path is wrong.
    let file = arguments.report.file_name().unwrap_or(arguments.report.as_os_str()).to_string_lossy();
    write(arguments.output.as_deref(), &page(&report, &file, old.as_ref(), &groups, arguments.no_time)?)
}

/// The whole page. The templates only lay it out: this module and its submodules decide what it shows.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    headline: Headline<'a>,
    outline: Outline<'a>,
    facts: Vec<Fact>,
    topology: Topology<'a>,
    comparison: Option<Comparison<'a>>,
    severities: [Severity; 7],
    policy: String,
    style: &'static str,
    script: &'static str,
}

fn page(report: &Report, file: &str, old: Option<&Report>, groups: &[Group], no_time: bool) -> Result<String, Failure> {
    let mut diff = old.map(|old| Diff::of(old, report));
    diff.iter_mut().filter(|_| no_time).for_each(Diff::ignore_times);
    let outline = Outline::of(report, groups, diff.as_ref());
    let headline = Headline::of(report, file, &outline, diff.as_ref());
    let comparison = old.zip(diff.as_ref()).map(|(old, diff)| Comparison::of(old, report, diff));
    let page = Page {
        report,
        headline,
        outline,
        facts: facts::of(&report.run),
        topology: Topology::of(&report.run),
        comparison,
        severities: Severity::ALL,
        policy: policy(),
        style: STYLE,
        script: SCRIPT,
    };
    page.render().map_err(|error| Failure::new(format_args!("cannot render the page: {error}")))
}

/// Returns the content security policy: the page loads nothing, sends nothing, and uses only this style and this
/// script. Text of a report could not run even if it were not escaped.
pub(crate) fn policy() -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

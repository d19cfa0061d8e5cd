//! `conformance show`: shows what a report contains about a run, a row or a case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::builder::{FalseyValueParser, PossibleValuesParser};
use clap::{Args, ValueEnum};
use conformance::Verdict;
use conformance::catalogue::{self, Row};
use conformance::deviations::Deviations;
use conformance::diff::Cause;
use conformance::report::{CaseReport, Identification, Report};
use serde_json::json;

use crate::output::{Failure, print};
use crate::source::in_full;
use crate::told::told;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report
    report: PathBuf,
    /// The rows and cases to show; a case may be named without its parameters [default: the cases that neither passed
    /// nor were unsupported]
    #[arg(value_name = "ROW-or-CASE")]
    names: Vec<String>,
    /// Show only cases with these verdicts
    #[arg(long, value_name = "LIST", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(Verdict::ALL.map(Verdict::word)))]
    verdict: Vec<String>,
    /// A file of known driver bugs, besides the shipped list: `deviations.toml` beside this command, else the built-in
    /// one. The output names the listed bugs that no case showed. For several files, repeat the flag or separate them
    /// with colons
    #[arg(long, env = "CONFORMANCE_DEVIATIONS", value_name = "FILE", value_delimiter = ':')]
    deviations: Vec<PathBuf>,
    /// Leave out the shipped list of driver bugs
    #[arg(long, env = "CONFORMANCE_NO_SHIPPED_DEVIATIONS", value_parser = FalseyValueParser::new())]
    no_shipped_deviations: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The number of causes of failures that the summary names.
const CAUSES: usize = 5;

const EXAMPLES: &str = "\
Examples:
  cargo conformance show report.jsonl
  cargo conformance show report.jsonl IPCMEM-OPEN-002
  cargo conformance show report.jsonl --verdict deviation,unsupported
  cargo conformance show report.jsonl --format json | jq '.cases[] | .id'";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let report = Report::read(&arguments.report).map_err(Failure::new)?;
    let rows = catalogue::rows().map_err(Failure::new)?;
    let shown = Shown::select(arguments, &report, &rows)?;
    let deviations = Deviations::read(&arguments.deviations, !arguments.no_shipped_deviations).map_err(Failure::new)?;
    let unmatched = deviations.unmatched(&report);
    print(&match arguments.format {
        Format::Text => text(&report, &shown, &unmatched),
        Format::Json => format!("{:#}\n", json(&report, &shown, &unmatched)),
    })
}

/// The selected rows and cases.
struct Shown<'data> {
    /// Sorted by id.
    rows: BTreeMap<&'data str, &'data Row>,
    cases: Vec<&'data CaseReport>,
}

impl<'data> Shown<'data> {
    fn select(
        arguments: &Arguments,
        report: &'data Report,
        catalogue: &'data BTreeMap<String, Row>,
    ) -> Result<Self, Failure> {
        let mut rows = BTreeMap::new();
        let mut ids = BTreeSet::new();
        for name in &arguments.names {
            let of_the_case = |case: &&CaseReport| case.id == *name || base(case) == name || case.rows.contains(name);
            let found = report.cases.iter().filter(of_the_case).map(|case| &case.id);
            let before = ids.len();
            ids.extend(found);
            match catalogue.get_key_value(name) {
                Some((id, row)) => {
                    rows.insert(id.as_str(), row);
                }
                None if ids.len() == before => {
                    return Err(Failure::new(format_args!(
                        "{name} is neither a row of the catalogue nor a case of {}; `conformance list` prints all rows",
                        arguments.report.display()
                    )));
                }
                None => {}
            }
        }
        let is_named = |case: &CaseReport| arguments.names.is_empty() || ids.contains(&case.id);
        let is_wanted = |case: &CaseReport| match (arguments.verdict.as_slice(), arguments.names.as_slice()) {
            ([], []) => !matches!(case.verdict, Verdict::Pass | Verdict::Unsupported),
            ([], _) => true,
            (verdicts, _) => verdicts.iter().any(|verdict| verdict == case.verdict.word()),
        };
        let cases: Vec<_> = report.cases.iter().filter(|case| is_named(case) && is_wanted(case)).collect();
        if arguments.names.is_empty() {
            let of_cases = cases.iter().flat_map(|case| &case.rows);
            rows.extend(of_cases.filter_map(|id| catalogue.get_key_value(id)).map(|(id, row)| (id.as_str(), row)));
        }
        Ok(Self { rows, cases })
    }
}

/// Returns the case's name without its parameters.
fn base(case: &CaseReport) -> &str {
    case.id.split('/').next().unwrap_or_default()
}

fn text(report: &Report, shown: &Shown<'_>, unmatched: &[String]) -> String {
    let mut text: String = report
        .disclosures()
        .map(|(case, disclosure)| format!("{} {}: {disclosure}\n", magenta("disclosure:"), case.id))
        .collect();
    text.extend(report.xids().map(|(case, xid)| format!("{} {}: {xid}\n", magenta("kernel:"), case.id)));
    text += &summary(report);
    text.extend(report.run.unmet.iter().map(|unmet| format!("--require is not met: {unmet}\n")));
    text.extend(report.bad_ends.iter().map(|end| format!("a process crashed or hung outside any case: {end}\n")));
    text.extend(unmatched.iter().map(|told| format!("{told}\n")));
    let mut printed = BTreeSet::new();
    for (id, row) in &shown.rows {
        let bold = Style::new().bold();
        let _ = writeln!(text, "\n{bold}{id}{bold:#} {}: {}", row.class.letter(), row.statement);
        let _ = writeln!(text, "  call:     {}\n  expected: {}", row.call, row.expected);
        for source in &row.source {
            let _ = writeln!(text, "  source:   {}", in_full(source));
        }
        let cases: Vec<_> = shown.cases.iter().filter(|case| case.rows.iter().any(|row| row == id)).collect();
        if cases.is_empty() {
            let why = match &row.unrunnable {
                Some(why) => why,
                None if row.cases.is_empty() => "no case checks it",
                None => "the report has no case of this row, or none was selected",
            };
            let _ = writeln!(text, "  {why}");
        }
        for case in cases {
            // A case of several rows is shown once.
            if printed.insert(&case.id) {
                add(&mut text, case);
            } else {
                let _ = writeln!(text, "  {} {}, see above", paint(case.verdict), case.id);
            }
        }
    }
    let others: Vec<_> = shown.cases.iter().filter(|case| !printed.contains(&case.id)).collect();
    if !others.is_empty() {
        text += "\n";
    }
    for case in others {
        add(&mut text, case);
    }
    text
}

fn summary(report: &Report) -> String {
    let run = &report.run;
    let mut text = format!("{run}\n");
    let mode = if run.fresh { "fresh" } else { "warm" };
    let began = run.began.as_deref().map(|began| format!("{began}, ")).unwrap_or_default();
    let repeat = if run.repeat.get() > 1 { format!(", each case {} times", run.repeat) } else { String::new() };
    let _ = writeln!(text, "run: {began}{mode} processes, seed {}{repeat}", run.seed);
    let _ = writeln!(text, "library: {}", run.driver.path);
    if let Some(environment) = &run.environment {
        let kernel = environment.kernel_module.as_deref().unwrap_or("no");
        let mut words = vec![format!("{kernel} kernel module")];
        if let Some(host) = &environment.host {
            words.insert(0, host.system.clone());
            words.push(host.container.as_ref().map_or("no container".to_owned(), |kind| format!("in {kind}")));
        }
        let _ = writeln!(text, "machine: {}", words.join(", "));
    }
    for (name, value) in run.identification.iter().flat_map(Identification::facts) {
        let _ = writeln!(text, "{name}: {value}");
    }
    let counts = report.summary();
    let counts: Vec<_> = Verdict::ALL.iter().map(|verdict| format!("{} {verdict}", counts[verdict.word()])).collect();
    let _ = writeln!(text, "cases: {}", counts.join(", "));
    if run.is_partial {
        // Reports of earlier suites do not say what it was.
        let selection = run.selection.as_deref().unwrap_or("a filter");
        let _ = writeln!(text, "partial: the run used {selection}: the rest of the suite did not run");
    }
    // The gate of docs/fleet prints the first of these lines: the worst failure.
    let causes = Cause::of_cases(&report.cases);
    for cause in causes.iter().take(CAUSES) {
        let rows: Vec<_> = cause.rows.iter().map(String::as_str).collect();
        let rows = if rows.is_empty() { String::new() } else { format!(" ({})", rows.join(", ")) };
        let parts = [format!("{}, {}", cause.kind, cause.what), cause.extent()];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let _ = writeln!(text, "fails: {}{rows}", parts.join(", "));
    }
    if causes.len() > CAUSES {
        let _ = writeln!(text, "fails: in {} other ways", causes.len() - CAUSES);
    }
    if !report.running.is_empty() {
        let _ = writeln!(text, "incomplete: ended while running {}", report.running.join(", "));
    } else if !report.is_complete {
        let _ = writeln!(text, "no end line: the run used nextest, or stopped between two cases");
    }
    text
}

fn add(text: &mut String, case: &CaseReport) {
    let bold = Style::new().bold();
    let _ = writeln!(text, "  {} {bold}{}{bold:#} ({:.0} ms)", paint(case.verdict), case.id, case.duration_ms);
    if let Some(reason) = &case.reason {
        let _ = writeln!(text, "    {}", reason.replace('\n', "\n    "));
    }
    if let Some(failure) = &case.failure {
        let _ = writeln!(text, "    kind: {failure}");
    }
    if let Some(runs) = case.runs {
        let _ = writeln!(text, "    failed in: {runs} runs");
    }
    for disclosure in &case.disclosures {
        let _ = writeln!(text, "    {} {disclosure}", magenta("disclosure:"));
    }
    for xid in &case.xids {
        let _ = writeln!(text, "    kernel: {xid}");
    }
    for (name, value) in &case.observations {
        let _ = writeln!(text, "    {name} = {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    for (number, step) in told(&case.steps).iter().enumerate() {
        let took = if step.took.is_empty() { String::new() } else { format!(" ({})", step.took) };
        let _ = writeln!(text, "    {:3}. {}: {} -> {}{took}", number + 1, step.role, step.call, step.answer);
        for line in &step.log {
            let _ = writeln!(text, "         driver's log: {line}");
        }
    }
}

fn paint(verdict: Verdict) -> String {
    let colour = match verdict {
        Verdict::Pass => AnsiColor::Green,
        Verdict::Unsupported => AnsiColor::Cyan,
        Verdict::Fixed => AnsiColor::Green,
        Verdict::Differs | Verdict::Deviation => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    let style = Style::new().fg_color(Some(colour.into()));
    format!("{style}{verdict}{style:#}")
}

fn magenta(word: &str) -> String {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Magenta.into()));
    format!("{style}{word}{style:#}")
}

fn json(report: &Report, shown: &Shown<'_>, unmatched: &[String]) -> serde_json::Value {
    let disclosures = report.disclosures().map(|(case, text)| json!({ "case": case.id, "text": text }));
    let xids = report.xids().map(|(case, text)| json!({ "case": case.id, "text": text }));
    json!({
        "disclosures": disclosures.collect::<Vec<_>>(),
        "xids": xids.collect::<Vec<_>>(),
        "run": report.run,
        "summary": report.summary(),
        "is_complete": report.is_complete,
        "running": report.running,
        "bad_ends": report.bad_ends,
        "unmatched_deviations": unmatched,
        "rows": shown.rows.values().collect::<Vec<_>>(),
        "cases": shown.cases,
    })
}

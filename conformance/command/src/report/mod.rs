//! `conformance report`: a bug report for each failure, with a C program that shows it.
//!
//! The suite runs the cases again and records every driver call ([`conformance::trace`]). A [`story`] is what one case
//! did; [`c`] writes it as a program, [`roll`] makes loops of what is repeated, and [`assemble`] adds the helpers.

mod act;
mod assemble;
mod c;
mod call;
mod check;
mod child;
mod comment;
mod condition;
mod descriptor;
mod failing;
mod given;
mod glossary;
mod hostile;
mod index;
mod launch;
mod leak;
mod log;
mod markdown;
mod names;
mod output;
mod piece;
mod process_step;
mod program;
mod prototype;
mod record;
mod roll;
mod step;
mod steps;
mod story;
mod structure;
mod text;
mod thread_function;
mod threads;
mod usage;
mod values;
mod version;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use conformance::Verdict;
use conformance::report::{CaseReport, Report, Runs};

use crate::output::{Failure, print, remark, replace};
use names::{INDEX, Names};
use story::Story;

/// Forgets the kernels of contexts that are gone.
const FORGET: &str = "loaded_kernels = 0;";

/// How many times a case runs again.
const RUNS: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// How many bytes of a read a check can compare.
const READ_AT_MOST: usize = 64;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report of a run
    report: PathBuf,
    /// Cases, with or without parameters, or rows: a row stands for its cases that failed, are listed deviations or
    /// disclosed memory [default: all such cases]
    #[arg(value_name = "CASE-or-ROW")]
    cases: Vec<String>,
    /// The folder for the bug reports and their programs
    #[arg(long, value_name = "DIR", default_value = "bug-reports")]
    output: PathBuf,
    /// How many times the cases run again, to tell how often they fail
    #[arg(long, value_name = "NUMBER", default_value_t = RUNS)]
    runs: NonZeroUsize,
    /// The trace of a run with CONFORMANCE_TRACE=FILE and --fresh; the cases do not run again
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance report report.jsonl
  cargo conformance report report.jsonl vmm::map::a_part_may_be_mapped --output bugs
  gcc bugs/vmm-map-a_part_may_be_mapped.c -ldl -o bug && ./bug

The cases run again on the driver of the report: the suite loads the library that the report names as `given_path` in its
first line. Look at that line before you use the report of a stranger, because a library can do anything. With --trace,
no case runs and no library is loaded.

Each of these cases becomes a page of Markdown and, if its steps can be written in C, a program that needs no headers
of CUDA. The program exits with 1 if the driver misbehaves, 0 if it behaves, and 77 if this machine cannot run it. It
calls libcuda.so.1, or the library that CUDA_IPC_DRIVER names.";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let report = Report::read(&arguments.report).map_err(Failure::new)?;
    let cases = chosen(&report, arguments)?;
    if cases.is_empty() {
        let told =
            |end| format!("a process crashed or hung outside any case, for which no program is written: {end}\n");
        let outside: String = report.bad_ends.iter().map(told).collect();
        return print(&format!(
            "no case failed, is a listed deviation or disclosed memory\n{}{outside}",
            undecided(&report)
        ));
    }
    if arguments.cases.is_empty() {
        undecided(&report).lines().for_each(remark);
    }
    given::check(&arguments.report, &cases)?;
    let recorded = match &arguments.trace {
        Some(trace) => record::read(trace, &cases)?,
        None => record::again(&report.run, &cases, arguments.runs.get())?,
    };
    fs::create_dir_all(&arguments.output)
        .map_err(|error| Failure::new(format_args!("cannot create {}: {error}", arguments.output.display())))?;
    let names = Names::of(report.cases.iter().map(|case| case.id.as_str()));
    let mut text = String::new();
    let memory = report.run.devices.iter().map(|device| device.memory).min().unwrap_or_default();
    for (case, recorded) in cases.iter().zip(&recorded) {
        // A disclosure fails no case.
        let only_discloses = !case.disclosures.is_empty() && case.how_it_failed().is_none();
        let name = names.of_case(&case.id);
        let page = markdown::Page::of(&report.run, case, recorded, name)?;
        let story = recorded.story.as_ref().map_err(Clone::clone);
        let is_flaky = case.runs.is_some_and(Runs::is_flaky) || (1..recorded.runs).contains(&recorded.failed);
        let program = story.and_then(|story: &Story| c::write(story, &page.head(), memory, is_flaky));
        let write = |kind: &str, text: &str| {
            let path = arguments.output.join(format!("{name}.{kind}"));
            let failed = |error| Failure::new(format_args!("cannot write {}: {error}", path.display()));
            replace(&path, text).map_err(failed).map(|()| path.clone())
        };
        let markdown = write("md", &page.text(program.as_ref().err()))?;
        text += &format!("{}: {}", case.id, markdown.display());
        text += &match &program {
            Ok(program) => format!(", {}\n", write("c", program)?.display()),
            Err(reason) => format!(", no program: {}\n", reason.0),
        };
        if let Some(how) = &recorded.unlike {
            text += &format!("{}: {how}\n", case.id);
        }
        if recorded.failed == 0 && recorded.runs > 0 && has_failed(case) && !only_discloses {
            text += &format!(
                "{}: no later run failed, so the program may be of a run that passed; --runs NUMBER makes more runs\n",
                case.id
            );
        }
    }
    // With those that an earlier call has written for the same report.
    let has_page = |case: &&CaseReport| arguments.output.join(format!("{}.md", names.of_case(&case.id))).exists();
    let cases: Vec<_> = report.cases.iter().filter(has_page).collect();
    if cases.len() > 1 {
        let path = arguments.output.join(format!("{INDEX}.md"));
        let failed = |error| Failure::new(format_args!("cannot write {}: {error}", path.display()));
        replace(&path, index::text(&cases, &names)).map_err(failed)?;
        remark(format_args!("{} lists the bug reports by cause", path.display()));
    }
    print(&text)
}

/// Names the cases of which nothing is known, because the harness failed. They get no page unless they are named.
fn undecided(report: &Report) -> String {
    let errors = report.cases.iter().filter(|case| case.verdict == Verdict::Error);
    let told = |case: &CaseReport| {
        let reason = case.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or("no reason is given");
        format!("{} ended with an error of the harness, so nothing is known of its rule: {reason}\n", case.id)
    };
    errors.map(told).collect()
}

/// Whether a case shows a bug: it failed, is a listed deviation, or disclosed memory.
fn has_failed(case: &CaseReport) -> bool {
    let good = matches!(
        case.verdict,
        Verdict::Pass | Verdict::Fixed | Verdict::Unsupported | Verdict::Differs | Verdict::Error
    );
    !good || !case.disclosures.is_empty()
}

/// Returns the cases to report.
fn chosen<'report>(report: &'report Report, arguments: &Arguments) -> Result<Vec<&'report CaseReport>, Failure> {
    if arguments.cases.is_empty() {
        return Ok(report.cases.iter().filter(|case| has_failed(case)).collect());
    }
    let mut wanted = BTreeSet::new();
    for name in &arguments.cases {
        let is_named = |case: &&CaseReport| case.id == *name || case.id.split('/').next() == Some(name);
        let has_row = |case: &&CaseReport| case.rows.contains(name) && has_failed(case);
        let found: Vec<_> = report.cases.iter().filter(|case| is_named(case) || has_row(case)).collect();
        if found.is_empty() {
            return Err(Failure::new(format_args!(
                "{} has no case called {name}, and no case of a row {name} that failed, is a listed deviation or \
                 disclosed memory; `conformance show` lists its cases",
                arguments.report.display()
            )));
        }
        wanted.extend(found.into_iter().map(|case| &case.id));
    }
    Ok(report.cases.iter().filter(|case| wanted.contains(&case.id)).collect())
}

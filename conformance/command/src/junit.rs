//! `conformance junit`: converts a report to JUnit XML, which GitHub Actions, GitLab and Jenkins show.

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use conformance::Verdict;
use conformance::report::{CaseReport, Identification, Report, how_it_ended};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::output::{Failure, write};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report
    report: PathBuf,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Each group of cases becomes a test suite. The type of a failure, an error or a skip is the verdict:
  pass, fixed                      becomes passed
  unsupported, differs, deviation  becomes skipped; a listed deviation is not passed, because the rule does not hold
  fail, leak, timeout, crash       becomes a failure
  error                            becomes an error
The text of a failure names its kind: disclosure, corruption, crash, hang, leak, wrong result, or wrong code.
The output of a case that disclosed memory names each disclosure, even if the case passed. The output also names the
Xid messages of a run with --identify. They and what identifies the machine are also properties of the test suite.

A case that was still running at the end of the report becomes an error of type `unended`. If none was, but the report
has no end line or lost lines, that becomes an error of type `incomplete` in the test suite `run`; a report of nextest
never has that line. Each unmet requirement of --require becomes a failure of type `unmet` in the test suite `require`.
Each process that crashed or hung outside any case becomes a failure of type `process` in the test suite `processes`. The
text of a failure, an error or a skip repeats its type and message, because not every reader shows them.

Example:
  cargo conformance junit report.jsonl --output junit.xml";

/// The test suite of the unmet requirements of `--require`.
const REQUIRE: &str = "require";

/// The test suite of the processes that crashed or hung outside any case.
const PROCESSES: &str = "processes";

/// The test suite of a run that did not end.
const RUN: &str = "run";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let report = Report::read(&arguments.report).map_err(Failure::new)?;
    let junit = junit(&report);
    let text = junit.to_string().map_err(Failure::new)?;
    // XML cannot contain these two characters. The library removes all others that XML cannot contain.
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "");
    // No counts in the root: Jenkins's xUnit plugin rejects a file with `skipped` there, and if only `skipped` is
    // missing, some readers count skipped cases as passed. All readers add up the counts of the test suites.
    let quick_junit::Report { tests, skipped, failures, errors, .. } = junit;
    let counts = format!(" tests=\"{tests}\" skipped=\"{skipped}\" failures=\"{failures}\" errors=\"{errors}\"");
    write(arguments.output.as_deref(), &text.replacen(&counts, "", 1))
}

fn junit(report: &Report) -> quick_junit::Report {
    let mut groups: BTreeMap<&str, Vec<TestCase>> = BTreeMap::new();
    for case in &report.cases {
        groups.entry(group(&case.id)).or_default().push(test_case(case));
    }
    for id in &report.running {
        groups.entry(group(id)).or_default().push(unended(id));
    }
    if !report.is_complete && report.running.is_empty() && !report.run.is_of_nextest() {
        groups.entry(RUN).or_default().push(cut_off());
    }
    groups.entry(REQUIRE).or_default().extend(report.run.unmet.iter().map(|unmet| unmet_requirement(unmet)));
    let mut alike: BTreeMap<_, usize> = BTreeMap::new();
    for end in &report.bad_ends {
        let count = alike.entry(how_it_ended(end)).or_default();
        *count += 1;
        groups.entry(PROCESSES).or_default().push(bad_end(end, *count));
    }
    let groups = groups.into_iter().filter(|(_, cases)| !cases.is_empty());
    let mut junit = quick_junit::Report::new(report.run.to_string());
    for (group, cases) in groups {
        junit.add_test_suite(test_suite(group, cases, report));
    }
    junit.set_time(sum(junit.test_suites.iter().filter_map(|suite| suite.time)));
    junit
}

/// Adds up times. Those of a damaged report can be too long to be added.
fn sum(times: impl Iterator<Item = Duration>) -> Duration {
    times.fold(Duration::ZERO, Duration::saturating_add)
}

fn test_suite(name: &str, cases: Vec<TestCase>, report: &Report) -> TestSuite {
    let run = &report.run;
    let mut suite = TestSuite::new(name);
    suite.set_time(sum(cases.iter().filter_map(|case| case.time)));
    if let Some(began) = &run.began {
        // UTC in whole seconds, which is the form in the JUnit schemas.
        let seconds = began.trim_end_matches('Z').split('.').next().unwrap_or_default();
        suite.extra.insert("timestamp".into(), seconds.into());
    }
    let driver = &run.driver;
    suite.add_property(("driver", format!("{} {}", driver.name, driver.version).as_str()));
    suite.add_property(("cuda", driver.cuda.as_str()));
    suite.add_property(("devices", run.gpus().as_str()));
    suite.add_property(("seed", run.seed.to_string().as_str()));
    if let Some(version) = &run.suite {
        suite.add_property(("suite", version.to_string().as_str()));
    }
    for (name, value) in run.identification.iter().flat_map(Identification::facts) {
        suite.add_property((name.as_str(), value.as_str()));
    }
    if !report.is_complete && report.run.is_of_nextest() {
        suite.add_property((
            "end",
            "unknown: a report of nextest has no end line, so it does not say whether cases are missing",
        ));
    }
    for (case, xid) in report.xids().filter(|(case, _)| group(&case.id) == name) {
        suite.add_property(("xid", format!("{}: {xid}", case.id).as_str()));
    }
    suite.add_test_cases(cases);
    suite
}

fn test_case(case: &CaseReport) -> TestCase {
    let reason = case.reason.as_deref().unwrap_or_default();
    let failed = |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(case.verdict.word()).set_message(reason).set_description(told(case));
        status
    };
    let status = match case.verdict {
        Verdict::Pass | Verdict::Fixed => TestCaseStatus::success(),
        // Neither is a pass, and no reader shows a reason for a passed case.
        Verdict::Unsupported | Verdict::Differs | Verdict::Deviation => {
            let mut status = TestCaseStatus::skipped();
            status.set_type(case.verdict.word()).set_message(reason).set_description(told(case));
            status
        }
        Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash => failed(NonSuccessKind::Failure),
        Verdict::Error => failed(NonSuccessKind::Error),
    };
    let mut test_case = named(&case.id, status);
    test_case.set_time(Duration::try_from_secs_f64(case.duration_ms / 1e3).unwrap_or_default());
    // For a case that did not fail, Jenkins shows only this output, not even the reason of a skip.
    let is_good = matches!(case.verdict, Verdict::Fixed | Verdict::Unsupported | Verdict::Differs | Verdict::Deviation);
    if is_good || !case.disclosures.is_empty() || !case.xids.is_empty() {
        test_case.set_system_out(told(case));
    }
    test_case
}

/// Converts a case that was still running at the end of the report.
fn unended(id: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let reason = "the case was still running at the end of the report";
    status.set_type("unended").set_message(reason).set_description(format!("unended: {reason}"));
    let mut case = named(id, status);
    case.set_time(Duration::ZERO);
    case
}

/// Converts the lack of the last line: a report that is cut off between two cases would look like that of a shorter run.
fn cut_off() -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let reason = "the report has no end line, or fewer cases than it counts: the run broke off, or lines were lost";
    status.set_type("incomplete").set_message(reason).set_description(format!("incomplete: {reason}"));
    let mut case = TestCase::new("the report is complete", status);
    case.set_classname(RUN).set_time(Duration::ZERO);
    case
}

/// Converts an unmet requirement to a failed case, because it fails the run.
fn unmet_requirement(unmet: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("unmet").set_message(unmet).set_description(format!("--require is not met: {unmet}"));
    let mut case = TestCase::new(unmet, status);
    case.set_classname(REQUIRE).set_time(Duration::ZERO);
    case
}

/// Converts a process that crashed or hung outside any case to a failed case, because it fails the run. Its name is the same
/// in every run: `count` tells it from others that ended in the same way.
fn bad_end(end: &str, count: usize) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let told = format!("a process crashed or hung outside any case: {end}");
    status.set_type("process").set_message(end).set_description(told);
    let mut case = TestCase::new(format!("{} ({count})", how_it_ended(end)), status);
    case.set_classname(PROCESSES).set_time(Duration::ZERO);
    case
}

/// Names a case. The class is the path to the case's file, with dots, which Jenkins splits into packages.
fn named(id: &str, status: TestCaseStatus) -> TestCase {
    let base = id.split('/').next().unwrap_or(id);
    let (class, _) = base.rsplit_once("::").unwrap_or((base, base));
    let name = id.strip_prefix(class).map_or(id, |name| name.trim_start_matches("::"));
    let mut case = TestCase::new(if name.is_empty() { id } else { name }, status);
    case.set_classname(class.replace("::", "."));
    case
}

fn group(id: &str) -> &str {
    id.split("::").next().unwrap_or(id)
}

/// Returns the verdict, the reason, the kind of the defect, the disclosures, the Xid messages, the rows, the observations
/// and the steps.
/// Few readers show the type, and GitLab does not show the message either, so the text repeats them.
fn told(case: &CaseReport) -> String {
    let reason = case.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let verdict = format!("{}{reason}\n", case.verdict);
    let kind = case.failure.as_ref().map(|failure| format!("kind: {failure}\n"));
    let runs = case.runs.map(|runs| format!("failed in: {runs} runs\n"));
    let disclosures = case.disclosures.iter().map(|disclosure| format!("disclosure: {disclosure}\n"));
    let xids = case.xids.iter().map(|xid| format!("kernel: {xid}\n"));
    let rows = case.rows.iter().map(|row| format!("row {row}\n"));
    let observations = case.observations.iter().map(|(name, value)| format!("{name} = {value}\n"));
    let steps = crate::told::told(&case.steps).into_iter().enumerate();
    let steps =
        steps.map(|(number, step)| format!("{}. {}: {} -> {}\n", number + 1, step.role, step.call, step.answer));
    iter::once(verdict)
        .chain(kind)
        .chain(runs)
        .chain(disclosures)
        .chain(xids)
        .chain(rows)
        .chain(observations)
        .chain(steps)
        .collect()
}

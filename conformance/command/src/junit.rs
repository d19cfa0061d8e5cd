//! `conformance junit`: a report as JUnit XML, which GitHub actions, GitLab and Jenkins show.

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use conformance::Verdict;
use conformance::report::{CaseReport, Report, Run};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::output::{Failure, write};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report
    report: PathBuf,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
A test suite is a group of cases. A case that breaks a rule is a failure whose type is the verdict; an error of the
harness, and a case that was running when the report ends, is an error; an unsupported case is skipped with its reason,
and so is a listed deviation, of which nobody may think that it holds. What failed, and what was skipped, says all of it
in its text too, because not every reader shows a type and a message.

Examples:
  conformance junit report.jsonl --output junit.xml";

/// The suite of what `--require` names.
const REQUIRE: &str = "require";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let report = Report::read(&arguments.report).map_err(Failure::new)?;
    let junit = junit(&report);
    let text = junit.to_string().map_err(Failure::new)?;
    // XML has no way to write these two; the library leaves out the others.
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "");
    // No counts in the root: Jenkins' xUnit plugin refuses a file that has `skipped` there, and where only that one is
    // missing, some take what was skipped for passed. All add up the suites' own.
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
    groups.entry(REQUIRE).or_default().extend(report.run.unmet.iter().map(|unmet| unmet_requirement(unmet)));
    let groups = groups.into_iter().filter(|(_, cases)| !cases.is_empty());
    let mut junit = quick_junit::Report::new(report.run.to_string());
    for (group, cases) in groups {
        junit.add_test_suite(test_suite(group, cases, &report.run));
    }
    junit.set_time(junit.test_suites.iter().filter_map(|suite| suite.time).sum());
    junit
}

fn test_suite(group: &str, cases: Vec<TestCase>, run: &Run) -> TestSuite {
    let mut suite = TestSuite::new(group);
    suite.set_time(cases.iter().filter_map(|case| case.time).sum());
    if let Some(began) = &run.began {
        // Seconds in UTC: the form that the schemas of JUnit files know.
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
        Verdict::Pass => TestCaseStatus::success(),
        // Passed would be a lie, and its reason would show nowhere.
        Verdict::Unsupported | Verdict::Deviation => {
            let mut status = TestCaseStatus::skipped();
            status.set_type(case.verdict.word()).set_message(reason).set_description(told(case));
            status
        }
        Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash => failed(NonSuccessKind::Failure),
        Verdict::Error => failed(NonSuccessKind::Error),
    };
    let mut test_case = named(&case.id, status);
    test_case.set_time(Duration::try_from_secs_f64(case.duration_ms / 1e3).unwrap_or_default());
    // Jenkins shows nothing else of a case that did not fail, not even why it was skipped.
    if matches!(case.verdict, Verdict::Unsupported | Verdict::Deviation) {
        test_case.set_system_out(told(case));
    }
    test_case
}

/// A case of which nobody knows how it would have ended.
fn unended(id: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let reason = "it was running when the report ends";
    status.set_type("unended").set_message(reason).set_description(format!("unended: {reason}"));
    let mut case = named(id, status);
    case.set_time(Duration::ZERO);
    case
}

/// What the machine should have and has not fails the run, and so it is a case that failed.
fn unmet_requirement(unmet: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("unmet").set_message(unmet).set_description(format!("--require is not met: {unmet}"));
    let mut case = TestCase::new(unmet, status);
    case.set_classname(REQUIRE).set_time(Duration::ZERO);
    case
}

/// The class is the path to the file of the case, with dots, from which Jenkins makes packages.
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

/// The verdict and its reason, the rows, what was seen, and what was done. Few show the type, and GitLab not even the
/// message: the text has it all.
fn told(case: &CaseReport) -> String {
    let verdict = format!("{}: {}\n", case.verdict, case.reason.as_deref().unwrap_or_default());
    let rows = case.rows.iter().map(|row| format!("row {row}\n"));
    let observations = case.observations.iter().map(|(name, value)| format!("{name} = {value}\n"));
    let steps = case.steps.iter().enumerate();
    let steps =
        steps.map(|(number, step)| format!("{}. {}: {} -> {}\n", number + 1, step.role, step.call, step.answer));
    iter::once(verdict).chain(rows).chain(observations).chain(steps).collect()
}

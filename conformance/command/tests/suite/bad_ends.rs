//! The commands show a process that crashed or hung outside any case: no verdict does, and its run failed.

use conformance::report::Report;
use conformance::{Outcome, Stop, check};
use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{Reports, conformance, finish, plain, text};
use crate::suite::{harness, run, suite};

const END: &str = "process 4711, keeper: killed by signal 6 (SIGABRT) in exit()";
/// The same without what differs in each run.
const HOW: &str = "keeper: killed by signal 6 (SIGABRT) in exit()";

fn with(ends: &[&str]) -> Report {
    let mut report = plain("580.159.04", 1);
    report.bad_ends = ends.iter().map(|end| (*end).to_owned()).collect();
    report
}

/// Each command that shows a report shows the process.
#[rstest]
#[case::show("show", "a process crashed or hung outside any case: process 4711, keeper: killed by signal 6")]
#[case::junit(
    "junit",
    "<failure message=\"process 4711, keeper: killed by signal 6 (SIGABRT) in exit()\" type=\"process\">"
)]
#[case::html("html", "A process crashed or hung outside any case, so the run failed: process 4711, keeper: killed by")]
#[case::sentence("html", ", but the run failed.")]
#[case::mood("html", "<header class=\"bad\">")]
// The number is another in each run, and the name of a test is the same.
#[case::name("junit", "<testcase name=\"keeper: killed by signal 6 (SIGABRT) in exit() (1)\"")]
#[case::report(
    "report",
    "a process crashed or hung outside any case, for which no program is written: process 4711, keeper"
)]
#[conformance::test()]
fn a_report_shows_the_process(#[case] command: &str, #[case] shown: &str) -> Outcome {
    let reports = Reports::new(&with(&[]), &with(&[END]))?;
    let [without, with] = [reports.run(&[command, "old"])?, reports.run(&[command, "new"])?];
    let [without, with] = [text(&without.stdout), text(&with.stdout)];
    check!(with.contains(shown) && !without.contains(shown), "{with}");
    Ok(())
}

/// The name of a test in JUnit has neither the number of the process nor its deadline, so it is the same in each run.
#[rstest]
#[case::crash("process 9, own: exited with code 3 in exit()", "own: exited with code 3 in exit() (1)")]
#[case::hang(
    "process 9, own: no answer to exit() before the deadline of 10s",
    "own: no answer to exit() before the deadline (1)"
)]
#[conformance::test()]
fn the_name_of_a_test_is_the_same_in_each_run(#[case] end: &str, #[case] name: &str) -> Outcome {
    let printed = text(&Reports::new(&with(&[]), &with(&[end]))?.run(&["junit", "new"])?.stdout);
    check!(printed.contains(&format!("<testcase name=\"{name}\"")), "{printed}");
    Ok(())
}

/// So does the JSON of `show`.
#[rstest]
#[conformance::test()]
fn the_json_of_a_report_has_the_process() -> Outcome {
    let reports = Reports::new(&with(&[]), &with(&[END]))?;
    let json = text(&reports.run(&["show", "new", "--format", "json"])?.stdout);
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    check!(json["bad_ends"] == serde_json::json!([END]), "{json:#}");
    Ok(())
}

/// In a comparison it is a regression, unless the old run has such a process too. Its number is another in each run.
#[rstest]
#[case::new(&[], &[END], 1, "; a process crashed or hung outside any case: process 4711, keeper: killed by signal 6 (SIGABRT) in exit().")]
#[case::several(&[], &[END, "process 9, own: exited with code 3 in exit()"], 1, "; 2 processes crashed or hung outside any case, first process 4711, keeper: killed by signal 6 (SIGABRT) in exit().")]
#[case::another(&["process 9, own: exited with code 3 in exit()"], &[END], 1, " outside any case: process 4711, keeper: killed by signal 6 (SIGABRT) in exit().")]
#[case::another_code(&["process 9, own: exited with code 3 in exit()"], &["process 9, own: exited with code 139 in exit()"], 1, " outside any case: process 9, own: exited with code 139 in exit().")]
#[case::known(&["process 8, keeper: killed by signal 6 (SIGABRT) in exit()"], &[END], 0, "; as before, a process crashed or hung outside any case.")]
#[case::known_hang(&["process 8, own: no answer to exit() before the deadline"], &["process 9, own: no answer to exit() before the deadline of 10s"], 0, "; as before, a process crashed or hung outside any case.")]
// Which of several equal processes crashes is chance.
#[case::known_of_several(&["process 8, importer 1: killed by signal 6 (SIGABRT) in exit()"], &["process 9, importer 3: killed by signal 6 (SIGABRT) in exit()"], 0, "; as before, a process crashed or hung outside any case.")]
#[case::gone(&[END], &[], 0, "No documented rule broke since the earlier run of this driver.")]
#[conformance::test()]
fn a_new_process_is_a_regression(
    #[case] old: &[&str],
    #[case] new: &[&str],
    #[case] code: i32,
    #[case] end: &str,
) -> Outcome {
    let reports = Reports::new(&with(old), &with(new))?;
    let output = reports.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    check!(printed.lines().next().is_some_and(|first| first.ends_with(end)), "{printed}");
    check!(output.status.code() == Some(code), "{}: {printed}", output.status);
    let line = printed.lines().find(|line| line.starts_with("new: ")).unwrap_or_default();
    let told = match new {
        [] => "on 2 × NVIDIA H200".to_owned(),
        [end] => format!(", a process crashed or hung outside any case: {end}"),
        [end, ..] => format!(", {} processes crashed or hung outside any case, first {end}", new.len()),
    };
    check!(line.ends_with(&told), "{printed}");
    let markdown = text(&reports.run(&["diff", "old", "new", "--format", "markdown"])?.stdout);
    let title = if code == 1 { "a process crashed or hung outside any case" } else { "no case changed" };
    check!(markdown.starts_with(&format!("### CUDA inter-process memory: {title}\n")), "{markdown}");
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains("<header class=\"bad\">") != new.is_empty(), "{page}");
    Ok(())
}

/// A comparison names several such processes, and all of them with `--all`.
#[rstest]
#[case::few(2, &[], "\n  process 2, keeper: exited with code 3\n")]
#[case::many(7, &[], "\n  and 2 more, which --all lists\n")]
#[case::all(7, &["--all"], "\n  process 7, keeper: exited with code 3\n")]
#[conformance::test()]
fn a_comparison_names_each_process(#[case] count: usize, #[case] flags: &[&str], #[case] shown: &str) -> Outcome {
    let ends: Vec<_> = (1..=count).map(|number| format!("process {number}, keeper: exited with code 3")).collect();
    let ends: Vec<_> = ends.iter().map(String::as_str).collect();
    let reports = Reports::new(&with(&[]), &with(&ends))?;
    let printed = text(&reports.run(&[&["diff", "old", "new"][..], flags].concat())?.stdout);
    let heading = format!("\nprocesses that crashed or hung outside any case ({count})\n");
    check!(printed.contains(&heading) && printed.contains(shown), "{printed}");
    Ok(())
}

/// A comparison names the processes that the old run does not have first, in text and in Markdown.
#[rstest]
#[conformance::test()]
fn new_processes_come_first() -> Outcome {
    let known: Vec<_> = (1..=6).map(|number| format!("process {number}, keeper: exited with code 3")).collect();
    let known: Vec<_> = known.iter().map(String::as_str).collect();
    let new = [&known[..], &["process 7, importer: killed by signal 11 (SIGSEGV) in exit()"][..]].concat();
    let reports = Reports::new(&with(&known), &with(&new))?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    let told = " (7)\n  process 7, importer: killed by signal 11 (SIGSEGV) in exit()\n  process 1, keeper: exited with \
                code 3, as before\n";
    check!(printed.contains(told), "{printed}");
    let markdown = text(&reports.run(&["diff", "old", "new", "--format", "markdown"])?.stdout);
    check!(markdown.contains("\n\n- outside any case: `process 7, importer: killed"), "{markdown}");
    let last = "\n- outside any case: `process 6, keeper: exited with code 3, as before`\n";
    check!(markdown.contains(last), "{markdown}");
    Ok(())
}

/// The report of a run on a driver that crashes when its processes exit: the lines follow the schema, and a comparison
/// with a sound run fails.
#[rstest]
#[conformance::test()]
fn a_run_whose_processes_crash_is_a_regression() -> Outcome {
    let prepared = |fault: &str| -> Result<_, Stop> {
        let mut command = suite("reference")?;
        command.env("REFERENCE_DRIVER_FAULT", fault).args(["--exact", "sample::null_is_refused"]);
        run(command)
    };
    let (sound, broken) = (prepared("")?, prepared("exit-aborts")?);
    let lines = std::fs::read_to_string(broken.path()).map_err(harness)?;
    let schema = conformance::report::schema();
    let validator = jsonschema::validator_for(&schema).map_err(harness)?;
    for line in lines.lines() {
        check!(validator.is_valid(&serde_json::from_str(line).map_err(harness)?), "{line}");
    }
    let mut command = conformance(&["diff"])?;
    command.arg(sound.path()).arg(broken.path());
    let (code, printed, errors) = finish(command)?;
    let first = printed.lines().next().unwrap_or_default();
    check!(code == Some(1) && first.contains(" crashed or hung outside any case"), "{code:?}: {printed}{errors}");
    Ok(())
}

/// Returns a folder with the report of each of several equal hosts, whose processes ended like this.
fn folder<'a>(ends: impl Iterator<Item = Vec<&'a str>>) -> Result<TempDir, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    for (number, ends) in ends.enumerate() {
        let lines = with(&ends).to_lines().map_err(harness)?;
        std::fs::write(folder.path().join(format!("{number}.jsonl")), lines).map_err(harness)?;
    }
    Ok(folder)
}

fn fleet(folder: &TempDir, format: &str) -> Result<String, Stop> {
    let mut command = conformance(&["fleet", "--format", format])?;
    command.arg(folder.path());
    let (code, printed, errors) = finish(command)?;
    check!(code == Some(0), "{errors}");
    Ok(printed)
}

/// `fleet` says it in its first line, also if every report has such a process: each of these runs failed.
#[rstest]
#[case::one(&[Some(END), None, None, None], "4 reports of 1 driver: in 1 report a process crashed or hung outside any case, so its run failed; no rule", "in 1 of 4 reports with NVIDIA 580.159.04 and 2 × NVIDIA H200: 0.jsonl")]
#[case::all(&[Some(END), Some("process 8, keeper: killed by signal 6 (SIGABRT) in exit()")], "2 reports of 1 driver: in 2 reports a process crashed or hung outside any case, so their runs failed; no rule", "in 2 of 2 reports with NVIDIA 580.159.04 and 2 × NVIDIA H200: 0.jsonl, 1.jsonl")]
#[conformance::test()]
fn a_fleet_tells_the_runs_whose_processes_crashed(
    #[case] ends: &[Option<&str>],
    #[case] first: &str,
    #[case] place: &str,
) -> Outcome {
    let folder = folder(ends.iter().map(|end| end.iter().copied().collect()))?;
    let printed = fleet(&folder, "text")?;
    check!(printed.starts_with(first), "{printed}");
    check!(printed.contains(&format!("\noutliers (1)\n  outside any case: {HOW}\n    {place}\n")), "{printed}");
    let json: Value = serde_json::from_str(&fleet(&folder, "json")?).map_err(harness)?;
    let published: Value = serde_json::from_str(include_str!("../../fleet.schema.json")).map_err(harness)?;
    check!(jsonschema::validator_for(&published).map_err(harness)?.is_valid(&json), "{json:#}");
    let incident = &json["incidents"][0];
    check!(incident["kind"] == "process" && incident["what"] == HOW && incident["case"].is_null(), "{json:#}");
    let page = fleet(&folder, "html")?;
    let line = format!("<span class=\"badge fail\">process</span> {HOW}");
    check!(page.contains("<header class=\"bad\">") && page.contains(&line), "{page}");
    Ok(())
}

/// A list that is too long for the terminal says how many lines are left.
#[rstest]
#[conformance::test()]
fn a_long_list_says_how_many_lines_are_left() -> Outcome {
    let mut report = with(&[]);
    report.bad_ends = ('a'..='z').flat_map(|one| [format!("{one}: killed"), format!("{one}: hung")]).collect();
    let folder = tempfile::tempdir().map_err(harness)?;
    std::fs::write(folder.path().join("0.jsonl"), report.to_lines().map_err(harness)?).map_err(harness)?;
    let printed = fleet(&folder, "text")?;
    check!(
        printed.contains("\noutliers (52)\n") && printed.contains("\n  and 12 more, which --format json lists\n"),
        "{printed}"
    );
    Ok(())
}

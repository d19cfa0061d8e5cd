//! Which cases run, in which order, and for how long.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use conformance::report::{Report, Run as Described};
use conformance::{Defect, Outcome, Stop, Verdict, check};
use rstest::rstest;
use tempfile::TempDir;

use crate::gate::Gate;
use crate::suite::{harness, run, suite};

/// Runs the suite, whose report goes to the file, and returns its exit code and standard error.
pub(crate) fn finish(mut command: Command) -> Result<(Option<i32>, String), Stop> {
    let output = command.output().map_err(harness)?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// With `--exact`, a name that no case has is an error, and the message names the closest case.
#[rstest]
#[case::misspelt("sample::nul_is_refused", "the closest is `sample::null_is_refused`")]
#[case::without_its_module("null_is_refused", "the closest is `sample::null_is_refused`")]
#[case::a_part_of_it("null_is", "the closest is `sample::null_is_refused`")]
#[case::without_its_parameters("sample::there_are_two_gpus", "its parameters: sample::there_are_two_gpus/name=one,")]
#[case::with_more_parameters_than_are_shown("sample::there_are_two_gpus", "/name=other,number=1 …")]
#[conformance::test()]
fn an_exact_name_that_no_case_has_is_an_error(#[case] name: &str, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--exact", name]);
    let (code, errors) = finish(command)?;
    check!(code == Some(1), "the run succeeded without a case");
    check!(errors.contains(&format!("no case is called `{name}`")) && errors.contains(says), "{errors}");
    Ok(())
}

/// One plain filter that matches no case is a warning in a program of checks, because `cargo test` passes it to all
/// programs. In the suite it is an error, and so are all other filters everywhere.
#[rstest]
#[case::one(&["no_such_case"], 0, "warning: no case matches `no_such_case`")]
#[case::one_of_two(&["null_is_refused", "no_such_case"], 1, "no case matches `no_such_case`; --list prints the names")]
#[case::pattern(&["sample::*_refuse"], 1, "the pattern `sample::*_refuse`, which must match a whole name; --list")]
#[case::row(&["IPCMEM-OPEN-999"], 1, "no case checks `IPCMEM-OPEN-999`")]
#[case::class(&["class=X"], 1, "unknown class `X`; expected D, D*, U, O or Q")]
#[case::a_match(&["null_is_refused"], 0, "")]
#[conformance::test()]
fn a_filter_that_matches_no_case_is_told(#[case] filters: &[&str], #[case] code: i32, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(filters);
    let (found, errors) = finish(command)?;
    check!(found == Some(code) && errors.contains(says) && errors.is_empty() == says.is_empty(), "{found:?}: {errors}");
    Ok(())
}

/// A `--skip` that matches no case is told like a filter. With `--exact`, it must be a whole name. In a program of checks
/// it is only a warning, because `cargo test -- --skip NAME` may mean another program.
#[rstest]
#[case::none("no_such_case", "warning: --skip: no case matches `no_such_case`; --list prints the names")]
#[case::one("memory_has", "")]
#[case::name_in_part("memory_has --exact", "warning: --skip: no case is called `memory_has`; the closest is `")]
#[case::name("drivers::a_gpu_is_listed_once --exact", "")]
#[conformance::test()]
fn a_skip_that_matches_no_case_is_told(#[case] skip: &str, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(["sample::null_is_refused", "--skip"]).args(skip.split(' '));
    let (found, errors) = finish(command)?;
    check!(found == Some(0) && errors.contains(says) && errors.is_empty() == says.is_empty(), "{found:?}: {errors}");
    Ok(())
}

/// No case is ignored. In a program of checks, `--ignored` is no error nevertheless, because `cargo test -- --ignored` may
/// mean another program.
#[rstest]
#[conformance::test()]
fn ignored_cases_may_be_those_of_another_program() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["sample::null_is_refused", "--ignored"]);
    let (code, errors) = finish(command)?;
    check!(code == Some(0) && errors.is_empty(), "{code:?}: {errors}");
    Ok(())
}

/// A run in which no case is left is refused: it would be green and have checked nothing.
#[rstest]
#[case::all_are_skipped(&["null_is_refused", "--skip", "null"], 1, "with --skip null: no case is left")]
#[case::an_empty_name(&["--skip", ""], 1, "--skip : no case is left")]
#[case::benchmarks(&["null_is_refused", "--bench"], 1, "--bench: there are no benchmarks")]
#[case::an_empty_file(&["--cases", "/dev/null"], 1, "--cases /dev/null: the file names no case")]
#[case::no_scripts(&["--scripts", "0"], 2, "invalid value '0' for '--scripts <NUMBER>'")]
#[case::no_threads(&["--test-threads", "0"], 2, "--test-threads 0: no case could run")]
#[conformance::test()]
fn a_run_without_a_case_is_refused(#[case] arguments: &[&str], #[case] code: i32, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(arguments);
    let (found, errors) = finish(command)?;
    check!(found == Some(code) && errors.contains(says), "{found:?}: {errors}");
    Ok(())
}

/// Returns the names of the cases that ran, without parameters, in their order in the report.
fn ran(arguments: &[&str]) -> Result<(Vec<String>, Described), Stop> {
    let mut command = suite("reference")?;
    command.args(["--seed", "1"]).args(arguments);
    let run = run(command)?;
    let text = std::fs::read_to_string(run.path()).map_err(|error| harness(format!("{error}: {}", run.errors())))?;
    let cases = text.lines().filter_map(|line| line.split_once("{\"line\":\"case\",\"id\":\"")?.1.split('"').next());
    Ok((cases.map(str::to_owned).collect(), run.report()?.run))
}

fn bases(cases: &[String]) -> Vec<&str> {
    let mut bases: Vec<_> = cases.iter().filter_map(|case| case.split('/').next()).collect();
    bases.dedup();
    bases
}

/// Filters add up. Each is a part of a name, a pattern, a row, a group of rows, or a class.
#[rstest]
#[case::two(&["null_is_refused", "there_are_two"], &["sample::null_is_refused", "sample::there_are_two_gpus"], 5)]
#[case::pattern(&["sample::*/mebibytes=1?,is_filled=true"], &["sample::memory_has_its_size"], 10)]
#[case::pattern_of_all_parameters(&["sample::there_are_t?o_gpus"], &["sample::there_are_two_gpus"], 4)]
#[case::row(&["IPCMEM-CLOSE-006"], &["sample::null_is_refused"], 1)]
#[case::group(&["IPCMEM-CLOSE"], &["sample::null_is_refused"], 1)]
#[case::pattern_of_rows(&["IPCMEM-*-006"], &["sample::null_is_refused"], 1)]
#[case::quick(
    &["sample::memory", "sample::there_are_two", "--level", "quick"],
    &["sample::memory_has_its_size", "sample::there_are_two_gpus"],
    2
)]
#[conformance::test()]
fn filters_select_cases(#[case] filters: &[&str], #[case] expected: &[&str], #[case] count: usize) -> Outcome {
    let (cases, described) = ran(filters)?;
    check!(bases(&cases) == expected && cases.len() == count, "{} cases: {cases:?}", cases.len());
    let told = described.selection.unwrap_or_default();
    check!(described.is_partial && told.starts_with(&format!("the filter {}", filters[0])), "{told}");
    Ok(())
}

/// A file names cases with their parameters, or without them.
#[rstest]
#[case::with_parameters("sample::there_are_two_gpus/name=one,number=1", 1)]
#[case::without_parameters("sample::there_are_two_gpus", 4)]
#[conformance::test()]
fn a_file_selects_cases(#[case] name: &str, #[case] count: usize) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let file = folder.path().join("cases");
    std::fs::write(&file, format!("{name}\n")).map_err(harness)?;
    let (cases, _) = ran(&["--cases", &file.to_string_lossy()])?;
    check!(bases(&cases) == ["sample::there_are_two_gpus"] && cases.len() == count, "{cases:?}");
    Ok(())
}

/// Of the cases that check one rule, the quick level runs the one that took the least time in the records.
#[rstest]
#[conformance::test()]
fn the_quick_level_runs_the_case_that_costs_least() -> Outcome {
    const CHEAPEST: &str = "sample::memory_has_its_size/mebibytes=7,is_filled=true";
    let records = tempfile::tempdir().map_err(harness)?;
    let mut command = suite("reference")?;
    command.arg("sample::memory_has_its_size");
    let mut record = run(command)?.report()?;
    for case in &mut record.cases {
        case.duration_ms = if case.id == CHEAPEST { 1.5 } else { 900.25 };
    }
    std::fs::write(records.path().join("record.jsonl"), record.to_lines().map_err(harness)?).map_err(harness)?;
    let folder = records.path().to_string_lossy();
    let (cases, _) = ran(&["sample::memory_has_its_size", "--level", "quick", "--records", &folder])?;
    check!(cases == [CHEAPEST], "{cases:?}");
    Ok(())
}

/// `class=D` selects the cases of documented rows.
#[rstest]
#[conformance::test()]
fn a_class_selects_cases() -> Outcome {
    let documented = ["class=D", "--skip", "filters", "--skip", "planted"];
    let (cases, _) = ran(&documented)?;
    check!(
        bases(&cases).contains(&"sample::memory_has_its_size") && cases.iter().all(|case| case.starts_with("sample::")),
        "{cases:?}"
    );
    Ok(())
}

/// The extended level runs each case three times.
#[rstest]
#[conformance::test()]
fn the_extended_level_repeats() -> Outcome {
    let (_, described) = ran(&["sample::null_is_refused", "--level", "extended"])?;
    check!(described.repeat.get() == 3, "{described:?}");
    Ok(())
}

/// `--shuffle` changes the order, and the seed determines it.
#[rstest]
#[conformance::test()]
fn the_seed_determines_a_shuffled_order() -> Outcome {
    let (sorted, _) = ran(&["sample::memory_has_its_size"])?;
    let (one, _) = ran(&["sample::memory_has_its_size", "--shuffle"])?;
    let (again, _) = ran(&["sample::memory_has_its_size", "--shuffle"])?;
    check!(one == again && one != sorted, "{one:?} {again:?}");
    let mut cases = one;
    cases.sort();
    let mut expected = sorted;
    expected.sort();
    check!(cases == expected, "{cases:?}");
    Ok(())
}

/// When the budget is spent, no case starts. The last lines say how many are left out, and the report is partial.
#[rstest]
#[conformance::test()]
fn a_budget_ends_the_run() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["sample::", "--budget", "1ns"]);
    let run = run(command)?;
    let report = run.report()?;
    check!(report.cases.is_empty() && report.run.is_partial && report.is_complete, "{report:?}");
    check!(run.text().contains("--budget is spent: 47 cases did not run"), "{}", run.text());
    let (cases, _) = ran(&["sample::memory", "sample::there_are_two", "--budget", "10m"])?;
    check!(cases.len() == 44 && bases(&cases[..2]).len() == 2, "a second case of a rule comes first: {cases:?}");
    Ok(())
}

/// A run that ends before its budget is spent says nothing of the budget.
#[rstest]
#[conformance::test()]
fn a_budget_that_is_not_spent_is_not_mentioned() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--exact", "sample::null_is_refused", "--budget", "10m"]);
    let run = run(command)?;
    check!(run.output.status.success() && !run.text().contains("--budget is spent"), "{}", run.text());
    Ok(())
}

/// A budget in which no case can start is not green: 0 is an invalid flag, and a run that checked nothing fails.
#[rstest]
#[case::zero("0s", 2, "a budget of 0s lets no case start: the smallest useful one is about 1s")]
#[case::too_short("1ns", 101, "--budget 1ns is spent before the first case could start, so nothing was checked")]
#[conformance::test()]
fn a_budget_for_no_case_is_an_error(#[case] budget: &str, #[case] code: i32, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(["sample::", "--budget", budget]);
    let (found, errors) = finish(command)?;
    check!(found == Some(code) && errors.contains(says), "{found:?}: {errors}");
    Ok(())
}

/// A case that runs when the budget is spent still ends with its verdict, and no other one starts.
#[rstest]
#[conformance::test()]
fn a_case_that_has_begun_ends_beyond_the_budget() -> Outcome {
    // The run begins before its budget does, and the first case has to end in that time.
    const BUDGET: Duration = Duration::from_secs(10);
    let folder = tempfile::tempdir().map_err(harness)?;
    let (gate, report) = (Gate::new(folder.path())?, folder.path().join("report.jsonl"));
    let mut command = suite("reference")?;
    // One case of memory runs first, because it checks a row, and the other 39 would run after the gate.
    command.args(["sample::memory", "planted::waits_at_a_gate", "--budget", "10s", "--report"]).arg(&report);
    gate.bars(&mut command);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(harness)?;
    let waiting = gate.wait(run.stdout.take())?;
    // Nothing signals that the budget is spent while a case runs: the time is what this tests.
    std::thread::sleep(BUDGET);
    let told = waiting.go_on()?;
    let status = run.wait().map_err(harness)?;
    let report = Report::read(&report).map_err(harness)?;
    let ended: Vec<_> = report.cases.iter().map(|case| (case.id.as_str(), case.verdict)).collect();
    let first = "sample::memory_has_its_size/mebibytes=1,is_filled=false";
    check!(ended == [("planted::waits_at_a_gate", Verdict::Pass), (first, Verdict::Pass)], "{ended:?}");
    check!(report.run.is_partial && report.is_complete, "{:?}", report.run);
    check!(status.success() && told.contains("--budget is spent: 39 cases did not run"), "{told}");
    Ok(())
}

/// `--gpus` makes only these GPUs visible. A GPU that does not exist is an error.
#[rstest]
#[conformance::test()]
fn gpus_can_be_chosen() -> Outcome {
    let machine = format!("{:x}", conformance::random().u64(..));
    let command = |arguments: &[&str]| -> Result<Command, Stop> {
        let mut command = suite("reference")?;
        // The UUIDs of devices depend on the name of the machine.
        command.env("REFERENCE_DRIVER_DEVICES", "4").env("REFERENCE_DRIVER_MACHINE", &machine);
        command.args(["--identify", "sample::there_are_two"]).args(arguments);
        Ok(command)
    };
    let all = run(command(&[])?)?.report()?;
    let some = run(command(&["--gpus", "0,3"])?)?.report()?;
    let uuids = |report: &Report| report.run.devices.iter().map(|device| device.uuid.clone()).collect::<Vec<_>>();
    let all = uuids(&all);
    check!(uuids(&some) == [all[0].clone(), all[3].clone()], "{:?} of {all:?}", uuids(&some));
    // The numbers are those of the GPUs that this process sees.
    let mut seen = command(&["--gpus", "1,0"])?;
    seen.env("CUDA_VISIBLE_DEVICES", "0,3,1");
    let seen = run(seen)?.report()?;
    check!(uuids(&seen) == [all[3].clone(), all[0].clone()], "{:?} of {all:?}", uuids(&seen));
    let mut named = command(&["--gpus", "1,0"])?;
    named.env("CUDA_VISIBLE_DEVICES", format!("GPU-{},GPU-{}", all[3], all[0]));
    let named = run(named)?.report()?;
    check!(uuids(&named) == [all[0].clone(), all[3].clone()], "{:?} of {all:?}", uuids(&named));
    let (code, errors) = finish(command(&["--gpus", "0,4"])?)?;
    check!(code == Some(1) && errors.contains("--gpus 0,4: the driver finds 1 of these 2 GPUs"), "{errors}");
    Ok(())
}

/// A run of planted cases, of which some fail.
pub(crate) struct Failing {
    pub(crate) folder: TempDir,
}

impl Failing {
    const FILTERS: [&str; 4] = ["planted::fail", "planted::unsteady::fails", "planted::crash", "sample::null"];

    pub(crate) fn new() -> Result<Self, Stop> {
        let failing = Self { folder: tempfile::tempdir().map_err(harness)? };
        let mut command = failing.suite()?;
        command.args(Self::FILTERS).arg("--report").arg(failing.path());
        finish(command)?;
        Ok(failing)
    }

    pub(crate) fn suite(&self) -> Result<Command, Stop> {
        let mut command = suite("reference")?;
        command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0"]);
        Ok(command)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("report.jsonl")
    }
}

/// `--from` runs the cases of a report that failed, or those with certain verdicts.
#[rstest]
#[case::failed(&[], &["planted::crash", "planted::fail", "planted::unsteady::fails_in_run_1"])]
#[case::crashed(&["--verdict", "crash"], &["planted::crash"])]
#[case::two(&["--verdict", "crash,pass"], &["planted::crash", "planted::unsteady::fails_in_run_5", "sample::null_is_refused"])]
#[conformance::test()]
fn a_report_selects_cases(#[case] arguments: &[&str], #[case] expected: &[&str]) -> Outcome {
    let failing = Failing::new()?;
    let mut command = failing.suite()?;
    command.arg("--from").arg(failing.path()).args(arguments);
    let again = run(command)?.report()?;
    let ids: Vec<_> =
        again.cases.iter().map(|case| case.id.as_str()).filter(|id| !id.contains("new_process")).collect();
    check!(ids == expected, "{ids:?}");
    Ok(())
}

/// A report of another version can name cases that this suite lacks. The run says how many, and runs the others. If there
/// are no others, the run is refused.
#[rstest]
#[case::some(
    "planted::crash",
    Some(101),
    "warning: --from REPORT: this suite lacks 1 of its cases, such as gone::crash"
)]
#[case::all("planted::", Some(1), "conformance: --from REPORT: this suite lacks 4 of its cases, such as gone::crash")]
#[conformance::test()]
fn cases_that_the_suite_lacks_are_told(
    #[case] renamed: &str,
    #[case] code: Option<i32>,
    #[case] says: &str,
) -> Outcome {
    let failing = Failing::new()?;
    let text = std::fs::read_to_string(failing.path()).map_err(harness)?;
    std::fs::write(failing.path(), text.replace(renamed, &renamed.replace("planted", "gone"))).map_err(harness)?;
    let mut command = failing.suite()?;
    command.arg("--from").arg(failing.path());
    let (found, errors) = finish(command)?;
    let says = says.replace("REPORT", &failing.path().display().to_string());
    check!(found == code && errors.contains(&says), "{found:?}: {errors}");
    Ok(())
}

/// If no case of a complete report has to run again, the run says so and is green. A filter that no case matches is an
/// error nevertheless, and so is a report that does not say how its run ended.
#[rstest]
#[case::green(&[], 0, "nothing to run again: no case in REPORT failed")]
#[case::no_such_verdict(&["--verdict", "leak,crash"], 0, "nothing to run again: no case in REPORT ended as leak or crash")]
#[case::filtered(&["sample::*"], 0, "nothing to run again: no selected case in REPORT failed")]
#[case::with_a_budget(&["--budget", "1h"], 0, "nothing to run again: no case in REPORT failed")]
#[case::wrong_filter(&["sample::*_refuse"], 1, "no case matches the pattern `sample::*_refuse`")]
#[conformance::test()]
fn a_green_report_selects_nothing(#[case] arguments: &[&str], #[case] code: i32, #[case] says: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--exact", "sample::null_is_refused"]);
    let green = run(command)?;
    let again = || -> Result<_, Stop> {
        let mut command = suite("reference")?;
        command.arg("--from").arg(green.path()).args(arguments);
        finish(command)
    };
    let says = says.replace("REPORT", &green.path().display().to_string());
    let (found, errors) = again()?;
    check!(
        found == Some(code) && errors == format!("conformance: {says}\n") || code == 1 && errors.contains(&says),
        "{found:?}: {errors}"
    );
    let whole = std::fs::read_to_string(green.path()).map_err(harness)?;
    let end = whole.find("{\"line\":\"end\"").ok_or_else(|| harness("the report has no end"))?;
    let (cut, process) = (&whole[..end], "{\"line\":\"process\",\"end\":\"process 7, keeper: killed\"}\n");
    let case = whole.find("{\"line\":\"start\"").ok_or_else(|| harness("the report has no case"))?;
    let unmet = whole.replacen("\"fresh\":false", "\"fresh\":false,\"unmet\":[\"gpus=9, found 2\"]", 1);
    check!(unmet != whole, "{whole}");
    let none = whole[end..].replace("\"pass\":1", "\"pass\":0");
    for (text, why) in [
        (cut.to_owned(), "the report has no end line"),
        (unmet, "--require was not met (gpus=9, found 2)"),
        (format!("{}{none}", &whole[..case]), "the report has no cases"),
        (format!("{cut}{process}{}", &whole[end..]), "a process crashed or hung outside any case"),
    ] {
        std::fs::write(green.path(), text).map_err(harness)?;
        let (found, errors) = again()?;
        check!(found == Some(1) && (code == 1 || errors.contains(why)), "{found:?}: {errors}");
    }
    Ok(())
}

/// With `--strict`, a case that differs has failed.
#[rstest]
#[case::strict(&["--strict"], &["planted::differs"])]
#[case::otherwise(&[], &[])]
#[conformance::test()]
fn a_strict_run_runs_differences_again(#[case] flags: &[&str], #[case] ran: &[&str]) -> Outcome {
    let planted = || -> Result<_, Stop> {
        let mut command = suite("reference")?;
        command.env("CONFORMANCE_PLANTED", "1");
        Ok(command)
    };
    let mut command = planted()?;
    command.args(["--exact", "planted::differs"]);
    let differs = run(command)?;
    let mut command = planted()?;
    command.args(flags).arg("--from").arg(differs.path());
    let ids: Vec<_> = run(command)?.report()?.cases.into_iter().map(|case| case.id).collect();
    check!(ids == ran, "{ids:?}");
    Ok(())
}

/// A run of single cases says that the report is of a run that failed in another way too.
#[rstest]
#[case::runs(&[], Some(101), "conformance: warning: --from REPORT runs single cases again, but a process crashed or hung")]
#[case::selects_nothing(&["sample::"], Some(1), "--from REPORT: no selected case failed, but a process crashed or hung")]
#[conformance::test()]
fn what_no_case_shows_is_told(#[case] filters: &[&str], #[case] code: Option<i32>, #[case] says: &str) -> Outcome {
    let failing = Failing::new()?;
    let text = std::fs::read_to_string(failing.path()).map_err(harness)?;
    let process = "{\"line\":\"process\",\"end\":\"process 7, keeper: killed\"}\n{\"line\":\"end\"";
    std::fs::write(failing.path(), text.replacen("{\"line\":\"end\"", process, 1)).map_err(harness)?;
    let mut command = failing.suite()?;
    command.args(filters).arg("--from").arg(failing.path());
    let (found, errors) = finish(command)?;
    let says = says.replace("REPORT", &failing.path().display().to_string());
    check!(found == code && errors.contains(&says), "{found:?}: {errors}");
    Ok(())
}

/// With `--from`, a filter selects among the cases of the report. If none of them failed, nothing has to run again.
#[rstest]
#[case::some(&["planted::crash"], &["planted::crash"], "")]
#[case::none(&["sample::"], &[], "nothing to run again: no selected case in ")]
#[conformance::test()]
fn filters_select_among_the_cases_of_a_report(
    #[case] filters: &[&str],
    #[case] ran: &[&str],
    #[case] says: &str,
) -> Outcome {
    let failing = Failing::new()?;
    let mut command = failing.suite()?;
    command.args(filters).arg("--from").arg(failing.path());
    let again = run(command)?;
    let ids: Vec<_> = again.report()?.cases.into_iter().map(|case| case.id).collect();
    check!(ids == ran && again.errors().contains(says), "{ids:?}: {}", again.errors());
    check!(again.output.status.success() == ran.is_empty(), "{}", again.output.status);
    Ok(())
}

/// Cuts a report before the line of a case that ended.
fn cut(path: &Path, before: &str, rest: &str) -> Outcome {
    let text = std::fs::read_to_string(path).map_err(harness)?;
    let place = text.find(&format!("{{\"line\":\"case\",\"id\":\"{before}")).ok_or_else(|| harness("no such case"))?;
    std::fs::write(path, format!("{}{rest}", &text[..place])).map_err(harness)
}

/// A report that ended early goes on: what ended is not run again, half a line is dropped, the case that was running comes
/// last, and the exit code counts all of it.
#[rstest]
#[conformance::test()]
fn a_run_goes_on() -> Outcome {
    let failing = Failing::new()?;
    let whole = Report::read(&failing.path()).map_err(harness)?;
    cut(&failing.path(), "planted::fail\"", "{\"line\":\"case\",\"id\":\"planted::fa")?;
    let begun = Report::read(&failing.path()).map_err(harness)?.cases.len();
    check!(begun == 1, "{begun} cases have ended");
    let resume = |filters: &[&str]| -> Result<_, Stop> {
        let mut command = failing.suite()?;
        let output = command.args(filters).arg("--resume").arg(failing.path()).output().map_err(harness)?;
        let [text, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok((output.status.code(), text, errors))
    };
    for (filters, now) in [(&["sample::null"] as &[&str], "the filter sample::null"), (&[], "no filter")] {
        let (code, _, errors) = resume(filters)?;
        let says = format!(
            "had the filter planted::fail planted::unsteady::fails planted::crash sample::null, and this one has {now}: give"
        );
        check!(code == Some(1) && errors.contains(&says), "{errors}");
    }
    let filters = Failing::FILTERS;
    let mut list = failing.suite()?;
    let listed = list.arg("--list").output().map_err(harness)?;
    let all = String::from_utf8_lossy(&listed.stdout).lines().filter(|line| line.ends_with(": test")).count();
    let (code, told, errors) = resume(&filters)?;
    check!(code == Some(101), "{code:?}: {errors}");
    let says = format!(
        "conformance: --resume {}: 1 case has ended and does not run again, {} are left; {} other cases of this \
         suite are left out by the filter planted::fail planted::unsteady::fails planted::crash sample::null\n",
        failing.path().display(),
        whole.cases.len() - begun,
        all - whole.cases.len(),
    );
    check!(told.contains(&says), "{told}");
    let resumed = Report::read(&failing.path()).map_err(harness)?;
    let ends = |report: &Report| report.cases.iter().map(|case| (case.id.clone(), case.verdict)).collect::<Vec<_>>();
    check!(resumed.is_complete && ends(&resumed) == ends(&whole) && resumed.run.seed == whole.run.seed, "{resumed:?}");
    let text = std::fs::read_to_string(failing.path()).map_err(harness)?;
    check!(
        text.matches("\"line\":\"run\"").count() == 1 && text.matches("planted::crash\",\"rows\"").count() == 1,
        "{text}"
    );
    let last = text.lines().rev().nth(1).unwrap_or_default();
    check!(last.starts_with("{\"line\":\"case\",\"id\":\"planted::fail\""), "{last}");
    let (code, _, errors) = resume(&filters)?;
    check!(code == Some(1) && errors.contains("is complete"), "{errors}");
    Ok(())
}

/// A run goes on with the flags that the report tells of. Otherwise the report would tell of the first part only.
#[rstest]
#[case::seed(&["--seed", "7"], "had --seed: ")]
#[case::repeat(&["--repeat", "5"], "had --repeat: 1, and this one has 5")]
#[case::fresh(&["--fresh"], "had --fresh: false, and this one has true")]
#[case::require(&["--require", "gpus=9"], "had unmet requirements: [], and this one has [\"gpus=9, found 2\"]")]
#[conformance::test()]
fn a_run_goes_on_with_the_same_flags(#[case] flags: &[&str], #[case] says: &str) -> Outcome {
    let failing = Failing::new()?;
    cut(&failing.path(), "planted::fail\"", "")?;
    let mut command = failing.suite()?;
    command.args(Failing::FILTERS).args(flags);
    command.arg("--resume").arg(failing.path());
    let (code, errors) = finish(command)?;
    check!(code == Some(1) && errors.contains(says), "{code:?}: {errors}");
    Ok(())
}

/// With `--strict`, a case that differed before the run ended fails the run that goes on.
#[rstest]
#[case::strict(&["--strict"], 101)]
#[case::not_strict(&[], 0)]
#[conformance::test()]
fn a_case_that_differed_before_counts(#[case] flags: &[&str], #[case] code: i32) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("report.jsonl");
    let cases = ["sample::null_is_refused", "sample::there_are_two_gpus"];
    let mut first = suite("reference")?;
    first.args(cases).arg("--report").arg(&path);
    check!(finish(first)?.0 == Some(0));
    cut(&path, "sample::there_are_two_gpus", "")?;
    let text = std::fs::read_to_string(&path).map_err(harness)?;
    std::fs::write(&path, text.replacen("\"verdict\":\"pass\"", "\"verdict\":\"differs\"", 1)).map_err(harness)?;
    let mut again = suite("reference")?;
    again.args(cases).args(flags).arg("--resume").arg(&path);
    let (found, errors) = finish(again)?;
    check!(found == Some(code), "{found:?}: {errors}");
    Ok(())
}

/// A case in which a run ended twice is not tried a third time: it is a crash, and the run says so.
#[rstest]
#[conformance::test()]
fn a_case_that_ends_two_runs_is_a_crash() -> Outcome {
    let failing = Failing::new()?;
    cut(&failing.path(), "sample::null_is_refused", "{\"line\":\"start\",\"id\":\"sample::null_is_refused\"}\n")?;
    let mut command = failing.suite()?;
    command.args(Failing::FILTERS).arg("--resume").arg(failing.path());
    let output = command.output().map_err(harness)?;
    let code = output.status.code();
    let [told, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    check!(told.contains("; 1 case has ended two runs and does not run a third time"), "{told}{errors}");
    let report = Report::read(&failing.path()).map_err(harness)?;
    let case = report.case("sample::null_is_refused").ok_or_else(|| harness(errors))?;
    check!(case.verdict == Verdict::Crash && code == Some(101), "{code:?}: {case:?}");
    check!(case.reason.as_deref() == Some("2 runs of the suite broke off while this case was running"), "{case:?}");
    check!(case.failure.as_ref().is_some_and(|failure| failure.kind == Defect::Crash), "{case:?}");
    Ok(())
}

//! A comparison says how much of the suite it covers, and one of no case is not green.

use conformance::report::{Report, Suite};
use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, case, plain, text};

fn only_the_first_line(_: &mut Report, new: &mut Report) {
    new.cases.clear();
    new.is_complete = false;
}

fn other_filters(old: &mut Report, new: &mut Report) {
    for (report, filter, id) in [(old, "the filter vmm::", "vmm::a"), (new, "the filter pool::", "pool::a")] {
        report.run.is_partial = true;
        report.run.selection = Some(filter.to_owned());
        report.cases = vec![case(id)];
    }
}

fn nothing_can_run(_: &mut Report, new: &mut Report) {
    for case in &mut new.cases {
        (case.verdict, case.reason) = (Verdict::Unsupported, Some("needs a GPU".to_owned()));
    }
}

fn nothing_can_run_of_the_same_filter(old: &mut Report, new: &mut Report) {
    nothing_can_run(old, new);
    quick(old, new);
}

fn nothing_could_run_of_the_same_filter(old: &mut Report, new: &mut Report) {
    nothing_can_run(new, old);
    quick(old, new);
}

/// Makes both runs those of `--level quick`.
fn quick(old: &mut Report, new: &mut Report) {
    for report in [old, new] {
        report.run.is_partial = true;
        report.run.selection = Some("--level quick".to_owned());
    }
}

fn other_suites(_: &mut Report, new: &mut Report) {
    new.cases = vec![case("vmm::new")];
}

fn other_suites_of_the_same_filter(old: &mut Report, new: &mut Report) {
    other_suites(old, new);
    quick(old, new);
}

fn other_suites_and_a_harness_error(old: &mut Report, new: &mut Report) {
    other_suites(old, new);
    let case = &mut old.cases[0];
    (case.verdict, case.reason) = (Verdict::Error, Some("no process can be started".to_owned()));
}

fn a_harness_error_and_another_machine(old: &mut Report, new: &mut Report) {
    old.cases = vec![case("vmm::old")];
    new.cases = vec![case("vmm::new"), case("vmm::old")];
    let (error, unsupported) = (&mut old.cases[0], &mut new.cases[1]);
    (error.verdict, error.reason) = (Verdict::Error, Some("no process can be started".to_owned()));
    (unsupported.verdict, unsupported.reason) = (Verdict::Unsupported, Some("needs 2 GPUs".to_owned()));
}

/// If both reports check no case in common, the exit code is 2, and the first sentence says why and what to do.
#[rstest]
#[case::only_the_first_line(
    only_the_first_line,
    "because the new report has no end line, or lacks cases that it counts, so nothing is known of the driver; compare \
     reports of runs that ended; 3 cases are no longer checked: the report ends earlier."
)]
#[case::other_filters(
    other_filters,
    "because the old run used the filter vmm:: and the new run used the filter pool::, so nothing is known of the driver; \
     compare runs with the same filters; 1 case is no longer checked: left out by a filter; 1 case is checked for the \
     first time."
)]
#[case::nothing_can_run(
    nothing_can_run,
    "because the new run checked none, so nothing is known of the driver; `conformance doctor` says what its machine \
     lacks; 3 cases are no longer checked: the machine lacks something that is needed."
)]
#[case::nothing_can_run_of_the_same_filter(
    nothing_can_run_of_the_same_filter,
    "because both runs used --level quick and the new run checked none, so nothing is known of the driver; `conformance \
     doctor` says what its machine lacks; 3 cases are no longer checked: the machine lacks something that is needed."
)]
#[case::nothing_could_run_of_the_same_filter(
    nothing_could_run_of_the_same_filter,
    "because both runs used --level quick and the old run checked none, so nothing is known of the driver; `conformance \
     doctor` says what its machine lacks; 3 cases are checked for the first time."
)]
#[case::other_suites(
    other_suites,
    "because none is in both reports, so nothing is known of the driver; compare runs of the same suite; 3 cases are no \
     longer checked: no longer in the suite; 1 case is checked for the first time."
)]
#[case::other_suites_of_the_same_filter(
    other_suites_of_the_same_filter,
    "because both runs used --level quick and none is in both reports, so nothing is known of the driver; compare runs of \
     the same suite; 3 cases are no longer checked: left out by --level quick; 1 case is checked for the first time."
)]
#[case::other_suites_and_a_harness_error(
    other_suites_and_a_harness_error,
    "because none is in both reports, so nothing is known of the driver; compare runs of the same suite; 3 cases are no \
     longer checked: no longer in the suite; 1 case is checked for the first time."
)]
#[case::a_harness_error_and_another_machine(
    a_harness_error_and_another_machine,
    "because the old run checked none, so nothing is known of the driver; `conformance show` says why the harness failed; \
     1 case is no longer checked: the machine lacks something that is needed; 1 case is checked for the first time."
)]
#[conformance::test()]
fn a_comparison_of_no_case_is_not_green(#[case] plant: fn(&mut Report, &mut Report), #[case] why: &str) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    plant(&mut old, &mut new);
    let reports = Reports::new(&old, &new)?;
    let output = reports.run(&["diff", "old", "new"])?;
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    let says = format!("Compared no case, {why}");
    check!(printed.lines().next() == Some(says.as_str()), "{printed}");
    check!(output.status.code() == Some(2), "{}: {printed}", output.status);
    check!(errors == "conformance: no case is checked in both reports\n", "{errors}");
    let markdown = text(&reports.run(&["diff", "old", "new", "--format", "markdown"])?.stdout);
    check!(markdown.starts_with("### CUDA inter-process memory: no case was compared\n"), "{markdown}");
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains("<header class=\"unknown\">"), "the page does not look as if nothing is known");
    Ok(())
}

/// Two runs in which the harness failed in every case say nothing about the driver, also if both had the same filter.
#[rstest]
#[conformance::test()]
fn a_comparison_of_harness_errors_is_not_green(#[values(false, true)] is_partial: bool) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    if is_partial {
        quick(&mut old, &mut new);
    }
    for case in old.cases.iter_mut().chain(&mut new.cases) {
        (case.verdict, case.reason) = (Verdict::Error, Some("no process can be started".to_owned()));
    }
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    let filter = if is_partial { "both runs used --level quick and " } else { "" };
    let says = format!(
        "Compared no case, because {filter}the harness failed in 3 cases of the old run, so nothing is known of the driver; \
         `conformance show` says why the harness failed.\n"
    );
    check!(printed.starts_with(&says), "{printed}");
    check!(output.status.code() == Some(2), "{}: {printed}", output.status);
    Ok(())
}

/// If the new run has only other cases, in which the harness failed, the first sentence says that the new run checked none.
#[rstest]
#[conformance::test()]
fn a_new_run_of_harness_errors_checked_none() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    other_suites(&mut old, &mut new);
    let case = &mut new.cases[0];
    (case.verdict, case.reason) = (Verdict::Error, Some("no process can be started".to_owned()));
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    let says = "Compared no case, because the new run checked none, so nothing is known of the driver; `conformance show` \
                says why the harness failed; ";
    check!(printed.starts_with(says), "{printed}");
    check!(output.status.code() == Some(2), "{}: {printed}", output.status);
    Ok(())
}

/// The first sentence says how many cases are not compared because the harness failed in the old run, also beside a
/// filter, and also if it fails in them as before.
#[rstest]
#[conformance::test()]
fn old_harness_errors_are_told(#[values(false, true)] is_partial: bool, #[values(1, 2)] runs: usize) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    for report in [&mut old, &mut new] {
        report.run.is_partial = is_partial;
        report.run.selection = is_partial.then(|| "the filter ipcmem::".to_owned());
    }
    for report in [&mut old, &mut new].into_iter().take(runs) {
        let case = &mut report.cases[1];
        (case.verdict, case.reason) = (Verdict::Error, Some("no process can be started".to_owned()));
    }
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    let filter = if is_partial { "both runs used the filter ipcmem:: and " } else { "" };
    let says = format!("Compared 2 of 3 cases, because {filter}the harness failed in 1 case of the old run: ");
    check!(printed.starts_with(&says), "{printed}");
    Ok(())
}

/// A process that crashed outside any case is a regression, whether or not a case is compared, also if both reports are
/// empty otherwise.
#[rstest]
#[conformance::test()]
fn a_crash_outside_any_case_regresses_without_a_case(#[values(0, 3)] old_cases: usize) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", old_cases), plain("580.159.04", 3));
    only_the_first_line(&mut old, &mut new);
    new.bad_ends = vec!["importer: killed by signal 11 (SIGSEGV)".to_owned()];
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new"])?;
    check!(output.status.code() == Some(1), "{}: {}", output.status, text(&output.stdout));
    Ok(())
}

/// The first sentence says that the new run was not on the machine that it required.
#[rstest]
#[case::all_cases_ran(|_: &mut Report| {}, "no documented rule broke since 570.86.15.")]
#[case::fewer_gpus(
    |new: &mut Report| new.run.devices.truncate(1),
    "compared the 3 cases that both runs check (the new run had 1 GPU instead of 2): no documented rule broke since \
     570.86.15."
)]
#[conformance::test()]
fn an_unmet_requirement_comes_first(#[case] plant: fn(&mut Report), #[case] rest: &str) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    new.run.unmet = vec!["gpus=8, found 2".to_owned()];
    plant(&mut new);
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    let says = format!("The new run was not on the machine that it required (gpus=8, found 2); {rest}");
    check!(printed.lines().next() == Some(says.as_str()), "{printed}");
    Ok(())
}

/// What chose a case before would choose it again: a case that only the old run with the same filter has is no longer in
/// the suite. A file, a level or a budget can choose others.
#[rstest]
#[case::filter("the filter ipcmem:: with --skip a::", "no longer in the suite")]
#[case::file("--cases a file", "left out by a filter")]
#[case::level("--level quick", "left out by --level quick")]
#[case::budget("the filter ipcmem:: with --budget 1m", "left out by a filter, a level or a budget")]
#[conformance::test()]
fn the_same_filter_leaves_out_nothing_new(#[case] selection: &str, #[case] why: &str) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 2));
    for report in [&mut old, &mut new] {
        report.run.is_partial = true;
        report.run.selection = Some(selection.to_owned());
    }
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains(&format!("; 1 case is no longer checked: {why}.\n")), "{printed}");
    check!(printed.contains(&format!("because both runs used {selection}: ")), "{printed}");
    Ok(())
}

/// A case that one report does not check and the other lacks is not the same in both.
#[rstest]
#[conformance::test()]
fn a_case_that_neither_checks_is_not_the_same(#[values(true, false)] is_in_the_old: bool) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 5), plain("570.86.15", 2));
    old.cases[2..].iter_mut().for_each(|case| case.verdict = Verdict::Unsupported);
    if !is_in_the_old {
        std::mem::swap(&mut old, &mut new);
    }
    let reports = Reports::new(&old, &new)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains("\ncases: 2 the same\n"), "{printed}");
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains("2 cases without a change."), "{page}");
    Ok(())
}

fn other_suite(report: &mut Report) {
    if let Some(suite) = &mut report.run.suite {
        suite.commit = Some("1234567890ab".to_owned());
    }
}

/// With `--must-cover`, a comparison ends with exit code 3 if the new run leaves out what the old one checked, except what
/// its suite no longer has. Another suite chooses other cases for the same `--level quick`, but not on another machine.
#[rstest]
#[case::everything(3, "the filter ipcmem::", 0, |_: &mut Report| ())]
#[case::suite(2, "the filter ipcmem::", 0, |_: &mut Report| ())]
#[case::file(2, "--cases a file", 3, |_: &mut Report| ())]
#[case::budget(2, "--budget 1m", 3, |_: &mut Report| ())]
#[case::level(2, "--level quick", 3, |_: &mut Report| ())]
#[case::other_filter(2, "the filter ipcmem::", 3, |new: &mut Report| new.run.selection = Some("--skip a".to_owned()))]
#[case::level_of_another_suite(2, "--level quick", 0, other_suite)]
#[case::level_and_filter_of_another_suite(2, "the filter ipcmem:: with --level quick", 0, other_suite)]
#[case::level_and_budget_of_another_suite(2, "--level quick with --budget 1m", 3, other_suite)]
#[case::level_and_file_of_another_suite(2, "--cases a file with --level quick", 3, other_suite)]
#[case::file_of_another_suite(2, "--cases a file", 3, other_suite)]
#[case::other_level_of_another_suite(2, "--level quick", 3, |new: &mut Report| {
    other_suite(new);
    new.run.selection = Some("--level full".to_owned());
})]
#[case::level_of_another_suite_without_a_rule(2, "--level quick", 3, |new: &mut Report| {
    other_suite(new);
    new.cases.iter_mut().for_each(|case| case.rows.clear());
})]
#[case::level_of_another_suite_on_fewer_gpus(2, "--level quick", 3, |new: &mut Report| {
    other_suite(new);
    new.run.devices.pop();
})]
#[case::level_of_another_suite_on_another_gpu(2, "--level quick", 0, |new: &mut Report| {
    other_suite(new);
    new.run.devices[0].memory += 1;
    new.run.devices[0].uuid = "0123456789abcdef0123456789abcdef".to_owned();
})]
#[case::machine(3, "the filter ipcmem::", 3, |new: &mut Report| new.cases[0].verdict = Verdict::Unsupported)]
#[case::machine_of_another_suite(3, "--level quick", 3, |new: &mut Report| {
    other_suite(new);
    new.cases[0].verdict = Verdict::Unsupported;
})]
#[case::broken_off(2, "the filter ipcmem::", 3, |new: &mut Report| new.is_complete = false)]
#[case::regressed(2, "--level quick", 1, |new: &mut Report| new.cases[0].verdict = Verdict::Fail)]
#[conformance::test()]
fn a_run_that_checks_less_is_told(
    #[case] cases: usize,
    #[case] selection: &str,
    #[case] code: i32,
    #[case] change: fn(&mut Report),
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("570.86.15", cases));
    for report in [&mut old, &mut new] {
        report.run.suite = Some(Suite { version: "0.1.0".to_owned(), commit: Some("0123456789ab".to_owned()) });
        report.run.is_partial = true;
        report.run.selection = Some(selection.to_owned());
    }
    change(&mut new);
    let reports = Reports::new(&old, &new)?;
    let output = reports.run(&["diff", "--must-cover", "old", "new"])?;
    let printed = text(&output.stdout);
    check!(output.status.code() == Some(code), "{}: {printed}", output.status);
    check!(
        printed.contains("\nold: NVIDIA 570.86.15 (CUDA 13.0) on 2 × NVIDIA H200, suite 0.1.0 (0123456789ab)"),
        "{printed}"
    );
    // Without the flag, only a regression counts.
    let plain = reports.run(&["diff", "old", "new"])?.status.code();
    check!(plain == Some(if code == 3 { 0 } else { code }), "{plain:?}");
    Ok(())
}

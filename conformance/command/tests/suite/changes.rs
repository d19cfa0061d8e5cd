//! What changed between two reports, in one sentence that needs no other line, and with the right exit code.

use conformance::report::{CaseReport, Report, Suite};
use conformance::{Defect, Failure, Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, case, plain, text};

fn ended(case: &mut CaseReport, verdict: Verdict, reason: &str, failure: Failure) {
    (case.verdict, case.reason, case.failure) = (verdict, Some(reason.to_owned()), Some(failure));
}

/// Returns a failure of a call in a step.
fn call(kind: Defect, call: &str, result: Option<&str>) -> Failure {
    let role = Some("importer".to_owned());
    Failure {
        role,
        call: Some(call.to_owned()),
        result: result.map(str::to_owned),
        step: Some(11),
        ..Failure::of(kind)
    }
}

fn repaired(old: &mut Report, new: &mut Report) {
    old.cases[1].verdict = Verdict::Deviation;
    old.cases[1].reason = Some("returned CUDA_SUCCESS (listed: https://example.org)".to_owned());
    fixed(new);
}

/// Lists a bug that a case does not show.
fn fixed(report: &mut Report) {
    report.cases[1].verdict = Verdict::Fixed;
    report.cases[1].reason = Some("deviations.toml lists it as fail".to_owned());
}

/// Repairs what two rules forbid.
fn repaired_rules(old: &mut Report, new: &mut Report) {
    old.cases[1..].iter_mut().for_each(|case| case.verdict = Verdict::Fail);
    for report in [old, new] {
        report.cases[2].rows = vec!["IPCMEM-GET-001".to_owned()];
    }
}

fn one_gpu(_: &mut Report, new: &mut Report) {
    new.run.devices.truncate(1);
    new.cases[1].verdict = Verdict::Unsupported;
    new.cases[1].reason = Some("needs 2 GPUs, found 1".to_owned());
}

fn filter(_: &mut Report, new: &mut Report) {
    new.run.is_partial = true;
    new.cases.truncate(2);
}

fn filter_and_a_new_case(old: &mut Report, new: &mut Report) {
    filter(old, new);
    new.cases.push(case("vmm::new"));
}

fn broken_off(_: &mut Report, new: &mut Report) {
    new.is_complete = false;
    new.cases.truncate(1);
    new.running.push("ipcmem::open::planted/number=00001".to_owned());
}

fn leak(_: &mut Report, new: &mut Report) {
    let reason = "GPU 0 has 4 MiB less free memory than before";
    ended(&mut new.cases[1], Verdict::Leak, reason, Failure::of(Defect::Leak));
}

fn corrupt_byte(_: &mut Report, new: &mut Report) {
    let reason = "importer read 1 wrong word of 1048576 with a kernel";
    ended(&mut new.cases[1], Verdict::Fail, reason, Failure::of(Defect::Corruption));
}

fn disclosure(_: &mut Report, new: &mut Report) {
    let reason = "the handle of freed memory shows what was written to a newer allocation";
    ended(&mut new.cases[1], Verdict::Fail, reason, Failure::of(Defect::Disclosure));
}

fn crash(_: &mut Report, new: &mut Report) {
    for case in &mut new.cases[1..] {
        let reason = format!("importer: killed by signal 11 (SIGSEGV) in mem_pool_import_pointer {{ {} }}", case.id);
        ended(case, Verdict::Crash, &reason, call(Defect::Crash, "cuMemPoolImportPointer", Some("SIGSEGV")));
    }
}

fn hang(_: &mut Report, new: &mut Report) {
    let reason = "importer: no answer to ipc_open_mem_handle { } before the deadline";
    ended(&mut new.cases[1], Verdict::Timeout, reason, call(Defect::Hang, "cuIpcOpenMemHandle", None));
}

fn wrong_code(_: &mut Report, new: &mut Report) {
    let reason =
        "importer: cuIpcOpenMemHandle returned CUDA_ERROR_UNKNOWN (999), expected CUDA_ERROR_INVALID_VALUE (1)";
    let failure = call(Defect::Code, "cuIpcOpenMemHandle", Some("CUDA_ERROR_UNKNOWN (999)"));
    ended(&mut new.cases[1], Verdict::Fail, reason, failure);
}

fn two_causes(old: &mut Report, new: &mut Report) {
    crash(old, new);
    (old.cases[1].verdict, old.cases[1].reason) = (Verdict::Pass, None);
    (old.cases[2].verdict, old.cases[2].failure) = (Verdict::Pass, None);
    corrupt_byte(old, new);
    new.cases[2].rows = vec!["POOL-PTR-001".to_owned()];
}

/// Fewer GPUs, and yet every case ran.
fn all_with_one_gpu(_: &mut Report, new: &mut Report) {
    new.run.devices.truncate(1);
}

/// More GPUs, and yet no other case ran.
fn all_with_two_gpus(old: &mut Report, _: &mut Report) {
    old.run.devices.truncate(1);
}

fn harness_error(_: &mut Report, new: &mut Report) {
    ended(&mut new.cases[1], Verdict::Error, "no process can be started", Failure::of(Defect::Unknown));
}

fn harness_error_beside_a_crash(old: &mut Report, new: &mut Report) {
    crash(old, new);
    harness_error(old, new);
    new.cases[1].rows = vec!["FAB-001".to_owned()];
}

fn another_suite(_: &mut Report, new: &mut Report) {
    new.run.suite = Some(Suite { version: "2.0.0".to_owned(), commit: None });
    new.cases[2] = case("vmm::new");
    new.cases.push(case("vmm::new_and_failing"));
    ended(&mut new.cases[3], Verdict::Fail, "x does not hold", Failure::of(Defect::Result));
}

/// The first line says what changed, and only a regression leads to exit code 1.
#[rstest]
#[case::nothing(|_: &mut Report, _: &mut Report| {}, 0, "No documented rule broke since 570.86.15.")]
#[case::repaired_bug(
    repaired,
    0,
    "No documented rule broke since 570.86.15; 1 case of IPCMEM-OPEN-002 is better (1 listed bug is gone)."
)]
#[case::repaired_rules(repaired_rules, 0, "No documented rule broke since 570.86.15; 2 cases are better.")]
#[case::slower_case(
    |_: &mut Report, new: &mut Report| new.cases[1].duration_ms = 310.0,
    0,
    "No documented rule broke since 570.86.15; 1 case became much slower."
)]
#[case::faster_case(
    |old: &mut Report, _: &mut Report| old.cases[1].duration_ms = 310.0,
    0,
    "No documented rule broke since 570.86.15."
)]
#[case::listed_although_gone(
    |_: &mut Report, new: &mut Report| fixed(new),
    0,
    "No documented rule broke since 570.86.15."
)]
#[case::no_longer_listed(|old: &mut Report, _: &mut Report| fixed(old), 0, "No documented rule broke since 570.86.15.")]
#[case::machine_with_one_gpu(
    one_gpu,
    0,
    "Compared 2 of 3 cases, because the new run had 1 GPU instead of 2: no \
    documented rule broke since 570.86.15; 1 case is no longer checked: the machine lacks something that is needed."
)]
#[case::filter(
    filter,
    0,
    "Compared 2 of 3 cases, because the new run used a filter: no documented \
    rule broke since 570.86.15; 1 case is no longer checked: left out by a filter."
)]
#[case::filter_and_a_new_case(
    filter_and_a_new_case,
    0,
    "Compared 2 of 4 cases, because the new run used a filter: no documented \
    rule broke since 570.86.15; 1 case is no longer checked: left out by a filter; 1 case is checked for the first time."
)]
#[case::broken_off_report(
    broken_off,
    0,
    "Compared 1 of 3 cases, because the new run broke off while \
    ipcmem::open::planted/number=00001 was running: no documented rule broke since 570.86.15; 2 cases are no longer \
    checked: still running when the report ends (1), the report ends earlier (1)."
)]
#[case::leak(
    leak,
    1,
    "1 documented rule broke since 570.86.15 (1 leak): GPU 0 has 4 MiB less free memory than \
    before."
)]
#[case::corrupt_byte(
    corrupt_byte,
    1,
    "1 documented rule broke since 570.86.15 (1 corruption): importer read 1 wrong \
    word of 1048576 with a kernel."
)]
#[case::disclosure(
    disclosure,
    1,
    "1 documented rule broke since 570.86.15 (1 disclosure): the handle of freed memory \
    shows what was written to a newer allocation."
)]
#[case::crash(
    crash,
    1,
    "1 documented rule broke since 570.86.15 (1 crash): SIGSEGV in cuMemPoolImportPointer, in 2 \
    cases."
)]
#[case::hang(hang, 1, "1 documented rule broke since 570.86.15 (1 hang): cuIpcOpenMemHandle did not return.")]
#[case::wrong_code(
    wrong_code,
    1,
    "1 documented rule broke since 570.86.15 (1 wrong code): cuIpcOpenMemHandle returned \
    CUDA_ERROR_UNKNOWN (999), expected CUDA_ERROR_INVALID_VALUE (1)."
)]
#[case::all_with_one_gpu(
    all_with_one_gpu,
    0,
    "Compared the 3 cases that both runs check (the new run had 1 GPU instead of 2): no documented rule broke since 570.86.15."
)]
#[case::all_with_two_gpus(
    all_with_two_gpus,
    0,
    "Compared the 3 cases that both runs check (the old run had 1 GPU instead of 2): no documented rule broke since 570.86.15."
)]
#[case::harness_error(
    harness_error,
    1,
    "No documented rule broke since 570.86.15; the harness failed in 1 case, so nothing is known of its rule: no process \
     can be started."
)]
#[case::harness_error_beside_a_crash(
    harness_error_beside_a_crash,
    1,
    "1 documented rule broke since 570.86.15 (1 crash): SIGSEGV in cuMemPoolImportPointer; the harness failed in 1 case, \
     so nothing is known of its rule."
)]
#[case::two_causes(
    two_causes,
    1,
    "2 documented rules broke since 570.86.15 (1 corruption, 1 crash); one of 2 causes: importer read 1 wrong word of \
     1048576 with a kernel."
)]
#[case::another_suite(
    another_suite,
    0,
    "No documented rule broke since 570.86.15; 1 case is no longer checked: no \
    longer in the suite; 2 cases are checked for the first time, and 1 of them fails (1 wrong result)."
)]
#[conformance::test()]
fn the_first_line_says_what_changed(
    #[case] plant: fn(&mut Report, &mut Report),
    #[case] code: i32,
    #[case] sentence: &str,
) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    plant(&mut old, &mut new);
    let reports = Reports::new(&old, &new)?;
    let output = reports.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    check!(printed.lines().next() == Some(sentence), "{printed}");
    check!(output.status.code() == Some(code), "{}: {printed}", output.status);
    let markdown = text(&reports.run(&["diff", "old", "new", "--format", "markdown"])?.stdout);
    let verdict = if code == 1 { " regressed\n" } else { "" };
    check!(
        markdown.contains(verdict) && markdown.lines().nth(2).is_some_and(|line| line.starts_with("**")),
        "{markdown}"
    );
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains(&format!("<h1>{sentence}</h1>")), "the page begins with another sentence");
    Ok(())
}

/// Runs that observe different things are a wrong result, even if the reason quotes how a process ended in one of them.
#[rstest]
#[case::crash("killed by signal 11 (SIGSEGV)")]
#[case::exit("exited with code 3")]
#[conformance::test()]
fn a_regression_of_an_observation_is_a_wrong_result(#[case] end: &str) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    let reason = format!("the observation `close` was \"CUDA_SUCCESS (0)\" in run 1 and \"{end}\" in run 2");
    // Such a case has no failure of its own.
    (new.cases[1].verdict, new.cases[1].reason) = (Verdict::Fail, Some(reason.clone()));
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new"])?;
    let printed = text(&output.stdout);
    let sentence = format!("1 documented rule broke since 570.86.15 (1 wrong result): {reason}.");
    check!(printed.lines().next() == Some(&*sentence), "{printed}");
    check!(output.status.code() == Some(1), "{}: {printed}", output.status);
    Ok(())
}

/// Regressions with one cause are one entry, in text, JSON and on the page, and JUnit names the kind and the call.
#[rstest]
#[conformance::test()]
fn regressions_are_grouped_by_cause() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 81), plain("580.159.04", 81));
    crash(&mut old, &mut new);
    corrupt_byte(&mut old, &mut new);
    let reports = Reports::new(&old, &new)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    for part in [
        "regressed (80)\n  corruption: importer read 1 wrong word of 1048576 with a kernel (1 case)\n",
        "  crash: SIGSEGV in cuMemPoolImportPointer (79 cases)\n    IPCMEM-OPEN-002 D: ",
        "\n    ipcmem::open::planted/number=00002 (importer, step 11)\n      verdict: pass -> crash\n",
        "\n    and 74 more cases, which --all lists\n",
    ] {
        check!(printed.contains(part), "{part:?} is not in {printed}");
    }
    let all = text(&reports.run(&["diff", "old", "new", "--all"])?.stdout);
    check!(all.matches("verdict: pass -> crash\n").count() == 79 && !all.contains("--all"), "{all}");
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains("<span class=\"change regressed\">crash</span> SIGSEGV in cuMemPoolImportPointer"), "{page}");
    check!(page.contains("<summary>78 more cases</summary>") && !page.contains("id=\"attention\""), "{page}");
    let alone = text(&reports.run(&["html", "new"])?.stdout);
    check!(alone.contains("<strong>79 cases</strong>") && alone.contains("id=\"attention\""), "{alone}");
    let junit = text(&reports.run(&["junit", "new"])?.stdout);
    let kind = "kind: crash, SIGSEGV in cuMemPoolImportPointer (importer, step 11)\n";
    check!(junit.matches(kind).count() == 79, "{junit}");
    let shown = text(&reports.run(&["show", "new", "ipcmem::open::planted/number=00002"])?.stdout);
    check!(shown.contains(&format!("    {kind}")), "{shown}");
    Ok(())
}

/// The text names the role that crashed or hung, also for a report of an earlier suite, which has it only in a reason.
#[rstest]
#[case::crash(
    Verdict::Crash,
    "importer: killed by signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(0x7))",
    "importer"
)]
#[case::after_the_case(Verdict::Crash, "after the case, exporter: exited with code 3 in exit()", "exporter")]
#[case::hang(
    Verdict::Timeout,
    "importer: no answer to cuEventQuery(event: Event(0x7)) before the deadline",
    "importer"
)]
#[conformance::test()]
fn a_reason_names_the_role(#[case] verdict: Verdict, #[case] reason: &str, #[case] role: &str) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 3), plain("580.159.04", 3));
    (new.cases[1].verdict, new.cases[1].reason) = (verdict, Some(reason.to_owned()));
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    check!(printed.contains(&format!("\n    {} ({role})\n", new.cases[1].id)), "{printed}");
    Ok(())
}

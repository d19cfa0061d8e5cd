//! One defect is one cause, in words that a reader knows.

use conformance::report::{CaseReport, Report, Runs};
use conformance::{Defect, Failure, Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{Reports, plain, text};

/// A case that fails with a reason.
struct Failed(Verdict, &'static str, Failure);

impl Failed {
    fn put(&self, case: &mut CaseReport) {
        (case.verdict, case.reason, case.failure) = (self.0, Some(self.1.to_owned()), Some(self.2.clone()));
    }
}

fn call(call: &str, result: &str) -> Failure {
    Failure { call: Some(call.to_owned()), result: Some(result.to_owned()), ..Failure::of(Defect::Code) }
}

/// Returns what `conformance diff` prints if cases that passed fail now.
fn compared(failed: &[Failed], plant: fn(&mut Report)) -> Result<String, conformance::Stop> {
    let (old, mut new) = (plain("570.86.15", failed.len()), plain("580.159.04", failed.len()));
    failed.iter().zip(&mut new.cases).for_each(|(failed, case)| failed.put(case));
    plant(&mut new);
    Ok(text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout))
}

/// The cause of a flake is how the worst run ended, whichever run that was.
#[rstest]
#[case::code(
    &["importer: cuIpcOpenMemHandle returned CUDA_ERROR_NOT_PERMITTED (800), expected CUDA_SUCCESS"],
    |_| Failed(Verdict::Fail, "", call("cuIpcOpenMemHandle", "CUDA_ERROR_NOT_PERMITTED (800)")),
    "fail", "wrong code: cuIpcOpenMemHandle returned CUDA_ERROR_NOT_PERMITTED (800), expected CUDA_SUCCESS (2 cases)"
)]
#[case::leak(
    &["GPU 0 has 4 MiB less free memory than before"],
    |_| Failed(Verdict::Leak, "", Failure::of(Defect::Leak)),
    "leak", "leak: GPU 0 has 4 MiB less free memory than before (2 cases)"
)]
#[case::corruption(
    &["importer read 1 wrong word of 1024 with a kernel", "importer read 7 wrong words of 1024 with a kernel"],
    |_| Failed(Verdict::Fail, "", Failure::of(Defect::Corruption)),
    "fail", "corruption: importer read 1 wrong word of 1024 with a kernel (2 cases)"
)]
#[conformance::test()]
fn the_cause_of_a_flake_is_its_worst_run(
    #[case] reasons: &[&str],
    #[case] failed: fn(()) -> Failed,
    #[case] verdict: &str,
    #[case] cause: &str,
) -> Outcome {
    let (first, last) = (reasons[0], reasons[reasons.len() - 1]);
    let reasons = [format!("run 1: {verdict}: {first}; run 2: pass"), format!("run 1: pass; run 7: {verdict}: {last}")];
    let reasons = reasons.map(|reason| &*reason.leak());
    let printed = compared(&reasons.map(|reason| Failed(failed(()).0, reason, failed(()).2)), |_| {})?;
    check!(printed.contains(&format!("\n  {cause}\n")), "{printed}");
    Ok(())
}

/// If only some cases of a cause ran several times, the runs are those of these cases.
#[rstest]
#[case::some(
    2,
    "in 5 cases (2 of them ran several times, and 6 of 6 runs failed)",
    "(5 cases, 2 of them ran several times, and 6 of 6 runs failed)"
)]
#[case::all(5, "in 5 cases (15 of 15 runs failed)", "(5 cases, 15 of 15 runs failed)")]
#[conformance::test()]
fn runs_are_told_of_the_cases_that_ran_again(
    #[case] repeated: usize,
    #[case] first: &str,
    #[case] group: &str,
) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 5), plain("580.159.04", 5));
    for (place, case) in new.cases.iter_mut().enumerate() {
        Failed(Verdict::Fail, "x does not hold", Failure::of(Defect::Result)).put(case);
        case.runs = (place < repeated).then_some(Runs { failed: 3, of: 3 });
    }
    let reports = Reports::new(&old, &new)?;
    let printed = text(&reports.run(&["diff", "old", "new"])?.stdout);
    check!(printed.lines().next().is_some_and(|line| line.ends_with(&format!(", {first}."))), "{printed}");
    check!(printed.contains(group), "{printed}");
    let page = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(page.contains(group.trim_start_matches('(').trim_end_matches(')')), "{page}");
    Ok(())
}

/// Cases in which different roles read the same wrong memory have one cause, however many words are wrong.
#[rstest]
#[conformance::test()]
fn the_role_that_reads_wrong_memory_splits_no_cause() -> Outcome {
    let reads = |reason| Failed(Verdict::Fail, reason, Failure::of(Defect::Corruption));
    let printed = compared(
        &[
            reads(
                "importer read 1024 wrong words of 2097152 with a kernel; the first wrong byte is at offset 8 (expected 0x07, read 0x00)",
            ),
            reads(
                "importer 0 read 1024 wrong words of 2097152 with a kernel; the first wrong byte is at offset 8 (expected 0x07, read 0x00)",
            ),
            reads(
                "observer read 1 wrong word of 512 with a kernel; the first wrong byte is at offset 64 (expected 0x09, read 0x00)",
            ),
        ],
        |_| {},
    )?;
    let cause = "  corruption: a process read 1024 wrong words of 2097152 with a kernel; the first wrong byte is at offset 8 \
                 (expected 0x07, read 0x00) (3 cases)\n";
    check!(printed.contains(cause), "{printed}");
    Ok(())
}

/// Checks of different things have different causes, even if they fail with the same values, or if their names differ only in
/// a number.
#[rstest]
#[conformance::test()]
fn equal_values_join_no_causes() -> Outcome {
    let fails = |reason| Failed(Verdict::Fail, reason, Failure::of(Defect::Result));
    let printed = compared(
        &[
            fails("size == 1 does not hold: 3 and 0"),
            fails("count == 1 does not hold: 3 and 0"),
            fails("count2 == 1 does not hold: 3 and 0"),
            fails("count3 == 1 does not hold: 3 and 0"),
        ],
        |_| {},
    )?;
    for what in ["size", "count", "count2", "count3"] {
        let cause = format!("\n  wrong result: {what} == 1 does not hold: 3 and 0 (1 case)\n");
        check!(printed.contains(&cause), "{printed}");
    }
    Ok(())
}

/// A cause names no address: it is another in each case and each run.
#[rstest]
#[conformance::test()]
fn a_cause_has_no_address() -> Outcome {
    let fails = |reason| Failed(Verdict::Fail, reason, Failure::of(Defect::Result));
    let printed = compared(&[fails("0x7f0012345678 is not mapped"), fails("0x7f0087654321 is not mapped")], |_| {})?;
    let first = "1 documented rule broke since 570.86.15 (1 wrong result): … is not mapped, in 2 cases.";
    check!(printed.lines().next() == Some(first), "{printed}");
    Ok(())
}

/// The text of a failed check has the CUDA function, without Rust's `?` and without the suite's variable.
#[rstest]
#[case::access(
    "importer.mem_get_access(address, 0) ? == NONE does not hold: 3 and 0",
    "cuMemGetAccess(address, 0) == NONE does not hold: 3 and 0"
)]
#[case::within(
    "exporter.read(counter, 4) ? == (sum as u32).to_le_bytes() does not hold: [1] and [2]",
    "cuMemcpyDtoH(counter, 4) == (sum as u32).to_le_bytes() does not hold: [1] and [2]"
)]
#[case::indexed(
    "a + self.importers[n].mem_info()?.free == size(b(1)) does not hold: 3 and 0",
    "a + cuMemGetInfo().free == size(b(1)) does not hold: 3 and 0"
)]
#[case::nested(
    "one.pointer_get_wide_attribute(9, two.mem_alloc(4)?)? > 1 does not hold",
    "cuPointerGetAttribute(9, cuMemAlloc(4)) > 1 does not hold"
)]
#[case::no_call("seen.read(4) == size does not hold: 1 and 2", "seen.read(4) == size does not hold: 1 and 2")]
#[conformance::test()]
fn a_check_is_told_in_c(#[case] reason: &'static str, #[case] told: &str) -> Outcome {
    let printed = compared(&[Failed(Verdict::Fail, reason, Failure::of(Defect::Result))], |_| {})?;
    let says = format!("1 documented rule broke since 570.86.15 (1 wrong result): {told}.");
    check!(printed.lines().next() == Some(says.as_str()), "{printed}");
    check!(printed.contains(&format!("  wrong result: {told} (1 case)\n")), "{printed}");
    Ok(())
}

/// Words after `in` that name no call stay in a reason.
#[rstest]
#[conformance::test()]
fn words_that_are_no_call_stay_words() -> Outcome {
    const REASON: &str = "the exporter left a file in /dev/shm";
    let printed = compared(&[Failed(Verdict::Fail, REASON, Failure::of(Defect::Result))], |_| {})?;
    let says = format!("1 documented rule broke since 570.86.15 (1 wrong result): {REASON}.");
    check!(printed.lines().next() == Some(says.as_str()), "{printed}");
    Ok(())
}

/// A case that a list knows, one that a list excused until a day, and one that no list knows have one cause.
#[rstest]
#[case::check(
    |_| Failure::of(Defect::Result),
    "x does not hold",
    "wrong result: x does not hold (3 cases)"
)]
#[case::code(
    |_| call("cuMemFree", "CUDA_ERROR_UNKNOWN (999)"),
    "importer: cuMemFree returned CUDA_ERROR_UNKNOWN (999), expected CUDA_SUCCESS",
    "wrong code: cuMemFree returned CUDA_ERROR_UNKNOWN (999), expected CUDA_SUCCESS (3 cases)"
)]
#[case::corruption(
    |_| Failure::of(Defect::Corruption),
    "importer read 1 wrong word of 1024 with a kernel",
    "corruption: importer read 1 wrong word of 1024 with a kernel (3 cases)"
)]
#[conformance::test()]
fn a_list_splits_no_cause(#[case] failure: fn(()) -> Failure, #[case] reason: &str, #[case] cause: &str) -> Outcome {
    let ends = [
        (Verdict::Deviation, " (listed: https://example.org/7)"),
        (Verdict::Fail, ""),
        (Verdict::Fail, " (site.toml excused it until 2026-01-31; owner: storage)"),
    ];
    let failed = ends.map(|(verdict, end)| Failed(verdict, format!("{reason}{end}").leak(), failure(())));
    let printed = compared(&failed, |_| {})?;
    check!(printed.contains(&format!("\n  {cause}\n")), "{printed}");
    Ok(())
}

/// Memory that a kernel or a copy uses although CUDA must refuse it is one cause, whichever role uses it.
#[rstest]
#[conformance::test()]
fn a_use_of_memory_without_access_is_one_cause() -> Outcome {
    let reads = |reason| {
        let failure = Failure { kind: Defect::Disclosure, ..call("cuStreamSynchronize", "CUDA_SUCCESS (0)") };
        Failed(Verdict::Fail, reason, failure)
    };
    let printed = compared(
        &[
            reads("importer: a kernel reads memory: cuStreamSynchronize returned CUDA_SUCCESS, expected an error"),
            reads("importer 2: a kernel reads memory: cuStreamSynchronize returned CUDA_SUCCESS, expected an error"),
        ],
        |_| {},
    )?;
    let cause = "\n  disclosure: a kernel reads memory: cuStreamSynchronize returned CUDA_SUCCESS, expected an error (2 cases)\n";
    check!(printed.contains(cause), "{printed}");
    Ok(())
}

/// A step of many calls can take too long although each of them returns.
#[rstest]
#[conformance::test()]
fn many_slow_calls_are_not_said_to_hang() -> Outcome {
    let many = Failure { call: Some("ipc_open_and_close_repeatedly".to_owned()), ..Failure::of(Defect::Hang) };
    let printed = compared(&[Failed(Verdict::Timeout, "no answer before the deadline", many)], |_| {})?;
    let says = "(1 hang): ipc_open_and_close_repeatedly, which makes many calls, took longer than the deadline.\n";
    check!(printed.contains(says), "{printed}");
    Ok(())
}

/// If there are several causes, the first sentence names the one of the most cases, and the worst of equals.
#[rstest]
#[case::most(
    3,
    "3 documented rules broke since 570.86.15 (2 hangs, 1 wrong result); most of them: cuMemFree did not return, in 2 cases."
)]
#[case::equal(
    2,
    "2 documented rules broke since 570.86.15 (1 hang, 1 wrong result); one of 2 causes: cuMemFree did not return."
)]
#[conformance::test()]
fn the_first_line_names_the_main_cause(#[case] cases: usize, #[case] says: &str) -> Outcome {
    let hang = || Failure { call: Some("cuMemFree".to_owned()), ..Failure::of(Defect::Hang) };
    let failed: Vec<_> = (0..cases)
        .map(|place| match place {
            0 => Failed(Verdict::Fail, "x does not hold", Failure::of(Defect::Result)),
            _ => Failed(Verdict::Timeout, "importer: no answer to cuMemFree() before the deadline", hang()),
        })
        .collect();
    let printed = compared(&failed, |new| {
        let rows = ["IPCMEM-OPEN-002", "IPCMEM-OPEN-036", "IPCMEM-GET-001"];
        new.cases.iter_mut().zip(rows).for_each(|(case, row)| case.rows = vec![row.to_owned()]);
    })?;
    check!(printed.lines().next() == Some(says), "{printed}");
    Ok(())
}

/// The first sentence counts the documented rules that broke, and beside them the other cases that regressed.
#[rstest]
#[conformance::test()]
fn the_first_line_says_what_it_counts() -> Outcome {
    let failed = || Failed(Verdict::Fail, "x does not hold", Failure::of(Defect::Result));
    let printed = compared(&[failed(), failed(), failed(), failed()], |new| {
        let rows = ["IPCMEM-OPEN-002", "IPCMEM-OPEN-002", "IPCMEM-OPEN-026", "IPCMEM-OPEN-026"];
        new.cases.iter_mut().zip(rows).for_each(|(case, row)| case.rows = vec![row.to_owned()]);
    })?;
    let says = "1 documented rule broke since 570.86.15 (1 wrong result); 2 other cases regressed, where no documented \
                rule decides (2 wrong results): x does not hold, in 4 cases.";
    check!(printed.lines().next() == Some(says), "{printed}");
    Ok(())
}

/// Only a rule that the documentation states can break: what was observed, is open or is undefined cannot.
#[rstest]
#[case::documented("IPCMEM-OPEN-002", "1 documented rule broke since 570.86.15 (1 wrong result): x does not hold.")]
#[case::open(
    "IPCMEM-OPEN-026",
    "1 case regressed since 570.86.15, where no documented rule decides (1 wrong result): x does not hold."
)]
#[conformance::test()]
fn an_open_question_is_no_documented_rule(#[case] row: &'static str, #[case] says: &str) -> Outcome {
    let (old, mut new) = (plain("570.86.15", 1), plain("580.159.04", 1));
    Failed(Verdict::Fail, "x does not hold", Failure::of(Defect::Result)).put(&mut new.cases[0]);
    new.cases[0].rows = vec![row.to_owned()];
    let printed = text(&Reports::new(&old, &new)?.run(&["diff", "old", "new"])?.stdout);
    check!(printed.lines().next() == Some(says), "{printed}");
    Ok(())
}

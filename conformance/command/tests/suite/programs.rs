//! The C programs of bug reports agree with their cases, with a fault and without it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{conformance, finish};
use crate::planted::disclosures::STALE;
use crate::program::{compiled, compiled_with, executed, reference};
use crate::report::{ran, report, reported_with};
use crate::suite::{harness, run, suite, without_settings};

/// A case has a program even if no step and no check of it failed: the program of what it disclosed, or of what was left after
/// a process had replaced its program. It exits with 1 with the fault, and with 0 without it.
#[rstest]
#[case::disclosed("open-shows-newer-memory", "planted::disclosures::discloses_without_a_check", Verdict::Fail, STALE)]
#[case::left(
    "close-leaks-a-descriptor",
    "planted::a_new_program_closes",
    Verdict::Leak,
    "importer: all descriptors must be closed"
)]
#[conformance::test()]
fn a_failure_without_a_failed_check_has_a_program(
    #[case] fault: &str,
    #[case] planted: &str,
    #[case] verdict: Verdict,
    #[case] says: &str,
) -> Outcome {
    tells_apart(fault, planted, verdict, says)
}

/// The same if the process that finds the disclosure is process 1 of a PID namespace: it ends after the others in it.
#[rstest]
#[conformance::test(needs(root))]
fn a_disclosure_in_a_pid_namespace_has_a_program() -> Outcome {
    tells_apart("open-shows-newer-memory", "planted::disclosures::discloses_in_a_pid_namespace", Verdict::Fail, STALE)
}

/// The program of a failed run agrees with its case too: it exits with 1 with the fault, and with 0 without it. It does so where a
/// sound driver refuses a call, or ends a wait only after the recorded run had failed.
#[rstest]
#[case::a_text("error-name-lacks-its-last-letter", "reported::a_code_has_its_name", Verdict::Fail, "name == ")]
#[case::a_null_pointer(
    "error-name-unknown-is-not-null",
    "reported::an_unknown_number_has_no_name",
    Verdict::Fail,
    "expected 0"
)]
#[case::a_name_without_a_text(
    "error-name-unknown-succeeds",
    "reported::an_unknown_number_is_refused",
    Verdict::Fail,
    "expected CUDA_ERROR_INVALID_VALUE"
)]
#[case::a_wait("record-import-completes-at-once", "reported::a_host_waits", Verdict::Fail, "the wait has not ended")]
#[case::a_query(
    "record-import-completes-at-once",
    "reported::a_stream_is_not_ready",
    Verdict::Fail,
    "expected CUDA_ERROR_NOT_READY"
)]
#[case::equal_numbers(
    "log-lines-are-empty",
    "reported::a_callback_hears_of_a_failing_call",
    Verdict::Fail,
    "texts1 is 0"
)]
#[case::either_call(
    "create-for-the-fabric-needs-no-channel",
    "reported::memory_for_the_fabric_is_refused",
    Verdict::Fail,
    "expected CUDA_ERROR_NOT_PERMITTED"
)]
#[case::a_death(
    "create-reads-windows-metadata",
    "reported::metadata_for_windows_ends_no_process",
    Verdict::Crash,
    "killed by signal 6"
)]
#[case::one_handle_twice(
    "import-twice-counts-once",
    "reported::each_import_is_released",
    Verdict::Fail,
    "importer: cuMemRelease(memory3) returned CUDA_ERROR_INVALID_VALUE (1)"
)]
#[case::other_threads(
    "query-import-from-another-thread-succeeds",
    "reported::other_threads_see_pending_work",
    Verdict::Fail,
    "expected CUDA_ERROR_NOT_READY"
)]
#[case::computed(
    "device-pool-mask-reads-zero",
    "reported::a_mask_has_descriptors",
    Verdict::Fail,
    "computed1 is 0, expected 1"
)]
#[case::a_leak_after_a_disclosure(
    "kill-keeps-open-memory",
    "reported::a_killed_importer_disclosed",
    Verdict::Leak,
    "the memory must be free again"
)]
#[case::slow_calls(
    "map-a-second-time-shows-other-memory",
    "reported::memory_is_mapped_often",
    Verdict::Timeout,
    "importer: the duration of step 3: milliseconds1 is "
)]
#[case::one_thread(
    "close-on-another-thread-is-refused",
    "reported::a_thread_closes",
    Verdict::Fail,
    "importer: cuIpcCloseMemHandle("
)]
#[case::no_event(
    "open-event-writes-no-event",
    "reported::one_of_two_events_is_pending",
    Verdict::Fail,
    "expected CUDA_ERROR_NOT_READY"
)]
#[case::an_address_in_another(
    "reserve-a-hint-inside-a-reservation-is-given-again",
    "reported::a_hint_inside_a_reservation_is_not_given",
    Verdict::Fail,
    "!(pointer2 == pointer1 + "
)]
#[case::an_open_of_many(
    "open-event-forgets-earlier-records",
    "reported::each_open_sees_the_record",
    Verdict::Fail,
    "importer: cuEventQuery("
)]
#[case::one_pool_twice(
    "pool-import-returns-the-first-pool",
    "reported::an_imported_pool_counts_its_own_memory",
    Verdict::Fail,
    "value1 is "
)]
#[case::another_path(
    "map-accepts-an-offset-and-ignores-it",
    "reported::a_mapping_begins_at_its_offset",
    Verdict::Fail,
    "importer: a check of the case: memcmp("
)]
#[case::half_an_output(
    "get-access-writes-half-of-its-answer",
    "reported::access_reads_as_it_was_set",
    Verdict::Fail,
    "importer: value1 == 3: value1 is "
)]
#[case::either_result(
    "unmap-ends-a-kernel-with-another-code",
    "reported::unmapping_waits_or_the_kernel_fails",
    Verdict::Fail,
    "expected CUDA_SUCCESS"
)]
#[conformance::test()]
fn a_program_of_a_failed_run_agrees_with_its_case(
    #[case] fault: &str,
    #[case] case: &str,
    #[case] verdict: Verdict,
    #[case] says: &str,
) -> Outcome {
    tells_apart(fault, case, verdict, says)
}

/// What a case computes from a wrong result is wrong for a sound driver, so no program compares with it.
#[rstest]
#[conformance::test()]
fn a_number_computed_from_a_wrong_result_has_no_program() -> Outcome {
    let fault = ("REFERENCE_DRIVER_FAULT", "device-pool-mask-reads-zero");
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut command = suite("reference")?;
    command.env(fault.0, fault.1).args(["--seed", "1", "--exact", "reported::a_mask_has_descriptors_too"]);
    let run = run(command)?;
    let mut command = conformance(&["report", "--runs", "1"])?;
    command.env(fault.0, fault.1).arg(run.path()).arg("--output").arg(folder.path());
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0) && text.contains("no program: the condition is computed in the case"), "{text}{errors}");
    Ok(())
}

/// If several threads of a program find something, it still prints one line.
#[rstest]
#[conformance::test()]
fn threads_print_one_line() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    const FAULT: &str = "open-allows-one-thread";
    let (found, program) = reported_with(FAULT, "reported::threads_open", folder.path())?;
    check!(found == Verdict::Fail, "the verdict is {found}");
    for _ in 0..20 {
        let (code, line) = executed(&program, &reference()?, Some(FAULT))?;
        check!(code == Some(1) && line.lines().count() == 1, "{code:?}: {line}");
    }
    Ok(())
}

/// A program keeps no memory of the rounds of a loop, and its arrays begin with what the suite writes into an output: so it
/// is short, and its process does not seem to leak.
#[rstest]
#[conformance::test()]
fn a_loop_keeps_nothing() -> Outcome {
    const CASE: &str = "reported::opening_many_times_keeps_nothing";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), "1")?;
    let source = PathBuf::from(text.trim().rsplit(' ').next().unwrap_or_default());
    let lines = fs::read_to_string(&source).map_err(harness)?.lines().count();
    let (code, line) = executed(&compiled(&source)?, &reference()?, None)?;
    check!(code == Some(0) && lines < 1000, "{code:?}, {lines} lines: {line}");
    Ok(())
}

/// A program of a race runs again until the failure shows. A driver without the failure ends it in time.
#[rstest]
#[conformance::test()]
fn a_program_of_a_race_runs_several_times() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (_, program) = reported_with("open-allows-one-thread", "reported::threads_open", folder.path())?;
    let program = compiled_with(&program.with_extension("c"), &["-DSECONDS=4"])?;
    let (code, line) = executed(&program, &reference()?, None)?;
    let runs =
        line.trim_end().strip_prefix("the driver behaves as expected in ").and_then(|rest| rest.strip_suffix(" runs"));
    let runs = runs.and_then(|runs| runs.parse::<u32>().ok()).unwrap_or_default();
    check!(code == Some(0) && runs > 1, "{code:?}: {line}");
    Ok(())
}

/// A program looks at the CUDA version of the driver if its case needs one.
#[rstest]
#[case::older("12.9")]
#[case::newer("13.1")]
#[conformance::test()]
fn a_program_knows_the_version_that_its_case_needs(#[case] version: &str) -> Outcome {
    const CASE: &str = "reported::is_for_one_version";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), "1")?;
    let program = compiled(Path::new(text.trim().rsplit(' ').next().unwrap_or_default()))?;
    let (code, line) = executed(&program, &reference()?, None)?;
    check!(code == Some(0), "{code:?}: {line}");
    let mut command = without_settings(&program);
    command.env("CUDA_IPC_DRIVER", reference()?).env("REFERENCE_DRIVER_VERSION", version);
    let output = command.stdin(Stdio::null()).output().map_err(harness)?;
    let line = String::from_utf8_lossy(&output.stdout);
    let says = format!(
        "cannot run: the case needs CUDA 13.0 and a driver before CUDA 13.1, and the driver supports CUDA {version}\n"
    );
    check!(output.status.code() == Some(77) && line == says, "{output:?}");
    Ok(())
}

/// A program needs as many GPUs as its case, also if its processes use fewer.
#[rstest]
#[conformance::test()]
fn a_program_needs_the_gpus_of_its_case() -> Outcome {
    const CASE: &str = "reported::needs_two_gpus";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), "1")?;
    let source = fs::read_to_string(text.trim().rsplit(' ').next().unwrap_or_default());
    let source = source.map_err(|error| harness(format!("{error}: {text}")))?;
    check!(source.contains("enum { GPUS = 2 };"), "{text}");
    Ok(())
}

/// A program has the PID namespaces of its case.
#[rstest]
#[conformance::test(needs(root))]
fn a_program_has_each_pid_namespace() -> Outcome {
    const CASE: &str = "reported::each_process_has_a_pid_namespace";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), "1")?;
    let source = fs::read_to_string(text.trim().rsplit(' ').next().unwrap_or_default());
    let source = source.map_err(|error| harness(format!("{error}: {text}")))?;
    let table = source.lines().find(|line| line.contains("namespace_of[PROCESSES]")).unwrap_or_default();
    check!(table.contains("] = 1") && table.contains("] = 2"), "{table}");
    Ok(())
}

/// An empty CUDA_IPC_DRIVER counts as unset, as it does in the suite.
#[rstest]
#[conformance::test()]
fn an_empty_variable_names_no_driver() -> Outcome {
    const CASE: &str = "reported::is_for_one_version";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), "1")?;
    let program = compiled(Path::new(text.trim().rsplit(' ').next().unwrap_or_default()))?;
    std::os::unix::fs::symlink(reference()?, folder.path().join("libcuda.so.1")).map_err(harness)?;
    let mut command = without_settings(&program);
    command.env("CUDA_IPC_DRIVER", "").env("LD_LIBRARY_PATH", folder.path());
    let output = command.stdin(Stdio::null()).output().map_err(harness)?;
    check!(output.status.code() == Some(0), "{output:?}");
    Ok(())
}

fn tells_apart(fault: &str, planted: &str, verdict: Verdict, says: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (found, program) = reported_with(fault, planted, folder.path())?;
    check!(found == verdict, "the verdict is {found}");
    let (code, line) = executed(&program, &reference()?, Some(fault))?;
    check!(code == Some(1) && line.contains(says), "{code:?}: {line}");
    let (code, line) = executed(&program, &reference()?, None)?;
    check!(code == Some(0) && line.lines().count() == 1, "{code:?}: {line}");
    Ok(())
}

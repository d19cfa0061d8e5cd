//! `conformance show` prints the summary and the selected rows and cases.

use conformance::report::{Report, Step};
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;
use serde_json::Value;

use crate::command::{Reports, case, plain, text};
use crate::suite::harness;

const FAILS: &str = "ipcmem::open::planted/number=00001";
const UNSUPPORTED: &str = "vmm::import::other/kind=Socket";

/// Returns a report with three cases of one row, one of them failed, and an unsupported case of another row.
fn report() -> Report {
    let mut report = plain("580.159.04", 3);
    (report.cases[1].verdict, report.cases[1].reason) =
        (Verdict::Fail, Some("first == second does not hold".to_owned()));
    let mut other = case(UNSUPPORTED);
    (other.verdict, other.reason) = (Verdict::Unsupported, Some("needs 9 GPUs, found 2".to_owned()));
    other.rows = vec!["VMM-IMP-001".to_owned()];
    report.cases.push(other);
    report
}

/// Names of rows and cases select cases, and verdicts restrict the selection. By default, bad cases are shown.
#[rstest]
#[case::nothing(&[], &[FAILS])]
#[case::row(&["IPCMEM-OPEN-002"], &["ipcmem::open::planted/number=00000", FAILS, "ipcmem::open::planted/number=00002"])]
#[case::row_without_a_case(&["IPCMEM-OPEN-003"], &[])]
#[case::case(&[FAILS], &[FAILS])]
#[case::without_parameters(&["vmm::import::other"], &[UNSUPPORTED])]
#[case::two_names(&[UNSUPPORTED, FAILS], &[FAILS, UNSUPPORTED])]
#[case::verdicts(&["--verdict", "fail,unsupported"], &[FAILS, UNSUPPORTED])]
#[case::row_and_verdict(&["IPCMEM-OPEN-002", "--verdict", "fail"], &[FAILS])]
#[conformance::test()]
fn the_selected_cases_are_shown(#[case] selection: &[&str], #[case] expected: &[&str]) -> Outcome {
    let report = report();
    let reports = Reports::new(&report, &report)?;
    let arguments: Vec<_> = ["show", "old", "--format", "json"].iter().chain(selection).copied().collect();
    let output = reports.run(&arguments)?;
    check!(output.status.success(), "{}", text(&output.stderr));
    let shown: Value = serde_json::from_slice(&output.stdout).map_err(harness)?;
    let cases = shown["cases"].as_array().into_iter().flatten();
    let found: Vec<_> = cases.filter_map(|case| case["id"].as_str()).collect();
    check!(found == expected, "{found:?}");
    check!(shown["summary"]["pass"] == 2 && shown["summary"]["fail"] == 1 && shown["is_complete"] == true, "{shown:#}");
    Ok(())
}

/// Steps have the names of C functions, and the same address or handle has the same name in each of them.
#[rstest]
#[conformance::test()]
fn steps_are_in_the_words_of_cuda() -> Outcome {
    let handle = "5a".repeat(64);
    let steps = [
        ("mem_alloc { size: 4096 }", "Pointer(0x7f2a40000000)"),
        ("ipc_get_mem_handle { pointer: Pointer(0x7f2a40000000) }", &format!("MemHandle(CUipcMemHandle({handle}))")),
        (&format!("ipc_open_mem_handle {{ handle: MemHandle(CUipcMemHandle({handle})) }}"), "Pointer(0x7f2a50000000)"),
        ("ctx_synchronize", "()"),
        ("mem_free { pointer: Pointer(0x0), label: \"HBM3e(x)\" }", "CUDA_ERROR_INVALID_VALUE (1)"),
        ("mismatches { pointer: Pointer(0x7f2a50000000), size: 4096 }", "0"),
    ];
    let mut report = report();
    let step = |(call, answer): &(&str, &str)| Step {
        role: "importer".to_owned(),
        call: (*call).to_owned(),
        answer: (*answer).to_owned(),
        ms: Some(0.031),
        log: Vec::new(),
    };
    report.cases[1].steps = steps.iter().map(step).collect();
    let reports = Reports::new(&report, &report)?;
    let told = [
        "1. importer: cuMemAlloc(size: 4096) -> pointer A (31 µs)\n",
        "2. importer: cuIpcGetMemHandle(pointer: pointer A) -> mem handle A (31 µs)\n",
        "3. importer: cuIpcOpenMemHandle(handle: mem handle A) -> pointer B (31 µs)\n",
        "4. importer: cuCtxSynchronize() -> success (31 µs)\n",
        "5. importer: cuMemFree(pointer: null pointer, label: \"HBM3e(x)\") -> CUDA_ERROR_INVALID_VALUE (1) (31 µs)\n",
        "6. importer: mismatches(pointer: pointer B, size: 4096) -> 0 (31 µs)\n",
    ];
    let printed = text(&reports.run(&["show", "old"])?.stdout);
    check!(told.iter().all(|line| printed.contains(line)), "{printed}");
    let page = text(&reports.run(&["html", "old"])?.stdout);
    check!(page.contains("<code>cuIpcOpenMemHandle(handle: mem handle A)</code>") && !page.contains(&handle), "{page}");
    check!(page.contains("<code>conformance run --driver system --seed 7 --from old</code>"), "{page}");
    Ok(())
}

/// The text shows the run, the row of the catalogue, and the case with its reason, observations and steps.
#[rstest]
#[conformance::test()]
fn the_text_shows_run_row_and_case() -> Outcome {
    let mut report = report();
    (report.is_complete, report.running) = (false, vec!["fab::last".to_owned()]);
    let printed = text(&Reports::new(&report, &report)?.run(&["show", "old"])?.stdout);
    let order = [
        "NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200\n",
        "warm processes, seed 7",
        "cases: 2 pass, 0 fixed, 1 unsupported, 0 differs, 0 deviation, 1 fail",
        "incomplete: ended while running fab::last",
        "IPCMEM-OPEN-002 D: A second open",
        "call:     cuIpcOpenMemHandle",
        "source:   cuda.h of CUDA ",
        "fail ipcmem::open::planted/number=00001 (10 ms)",
        "\n    first == second does not hold",
        "code = CUDA_SUCCESS (0)",
        "1. importer: cuIpcOpenMemHandle(…) -> CUDA_SUCCESS (0)",
    ];
    let places: Vec<_> = order.iter().map(|part| printed.find(part)).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {printed}");
    check!(!printed.contains('\u{1b}') && !printed.contains(UNSUPPORTED), "{printed}");
    Ok(())
}

/// The text and the page say that only a part of the suite ran, and what selected it.
#[rstest]
#[case::level(Some("--level quick"), "he run used --level quick: the rest of the suite did not run")]
#[case::earlier_suite(None, "he run used a filter: the rest of the suite did not run")]
#[conformance::test()]
fn a_part_of_the_suite_is_told(#[case] selection: Option<&str>, #[case] says: &str) -> Outcome {
    let whole = plain("580.159.04", 3);
    let mut part = whole.clone();
    (part.run.is_partial, part.run.selection) = (true, selection.map(str::to_owned));
    let reports = Reports::new(&whole, &part)?;
    for command in ["show", "html"] {
        let printed = |report: &str| Ok::<_, Stop>(text(&reports.run(&[command, report])?.stdout));
        let (whole, part) = (printed("old")?, printed("new")?);
        check!(part.contains(says) && !whole.contains("the rest of the suite"), "{command}: {part}");
    }
    Ok(())
}

/// A descriptor has a name. The same number in another role is another descriptor.
#[rstest]
#[conformance::test()]
fn descriptors_have_names() -> Outcome {
    let mut report = report();
    let failed = &mut report.cases[1];
    let step = |role: &str, call: &str, answer: &str| Step {
        role: role.to_owned(),
        call: call.to_owned(),
        answer: answer.to_owned(),
        ..failed.steps[0].clone()
    };
    failed.steps = vec![
        step("exporter", "mem_export_to_descriptor { physical: Physical(0x7) }", "Descriptor(8)"),
        step("importer", "take_descriptor { process: 7, descriptor: Descriptor(8) }", "Some(Descriptor(8))"),
        step("importer", "mem_import_from_descriptor { descriptor: Descriptor(-1) }", "CUDA_ERROR_INVALID_VALUE (1)"),
        step("exporter", "close_descriptor { descriptor: Descriptor(8) }", "()"),
    ];
    let reports = Reports::new(&report, &report)?;
    let printed = text(&reports.run(&["show", "old", FAILS])?.stdout);
    let lines = [
        "cuMemExportToShareableHandle(physical: physical A)",
        "take_descriptor(process: 7, descriptor: descriptor B)",
        "cuMemImportFromShareableHandle(descriptor: Descriptor(-1))",
        "close_descriptor(descriptor: descriptor A)",
    ];
    check!(lines.iter().all(|line| printed.contains(line)), "{printed}");
    check!(printed.contains("descriptor A") && printed.contains("Some(descriptor B)"), "{printed}");
    Ok(())
}

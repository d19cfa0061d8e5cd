//! `conformance diff` of one report compares it with the nearest record.

use std::path::Path;

use conformance::identity::Kind;
use conformance::report::Report;
use conformance::{Outcome, Stop, Verdict, check, records};
use rstest::rstest;
use serde_json::Value;

use crate::command::{Reports, case, conformance, finish, plain, text, without_rows};
use crate::suite::{harness, run, suite};

/// Returns a folder that contains the report `new`, and in `records` the record of another report.
fn beside(record: &Report, new: &Report) -> Result<Reports, Stop> {
    let reports = Reports::new(new, new)?;
    std::fs::create_dir(reports.path("records")).map_err(harness)?;
    write(record, &reports.path("records"))?;
    Ok(reports)
}

/// Writes a report's record into a folder.
fn write(report: &Report, folder: &Path) -> Outcome {
    let record = records::record(report.clone());
    std::fs::write(folder.join(records::name(&record.run)), record.to_lines().map_err(harness)?).map_err(harness)
}

fn diff(reports: &Reports, format: &str) -> Result<(Option<i32>, String), Stop> {
    let output = reports.run(&["diff", "new", "--records", "records", "--format", format])?;
    Ok((output.status.code(), text(&output.stdout)))
}

/// If a run was partial, only the cases that ran are compared. Cases that only the run or only the record has are
/// counted, but not as changes.
#[rstest]
#[case::nothing(|_: &mut Report| {}, 0, &[])]
#[case::time(|new: &mut Report| new.cases[1].duration_ms = 5000.0, 0, &[])]
#[case::observation(|new: &mut Report| new.cases[1].observations.clear(), 0, &["different"])]
#[case::verdict(|new: &mut Report| new.cases[1].verdict = Verdict::Crash, 1, &["regressed"])]
#[case::process(|new: &mut Report| new.bad_ends.push("process 9, keeper: exited with code 3 in exit()".to_owned()), 1, &[])]
#[case::broke_off(|new: &mut Report| new.running.push("ipcmem::open::planted/number=00007".to_owned()), 0, &["unchecked"])]
#[conformance::test()]
fn a_partial_run_is_compared(#[case] plant: fn(&mut Report), #[case] code: i32, #[case] changes: &[&str]) -> Outcome {
    let mut new = plain("580.159.04", 3);
    plant(&mut new);
    let ran = new.cases.len() + new.running.len();
    new.cases.extend([without_rows("wire::something"), case("vmm::new")]);
    let (found, json) = diff(&beside(&plain("580.159.04", 1000), &new)?, "json")?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    let severities = json["changes"].as_array().into_iter().flatten();
    let severities: Vec<_> = severities.filter_map(|change| change["severity"].as_str()).collect();
    check!(found == Some(code) && severities == changes, "{found:?}: {json:#}");
    let record = &json["record"];
    check!(record["path"] == "records/nvidia-580.159.04-h200-x2.jsonl" && record["nearness"] == "same", "{record}");
    check!(record["new"] == 1 && record["not_run"] == 1000 - ran && json["same"] == ran - changes.len(), "{json:#}");
    let published: Value = serde_json::from_str(include_str!("../../diff.schema.json")).map_err(harness)?;
    let validator = jsonschema::validator_for(&published).map_err(harness)?;
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    check!(errors.is_empty(), "{errors:?} in {json:#}");
    Ok(())
}

/// The comparison names calls that are slower than in the nearest record, if the run is whole and on the same model of GPU.
#[rstest]
#[case::same(|_: &mut Report| {}, Some(1))]
#[case::one_gpu_less(|new: &mut Report| new.run.devices.truncate(1), Some(1))]
#[case::another_model(|new: &mut Report| new.run.devices.iter_mut().for_each(|gpu| gpu.name = "NVIDIA H100".to_owned()), Some(0))]
#[case::a_part(|new: &mut Report| _ = new.cases.pop(), Some(0))]
#[case::without_an_end(|new: &mut Report| new.is_complete = false, Some(0))]
#[conformance::test()]
fn slower_calls_than_in_the_record_are_told(#[case] alter: fn(&mut Report), #[case] code: Option<i32>) -> Outcome {
    let with = |ms: f64| {
        let mut report = plain("580.159.04", 5);
        report.cases.iter_mut().flat_map(|case| &mut case.steps).for_each(|step| step.ms = Some(ms));
        report
    };
    let mut new = with(20.0);
    alter(&mut new);
    let reports = beside(&with(0.03), &new)?;
    let (found, printed) = diff(&reports, "text")?;
    check!(found == code, "{found:?}: {printed}");
    let says = "1 call became slower: cuIpcOpenMemHandle: 0.030 to 20 ms, in 5 cases";
    check!(printed.contains(says) == (code == Some(1)), "{printed}");
    let output = reports.run(&["diff", "new", "--records", "records", "--no-time"])?;
    check!(output.status.code() == Some(0), "{}", text(&output.stdout));
    Ok(())
}

/// Text and Markdown begin with the record and say how near it is. They count the verdicts of the record and of the
/// report.
#[rstest]
#[case::text("text", "record: nvidia-580.159.04-h200-x2.jsonl", "verdicts: 3 -> 2 pass, 0 -> 1 crash\n")]
#[case::markdown("markdown", "- record: nvidia-580.159.04-h200-x2.jsonl", "| pass | 3 | 2 |\n| crash | 0 | 1 |\n")]
#[conformance::test()]
fn the_record_is_named(#[case] format: &str, #[case] record: &str, #[case] verdicts: &str) -> Outcome {
    let mut new = plain("570.86.15", 3);
    new.cases[1].verdict = Verdict::Crash;
    let (code, printed) = diff(&beside(&plain("580.159.04", 3), &new)?, format)?;
    let near = "(the nearest of this GPU: NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200): 1 of 3 cases changed";
    let places: Vec<_> = [record, near, "regressed (1)"].iter().map(|part| printed.find(part)).collect();
    check!(code == Some(1) && places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {printed}");
    check!(printed.contains(verdicts), "{verdicts:?} is not in {printed}");
    check!(!printed.contains("without an end line"), "both runs ended: {printed}");
    Ok(())
}

/// If no record is near, the comparison fails, and the message names the folder and the run.
#[rstest]
#[case::none_near("records", "cannot compare with a record in records", "NVIDIA 580.159.04")]
#[case::no_folder(
    "nothing",
    "cannot compare with a record in nothing",
    "cannot read the records in nothing: No such file"
)]
#[conformance::test()]
fn without_a_near_record_the_comparison_fails(#[case] folder: &str, #[case] says: &str, #[case] and: &str) -> Outcome {
    let mut other = plain("580.159.04", 3);
    other.run.driver.name = "Another".to_owned();
    let output = beside(&other, &plain("580.159.04", 3))?.run(&["diff", "new", "--records", folder])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains(says) && errors.contains(and), "{errors}");
    check!(output.stdout.is_empty(), "{}", text(&output.stdout));
    Ok(())
}

/// There are no records of the reference driver. The message says once that nothing was compared.
#[rstest]
#[conformance::test()]
fn a_run_of_the_reference_driver_has_no_record() -> Outcome {
    let mut new = plain("0.1.0", 3);
    (new.run.driver.name, new.run.driver.kind) = ("reference".to_owned(), Kind::Reference);
    let output = beside(&plain("580.159.04", 3), &new)?.run(&["diff", "new", "--records", "records"])?;
    let errors = text(&output.stderr);
    let says = "cannot compare with a record in records: records exist only for real GPUs\n";
    check!(output.status.code() == Some(2) && errors.ends_with(says), "{errors}");
    Ok(())
}

/// If several records are equally near, the first line about the record names the others, and how to compare with them.
#[rstest]
#[case::copy(|record: &mut Report| record.run.seed = 8, "z-copy.jsonl")]
#[case::other_version(|record: &mut Report| record.run.driver.version = "586.159.04".to_owned(), "nvidia-586.159.04-h200-x2.jsonl")]
#[case::nearer(|record: &mut Report| record.run.driver.version = "584.159.04".to_owned(), "")]
#[conformance::test()]
fn records_that_are_equally_near_are_named(#[case] alter: fn(&mut Report), #[case] other: &str) -> Outcome {
    let new = plain("583.159.04", 3);
    let reports = beside(&plain("580.159.04", 3), &new)?;
    let mut second = records::record(plain("580.159.04", 3));
    alter(&mut second);
    let name = if other == "z-copy.jsonl" { other.to_owned() } else { records::name(&second.run) };
    std::fs::write(reports.path("records").join(name), second.to_lines().map_err(harness)?).map_err(harness)?;
    let (_, printed) = diff(&reports, "text")?;
    let line = printed.lines().find(|line| line.starts_with("record: ")).unwrap_or_default();
    let (_, json) = diff(&reports, "json")?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    let others = json["record"]["equally_near"].as_array().cloned().unwrap_or_default();
    if other.is_empty() {
        check!(!line.contains("equally near") && others.is_empty(), "{line}: {json:#}");
        return Ok(());
    }
    // The newer of two releases is chosen, and of two records of one release the first by name.
    let (chosen, left) = match other {
        "z-copy.jsonl" => ("nvidia-580.159.04-h200-x2.jsonl", other),
        _ => (other, "nvidia-580.159.04-h200-x2.jsonl"),
    };
    check!(line.starts_with(&format!("record: {chosen} (")), "{line}");
    let says = format!("; {left} is equally near: `conformance diff records/{left} REPORT` compares with it");
    check!(line.ends_with(&says), "{line}");
    check!(others == [format!("records/{left}")], "{json:#}");
    let published: Value = serde_json::from_str(include_str!("../../diff.schema.json")).map_err(harness)?;
    check!(jsonschema::validator_for(&published).map_err(harness)?.is_valid(&json), "{json:#}");
    Ok(())
}

/// The last lines of a run and `conformance diff` of its report describe the record in the same words.
#[rstest]
#[conformance::test()]
fn a_run_and_diff_describe_the_record_alike() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let one_case = || {
        let mut command = suite("reference")?;
        command.arg("sample::null_is_refused").arg("--records").arg(folder.path());
        run(command)
    };
    let mut record = one_case()?.report()?;
    record.cases[0].verdict = Verdict::Crash;
    record.cases.push(case("vmm::other"));
    write(&record, folder.path())?;
    let run = one_case()?;
    let mut command = conformance(&["diff"])?;
    command.arg(run.path()).arg("--records").arg(folder.path());
    let (code, printed, errors) = finish(command)?;
    let title = printed.lines().find(|line| line.starts_with("record: ")).ok_or_else(|| harness(errors))?;
    check!(code == Some(0) && title.ends_with("1 of 1 cases changed"), "{printed}");
    check!(run.text().contains(&format!("conformance: {title}\n")), "{title} is not in {}", run.text());
    Ok(())
}

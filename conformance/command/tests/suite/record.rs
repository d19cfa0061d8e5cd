//! Golden records: their content, the choice of the nearest, and a run's comparison with it.

use conformance::records::{self, Nearness, Records};
use conformance::report::{Environment, Host, Load, Report};
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;
use serde_json::Value;

use crate::command::{Reports, case, plain, text, without_rows};
use crate::suite::{harness, run, suite};

/// A record is named after its driver and GPUs. It contains nothing about the machine and nothing that changes from run
/// to run.
#[rstest]
#[conformance::test()]
fn an_update_normalises_the_report() -> Outcome {
    let mut report = plain("580.159.04", 2);
    report.run.environment = Some(open_module());
    report.run.load = Some(Load { threads: 7.25, processors: 4 });
    report.cases[0].reason = Some("0x7f0012345678 is not mapped".to_owned());
    report.cases[1].duration_ms = 167.3;
    report.cases.push(without_rows("wire::something"));
    report.cases.reverse();
    let reports = Reports::new(&report, &report)?;
    std::fs::create_dir(reports.path("records")).map_err(harness)?;
    let output = reports.run(&["record", "update", "old", "--records", "records"])?;
    check!(output.status.success(), "{}", text(&output.stderr));
    let path = reports.path("records/nvidia-580.159.04-h200-x2.jsonl");
    let written = std::fs::read_to_string(&path).map_err(harness)?;
    for absent in [
        "wire::something",
        "user",
        "/run/someone",
        "\"start\"",
        "steps",
        "/usr/lib",
        "0x7f",
        "7.25",
        "00000000000000000001",
    ] {
        check!(!written.contains(absent), "{absent} is in {written}");
    }
    let record = Report::read(&path).map_err(harness)?;
    check!(record.is_complete && record.cases.len() == 2 && record.cases.is_sorted_by_key(|case| &case.id));
    check!(record.cases[1].duration_ms == 200.0 && record.run.driver.path == "libcuda.so.1", "{record:?}");
    check!(records::record(record.clone()) == record, "the record of a record differs from it");
    let diff = records::compare(&record, &Report::read(&reports.path("old")).map_err(harness)?);
    check!(diff.changes.is_empty() && diff.same == 2 && diff.environment.is_empty(), "{diff:?}");
    Ok(())
}

/// Returns the environment of a machine with the open kernel module.
fn open_module() -> Environment {
    Environment {
        kernel_module: Some("open".to_owned()),
        imex_channels: vec!["0".to_owned()],
        mps: Some("/run/someone/nvidia-mps".to_owned()),
        mig: vec!["gpu0".to_owned()],
        host: Some(Host { system: "Linux 6.1.0 x86_64".to_owned(), user: 1000, ..Host::default() }),
    }
}

/// A record contains the part of the environment that belongs to the driver and the GPUs. Only this part is compared.
#[rstest]
#[case::nothing(|_: &mut Environment| {}, &[])]
#[case::host(|now: &mut Environment| now.host = Some(Host { container: Some("docker".to_owned()), ..Host::default() }), &[])]
#[case::folder(|now: &mut Environment| now.mps = Some("/tmp/nvidia-mps".to_owned()), &[])]
#[case::flavour(|now: &mut Environment| now.kernel_module = Some("proprietary".to_owned()), &["environment.kernel_module"])]
#[case::mps(|now: &mut Environment| now.mps = None, &["environment.mps"])]
#[case::mig(|now: &mut Environment| now.mig.clear(), &["environment.mig"])]
#[case::channels(|now: &mut Environment| now.imex_channels.push("1".to_owned()), &["environment.imex_channels"])]
#[conformance::test()]
fn the_environment_of_the_gpus_is_kept(#[case] plant: fn(&mut Environment), #[case] told: &[&str]) -> Outcome {
    let (mut old, mut new) = (plain("580.159.04", 1), plain("580.159.04", 1));
    let (before, mut now) = (open_module(), open_module());
    plant(&mut now);
    (old.run.environment, new.run.environment) = (Some(before), Some(now));
    let reports = Reports::new(&records::record(old), &new)?;
    let output = reports.run(&["diff", "old", "new", "--format", "json"])?;
    let diff: Value = serde_json::from_slice(&output.stdout).map_err(harness)?;
    let settings = diff["environment"].as_array().into_iter().flatten();
    let names: Vec<_> = settings.filter_map(|setting| setting["name"].as_str()).collect();
    check!(names == told, "{diff:#}");
    Ok(())
}

/// An update prints the changes, or that nothing changed. With --dry-run it writes nothing.
#[rstest]
#[conformance::test()]
fn an_update_shows_what_it_changes() -> Outcome {
    let (old, mut new) = (plain("580.159.04", 3), plain("580.159.04", 3));
    new.cases[1].observations.insert("code".to_owned(), "CUDA_ERROR_UNKNOWN (999)".into());
    let reports = Reports::new(&old, &new)?;
    let update = |arguments: &[&str]| {
        let arguments: Vec<_> = ["record", "update", "--records", "."].iter().chain(arguments).copied().collect();
        reports.run(&arguments).map(|output| text(&output.stdout))
    };
    check!(update(&["old"])?.ends_with("h200-x2.jsonl: 3 cases\n"));
    check!(update(&["old"])?.ends_with("no changes\n"));
    let path = reports.path("nvidia-580.159.04-h200-x2.jsonl");
    let before = std::fs::read(&path).map_err(harness)?;
    for (arguments, is_written) in [(&["new", "--dry-run"][..], false), (&["new"], true)] {
        let printed = update(arguments)?;
        check!(printed.contains("code: CUDA_SUCCESS (0) -> CUDA_ERROR_UNKNOWN (999)"), "{printed}");
        check!(printed.contains("\nverdicts: 3 pass\n") && !printed.contains("outside any case"), "{printed}");
        check!((std::fs::read(&path).map_err(harness)? != before) == is_written);
    }
    check!(update(&["new"])?.ends_with("no changes\n"));
    Ok(())
}

/// A report with bad verdicts becomes a record only with --with-failures, and the cases are named.
#[rstest]
#[conformance::test()]
fn a_run_with_failures_becomes_a_record_only_on_request() -> Outcome {
    let mut report = plain("580.159.04", 3);
    report.cases[1].verdict = Verdict::Crash;
    let reports = Reports::new(&report, &report)?;
    let update = ["record", "update", "old", "--records", "."];
    let refused = reports.run(&update)?;
    let says = text(&refused.stderr);
    check!(refused.status.code() == Some(2) && !reports.path("nvidia-580.159.04-h200-x2.jsonl").exists(), "{says}");
    check!(says.contains("crash ipcmem::open::planted/number=00001") && says.contains("--with-failures"), "{says}");
    let accepted = reports.run(&[&update[..], &["--with-failures"]].concat())?;
    let says = text(&accepted.stdout);
    let end = "3 cases, with bad verdicts: crash ipcmem::open::planted/number=00001\n";
    check!(accepted.status.success() && says.ends_with(end), "{says}");
    Ok(())
}

/// The report of an incomplete run cannot become a record, and the message says what it lacks.
#[rstest]
#[case::running("ends while fab::last is still running", |report: &mut Report| report.running.push("fab::last".to_owned()))]
#[case::cut("has no end line", |report: &mut Report| report.is_complete = false)]
#[case::filtered("covers only a part of the suite", |report: &mut Report| report.run.is_partial = true)]
#[case::unmet("did not meet --require", |report: &mut Report| report.run.unmet.push("gpus=8".to_owned()))]
#[case::process("has a process that crashed or hung", |report: &mut Report| report.bad_ends.push("process 7, keeper: killed".to_owned()))]
#[case::harness("has no cases that check a row", |report: &mut Report| report.cases = vec![without_rows("wire::something")])]
#[conformance::test()]
fn an_incomplete_run_cannot_become_a_record(#[case] says: &str, #[case] plant: fn(&mut Report)) -> Outcome {
    let mut report = plain("580.159.04", 3);
    plant(&mut report);
    let output = Reports::new(&report, &report)?.run(&["record", "update", "old", "--records", "."])?;
    check!(output.status.code() == Some(2) && text(&output.stderr).contains(says), "{}", text(&output.stderr));
    Ok(())
}

/// Returns a run on the given driver version and the given number of GPUs.
fn on(version: &str, gpu: &str, count: usize) -> Report {
    let mut report = plain(version, 1);
    report.run.devices.truncate(count);
    for device in &mut report.run.devices {
        device.name = gpu.to_owned();
    }
    report
}

/// The nearest record is that of the same driver and GPUs, otherwise that of the nearest driver version on this GPU,
/// otherwise that of this driver on another GPU.
#[rstest]
#[case::same("580.159.04", "NVIDIA H200", 1, Some((Nearness::Same, "nvidia-580.159.04-h200.jsonl")))]
#[case::same_pair("580.159.04", "NVIDIA H200", 2, Some((Nearness::Same, "nvidia-580.159.04-h200-x2.jsonl")))]
#[case::other_count("570.86.15", "NVIDIA H200", 2, Some((Nearness::SameGpu, "nvidia-570.86.15-h200.jsonl")))]
#[case::near_below("572.1", "NVIDIA H200", 1, Some((Nearness::SameGpu, "nvidia-570.86.15-h200.jsonl")))]
#[case::near_above("578.1", "NVIDIA H200", 2, Some((Nearness::SameGpu, "nvidia-580.159.04-h200-x2.jsonl")))]
#[case::later_minor("580.200", "NVIDIA H200", 1, Some((Nearness::SameGpu, "nvidia-580.159.04-h200.jsonl")))]
#[case::same_driver("550.54.15", "NVIDIA H200 NVL", 1, Some((Nearness::SameDriver, "nvidia-550.54.15-l4.jsonl")))]
#[case::nothing_near("535.1", "NVIDIA A100", 1, None)]
#[conformance::test()]
fn the_nearest_record_is_found(
    #[case] version: &str,
    #[case] gpu: &str,
    #[case] count: usize,
    #[case] expected: Option<(Nearness, &str)>,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for record in [
        on("550.54.15", "NVIDIA L4", 1),
        on("570.86.15", "NVIDIA H200", 1),
        on("580.159.04", "NVIDIA H200", 1),
        on("580.159.04", "NVIDIA H200", 2),
    ] {
        let text = record.to_lines().map_err(harness)?;
        std::fs::write(folder.path().join(records::name(&record.run)), text).map_err(harness)?;
    }
    let records = Records::read(folder.path());
    let nearest = records.nearest(&on(version, gpu, count).run).map(|(nearness, path, _)| (nearness, path));
    let found = nearest.and_then(|(nearness, path)| Some((nearness, path.file_name()?.to_str()?)));
    check!(found == expected && records.warnings.is_empty(), "{found:?}, {:?}", records.warnings);
    Ok(())
}

/// The checked-in records are exactly what the command would write.
#[rstest]
#[conformance::test()]
fn the_checked_in_records_are_normalised() -> Outcome {
    let records = Records::read(&records::folder());
    check!(records.warnings.is_empty(), "{:?}", records.warnings);
    check!(!records.records.is_empty(), "{} contains no records", records::folder().display());
    for (path, record) in &records.records {
        check!(path.file_name().is_some_and(|name| name == records::name(&record.run).as_str()), "{}", path.display());
        check!(records::record(record.clone()) == *record, "{} contains more than a record should", path.display());
    }
    Ok(())
}

const CASE: &str = "sample::null_is_refused";

/// Runs one case beside a record that was changed by `plant`. Returns the output, and whether the run succeeded.
fn beside_a_record(plant: impl Fn(&mut Report), extra: Option<&str>) -> Result<(String, bool), Stop> {
    let first = suite_on_one_case(None)?;
    let mut record = records::record(first.report()?);
    plant(&mut record);
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = record.to_lines().map_err(harness)?;
    std::fs::write(folder.path().join(records::name(&record.run)), text).map_err(harness)?;
    if let Some(extra) = extra {
        std::fs::write(folder.path().join("other.jsonl"), extra).map_err(harness)?;
    }
    let run = suite_on_one_case(Some(folder.path()))?;
    Ok((run.text(), run.output.status.success()))
}

fn suite_on_one_case(records: Option<&std::path::Path>) -> Result<crate::suite::Run, Stop> {
    let mut command = suite("reference")?;
    command.args(["--exact", CASE]);
    if let Some(records) = records {
        command.arg("--records").arg(records);
    }
    run(command)
}

/// A run prints the record that it was compared with, and the changes. Changes do not affect its exit code.
#[rstest]
#[case::nothing(|_: &mut Report| {}, "(same driver, same GPUs): 0 of 1 cases changed\n")]
#[case::verdict(|record: &mut Report| record.cases[0].verdict = Verdict::Crash, "1 of 1 cases changed\nconformance:   better: sample::null_is_refused")]
#[case::worse(|record: &mut Report| { record.cases[0].observations.insert("code".to_owned(), 3.into()); }, "different: sample::null")]
#[case::did_not_run(|record: &mut Report| record.cases.push(case("vmm::other")), "0 of 1 cases changed\n")]
#[case::is_new(|record: &mut Report| record.cases.clear(), "0 of 0 cases changed, 1 are not in the record")]
#[case::other_version(|record: &mut Report| record.run.driver.version = "0.0.1".to_owned(), "(the nearest of this GPU: reference 0.0.1 ")]
#[case::flavour(|record: &mut Report| record.run.environment = Some(open_module()), "\nconformance:   environment.kernel_module: open -> ")]
#[case::other_driver(|record: &mut Report| record.run.driver.name = "NVIDIA".to_owned(), "records exist only for real GPUs")]
#[conformance::test()]
fn a_run_is_compared_with_its_record(#[case] plant: fn(&mut Report), #[case] says: &str) -> Outcome {
    let (text, is_success) = beside_a_record(plant, None)?;
    check!(is_success && text.contains(says), "{text}");
    Ok(())
}

/// A run names the first five cases that changed since the record, and says how to see the others.
#[rstest]
#[case::five(5)]
#[case::seven(7)]
#[conformance::test()]
fn the_first_changes_are_named(#[case] changed: usize) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let many_cases = || {
        let mut command = suite("reference")?;
        command.arg("sample::memory_has_its_size").arg("--records").arg(folder.path());
        run(command)
    };
    let mut record = records::record(many_cases()?.report()?);
    record.cases.iter_mut().take(changed).for_each(|case| case.verdict = Verdict::Crash);
    let text = record.to_lines().map_err(harness)?;
    std::fs::write(folder.path().join(records::name(&record.run)), text).map_err(harness)?;
    let text = many_cases()?.text();
    check!(text.matches("conformance:   better: sample::").count() == 5, "{text}");
    let others = format!("  and 2 more: conformance diff --records {} REPORT\n", folder.path().display());
    check!(text.contains(&others) == (changed == 7), "{text}");
    check!(text.contains(" more: conformance diff") == (changed == 7), "{text}");
    Ok(())
}

/// A file that is not a record is named, and the run is compared with the other records.
#[rstest]
#[case::empty("", "other.jsonl is empty")]
#[case::foreign("<html>", "other.jsonl is not a report")]
#[case::future("{\"line\":\"run\",\"format\":99}\n", "other.jsonl has format 99")]
#[conformance::test()]
fn a_file_that_is_not_a_record_is_a_warning(#[case] content: &str, #[case] says: &str) -> Outcome {
    let (text, is_success) = beside_a_record(|_| {}, Some(content))?;
    check!(is_success && text.contains("warning: ") && text.contains(says), "{text}");
    check!(text.contains("0 of 1 cases changed"), "{text}");
    Ok(())
}

/// A nonexistent folder of records is named in a warning.
#[rstest]
#[conformance::test()]
fn a_missing_folder_is_a_warning() -> Outcome {
    let run = suite_on_one_case(Some(std::path::Path::new("/nonexistent")))?;
    check!(
        run.output.status.success() && run.text().contains("cannot read the records in /nonexistent"),
        "{}",
        run.text()
    );
    Ok(())
}

/// A folder of records that does not exist is named, with what to do. Neither the folder nor a file is made.
#[rstest]
#[conformance::test()]
fn an_update_names_a_missing_folder(#[values(true, false)] dry: bool) -> Outcome {
    let report = plain("580.159.04", 3);
    let reports = Reports::new(&report, &report)?;
    let dry: &[&str] = if dry { &["--dry-run"] } else { &[] };
    let output = reports.run(&[&["record", "update", "old", "--records", "no/such folder"], dry].concat())?;
    let errors = text(&output.stderr);
    let says = "conformance: there is no folder no/such folder for the record: choose another with --records, or make it \
                with `mkdir -p 'no/such folder'`\n";
    check!(output.status.code() == Some(2) && errors == says, "{errors}{}", text(&output.stdout));
    check!(!reports.path("no").exists());
    Ok(())
}

/// The list names each record. A warning names each file that is not a record.
#[rstest]
#[conformance::test()]
fn records_are_listed() -> Outcome {
    let report = plain("580.159.04", 3);
    let reports = Reports::new(&report, &report)?;
    check!(reports.run(&["record", "update", "old", "--records", "."])?.status.success());
    std::fs::write(reports.path("broken.jsonl"), "").map_err(harness)?;
    let output = reports.run(&["record", "list", "--records", "."])?;
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    check!(printed.contains("h200-x2.jsonl: NVIDIA 580.159.04 (CUDA 13.0) on 2 × NVIDIA H200, 3 cases\n"), "{printed}");
    check!(printed.lines().count() == 1 && errors.contains("broken.jsonl is empty"), "{printed}{errors}");
    let output = reports.run(&["record", "list", "--records", "nothing"])?;
    check!(output.status.code() == Some(2) && text(&output.stderr).contains("nothing is not a folder"));
    Ok(())
}

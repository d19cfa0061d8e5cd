//! `conformance fleet`: what many reports say together.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use conformance::report::{CaseReport, Identification, Report, Runs};
use conformance::{Defect, Failure, Outcome, Stop, Verdict, check};
use rstest::rstest;
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{conformance, finish, plain};
use crate::suite::harness;

/// The row of every planted case.
pub(crate) const ROW: &str = "IPCMEM-OPEN-002";

pub(crate) fn write(folder: &Path, name: &str, report: &Report) -> Outcome {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(harness)?;
    std::fs::write(path, report.to_lines().map_err(harness)?).map_err(harness)
}

pub(crate) fn of_host(version: &str, cases: usize, host: &str) -> Report {
    let mut report = plain(version, cases);
    report.run.identification = Some(Identification { host: host.to_owned(), ..Identification::default() });
    report
}

pub(crate) fn crash(report: &mut Report) {
    let case = &mut report.cases[1];
    let (call, result) = (Some("cuMemPoolImportPointer".to_owned()), Some("SIGSEGV".to_owned()));
    (case.verdict, case.reason) = (Verdict::Crash, Some("importer: killed by signal 11".to_owned()));
    case.failure = Some(Failure { call, result, ..Failure::of(Defect::Crash) });
}

/// Ten hosts of a driver, of which one crashes; four of an older driver, on which a listed bug breaks the rule.
fn fleet() -> Result<TempDir, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..10 {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        if number == 7 {
            crash(&mut report);
        }
        write(folder.path(), &format!("new/{number}.jsonl"), &report)?;
    }
    for number in 0..4 {
        let mut report = plain("570.86.15", 3);
        report.cases[0].verdict = Verdict::Deviation;
        report.cases[0].reason = Some("x does not hold (listed: https://example.org)".to_owned());
        write(folder.path(), &format!("old/{number}.jsonl"), &report)?;
    }
    Ok(folder)
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Result<(Option<i32>, String, String), Stop> {
    let mut command = conformance(&["fleet"])?;
    command.arg(folder).args(arguments);
    finish(command)
}

/// The one host that is different from its peers comes first, by name, with what happened. A rule that breaks on every
/// machine of a driver is no outlier.
#[rstest]
#[conformance::test()]
fn the_outlier_comes_first() -> Outcome {
    let folder = fleet()?;
    let (code, text, errors) = run(folder.path(), &[])?;
    let mut lines = text.lines();
    let first = "14 reports of 10 hosts and 2 drivers (4 name no host): 1 rule breaks in 1 report, but holds in most reports of the \
         same driver and GPUs.";
    check!(code == Some(0) && lines.next() == Some(first), "{text}{errors}");
    let outlier = "breaks in 1 of 10 reports with NVIDIA 580.159.04 and 2 × NVIDIA H200: crash, SIGSEGV in \
                   cuMemPoolImportPointer: node-7";
    check!(text.contains(&format!("\noutliers (1)\n  {ROW} D: ")) && text.contains(outlier), "{text}");
    check!(
        text.contains("NVIDIA 570.86.15  NVIDIA 580.159.04\n")
            && text.contains("4/4               1/10\n    in node-7\n"),
        "{text}"
    );
    let (_, hosts, _) = run(folder.path(), &["--by", "host"])?;
    let line =
        hosts.lines().find(|line| line.trim_start().starts_with(&format!("{ROW}  breaks  "))).unwrap_or_default();
    check!(line.matches("listed").count() == 4 && hosts.contains("  node-7  "), "{hosts}");
    Ok(())
}

/// A report of an earlier suite says only in its reason how a case failed.
#[rstest]
#[case::crash(
    "exporter: killed by signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(…))",
    "crash, SIGSEGV in cuMemPoolDestroy"
)]
#[case::at_the_end("after the case, exporter: exited with code 3 in exit()", "crash, exited with code 3 in exit")]
#[case::hang(
    "importer: no answer to cuEventQuery(event: Event(0x7)) before the deadline",
    "hang, cuEventQuery did not return"
)]
#[case::leak(
    "exporter: a file descriptor of /dev/null is still open after the process released everything",
    "leak, exporter: a file"
)]
#[case::sometimes("intermittent crash: in cuMemPoolImportPointer", "crash, cuMemPoolImportPointer")]
#[case::neither("importer: x does not hold", "wrong result, importer: x does not hold")]
#[conformance::test()]
fn a_reason_says_how_a_case_failed(#[case] reason: &str, #[case] says: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut report = plain("580.159.04", 3);
    report.cases[0].verdict = Verdict::Deviation;
    report.cases[0].reason = Some(format!("{reason} (listed: https://example.org)"));
    write(folder.path(), "one.jsonl", &report)?;
    let (_, text, _) = run(folder.path(), &["--rule", ROW])?;
    check!(text.contains(&format!(": {says}")), "{text}");
    Ok(())
}

/// The history of a rule says in how many runs of a case it broke, unless that were all of them.
#[rstest]
#[case::some(1, ", in 1 of 3 runs")]
#[case::all(3, "")]
#[conformance::test()]
fn a_failure_of_every_run_needs_no_share(#[case] failed: u32, #[case] share: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut report = plain("580.159.04", 3);
    crash(&mut report);
    report.cases[1].runs = Some(Runs { failed, of: 3 });
    write(folder.path(), "one.jsonl", &report)?;
    let (_, text, errors) = run(folder.path(), &["--rule", ROW])?;
    // A long line is broken.
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    check!(words.contains(&format!("SIGSEGV in cuMemPoolImportPointer{share}")), "{text}{errors}");
    check!(words.contains(" of 3 runs") != share.is_empty(), "{text}");
    Ok(())
}

/// A rule has a history over the driver releases, in their order. An unknown rule is an error.
#[rstest]
#[conformance::test()]
fn a_rule_has_a_history() -> Outcome {
    let folder = fleet()?;
    write(folder.path(), "newest.jsonl", &plain("610.10", 3))?;
    let (code, text, _) = run(folder.path(), &["--rule", ROW])?;
    let history = "\n  NVIDIA 570.86.15   breaks in 4 of 4 reports, 4 of them as a list of deviations says: wrong result, x \
                   does not hold\n  NVIDIA 580.159.04  breaks in 1 of 10 reports: crash, SIGSEGV \
                   in cuMemPoolImportPointer\n  NVIDIA 610.10      holds in the only report\n";
    check!(code == Some(0) && text.ends_with(history), "{text}");
    for (row, says) in [("IPCMEM-OPEN-9999", "the catalogue has no such row"), ("FAB-001", "no report checks it")] {
        let (code, _, errors) = run(folder.path(), &["--rule", row])?;
        check!(code == Some(2) && errors.contains(&format!("{row}: {says}")), "{errors}");
    }
    Ok(())
}

/// Files that cannot be read are named with the cause and do not stop the others.
#[rstest]
#[case::text(&[], true)]
#[case::json(&["--format", "json"], false)]
#[case::html(&["--format", "html"], false)]
#[conformance::test()]
fn broken_files_are_named(#[case] arguments: &[&str], #[case] on_output: bool) -> Outcome {
    let folder = fleet()?;
    let lines = plain("580.159.04", 3).to_lines().map_err(harness)?;
    let cut = lines.len() / 2;
    let broken = [
        ("empty.jsonl", String::new(), "is empty"),
        ("garbage.jsonl", format!("{}\n{{]\n{}", &lines[..cut], &lines[cut..]), "line "),
        ("future.jsonl", "{\"line\":\"run\",\"format\":99}\n".to_owned(), "has format 99"),
    ];
    for (name, text, _) in &broken {
        std::fs::write(folder.path().join(name), text).map_err(harness)?;
    }
    std::fs::write(folder.path().join("notes.txt"), "no report").map_err(harness)?;
    let (code, output, errors) = run(folder.path(), arguments)?;
    check!(code == Some(0) && output.contains("node-7"), "{output}{errors}");
    let told = if on_output { &output } else { &errors };
    for (name, _, why) in broken {
        let line = told.lines().find(|line| line.contains(name)).ok_or_else(|| Stop::failed(told.clone()))?;
        check!(line.contains(why), "{line}");
    }
    check!(!told.contains("notes.txt"), "{told}");
    Ok(())
}

/// A folder that cannot be read, such as the lost+found of a file system, is named and does not stop the others.
#[rstest]
#[conformance::test()]
fn an_unreadable_folder_is_named() -> Outcome {
    if rustix::process::geteuid().is_root() {
        return Err(Stop::Unsupported("root reads every folder".to_owned()));
    }
    let folder = fleet()?;
    let lost = folder.path().join("lost+found");
    std::fs::create_dir(&lost).map_err(harness)?;
    std::fs::set_permissions(&lost, std::fs::Permissions::from_mode(0o000)).map_err(harness)?;
    let (code, output, errors) = run(folder.path(), &[])?;
    std::fs::set_permissions(&lost, std::fs::Permissions::from_mode(0o755)).map_err(harness)?;
    check!(code == Some(0) && output.contains("node-7"), "{output}{errors}");
    check!(output.contains("lost+found: Permission denied"), "{output}");
    Ok(())
}

/// A machine that checks no rule is named, also without peers that say what is usual, and if nextest ran there.
#[rstest]
#[conformance::test()]
fn a_machine_that_checks_nothing_is_named(#[values(false, true)] is_of_nextest: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    write(folder.path(), "0.jsonl", &of_host("580.159.04", 3, "node-0"))?;
    let mut report = of_host("580.159.04", 3, "node-1");
    for case in &mut report.cases {
        (case.verdict, case.reason) = (Verdict::Unsupported, Some("needs a GPU".to_owned()));
    }
    if is_of_nextest {
        report.run.run = "4b1a2c9e-0000-4000-8000-000000000000".to_owned();
        report.is_complete = false;
    }
    write(folder.path(), "1.jsonl", &report)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = printed.lines().next().unwrap_or_default();
    check!(
        first.ends_with("; 1 host checks too little.") && printed.contains("  node-1: checks no rule\n"),
        "{printed}{errors}"
    );
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    check!(page.contains("<header class=\"bad\">"), "{page}");
    Ok(())
}

/// A report that a crash of the machine cut counts as far as it goes, and is named.
#[rstest]
#[case::in_a_name("{\"line\":\"case\",\"id\":\"ipcm")]
#[case::behind_a_verdict(
    "{\"line\":\"case\",\"id\":\"ipcmem::open::last\",\"rows\":[\"IPCMEM-OPEN-002\"],\"verdict\":\"pass\",\"rea"
)]
#[conformance::test()]
fn a_cut_report_counts_as_far_as_it_goes(#[case] last: &str) -> Outcome {
    let folder = fleet()?;
    let mut report = of_host("580.159.04", 2, "node-cut");
    report.running.push("ipcmem::open::last".to_owned());
    report.is_complete = false;
    let lines = report.to_lines().map_err(harness)? + last;
    std::fs::write(folder.path().join("cut.jsonl"), lines).map_err(harness)?;
    let (code, text, _) = run(folder.path(), &[])?;
    check!(code == Some(0) && text.starts_with("15 reports of 11 hosts and 2 drivers (4 name no host): "), "{text}");
    check!(
        text.contains("\nreports without an end (1)\n  node-cut: ended while running ipcmem::open::last\n"),
        "{text}"
    );
    Ok(())
}

/// A folder without a readable report is an error that names the files.
#[rstest]
#[conformance::test()]
fn a_folder_without_a_report_is_an_error() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    std::fs::write(folder.path().join("empty.jsonl"), "").map_err(harness)?;
    let (code, _, errors) = run(folder.path(), &[])?;
    check!(
        code == Some(2) && errors.contains("no report that can be read") && errors.contains("empty.jsonl"),
        "{errors}"
    );
    let (code, _, errors) = run(&folder.path().join("nowhere"), &[])?;
    check!(code == Some(2) && errors.contains("nowhere: No such file"), "{errors}");
    Ok(())
}

/// The JSON follows its schema, and the published schema is that of the types.
#[rstest]
#[conformance::test()]
fn the_schema_of_fleets_is_published() -> Outcome {
    let published: Value = serde_json::from_str(include_str!("../../fleet.schema.json")).map_err(harness)?;
    check!(
        published == conformance::fleet::schema(),
        "fleet.schema.json is outdated; run cargo conformance schema fleet > conformance/command/fleet.schema.json"
    );
    let (_, json, _) = run(fleet()?.path(), &["--format", "json"])?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    let validator = jsonschema::validator_for(&published).map_err(harness)?;
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    check!(errors.is_empty(), "{errors:?} in {json:#}");
    check!(json["outliers"][0]["row"] == ROW && json["outliers"][0]["causes"][0]["kind"] == "crash", "{json:#}");
    Ok(())
}

/// The page has the outlier first, shows text as it is, and loads nothing.
#[rstest]
#[conformance::test()]
fn the_page_shows_outliers_first() -> Outcome {
    let folder = fleet()?;
    let mut report = of_host("580.159.04", 3, "<script>window.ran = 1</script>");
    crash(&mut report);
    write(folder.path(), "hostile.jsonl", &report)?;
    let (code, page, errors) = run(folder.path(), &["--format", "html"])?;
    check!(code == Some(0), "{errors}");
    let order = [
        "<header class=\"bad\">",
        "<h1>15 reports of 11 hosts and 2 drivers (4 name no host): 1 rule breaks in 2 reports",
        "id=\"outliers\"",
        "node-7",
        "4 of 4",
        "id=\"hosts\"",
    ];
    let places: Vec<_> = order.iter().map(|part| page.find(part)).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    check!(!page.contains("<script>") && page.contains("default-src &#39;none&#39;"), "{page}");
    Ok(())
}

/// Only the verdicts of a report are kept, so thousands of reports fit into little memory.
#[rstest]
#[conformance::test()]
fn many_reports_fit_into_little_memory() -> Outcome {
    const REPORTS: usize = 300;
    const MEMORY: u64 = 24 << 20;
    let folder = tempfile::tempdir().map_err(harness)?;
    let lines = plain("580.159.04", 800).to_lines().map_err(harness)?;
    for number in 0..REPORTS {
        std::fs::write(folder.path().join(format!("{number}.jsonl")), &lines).map_err(harness)?;
    }
    check!((REPORTS * lines.len()) as u64 > 2 * MEMORY, "{} bytes each: the check is useless", lines.len());
    let mut command = conformance(&["fleet"])?;
    command.arg(folder.path());
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    // SAFETY: The closure only makes one system call, which is allowed between fork and exec.
    unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Data, limit)?)) };
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0) && text.starts_with("300 reports of 1 driver: no rule breaks"), "{text}{errors}");
    Ok(())
}

/// Machines that check too little are named: one on which most cases cannot run, and one that lacks a requirement. With
/// three peers, one of them can be the outlier. What a report that broke off did not reach makes it no outlier. The peers
/// may be of nextest, whose reports have no end line.
#[rstest]
#[conformance::test()]
fn machines_that_check_too_little_are_named(#[values(false, true)] are_of_nextest: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in ["node-1", "node-2", "node-3", "node-4"] {
        let mut report = of_host("570.86.15", 3, host);
        if are_of_nextest {
            report.run.run = "4b1a2c9e-0000-4000-8000-000000000000".to_owned();
            report.is_complete = false;
        }
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let mut idle = of_host("570.86.15", 3, "node-5");
    idle.cases.iter_mut().for_each(|case| case.verdict = Verdict::Error);
    write(folder.path(), "node-5.jsonl", &idle)?;
    let mut lacking = of_host("570.86.15", 3, "node-6");
    lacking.run.devices.truncate(1);
    lacking.run.unmet = vec!["gpus=2, found 1".to_owned()];
    write(folder.path(), "node-6.jsonl", &lacking)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = printed.lines().next().unwrap_or_default();
    check!(first.ends_with("; 2 hosts check too little."), "{printed}{errors}");
    check!(printed.contains("node-5: checks 0 rules; the usual report with its driver and GPU checks 1"), "{printed}");
    check!(printed.contains("node-6: --require is not met: gpus=2, found 1"), "{printed}");
    Ok(())
}

/// The usual number of rules is that of reports with the same GPUs. Every rule is counted, however many there are, and in
/// whatever order a report has them.
#[rstest]
#[conformance::test()]
fn machines_are_compared_with_those_of_their_gpus() -> Outcome {
    const RULES: usize = 130;
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..8 {
        let is_small = number % 2 == 0;
        let mut report = of_host("570.86.15", RULES, &format!("node-{number}"));
        let mut rows: Vec<_> = (0..RULES).map(|place| format!("ROW-{place:03}")).collect();
        if number == 7 {
            rows.reverse();
        }
        report.cases.iter_mut().zip(rows).for_each(|(case, row)| case.rows = vec![row]);
        if is_small {
            report.cases.truncate(RULES / 4);
            report.run.devices.iter_mut().for_each(|device| device.name = "NVIDIA T4".to_owned());
        }
        write(folder.path(), &format!("{number}.jsonl"), &report)?;
    }
    let (_, printed, errors) = run(folder.path(), &["--format", "json"])?;
    let fleet: Value = serde_json::from_str(&printed).map_err(harness)?;
    let reports = fleet["reports"].as_array().cloned().unwrap_or_default();
    let checked: Vec<_> = reports.iter().filter_map(|report| report["checked"].as_u64()).collect();
    check!(checked == [RULES / 4, RULES].repeat(4).iter().map(|count| *count as u64).collect::<Vec<_>>(), "{errors}");
    check!(reports.iter().all(|report| report["checks_less_than"].is_null()), "{printed}");
    let rules = fleet["rules"].as_array().cloned().unwrap_or_default();
    let counts = rules.iter().map(|rule| rule["by_driver"][0]["checked"].as_u64());
    let expected = (0..RULES).map(|rule| Some(if rule < RULES / 4 { 8 } else { 4 }));
    check!(counts.eq(expected), "{printed}");
    Ok(())
}

/// One of three machines can be an outlier. A report that broke off before the failing case does not hold the rule.
#[rstest]
#[conformance::test()]
fn one_of_three_is_an_outlier_unless_it_broke_off() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in ["node-1", "node-2", "node-3"] {
        let mut report = of_host("570.86.15", 3, host);
        if host == "node-1" {
            crash(&mut report);
        }
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let (_, printed, _) = run(folder.path(), &[])?;
    check!(printed.contains("breaks on 1 of 3 hosts") && printed.contains("node-1"), "{printed}");
    for host in ["node-1", "node-2"] {
        let mut report = of_host("570.86.15", 3, host);
        crash(&mut report);
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let mut cut = of_host("570.86.15", 3, "node-3");
    cut.cases.truncate(1);
    cut.is_complete = false;
    write(folder.path(), "node-3.jsonl", &cut)?;
    let (_, printed, _) = run(folder.path(), &[])?;
    check!(!printed.contains("holds in 1 of"), "{printed}");
    Ok(())
}

/// Returns a folder with the reports of eight equal hosts, of which some are altered.
fn eight(alter: impl Fn(usize, &mut Report)) -> Result<TempDir, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..8 {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        alter(number, &mut report);
        write(folder.path(), &format!("{number}.jsonl"), &report)?;
    }
    Ok(folder)
}

pub(crate) const XID: &str = "Xid (PCI:0000:18:00): 79, pid=4711, GPU has fallen off the bus.";
const DISCLOSURE: &str = "a kernel of the importer reads <other> memory at 0x7f0012340000";

/// A host with a disclosure or an Xid message that its peers lack comes before every other outlier, in each format.
#[rstest]
#[case::disclosure(|report: &mut Report| report.cases[2].disclosures.push(DISCLOSURE.to_owned()), "disclosure",
    "a kernel of the importer reads <other> memory")]
#[case::xid(|report: &mut Report| report.cases[2].xids.push(XID.to_owned()), "xid", "Xid 79, ")]
#[conformance::test()]
fn a_disclosure_and_an_xid_come_first(
    #[case] alter: fn(&mut Report),
    #[case] kind: &str,
    #[case] what: &str,
) -> Outcome {
    let folder = eight(|number, report| match number {
        5 => alter(report),
        7 => crash(report),
        _ => {}
    })?;
    let (code, printed, errors) = run(folder.path(), &[])?;
    let word = if kind == "xid" { "an Xid message" } else { "a disclosure" };
    let first = format!(
        "8 reports of 8 hosts and 1 driver: 1 host has {word} that others of its driver and GPUs lack; 1 rule breaks on 1 \
         host, "
    );
    check!(code == Some(0) && printed.starts_with(&first), "{printed}{errors}");
    let title = if kind == "xid" { "" } else { "disclosure: " };
    let told = [
        format!("\noutliers (2)\n  {title}{what}"),
        "on 1 of 8 hosts".to_owned(),
        "node-5".to_owned(),
        "node-7".to_owned(),
    ];
    let places: Vec<_> = told.iter().map(|part| printed.find(part.as_str())).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {printed}");
    let (_, json, _) = run(folder.path(), &["--format", "json"])?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    let published: Value = serde_json::from_str(include_str!("../../fleet.schema.json")).map_err(harness)?;
    check!(jsonschema::validator_for(&published).map_err(harness)?.is_valid(&json), "{json:#}");
    let incident = &json["incidents"][0];
    check!(
        incident["kind"] == kind && incident["is_rare"] == true && incident["reports"] == serde_json::json!([5]),
        "{json:#}"
    );
    check!(incident["case"] == "ipcmem::open::planted/number=00002" && incident["peers"] == 8, "{incident:#}");
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    let order = ["<header class=\"bad\">", "id=\"outliers\"", "node-5", "node-7", "id=\"drivers\""];
    let places: Vec<_> = order.iter().map(|part| page.find(part)).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {page}");
    check!(!page.contains("<other>"), "{page}");
    Ok(())
}

/// Of two equal machines, the one with an Xid message is the outlier. A machine without peers has no outliers.
#[rstest]
#[case::two(
    2,
    "2 reports of 2 hosts and 1 driver: 1 host has an Xid message that others of its driver and GPUs lack; ",
    "\noutliers (1)\n  Xid 79, "
)]
#[case::one(
    1,
    "1 report of 1 host and 1 driver: no rule breaks",
    "\nother disclosures and Xid messages (1)\n  Xid 79, "
)]
#[conformance::test()]
fn an_xid_of_one_of_two_is_an_outlier(#[case] hosts: usize, #[case] first: &str, #[case] told: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..hosts {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        if number == 0 {
            report.cases[2].xids.push(XID.to_owned());
        }
        write(folder.path(), &format!("{number}.jsonl"), &report)?;
    }
    let (_, printed, _) = run(folder.path(), &[])?;
    check!(printed.starts_with(first) && printed.contains(told), "{printed}");
    Ok(())
}

/// An Xid message is compared with all hosts of the driver and the GPUs, also with those that could not run its case. What
/// half of them have is no outlier.
#[rstest]
#[case::on_one(1, "\noutliers (1)\n  Xid 79, ", "on 1 of 8 hosts with ")]
#[case::on_half(4, "\nother disclosures and Xid messages (1)\n  Xid 79, ", "on 4 of 8 hosts with ")]
#[conformance::test()]
fn an_xid_is_compared_with_all_hosts(#[case] hosts: usize, #[case] title: &str, #[case] told: &str) -> Outcome {
    let folder = eight(|number, report| match number < hosts {
        true => report.cases[2].xids.push(XID.to_owned()),
        false => report.cases[2].verdict = Verdict::Unsupported,
    })?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains(title) && printed.contains(told), "{printed}{errors}");
    Ok(())
}

/// What most machines of a driver show is no outlier, but it is listed. Addresses and processes make no difference.
#[rstest]
#[conformance::test()]
fn what_most_machines_disclose_is_no_outlier() -> Outcome {
    let folder = eight(|number, report| {
        report.cases[2].disclosures.push(format!("reads memory at 0x7f00{number}0000000"));
        report.cases[1].xids.push(format!("Xid (PCI:0000:{number}8:00): 31, pid={number}, MMU fault"));
    })?;
    let (code, printed, _) = run(folder.path(), &[])?;
    check!(
        code == Some(0)
            && printed.starts_with(
                "8 reports of 8 hosts and 1 driver: no rule breaks on only a few hosts of the same driver and GPUs."
            ),
        "{printed}"
    );
    check!(!printed.contains("outliers ("), "{printed}");
    let listed = "\nother disclosures and Xid messages (2)\n  disclosure: reads memory at ";
    check!(printed.contains(listed) && printed.matches("on 8 of 8 hosts").count() == 2, "{printed}");
    Ok(())
}

/// A machine that could not run the case does not lack the disclosure, even if another case of the same row ran there.
#[rstest]
#[case::unsupported(|case: &mut CaseReport| case.verdict = Verdict::Unsupported)]
#[case::undecided(|case: &mut CaseReport| case.verdict = Verdict::Error)]
#[conformance::test()]
fn what_others_could_not_show_is_no_outlier(
    #[case] alter: fn(&mut CaseReport),
    #[values("IPCMEM-OPEN-025", ROW)] row: &str,
) -> Outcome {
    let folder = eight(|number, report| {
        report.cases[2].rows = vec![row.to_owned()];
        match number {
            5 => report.cases[2].disclosures.push(DISCLOSURE.to_owned()),
            _ => alter(&mut report.cases[2]),
        }
    })?;
    let (_, printed, _) = run(folder.path(), &[])?;
    check!(printed.contains("\nother disclosures and Xid messages (1)\n"), "{printed}");
    check!(printed.contains("on 1 of 1 host with "), "{printed}");
    Ok(())
}

/// What all machines disclose in some case is an outlier in a case in which few do. In several cases of the same machines it
/// is listed once.
#[rstest]
#[conformance::test()]
fn a_known_disclosure_in_another_case_is_an_outlier() -> Outcome {
    let folder = eight(|number, report| {
        for case in if number == 5 { 0..3 } else { 0..1 } {
            report.cases[case].disclosures.push(DISCLOSURE.to_owned());
        }
    })?;
    let (_, printed, _) = run(folder.path(), &[])?;
    check!(printed.matches("disclosure: a kernel").count() == 2, "{printed}");
    let outlier = printed.split("\noutliers (1)\n").nth(1).unwrap_or_default();
    check!(
        outlier.contains("on 1 of 8 hosts with ")
            && outlier.contains(", first in ipcmem::open::planted/number=00001: node-5"),
        "{printed}"
    );
    check!(printed.contains("\nother disclosures and Xid messages (1)\n"), "{printed}");
    Ok(())
}

/// If the last line of a report counts more cases than it has, `fleet` says so, and the report is not complete.
#[rstest]
#[conformance::test()]
fn lost_lines_are_told() -> Outcome {
    let folder = eight(|_, _| {})?;
    let path = folder.path().join("3.jsonl");
    let lines = std::fs::read_to_string(&path).map_err(harness)?;
    let kept: Vec<_> = lines.lines().filter(|line| !line.contains("number=00001")).collect();
    std::fs::write(&path, kept.join("\n") + "\n").map_err(harness)?;
    let (code, printed, _) = run(folder.path(), &[])?;
    check!(
        code == Some(0) && printed.lines().next().is_some_and(|line| line.ends_with("; 1 report lost lines.")),
        "{printed}"
    );
    let says = "node-3: 1 case that the last line counts is missing: copy the report again from its machine";
    check!(printed.contains(&format!("\nreports that lost lines (1)\n  {says}\n")), "{printed}");
    let (_, json, _) = run(folder.path(), &["--format", "json"])?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    check!(json["reports"][3]["lost"] == 1 && json["reports"][3]["is_complete"] == false, "{json:#}");
    check!(json["reports"][2]["is_complete"] == true, "{json:#}");
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    check!(page.contains(says) && page.contains("<header class=\"bad\">"), "{page}");
    Ok(())
}

/// A report is read to its end, however long a line of it is.
#[rstest]
#[conformance::test()]
fn a_long_line_is_read() -> Outcome {
    let folder = eight(|number, report| {
        if number == 5 {
            report.cases[0].observations.insert("much".to_owned(), "x".repeat(600 << 10).into());
            crash(report);
        }
    })?;
    let (code, printed, errors) = run(folder.path(), &[])?;
    check!(code == Some(0) && printed.starts_with("8 reports of 8 hosts and 1 driver: "), "{printed}{errors}");
    check!(printed.contains("breaks on 1 of 8 hosts") && printed.contains("node-5"), "{printed}");
    Ok(())
}

/// A pipe in the folder is not waited for.
#[rstest]
#[conformance::test()]
fn a_pipe_is_not_read() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    write(folder.path(), "node-1.jsonl", &of_host("570.86.15", 3, "node-1"))?;
    check!(Command::new("mkfifo").arg(folder.path().join("pipe.jsonl")).status().map_err(harness)?.success());
    let mut command = Command::new("timeout");
    let fleet = conformance(&["fleet"])?;
    command.arg("20").arg(fleet.get_program()).arg("fleet").arg(folder.path());
    let (code, printed, errors) = finish(command)?;
    check!(code == Some(0) && printed.contains("1 report of 1 host and 1 driver"), "{code:?}: {printed}{errors}");
    Ok(())
}

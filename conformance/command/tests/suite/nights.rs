//! `conformance fleet` over many reports of each host, and over releases of a driver.

use conformance::report::{Report, Runs};
use conformance::{Defect, Outcome, Stop, Verdict, check};
use rstest::rstest;
use tempfile::TempDir;

use crate::command::failed;
use crate::fleet::{ROW, XID, crash, of_host, run, write};
use crate::suite::harness;

/// The number of nights of each host.
const NIGHTS: usize = 7;

/// Returns the report of a host and a night.
fn of_night(host: usize, night: usize) -> Report {
    let mut report = of_host("580.159.04", 3, &format!("node-{host}"));
    report.run.began = Some(format!("2026-11-1{night}T08:00:00.5Z"));
    report
}

/// Returns a folder with the nights of four equal hosts, of which some reports are altered. No path says which is newer.
fn nights(alter: impl Fn(usize, usize, &mut Report)) -> Result<TempDir, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..4 {
        for night in 0..NIGHTS {
            let mut report = of_night(host, night);
            alter(host, night, &mut report);
            write(folder.path(), &format!("node-{host}/{}.jsonl", NIGHTS - night), &report)?;
        }
    }
    Ok(folder)
}

fn fails_once_in_three(report: &mut Report) {
    crash(report);
    report.cases[1].runs = Some(Runs { failed: 1, of: 3 });
}

/// A rule that breaks in one report is listed, even if no report has an end line. Reports of nextest have none.
#[rstest]
#[conformance::test()]
fn a_rule_breaks_among_reports_without_an_end() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..5 {
        let mut report = of_host("580.159.04", 3, &format!("node-{host}"));
        report.is_complete = false;
        if host == 3 {
            crash(&mut report);
        }
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains(": 1 rule breaks on 1 host, but holds on most hosts"), "{printed}{errors}");
    Ok(())
}

/// A release breaks no rule that only one of many hosts breaks, even if nextest ran there, whose reports have no end line.
#[rstest]
#[conformance::test()]
fn one_host_of_nextest_is_no_release() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..5 {
        write(folder.path(), &format!("old/{host}.jsonl"), &of_host("570.86.15", 3, &format!("old-{host}")))?;
        let mut report = of_host("580.159.04", 3, &format!("node-{host}"));
        report.run.run = "d7a1d3c6-7a4c-4f0e-9a3e-2b6a1a1c5e11".to_owned();
        report.is_complete = false;
        if host == 3 {
            crash(&mut report);
        }
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(!printed.contains("but held with"), "{printed}{errors}");
    check!(printed.contains(": 1 rule breaks on 1 host, but holds on most hosts"), "{printed}{errors}");
    Ok(())
}

/// Lets nextest be what ran a report. It writes no end line.
fn of_nextest(report: &mut Report) {
    report.run.run = "d7a1d3c6-7a4c-4f0e-9a3e-2b6a1a1c5e11".to_owned();
    report.is_complete = false;
}

/// A host on which a rule holds that breaks on the others is an outlier, also if nextest ran there.
#[rstest]
#[conformance::test()]
fn a_rule_holds_on_one_host(#[values(false, true)] is_of_nextest: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..4 {
        let mut report = of_host("580.159.04", 3, &format!("node-{host}"));
        if host != 3 {
            crash(&mut report);
        }
        if is_of_nextest {
            of_nextest(&mut report);
        }
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains("holds on 1 of 4 hosts with NVIDIA 580.159.04"), "{printed}{errors}");
    Ok(())
}

/// A host is judged by the newest release of its driver, also if nextest ran there.
#[rstest]
#[conformance::test()]
fn a_host_of_nextest_got_another_release(#[values(false, true)] is_of_nextest: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..3 {
        let name = format!("node-{host}");
        write(folder.path(), &format!("old/{host}.jsonl"), &of_host("570.86.15", 3, &name))?;
        let mut report = of_host("580.159.04", 3, &name);
        report.run.began = Some("2026-11-25T08:00:00.5Z".to_owned());
        crash(&mut report);
        if is_of_nextest {
            of_nextest(&mut report);
        }
        write(folder.path(), &format!("{host}.jsonl"), &report)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains("\n    on node-0, node-1, node-2\n"), "{printed}{errors}");
    Ok(())
}

/// A host on which nextest runs the suite now is judged by that, not by an earlier run, whole or of `--level quick`. A
/// run of nextest that checks much less than a whole one may have had a filter.
#[rstest]
#[case::after_a_whole_run(false, false, true)]
#[case::after_a_quick_run(true, false, true)]
#[case::with_a_filter(false, true, false)]
#[conformance::test()]
fn a_host_has_changed_to_nextest(#[case] was_quick: bool, #[case] has_filter: bool, #[case] counts: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..4 {
        let name = format!("node-{host}");
        let mut old = of_host("580.159.04", 3, &name);
        old.cases[0].rows = vec!["IPCMEM-OPEN-001".to_owned()];
        let mut new = old.clone();
        old.run.is_partial = was_quick;
        write(folder.path(), &format!("old/{host}.jsonl"), &old)?;
        new.run.began = Some("2026-11-25T08:00:00.5Z".to_owned());
        if host == 2 {
            crash(&mut new);
        }
        if has_filter {
            new.cases.remove(0);
        }
        of_nextest(&mut new);
        write(folder.path(), &format!("new/{host}.jsonl"), &new)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains(": 1 rule breaks on 1 host, but holds on most hosts") == counts, "{printed}{errors}");
    Ok(())
}

/// A run of nextest with a filter does not replace a whole one, also if nextest runs the suite on every host, and if the
/// filter leaves most of it.
#[rstest]
#[conformance::test()]
fn a_filter_of_nextest_hides_nothing(#[values(1, 2)] left: usize) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..4 {
        let mut old = of_host("580.159.04", 3, &format!("node-{host}"));
        old.cases[0].rows = vec!["IPCMEM-OPEN-001".to_owned()];
        old.cases[2].rows = vec!["IPCMEM-GET-001".to_owned()];
        of_nextest(&mut old);
        let mut new = old.clone();
        if host == 2 {
            crash(&mut old);
        }
        write(folder.path(), &format!("old/{host}.jsonl"), &old)?;
        new.run.began = Some("2026-11-25T08:00:00.5Z".to_owned());
        new.cases.remove(1);
        new.cases.truncate(left);
        write(folder.path(), &format!("new/{host}.jsonl"), &new)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains(": 1 rule breaks on 1 host, but holds on most hosts"), "{printed}{errors}");
    Ok(())
}

/// A run of nextest with a filter does not replace a later run of `--level quick`, which checks more.
#[rstest]
#[conformance::test()]
fn a_filter_of_nextest_hides_no_quick_run() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..4 {
        let mut new = of_host("580.159.04", 3, &format!("node-{host}"));
        new.cases[0].rows = vec!["IPCMEM-OPEN-001".to_owned()];
        let mut old = new.clone();
        old.cases.truncate(1);
        of_nextest(&mut old);
        write(folder.path(), &format!("old/{host}.jsonl"), &old)?;
        new.run.began = Some("2026-11-25T08:00:00.5Z".to_owned());
        new.run.is_partial = true;
        if host == 2 {
            crash(&mut new);
        }
        write(folder.path(), &format!("new/{host}.jsonl"), &new)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains(": 1 rule breaks on 1 host, but holds on most hosts"), "{printed}{errors}");
    Ok(())
}

/// The rows of a case are those of its report: a newer suite may have added some, and another program may have written the
/// lines with spaces.
#[rstest]
#[conformance::test()]
fn a_newer_suite_adds_a_row_to_a_case(#[values(false, true)] has_spaces: bool) -> Outcome {
    const NEW: &str = "IPCMEM-OPEN-999";
    let folder = tempfile::tempdir().map_err(harness)?;
    for host in 0..6 {
        let mut report = of_host("580.159.04", 3, &format!("node-{host}"));
        if host > 0 {
            report.cases[1].rows.push(NEW.to_owned());
        }
        if host == 5 {
            crash(&mut report);
        }
        let mut lines = report.to_lines().map_err(harness)?;
        if has_spaces {
            lines = lines.replace("\"rows\":[", "\"rows\": [");
        }
        std::fs::write(folder.path().join(format!("{host}.jsonl")), lines).map_err(harness)?;
    }
    // Each thread reads other reports first.
    for _ in 0..8 {
        let (_, printed, errors) = run(folder.path(), &["--rule", NEW])?;
        check!(printed.contains("breaks in 1 of 5 reports: crash"), "{printed}{errors}");
    }
    Ok(())
}

/// A host is judged by its newest report, however many earlier ones failed. The history of a rule counts all reports.
#[rstest]
#[case::repaired(&[0, 1, 2, 3, 4, 5], "no rule breaks on only a few hosts of the same driver and GPUs.", "")]
#[case::since_tonight(
    &[6],
    "1 rule breaks on 1 host, but holds on most hosts of the same driver and GPUs.",
    "breaks on 1 of 4 hosts with NVIDIA 580.159.04 and 2 × NVIDIA H200: crash, SIGSEGV in cuMemPoolImportPointer: node-3 \
     (breaks in 1 of its 7 reports)"
)]
#[case::three_of_seven(
    &[2, 4, 6],
    "1 rule breaks on 1 host, but holds on most hosts of the same driver and GPUs.",
    "node-3 (breaks in 3 of its 7 reports)"
)]
#[conformance::test()]
fn a_host_is_judged_by_its_newest_report(#[case] bad: &[usize], #[case] says: &str, #[case] told: &str) -> Outcome {
    let folder = nights(|host, night, report| {
        if host == 3 && bad.contains(&night) {
            crash(report);
        }
    })?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = format!("28 reports of 4 hosts and 1 driver: {says}\n");
    check!(printed.starts_with(&first) && printed.contains(told), "{printed}{errors}");
    check!(printed.contains("outliers (") != told.is_empty(), "{printed}");
    let (_, history, _) = run(folder.path(), &["--rule", ROW])?;
    check!(history.contains(&format!("breaks in {} of 28 reports", bad.len())), "{history}");
    Ok(())
}

/// A newer report that broke off or has no case does not replace the whole one of its host, and is no peer. The first sentence
/// says that it broke off, unless it is an older one, or nextest wrote it, which writes no end.
#[rstest]
#[case::broke_off(
    "broken-off.jsonl",
    broke_off,
    "; the newest report of 1 host has no end: its run broke off or still goes on"
)]
#[case::broke_off_before("broken-off.jsonl", |report: &mut Report| {
    broke_off(report);
    report.run.began = Some("2026-11-01T08:00:00Z".to_owned());
}, "")]
#[case::of_nextest("of-nextest.jsonl", of_nextest, "")]
#[case::without_cases("without-cases.jsonl", |report: &mut Report| report.cases.clear(), "")]
#[conformance::test()]
fn a_report_that_is_not_whole_is_no_peer(
    #[case] name: &str,
    #[case] alter: fn(&mut Report),
    #[case] told: &str,
) -> Outcome {
    let folder = nights(|_, _, _| {})?;
    let mut report = of_night(3, NIGHTS);
    alter(&mut report);
    write(folder.path(), &format!("node-3/{name}"), &report)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = "29 reports of 4 hosts and 1 driver: no rule breaks on only a few hosts of the same driver and GPUs";
    let first = format!("{first}{told}.\n");
    check!(printed.starts_with(&first) && !printed.contains("check too little"), "{printed}{errors}");
    // A host whose newest run broke off may be broken.
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    let mood = if told.is_empty() { "good" } else { "bad" };
    check!(page.contains(&format!("<header class=\"{mood}\">")), "{page}");
    Ok(())
}

fn broke_off(report: &mut Report) {
    crash(report);
    report.cases.truncate(2);
    report.is_complete = false;
}

/// A host without a whole report is judged by what its report has, and a report without a host by itself.
#[rstest]
#[conformance::test()]
fn a_report_without_a_host_is_a_peer() -> Outcome {
    let folder = nights(|host, night, report| {
        report.is_complete = host != 3;
        match host {
            3 => crash(report),
            0 => report.run.identification = None,
            _ => {}
        }
        report.cases.truncate(if host == 3 { 2 + night % 2 } else { 3 });
    })?;
    let (_, printed, _) = run(folder.path(), &[])?;
    let first = "28 reports of 3 hosts and 1 driver (7 name no host): 1 rule breaks in 1 report, but holds in most \
                 reports of the same driver and GPUs; the newest report of 1 host has no end: ";
    check!(printed.starts_with(first) && printed.contains("breaks in 1 of 10 reports"), "{printed}");
    Ok(())
}

/// An Xid message of an earlier night is listed, but is not an outlier today.
#[rstest]
#[conformance::test()]
fn an_earlier_xid_is_listed_apart() -> Outcome {
    let folder = nights(|host, night, report| {
        if host == 2 && night == 1 {
            report.cases[2].xids.push(XID.to_owned());
        }
    })?;
    let (_, printed, _) = run(folder.path(), &[])?;
    let told = "\ndisclosures, Xid messages and crashes of earlier or incomplete reports (1)\n  Xid 79, ";
    check!(printed.starts_with("28 reports of 4 hosts and 1 driver: no rule breaks"), "{printed}");
    check!(printed.contains(told) && printed.contains("in 1 of 28 reports with NVIDIA"), "{printed}");
    check!(!printed.contains("outliers ("), "{printed}");
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    check!(
        page.contains("<header class=\"good\">") && page.contains("crashes of earlier or incomplete reports</h3>"),
        "{page}"
    );
    Ok(())
}

/// If only some runs of a case break a rule, the text says how many.
#[rstest]
#[conformance::test()]
fn a_flaky_rule_has_its_share() -> Outcome {
    let folder = nights(|host, night, report| {
        if host == 3 && night == 6 {
            fails_once_in_three(report);
        }
    })?;
    let share = "crash, SIGSEGV in cuMemPoolImportPointer, in 1 of 3 runs";
    for arguments in [&[][..], &["--rule", ROW], &["--format", "html"]] {
        let (_, printed, _) = run(folder.path(), arguments)?;
        check!(printed.contains(share), "{printed}");
    }
    Ok(())
}

/// Lists the failure of a report.
fn listed(report: &mut Report) {
    report.cases[1].verdict = Verdict::Deviation;
}

/// The first sentence tells the rules that a new release of a driver broke, unless they are listed or repaired.
#[rstest]
#[case::newest(
    &[false, true],
    |_: &mut Report| {},
    "6 reports of 6 hosts and 2 drivers: 1 rule breaks with NVIDIA 590.1, but held with NVIDIA 590.0.\n"
)]
#[case::since_an_earlier_one(
    &[false, true, true],
    |_: &mut Report| {},
    "9 reports of 9 hosts and 3 drivers: 1 rule breaks since an earlier release of the driver.\n"
)]
#[case::repaired(&[false, true, false], |_: &mut Report| {}, "9 reports of 9 hosts and 3 drivers: 1 rule breaks on 3 hosts.")]
#[case::always(&[true, true], |_: &mut Report| {}, "6 reports of 6 hosts and 2 drivers: 1 rule breaks on 6 hosts.")]
#[case::listed(&[false, true], listed, "6 reports of 6 hosts and 2 drivers: no rule breaks on ")]
#[conformance::test()]
fn a_release_that_breaks_a_rule_is_told(
    #[case] releases: &[bool],
    #[case] alter: fn(&mut Report),
    #[case] says: &str,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for (release, is_bad) in releases.iter().enumerate() {
        for host in 0..3 {
            let mut report = of_host(&format!("590.{release}"), 3, &format!("node-{release}{host}"));
            if *is_bad {
                crash(&mut report);
                alter(&mut report);
            }
            write(folder.path(), &format!("{release}{host}.jsonl"), &report)?;
        }
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.starts_with(says), "{printed}{errors}");
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    if says.contains("1 rule breaks with") || says.contains("1 rule breaks since") {
        let told =
            "breaks on 3 of 3 hosts with NVIDIA 590.1 and NVIDIA H200, holds with NVIDIA 590.0: crash, SIGSEGV in ";
        check!(
            printed.contains(told) && printed.contains("\nrules that a release of a driver broke (1)\n"),
            "{printed}"
        );
        check!(page.contains(told) && page.contains("<header class=\"bad\">"), "{page}");
    } else {
        let mood = if says.contains("no rule breaks") { "good" } else { "bad" };
        check!(!printed.contains("release of a driver broke"), "{printed}");
        check!(page.contains(&format!("<header class=\"{mood}\">")), "{page}");
    }
    Ok(())
}

/// The first sentence counts a rule that a release broke once. It counts the other rules that break apart from it.
#[rstest]
#[conformance::test()]
fn a_rule_that_a_release_broke_is_counted_once() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for release in 0..2 {
        for host in 0..3 {
            let mut report = of_host(&format!("590.{release}"), 3, &format!("node-{release}{host}"));
            report.cases[2].rows = vec!["IPCMEM-OPEN-025".to_owned()];
            failed(&mut report.cases[2], Verdict::Fail, Defect::Code);
            if release == 1 {
                crash(&mut report);
            }
            write(folder.path(), &format!("{release}{host}.jsonl"), &report)?;
        }
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = "6 reports of 6 hosts and 2 drivers: 1 rule breaks with NVIDIA 590.1, but held with NVIDIA 590.0; 1 other \
                 rule breaks on 6 hosts.";
    check!(printed.lines().next() == Some(first), "{printed}{errors}");
    Ok(())
}

/// A newer run of a part of the suite, in which the broken rule is not checked, does not hide the whole report of its host.
/// A host without a whole report is judged by the newest that it has. The run that did not check the rule is none of the
/// reports in which it could break.
#[rstest]
#[case::whole_before(|night: usize| night < NIGHTS - 1, "node-3 (breaks in 6 of its 6 reports)", true)]
#[case::whole_long_before(|night: usize| night == 0, "node-3 (breaks in 6 of its 6 reports)", true)]
#[case::none_whole(|_: usize| false, "", false)]
#[conformance::test()]
fn a_filtered_run_hides_no_broken_rule(
    #[case] is_whole: fn(usize) -> bool,
    #[case] told: &str,
    #[case] is_bad: bool,
) -> Outcome {
    let folder = nights(|host, night, report| {
        if host != 3 {
            return;
        }
        report.run.is_partial = !is_whole(night);
        match night + 1 == NIGHTS {
            true => {
                report.cases.truncate(1);
                report.cases[0].rows = vec!["IPCMEM-OPEN-025".to_owned()];
            }
            false => crash(report),
        }
    })?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains(": 1 rule breaks on 1 host, ") == is_bad && printed.contains(told), "{printed}{errors}");
    check!(!printed.contains("check too little"), "{printed}");
    Ok(())
}

fn wrong_code(report: &mut Report) {
    failed(&mut report.cases[1], Verdict::Fail, Defect::Code);
}

fn listed_crash(report: &mut Report) {
    crash(report);
    listed(report);
}

fn of_another_rule(report: &mut Report) {
    report.cases.iter_mut().for_each(|case| case.rows = vec!["IPCMEM-GET-001".to_owned()]);
}

/// A failure that no list knows is a regression of its own, also after a release with only listed ones. So is a worse kind
/// of failure. A release whose reports do not check a rule did not repair it.
#[rstest]
#[case::listed_before(
    [|_: &mut Report| {}, listed_crash, crash],
    "1 rule breaks with NVIDIA 590.2, but held, or broke only as a list says, with NVIDIA 590.1.",
    "and NVIDIA H200, breaks only as a list says with NVIDIA 590.1: crash"
)]
#[case::always_listed(
    [listed_crash, listed_crash, crash],
    "1 rule breaks with NVIDIA 590.2, but held, or broke only as a list says, with NVIDIA 590.1.",
    "and NVIDIA H200, breaks only as a list says with NVIDIA 590.1: crash"
)]
#[case::milder_before(
    [|_: &mut Report| {}, wrong_code, crash],
    "1 rule breaks with NVIDIA 590.2, but held, or broke in a milder way, with NVIDIA 590.1.",
    "and NVIDIA H200, breaks in a milder way with NVIDIA 590.1: crash"
)]
#[case::worse_before([|_: &mut Report| {}, crash, wrong_code], "1 rule breaks since an earlier release of the driver.", "")]
#[case::listed_now([crash, crash, listed_crash], "3 drivers: 1 rule breaks on 6 hosts.", "")]
#[case::not_checked_between([crash, of_another_rule, crash], "3 drivers: 1 rule breaks on 6 hosts.", "")]
#[conformance::test()]
fn a_list_or_a_milder_failure_hides_no_regression(
    #[case] releases: [fn(&mut Report); 3],
    #[case] says: &str,
    #[case] told: &str,
) -> Outcome {
    says_of_releases(&releases.map(|alter| [alter; 3]), says, told)
}

/// What a few hosts did with the release before hides no regression on most, even if it was as bad or worse.
#[rstest]
#[case::on_all([2, 0], [5, 0], "but held, or broke less badly or on fewer hosts, with NVIDIA 590.0", "5 of 5 hosts")]
#[case::among_milder_ones([1, 4], [5, 0], "on fewer hosts, with NVIDIA 590.0", "this badly on fewer hosts with NVIDIA 590.0: crash")]
#[case::milder_now([2, 0], [0, 5], "on fewer hosts, with NVIDIA 590.0", "hosts with NVIDIA 590.0: wrong code")]
#[case::about_as_many([2, 0], [4, 0], "2 drivers: 1 rule breaks on 6 hosts.", "")]
#[case::milder_on_all([3, 0], [0, 5], "2 drivers: 1 rule breaks on 8 hosts.", "")]
#[conformance::test()]
fn a_few_hosts_hide_no_regression(
    #[case] old: [usize; 2],
    #[case] new: [usize; 2],
    #[case] says: &str,
    #[case] told: &str,
) -> Outcome {
    let hosts = |[crashing, wrong]: [usize; 2]| -> [fn(&mut Report); 5] {
        std::array::from_fn(|host| match host {
            _ if host < crashing => crash,
            _ if host < crashing + wrong => wrong_code,
            _ => |_: &mut Report| {},
        })
    };
    says_of_releases(&[old, new].map(hosts), says, told)
}

/// A host that was broken before, or a failure on a few hosts beside listed ones, accuses no release. Neither does a failure
/// that became worse on only a third of the hosts. Each letter is a host: it crashes, also as listed, has a wrong code, or is
/// sound.
#[rstest]
#[case::broken_before("c..", "c.", false)]
#[case::one_beside_listed_ones("llll", "clll", false)]
#[case::others_broke("c....", "ccc..", true)]
#[case::twice_as_many("cc....", "cccc..", true)]
#[case::worse_than_before("ww.", "cc.", true)]
#[case::one_is_worse("ww.", "cw.", false)]
#[conformance::test()]
fn the_same_hosts_are_compared(#[case] old: &str, #[case] new: &str, #[case] is_accused: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for (release, hosts) in [old, new].iter().enumerate() {
        for (host, letter) in hosts.chars().enumerate() {
            let mut report = of_host(&format!("590.{release}"), 3, &format!("node-{host}"));
            match letter {
                'c' => crash(&mut report),
                'l' => listed_crash(&mut report),
                'w' => wrong_code(&mut report),
                _ => {}
            }
            write(folder.path(), &format!("{release}{host}.jsonl"), &report)?;
        }
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains("with NVIDIA 590.1, but ") == is_accused, "{printed}{errors}");
    Ok(())
}

/// Checks what `fleet` says first and at all of some releases, each on so many hosts.
fn says_of_releases<const N: usize>(releases: &[[fn(&mut Report); N]], says: &str, told: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    for (release, hosts) in releases.iter().enumerate() {
        for (host, alter) in hosts.iter().enumerate() {
            let mut report = of_host(&format!("590.{release}"), 3, &format!("node-{release}{host}"));
            alter(&mut report);
            write(folder.path(), &format!("{release}{host}.jsonl"), &report)?;
        }
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = printed.lines().next().unwrap_or_default();
    check!(first.contains(says) && printed.contains(told), "{printed}{errors}");
    Ok(())
}

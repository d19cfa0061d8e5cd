//! `conformance fleet` where a rule breaks on hosts that are no outliers, and where the harness failed.

use conformance::report::Report;
use conformance::{Defect, Outcome, Stop, Verdict, check};
use rstest::rstest;
use tempfile::TempDir;

use crate::command::failed;
use crate::fleet::{ROW, crash, of_host, run, write};
use crate::suite::harness;

/// Returns a folder with the reports of equal hosts, of which the first are altered.
fn hosts(all: usize, altered: usize, alter: fn(&mut Report)) -> Result<TempDir, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..all {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        if number < altered {
            alter(&mut report);
        }
        write(folder.path(), &format!("{number:02}.jsonl"), &report)?;
    }
    Ok(folder)
}

fn listed(report: &mut Report) {
    crash(report);
    report.cases[1].verdict = Verdict::Deviation;
}

/// The first sentence says that a rule breaks, also if nothing says which of the hosts is usual, and each host on which it
/// breaks is named.
#[rstest]
#[case::one_of_two(2, 1, crash as fn(&mut Report), "1 rule breaks on 1 host.", "    on node-0\n", "breaks")]
#[case::both(2, 2, crash as fn(&mut Report), "1 rule breaks on 2 hosts.", "    on node-0, node-1\n", "breaks")]
#[case::many(20, 20, crash as fn(&mut Report), "1 rule breaks on 20 hosts.", "  20/20\n", "breaks")]
#[case::listed(2, 1, listed as fn(&mut Report), "no rule breaks on only a few hosts of the same driver and GPUs.", "  1/2\n", "listed")]
#[conformance::test()]
fn each_host_of_a_broken_rule_is_named(
    #[case] all: usize,
    #[case] broken: usize,
    #[case] alter: fn(&mut Report),
    #[case] says: &str,
    #[case] told: &str,
    #[case] word: &str,
) -> Outcome {
    let folder = hosts(all, broken, alter)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    let first = format!("{all} reports of {all} hosts and 1 driver: {says}");
    check!(printed.lines().next() == Some(first.as_str()) && printed.contains(told), "{printed}{errors}");
    let (_, table, _) = run(folder.path(), &["--by", "host"])?;
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    check!(table.matches(&format!("  {word}")).count() == broken && table.contains(ROW), "{table}");
    for host in 0..broken {
        let name = format!("node-{host}");
        check!(table.contains(&name) && page.contains(&format!("<th scope=\"col\">{name}</th>")), "{name}: {table}");
    }
    let is_good = page.contains("<header class=\"good\">");
    check!(is_good == says.starts_with("no rule"), "{page}");
    Ok(())
}

fn wrong_code(report: &mut Report) {
    failed(&mut report.cases[1], Verdict::Fail, Defect::Code);
}

fn listed_wrong_code(report: &mut Report) {
    wrong_code(report);
    report.cases[1].verdict = Verdict::Deviation;
}

/// A host on which a rule breaks in a worse way than on its peers is named, with both ways. A listed deviation is known.
#[rstest]
#[case::worse(wrong_code as fn(&mut Report), crash as fn(&mut Report), Some("1 rule breaks on 8 hosts"))]
#[case::worse_than_listed(listed_wrong_code as fn(&mut Report), crash as fn(&mut Report), Some("1 rule breaks on 1 host"))]
#[case::milder(crash as fn(&mut Report), wrong_code as fn(&mut Report), None)]
#[case::listed(wrong_code as fn(&mut Report), listed as fn(&mut Report), None)]
#[conformance::test()]
fn a_host_that_fails_in_a_worse_way_is_named(
    #[case] usual: fn(&mut Report),
    #[case] other: fn(&mut Report),
    #[case] says: Option<&str>,
) -> Outcome {
    let folder = hosts(8, 8, usual)?;
    let mut report = of_host("580.159.04", 3, "node-5");
    other(&mut report);
    write(folder.path(), "05.jsonl", &report)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.contains("\noutliers (1)\n") == says.is_some(), "{printed}{errors}");
    let Some(says) = says else { return Ok(()) };
    let first = format!(
        "8 reports of 8 hosts and 1 driver: {says}; 1 rule breaks in a worse way on 1 host than on other hosts of the same \
         driver and GPUs."
    );
    check!(printed.lines().next() == Some(first.as_str()), "{printed}{errors}");
    let told = "breaks in a worse way on 1 of 8 hosts with NVIDIA 580.159.04 and 2 × NVIDIA H200: crash, SIGSEGV in \
                cuMemPoolImportPointer: node-5; elsewhere: wrong code, the importer showed a wrong code (7)";
    check!(printed.contains(told), "{printed}");
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    check!(page.contains(told), "{page}");
    Ok(())
}

/// What makes a report of a host one with a failure.
type Alter = fn(&mut Report);

fn wrong_result(report: &mut Report) {
    failed(&mut report.cases[1], Verdict::Fail, Defect::Result);
}

/// Listed deviations hide no failure that no list knows, in whatever way they break the rule.
#[rstest]
#[case::as_bad(&[(9, listed_wrong_code as Alter)], wrong_code as Alter, "unlisted")]
#[case::milder(&[(9, listed as Alter)], wrong_code as Alter, "unlisted")]
#[case::among_others(&[(5, wrong_code as Alter), (4, listed as Alter)], wrong_result as Alter, "in a worse way")]
#[conformance::test()]
fn listed_deviations_hide_no_outlier(
    #[case] usual: &[(usize, Alter)],
    #[case] other: Alter,
    #[case] how: &str,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let all = usual.iter().flat_map(|(hosts, alter)| std::iter::repeat_n(*alter, *hosts));
    // The last host has a failure that no list knows.
    let alters: Vec<_> = all.skip(1).chain([other]).collect();
    for (number, alter) in alters.iter().enumerate() {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        alter(&mut report);
        write(folder.path(), &format!("{number:02}.jsonl"), &report)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    let told = format!("breaks {how} on 1 of 9 hosts with NVIDIA 580.159.04 and 2 × NVIDIA H200: ");
    check!(printed.contains("\noutliers (1)\n") && printed.contains(&told), "{printed}{errors}");
    let (first, elsewhere) = match how {
        "unlisted" => {
            ("unlisted on 1 host and as a listed deviation on other hosts", "elsewhere, as a listed deviation: ")
        }
        _ => ("in a worse way on 1 host than on other hosts", "elsewhere: "),
    };
    check!(printed.lines().next().is_some_and(|line| line.contains(first)), "{printed}");
    check!(printed.contains(&format!(": node-8; {elsewhere}")), "{printed}");
    Ok(())
}

/// The first sentence does not say that a rule breaks on most hosts if it holds on most.
#[rstest]
#[conformance::test()]
fn an_unlisted_failure_is_told_if_most_hosts_hold() -> Outcome {
    let folder = hosts(10, 4, listed_wrong_code)?;
    let mut report = of_host("580.159.04", 3, "node-3");
    wrong_code(&mut report);
    write(folder.path(), "03.jsonl", &report)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    let says =
        "; 1 rule breaks unlisted on 1 host and as a listed deviation on other hosts of the same driver and GPUs.";
    check!(printed.lines().next().is_some_and(|line| line.ends_with(says)), "{printed}{errors}");
    Ok(())
}

/// What lists of sites add to a reason makes no other way of it, so they hide no worse one.
#[rstest]
#[conformance::test()]
fn lists_hide_no_way_in_which_a_rule_breaks() -> Outcome {
    let folder = hosts(7, 7, wrong_code)?;
    for (number, end) in ["", " (listed: https://example.org/7)", " (a.toml excused it until 2026-01-31; owner: a)"]
        .into_iter()
        .cycle()
        .take(6)
        .enumerate()
    {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        wrong_code(&mut report);
        report.cases[1].reason = report.cases[1].reason.take().map(|reason| reason + end);
        write(folder.path(), &format!("{number:02}.jsonl"), &report)?;
    }
    let mut report = of_host("580.159.04", 3, "node-6");
    crash(&mut report);
    write(folder.path(), "06.jsonl", &report)?;
    let (_, history, errors) = run(folder.path(), &["--rule", ROW])?;
    let says = "breaks in 7 of 7 reports: wrong code, the importer showed a wrong code (6); crash, SIGSEGV in \
                cuMemPoolImportPointer (1)\n";
    check!(history.ends_with(says), "{history}{errors}");
    Ok(())
}

/// If a rule broke only in earlier reports, also with another driver, the first sentence and the table by host say so.
#[rstest]
#[case::repaired("580.159.04")]
#[case::another_driver("590.1")]
#[conformance::test()]
fn a_repaired_rule_is_in_no_table_of_hosts(#[case] version: &str) -> Outcome {
    let folder = hosts(2, 1, crash)?;
    let mut repaired = of_host(version, 3, "node-0");
    repaired.run.began = Some("2026-12-01T08:00:00Z".to_owned());
    write(folder.path(), "later.jsonl", &repaired)?;
    let (_, table, errors) = run(folder.path(), &["--by", "host"])?;
    check!(table.lines().next().is_some_and(|first| first.contains(": no rule breaks on ")), "{table}{errors}");
    check!(
        table.contains("\n  no rule breaks on any host now; --by driver counts earlier reports too\n"),
        "{table}{errors}"
    );
    Ok(())
}

/// The first sentence counts hosts, not their reports: a host that shows the same with two releases is one. What it showed
/// only with the earlier one is an outlier of that release, and no longer breaks.
#[rstest]
#[case::still(true, crash as Alter, ": 1 rule breaks on 1 host, but holds on most hosts of the same driver and GPUs.")]
#[case::repaired(false, crash as Alter, ": no rule breaks on only a few hosts of the same driver and GPUs.")]
#[case::undecided(true, |report: &mut Report| report.cases[1].verdict = Verdict::Error, "; on 1 host, the harness could not decide 1 case.")]
#[case::without_an_end(true, |report: &mut Report| report.is_complete = false, "; the newest report of 1 host has no end: ")]
#[conformance::test()]
fn a_host_with_two_releases_is_one_host(
    #[case] is_still: bool,
    #[case] alter: fn(&mut Report),
    #[case] says: &str,
) -> Outcome {
    let folder = hosts(4, 1, alter)?;
    for number in 0..4 {
        let mut later = of_host("590.1", 3, &format!("node-{number}"));
        later.run.began = Some("2026-12-01T08:00:00Z".to_owned());
        if is_still && number == 0 {
            alter(&mut later);
        }
        write(folder.path(), &format!("later-{number}.jsonl"), &later)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.lines().next().is_some_and(|first| first.contains(says)), "{printed}{errors}");
    Ok(())
}

/// Runs of two drivers that broke off on one host are those of one host.
#[rstest]
#[conformance::test()]
fn a_host_with_two_drivers_is_one_host() -> Outcome {
    let folder = hosts(2, 0, crash)?;
    for name in ["NVIDIA", "reference"] {
        let mut later = of_host("590.1", 3, "node-0");
        later.run.began = Some("2026-12-01T08:00:00Z".to_owned());
        later.run.driver.name = name.to_owned();
        later.is_complete = false;
        write(folder.path(), &format!("{name}.jsonl"), &later)?;
    }
    let (_, printed, errors) = run(folder.path(), &[])?;
    let says = "; the newest reports of 1 host have no end: their runs broke off or still go on.";
    check!(printed.lines().next().is_some_and(|first| first.ends_with(says)), "{printed}{errors}");
    Ok(())
}

/// A later run on another driver does not replace a report of the host's own driver, and a later filtered run with a newer
/// release does.
#[rstest]
#[case::another_driver("reference", "0.1.0", false, "1 rule breaks on 1 host")]
#[case::a_filtered_run("NVIDIA", "590.1", true, "no rule breaks on ")]
#[conformance::test()]
fn what_a_host_does_now(
    #[case] name: &str,
    #[case] version: &str,
    #[case] is_partial: bool,
    #[case] says: &str,
) -> Outcome {
    let folder = hosts(2, 1, crash)?;
    let mut later = of_host(version, 3, "node-0");
    later.run.began = Some("2026-12-01T08:00:00Z".to_owned());
    later.run.driver.name = name.to_owned();
    later.run.is_partial = is_partial;
    write(folder.path(), "later.jsonl", &later)?;
    let (_, table, errors) = run(folder.path(), &["--by", "host"])?;
    check!(table.lines().next().is_some_and(|first| first.contains(says)), "{table}{errors}");
    check!(table.contains("no rule breaks on any host now") == says.starts_with("no"), "{table}");
    Ok(())
}

/// A host whose run failed only because of the harness is named, also if all hosts are like it.
#[rstest]
#[case::one(4, 1, "; on 1 host, the harness could not decide 2 cases.")]
#[case::all(3, 3, "; on 3 hosts, the harness could not decide 6 cases.")]
#[conformance::test()]
fn harness_errors_are_told(#[case] all: usize, #[case] failed: usize, #[case] says: &str) -> Outcome {
    let folder = hosts(all, failed, |report| {
        report.cases[1..].iter_mut().for_each(|case| case.verdict = Verdict::Error);
    })?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(printed.lines().next().is_some_and(|first| first.ends_with(says)), "{printed}{errors}");
    let told = "node-0: the harness failed in 2 cases, so nothing is known of their rules";
    check!(printed.contains(&format!("\nreports with harness errors ({failed})\n  {told}\n")), "{printed}");
    let (_, page, _) = run(folder.path(), &["--format", "html"])?;
    check!(page.contains(told) && page.contains("<header class=\"bad\">"), "{page}");
    Ok(())
}

/// Of two rules that break on a few hosts, the one that breaks on the smaller share of those that check it comes first.
#[rstest]
#[conformance::test()]
fn the_rarer_outlier_comes_first() -> Outcome {
    const OTHER: &str = "IPCMEM-GET-001";
    let folder = tempfile::tempdir().map_err(harness)?;
    for number in 0..8 {
        let mut report = of_host("580.159.04", 3, &format!("node-{number}"));
        report.cases[2].rows = vec![OTHER.to_owned()];
        // Two of eight hosts break the one rule, and one of three the other.
        if number < 2 {
            crash(&mut report);
        }
        match number {
            0..=4 => report.cases[2].verdict = Verdict::Unsupported,
            7 => failed(&mut report.cases[2], Verdict::Fail, Defect::Code),
            _ => {}
        }
        write(folder.path(), &format!("{number}.jsonl"), &report)?;
    }
    let (_, json, errors) = run(folder.path(), &["--format", "json"])?;
    let json: serde_json::Value = serde_json::from_str(&json).map_err(harness)?;
    let outliers = json["outliers"].as_array().into_iter().flatten();
    let rows: Vec<_> = outliers.filter_map(|outlier| outlier["row"].as_str()).collect();
    check!(rows == [ROW, OTHER], "{json:#}{errors}");
    Ok(())
}

/// Each of the few hosts on which a rule breaks is named once, with the worst way in which a case of the rule fails there.
/// The JSON counts the outliers of each host, and the rules that hold.
#[rstest]
#[conformance::test()]
fn the_few_hosts_of_a_broken_rule_are_named_once() -> Outcome {
    let folder = hosts(9, 3, wrong_code)?;
    let mut report = of_host("580.159.04", 3, "node-2");
    failed(&mut report.cases[0], Verdict::Fail, Defect::Code);
    crash(&mut report);
    report.cases[2].rows = vec!["IPCMEM-GET-001".to_owned()];
    write(folder.path(), "02.jsonl", &report)?;
    let (_, printed, errors) = run(folder.path(), &[])?;
    check!(
        printed.contains("\noutliers (1)\n") && printed.contains("breaks on 3 of 9 hosts with "),
        "{printed}{errors}"
    );
    check!(printed.contains("crash, SIGSEGV in cuMemPoolImportPointer"), "{printed}");
    let (_, json, _) = run(folder.path(), &["--format", "json"])?;
    let json: serde_json::Value = serde_json::from_str(&json).map_err(harness)?;
    let reports = json["reports"].as_array().into_iter().flatten();
    let outliers: Vec<_> = reports.filter_map(|report| report["outliers"].as_u64()).collect();
    check!(outliers == [1, 1, 1, 0, 0, 0, 0, 0, 0] && json["held"] == 1, "{json:#}");
    Ok(())
}

//! Listed driver bugs: listed cases still run and become deviations only as listed, and an invalid list stops the run.

use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::suite::{Run, harness, run, suite};

const FAILS: &str = "planted::fail";
const PASSES: &str = "sample::null_is_refused";

/// Returns an entry for the reference driver. The given lines override the default fields.
fn entry(lines: &str) -> String {
    let has = |key: &str| lines.lines().any(|line| line.starts_with(&format!("{key} =")));
    let rest = [
        ("driver", "\"reference\""),
        ("from", "\"0.1\""),
        ("verdict", "\"fail\""),
        ("reason", "\"does not hold\""),
        ("link", "\"https://example.org/1\""),
        ("date", "\"2026-11-21\""),
    ];
    let rest = rest.into_iter().filter(|(key, _)| !has(key)).map(|(key, value)| format!("{key} = {value}\n"));
    format!("[[deviation]]\n{lines}\n{}", rest.collect::<String>())
}

fn run_with(list: &str, case: &str, arguments: &[&str]) -> Result<Run, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("deviations.toml");
    std::fs::write(&path, list).map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").arg("--deviations").arg(&path).args(["--exact", case]).args(arguments);
    run(command)
}

/// A model learns of an entry that applies, and of no other.
#[rstest]
#[case::listed("case = \"planted::fail\"", Verdict::Pass)]
#[case::of_another_driver("case = \"planted::fail\"\ndriver = \"NVIDIA\"", Verdict::Differs)]
#[conformance::test()]
fn a_model_learns_what_is_listed(#[case] lines: &str, #[case] verdict: Verdict) -> Outcome {
    let report = run_with(&entry(lines), "planted::broken_row", &[])?.report()?;
    let case = report.case("planted::broken_row").ok_or_else(|| harness("the case did not run"))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    Ok(())
}

/// An entry that applies turns the listed failure into a deviation. Any other entry has no effect.
#[rstest]
#[case::case("case = \"planted::fail\"", Verdict::Deviation)]
#[case::glob("case = \"planted::f*\"", Verdict::Deviation)]
#[case::choice("case = \"planted::{fail,crash}\"", Verdict::Deviation)]
#[case::mode("case = \"planted::fail\"\nmode = \"warm\"", Verdict::Deviation)]
#[case::gpu("case = \"planted::fail\"\ngpu = \"*\"", Verdict::Deviation)]
#[case::until("case = \"planted::fail\"\nuntil = \"99\"", Verdict::Deviation)]
#[case::intermittent("case = \"planted::fail\"\nsometimes = true", Verdict::Deviation)]
#[case::other_mode("case = \"planted::fail\"\nmode = \"fresh\"", Verdict::Fail)]
#[case::other_gpu("case = \"planted::fail\"\ngpu = \"NVIDIA H*\"", Verdict::Fail)]
#[case::later("case = \"planted::fail\"\nfrom = \"99.1\"", Verdict::Fail)]
#[case::earlier("case = \"planted::fail\"\nfrom = \"0.0.1\"\nuntil = \"0.0.2\"", Verdict::Fail)]
#[case::other_driver("case = \"planted::fail\"\ndriver = \"NVIDIA\"", Verdict::Fail)]
#[case::other_case("case = \"planted::crash\"", Verdict::Fail)]
#[case::other_reason("case = \"planted::fail\"\nreason = \"CUDA_ERROR\"", Verdict::Fail)]
#[case::other_verdict("case = \"planted::fail\"\nverdict = \"crash\"", Verdict::Fail)]
#[conformance::test()]
fn an_entry_applies_only_to_what_it_names(#[case] lines: &str, #[case] verdict: Verdict) -> Outcome {
    let run = run_with(&entry(lines), FAILS, &[])?;
    let report = run.report()?;
    let case = report.case(FAILS).ok_or_else(|| harness(format!("the case did not run: {}", run.errors())))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    check!(run.output.status.success() == verdict.is_good(), "the suite ended with {}", run.output.status);
    let is_linked = case.reason.as_deref().is_some_and(|reason| reason.contains("https://example.org/1"));
    check!(is_linked == (verdict == Verdict::Deviation), "the reason is {:?}", case.reason);
    Ok(())
}

/// A listed bug that is gone is reported as fixed, whether the entry names the case, a pattern or a row.
#[rstest]
#[case::case("case = \"sample::null_is_refused\"")]
#[case::glob("case = \"sample::null*\"")]
#[case::row("row = \"IPCMEM-CLOSE-006\"")]
#[conformance::test()]
fn a_listed_bug_that_is_gone_is_fixed(#[case] lines: &str) -> Outcome {
    let run = run_with(&entry(lines), PASSES, &[])?;
    let report = run.report()?;
    let reason = report.case(PASSES).and_then(|case| case.reason.clone()).unwrap_or_else(|| run.errors());
    check!(report.summary()["fixed"] == 1 && run.output.status.success(), "{reason}");
    check!(
        reason.contains("Set `until` in the entry") && reason.contains("https://example.org/1"),
        "the reason is {reason:?}"
    );
    Ok(())
}

/// An intermittent bug is a deviation with the same reason, whether it occurs or not, so that two runs do not differ.
#[rstest]
#[case::occurs(FAILS)]
#[case::does_not_occur(PASSES)]
#[conformance::test()]
fn an_intermittent_bug_is_a_deviation_in_every_run(#[case] case: &str) -> Outcome {
    let run = run_with(&entry(&format!("case = \"{case}\"\nsometimes = true")), case, &[])?;
    let report = run.report()?;
    let found = report.case(case).ok_or_else(|| harness(format!("the case did not run: {}", run.errors())))?;
    let told = "intermittent fail: does not hold (listed: https://example.org/1)";
    check!(found.verdict == Verdict::Deviation && found.reason.as_deref() == Some(told), "{found:?}");
    check!(run.output.status.success() && !run.text().contains("never ended as listed"), "{}", run.text());
    Ok(())
}

/// An invalid list stops the run before any case, and the message names the problem.
#[rstest]
#[case::unknown_case("case = \"sample::nothing\"", "the case sample::nothing does not exist")]
#[case::unknown_row("row = \"IPCMEM-CLOSE-999\"", "the row IPCMEM-CLOSE-999 does not exist")]
#[case::glob_of_nothing("case = \"samples::*\"", "samples::* matches no case")]
#[case::broken_glob("case = \"sample::{close\"", "entry 1: error parsing glob")]
#[case::nothing("", "needs either `case` or `row`")]
#[case::both("case = \"planted::fail\"\nrow = \"IPCMEM-CLOSE-001\"", "needs either `case` or `row`")]
#[case::link("case = \"planted::fail\"\nlink = \"ask me\"", "`link` must be a URL")]
#[case::date("case = \"planted::fail\"\ndate = \"21.11.2026\"", "`date` must be a date")]
#[case::no_day("case = \"planted::fail\"\ndate = \"2026-11-31\"", "`date` must be a date")]
#[case::verdict("case = \"planted::fail\"\nverdict = \"pass\"", "crash, not pass")]
#[case::reason("case = \"planted::fail\"\nreason = \"\"", "`reason` must")]
#[case::release("case = \"planted::fail\"\nfrom = \"last year\"", "is not a release")]
#[case::range("case = \"planted::fail\"\nuntil = \"0.1\"", "must be an earlier release")]
#[case::key("case = \"planted::fail\"\nsince = \"1\"", "unknown field `since`")]
#[conformance::test()]
fn an_invalid_entry_stops_the_run(#[case] lines: &str, #[case] says: &str) -> Outcome {
    let run = run_with(&entry(lines), FAILS, &[])?;
    check!(!run.output.status.success() && run.errors().contains(says), "{}", run.errors());
    check!(!run.path().exists() && run.text().is_empty(), "a case ran: {}", run.text());
    Ok(())
}

/// An entry without a link or a date stops the run.
#[rstest]
#[case::link("link", "missing field `link`")]
#[case::date("date", "missing field `date`")]
#[conformance::test()]
fn link_and_date_are_required(#[case] key: &str, #[case] says: &str) -> Outcome {
    let whole = entry("case = \"planted::fail\"");
    let lines = whole.lines().filter(|line| !line.starts_with(key));
    let run = run_with(&lines.map(|line| format!("{line}\n")).collect::<String>(), FAILS, &[])?;
    check!(!run.output.status.success() && run.errors().contains(says), "{}", run.errors());
    Ok(())
}

/// A file that does not exist or is not TOML is named.
#[rstest]
#[case::missing(None, "No such file")]
#[case::not_toml(Some("<html>"), "deviations.toml")]
#[conformance::test()]
fn an_unreadable_list_is_named(#[case] content: Option<&str>, #[case] says: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("deviations.toml");
    if let Some(content) = content {
        std::fs::write(&path, content).map_err(harness)?;
    }
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_DEVIATIONS", &path).args(["--exact", PASSES]);
    let run = run(command)?;
    check!(!run.output.status.success(), "the run succeeded");
    check!(run.errors().contains(says) && run.errors().contains("deviations.toml"), "{}", run.errors());
    Ok(())
}

/// An entry is reported if its cases ran but none of them ended as listed.
#[rstest]
#[case::other_reason("case = \"planted::fail\"\nreason = \"CUDA_ERROR\"", true)]
#[case::met("case = \"planted::fail\"", false)]
#[case::met_by_one_of_many("case = \"planted::*\"", false)]
#[case::did_not_run("case = \"planted::crash\"", false)]
#[case::other_driver("case = \"planted::fail\"\ndriver = \"NVIDIA\"", false)]
#[conformance::test()]
fn an_entry_that_matched_no_case_is_reported(#[case] lines: &str, #[case] is_told: bool) -> Outcome {
    let run = run_with(&entry(lines), FAILS, &[])?;
    check!(run.text().contains("ran but never ended as listed: fail") == is_told, "{}", run.text());
    Ok(())
}

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
    let path = folder.path().join("site.toml");
    std::fs::write(&path, list).map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").arg("--deviations").arg(&path).args(["--exact", case]).args(arguments);
    run(command)
}

/// A model learns of an entry that applies, also of one that lists a case with a parameter, and of no other.
#[rstest]
#[case::listed("case = \"planted::fail\"", Verdict::Pass)]
#[case::listed_with_a_parameter("case = \"planted::succeeds/copy_reads\"", Verdict::Pass)]
#[case::of_another_case("case = \"planted::crash\"", Verdict::Differs)]
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
#[case::check_in_c(
    "case = \"planted::fail\"\nreason = \"cuMemcpyDtoH(cuMemAlloc(4 * KIB), 4) == [1; 4] does not hold\"",
    Verdict::Deviation
)]
#[case::check_of_a_bug_report(
    "case = \"planted::fail\"\nreason = \"exporter.read(exporter.mem_alloc(4 * KIB)?, 4)? == [1; 4] does not hold\"",
    Verdict::Deviation
)]
#[case::check_of_another_role(
    "case = \"planted::fail\"\nreason = \"importer.read(exporter.mem_alloc(4 * KIB)?, 4)? == [1; 4] does not hold\"",
    Verdict::Fail
)]
#[case::other_check(
    "case = \"planted::fail\"\nreason = \"cuMemcpyDtoH(cuMemAlloc(4 * KIB), 4) == [2; 4] does not hold\"",
    Verdict::Fail
)]
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
    let says = "site.toml lists it as fail (https://example.org/1). Set `until` in the entry to the first release without \
                the bug";
    check!(reason.ends_with(says), "the reason is {reason:?}");
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
    check!(run.output.status.success() && !run.text().contains("is listed as failing"), "{}", run.text());
    Ok(())
}

/// An invalid list stops the run before any case, and the message names the problem.
#[rstest]
#[case::unknown_case("case = \"sample::nothing\"", "the case sample::nothing does not exist")]
#[case::list_of_an_unknown_case("case = \"sample::nothing\"", "site.toml: the case sample::nothing does not")]
#[case::closest_case("case = \"sample::null_is_refuse\"", "does not exist; the closest is sample::null_is_refused")]
#[case::closest_to_a_part("case = \"null_is\"", "does not exist; the closest is sample::null_is_refused")]
#[case::unknown_row("row = \"IPCMEM-CLOSE-999\"", "the row IPCMEM-CLOSE-999 does not exist")]
#[case::unchecked_row("row = \"IPCMEM-GET-031\"", "no case checks the row IPCMEM-GET-031")]
#[case::glob_of_nothing("case = \"samples::*\"", "samples::* matches no case")]
#[case::broken_glob("case = \"sample::{close\"", "entry 1: error parsing glob")]
#[case::nothing("", "needs either `case` or `row`")]
#[case::both("case = \"planted::fail\"\nrow = \"IPCMEM-CLOSE-001\"", "needs either `case` or `row`")]
#[case::link("case = \"planted::fail\"\nlink = \"ask me\"", "`link` must be a URL")]
#[case::date("case = \"planted::fail\"\ndate = \"21.11.2026\"", "`date` must be a date")]
#[case::no_day("case = \"planted::fail\"\ndate = \"2026-11-31\"", "`date` must be a date")]
#[case::verdict("case = \"planted::fail\"\nverdict = \"pass\"", "crash, not pass")]
#[case::reason("case = \"planted::fail\"\nreason = \"\"", "`reason` must")]
#[case::blank_reason("case = \"planted::fail\"\nreason = \" \"", "`reason` must")]
#[case::release("case = \"planted::fail\"\nfrom = \"last year\"", "is not a release")]
#[case::range("case = \"planted::fail\"\nuntil = \"0.1\"", "must be an earlier release")]
#[case::expiry("case = \"planted::fail\"\nowner = \"storage\"\nexpires = \"soon\"", "`expires` must be a date")]
#[case::nobody("case = \"planted::fail\"\nexpires = \"2026-12-31\"", "`expires` needs an `owner`")]
#[case::owner("case = \"planted::fail\"\nowner = \" \"", "`owner` must name somebody")]
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
    let says = "site.toml lists it as failing, but it did not fail like that here: expected fail with a reason";
    check!(run.text().contains(says) == is_told, "{}", run.text());
    Ok(())
}

/// If every case of an entry passed, the last lines of the run do not say that it failed in another way.
#[rstest]
#[conformance::test()]
fn an_entry_whose_case_passed_is_reported_as_passed() -> Outcome {
    let run = run_with(&entry(&format!("case = \"{PASSES}\"")), PASSES, &[])?;
    let says = "site.toml lists it as failing, but it passed here, so the bug may be gone (https://example.org/1)";
    check!(run.text().contains(says) && !run.text().contains("did not fail like that"), "{}", run.text());
    Ok(())
}

/// An entry that has expired excuses no failure. The failure, and the last lines of the run, name the entry and its owner.
#[rstest]
#[case::in_the_past("2026-01-31", Verdict::Fail)]
#[case::in_the_future("2999-12-31", Verdict::Deviation)]
#[conformance::test()]
fn an_expired_entry_excuses_nothing(#[case] expires: &str, #[case] verdict: Verdict) -> Outcome {
    let lines = format!("case = \"{FAILS}\"\nowner = \"the storage team\"\nexpires = \"{expires}\"");
    let run = run_with(&entry(&lines), FAILS, &[])?;
    let report = run.report()?;
    let case = report.case(FAILS).ok_or_else(|| harness(format!("the case did not run: {}", run.errors())))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    let has_expired = verdict == Verdict::Fail;
    check!(run.output.status.success() != has_expired, "the suite ended with {}", run.output.status);
    let says = "site.toml excused it until 2026-01-31; owner: the storage team";
    let reason = case.reason.as_deref().unwrap_or_default();
    check!(reason.contains(says) == has_expired, "the reason is {reason:?}");
    let last = format!("deviation: {FAILS}: the entry of ");
    check!(run.text().contains(&last) == has_expired, "{}", run.text());
    check!(run.text().contains("expired on 2026-01-31; owner: the storage team") == has_expired, "{}", run.text());
    Ok(())
}

/// An expired entry changes neither the verdict nor the reason of a case that it would not have excused, and a model no
/// longer avoids what it lists.
#[rstest]
#[case::passes("case = \"sample::null_is_refused\"", PASSES, Verdict::Pass)]
#[case::passes_sometimes("case = \"sample::null_is_refused\"\nsometimes = true", PASSES, Verdict::Pass)]
#[case::other_case("case = \"planted::crash\"", FAILS, Verdict::Fail)]
#[case::other_reason("case = \"planted::fail\"\nreason = \"CUDA_ERROR\"", FAILS, Verdict::Fail)]
#[case::model("case = \"planted::fail\"", "planted::broken_row", Verdict::Differs)]
#[conformance::test()]
fn an_expired_entry_has_no_effect(#[case] lines: &str, #[case] ran: &str, #[case] verdict: Verdict) -> Outcome {
    let lines = format!("{lines}\nowner = \"x\"\nexpires = \"2026-01-31\"");
    let report = run_with(&entry(&lines), ran, &[])?.report()?;
    let case = report.case(ran).ok_or_else(|| harness("the case did not run"))?;
    check!(case.verdict == verdict, "the verdict is {}: {:?}", case.verdict, case.reason);
    check!(!case.reason.as_deref().unwrap_or_default().contains("excused it"), "{:?}", case.reason);
    Ok(())
}

/// An entry excuses a failure on the whole of its last day, and no longer on the first release without the bug.
#[rstest]
#[case::last_day(true, Verdict::Deviation)]
#[case::first_release_without_it(false, Verdict::Fail)]
#[conformance::test()]
fn an_entry_ends_where_it_says(#[case] by_day: bool, #[case] verdict: Verdict) -> Outcome {
    let before = run_with("", FAILS, &[])?.report()?.run;
    let today = before.began.as_deref().and_then(|began| began.get(..10)).unwrap_or_default();
    let ends = match by_day {
        true => format!("owner = \"x\"\nexpires = \"{today}\""),
        false => format!("from = \"0.0.1\"\nuntil = \"{}\"", before.driver.version),
    };
    let report = run_with(&entry(&format!("case = \"{FAILS}\"\n{ends}")), FAILS, &[])?.report()?;
    let has_a_new_day = !report.run.began.as_deref().unwrap_or_default().starts_with(today);
    let case = report.case(FAILS).ok_or_else(|| harness("the case did not run"))?;
    let is_right = case.verdict == verdict || by_day && has_a_new_day;
    check!(is_right, "the verdict is {} with {ends}: {:?}", case.verdict, case.reason);
    Ok(())
}

/// A name without parameters lists all cases of the function, and a name with them only one.
#[rstest]
#[case::all("sample::there_are_two_gpus", true)]
#[case::one("sample::there_are_two_gpus/name=one,number=1", true)]
#[case::another("sample::there_are_two_gpus/name=one,number=2", false)]
#[conformance::test()]
fn an_entry_names_cases_with_parameters(#[case] name: &str, #[case] is_listed: bool) -> Outcome {
    const RUNS: &str = "sample::there_are_two_gpus/name=one,number=1";
    let report = run_with(&entry(&format!("case = \"{name}\"")), RUNS, &[])?.report()?;
    let case = report.case(RUNS).ok_or_else(|| harness("the case did not run"))?;
    check!((case.verdict == Verdict::Fixed) == is_listed, "the verdict is {}: {:?}", case.verdict, case.reason);
    Ok(())
}

/// Several lists count together, as flags and in the variable, and the lines name the list of each entry.
#[rstest]
#[case::flags(true)]
#[case::variable(false)]
#[conformance::test()]
fn several_lists_count_together(#[case] by_flags: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let lists = [("one.toml", FAILS), ("two.toml", PASSES)].map(|(name, case)| (folder.path().join(name), case));
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", FAILS, PASSES]);
    for (path, case) in &lists {
        std::fs::write(path, entry(&format!("case = \"{case}\""))).map_err(harness)?;
        if by_flags {
            command.arg("--deviations").arg(path);
        }
    }
    if !by_flags {
        command.env("CONFORMANCE_DEVIATIONS", lists.map(|(path, _)| path.display().to_string()).join(":"));
    }
    let run = run(command)?;
    let report = run.report()?;
    let verdicts = [FAILS, PASSES].map(|id| report.case(id).map(|case| case.verdict));
    check!(verdicts == [Some(Verdict::Deviation), Some(Verdict::Fixed)], "{verdicts:?}: {}", run.errors());
    let reason = report.case(PASSES).and_then(|case| case.reason.clone()).unwrap_or_default();
    check!(reason.contains("two.toml lists it"), "{reason}");
    Ok(())
}

/// An entry names the call of a crash as C does. One of an earlier suite, with the suite's own name, is met too.
#[rstest]
#[case::in_c("in die_of(signal: 11)")]
#[case::as_before("in die_of { signal: 11 }")]
#[case::name("in die_of")]
#[conformance::test()]
fn an_entry_names_a_call(#[case] reason: &str) -> Outcome {
    const CRASHES: &str = "planted::crash";
    let lines = format!("case = \"{CRASHES}\"\nverdict = \"crash\"\nreason = \"{reason}\"");
    let report = run_with(&entry(&lines), CRASHES, &[])?.report()?;
    let case = report.case(CRASHES).ok_or_else(|| harness("the case did not run"))?;
    let says = "killed by signal 11 (SIGSEGV) in die_of(signal: 11) (listed: ";
    check!(case.verdict == Verdict::Deviation, "the verdict is {}: {:?}", case.verdict, case.reason);
    check!(case.reason.as_deref().is_some_and(|reason| reason.contains(says)), "{:?}", case.reason);
    Ok(())
}

/// A list of the time when a reason did not name the call that succeeded is met too.
#[rstest]
#[case::earlier("the call returned CUDA_SUCCESS, expected an error")]
#[case::with_the_call("cuMemcpyDtoH returned CUDA_SUCCESS, expected an error")]
#[conformance::test()]
fn a_call_that_succeeds_is_met(#[case] reason: &str) -> Outcome {
    let id = "planted::succeeds/copy_reads";
    let run = run_with(&entry(&format!("case = {id:?}\nreason = {reason:?}")), id, &["--reruns", "0"])?;
    check!(run.report()?.case(id).is_some_and(|case| case.verdict == Verdict::Deviation), "{}", run.text());
    Ok(())
}

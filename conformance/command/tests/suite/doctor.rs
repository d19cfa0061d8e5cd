//! `conformance doctor` works on any machine.

use conformance::{Outcome, Stop, check};
use rstest::rstest;
use serde_json::Value;

use crate::command::{conformance, finish};
use crate::suite::{compile, harness};

/// Returns the exit code and the JSON output for a driver.
fn ask(driver: &str, devices: &str) -> Result<(Option<i32>, Value), Stop> {
    let mut command = conformance(&["doctor"])?;
    command.args(["--format", "json", "--driver", driver]).env("REFERENCE_DRIVER_DEVICES", devices);
    let (code, text, errors) = finish(command)?;
    let answer = serde_json::from_str(&text).map_err(|error| harness(format!("{error}: {text} {errors}")))?;
    Ok((code, answer))
}

/// Returns the state and the text of a subject.
fn finding<'answer>(answer: &'answer Value, subject: &str) -> Result<(&'answer str, &'answer str), Stop> {
    let findings = answer["findings"].as_array().into_iter().flatten();
    let found = findings.into_iter().find(|finding| finding["subject"] == subject);
    let words = found.and_then(|found| Some((found["state"].as_str()?, found["found"].as_str()?)));
    words.ok_or_else(|| harness(format!("the output has no {subject}: {answer}")))
}

/// Returns the number of cases that can run, and of all cases.
fn cases(answer: &Value) -> (u64, u64) {
    let sum = |field: &str| {
        let groups = answer["groups"].as_array().into_iter().flatten();
        groups.filter_map(|group| group[field].as_u64()).sum()
    };
    (sum("can_run"), sum("cases"))
}

/// Without a driver no case can run, and the output names the file that was tried.
#[rstest]
#[conformance::test()]
fn a_missing_driver_is_reported() -> Outcome {
    let (code, answer) = ask("/nonexistent/libcuda.so.1", "2")?;
    let (state, found) = finding(&answer, "driver")?;
    check!(state == "missing" && found.contains("/nonexistent/libcuda.so.1"), "{state}: {found}");
    check!(finding(&answer, "peer access")?.0 == "unknown");
    let (can_run, all) = cases(&answer);
    check!(code == Some(1) && can_run == 0 && all > 0, "{code:?}, {can_run} of {all}");
    Ok(())
}

/// A driver that crashes is reported too.
#[rstest]
#[conformance::test()]
fn a_driver_that_crashes_is_reported() -> Outcome {
    const SOURCE: &str = "int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
        int cuInit(unsigned flags) { __builtin_trap(); }";
    let folder = tempfile::tempdir().map_err(harness)?;
    let library = folder.path().join("libcuda.so.1");
    compile(SOURCE, &library)?;
    let (code, answer) = ask(&library.to_string_lossy(), "2")?;
    let (state, found) = finding(&answer, "driver")?;
    check!(code == Some(1) && state == "missing" && found.contains("signal"), "{code:?}, {state}: {found}");
    Ok(())
}

/// A driver that crashes when a process exits is reported, although its cases can run: each run on it fails.
#[rstest]
#[case::sound("", None)]
#[case::crashes("exit-aborts", Some("keeper: killed by signal 6 (SIGABRT) in exit()"))]
#[conformance::test()]
fn a_crash_at_the_end_of_the_probe_is_reported(#[case] fault: &str, #[case] end: Option<&str>) -> Outcome {
    let mut command = conformance(&["doctor", "--driver", "reference"])?;
    command.env("REFERENCE_DRIVER_FAULT", fault);
    let (code, text, errors) = finish(command)?;
    let line = text.lines().find(|line| line.starts_with("missing  end of a process"));
    check!(line.is_some() == end.is_some() && code == Some(0), "{code:?}: {text}{errors}");
    check!(end.is_none_or(|end| line.is_some_and(|line| line.ends_with(end))), "{text}");
    Ok(())
}

/// The output shows the devices and links of the reference driver. With one device, it says what is missing and for how
/// many cases.
#[rstest]
#[case::two("2", "ok")]
#[case::one("1", "missing")]
#[conformance::test()]
fn devices_and_links_are_shown(#[case] devices: &str, #[case] peers: &str) -> Outcome {
    let (code, answer) = ask("reference", devices)?;
    let (state, found) = finding(&answer, "library")?;
    check!(state == "ok" && found.contains("libreference_driver.so, SHA-256 "), "{state}: {found}");
    let (state, found) = finding(&answer, "GPU 0")?;
    check!(state == "ok" && found.starts_with("Reference device (software"), "{state}: {found}");
    check!(found.contains("UUID ") && found.contains(" MiB"), "{state}: {found}");
    let subject = if devices == "1" { "peer access" } else { "peer access, GPU 0" };
    check!(finding(&answer, subject)?.0 == peers, "{answer}");
    let (can_run, all) = cases(&answer);
    check!(code == Some(0) && 0 < can_run && can_run < all, "{code:?}, {can_run} of {all}");
    let lacks_a_device = answer["groups"].to_string().contains("needs 2 GPUs, found 1");
    check!(lacks_a_device == (devices == "1"), "{}", answer["groups"]);
    Ok(())
}

/// The text contains the findings and the cases that can run.
#[rstest]
#[conformance::test()]
fn the_text_shows_findings_and_cases() -> Outcome {
    let mut command = conformance(&["doctor"])?;
    command.args(["--driver", "reference"]);
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0), "{code:?}: {errors}");
    for line in ["ok       driver ", "ok       GPU 1 ", "open files", "Cases that can run here:", " sample\n"] {
        check!(text.contains(line), "the text lacks {line:?}: {text}");
    }
    Ok(())
}

/// Without a suite the command fails.
#[rstest]
#[conformance::test()]
fn without_a_suite_doctor_fails() -> Outcome {
    let mut command = conformance(&["doctor"])?;
    command.env("CONFORMANCE_SUITE", "/nonexistent/suite");
    let (code, text, errors) = finish(command)?;
    check!(code == Some(2) && text.is_empty() && errors.contains("/nonexistent/suite"), "{code:?}: {text} {errors}");
    Ok(())
}

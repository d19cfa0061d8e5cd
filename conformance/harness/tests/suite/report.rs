//! Reports: written line by line, and read even if they are truncated.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use conformance::calls::AnyCall;
use conformance::report::{Report, Step, Unreadable, commit_of_the_checkout};
use conformance::trace::Bytes;
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;
use serde_json::Value;

use crate::suite::{Run, harness, run, suite};

const FILTER: &str = "sample::null_is_refused";

/// Runs one case and returns the lines of its report.
fn lines() -> Result<(Run, Vec<String>), Stop> {
    let mut command = suite("reference")?;
    command.args(["--exact", FILTER]);
    let run = run(command)?;
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    Ok((run, text.lines().map(str::to_owned).collect()))
}

/// A report begins with its run and ends with its summary. Each case has a line for its start and one for its end.
#[rstest]
#[conformance::test()]
fn a_report_is_written_line_by_line() -> Outcome {
    let (run, lines) = lines()?;
    let kinds = lines.iter().map(|line| serde_json::from_str::<Value>(line).map_err(harness));
    let kinds: Vec<_> = kinds.collect::<Result<_, _>>()?;
    let kinds: Vec<_> = kinds.iter().filter_map(|line| line["line"].as_str()).collect();
    check!(kinds == ["run", "start", "case", "end"], "the lines are {kinds:?}");
    let report = run.report()?;
    check!(report.is_complete && report.running.is_empty() && report.cases.len() == 1);
    let case = &report.cases[0];
    let step = case.steps.first().ok_or_else(|| harness("no step was recorded"))?;
    check!(step.call.starts_with("ipc_close_mem_handle") && step.answer.contains("INVALID_VALUE"), "{step:?}");
    // The reference driver has a log, as drivers since CUDA 12.9 do.
    check!(step.log.iter().any(|line| line.contains("cuIpcCloseMemHandle")), "{step:?}");
    let environment = report.run.environment.ok_or_else(|| harness("no environment was recorded"))?;
    let host = environment.host.ok_or_else(|| harness("no host was recorded"))?;
    check!(host.system.starts_with("Linux ") && host.limits.open_files != Some(0), "{host:?}");
    let driver = std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so");
    let summed = Command::new("sha256sum").arg(driver).output().map_err(harness)?;
    let summed = String::from_utf8_lossy(&summed.stdout);
    check!(report.run.driver.sha256.as_deref() == summed.split_whitespace().next(), "{summed}");
    check!(report.run.suite.is_some_and(|suite| !suite.version.is_empty()) && report.run.began.is_some());
    let load = report.run.load.ok_or_else(|| harness("no load was recorded"))?;
    // `nproc --all` also counts the processors that this process may not use, and so does the load.
    let processors = Command::new("nproc").arg("--all").output().map_err(harness)?;
    let processors = String::from_utf8_lossy(&processors.stdout);
    check!(load.processors.to_string() == processors.trim() && load.threads >= 0.0, "{load:?}, {processors}");
    check!(report.run.links.len() == 2 && report.run.links.iter().all(|link| link.access && link.native_atomics));
    Ok(())
}

/// A report names the kind of container that the suite runs in. The files of a container tell more than the variables.
#[rstest]
#[conformance::test()]
fn the_container_is_named() -> Outcome {
    let files = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];
    let kind = files.iter().find(|(file, _)| Path::new(file).exists()).map_or("kubernetes", |(_, kind)| *kind);
    let mut command = suite("reference")?;
    command.env("KUBERNETES_SERVICE_HOST", "10.0.0.1").args(["--exact", FILTER]);
    let environment = run(command)?.report()?.run.environment.ok_or_else(|| harness("no environment was recorded"))?;
    let container = environment.host.and_then(|host| host.container);
    check!(container.as_deref() == Some(kind), "{container:?}, expected {kind}");
    Ok(())
}

/// A report names the commit of the checkout only if cargo started the suite, which it had just built there.
#[rstest]
#[case::by_cargo(&[("CARGO", "cargo")])]
#[case::alone(&[])]
#[conformance::test()]
fn the_commit_is_that_of_the_sources(#[case] variables: &[(&str, &str)]) -> Outcome {
    let mut command = suite("reference")?;
    command.env_remove("CARGO").envs(variables.iter().copied()).args(["--exact", FILTER]);
    let suite = run(command)?.report()?.run.suite.ok_or_else(|| harness("no suite was recorded"))?;
    let expected = commit_of_the_checkout().filter(|_| !variables.is_empty());
    check!(suite.commit == expected, "{suite:?}, expected {expected:?}");
    Ok(())
}

/// The commit of the checkout is the one that git names, with `+` if a tracked file has changed.
#[rstest]
#[conformance::test()]
fn the_commit_is_the_one_that_git_names() -> Outcome {
    const DESCRIBE: [&str; 5] = ["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"];
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let named = git(&["ls-files", "--error-unmatch", "Cargo.toml"]).and_then(|_| git(&DESCRIBE));
    let named = named.ok_or_else(|| Stop::Unsupported("the sources are in no checkout of git".to_owned()))?;
    let found = commit_of_the_checkout();
    check!(found.as_deref() == Some(named.as_str()), "{found:?}, expected {named}");
    Ok(())
}

/// A step that is refused has what the driver's log said of it, and not what it said of earlier steps.
#[rstest]
#[conformance::test()]
fn the_log_of_a_refusal_is_its_own() -> Outcome {
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--reruns", "0", "--exact", "planted::refused_after_a_failure"]);
    let report = run(command)?.report()?;
    let step =
        report.cases.first().and_then(|case| case.steps.last()).ok_or_else(|| harness("no step was recorded"))?;
    check!(step.log.len() == 1 && step.log[0].contains("cuIpcCloseMemHandle"), "{step:?}");
    Ok(())
}

/// A step has the time that its call took, in milliseconds.
#[rstest]
#[conformance::test()]
fn a_step_has_its_time() -> Outcome {
    // The kernel runs for two seconds, and begins before the wait for it.
    const LEAST: f64 = 1200.0;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::waits_for_a_kernel"]);
    let began = Instant::now();
    let run = run(command)?;
    let most = began.elapsed().as_secs_f64() * 1e3;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    let step = case.steps.iter().find(|step| step.call.starts_with("stream_synchronize"));
    let took = step.and_then(|step| step.ms);
    check!(took.is_some_and(|ms| (LEAST..=most).contains(&ms)), "{took:?} of {most} ms");
    Ok(())
}

/// A long argument of a step is cut, so that it does not make the report long.
#[rstest]
#[conformance::test()]
fn a_long_step_is_cut() -> Outcome {
    let mut command = suite("reference")?;
    // It writes 1 MiB.
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::breach/reads_nothing,part=then_passes"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    let step = case.steps.iter().find(|step| step.call.starts_with("write"));
    let call = step.map(|step| step.call.as_str()).unwrap_or_default();
    check!(call.ends_with('…') && call.len() < 1000, "{} bytes", call.len());
    Ok(())
}

/// A trace describes long contents only if they are one byte, repeated, or what the kernel `fill` writes.
#[rstest]
#[case::one_byte(vec![7; 5000], Bytes::Same { byte: 7, length: 5000 })]
#[case::several([7_u8, 8].repeat(2500), Bytes::Long { length: 5000 })]
#[case::pattern(
    (0..2000).flat_map(|index| kernels::pattern(7, index).to_le_bytes()).collect::<Vec<u8>>(),
    Bytes::Pattern { seed: 7, words: 2000 }
)]
#[conformance::test()]
fn a_trace_has_no_long_contents(#[case] bytes: Vec<u8>, #[case] expected: Bytes) -> Outcome {
    let found = Bytes::of(&bytes);
    check!(found == expected, "{found:?}");
    Ok(())
}

/// The properties of the host are not nested in the report's environment, so that earlier reports stay comparable.
#[rstest]
#[conformance::test()]
fn the_environment_is_flat() -> Outcome {
    let (_run, lines) = lines()?;
    let run: Value = serde_json::from_str(&lines[0]).map_err(harness)?;
    let environment = run["environment"].as_object().ok_or_else(|| harness("no environment was recorded"))?;
    let names: Vec<_> = environment.keys().map(String::as_str).collect();
    let expected = [
        "container",
        "imex_channels",
        "kernel_module",
        "limits",
        "mig",
        "mps",
        "pid_namespace",
        "ptrace_scope",
        "system",
        "user",
        "variables",
    ];
    check!(names == expected, "{names:?}");
    Ok(())
}

/// A report names the kind of its container. Docker and podman leave a file, which counts before any variable.
#[rstest]
#[case::kubernetes("KUBERNETES_SERVICE_HOST", "10.96.0.1", "kubernetes")]
#[case::another("container", "lxc", "lxc")]
#[conformance::test()]
fn a_report_names_its_container(#[case] variable: &str, #[case] value: &str, #[case] kind: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env_remove("KUBERNETES_SERVICE_HOST").env_remove("container").env(variable, value);
    command.args(["--exact", FILTER]);
    let host = run(command)?.report()?.run.environment.and_then(|environment| environment.host);
    let container = host.and_then(|host| host.container);
    let files = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];
    let by_file = files.into_iter().find(|(file, _)| Path::new(file).exists());
    let expected = by_file.map_or(kind, |(_, kind)| kind);
    check!(container.as_deref() == Some(expected), "{container:?}, expected {expected}");
    Ok(())
}

/// A report that ends in the middle of a line loses only that line, and names the case that was running.
#[rstest]
#[case::after_the_start(2, "", 0)]
#[case::in_the_case(2, "{\"line\":\"case\",\"id\":\"ipcm", 0)]
#[case::after_the_case(3, "", 1)]
#[conformance::test()]
fn a_truncated_report_is_read(#[case] whole: usize, #[case] part: &str, #[case] ended: usize) -> Outcome {
    let (_run, lines) = lines()?;
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("broken.jsonl");
    let text: String = lines[..whole].iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text + part).map_err(harness)?;
    let report = Report::read(&path).map_err(harness)?;
    check!(!report.is_complete && report.cases.len() == ended && report.running.len() == 1 - ended, "{report:?}");
    Ok(())
}

/// A file that is not a report, or has a newer format, is refused with a message that names it.
#[rstest]
#[case::missing(None, "No such file")]
#[case::empty(Some(""), "is empty")]
#[case::blank(Some(" \n"), "is empty")]
#[case::foreign(Some("<html>"), "is not a report")]
#[case::other_json(Some("{\"format\": \"two\"}"), "is not a report")]
#[case::other_line(Some("{\"line\":\"end\",\"format\":2,\"summary\":{}}"), "is not a report")]
#[case::of_format_zero(Some("{\"line\":\"run\",\"format\":0}"), "it does not begin with a line that describes a run")]
#[case::future(Some("{\"line\":\"run\",\"format\":99}"), "has format 99")]
#[case::future_value(Some("{\n\"format\": 99\n}"), "has format 99")]
#[conformance::test()]
fn a_file_that_is_not_a_report_is_refused(#[case] text: Option<&str>, #[case] says: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("some.jsonl");
    if let Some(text) = text {
        std::fs::write(&path, text).map_err(harness)?;
    }
    let error = Report::read(&path).err().ok_or_else(|| harness("the file was read as a report"))?.to_string();
    check!(error.contains(says) && error.contains("some.jsonl"), "{error}");
    Ok(())
}

/// An invalid line is named by its number, also one that follows the last line of a run.
#[rstest]
#[case::in_the_run(|lines: &mut Vec<String>| lines[1] = "{\"line\":\"case\"}".to_owned(), 2)]
#[case::after_its_end(|lines: &mut Vec<String>| lines.extend_from_within(2..3), 5)]
#[conformance::test()]
fn an_invalid_line_is_named(#[case] damage: fn(&mut Vec<String>), #[case] number: usize) -> Outcome {
    let (_run, mut lines) = lines()?;
    damage(&mut lines);
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("some.jsonl");
    std::fs::write(&path, lines.join("\n")).map_err(harness)?;
    let error = Report::read(&path).err().ok_or_else(|| harness("the file was read as a report"))?;
    check!(matches!(error, Unreadable::Broken(_, line, _) if line == number), "{error}");
    Ok(())
}

/// Reports of format 1 can still be read.
#[rstest]
#[conformance::test()]
fn the_first_format_is_read() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("report.json");
    std::fs::write(&path, include_str!("format-1.json")).map_err(harness)?;
    let report = Report::read(&path).map_err(harness)?;
    check!(report.is_complete && report.cases.len() == 2 && report.run.environment.is_none());
    let case = report.case("p2p::attribute::one").ok_or_else(|| harness("the case is not found"))?;
    check!(case.verdict == Verdict::Deviation && case.observations["code"] == "CUDA_SUCCESS (0)", "{case:?}");
    Ok(())
}

/// Reasons in reports of earlier suites have the suite's own names of calls. They are read as functions of C.
#[rstest]
#[case::crash(
    "importer: killed by signal 11 (SIGSEGV) in mem_pool_destroy { pool: Pool(0x7) } (listed: https://example.org)",
    "importer: killed by signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(0x7)) (listed: https://example.org)"
)]
#[case::without_arguments(
    "intermittent crash: killed by signal 11 in mem_pool_destroy",
    "intermittent crash: killed by signal 11 in cuMemPoolDestroy"
)]
#[case::cut_off(
    "importer: killed by signal 11 in mem_pool_import_pointer { pool: Pool(0x7), data: … (listed: https://example.org)",
    "importer: killed by signal 11 in cuMemPoolImportPointer(pool: Pool(0x7), data: … (listed: https://example.org)"
)]
#[case::helper(
    "exporter: killed by signal 11 in mem_get_dma_buf { size: 4 }",
    "exporter: killed by signal 11 in cuMemGetHandleForAddressRange(size: 4)"
)]
#[case::hang(
    "importer: no answer to ipc_open_mem_handle { flags: 1 } before the deadline",
    "importer: no answer to cuIpcOpenMemHandle(flags: 1) before the deadline"
)]
#[case::now("x: killed by signal 6 in cuMemPoolDestroy(pool: 7)", "x: killed by signal 6 in cuMemPoolDestroy(pool: 7)")]
#[case::another("it fails in the first run {1}", "it fails in the first run {1}")]
#[case::a_path("a byte differs in /tmp/7", "a byte differs in /tmp/7")]
#[case::a_bracket("a byte differs in memory (7)", "a byte differs in memory (7)")]
#[conformance::test()]
fn old_reasons_get_the_names_of_c(#[case] written: &str, #[case] read: &str) -> Outcome {
    let (_run, mut lines) = lines()?;
    let place = lines.iter().position(|line| line.contains("\"reason\":null")).ok_or_else(|| harness("no reason"))?;
    lines[place] = lines[place].replace("\"reason\":null", &format!("\"reason\":\"{written}\""));
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("some.jsonl");
    std::fs::write(&path, lines.join("\n")).map_err(harness)?;
    let report = Report::read(&path).map_err(harness)?;
    let found: Vec<_> = report.cases.iter().filter_map(|case| case.reason.as_deref()).collect();
    check!(found.contains(&read), "{found:?}");
    Ok(())
}

/// A helper with the name of a function is a call of the harness, and the function is one of CUDA.
#[rstest]
#[conformance::test()]
fn helpers_name_functions_of_cuda() -> Outcome {
    let calls: BTreeSet<_> = AnyCall::names().collect();
    let symbols = cuda_ipc_sys::SYMBOLS.iter().chain(cuda_ipc_sys::runtime::SYMBOLS);
    let functions: BTreeSet<_> = symbols.filter_map(|symbol| symbol.name.to_str().ok()).collect();
    let mut helpers = BTreeSet::new();
    for (helper, function) in Step::helpers() {
        check!(calls.contains(helper), "{helper} is no call of the harness");
        check!(functions.contains(function), "{function} is no function of CUDA");
        check!(helpers.insert(helper), "{helper} stands twice");
    }
    check!(helpers.len() > 40, "{}", helpers.len());
    Ok(())
}

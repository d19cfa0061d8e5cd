//! `conformance report`: a page and a C program for each failed case.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use conformance::report::Report;
use conformance::{Defect, Failure, Outcome, Stop, Verdict, check};
use rstest::rstest;

use crate::command::{conformance, finish};
use crate::program::{compiled, executed, reference};
use crate::suite::{Run, harness, run, suite, without_settings};

const PLANTED: (&str, &str) = ("CONFORMANCE_PLANTED", "1");

/// Runs one case on the reference driver.
pub(crate) fn ran(case: &str) -> Result<Run, Stop> {
    let mut command = suite("reference")?;
    command.env(PLANTED.0, PLANTED.1).args(["--seed", "1", "--exact", case]);
    run(command)
}

/// Reports a case. Returns the output of the command.
pub(crate) fn report(run: &Run, case: Option<&str>, folder: &Path, runs: &str) -> Result<String, Stop> {
    let mut command = conformance(&["report"])?;
    command.env(PLANTED.0, PLANTED.1).arg(run.path()).args(case).arg("--output").arg(folder).args(["--runs", runs]);
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0), "{code:?}: {errors}");
    Ok(text)
}

/// A failed case has a page with what happened and how often, and a program that exits with 1. Where there is no driver,
/// the program exits with 77. Either way, it prints one line.
#[rstest]
#[conformance::test()]
fn a_failed_case_has_a_page_and_a_program() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran("planted::refused")?, None, folder.path(), "2")?;
    check!(text.contains("planted-refused.md") && text.contains("planted-refused.c"), "{text}");
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    for part in [
        "# cuIpcGetMemHandle returned CUDA\\_ERROR\\_INVALID\\_VALUE (1)",
        "in 2 of 2 later runs",
        "--driver reference --seed 1",
        "gcc planted-refused.c -ldl",
        "- **Frequency** in 3 of 3 runs of the report; in 2 of 2 later runs",
        "1. exporter: `cuIpcGetMemHandle(pointer: null pointer)` → `CUDA_ERROR_INVALID_VALUE (1)`",
    ] {
        check!(page.contains(part), "{part} is not in {page}");
    }
    let program = compiled(&folder.path().join("planted-refused.c"))?;
    let (code, line) = executed(&program, &reference()?, None)?;
    check!(code == Some(1) && line.lines().count() == 1, "{code:?}: {line}");
    check!(
        line.starts_with("exporter: cuIpcGetMemHandle(&handle1, 0) returned CUDA_ERROR_INVALID_VALUE (1)"),
        "{line}"
    );
    let (code, line) = executed(&program, Path::new("/nonexistent/libcuda.so"), None)?;
    check!(code == Some(77) && line.lines().count() == 1, "{code:?}: {line}");
    Ok(())
}

/// The program of a case that passes exits with 0, and with 1 if the driver has a fault that the case notices, or if it
/// returns another value than the case expects.
#[rstest]
#[conformance::test()]
fn a_program_agrees_with_its_case() -> Outcome {
    const CASE: &str = "sample::memory_has_its_size/mebibytes=1,is_filled=true";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), "1")?;
    let file = text.trim().rsplit(' ').next().unwrap_or_default();
    let program = compiled(Path::new(file))?;
    let (code, line) = executed(&program, &reference()?, None)?;
    check!(code == Some(0), "{code:?}: {line}");
    let (code, line) = executed(&program, &reference()?, Some("range-begins-late"))?;
    check!(code == Some(1) && line.contains("CUDA_ERROR_NOT_FOUND"), "{code:?}: {line}");
    // Another size than the driver returns.
    let source = fs::read_to_string(file).map_err(harness)?;
    check!(!source.contains("cuDriverGetVersion"), "the program asks for a version, and its case needs none");
    let other = source.replace("==, 1048576", "==, 1048577");
    check!(other != source, "the program does not check the size");
    let other_file = folder.path().join("other.c");
    fs::write(&other_file, other).map_err(harness)?;
    let (code, line) = executed(&compiled(&other_file)?, &reference()?, None)?;
    check!(code == Some(1) && line.ends_with("size1 is 1048576, expected 1048577\n"), "{code:?}: {line}");
    Ok(())
}

/// A case that does more than calling the driver has a page, which says why there is no program.
#[rstest]
#[conformance::test()]
fn a_page_says_why_there_is_no_program() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran("planted::crash")?, None, folder.path(), "1")?;
    check!(text.contains("no program: the program cannot do what the step `die_of` does"), "{text}");
    let page = fs::read_to_string(folder.path().join("planted-crash.md")).map_err(harness)?;
    check!(page.contains("There is no program: "), "{page}");
    check!(!folder.path().join("planted-crash.c").exists(), "there is a program");
    Ok(())
}

/// Runs a case on a driver with a fault. Returns its verdict, and the program of its report.
pub(crate) fn reported_with(fault: &str, case: &str, folder: &Path) -> Result<(Verdict, PathBuf), Stop> {
    let mut command = suite("reference")?;
    command.env(PLANTED.0, PLANTED.1).env("REFERENCE_DRIVER_FAULT", fault).args(["--seed", "1", "--exact", case]);
    let run = run(command)?;
    let found = run.report()?;
    let verdict = found.case(case).ok_or_else(|| harness(run.errors()))?.verdict;
    let mut command = conformance(&["report", "--runs", "1"])?;
    command.env(PLANTED.0, PLANTED.1).env("REFERENCE_DRIVER_FAULT", fault).arg(run.path()).arg("--output").arg(folder);
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0) && !text.contains("no program"), "{code:?}: {text}{errors}");
    let program = text.trim().rsplit(' ').next().unwrap_or_default();
    Ok((verdict, compiled(Path::new(program))?))
}

/// The page of a leak says that the processes closed their descriptors: an open one keeps its memory.
#[rstest]
#[conformance::test()]
fn a_page_of_a_leak_says_that_descriptors_were_closed() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (verdict, _) = reported_with("export-leaks-a-descriptor", "reported::each_import_is_released", folder.path())?;
    let page = fs::read_to_string(folder.path().join("reported-each_import_is_released.md")).map_err(harness)?;
    check!(verdict == Verdict::Leak, "{verdict:?}");
    check!(page.contains("- the processes: `close`, for each descriptor that was still open\n"), "{page}");
    Ok(())
}

/// The page of a case that failed and disclosed is about the failure, and says whether it failed again.
#[rstest]
#[conformance::test()]
fn a_failure_comes_before_a_disclosure() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::disclosures::discloses/passes")?;
    let file = fs::read_to_string(run.path()).map_err(harness)?;
    let failed =
        file.replacen(r#""verdict":"pass","reason":null"#, r#""verdict":"fail","reason":"x does not hold""#, 1);
    check!(failed != file, "{file}");
    fs::write(run.path(), failed).map_err(harness)?;
    let text = report(&run, None, folder.path(), "2")?;
    check!(text.contains("no later run failed"), "{text}");
    let page = fs::read_to_string(folder.path().join("planted-disclosures-discloses-passes.md")).map_err(harness)?;
    check!(page.starts_with("# x does not hold\n"), "{page}");
    let says = "- **Frequency** in the run of the report; it did not fail in any of 2 later runs; the steps and any program \
                below are of a run that did not fail\n";
    check!(page.contains(says), "{page}");
    Ok(())
}

/// The page of a leak says what the driver must do after the calls of the case.
#[rstest]
#[conformance::test()]
fn a_page_of_a_leak_says_what_was_expected() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    reported_with("close-leaks-a-descriptor", "planted::a_new_program_closes", folder.path())?;
    let page = fs::read_to_string(folder.path().join("planted-a_new_program_closes.md")).map_err(harness)?;
    let line = "- **Expected** After the processes have released what they held, nothing of it is left.\n";
    check!(page.contains(line), "{page}");
    Ok(())
}

/// The command of a page repeats the case as often as the run of the report did: a single run may pass.
#[rstest]
#[conformance::test()]
fn the_command_of_a_page_repeats_the_case() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut command = suite("reference")?;
    command.env(PLANTED.0, PLANTED.1).args([
        "--seed",
        "1",
        "--repeat",
        "5",
        "--exact",
        "planted::unsteady::fails_in_run_5",
    ]);
    let text = report(&run(command)?, None, folder.path(), "1")?;
    check!(text.contains("no later run failed") && text.contains("--runs NUMBER"), "{text}");
    let page = fs::read_to_string(folder.path().join("planted-unsteady-fails_in_run_5.md")).map_err(harness)?;
    check!(
        page.contains("--driver reference --seed 1 --repeat 5 --exact planted::unsteady::fails_in_run_5\n"),
        "{page}"
    );
    Ok(())
}

/// The commands of a page use the GPUs that `--gpus` chose: the driver simulates them, and the program sees only them. The
/// variable may have hidden others before, so that the driver numbers them otherwise.
#[rstest]
#[case::of_all(None, None, "1", 2)]
#[case::of_the_visible(Some("1,0"), None, "0", 2)]
#[case::of_many(Some("0,3"), Some("4"), "3", 4)]
#[conformance::test()]
fn the_commands_of_a_page_use_the_chosen_gpus(
    #[case] visible: Option<&str>,
    #[case] simulated: Option<&str>,
    #[case] seen: &str,
    #[case] needed: usize,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut command = suite("reference")?;
    visible.iter().for_each(|gpus| _ = command.env("CUDA_VISIBLE_DEVICES", gpus));
    simulated.iter().for_each(|gpus| _ = command.env("REFERENCE_DRIVER_DEVICES", gpus));
    command.env(PLANTED.0, PLANTED.1).args(["--seed", "1", "--gpus", "1", "--exact", "planted::refused"]);
    report(&run(command)?, None, folder.path(), "1")?;
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    for part in [
        format!("REFERENCE_DRIVER_DEVICES={needed} cargo test -p conformance -- --driver reference --seed 1 --gpus 1"),
        format!("&& CUDA_VISIBLE_DEVICES={seen} REFERENCE_DRIVER_DEVICES={needed} CUDA_IPC_DRIVER="),
    ] {
        check!(page.contains(&part), "{part} is not in {page}");
    }
    Ok(())
}

/// The page of a case that passes says that it did not fail, in whole sentences.
#[rstest]
#[case::once("1", "it did not fail in 1 later run")]
#[case::several("3", "it did not fail in any of 3 later runs")]
#[conformance::test()]
fn a_page_says_that_a_case_did_not_fail(#[case] runs: &str, #[case] says: &str) -> Outcome {
    const CASE: &str = "sample::null_is_refused";
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran(CASE)?, Some(CASE), folder.path(), runs)?;
    let page = text.split(": ").nth(1).and_then(|files| files.trim().split(',').next()).unwrap_or_default();
    let page = fs::read_to_string(page).map_err(harness)?;
    let line = format!("- **Frequency** the case did not fail in the run of the report; {says}\n");
    check!(page.contains(&line), "{page}");
    Ok(())
}

/// The page counts the later runs that failed in another way than the run of the report.
#[rstest]
#[conformance::test()]
fn a_page_counts_the_later_runs_that_were_unlike() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::refused")?;
    let mut changed = run.report()?;
    changed.cases[0].failure = Some(Failure::of(Defect::Hang));
    fs::write(run.path(), changed.to_lines().map_err(harness)?).map_err(harness)?;
    report(&run, None, folder.path(), "2")?;
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    check!(page.contains(" (2 of 2 later runs were unlike the run of the report)"), "{page}");
    Ok(())
}

/// The page says if the later runs were on another library than that of the report, were without its fault, or failed in
/// another way.
#[rstest]
#[case::library(
    |report: &mut Report| report.run.driver.version = "0.0.1".to_owned(),
    "; the later runs were on another library: reference "
)]
#[case::fault(
    |report: &mut Report| {
        if let Some(host) = report.run.environment.as_mut().and_then(|environment| environment.host.as_mut()) {
            host.variables.insert("REFERENCE_DRIVER_FAULT".to_owned(), "close-does-nothing".to_owned());
        }
    },
    "; the later runs were without REFERENCE\\_DRIVER\\_FAULT=close-does-nothing, which the run of the report had"
)]
#[case::failure(
    |report: &mut Report| report.cases[0].failure = Some(Failure::of(Defect::Hang)),
    "; a later run failed in another way: exporter: cuIpcGetMemHandle returned CUDA\\_ERROR\\_INVALID\\_VALUE (1)"
)]
#[case::listed_failure(
    |report: &mut Report| {
        report.cases[0].verdict = Verdict::Deviation;
        report.cases[0].failure = Some(Failure::of(Defect::Hang));
    },
    "; a later run failed in another way: exporter: cuIpcGetMemHandle returned CUDA\\_ERROR\\_INVALID\\_VALUE (1)"
)]
#[case::after_a_disclosure(
    |report: &mut Report| {
        let case = &mut report.cases[0];
        (case.verdict, case.reason, case.failure, case.runs) = (Verdict::Pass, None, None, None);
        case.disclosures = vec!["a process reads memory of its neighbour".to_owned()];
    },
    "; it did not pass in 1 of 1 later runs; a later run failed: exporter: cuIpcGetMemHandle returned CUDA\\_ERROR\\_INVALID\\_VALUE (1)"
)]
#[conformance::test()]
fn a_page_says_how_later_runs_were_unlike(#[case] change: fn(&mut Report), #[case] says: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::refused")?;
    let mut changed = run.report()?;
    change(&mut changed);
    fs::write(run.path(), changed.to_lines().map_err(harness)?).map_err(harness)?;
    report(&run, None, folder.path(), "1")?;
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    let line = page.lines().find(|line| line.starts_with("- **Frequency** ")).unwrap_or_default();
    check!(line.contains("in 1 of 1 later runs") && line.contains(says), "{page}");
    check!(
        line.ends_with("; the steps and any program below are of such a run, not of the run of the report"),
        "{page}"
    );
    Ok(())
}

/// If nothing failed, the command says so and writes nothing.
#[rstest]
#[conformance::test()]
fn without_a_failure_there_is_no_report() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let output = folder.path().join("reports");
    let text = report(&ran("sample::null_is_refused")?, None, &output, "1")?;
    check!(text == "no case failed, is a listed deviation or disclosed memory\n", "{text}");
    check!(!output.exists(), "a folder was made");
    Ok(())
}

/// Several reports have an index, in which those with one cause are together, and which keeps those of an earlier call. A
/// name without parameters stands for all cases with this name, and an unknown name is an error.
#[rstest]
#[conformance::test()]
fn several_reports_have_an_index() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut command = suite("reference")?;
    command.env(PLANTED.0, PLANTED.1).args(["--seed", "1", "planted::refused", "planted::fail", "memory_has_its_size"]);
    let run = run(command)?;
    report(&run, None, folder.path(), "1")?;
    let index = fs::read_to_string(folder.path().join("index.md")).map_err(harness)?;
    for cause in ["## wrong code: cuIpcGetMemHandle returned", "- [planted::refused](planted-refused.md)"] {
        check!(index.contains(cause), "{cause} is not in {index}");
    }
    for file in index.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        check!(folder.path().join(file).exists(), "{file} does not exist");
    }
    let text = report(&run, Some("sample::memory_has_its_size"), folder.path(), "1")?;
    check!(
        text.lines().count() > 1 && text.lines().all(|line| line.starts_with("sample::memory_has_its_size/")),
        "{text}"
    );
    let index = fs::read_to_string(folder.path().join("index.md")).map_err(harness)?;
    for page in ["(planted-refused.md)", "(sample-memory_has_its_size-"] {
        check!(index.contains(page), "{page} is not in {index}");
    }
    let page = text.split(": ").nth(1).and_then(|files| files.split(',').next()).unwrap_or_default();
    let page = fs::read_to_string(page).map_err(harness)?;
    let documentation =
        "- **Documentation** cuda.h of CUDA 13.0 cuMemAlloc, https://docs.nvidia.com/cuda/cuda-driver-api/\n";
    check!(page.contains(documentation), "{page}");
    let (code, _, errors) = finish(conformance(&["report", &run.path().display().to_string(), "no_such_case"])?)?;
    check!(code == Some(2) && errors.contains("has no case called no_such_case"), "{code:?}: {errors}");
    Ok(())
}

/// A page names no simulated machine: a user chose its name, and the commands work without it.
#[rstest]
#[conformance::test()]
fn a_page_names_no_simulated_machine() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::refused")?;
    let mut command = conformance(&["report", "--runs", "1"])?;
    command
        .env(PLANTED.0, PLANTED.1)
        .env("REFERENCE_DRIVER_MACHINE", "of-alice")
        .env("REFERENCE_DRIVER_DEVICES", "")
        .env("REFERENCE_DRIVER_VERSION", "13.0");
    let (code, _, errors) = finish({
        command.arg(run.path()).arg("--output").arg(folder.path());
        command
    })?;
    check!(code == Some(0), "{code:?}: {errors}");
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    check!(page.contains("REFERENCE_DRIVER_VERSION=13.0") && !page.contains("alice"), "{page}");
    // An empty variable counts as unset, and the suite then makes the driver simulate two devices.
    check!(page.contains("REFERENCE_DRIVER_DEVICES=2 "), "{page}");
    Ok(())
}

/// A page names the fault of the interposer and the library behind it, if the driver is a library given by path.
#[rstest]
#[case::by_path(true)]
#[case::by_name(false)]
#[conformance::test()]
fn a_page_names_the_fault_of_the_interposer(#[case] is_by_path: bool) -> Outcome {
    let home = tempfile::tempdir().map_err(harness)?;
    let library = home.path().join("driver.so");
    std::os::unix::fs::symlink(reference()?, &library).map_err(harness)?;
    let path = library.to_str().ok_or(Stop::Harness("no UTF-8".to_owned()))?;
    let mut command = suite(if is_by_path { path } else { "reference" })?;
    command.env(PLANTED.0, PLANTED.1).args(["--seed", "1", "--exact", "planted::refused"]);
    let run = run(command)?;
    let mut command = conformance(&["report", "--runs", "1"])?;
    command.env("HOME", home.path()).env("FAULT_INTERPOSER_FAULT", "close-does-nothing");
    command.env("FAULT_INTERPOSER_LIBRARY", &library).env(PLANTED.0, PLANTED.1);
    let (code, _, errors) = finish({
        command.arg(run.path()).arg("--output").arg(home.path());
        command
    })?;
    check!(code == Some(0), "{code:?}: {errors}");
    let page = fs::read_to_string(home.path().join("planted-refused.md")).map_err(harness)?;
    let settings = "FAULT_INTERPOSER_FAULT=close-does-nothing FAULT_INTERPOSER_LIBRARY=~/driver.so ";
    let expected = if is_by_path { 2 } else { 0 };
    check!(page.matches(settings).count() == expected, "{page}");
    check!(is_by_path || !page.contains("FAULT_INTERPOSER"), "{page}");
    Ok(())
}

/// If nobody has the file in the home folder that a report names, the command says what `~` stands for.
#[rstest]
#[conformance::test()]
fn a_home_folder_of_another_has_to_be_named() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut report = ran("planted::refused")?.report()?;
    report.run.driver.given_path = Some("~/driver.so".to_owned());
    let path = folder.path().join("report");
    fs::write(&path, report.to_lines().map_err(harness)?).map_err(harness)?;
    let mut command = conformance(&["report"])?;
    command.env("HOME", "/nonexistent").arg(&path).arg("--output").arg(folder.path());
    let (code, _, errors) = finish(command)?;
    check!(code == Some(2) && errors.contains("/nonexistent/driver.so does not exist; set HOME to"), "{errors}");
    Ok(())
}

/// A driver in the home folder, which reports write as `~`, is found again, and the page's commands find it.
#[rstest]
#[conformance::test()]
fn a_driver_in_the_home_folder_is_found_again() -> Outcome {
    let home = tempfile::tempdir().map_err(harness)?;
    let library = home.path().join("my driver.so");
    std::os::unix::fs::symlink(reference()?, &library).map_err(harness)?;
    let mut command = suite(library.to_str().ok_or(Stop::Harness("no UTF-8".to_owned()))?)?;
    command.env("HOME", home.path()).env(PLANTED.0, PLANTED.1).args(["--seed", "1", "--exact", "planted::refused"]);
    let run = run(command)?;
    let mut command = conformance(&["report", "--runs", "2"])?;
    command.env("HOME", home.path()).env(PLANTED.0, PLANTED.1).arg(run.path()).arg("--output").arg(home.path());
    let (code, _, errors) = finish(command)?;
    check!(code == Some(0), "{code:?}: {errors}");
    let page = fs::read_to_string(home.path().join("planted-refused.md")).map_err(harness)?;
    for part in ["in 2 of 2 later runs", "--driver ~/'my driver.so' --seed 1"] {
        check!(page.contains(part), "{part} is not in {page}");
    }
    let line = page.lines().find(|line| line.starts_with("gcc ")).unwrap_or_default();
    let mut shell = without_settings(Path::new("sh"));
    let shell = shell.args(["-c", line]).current_dir(home.path()).env("HOME", home.path());
    let output = shell.stdin(Stdio::null()).output().map_err(harness)?;
    let text = String::from_utf8_lossy(&output.stdout);
    check!(output.status.code() == Some(1) && text.contains("cuIpcGetMemHandle"), "{line}: {output:?}");
    Ok(())
}

/// A damaged trace has no program, or another one: the command does not panic, whichever line is missing or has lost what is
/// in its lists and bytes.
#[rstest]
#[conformance::test()]
fn a_damaged_trace_is_no_reason_to_panic() -> Outcome {
    const CASE: &str = "planted::broken_context";
    let folder = tempfile::tempdir().map_err(harness)?;
    let [whole, damaged] = ["whole", "damaged"].map(|name| folder.path().join(name));
    let mut command = suite("reference")?;
    command
        .env(PLANTED.0, PLANTED.1)
        .env("CONFORMANCE_TRACE", &whole)
        .args(["--seed", "1", "--fresh", "--reruns", "0", "--exact", CASE]);
    let run = run(command)?;
    let lines = fs::read_to_string(&whole).map_err(harness)?;
    let lines: Vec<_> = lines.lines().collect();
    check!(lines.iter().any(|line| line.contains("cuLaunchKernel")), "the case launches no kernel");
    // One line of each kind, after a line of each kind: others differ in their numbers only.
    let mut kinds = BTreeSet::new();
    let mut before = String::new();
    for (place, line) in lines.iter().enumerate() {
        let kind = line.replace(|c: char| c.is_ascii_hexdigit(), "");
        if !kinds.insert((std::mem::replace(&mut before, kind.clone()), kind)) {
            continue;
        }
        let others = [without_lists(line), Some(without_bytes(line))].into_iter().flatten();
        let others = others.filter(|other| other != line).map(Some);
        for other in others.chain([None]) {
            let rest = lines.iter().enumerate().filter(|(at, _)| *at != place || other.is_some());
            let text: String = rest
                .map(|(at, line)| format!("{}\n", if at == place { other.as_deref().unwrap_or(line) } else { line }))
                .collect();
            fs::write(&damaged, text).map_err(harness)?;
            let mut command = conformance(&["report"])?;
            command
                .arg(run.path())
                .arg(CASE)
                .arg("--trace")
                .arg(&damaged)
                .arg("--output")
                .arg(folder.path().join("bugs"));
            let (code, _, errors) = finish(command)?;
            check!(code == Some(0), "line {}, {other:?}: {code:?}: {errors}", place + 1);
        }
    }
    Ok(())
}

/// Empties the list at the end of a line.
fn without_lists(line: &str) -> Option<String> {
    let lists = [r#""arguments":["#, r#""outputs":["#];
    let end = lists.iter().find_map(|list| Some(line.find(list)? + list.len()))?;
    Some(format!("{}]}}", &line[..end]))
}

/// Empties all texts of bytes in a line.
fn without_bytes(line: &str) -> String {
    let mut parts = line.split(r#""hex":""#);
    let first = parts.next().unwrap_or_default().to_owned();
    let after = |part: &str| part.trim_start_matches(|c: char| c.is_ascii_hexdigit()).to_owned();
    parts.fold(first, |text, part| text + r#""hex":""# + &after(part))
}

/// A driver of a relative path is found from every folder.
#[rstest]
#[conformance::test()]
fn a_driver_of_a_relative_path_is_found_again() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    std::os::unix::fs::symlink(reference()?, folder.path().join("driver.so")).map_err(harness)?;
    let mut command = suite("./driver.so")?;
    command.current_dir(folder.path()).env(PLANTED.0, PLANTED.1).args(["--seed", "1", "--exact", "planted::refused"]);
    report(&run(command)?, None, folder.path(), "1")?;
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    let whole = format!("--driver {}/driver.so --seed 1", folder.path().display());
    check!(page.contains(&whole), "{whole} is not in {page}");
    Ok(())
}

/// If the suite has no case of the name that a report has, the command says what the suite said.
#[rstest]
#[conformance::test()]
fn a_renamed_case_is_told() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut report = ran("planted::refused")?.report()?;
    report.cases[0].id = "planted::refuse".to_owned();
    let path = folder.path().join("report");
    fs::write(&path, report.to_lines().map_err(harness)?).map_err(harness)?;
    let mut command = conformance(&["report"])?;
    command.env(PLANTED.0, PLANTED.1).arg(&path).arg("--output").arg(folder.path());
    let (code, _, errors) = finish(command)?;
    let says = "no case is called `planted::refuse`; the closest is `planted::refused`";
    check!(code == Some(2) && errors.contains(says), "{code:?}: {errors}");
    Ok(())
}

/// The settings of whoever reports do not reach the run that is repeated: it would overwrite the report, or leave cases out.
#[rstest]
#[conformance::test()]
fn settings_do_not_reach_the_repeated_run() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::refused")?;
    let before = fs::read(run.path()).map_err(harness)?;
    let mut command = conformance(&["report", "--runs", "1"])?;
    command.env(PLANTED.0, PLANTED.1).arg(run.path()).arg("--output").arg(folder.path());
    command.env("CONFORMANCE_REPORT", run.path()).env("CONFORMANCE_LEVEL", "quick").env("CONFORMANCE_GPUS", "1");
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0) && text.contains("planted-refused.c"), "{code:?}: {text}{errors}");
    check!(fs::read(run.path()).map_err(harness)? == before, "the report was overwritten");
    let page = fs::read_to_string(folder.path().join("planted-refused.md")).map_err(harness)?;
    check!(page.contains("in 1 of 1 later runs"), "{page}");
    Ok(())
}

/// A case that the suite does not have has a page without a program, and stops no other page.
#[rstest]
#[conformance::test()]
fn a_renamed_case_stops_no_page() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::refused")?;
    let mut report = run.report()?;
    let mut renamed = report.cases[0].clone();
    renamed.id = "planted::refuse".to_owned();
    report.cases.insert(0, renamed);
    fs::write(run.path(), report.to_lines().map_err(harness)?).map_err(harness)?;
    let text = self::report(&run, None, folder.path(), "1")?;
    const WHY: &str = "no program: this suite has no case of that name: another version renamed or removed it\n";
    check!(text.contains(WHY) && text.contains("planted-refused.c"), "{text}");
    let page = fs::read_to_string(folder.path().join("planted-refuse.md")).map_err(harness)?;
    check!(page.contains("it did not run again") && page.contains("There is no program: this suite has no"), "{page}");
    Ok(())
}

/// Cases have files of their own, even if their names differ only in a sign, are very long, or are that of the index.
#[rstest]
#[conformance::test()]
fn each_case_has_files_of_its_own() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let run = ran("planted::refused")?;
    let mut report = run.report()?;
    let long = "long_".repeat(100);
    let others = ["planted/refused", "index", &long];
    for id in others {
        let mut other = report.cases[0].clone();
        other.id = id.to_owned();
        report.cases.push(other);
    }
    fs::write(run.path(), report.to_lines().map_err(harness)?).map_err(harness)?;
    let text = self::report(&run, None, folder.path(), "1")?;
    let mut pages = BTreeSet::new();
    for id in others.into_iter().chain(["planted::refused"]) {
        let files = text.lines().find_map(|line| line.strip_prefix(id)?.strip_prefix(": "));
        let file = files.and_then(|files| files.split(',').next()).unwrap_or_default();
        let page = fs::read_to_string(file).map_err(harness)?;
        check!(page.contains(&format!(" --exact {id}\n")), "{file} is the page of another case: {page}");
        check!(pages.insert(file), "{file} is the page of two cases");
    }
    let index = fs::read_to_string(folder.path().join("index.md")).map_err(harness)?;
    check!(index.starts_with("# Bug reports by cause\n"), "{index}");
    for file in index.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        check!(folder.path().join(file).exists(), "{file} does not exist");
    }
    Ok(())
}

/// A case that ended with an error of the harness has no page, and is named.
#[rstest]
#[conformance::test()]
fn a_case_of_which_nothing_is_known_is_named() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let text = report(&ran("planted::error")?, None, folder.path(), "1")?;
    let says = "planted::error ended with an error of the harness, so nothing is known of its rule: the case panicked: this case is wrong";
    check!(text.contains(says), "{text}");
    Ok(())
}

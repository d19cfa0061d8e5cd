//! `conformance score`: the declared faults, and invalid arguments. `.ci/run score` runs it on the suite.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use conformance::catalogue::{self, Class, Row};
use conformance::{Outcome, Verdict, check};
use rstest::rstest;

use crate::command::{conformance, finish, plain};
use crate::suite::harness;

/// Each fault has a unique name, rows that exist, and a sentence.
#[rstest]
#[case::reference("reference")]
#[case::system("system")]
#[conformance::test()]
fn faults_are_listed(#[case] driver: &str) -> Outcome {
    let (code, printed, errors) = finish(conformance(&["score", "--list", "--driver", driver])?)?;
    check!(code == Some(0), "{errors}");
    check!(printed.lines().any(|line| line.starts_with("close-ignores-the-count ")), "{printed}");
    let groups = catalogue::groups().map_err(harness)?;
    // A fault of the reference driver can violate a row that is not documented.
    let is_right = |id: &str| {
        let row = groups.iter().flat_map(|group| &group.row).find(|row| row.id == id);
        let is_checked = |row: &Row| matches!(row.class, Class::Documented | Class::Derived) && !row.cases.is_empty();
        row.is_some_and(|row| driver == "reference" || is_checked(row))
    };
    for line in printed.lines() {
        let is_row =
            |word: &&str| word.contains('-') && word.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric());
        let rows =
            line.split_whitespace().skip(1).take_while(is_row).take_while(|word| word.ends_with(char::is_numeric));
        for row in rows {
            check!(is_right(row), "the row {row} of {line} does not exist, has no case or is not documented");
        }
    }
    let mut names: Vec<_> = printed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    check!(names.len() == all, "two faults have one name");
    check!(printed.lines().all(|line| line.ends_with('.')), "a summary is not a sentence");
    Ok(())
}

/// The list as JSON has the faults of the text, in the same order.
#[rstest]
#[case::reference("reference")]
#[case::system("system")]
#[conformance::test()]
fn faults_are_listed_as_json(#[case] driver: &str) -> Outcome {
    let list = |more: &[&str]| finish(conformance(&[&["score", "--list", "--driver", driver], more].concat())?);
    let ((_, printed, _), (code, json, errors)) = (list(&[])?, list(&["--format", "json"])?);
    check!(code == Some(0), "{errors}");
    let json: serde_json::Value = serde_json::from_str(&json).map_err(harness)?;
    let faults: Vec<_> = json["faults"].as_array().into_iter().flatten().collect();
    let names: Vec<_> = faults.iter().filter_map(|fault| fault["name"].as_str()).collect();
    let told: Vec<_> = printed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    check!(!names.is_empty() && names == told, "{names:?}");
    let is_whole = |fault: &&serde_json::Value| fault["rows"].is_array() && fault["summary"].is_string();
    check!(faults.iter().all(is_whole), "{json:#}");
    Ok(())
}

/// A sample has about a fourth of the faults, and no others.
#[rstest]
#[conformance::test()]
fn a_sample_has_about_a_fourth_of_the_faults() -> Outcome {
    let list = |more: &[&str]| finish(conformance(&[&["score", "--list"], more].concat())?);
    let ((_, all, _), (code, sample, errors)) = (list(&[])?, list(&["--sample"])?);
    check!(code == Some(0), "{errors}");
    let all: Vec<_> = all.lines().collect();
    check!(sample.lines().all(|fault| all.contains(&fault)), "{sample}");
    let count = sample.lines().count();
    check!((all.len() / 5..all.len() / 3).contains(&count), "{count} of {}", all.len());
    Ok(())
}

/// A variable that changes the suite or the driver is refused, with the command that works.
#[rstest]
#[case::profile("REFERENCE_DRIVER_PROFILE", "orin")]
#[case::fault("REFERENCE_DRIVER_FAULT", "close-does-nothing")]
#[case::devices("CUDA_VISIBLE_DEVICES", "0")]
#[case::cases("CONFORMANCE_CASES", "file")]
#[conformance::test()]
fn variables_that_change_the_score_are_refused(#[case] name: &str, #[case] value: &str) -> Outcome {
    let mut command = conformance(&["score", "close-ignores-the-count"])?;
    command.env(name, value);
    let place = command.get_program().to_owned();
    let (code, _, errors) = finish(command)?;
    let again = format!(": run env -u {name} {} score close-ignores-the-count\n", place.to_string_lossy());
    check!(code == Some(2) && errors.contains(&again), "{code:?}: {errors}");
    Ok(())
}

/// A name that selects no fault, and a list of survivors that cannot be right, are refused.
#[rstest]
#[case::fault(&["score", "no-such-fault"], "no fault is called `no-such-fault`")]
#[case::empty(&["score", ""], "no fault is called ``")]
#[case::auto(&["score", "--driver", "auto"], "--driver auto: choose reference, system or the path of a library")]
#[case::library(&["score", "--driver", "/nonexistent"], "--driver /nonexistent: the file does not exist")]
#[case::file(&["score", "close-ignores", "--survivors", "/nonexistent"], "cannot read /nonexistent")]
#[case::model(
    &["score", "--models", "runtime-close-does-nothing"],
    "no model looks for these faults: the models look for faults whose first row is of IPCMEM, IPCEVT, VMM or POOL\n"
)]
#[conformance::test()]
fn unknown_names_are_refused(#[case] arguments: &[&str], #[case] says: &str) -> Outcome {
    let (code, _, errors) = finish(conformance(arguments)?)?;
    check!(code == Some(2) && errors.contains(says), "{code:?}: {errors}");
    Ok(())
}

/// A fault survives only if the cases of its row ended. If they could not run, the score is an error.
#[rstest]
#[case::failed(Some(Verdict::Fail), 0, "  all               1 of    1\n")]
#[case::passed(Some(Verdict::Pass), 1, "survived: no case noticed (1):")]
#[case::could_not_run(Some(Verdict::Error), 2, "FIRST cannot run with the fault close-ignores-the-count: no memory")]
#[case::left_out(None, 2, "FIRST cannot run with the fault close-ignores-the-count: it is not in the report")]
#[conformance::test()]
fn cases_that_cannot_run_prove_nothing(
    #[case] verdict: Option<Verdict>,
    #[case] exit: i32,
    #[case] says: &str,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let groups = catalogue::groups().map_err(harness)?;
    let row = groups.iter().flat_map(|group| &group.row).find(|row| row.id == "IPCMEM-CLOSE-002");
    let names = row.map(|row| row.cases.clone()).unwrap_or_default();
    let mut sound = plain("580.1", names.len());
    for (case, name) in sound.cases.iter_mut().zip(&names) {
        case.id.clone_from(name);
    }
    let mut faulty = sound.clone();
    match verdict {
        Some(verdict) => faulty.cases.iter_mut().for_each(|case| {
            case.verdict = verdict;
            case.reason = Some("no memory".to_owned());
        }),
        None => faulty.cases.clear(),
    }
    // A suite that runs nothing, and writes one of the two reports.
    let suite = folder.path().join("suite");
    let script = "#!/bin/sh\nwhile [ \"$1\" != --report ]; do shift; done\n\
                  cp \"$(dirname \"$0\")/${REFERENCE_DRIVER_FAULT:-sound}\" \"$2\"\n";
    std::fs::write(&suite, script).map_err(harness)?;
    std::fs::set_permissions(&suite, PermissionsExt::from_mode(0o755)).map_err(harness)?;
    for (name, report) in [("sound", &sound), ("close-ignores-the-count", &faulty)] {
        std::fs::write(folder.path().join(name), report.to_lines().map_err(harness)?).map_err(harness)?;
    }
    let mut command = conformance(&["score", "close-ignores-the-count"])?;
    command.env("CONFORMANCE_SUITE", &suite);
    let (code, printed, errors) = finish(command)?;
    // A score names the first case of the row.
    let says = says.replace("FIRST", names.first().map_or("", String::as_str));
    check!(code == Some(exit) && format!("{printed}{errors}").contains(&says), "{code:?}: {printed}{errors}");
    Ok(())
}

/// Without a fault, nothing runs beside the suite, and no case beside another, because some cases read the free memory.
#[rstest]
#[conformance::test()]
fn the_run_without_a_fault_is_alone() -> Outcome {
    const FAULT: &str = "access-flags-are-always-3";
    let folder = tempfile::tempdir().map_err(harness)?;
    for name in ["libfault_interposer.so", "driver.so"] {
        std::fs::write(folder.path().join(name), "").map_err(harness)?;
    }
    // A suite that runs nothing, and keeps its arguments.
    let suite = folder.path().join("suite");
    let script = "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/${FAULT_INTERPOSER_FAULT:-sound}\"\n\
                  while [ \"$1\" != --report ]; do shift; done\ncp \"$(dirname \"$0\")/report\" \"$2\"\n";
    std::fs::write(&suite, script).map_err(harness)?;
    std::fs::set_permissions(&suite, PermissionsExt::from_mode(0o755)).map_err(harness)?;
    let report = plain("580.1", 1).to_lines().map_err(harness)?;
    std::fs::write(folder.path().join("report"), report).map_err(harness)?;
    let mut command = conformance(&["score", FAULT, "--jobs", "2", "--driver"])?;
    command.arg(folder.path().join("driver.so")).env("CONFORMANCE_SUITE", &suite);
    let (code, printed, errors) = finish(command)?;
    for (run, has_threads) in [("sound", false), (FAULT, true)] {
        let arguments = std::fs::read_to_string(folder.path().join(run));
        let arguments = arguments.map_err(|error| harness(format!("{run}: {error}; {code:?}: {printed}{errors}")))?;
        check!(arguments.contains("--test-threads") == has_threads, "{run}: {arguments}");
    }
    Ok(())
}

/// The table of the models in the documentation is that of the faults that they were seen to find.
#[rstest]
#[conformance::test()]
fn the_documented_table_of_the_models_is_that_of_the_list() -> Outcome {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let file = format!("{root}/conformance/found-by-models.txt");
    let (code, table, errors) = finish(conformance(&["score", "--models", "--found", &file, "--table"])?)?;
    check!(code == Some(0) && table.contains("| `model::legacy_memory` | IPCMEM |"), "{table}{errors}");
    let page = std::fs::read_to_string(format!("{root}/docs/how-we-know.md")).map_err(harness)?;
    check!(page.contains(&table), "docs/how-we-know.md needs this table:\n{table}");
    Ok(())
}

/// The table of the score in the documentation counts every declared fault, and those that are known to survive.
#[rstest]
#[conformance::test()]
fn the_documented_table_of_the_score_counts_every_fault() -> Outcome {
    let (code, faults, errors) = finish(conformance(&["score", "--list"])?)?;
    check!(code == Some(0), "{errors}");
    let read =
        |file: &str| std::fs::read_to_string(format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"))).map_err(harness);
    let (page, survivors) = (read("docs/how-we-know.md")?, read("conformance/survivors.txt")?);
    let survivors = survivors.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    let mut groups = BTreeMap::from([("all", 0)]);
    for line in faults.lines() {
        // A fault counts in the group of its first row.
        let row = line.split_whitespace().nth(1).unwrap_or_default();
        *groups.entry(row.split('-').next().unwrap_or_default()).or_insert(0) += 1;
        *groups.entry("all").or_insert(0) += 1;
    }
    for (group, count) in &groups {
        let is_row = |line: &str| line.starts_with(&format!("| {group} |")) && line.contains(&format!("| {count} |"));
        check!(page.lines().any(is_row), "docs/how-we-know.md needs {count} faults of {group}");
    }
    let killed = groups["all"] - survivors;
    check!(page.contains(&format!("| {killed} |")), "docs/how-we-know.md needs {killed} killed faults");
    Ok(())
}

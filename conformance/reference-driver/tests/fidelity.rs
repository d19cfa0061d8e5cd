//! Compares the reference driver with a real one. Every line that the probe prints must be as an H200 printed it,
//! except for the lines in `fidelity/differences.toml`.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use common::{library, runtime_library};

/// The result of each line, by the name of the line.
type Answers = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    says: String,
    #[serde(default)]
    answers: Vec<String>,
    /// `case: text`: what the golden record of the GPU has for a case of the conformance suite.
    #[serde(default)]
    observed: Vec<String>,
    /// `file: test` of this package.
    #[serde(default)]
    held_by: Vec<String>,
    unasked: Option<String>,
    otherwise: Option<String>,
    differs: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Differences {
    difference: Vec<Difference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    lines: Vec<String>,
    h200: String,
    reference: String,
    reason: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fidelity")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn table<T: DeserializeOwned>(name: &str) -> T {
    toml::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn answers<'a>(lines: impl Iterator<Item = &'a str>) -> Answers {
    let mut answers = Answers::new();
    for line in lines {
        let (name, answer) =
            line.split_once(": ").unwrap_or_else(|| panic!("`{line}` is not of the form `name: result`"));
        let before = answers.insert(name.to_owned(), answer.to_owned());
        assert!(before.is_none_or(|before| before == answer), "line `{name}` has two different results");
    }
    answers
}

fn statements() -> Vec<Statement> {
    table::<BTreeMap<String, Vec<Statement>>>("h200.toml").into_values().flatten().collect()
}

/// The lines of the statements. One with `otherwise` was corrected, so that any other statement of a line decides.
fn stated() -> Answers {
    let statements = statements();
    let of = |is_corrected: bool| {
        let chosen = statements.iter().filter(move |statement| statement.otherwise.is_some() == is_corrected);
        answers(chosen.flat_map(|statement| &statement.answers).map(String::as_str))
    };
    let mut all = of(true);
    all.extend(of(false));
    all
}

fn recorded() -> Answers {
    answers(text("h200-580.159.04.txt").lines())
}

/// Returns the expected lines: those of the recording, and those of `h200.toml` that the recording lacks.
fn h200() -> Answers {
    let mut answers = stated();
    answers.extend(recorded());
    answers
}

/// Returns the entry of a table for a line. If the table has no entry for `cross NAME`, this is the entry for `NAME`.
fn of<'a, T>(table: &'a BTreeMap<String, T>, line: &str) -> Option<(&'a String, &'a T)> {
    table.get_key_value(line).or_else(|| table.get_key_value(line.strip_prefix("cross ")?))
}

/// Compiles the probe, and returns the lines that it prints with this driver on a machine of two devices.
fn probe() -> Answers {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let program = scratch.path().join("probe");
    let files = std::fs::read_dir(folder().join("probe")).expect("the probe's folder");
    let sources =
        files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some_and(|kind| kind == "c"));
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let compiler = cc::Build::new().cargo_metadata(false).opt_level(1).target(&target).host(&target).get_compiler();
    let mut command = Command::new(compiler.path());
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]).args(sources).arg("-o").arg(&program);
    let compiled = command.arg("-ldl").output().expect("the C compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut command = Command::new(program);
    command.env("REFERENCE_DRIVER_MACHINE", format!("fidelity-{}", std::process::id()));
    command.env("CUDA_IPC_RUNTIME", runtime_library());
    let output = command.arg(library()).env("REFERENCE_DRIVER_DEVICES", "2").output().expect("the probe starts");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    answers(String::from_utf8(output.stdout).expect("the probe prints text").lines())
}

#[test]
fn every_statement_is_asked_or_says_why_not() {
    for Statement { says, answers, observed, held_by, unasked, otherwise, differs } in statements() {
        let ways = [!answers.is_empty(), !observed.is_empty(), !held_by.is_empty(), unasked.is_some()];
        let ways = ways.into_iter().filter(|is_used| *is_used).count();
        assert_eq!(ways, 1, "`{says}` must have one of `answers`, `observed`, `held_by` and `unasked`");
        for reason in [&unasked, &otherwise, &differs].into_iter().flatten() {
            assert!(!reason.is_empty(), "`{says}` has an empty `unasked`, `otherwise` or `differs`");
        }
        // Lines that differ are in `differences.toml`.
        assert!(differs.is_none() || answers.is_empty(), "`{says}` has both `answers` and `differs`");
    }
}

/// The cases of the catalogue, without their parameters.
fn cases() -> BTreeSet<String> {
    #[derive(Deserialize)]
    struct Group {
        row: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        #[serde(default)]
        cases: Vec<String>,
    }
    let files = std::fs::read_dir(folder().join("../../requirements")).expect("the catalogue");
    let files = files.map(|file| file.expect("a file").path()).filter(|path| path.extension() == Some("toml".as_ref()));
    let text = |path: PathBuf| std::fs::read_to_string(path).expect("a group of rows");
    files.flat_map(|path| toml::from_str::<Group>(&text(path)).expect("rows").row).flat_map(|row| row.cases).collect()
}

#[test]
fn what_cases_observed_is_in_the_golden_record() {
    let record = text("../../records/nvidia-580.159.04-h200-x2.jsonl");
    let cases = cases();
    for Statement { says, observed, .. } in statements() {
        for entry in observed {
            let (case, seen) = entry.split_once(": ").expect("`case: text`");
            assert!(cases.contains(case.split('/').next().expect("a name")), "`{says}`: no row has the case {case}");
            let line = record.lines().find(|line| line.contains(&format!("\"id\":\"{case}\"")));
            let line = line.unwrap_or_else(|| panic!("`{says}`: the record lacks the case {case}"));
            assert!(line.contains(seen), "`{says}`: the record of {case} lacks `{seen}`: {line}");
        }
    }
}

#[test]
fn the_tests_that_hold_a_statement_exist() {
    for Statement { says, held_by, .. } in statements() {
        for entry in held_by {
            let (file, test) = entry.split_once(": ").expect("`file: test`");
            let source = text(&format!("../tests/{file}"));
            assert!(source.contains(&format!("fn {test}()")), "`{says}`: tests/{file} has no test {test}");
        }
    }
}

#[test]
fn the_recording_agrees_with_the_statements_but_where_it_is_stated() {
    let recorded = recorded();
    for Statement { says, answers: lines, otherwise, .. } in statements() {
        let stated = answers(lines.iter().map(String::as_str));
        let differing: Answers = recorded
            .iter()
            .filter(|(line, answer)| stated.get(*line).is_some_and(|stated| stated != *answer))
            .map(|(line, answer)| (line.clone(), answer.clone()))
            .collect();
        assert_eq!(
            !differing.is_empty(),
            otherwise.is_some(),
            "`{says}` must have `otherwise` if the recording differs, and only then; it differs in {differing:?}"
        );
    }
}

#[test]
fn the_driver_answers_as_an_h200_but_where_it_is_stated() {
    let Differences { difference } = table("differences.toml");
    let mut differences = BTreeMap::new();
    for Difference { lines, h200, reference, reason } in difference {
        assert!(!reason.is_empty(), "the difference of {lines:?} has an empty reason");
        differences.extend(lines.into_iter().map(|line| (line, (h200.clone(), reference.clone()))));
    }
    let (h200, found) = (h200(), probe());
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for (line, answer) in &found {
        let Some((_, expected)) = of(&h200, line) else {
            failures.push(format!("`{line}: {answer}` is new: neither the recording nor h200.toml has this line"));
            continue;
        };
        if answer == expected {
            continue;
        }
        match of(&differences, line) {
            Some((entry, (before, now))) if (before, now) == (expected, answer) => _ = seen.insert(entry),
            listed => {
                failures.push(format!("`{line}`: {answer}, on an H200 {expected}; in differences.toml {listed:?}"))
            }
        }
    }
    let unseen = differences.keys().filter(|entry| !seen.contains(entry));
    failures.extend(unseen.map(|entry| format!("`{entry}` is in differences.toml, but does not differ in this way")));
    let unasked = h200.keys().filter(|line| !found.contains_key(*line));
    failures
        .extend(unasked.map(|line| format!("the probe does not print `{line}`, which the recording or h200.toml has")));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

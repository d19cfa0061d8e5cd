//! The driver beside a real one: what the probe's C program prints with it is what it printed on an H200, but for the
//! lines of `fidelity/differences.toml`.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use common::library;

const RECORD: &str = include_str!("../fidelity/h200-580.159.04.txt");
const DIFFERENCES: &str = include_str!("../fidelity/differences.toml");

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

/// The output of the probe, compiled here, with this driver.
fn probe() -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("probe");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fidelity/probe.c");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let compiler = cc::Build::new().cargo_metadata(false).opt_level(1).target(&target).host(&target).get_compiler();
    let mut command = Command::new(compiler.path());
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]).arg(source).arg("-o").arg(&program).arg("-ldl");
    let compiled = command.output().expect("the C compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let machine = format!("fidelity-{}", std::process::id());
    let output = Command::new(program).arg(library()).env("REFERENCE_DRIVER_MACHINE", machine).output();
    let output = output.expect("the probe starts");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the probe prints text")
}

/// The answers by line. A name may come several times.
fn answers(text: &str) -> Vec<(&str, &str)> {
    text.lines().map(|line| line.split_once(": ").expect("a name and an answer")).collect()
}

#[test]
fn the_driver_answers_as_an_h200_but_where_it_is_stated() {
    let differences: Differences = toml::from_str(DIFFERENCES).expect("differences.toml");
    let mut stated = BTreeMap::new();
    for Difference { lines, h200, reference, reason } in &differences.difference {
        assert!(!reason.is_empty(), "{lines:?} has no reason");
        for line in lines {
            stated.insert(line.as_str(), (h200.as_str(), reference.as_str()));
        }
    }
    let output = probe();
    let (recorded, found) = (answers(RECORD), answers(&output));
    let names = |answers: &[(&str, &str)]| answers.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&recorded), names(&found), "the record is of another probe");
    let differ = |((name, recorded), (_, found)): (&(&'static str, &'static str), &(&str, &str))| {
        (recorded != found).then(|| (*name, (*recorded, (*found).to_owned())))
    };
    let differing: BTreeMap<_, _> = recorded.iter().zip(&found).filter_map(differ).collect();
    let stated: BTreeMap<_, _> =
        stated.into_iter().map(|(name, (h200, reference))| (name, (h200, reference.to_owned()))).collect();
    assert_eq!(differing, stated, "left what differs, right what differences.toml states");
}

//! The first program of the README: it is what the examples contain, and it runs.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn example(name: &str, socket: &Path) -> Command {
    let test = std::env::current_exe().expect("a test executable has a path");
    let profile = test.parent().and_then(Path::parent).expect("the test is in target/<profile>/deps");
    let mut command = Command::new(profile.join("examples").join(name));
    command.arg(socket).env("CUDA_IPC_DRIVER", common::device().driver().path());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn source(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<_> = text.lines().skip_while(|line| line.starts_with("//!") || line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn it_is_in_the_examples() {
    const MOST_LINES: usize = 20;
    let readme = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for name in ["exporter.rs", "importer.rs"] {
        let code = source(name);
        assert!(readme.contains(&format!("```rust,no_run\n{code}\n```")), "the README lacks {name}:\n{code}");
        assert!(!code.contains("unsafe"), "{name}");
        assert!(code.lines().count() <= MOST_LINES, "{name} has {} lines", code.lines().count());
    }
}

fn without_comment(line: &str) -> &str {
    line.split_once(" //").map_or(line, |(code, _)| code)
}

/// The README of the repository shows the lines that matter.
#[test]
fn its_excerpt_is_in_the_examples() {
    let readme = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let (_, section) = readme.split_once("\n## Share GPU memory\n").expect("the section");
    let (_, begun) = section.split_once("\n```rust\n").expect("a block of code");
    let (excerpt, _) = begun.split_once("\n```\n").expect("the block ends");
    assert!(!excerpt.contains("unsafe"), "{excerpt}");
    let code = ["exporter.rs", "importer.rs"].map(source).concat();
    let lines: Vec<_> = code.lines().map(|line| without_comment(line).trim()).collect();
    for line in excerpt.lines().filter(|line| !line.is_empty()).map(without_comment) {
        assert!(lines.contains(&line), "neither example has the line {line:?}");
    }
}

#[test]
fn it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    // The importer waits for the exporter.
    let importer = example("importer", &socket).spawn().expect("`cargo test -p cuda-ipc` builds the examples");
    let exporter = example("exporter", &socket).output().unwrap();
    assert_eq!(said(&exporter), "sent\n");
    assert_eq!(said(&importer.wait_with_output().unwrap()), "[1.0, 2.0, 3.0]\n");
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

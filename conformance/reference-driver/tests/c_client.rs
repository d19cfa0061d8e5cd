//! A program in C, compiled by the test, that uses the library as its driver.

mod common;
#[path = "common/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use common::library;
use program::compiled;

const HANDLES: usize = 128;

/// Returns a command that runs the client, which is compiled once.
fn client() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| compiled("client"));
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(role: &str) -> Child {
    client().arg(library()).arg(role).spawn().expect("the client starts")
}

fn said_ok(output: &Output) -> bool {
    output.status.success() && output.stdout.ends_with(b"ok\n") && output.stderr.is_empty()
}

/// Reads the handles of an exporter that keeps running.
fn handles_of(exporter: &mut Child) -> [u8; HANDLES] {
    let mut handles = [0; HANDLES];
    let read = exporter.stdout.as_mut().expect("it is a pipe").read_exact(&mut handles);
    if read.is_err() {
        let mut message = String::new();
        exporter.stderr.as_mut().expect("it is a pipe").read_to_string(&mut message).expect("it is text");
        panic!("the exporter ended early: {message}");
    }
    handles
}

fn shared_files() -> BTreeSet<OsString> {
    fs::read_dir("/dev/shm").expect("Linux has it").flatten().map(|entry| entry.file_name()).collect()
}

/// Returns the paths that a process maps or has open, which other processes could see.
fn paths_of(process: u32) -> Vec<String> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).expect("the process lives");
    let mapped = maps.lines().filter_map(|line| Some(line.get(line.find('/')?..)?.to_owned()));
    let open = fs::read_dir(format!("/proc/{process}/fd")).expect("the process lives").flatten();
    let open = open.filter_map(|entry| Some(fs::read_link(entry.path()).ok()?.display().to_string()));
    mapped.chain(open).collect()
}

#[test]
fn two_processes_share_memory_and_an_event() {
    let output = client().arg(library()).output().expect("the client runs");
    assert!(said_ok(&output), "{output:?}");
}

#[test]
fn an_importer_outlives_a_killed_exporter_of_which_nothing_is_left() {
    let before = shared_files();
    let mut exporter = start("export");
    let handles = handles_of(&mut exporter);
    let mut importer = start("watch");
    let mut to_importer = importer.stdin.take().expect("it is a pipe");
    to_importer.write_all(&handles).expect("the importer reads its input");
    let mut from_importer = BufReader::new(importer.stdout.take().expect("it is a pipe"));
    let mut line = String::new();
    from_importer.read_line(&mut line).expect("it is text");
    assert_eq!(line, "open\n", "{:?}", importer.wait_with_output());

    let paths = paths_of(exporter.id());
    assert!(paths.iter().any(|path| path.starts_with("/memfd:")), "{paths:?}");
    assert!(!paths.iter().any(|path| path.starts_with("/dev/shm")), "{paths:?}");
    exporter.kill().expect("it lives");
    exporter.wait().expect("it is our child");
    let left: Vec<_> = shared_files().difference(&before).cloned().collect();
    assert!(left.is_empty(), "{left:?}");

    to_importer.write_all(b"\n").expect("the importer reads its input");
    line.clear();
    from_importer.read_line(&mut line).expect("it is text");
    let output = importer.wait_with_output().expect("it is our child");
    assert!(output.status.success() && line == "ok\n", "{line:?} {output:?}");
}

#[test]
fn a_handle_of_a_killed_exporter_does_not_open() {
    let mut exporter = start("export");
    let handles = handles_of(&mut exporter);
    exporter.kill().expect("it lives");
    exporter.wait().expect("it is our child");
    let mut importer = start("watch");
    importer.stdin.take().expect("it is a pipe").write_all(&handles).expect("the importer reads its input");
    let output = importer.wait_with_output().expect("it is our child");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        message.contains("cuIpcOpenMemHandle(") && message.contains("CUDA_ERROR_INVALID_HANDLE (400)"),
        "{message}"
    );
}

#[test]
fn the_client_names_the_call_that_fails() {
    let mut hidden = client();
    let output = hidden.arg(library()).env("CUDA_VISIBLE_DEVICES", "").output().expect("the client runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(message.contains("cuInit(0): CUDA_ERROR_NO_DEVICE (100)"), "{message}");
}

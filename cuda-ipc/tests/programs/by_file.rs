//! The examples `producer` and `consumer`, which share memory by a file: each exit code, and a SIGKILL at each step.

use std::fs::{self, File};
use std::io::PipeWriter;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::liveness::FileLease;
use rstest::rstest;
use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;

use crate::peer::LONG;
use crate::program::{Ended, Program, Running};

const ARRIVED: &str = "262144 numbers: all arrived\n";

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
    let path = folder.path().join("ticket");
    (folder, path)
}

fn producer(path: &Path, arguments: &[&str]) -> (Running, PipeWriter) {
    let (mut producer, input) =
        Program::new("producer").arguments(&[path.to_str().unwrap()]).arguments(arguments).start();
    assert_eq!(producer.hear(""), format!("262144 numbers, with their ticket in {}", path.display()));
    (producer, input)
}

fn consumer(path: &Path, arguments: &[&str]) -> Program {
    Program::new("consumer").arguments(&[path.to_str().unwrap()]).arguments(arguments)
}

fn assert_ended(ended: Ended, expected: i32, told: &str) {
    let Ended { code, said, errors } = ended;
    assert_eq!(code, Some(expected), "{said}{errors}");
    assert!(format!("{said}{errors}").contains(told), "{said}{errors}");
    assert_eq!(said == ARRIVED, expected == 0, "{said}{errors}");
}

/// Waits until something is so in another process.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::yield_now();
    }
}

fn wait_until_it_watches(process: u32, folder: &Path) {
    let watch = format!("ino:{:x} ", fs::metadata(folder).unwrap().ino());
    let watches = |entry: fs::DirEntry| fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(&watch));
    let descriptors = PathBuf::from(format!("/proc/{process}/fdinfo"));
    wait_until("it never watched the folder", || {
        fs::read_dir(&descriptors).unwrap().any(|entry| watches(entry.unwrap()))
    });
}

/// A driver that does not load before the gate is dropped: a named pipe. Then it turns out to be none.
struct Gate {
    path: PathBuf,
}

impl Gate {
    fn new(folder: &TempDir) -> Self {
        let path = folder.path().join("driver");
        mkfifoat(CWD, &path, Mode::RWXU).unwrap();
        Self { path }
    }

    fn before(&self, program: Program) -> Program {
        program.variable("CUDA_IPC_DRIVER", self.path.to_str().unwrap())
    }

    /// Waits until a program loads the driver. It does not go on before the returned end is closed.
    fn wait(&self) -> File {
        let open = || fs::OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(&self.path);
        let mut end = None;
        wait_until("no program loads the driver", || {
            end = open().ok();
            end.is_some()
        });
        end.unwrap()
    }

    /// Lets the program go on, which finds no driver.
    fn open(&self, end: File) {
        // The program looks at the file again, which would wait for another end.
        fs::remove_file(&self.path).unwrap();
        drop(end);
    }
}

#[test]
fn a_consumer_that_is_first_waits_for_the_producer() {
    let (folder, path) = folder();
    let (consumer, _input) = consumer(&path, &["--wait", "30"]).start();
    wait_until_it_watches(consumer.id(), folder.path());
    let (producer, input) = producer(&path, &[]);
    assert_ended(consumer.end(), 0, ARRIVED);
    drop(input);
    let Ended { code, said, errors } = producer.end();
    assert_eq!((code, &*said), (Some(0), "freed\n"), "{errors}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no file is left");
}

#[test]
fn consumers_that_are_later_find_the_producer() {
    let (_folder, path) = folder();
    let (_producer, _input) = producer(&path, &["--pattern", "fibonacci"]);
    for _ in 0..2 {
        assert_ended(consumer(&path, &["--wait", "0", "--pattern", "fibonacci"]).run(), 0, ARRIVED);
    }
}

#[test]
fn without_a_file_the_code_is_2() {
    let (_folder, path) = folder();
    let begin = Instant::now();
    assert_ended(consumer(&path, &["--wait", "0.2"]).run(), 2, &format!("{}: no file after 200ms", path.display()));
    assert!(begin.elapsed() >= Duration::from_millis(200));
}

#[test]
fn with_a_file_that_nobody_owns_the_code_is_3() {
    let (_folder, path) = folder();
    fs::write(&path, "CUDA-IPC").unwrap();
    assert_ended(consumer(&path, &["--wait", "0"]).run(), 3, "no living process owns the file");
}

#[test]
fn the_file_of_a_killed_producer_is_stale_and_is_replaced() {
    let (_folder, path) = folder();
    let (mut killed, _input) = producer(&path, &[]);
    killed.kill();
    assert!(path.exists());
    assert_ended(consumer(&path, &["--wait", "0.1"]).run(), 3, "and none came within 100ms");
    // One that waits with the stale file before its eyes gets the ticket of the next.
    let (waiting, _input) = consumer(&path, &["--wait", "30"]).start();
    wait_until_it_watches(waiting.id(), path.parent().unwrap());
    let (_producer, _input) = producer(&path, &[]);
    assert_ended(waiting.end(), 0, ARRIVED);
}

fn garbage(_: Vec<u8>) -> Vec<u8> {
    b"not even the first letter".to_vec()
}

fn nothing(_: Vec<u8>) -> Vec<u8> {
    Vec::new()
}

fn truncated(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.pop();
    bytes
}

fn damaged(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[130] ^= 1; // A bit of the handle. A driver may open it, as other memory.
    bytes
}

fn of_another_version(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[8] += 1;
    bytes
}

#[rstest]
#[case::garbage(garbage, "not a ticket")]
#[case::nothing(nothing, "the ticket is truncated: 0 of at least")]
#[case::truncated(truncated, "the ticket is truncated")]
#[case::damaged(damaged, "checksum does not match")]
#[case::of_another_version(of_another_version, "a newer release of cuda-ipc wrote")]
fn with_bytes_that_are_no_ticket_the_code_is_4(#[case] change: fn(Vec<u8>) -> Vec<u8>, #[case] told: &str) {
    let (folder, path) = folder();
    let (_producer, _input) = producer(&path, &[]);
    let other = folder.path().join("other");
    let _lease = FileLease::publish(&other, &change(fs::read(&path).unwrap())).unwrap();
    assert_ended(consumer(&other, &["--wait", "0"]).run(), 4, told);
}

#[test]
fn with_other_numbers_the_code_is_5() {
    let (_folder, path) = folder();
    let (_producer, _input) = producer(&path, &["--pattern", "powers"]);
    assert_ended(consumer(&path, &["--pattern", "fibonacci"]).run(), 5, "number 0 is 1, expected 0");
    assert_ended(consumer(&path, &["--pattern", "powers"]).run(), 0, ARRIVED);
}

#[rstest]
#[case::no_path(&[], "the path of the file is missing")]
#[case::no_value(&["ticket", "--wait"], "--wait needs a value")]
#[case::no_number(&["ticket", "--wait", "soon"], "invalid float literal")]
#[case::no_time(&["ticket", "--wait", "-1"], "negative")]
#[case::no_pattern(&["ticket", "--pattern", "primes"], "expected fibonacci or powers")]
#[case::no_option(&["ticket", "--weight", "1"], "unknown option --weight")]
fn with_wrong_arguments_the_code_is_1(
    #[values("producer", "consumer")] program: &str,
    #[case] arguments: &[&str],
    #[case] told: &str,
) {
    assert_ended(Program::new(program).arguments(arguments).run(), 1, told);
}

#[test]
fn a_second_producer_is_refused() {
    let (_folder, path) = folder();
    let (_producer, _input) = producer(&path, &[]);
    let second = Program::new("producer").arguments(&[path.to_str().unwrap(), "--pattern", "powers"]).run();
    assert_ended(second, 1, "another process owns this file");
    assert_ended(consumer(&path, &[]).run(), 0, ARRIVED);
}

#[test]
fn a_producer_that_is_killed_before_its_file_leaves_none() {
    let (folder, path) = folder();
    let gate = Gate::new(&folder);
    let (mut producer, _input) = gate.before(Program::new("producer").arguments(&[path.to_str().unwrap()])).start();
    let _end = gate.wait();
    producer.kill();
    assert_ended(consumer(&path, &["--wait", "0"]).run(), 2, "no file");
}

/// The consumer has the ticket, and waits at the gate until the producer's end.
#[rstest]
#[case::killed_while_it_serves(false)]
#[case::killed_while_it_withdraws(true)]
fn what_was_read_of_a_killed_producer_is_not_believed(#[case] withdraws: bool) {
    let (folder, path) = folder();
    let gate = Gate::new(&folder);
    let (mut producer, input) = producer(&path, &[]);
    let (consumer, _input) = gate.before(consumer(&path, &["--wait", "0"])).start();
    let end = gate.wait();
    if withdraws {
        drop(input);
        wait_until("the producer never withdraws its file", || !path.exists());
    }
    producer.kill();
    gate.open(end);
    assert_ended(consumer.end(), 3, "the producer has ended while its numbers were read");
}

/// While the producer lives, the same error is not taken for its end.
#[test]
fn an_error_beside_a_living_producer_is_that_error() {
    let (folder, path) = folder();
    let gate = Gate::new(&folder);
    let (_producer, _input) = producer(&path, &[]);
    let (consumer, _input) = gate.before(consumer(&path, &["--wait", "0"])).start();
    gate.open(gate.wait());
    assert_ended(consumer.end(), 1, gate.path.to_str().unwrap());
}

#[test]
fn a_producer_frees_nothing_before_its_consumer_is_gone() {
    let (folder, path) = folder();
    let gate = Gate::new(&folder);
    let (mut producer, input) = producer(&path, &[]);
    let (mut consumer, _input) = gate.before(consumer(&path, &["--wait", "0"])).start();
    let _end = gate.wait();
    drop(input);
    wait_until("the producer never withdraws its file", || !path.exists());
    assert!(producer.is_running(), "a consumer has the memory");
    consumer.kill();
    assert_eq!(producer.hear(""), "freed");
    assert_eq!(producer.end().code, Some(0));
}

#[test]
fn a_consumer_that_is_killed_while_it_waits_changes_nothing() {
    let (folder, path) = folder();
    let (mut waiting, _input) = consumer(&path, &["--wait", "30"]).start();
    wait_until_it_watches(waiting.id(), folder.path());
    waiting.kill();
    let (_producer, _input) = producer(&path, &[]);
    assert_ended(consumer(&path, &[]).run(), 0, ARRIVED);
}

//! The example `ipc_ring`: its output, its exit codes, and the death of each rank at each step.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cuda_ipc::peer::can_access;
use cuda_ipc::transport::Group;
use cuda_ipc::{SharedBuffer, transport::Connection};
use rstest::rstest;
use tempfile::TempDir;

use crate::common::{context, driver};
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
use crate::program::{Ended, Program, Running};

const WORDS: usize = 1 << 20;
const PATIENCE: Option<Duration> = Some(LONG);
/// The ranks learn of a death at once. A loaded machine also has to end their processes. Without that, they would wait
/// for 30 seconds.
const SOON: Duration = Duration::from_secs(5);

/// Returns the device whose kernel writes: that of the rank, unless it does not reach the memory of the next rank.
fn writer_of(rank: usize, next: usize) -> usize {
    let devices = driver().devices().unwrap();
    let [own, other] = [rank, next].map(|rank| rank % devices.len());
    let is_near = own == other || can_access(devices[own], devices[other]).unwrap();
    if is_near { own } else { other }
}

#[rstest]
fn each_rank_writes_to_the_next(#[values(2, 3, 5)] size: usize) {
    let Ended { code, said, errors } = Program::new("ipc_ring").arguments(&["--ranks", &size.to_string()]).run();
    assert_eq!(code, Some(0), "{said}{errors}");
    for rank in 0..size {
        let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
        let told = format!("rank {rank}: a kernel on device {} has written to rank {next}\n", writer_of(rank, next));
        assert!(said.contains(&told), "{told}: {said}");
        let told = format!("rank {rank}: {WORDS} words of rank {previous} have arrived\n");
        assert!(said.contains(&told), "{told}: {said}");
    }
    assert!(said.ends_with(&format!("ranks: {size}, all arrived\n")), "{said}");
}

#[test]
fn ranks_whose_gpus_are_no_peers_write_on_the_next_ranks_gpu() {
    let program = Program::on_reference_driver("ipc_ring").variable("REFERENCE_DRIVER_TOPOLOGY", "all:none");
    let Ended { code, said, errors } = program.arguments(&["--ranks", "3"]).run();
    assert_eq!(code, Some(0), "{said}{errors}");
    assert!(said.ends_with("ranks: 3, all arrived\n"), "{said}");
    for (rank, device) in [(0, 1), (1, 0), (2, 0)] {
        assert!(said.contains(&format!("rank {rank}: a kernel on device {device} has written to")), "{said}");
    }
}

#[rstest]
#[case::no_ranks(&[], "expected --ranks N")]
#[case::no_number(&["--ranks", "many"], "invalid digit")]
#[case::one_rank(&["--ranks", "1"], "a ring needs two ranks or more")]
#[case::no_such_rank(&["--ranks", "2", "--rank", "2", "/tmp/ring"], "no rank 2 in a group of 2")]
fn what_is_no_ring_is_told(#[case] arguments: &[&str], #[case] told: &str) {
    let Ended { code, said, errors } = Program::new("ipc_ring").arguments(arguments).run();
    assert_eq!(code, Some(1), "{said}{errors}");
    assert!(errors.contains(told) && !said.contains("arrived"), "{said}{errors}");
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
    let path = folder.path().join("ring");
    (folder, path)
}

/// Starts a rank that this test plays.
fn play(path: &Path, rank: usize, size: usize, what: &str) -> Peer {
    let peer = Peer::start(module_path!(), "role_is_a_rank");
    peer.connection.send(format!("{rank} {size} {what} {}", path.display()).as_bytes(), &[]).unwrap();
    peer
}

fn program(path: &Path, rank: usize, size: usize) -> Running {
    let [size, rank] = [size, rank].map(|number| number.to_string());
    Program::new("ipc_ring").arguments(&["--ranks", &size, "--rank", &rank, path.to_str().unwrap()]).start().0
}

/// A rank is killed when it has done something, and before it takes the next step with the others.
#[rstest]
fn a_killed_rank_is_named_by_all_others(
    #[values(0, 1, 2)] dies: usize,
    #[values("joined", "gathered", "written", "verified", "closed")] after: &str,
) {
    const SIZE: usize = 3;
    let (_folder, path) = folder();
    let mut killed = play(&path, dies, SIZE, after);
    let mut others: Vec<_> =
        (0..SIZE).filter(|rank| *rank != dies).map(|rank| (rank, program(&path, rank, SIZE))).collect();
    assert_eq!(killed.process.hear(), after);
    for (rank, other) in &mut others {
        // Each of them is about to enter the same barrier, or is in it.
        match after {
            "written" => drop(other.hear(&format!("rank {rank}: a kernel on device "))),
            "verified" => drop(other.hear(&format!("rank {rank}: {WORDS} words of rank "))),
            _ => {}
        }
    }
    killed.process.kill();
    let begin = Instant::now();
    for (rank, other) in others {
        let Ended { code, said, errors } = other.end();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.starts_with(&format!("rank {rank}: rank {dies} of the group has died")), "{errors}");
    }
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}

/// The words are right in number and wrong in content. The rank that finds them ends, and the others name it.
#[test]
fn wrong_words_are_found() {
    let (_folder, path) = folder();
    let mut wrong = play(&path, 1, 3, "wrong");
    let [first, finder] = [program(&path, 0, 3), program(&path, 2, 3)];
    let Ended { code, said, errors } = finder.end();
    assert_eq!(code, Some(1), "{said}{errors}");
    assert!(errors.contains("words of rank 1 are wrong") && !said.contains("arrived"), "{said}{errors}");
    let Ended { code, said, errors } = first.end();
    assert_eq!(code, Some(1), "{said}{errors}");
    assert!(errors.contains("rank 2 of the group has died, or has left it"), "{errors}");
    assert_eq!(wrong.process.hear(), "rank 2");
}

fn read(connection: &Connection) -> (usize, usize, String, String) {
    let told = String::from_utf8(connection.receive().unwrap().bytes).unwrap();
    let [rank, size, what, path] = told.split(' ').collect::<Vec<_>>()[..] else { panic!("{told}") };
    (rank.parse().unwrap(), size.parse().unwrap(), what.to_owned(), path.to_owned())
}

roles! {
    fn role_is_a_rank(connection) {
        let (rank, size, what, path) = read(&connection);
        let done = |step: &str| {
            if step == what {
                say(step);
                wait_for_the_end();
            }
        };
        let mut group = Group::join(path, rank, size, PATIENCE).unwrap();
        done("joined");
        let memory = SharedBuffer::new(&context(), WORDS * size_of::<u32>()).unwrap();
        let parcels = memory.share().unwrap().all_gather(&mut group, PATIENCE).unwrap();
        assert!(parcels[rank].is_none());
        done("gathered");
        let next = parcels[(rank + 1) % size].as_ref().unwrap().map(&context()).unwrap();
        let seed = rank as u32 + u32::from(what == "wrong");
        next.write(0, &(0..WORDS as u64).map(|place| kernels::pattern(seed, place)).collect::<Vec<_>>()).unwrap();
        done("written");
        group.barrier(PATIENCE).unwrap();
        next.close().unwrap();
        done("verified");
        let passed = group.barrier(PATIENCE);
        if what == "wrong" {
            match passed.unwrap_err() {
                cuda_ipc::transport::TransportError::RankDied { rank, .. } => say(&format!("rank {rank}")),
                other => say(&other.to_string()),
            }
            return;
        }
        passed.unwrap();
        done("closed");
    }
}

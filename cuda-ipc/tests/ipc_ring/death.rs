//! What the other ranks say if one is killed, or writes wrong words.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cuda_ipc::SharedBuffer;
use cuda_ipc::transport::{Connection, Group};
use rstest::rstest;
use tempfile::TempDir;

use crate::WORDS;
use crate::common::context;
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
use crate::program::{Ended, Program, Running};

const PATIENCE: Option<Duration> = Some(LONG);
/// The ranks learn of a death at once, and then give back what they have on a GPU and end. That took two H100s up to
/// 1.8 s. A rank that did not learn of it would wait for 30 s.
const SOON: Duration = Duration::from_secs(5);
/// Held while ranks are measured. A GPU starts and ends one process at a time, so the ranks of other tests would delay
/// them.
static ALONE: Mutex<()> = Mutex::new(());

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
    // Another case that failed says nothing of this one.
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
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
    let time = begin.elapsed();
    println!("the other ranks have ended after {time:?}");
    assert!(time < SOON, "{time:?}");
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

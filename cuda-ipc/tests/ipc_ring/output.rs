//! What the ranks say if all arrive, and what they refuse.

use cuda_ipc::peer::can_access;
use rstest::rstest;

use crate::WORDS;
use crate::common::driver;
use crate::program::{Ended, Program};

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

//! Groups of processes. Where nobody dies, the ranks are threads: a group does not know the difference.

mod strangers;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Address, Connection, Direction, Group, TransportError};
use rstest::rstest;

use crate::addresses::folder;
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end, with_timeout};
use crate::raw::Traced;

const PATIENCE: Option<Duration> = Some(LONG);
const SHORT: Option<Duration> = Some(Duration::from_millis(50));
/// How long a rank may take to learn of a death.
const SOON: Duration = Duration::from_secs(1);

type Outcome<T = ()> = Result<T, TransportError>;

/// Runs ranks as threads, and returns what they return, in their order.
fn ranks<T: Send>(of: impl IntoIterator<Item = usize>, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let ranks: Vec<_> = of.into_iter().map(|rank| scope.spawn(move || work(rank))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn socket_of(path: &Path, rank: usize) -> PathBuf {
    let mut socket = path.to_owned().into_os_string();
    socket.push(format!(".{rank}"));
    socket.into()
}

/// Returns the bytes of a rank: of another length for each, and longer than a socket's buffer takes.
fn bytes_of(rank: usize) -> Vec<u8> {
    vec![rank as u8; 250_000 + rank]
}

/// The first bytes of the messages of a group.
fn frame(kind: &[u8; 3], number: u64) -> Vec<u8> {
    [kind.as_slice(), &[1], &number.to_le_bytes()].concat()
}

fn hello(rank: u32, size: u32) -> Vec<u8> {
    frame(b"CGH", u64::from(rank) | u64::from(size) << 32)
}

/// Connects to a rank when it listens, and returns the connection when it has greeted.
fn greeting(path: &Path, rank: usize) -> Connection {
    let address = Address::Path(socket_of(path, rank));
    let connection = with_timeout(Connection::connect_when_listening(&address, PATIENCE).unwrap());
    assert_eq!(connection.receive().unwrap().bytes[..4], *b"CGH\x01");
    connection
}

#[rstest]
fn every_rank_has_the_message_of_every_other_one(#[values(1, 2, 3, 4, 5, 6, 7, 8)] size: usize) {
    let (folder, path) = folder();
    let traced = Traced::new();
    ranks(0..size, |rank| {
        let mut group = Group::join(&path, rank, size, PATIENCE).unwrap();
        assert_eq!((group.rank(), group.size()), (rank, size));
        for round in 0..3 {
            let bytes = [vec![round], bytes_of(rank)].concat();
            let messages = group.all_gather(&bytes, &traced.times(rank), PATIENCE).unwrap();
            assert_eq!(messages.len(), size);
            for (other, message) in messages.iter().enumerate() {
                let Some(message) = message else {
                    assert_eq!(other, rank);
                    continue;
                };
                assert!(message.bytes == [vec![round], bytes_of(other)].concat(), "rank {other}, round {round}");
                assert_eq!(message.descriptors.len(), other);
            }
        }
        group.finish(PATIENCE).unwrap();
    });
    traced.assert_closed();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no socket is left");
}

/// The kernel transfers at most 253 descriptors at a time.
#[rstest]
fn a_message_has_any_number_of_descriptors(#[values(0, 1, 252, 253, 254, 506, 507)] count: usize) {
    let (_folder, path) = folder();
    let traced = Traced::new();
    ranks(0..2, |rank| {
        let mut group = Group::join(&path, rank, 2, PATIENCE).unwrap();
        let messages = group.all_gather(b"bytes", &traced.times(count), PATIENCE).unwrap();
        let message = messages[1 - rank].as_ref().unwrap();
        assert_eq!((&*message.bytes, message.descriptors.len()), (&b"bytes"[..], count));
        group.finish(PATIENCE).unwrap();
    });
    traced.assert_closed();
}

#[test]
fn no_rank_passes_a_barrier_before_the_last_has_come() {
    const SIZE: usize = 5;
    const ROUNDS: usize = 200;
    let (_folder, path) = folder();
    let come = AtomicUsize::new(0);
    ranks(0..SIZE, |rank| {
        let mut group = Group::join(&path, rank, SIZE, PATIENCE).unwrap();
        for round in 1..=ROUNDS {
            // One rank is later than the others, another one each time.
            if round % SIZE == rank {
                thread::yield_now();
            }
            come.fetch_add(1, Ordering::SeqCst);
            group.barrier(PATIENCE).unwrap();
            assert!(come.load(Ordering::SeqCst) >= round * SIZE, "round {round}");
        }
        group.finish(PATIENCE).unwrap();
    });
    assert_eq!(come.into_inner(), ROUNDS * SIZE);
}

/// The first ranks to be done are gone before the others look.
#[test]
fn an_orderly_end_is_no_death() {
    let (_folder, path) = folder();
    for _ in 0..30 {
        for ended in ranks(0..4, |rank| Group::join(&path, rank, 4, PATIENCE)?.finish(PATIENCE)) {
            ended.unwrap();
        }
    }
}

/// Where the rank is that dies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// Outside of any step.
    Work,
    /// In a barrier that the others do not pass without it.
    Barrier,
    /// Within its message to the others, which have not begun to receive it.
    Gather,
}

/// Starts a rank as a process. It has joined when this returns, so this is done beside the other ranks.
fn start(path: &Path, rank: usize, size: usize, at: At) -> Peer {
    let peer = Peer::start(module_path!(), "role_is_a_rank");
    let told = format!("{rank} {size} {at:?} {}", path.display());
    peer.connection.send(told.as_bytes(), &[]).unwrap();
    peer
}

/// All others name the rank, whichever it is, wherever it is, and in whatever order they learn of it.
#[rstest]
fn a_killed_rank_is_named_by_all_others(
    #[values((2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (8, 0), (8, 4), (8, 7))] of: (usize, usize),
    #[values(At::Work, At::Barrier, At::Gather)] at: At,
) {
    let (size, dies) = of;
    let (_folder, path) = folder();
    let mut peer = start(&path, dies, size, at);
    let others = || (0..size).filter(|rank| *rank != dies);
    let mut groups = ranks(others(), |rank| Group::join(&path, rank, size, PATIENCE).unwrap());
    assert_eq!([peer.process.hear(), peer.process.hear()], ["joining", "there"]);
    let mut late = groups.pop().unwrap();
    let (killed, mut named): (Instant, Vec<_>) = thread::scope(|scope| {
        let step = move |mut group: Group| {
            let error = match at {
                At::Gather => group.all_gather(&vec![0; 2 << 20], &[], PATIENCE).map(drop),
                At::Work | At::Barrier => group.barrier(PATIENCE),
            }
            .expect_err("a rank is dead");
            // The group is left at once: no other rank takes that for the death to name.
            drop(group);
            (error, Instant::now())
        };
        let waiting: Vec<_> = groups.into_iter().map(|group| scope.spawn(move || step(group))).collect();
        peer.process.kill();
        let killed = Instant::now();
        let named = waiting.into_iter().map(|rank| rank.join().unwrap());
        (killed, named.collect())
    });
    // This one looks when all others have left.
    let error = late.check().unwrap_err();
    named.push((error, Instant::now()));
    for (error, when) in named {
        assert!(matches!(error, TransportError::RankDied { rank, .. } if rank == dies), "{error}");
        assert!(error.is_disconnected() && error.to_string().contains(&format!("rank {dies} ")), "{error}");
        assert!(when.saturating_duration_since(killed) < SOON, "{:?}", when - killed);
    }
    // From now on, every call says the same.
    for error in [late.barrier(PATIENCE).unwrap_err(), late.check().unwrap_err(), late.finish(PATIENCE).unwrap_err()] {
        assert!(matches!(error, TransportError::RankDied { rank, .. } if rank == dies), "{error}");
    }
}

/// The ranks do not agree on which of two deaths came first, but on which one they name.
#[test]
fn of_two_deaths_all_others_name_the_same() {
    let (_folder, path) = folder();
    let mut peers = [1, 3].map(|rank| start(&path, rank, 6, At::Work));
    let groups = ranks([0, 2, 4, 5], |rank| Group::join(&path, rank, 6, PATIENCE).unwrap());
    for peer in &mut peers {
        assert_eq!([peer.process.hear(), peer.process.hear()], ["joining", "there"]);
    }
    let named: Vec<_> = thread::scope(|scope| {
        let waiting: Vec<_> =
            groups.into_iter().map(|mut group| scope.spawn(move || group.barrier(PATIENCE).unwrap_err())).collect();
        peers.iter_mut().for_each(|peer| peer.process.kill());
        waiting.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    let died = named.iter().map(|error| match error {
        TransportError::RankDied { rank, .. } => *rank,
        other => panic!("{other}"),
    });
    let died: Vec<_> = died.collect();
    assert!(died == [1; 4] || died == [3; 4], "{died:?}");
}

/// Rank 2 never comes, and rank 1 dies while rank 0 waits for it.
#[test]
fn a_death_before_all_have_joined_is_told() {
    let (_folder, path) = folder();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| Group::join(&path, 0, 3, PATIENCE).unwrap_err());
        let rank = greeting(&path, 0);
        rank.send(&hello(1, 3), &[]).unwrap();
        // The next one to say so is refused, so the first has the rank.
        let second = greeting(&path, 0);
        second.send(&hello(1, 3), &[]).unwrap();
        assert!(second.receive().unwrap_err().is_disconnected());
        drop(rank);
        let died = Instant::now();
        let error = waiting.join().unwrap();
        assert!(matches!(error, TransportError::RankDied { rank: 1, .. }), "{error}");
        assert!(died.elapsed() < SOON);
    });
}

#[test]
fn the_sockets_of_a_killed_group_are_replaced() {
    let (_folder, path) = folder();
    let mut peers = [start(&path, 0, 2, At::Work), start(&path, 1, 2, At::Work)];
    for peer in &mut peers {
        assert_eq!(peer.process.hear(), "joining");
        assert_eq!(peer.process.hear(), "there");
    }
    peers.iter_mut().for_each(|peer| peer.process.kill());
    assert!(socket_of(&path, 0).exists() && socket_of(&path, 1).exists());
    ranks(0..2, |rank| Group::join(&path, rank, 2, PATIENCE)?.finish(PATIENCE)).into_iter().for_each(Result::unwrap);
}

#[rstest]
#[case::while_others_are_missing(3)]
#[case::when_all_have_come(2)]
fn a_second_process_of_a_rank_is_refused(#[case] size: usize) {
    let (_folder, path) = folder();
    let mut first = start(&path, 1, size, At::Work);
    assert_eq!(first.process.hear(), "joining");
    let joined = (size == 2).then(|| Group::join(&path, 0, size, PATIENCE).unwrap());
    while !socket_of(&path, 1).exists() {
        thread::yield_now();
    }
    let error = Group::join(&path, 1, size, PATIENCE).unwrap_err();
    assert!(matches!(error, TransportError::RankTaken { rank: 1, .. }), "{error}");
    assert!(error.to_string().contains(socket_of(&path, 1).to_str().unwrap()), "{error}");
    // The group does not notice.
    if let Some(mut group) = joined {
        group.check().unwrap();
    }
}

#[test]
fn ranks_with_another_size_in_mind_are_refused() {
    let (_folder, path) = folder();
    let sizes = [2, 3];
    let errors = ranks(0..2, |rank| Group::join(&path, rank, sizes[rank], PATIENCE).unwrap_err());
    for (own, error) in errors.into_iter().enumerate() {
        let other = 1 - own;
        let TransportError::OtherSize { rank, size, expected, .. } = error else { panic!("{error}") };
        assert_eq!((rank, size, expected), (other, sizes[other], sizes[own]));
    }
}

#[rstest]
#[case::no_ranks(0, 0)]
#[case::the_size(3, 3)]
fn a_rank_below_the_size_is_required(#[case] rank: usize, #[case] size: usize) {
    let (folder, path) = folder();
    let error = Group::join(&path, rank, size, PATIENCE).unwrap_err();
    assert!(matches!(error, TransportError::BadRank { rank: r, size: s, .. } if (r, s) == (rank, size)), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[rstest]
#[case::one_too_many(Group::MOST_RANKS + 1)]
#[case::many(u32::MAX as usize)]
#[case::more_than_32_bits(u32::MAX as usize + 1)]
fn a_group_that_is_too_large_is_refused(#[case] size: usize) {
    let (folder, path) = folder();
    let error = Group::join(&path, 0, size, PATIENCE).unwrap_err();
    assert!(matches!(error, TransportError::GroupTooLarge { size: s, .. } if s == size), "{error}");
    assert!(error.to_string().contains("4096"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn ranks_that_never_come_are_named() {
    let (_folder, path) = folder();
    let join = |rank| {
        let begin = Instant::now();
        let error = Group::join(&path, rank, 5, SHORT).unwrap_err();
        assert!(begin.elapsed() >= SHORT.unwrap());
        error
    };
    let error = join(3);
    assert!(matches!(&error, TransportError::RanksMissing { ranks, .. } if *ranks == [0, 1, 2, 4]), "{error}");
    assert!(error.to_string().starts_with("timed out while waiting for ranks 0, 1, 2 and 4: "), "{error}");
}

#[test]
fn ranks_that_do_not_take_a_step_are_named() {
    let (_folder, path) = folder();
    let mut groups = ranks(0..4, |rank| Group::join(&path, rank, 4, PATIENCE).unwrap());
    thread::scope(|scope| {
        let (others, late) = groups.split_at_mut(2);
        // One of them comes too, so only the other one is missing.
        let second = scope.spawn(|| late[0].barrier(PATIENCE).unwrap_err());
        let mut waiting = others.iter_mut().map(|group| scope.spawn(|| group.barrier(SHORT).unwrap_err()));
        let (one, other) = (waiting.next().unwrap(), waiting.next().unwrap());
        let errors = [one.join().unwrap(), other.join().unwrap()];
        let is_missing =
            |error: &TransportError| matches!(error, TransportError::RanksMissing { ranks, .. } if ranks.contains(&3));
        assert!(errors.iter().any(is_missing), "{errors:?}");
        // The first of them to give up has left the group without a rank that died.
        let left = second.join().unwrap();
        assert!(matches!(left, TransportError::RankDied { rank: 0 | 1, .. }), "{left}");
    });
}

#[test]
fn ranks_that_take_different_steps_notice() {
    let (_folder, path) = folder();
    let steps: [fn(Group) -> Outcome; 3] = [
        |mut group| group.barrier(PATIENCE),
        |mut group| group.all_gather(&[], &[], PATIENCE).map(drop),
        |group| group.finish(PATIENCE),
    ];
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let errors = ranks(0..2, |rank| {
            let group = Group::join(&path, rank, 2, PATIENCE).unwrap();
            (steps[[one, other][rank]])(group).unwrap_err()
        });
        let is_out_of_step = |error: &TransportError| matches!(error, TransportError::OutOfStep { .. });
        assert!(errors.iter().any(is_out_of_step), "{errors:?}");
    }
}

#[test]
fn a_message_above_the_limits_leaves_the_group_as_it_was() {
    let (_folder, path) = folder();
    let traced = Traced::new();
    ranks(0..2, |rank| {
        let mut group = Group::join(&path, rank, 2, PATIENCE).unwrap();
        let longest = (16 << 20) - 12;
        let error = group.all_gather(&vec![0; longest + 1], &[], PATIENCE).unwrap_err();
        assert!(
            matches!(error, TransportError::TooLong { direction: Direction::Sending, limit, .. } if limit == longest),
            "{error}"
        );
        assert!(
            error.to_string().ends_with("the limit at both ends with Connection::set_limits; that of a group is fixed")
        );
        let error = group.all_gather(&[], &traced.times(4097), PATIENCE).unwrap_err();
        assert!(matches!(error, TransportError::TooManyDescriptors { count: 4097, limit: 4096, .. }), "{error}");
        let messages = group.all_gather(&[], &traced.times(4096), PATIENCE).unwrap();
        assert_eq!(messages[1 - rank].as_ref().unwrap().descriptors.len(), 4096);
        drop(messages);
        let longest = vec![rank as u8; longest];
        let messages = group.all_gather(&longest, &[], PATIENCE).unwrap();
        let other = messages[1 - rank].as_ref().unwrap();
        assert!(other.bytes.len() == longest.len() && other.bytes.iter().all(|byte| usize::from(*byte) == 1 - rank));
        group.finish(PATIENCE).unwrap();
    });
}

roles! {
    fn role_is_a_rank(connection) {
        let told = String::from_utf8(connection.receive().unwrap().bytes).unwrap();
        let [rank, size, at, path] = told.split(' ').collect::<Vec<_>>()[..] else { panic!("{told}") };
        let (rank, size) = (rank.parse().unwrap(), size.parse().unwrap());
        say("joining");
        let mut group = Group::join(path, rank, size, PATIENCE).unwrap();
        match at {
            "Work" => say("there"),
            "Barrier" => {
                say("there");
                let _ = group.barrier(PATIENCE);
            }
            _ => {
                say("there");
                let _ = group.all_gather(&vec![0; 8 << 20], &[], PATIENCE);
            }
        }
        wait_for_the_end();
    }
}

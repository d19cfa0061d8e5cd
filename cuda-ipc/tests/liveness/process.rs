//! Whether a process is alive.

use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::ProcessIdentity;
use cuda_ipc::liveness::{LivenessError, ProcessWatch};
use cuda_ipc::transport::{Address, Connection, Listener};
use rstest::rstest;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use crate::peer::{LONG, Peer, roles, wait_for_the_end, with_timeout};

const SHORT: Duration = Duration::from_millis(50);

fn assert_alive(watch: &ProcessWatch) {
    assert!(watch.is_alive().unwrap());
    let begin = Instant::now();
    let error = watch.wait(SHORT).unwrap_err();
    assert!(matches!(error, LivenessError::StillAlive { waited, .. } if waited == SHORT), "{error}");
    assert!(begin.elapsed() >= SHORT);
}

fn assert_ended(watch: &ProcessWatch) {
    watch.wait(LONG).unwrap();
    assert!(!watch.is_alive().unwrap());
    watch.wait(Duration::ZERO).unwrap();
    // A poll loop that waits for POLLIN, as the documentation says, also sees the end.
    let mut polled = [PollFd::new(watch, PollFlags::IN)];
    assert_eq!(poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap(), 1);
}

/// Starts a peer that opens the connection itself, so that the kernel reports the peer as the other end. Returns the
/// peer and the connection.
fn connected_peer() -> (Peer, Connection) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("cuda-ipc-test-liveness-{}-{number}", std::process::id());
    let listener = Listener::bind(&Address::Abstract(name.clone().into())).unwrap();
    let peer = Peer::start(module_path!(), "role_connects");
    peer.connection.send(name.as_bytes(), &[]).unwrap();
    let connection = with_timeout(listener.accept(Some(LONG)).unwrap());
    assert_eq!(connection.receive().unwrap().bytes, b"here");
    (peer, connection)
}

enum By {
    Identity,
    Peer,
    HangUp,
}

#[rstest]
#[case::by_its_identity(By::Identity)]
#[case::by_its_connection(By::Peer)]
#[case::by_hang_up(By::HangUp)]
fn a_process_lives_until_it_is_killed(#[case] by: By) {
    let (mut peer, connection) = connected_peer();
    let watch = match by {
        By::Identity => ProcessWatch::of(ProcessIdentity::of(peer.process.id()).unwrap()),
        By::Peer => ProcessWatch::of_peer(&connection),
        By::HangUp => ProcessWatch::by_hang_up(&connection),
    };
    let watch = watch.unwrap();
    assert_alive(&watch);
    thread::scope(|scope| {
        let waiting = [scope.spawn(|| watch.wait(LONG)), scope.spawn(|| watch.wait(Duration::MAX))];
        peer.process.kill();
        waiting.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
    });
    assert_ended(&watch);
}

#[test]
fn a_zombie_has_ended() {
    let (peer, connection) = connected_peer();
    let identity = ProcessIdentity::of(peer.process.id()).unwrap();
    let watch = ProcessWatch::of(identity).unwrap();
    kill_process(Pid::from_raw(identity.pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
    assert_ended(&watch);
    // Nobody has waited for the process, so it still exists. Watches that begin now report its end as well.
    assert_eq!(ProcessIdentity::of(identity.pid).unwrap(), identity);
    assert_ended(&ProcessWatch::of(identity).unwrap());
    assert_ended(&ProcessWatch::of_peer(&connection).unwrap());
}

#[test]
fn a_process_that_ended_before_is_watched_as_ended() {
    let (mut peer, connection) = connected_peer();
    let identity = ProcessIdentity::of(peer.process.id()).unwrap();
    peer.process.kill();
    assert_ended(&ProcessWatch::of(identity).unwrap());
    assert_ended(&ProcessWatch::of_peer(&connection).unwrap());
    assert_ended(&ProcessWatch::by_hang_up(&connection).unwrap());
}

/// The start time tells the processes apart: by its PID alone, the process would count as alive.
#[test]
fn a_number_that_was_used_again_is_told() {
    let own = ProcessIdentity::current().unwrap();
    assert_alive(&ProcessWatch::of(own).unwrap());
    for start_time in [own.start_time - 1, own.start_time + 1] {
        assert_ended(&ProcessWatch::of(ProcessIdentity { start_time, ..own }).unwrap());
    }
    for pid in [0, u32::MAX] {
        assert_ended(&ProcessWatch::of(ProcessIdentity { pid, ..own }).unwrap());
    }
}

#[test]
fn a_number_of_elsewhere_is_refused() {
    let own = ProcessIdentity::current().unwrap();
    let error = ProcessWatch::of(ProcessIdentity { boot_id: [7; 16], ..own }).unwrap_err();
    assert!(matches!(error, LivenessError::OtherBoot { .. }), "{error}");
    assert!(error.to_string().contains("boot 07070707-0707"), "{error}");
    let error = ProcessWatch::of(ProcessIdentity { pid_namespace: 7, ..own }).unwrap_err();
    assert!(matches!(error, LivenessError::OtherNamespace { .. }), "{error}");
    assert!(error.to_string().contains("watch the peer of a connection instead"), "{error}");
}

/// A copy of the socket in another process keeps the socket open after the peer's death.
#[test]
fn a_process_is_told_from_those_who_have_its_socket() {
    let (mut peer, connection) = connected_peer();
    peer.connection.send(b"give me your end", &[]).unwrap();
    let copy = peer.connection.receive().unwrap().descriptors;
    let process = ProcessWatch::of_peer(&connection).unwrap();
    let socket = ProcessWatch::by_hang_up(&connection).unwrap();
    peer.process.kill();
    assert_ended(&process);
    assert_alive(&socket);
    drop(copy);
    assert_ended(&socket);
}

roles! {
    fn role_connects(connection) {
        let name = connection.receive().unwrap().bytes;
        let other = Connection::connect(&Address::Abstract(name), Some(LONG)).unwrap();
        other.send(b"here", &[]).unwrap();
        if connection.receive().is_ok() {
            connection.send(b"", &[other.as_fd()]).unwrap();
        }
        wait_for_the_end();
    }
}

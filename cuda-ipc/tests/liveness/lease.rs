//! Leases: whether importers still hold an exporter's memory, and whether the exporter is alive.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::liveness::{Lease, LivenessError, Tenancy};
use rstest::rstest;
use rustix::event::{PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::{FdFlags, fcntl_getfd};

use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};

const SHORT: Duration = Duration::from_millis(50);

fn assert_held(lease: &Lease) {
    assert!(!lease.is_over().unwrap());
    let begin = Instant::now();
    let error = lease.wait(SHORT).unwrap_err();
    assert!(matches!(error, LivenessError::StillHeld { waited, .. } if waited == SHORT), "{error}");
    assert!(error.to_string().contains("do not free it yet"), "{error}");
    assert!(begin.elapsed() >= SHORT);
}

/// Waits for the end of the lease and checks it. Another test's child may hold a tenancy between its fork and its exec,
/// so a check without a wait could fail.
fn assert_over(lease: &Lease) {
    lease.wait(LONG).unwrap();
    assert!(lease.is_over().unwrap());
    lease.wait(Duration::ZERO).unwrap();
    assert_eq!(polled(lease), PollFlags::HUP);
}

/// Returns the events that `poll` reports to a caller that asks for none.
fn polled(end: impl AsFd) -> PollFlags {
    let mut polled = [PollFd::new(&end, PollFlags::empty())];
    poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap();
    polled[0].revents()
}

#[test]
fn a_lease_is_over_when_the_last_copy_is_closed() {
    let (lease, tenancy) = Lease::grant().unwrap();
    let clones = [tenancy.try_clone().unwrap(), tenancy.try_clone().unwrap()];
    for held in clones.into_iter().chain([tenancy]) {
        assert_held(&lease);
        assert!(held.exporter_is_alive().unwrap());
        assert_eq!(polled(&held), PollFlags::empty());
    }
    assert_over(&lease);
}

#[test]
fn both_ends_close_on_exec() {
    let (lease, tenancy) = Lease::grant().unwrap();
    for flags in [fcntl_getfd(&lease), fcntl_getfd(&tenancy), fcntl_getfd(tenancy.try_clone().unwrap())] {
        assert!(flags.unwrap().contains(FdFlags::CLOEXEC));
    }
}

/// Each case names what the importer has done with the tenancy when it is killed.
#[rstest]
#[case::before_it_receives("nothing")]
#[case::while_it_holds("receive")]
#[case::after_it_closed("close")]
fn a_killed_importer_holds_nothing(#[case] step: &str) {
    let (lease, tenancy) = Lease::grant().unwrap();
    let mut peer = Peer::start(module_path!(), "role_imports");
    peer.connection.send(step.as_bytes(), &[]).unwrap();
    peer.connection.send(b"a ticket", &[tenancy.as_fd()]).unwrap();
    drop(tenancy);
    assert_eq!(peer.process.hear(), "done");
    match step {
        "close" => assert_over(&lease),
        _ => assert_held(&lease),
    }
    peer.process.kill();
    assert_over(&lease);
}

#[test]
fn the_last_importer_counts() {
    let (lease, tenancy) = Lease::grant().unwrap();
    let mut importers: Vec<_> = (0..4).map(|_| Peer::start(module_path!(), "role_imports")).collect();
    for importer in &mut importers {
        importer.connection.send(b"receive", &[]).unwrap();
        importer.connection.send(b"a ticket", &[tenancy.as_fd()]).unwrap();
    }
    // Until the exporter drops its own tenancy, the lease is held, even if all importers are gone.
    importers.truncate(2);
    assert_held(&lease);
    drop(tenancy);
    for mut importer in importers {
        assert_eq!(importer.process.hear(), "done");
        assert_held(&lease);
        importer.process.kill();
    }
    assert_over(&lease);
}

#[test]
fn waiting_ends_with_the_importer() {
    let (lease, tenancy) = Lease::grant().unwrap();
    thread::scope(|scope| {
        let waiting = [scope.spawn(|| lease.wait(LONG)), scope.spawn(|| lease.wait(Duration::MAX))];
        drop(tenancy);
        waiting.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
    });
}

#[rstest]
#[case::killed(true)]
#[case::gives_up(false)]
fn an_importer_learns_that_the_exporter_is_gone(#[case] is_killed: bool) {
    let mut peer = Peer::start(module_path!(), "role_exports");
    let mut message = peer.connection.receive().unwrap();
    let tenancy = Tenancy::try_from(message.descriptors.remove(0)).unwrap();
    assert!(tenancy.exporter_is_alive().unwrap());
    let error = tenancy.wait_for_exporter(SHORT).unwrap_err();
    assert!(matches!(error, LivenessError::StillAlive { waited, .. } if waited == SHORT), "{error}");
    if is_killed {
        peer.process.kill();
    } else {
        peer.connection.send(b"give up", &[]).unwrap();
    }
    tenancy.wait_for_exporter(LONG).unwrap();
    assert!(!tenancy.exporter_is_alive().unwrap());
    assert_eq!(polled(&tenancy), PollFlags::ERR);
}

/// The child holds its parent's descriptors until it calls exec.
#[test]
fn a_forked_child_holds_what_it_inherits() {
    let (lease, tenancy) = Lease::grant().unwrap();
    let (mut forked, mut says_forked) = std::io::pipe().unwrap();
    let (mut waits_to_go_on, mut go_on) = std::io::pipe().unwrap();
    let mut command = Command::new("true");
    // SAFETY: between fork and exec the child only reads and writes pipes.
    unsafe {
        command.pre_exec(move || {
            says_forked.write_all(&[1])?;
            waits_to_go_on.read_exact(&mut [0])
        });
    }
    let child = thread::spawn(move || command.status().unwrap());
    forked.read_exact(&mut [0]).unwrap();
    drop(tenancy);
    assert_held(&lease);
    go_on.write_all(&[1]).unwrap();
    assert!(child.join().unwrap().success());
    assert_over(&lease);
}

/// Bytes that a tenant writes neither end the lease nor keep it open.
#[test]
fn bytes_in_the_pipe_change_nothing() {
    let (lease, tenancy) = Lease::grant().unwrap();
    rustix::fs::fcntl_setfl(&tenancy, rustix::fs::OFlags::NONBLOCK).unwrap();
    let mut pipe = File::from(OwnedFd::from(tenancy.try_clone().unwrap()));
    while pipe.write(&[0; 4096]).is_ok() {}
    drop(pipe);
    assert_held(&lease);
    assert!(tenancy.exporter_is_alive().unwrap());
    drop(tenancy);
    assert_over(&lease);
}

#[test]
fn what_is_no_write_end_is_refused() {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let (read_end, _write_end) = std::io::pipe().unwrap();
    let impostors: [OwnedFd; 9] = [
        read_end.into(),
        tempfile::tempfile().unwrap().into(),
        OpenOptions::new().write(true).open("/dev/null").unwrap().into(),
        File::open(folder.path()).unwrap().into(),
        rustix::fs::open(&fifo, rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap(),
        // This one is its own reader, so it would never show the exporter's death.
        OpenOptions::new().read(true).write(true).open(&fifo).unwrap().into(),
        std::os::unix::net::UnixStream::pair().unwrap().0.into(),
        eventfd(0, rustix::event::EventfdFlags::CLOEXEC).unwrap(),
        rustix::process::pidfd_open(rustix::process::getpid(), rustix::process::PidfdFlags::empty()).unwrap(),
    ];
    for (index, impostor) in impostors.into_iter().enumerate() {
        let error = Tenancy::try_from(impostor).expect_err("this is not a tenancy");
        assert!(matches!(error, LivenessError::NotATenancy), "{index}: {error}");
    }
}

roles! {
    fn role_imports(connection) {
        let step = connection.receive().unwrap().bytes;
        if step == b"nothing" {
            say("done");
            wait_for_the_end();
        }
        let mut message = connection.receive().unwrap();
        let tenancy = Tenancy::try_from(message.descriptors.remove(0)).unwrap();
        assert!(tenancy.exporter_is_alive().unwrap());
        let _held = (step != b"close").then_some(tenancy);
        say("done");
        wait_for_the_end();
    }

    fn role_exports(connection) {
        let (lease, tenancy) = Lease::grant().unwrap();
        connection.send(b"a ticket", &[tenancy.as_fd()]).unwrap();
        drop(tenancy);
        if connection.receive().is_ok() {
            drop(lease);
        }
        wait_for_the_end();
    }
}

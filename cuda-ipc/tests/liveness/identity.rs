//! The identity of a process.

use std::collections::HashSet;
use std::fs;
use std::hint;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cuda_ipc::{ExporterIdentity, ProcessIdentity};

use crate::peer::{Peer, roles, say, wait_for_the_end};

#[test]
fn a_process_is_what_proc_says_of_it() {
    let identity = ProcessIdentity::current().unwrap();
    assert_eq!(identity.pid, std::process::id());
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
    assert_eq!(namespace.to_str().unwrap(), format!("pid:[{}]", identity.pid_namespace));
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let expected = format!(
        "process {} of PID namespace {}, started at tick {} of boot {}",
        identity.pid,
        identity.pid_namespace,
        identity.start_time,
        boot.trim_end()
    );
    assert_eq!(identity.to_string(), expected);
}

#[test]
fn every_thread_and_every_way_of_asking_agree() {
    let identity = ProcessIdentity::current().unwrap();
    assert_eq!(ProcessIdentity::current().unwrap(), identity);
    assert_eq!(thread::spawn(|| ProcessIdentity::current().unwrap()).join().unwrap(), identity);
    assert_eq!(ProcessIdentity::of(std::process::id()).unwrap(), identity);
    assert_eq!(ExporterIdentity::current().unwrap().process, identity);
}

/// Two threads ask for the nonce at the same moment, as the first ones of their process. Only some attempts make them
/// meet.
#[test]
fn every_thread_has_the_nonce_of_its_process() {
    let mut seen = HashSet::new();
    for _ in 0..16 {
        let mut peer = Peer::start(module_path!(), "role_says_its_nonces");
        let said = peer.process.hear();
        let (one, other) = said.split_once(' ').unwrap();
        assert_eq!(one, other);
        assert!(seen.insert(one.to_owned()), "two processes have the nonce {one}");
        peer.finish();
    }
}

#[test]
fn a_child_is_seen_as_it_sees_itself() {
    let mut peer = Peer::start(module_path!(), "role_says_who_it_is");
    let said = peer.process.hear();
    let seen = ProcessIdentity::of(peer.process.id()).unwrap();
    assert_eq!(said, seen.to_string());
    let own = ProcessIdentity::current().unwrap();
    assert_ne!(seen, own);
    assert_eq!((seen.pid_namespace, seen.boot_id), (own.pid_namespace, own.boot_id));
    assert!(seen.start_time >= own.start_time);
}

/// The child inherits its parent's memory, including the identity that the parent has read before.
#[test]
fn a_forked_child_finds_its_own_identity() {
    let own = ExporterIdentity::current().unwrap();
    let (mut read_end, mut write_end) = std::io::pipe().unwrap();
    let mut command = Command::new("cat");
    let say = move || {
        let (first, again) = (ExporterIdentity::current()?, ExporterIdentity::current()?);
        assert_eq!(first, again);
        write_end.write_all(format!("{}\n{}", first.process, hex(first.nonce)).as_bytes())
    };
    // SAFETY: between fork and exec the child only reads files and writes to a pipe, in its own memory.
    unsafe {
        command.pre_exec(say);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    drop(command);
    let mut said = String::new();
    read_end.read_to_string(&mut said).unwrap();
    let seen = ProcessIdentity::of(child.id());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    let (process, nonce) = said.split_once('\n').unwrap();
    assert_eq!(process, seen.unwrap().to_string());
    assert_ne!(process, own.process.to_string());
    assert_ne!(nonce, hex(own.nonce));
    assert_eq!(ExporterIdentity::current().unwrap(), own);
}

fn hex(nonce: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(nonce))
}

#[test]
fn a_process_that_is_gone_is_not_found() {
    let mut peer = Peer::start(module_path!(), "role_says_who_it_is");
    peer.process.hear();
    peer.process.kill();
    for pid in [peer.process.id(), 0, u32::MAX] {
        let error = ProcessIdentity::of(pid).unwrap_err();
        assert_eq!(error.source.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains(&format!("/proc/{pid}/stat")), "{error}");
    }
}

#[test]
fn a_processs_name_does_not_confuse() {
    Peer::start(module_path!(), "role_has_an_odd_name").finish();
}

roles! {
    fn role_says_who_it_is(_) {
        say(&ProcessIdentity::current().unwrap().to_string());
        wait_for_the_end();
    }

    fn role_says_its_nonces(_) {
        let missing = AtomicUsize::new(2);
        let nonce = || {
            missing.fetch_sub(1, Ordering::Relaxed);
            // A thread that sleeps would wake too late to meet the other one.
            while missing.load(Ordering::Relaxed) > 0 {
                hint::spin_loop();
            }
            hex(ExporterIdentity::current().unwrap().nonce)
        };
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(nonce);
            (nonce(), other.join().unwrap())
        });
        say(&format!("{one} {other}"));
    }

    fn role_has_an_odd_name(_) {
        let own = ProcessIdentity::current().unwrap();
        for name in [&b") S 1 2 (3"[..], b"NSpid:\t7\n", b"\xFF) R"] {
            fs::write("/proc/self/comm", name).unwrap();
            assert_eq!(ProcessIdentity::of(own.pid).unwrap(), own);
        }
    }
}

//! Connecting to a listener that does not exist yet.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Address, Connection, Listener, Missing, TransportError};
use rstest::rstest;
use rustix::net::listen;

use crate::addresses::{bound_to, folder, tell, told, unique_name};
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};

const SHORT: Duration = Duration::from_millis(50);

/// Starts a process that waits for a listener at an address.
fn waiting_for(address: &Address) -> Peer {
    let mut peer = Peer::start(module_path!(), "role_waits");
    tell(&peer, address);
    assert_eq!(peer.process.hear(), "nobody listens");
    peer
}

/// Waits until the process watches a folder. It lists its watches in `/proc/<process>/fdinfo`.
fn wait_until_it_watches(peer: &Peer) {
    let descriptors = PathBuf::from(format!("/proc/{}/fdinfo", peer.process.id()));
    let watches = |entry: fs::DirEntry| {
        fs::read_to_string(entry.path()).is_ok_and(|text| text.lines().any(|line| line.starts_with("inotify wd:")))
    };
    let end = Instant::now() + LONG;
    while !fs::read_dir(&descriptors).unwrap().any(|entry| watches(entry.unwrap())) {
        assert!(Instant::now() < end, "the process never watched a folder");
        std::thread::yield_now();
    }
}

fn assert_connected(listener: &Listener, peer: Peer) {
    let connection = listener.accept(Some(LONG)).unwrap();
    assert_eq!(connection.peer_credentials().unwrap().pid, peer.process.id());
    connection.send(b"welcome", &[]).unwrap();
    assert_eq!(peer.connection.receive().unwrap().bytes, b"welcome");
    peer.finish();
}

#[test]
fn a_listener_that_is_made_later() {
    let (_folder, path) = folder();
    let address = Address::Path(path);
    let peer = waiting_for(&address);
    wait_until_it_watches(&peer);
    assert_connected(&Listener::bind(&address).unwrap(), peer);
}

#[test]
fn a_folder_that_is_made_later() {
    let (folder, _) = folder();
    let below = folder.path().join("below");
    let address = Address::Path(below.join("socket"));
    let peer = waiting_for(&address);
    fs::create_dir(below).unwrap();
    wait_until_it_watches(&peer);
    assert_connected(&Listener::bind(&address).unwrap(), peer);
}

#[test]
fn an_abstract_name_that_is_taken_later() {
    let address = unique_name();
    let peer = waiting_for(&address);
    assert_connected(&Listener::bind(&address).unwrap(), peer);
}

#[test]
fn a_socket_that_listens_later() {
    let (_folder, path) = folder();
    let socket = bound_to(&path);
    let peer = waiting_for(&Address::Path(path));
    wait_until_it_watches(&peer);
    listen(&socket, 1).unwrap();
    let connection = Connection::from(std::os::unix::net::UnixStream::from(rustix::net::accept(&socket).unwrap()));
    connection.send(b"welcome", &[]).unwrap();
    assert_eq!(peer.connection.receive().unwrap().bytes, b"welcome");
    peer.finish();
}

#[test]
fn the_successor_of_a_listener_that_was_killed() {
    let (_folder, path) = folder();
    a_stale_file(&path);
    let address = Address::Path(path);
    let peer = waiting_for(&address);
    wait_until_it_watches(&peer);
    assert_connected(&Listener::bind(&address).unwrap(), peer);
}

fn nothing(_: &Path) -> Option<OwnedFd> {
    None
}

/// Another process binds the socket and is killed. A child that this process forks could hold a socket of its own.
fn a_stale_file(path: &Path) -> Option<OwnedFd> {
    let mut peer = Peer::start(module_path!(), "role_binds");
    tell(&peer, &Address::Path(path.to_owned()));
    assert_eq!(peer.process.hear(), "bound");
    peer.process.kill();
    None
}

fn a_socket_that_does_not_listen(path: &Path) -> Option<OwnedFd> {
    Some(bound_to(path))
}

fn a_broken_link(path: &Path) -> Option<OwnedFd> {
    std::os::unix::fs::symlink("nowhere", path).unwrap();
    None
}

#[rstest]
#[case::no_folder("below/socket", nothing, Missing::Folder)]
#[case::no_file("socket", nothing, Missing::File)]
#[case::broken_link("socket", a_broken_link, Missing::File)]
#[case::no_process("socket", a_stale_file, Missing::Process)]
#[case::no_listen("socket", a_socket_that_does_not_listen, Missing::Listen)]
fn after_the_deadline_the_error_says_what_was_missing(
    #[case] name: &str,
    #[case] prepare: fn(&Path) -> Option<OwnedFd>,
    #[case] expected: Missing,
) {
    let (folder, _) = folder();
    let path = folder.path().join(name);
    let _socket = prepare(&path);
    assert_missing(&Address::Path(path), expected);
}

#[test]
fn after_the_deadline_an_abstract_name_is_missing() {
    assert_missing(&unique_name(), Missing::Name);
}

fn assert_missing(address: &Address, expected: Missing) {
    for timeout in [Duration::ZERO, SHORT] {
        let begin = Instant::now();
        let error = Connection::connect_when_listening(address, Some(timeout)).unwrap_err();
        assert!(begin.elapsed() >= timeout);
        let TransportError::NobodyListens { address: found, missing, .. } = &error else { panic!("{error}") };
        assert_eq!((found, *missing), (address, expected), "{error}");
        assert!(!error.is_disconnected());
    }
}

/// Waiting for these would end in another error.
#[test]
fn what_time_does_not_change_is_an_error_at_once() {
    let (folder, path) = folder();
    fs::write(&path, "no socket").unwrap();
    let error = Connection::connect_when_listening(&Address::Path(path.clone()), Some(LONG)).unwrap_err();
    assert!(matches!(error, TransportError::NotASocket { .. }), "{error}");
    let error = Connection::connect_when_listening(&Address::Path(path.join("socket")), Some(LONG)).unwrap_err();
    assert!(matches!(error, TransportError::System(_)), "{error}");
    let error = Connection::connect_when_listening(&Address::Path(PathBuf::new()), Some(LONG)).unwrap_err();
    assert!(matches!(error, TransportError::BadAddress { .. }), "{error}");
    drop(folder);
}

roles! {
    fn role_binds(connection) {
        let Address::Path(path) = told(&connection) else { unreachable!("it is a path") };
        let _socket = bound_to(&path);
        say("bound");
        wait_for_the_end();
    }

    fn role_waits(connection) {
        let address = told(&connection);
        let error = Connection::connect(&address, Some(LONG)).unwrap_err();
        assert!(matches!(error, TransportError::NobodyListens { .. }), "{error}");
        say("nobody listens");
        let other = Connection::connect_when_listening(&address, Some(LONG)).unwrap();
        let message = other.receive().unwrap();
        connection.send(&message.bytes, &[]).unwrap();
    }
}

//! Listeners, at paths and at abstract names.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use cuda_ipc::transport::{Address, Connection, Listener, TransportError};
use rstest::rstest;
use rustix::fs::{CWD, FlockOperation, Mode, flock, mkfifoat};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, socket_with};
use rustix::process::getuid;
use tempfile::TempDir;

use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};

/// Returns an abstract name that no other test uses.
pub(crate) fn unique_name() -> Address {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Address::Abstract(format!("cuda-ipc-test-{}-{number}", std::process::id()).into_bytes())
}

pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
    let path = folder.path().join("socket");
    (folder, path)
}

/// A program may keep something of its own beside the socket. A file that a killed listener left is empty.
#[test]
fn a_lock_file_of_another_program_stays() {
    let (folder, path) = folder();
    let lock = folder.path().join("socket.lock");
    fs::write(&lock, "4711").unwrap();
    drop(Listener::bind(&Address::Path(path.clone())).unwrap());
    assert_eq!(fs::read_to_string(&lock).unwrap(), "4711");
    fs::write(&lock, "").unwrap();
    drop(Listener::bind(&Address::Path(path)).unwrap());
    assert!(!lock.exists());
}

fn assert_nobody_listens(address: &Address) {
    let error = Connection::connect(address, Some(LONG)).unwrap_err();
    assert!(matches!(&error, TransportError::NobodyListens { address: found, .. } if found == address), "{error}");
}

fn assert_in_use(address: &Address) {
    let error = Listener::bind(address).unwrap_err();
    assert!(matches!(&error, TransportError::InUse { address: found, .. } if found == address), "{error}");
}

#[rstest]
#[case::at_a_path(true)]
#[case::at_an_abstract_name(false)]
fn a_peer_connects(#[case] is_path: bool) {
    let (_folder, path) = folder();
    let address = if is_path { Address::Path(path) } else { unique_name() };
    assert_nobody_listens(&address);
    let listener = Listener::bind(&address).unwrap();
    let peer = Peer::start(module_path!(), "role_connects");
    tell(&peer, &address);
    let connection = listener.accept(Some(LONG)).unwrap();
    let credentials = connection.peer_credentials().unwrap();
    assert_eq!(credentials.pid, peer.process.id());
    connection.send(b"over the connection", &[]).unwrap();
    assert_eq!(peer.connection.receive().unwrap().bytes, b"over the connection");
    peer.finish();
}

#[test]
fn an_address_is_free_when_its_listener_is_gone() {
    Peer::start(module_path!(), "role_listens_again").finish();
}

#[test]
fn a_listener_removes_its_own_file_only() {
    let (_folder, path) = folder();
    let address = Address::Path(path.clone());
    let listener = Listener::bind(&address).unwrap();
    assert!(path.exists());
    drop(listener);
    assert!(!path.exists());

    let listener = Listener::bind(&address).unwrap();
    fs::remove_file(&path).unwrap();
    let successor = Listener::bind(&address).unwrap();
    drop(listener);
    let _connection = Connection::connect(&address, Some(LONG)).unwrap();
    successor.accept(Some(LONG)).unwrap();
}

#[test]
fn a_forked_child_leaves_the_file_to_its_parent() {
    let (_folder, path) = folder();
    let address = Address::Path(path);
    let listener = Listener::bind(&address).unwrap();
    let mut copy = Some(listener);
    let mut command = Command::new("true");
    // SAFETY: the child only closes a descriptor and looks at a file. The parent's copy of the listener is not changed.
    unsafe {
        command.pre_exec(move || {
            drop(copy.take());
            Ok(())
        })
    };
    assert!(command.status().unwrap().success());
    let _connection = Connection::connect(&address, Some(LONG)).unwrap();
    drop(command);
    assert_nobody_listens(&address);
}

#[test]
fn the_file_of_a_killed_listener_is_replaced() {
    let (_folder, path) = folder();
    let address = Address::Path(path.clone());
    let mut peer = Peer::start(module_path!(), "role_listens");
    tell(&peer, &address);
    assert_eq!(peer.process.hear(), "listening");
    assert_in_use(&address);
    // The failed bind did not connect to the peer: this connection is the first that the peer accepts.
    let connection = Connection::connect(&address, Some(LONG)).unwrap();
    assert_eq!(connection.receive().unwrap().bytes, b"welcome");
    peer.process.kill();
    assert!(path.exists());
    assert_nobody_listens(&address);
    let listener = Listener::bind(&address).unwrap();
    let _connection = Connection::connect(&address, Some(LONG)).unwrap();
    listener.accept(Some(LONG)).unwrap();
}

/// If many processes find the same stale file at once, exactly one takes it over and can be reached.
#[test]
fn one_of_many_takes_over() {
    let (_folder, path) = folder();
    let address = Address::Path(path.clone());
    let mut dead = Peer::start(module_path!(), "role_listens");
    tell(&dead, &address);
    assert_eq!(dead.process.hear(), "listening");
    dead.process.kill();

    let mut peers: Vec<_> = (0..8).map(|_| Peer::start(module_path!(), "role_competes")).collect();
    peers.iter_mut().for_each(|peer| assert_eq!(peer.process.hear(), "ready"));
    peers.iter().for_each(|peer| tell(peer, &address));
    let answers: Vec<_> = peers.iter_mut().map(|peer| peer.process.hear()).collect();
    let winners: Vec<_> = (0..8).filter(|index| answers[*index] == "won").collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    let losers = answers.iter().filter(|answer| *answer == "in use").count();
    assert_eq!(losers, 7, "{answers:?}");
    let connection = Connection::connect(&address, Some(LONG)).unwrap();
    assert_eq!(connection.peer_credentials().unwrap().pid, peers[winners[0]].process.id());
}

/// Whoever may open a folder can lock it, as `/tmp`, for ever.
#[test]
fn a_lock_of_the_folder_holds_up_nobody() {
    let (folder, path) = folder();
    let lock = fs::File::open(folder.path()).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let mut peer = Peer::start(module_path!(), "role_competes");
    assert_eq!(peer.process.hear(), "ready");
    tell(&peer, &Address::Path(path));
    assert_eq!(peer.process.hear(), "won");
}

fn lock_of(path: &Path) -> PathBuf {
    path.with_file_name("socket.lock")
}

/// Two processes that find the same stale file do not both replace it, however long one of them takes.
#[test]
fn an_address_that_is_just_being_taken_is_in_use() {
    let (folder, path) = folder();
    let address = Address::Path(path.clone());
    drop(bound_to(&path));
    let lock = fs::File::create(lock_of(&path)).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    assert_in_use(&address);
    assert!(path.exists() && lock_of(&path).exists());
    // The other process was killed and leaves the file, without a lock.
    drop(lock);
    let listener = Listener::bind(&address).unwrap();
    let _connection = Connection::connect(&address, Some(LONG)).unwrap();
    listener.accept(Some(LONG)).unwrap();
    drop(listener);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "neither file is left");
}

/// Whoever may write to the folder can put something else in the lock file's place.
#[test]
fn what_is_no_lock_file_is_left_alone() {
    let (folder, path) = folder();
    let (address, lock) = (Address::Path(path.clone()), lock_of(&path));
    let refused = || {
        let error = Listener::bind(&address).unwrap_err();
        assert!(matches!(error, TransportError::System { .. }), "{error}");
        let place = format!("open of the lock file ({}): ", lock.display());
        assert!(error.to_string().starts_with(&place), "{error}");
        assert!(!path.exists());
    };
    let precious = folder.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    std::os::unix::fs::symlink(&precious, &lock).unwrap();
    refused();
    fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &lock).unwrap();
    refused();
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    refused();
    fs::remove_dir(&lock).unwrap();
    mkfifoat(CWD, &lock, Mode::RWXU).unwrap();
    refused();
    fs::remove_file(&lock).unwrap();
    if getuid().is_root() {
        fs::File::create(&lock).unwrap();
        std::os::unix::fs::chown(&lock, Some(1), None).unwrap();
        refused();
        fs::remove_file(&lock).unwrap();
    }
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    Listener::bind(&address).unwrap();
}

pub(crate) fn bound_to(path: &Path) -> OwnedFd {
    let bound = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    bind(&bound, &SocketAddrUnix::new(path).unwrap()).unwrap();
    bound
}

#[test]
fn what_is_no_socket_stays() {
    let (folder, path) = folder();
    fs::write(&path, "precious").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for occupied in [&path, &link, &folder.path().to_owned()] {
        let error = Listener::bind(&Address::Path(occupied.clone())).unwrap_err();
        assert!(matches!(error, TransportError::NotASocket { .. }), "{error}");
        assert!(error.to_string().contains(&occupied.display().to_string()), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[rstest]
#[case::no_path(Address::Path(PathBuf::new()))]
#[case::long_path(Address::Path(PathBuf::from("/".repeat(109))))]
#[case::zero_byte(Address::Path(PathBuf::from("/tmp/a\0b")))]
#[case::no_name(Address::Abstract(Vec::new()))]
#[case::long_name(Address::Abstract(vec![b'a'; 108]))]
fn names_that_no_socket_can_have(#[case] address: Address) {
    for error in [Listener::bind(&address).unwrap_err(), Connection::connect(&address, None).unwrap_err()] {
        assert!(matches!(error, TransportError::BadAddress { .. }), "{error}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named_as_the_reason() {
    let (_folder, path) = folder();
    let error = Listener::bind(&Address::Path(path.join("below"))).unwrap_err();
    assert!(matches!(error, TransportError::System { .. }), "{error}");
    assert!(error.to_string().contains("folder"), "{error}");
}

#[test]
fn an_address_is_written_as_tools_write_it() {
    assert_eq!(Address::Path("/run/gpu.socket".into()).to_string(), "/run/gpu.socket");
    assert_eq!(Address::Abstract(b"gpu".to_vec()).to_string(), "@gpu");
}

pub(crate) fn tell(peer: &Peer, address: &Address) {
    let (kind, name) = match address {
        Address::Path(path) => (b'/', path.clone().into_os_string().into_vec()),
        Address::Abstract(name) => (b'@', name.clone()),
    };
    peer.connection.send(&[&[kind], &*name].concat(), &[]).unwrap();
}

pub(crate) fn told(connection: &Connection) -> Address {
    let mut bytes = connection.receive().unwrap().bytes;
    match bytes.remove(0) {
        b'/' => Address::Path(std::ffi::OsString::from_vec(bytes).into()),
        _ => Address::Abstract(bytes),
    }
}

roles! {
    fn role_connects(connection) {
        let other = Connection::connect(&told(&connection), Some(LONG)).unwrap();
        let message = other.receive().unwrap();
        connection.send(&message.bytes, &[]).unwrap();
    }

    // Runs in a process where no other test forks, because a child would hold the socket until it calls exec.
    fn role_listens_again(_) {
        let (_folder, path) = folder();
        for address in [Address::Path(path.clone()), unique_name()] {
            for _ in 0..3 {
                assert_nobody_listens(&address);
                let _listener = Listener::bind(&address).unwrap();
                assert_in_use(&address);
                // The timeout of the connect does not remain on the socket.
                let socket = UnixStream::from(Connection::connect(&address, Some(LONG)).unwrap());
                assert_eq!(socket.write_timeout().unwrap(), None);
            }
        }
        // A socket that does not listen yet is not stale.
        let bound = bound_to(&path);
        let address = Address::Path(path);
        assert_in_use(&address);
        drop(bound);
        Listener::bind(&address).unwrap();
    }

    fn role_listens(connection) {
        let listener = Listener::bind(&told(&connection)).unwrap();
        say("listening");
        listener.accept(Some(LONG)).unwrap().send(b"welcome", &[]).unwrap();
        wait_for_the_end();
    }

    fn role_competes(connection) {
        say("ready");
        match Listener::bind(&told(&connection)) {
            Ok(_listener) => {
                say("won");
                wait_for_the_end();
            }
            Err(TransportError::InUse { .. }) => say("in use"),
            Err(error) => say(&error.to_string()),
        }
    }
}

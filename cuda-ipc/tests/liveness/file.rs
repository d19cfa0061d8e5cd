//! Leases on files: whether the owner of a file lives, and whether others still use what it names.

mod forked;
mod late;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::liveness::{FileLease, FileTenancy, LivenessError};
use rstest::rstest;
use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;

use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};

const SHORT: Duration = Duration::from_millis(50);

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
    let path = folder.path().join("ticket");
    (folder, path)
}

fn beside(path: &Path) -> PathBuf {
    path.with_file_name("ticket.new")
}

/// Returns the names of a folder.
fn names(folder: &TempDir) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Starts a role with a path. The role has done its work when this returns.
fn start(role: &str, path: &Path) -> Peer {
    let mut peer = Peer::start(module_path!(), role);
    peer.connection.send(path.to_str().unwrap().as_bytes(), &[]).unwrap();
    assert_eq!(peer.process.hear(), "done");
    peer
}

fn told(connection: &cuda_ipc::transport::Connection) -> PathBuf {
    String::from_utf8(connection.receive().unwrap().bytes).unwrap().into()
}

fn assert_in_use(path: &Path) {
    let error = FileLease::publish(path, b"other").unwrap_err();
    assert!(matches!(&error, LivenessError::InUse { path: found, .. } if found == path), "{error}");
}

fn assert_abandoned(path: &Path) {
    let begin = Instant::now();
    let error = FileTenancy::open(path, SHORT).unwrap_err();
    assert!(
        matches!(&error, LivenessError::Abandoned { path: found, waited, .. } if found == path && *waited == SHORT),
        "{error}"
    );
    assert!(begin.elapsed() >= SHORT);
    assert!(error.to_string().contains("start the owner, which replaces the file"), "{error}");
}

fn assert_no_file(path: &Path) {
    let begin = Instant::now();
    let error = FileTenancy::open(path, SHORT).unwrap_err();
    assert!(
        matches!(&error, LivenessError::NoFile { path: found, waited, .. } if found == path && *waited == SHORT),
        "{error}"
    );
    assert!(begin.elapsed() >= SHORT);
}

fn assert_held(lease: &FileLease) {
    let begin = Instant::now();
    let error = lease.withdraw(SHORT).unwrap_err();
    assert!(matches!(error, LivenessError::StillHeld { waited, .. } if waited == SHORT), "{error}");
    assert!(begin.elapsed() >= SHORT);
}

#[test]
fn the_bytes_arrive_and_the_file_goes_with_its_owner() {
    let (folder, path) = folder();
    let lease = FileLease::publish(&path, b"a ticket").unwrap();
    assert_eq!(names(&folder), ["ticket"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for _ in 0..2 {
        let (tenancy, bytes) = FileTenancy::open(&path, Duration::ZERO).unwrap();
        assert_eq!(bytes, b"a ticket");
        assert!(tenancy.owner_is_alive().unwrap());
    }
    let (tenancy, _) = FileTenancy::open(&path, Duration::ZERO).unwrap();
    drop(lease);
    assert!(!tenancy.owner_is_alive().unwrap());
    assert!(names(&folder).is_empty());
    assert_no_file(&path);
}

/// The owner does not free the memory while a tenant, which opened the file before, still has it open.
#[test]
fn an_owner_waits_for_every_tenant() {
    let (folder, path) = folder();
    let lease = FileLease::publish(&path, b"a ticket").unwrap();
    let tenants: Vec<_> = (0..3).map(|_| FileTenancy::open(&path, Duration::ZERO).unwrap().0).collect();
    for tenant in tenants {
        assert_held(&lease);
        assert!(names(&folder).is_empty(), "nobody finds the file any more");
        assert!(tenant.owner_is_alive().unwrap());
    }
    lease.withdraw(Duration::ZERO).unwrap();
    lease.withdraw(Duration::ZERO).unwrap();
    assert_no_file(&path);
}

#[test]
fn waiting_ends_with_the_tenant() {
    let (_folder, path) = folder();
    let lease = FileLease::publish(&path, b"a ticket").unwrap();
    let (tenancy, _) = FileTenancy::open(&path, Duration::ZERO).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| lease.withdraw(Duration::MAX));
        drop(tenancy);
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn a_killed_owner_is_noticed_and_its_file_is_not_believed() {
    let (folder, path) = folder();
    let mut owner = start("role_publishes", &path);
    let (tenancy, bytes) = FileTenancy::open(&path, Duration::ZERO).unwrap();
    assert_eq!(bytes, b"from the role");
    assert_in_use(&path);
    assert_eq!(names(&folder), ["ticket"], "the other leaves nothing behind");
    owner.process.kill();
    assert!(!tenancy.owner_is_alive().unwrap());
    assert!(path.exists());
    assert_abandoned(&path);
    // A tenant of the killed owner does not keep the next one from its place.
    let lease = FileLease::publish(&path, b"the next").unwrap();
    assert!(!tenancy.owner_is_alive().unwrap());
    assert_eq!(FileTenancy::open(&path, Duration::ZERO).unwrap().1, b"the next");
    // Nor is it a tenant of the next one.
    lease.withdraw(Duration::ZERO).unwrap();
}

#[test]
fn a_killed_tenant_holds_nothing() {
    let (_folder, path) = folder();
    let lease = FileLease::publish(&path, b"a ticket").unwrap();
    let mut tenant = start("role_is_a_tenant", &path);
    assert_held(&lease);
    tenant.process.kill();
    lease.withdraw(Duration::ZERO).unwrap();
}

/// The owner is killed while it waits for a tenant. The tenant keeps what it has, and nobody else finds the file.
#[test]
fn an_owner_that_is_killed_while_it_withdraws_leaves_no_file() {
    let (folder, path) = folder();
    let mut owner = start("role_withdraws", &path);
    let (tenancy, _) = FileTenancy::open(&path, LONG).unwrap();
    owner.connection.send(b"withdraw", &[]).unwrap();
    assert_eq!(owner.process.hear(), "held");
    assert!(tenancy.owner_is_alive().unwrap());
    owner.process.kill();
    assert!(!tenancy.owner_is_alive().unwrap());
    assert!(names(&folder).is_empty());
}

/// A process was killed before its file was at its place: the file beside has any bytes, or none.
#[rstest]
#[case::before_it_wrote("")]
#[case::while_it_wrote("a tick")]
#[case::before_it_moved_the_file("a ticket of the dead, longer than the next")]
fn an_owner_that_was_killed_while_it_published_is_replaced(#[case] left: &str) {
    let (folder, path) = folder();
    fs::write(beside(&path), left).unwrap();
    assert_no_file(&path);
    let _lease = FileLease::publish(&path, b"a ticket").unwrap();
    assert_eq!(names(&folder), ["ticket"]);
    assert_eq!(FileTenancy::open(&path, Duration::ZERO).unwrap().1, b"a ticket");
}

/// The file beside the path is locked like the one at the path, because it becomes that one.
#[test]
fn a_path_that_is_just_being_taken_is_in_use() {
    let (_folder, path) = folder();
    // As far as the locks go, an owner of the path beside is just making the file.
    let other = FileLease::publish(beside(&path), b"a tick").unwrap();
    assert_in_use(&path);
    assert_no_file(&path);
    drop(other);
    FileLease::publish(&path, b"a ticket").unwrap();
}

/// If many processes find the same stale file at once, exactly one takes it over, and a reader sees only its bytes.
#[test]
fn one_of_many_takes_over() {
    let (folder, path) = folder();
    start("role_publishes", &path).process.kill();
    let mut peers: Vec<_> = (0..8).map(|_| start("role_competes", &path)).collect();
    peers.iter().for_each(|peer| peer.connection.send(b"go", &[]).unwrap());
    let answers: Vec<_> = peers.iter_mut().map(|peer| peer.process.hear()).collect();
    let winners: Vec<_> = (0..8).filter(|index| answers[*index] == "won").collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| *answer == "in use").count(), 7, "{answers:?}");
    let (_, bytes) = FileTenancy::open(&path, Duration::ZERO).unwrap();
    assert_eq!(bytes, peers[winners[0]].process.id().to_string().into_bytes());
    assert_eq!(names(&folder), ["ticket"]);
}

fn no_file(_: &Path) {}

fn a_stale_file(path: &Path) {
    start("role_publishes", path).process.kill();
}

fn a_file_that_nobody_owned(path: &Path) {
    fs::write(path, "from the role").unwrap();
}

/// Each state in which a waiting process finds the path.
#[rstest]
fn a_tenant_that_is_first_waits_for_the_owner(
    #[values(no_file, a_stale_file, a_file_that_nobody_owned)] prepare: fn(&Path),
) {
    let (_folder, path) = folder();
    prepare(&path);
    let (sender, found) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| sender.send(FileTenancy::open(&path, LONG).unwrap()).unwrap());
        wait_until_this_process_watches(path.parent().unwrap());
        assert!(found.try_recv().is_err(), "nothing stale is believed");
        let begin = Instant::now();
        let _lease = FileLease::publish(&path, b"the new one").unwrap();
        let (tenancy, bytes) = found.recv_timeout(LONG).unwrap();
        assert_eq!(bytes, b"the new one");
        assert!(tenancy.owner_is_alive().unwrap());
        // The report of the kernel ended the wait: a look without one comes after a second.
        assert!(begin.elapsed() < Duration::from_millis(900), "{:?}", begin.elapsed());
    });
}

/// Waits until a thread of this process watches a folder, which `/proc/self/fdinfo` lists by its inode.
fn wait_until_this_process_watches(folder: &Path) {
    let watch = format!("ino:{:x} ", fs::metadata(folder).unwrap().ino());
    let watches = |entry: fs::DirEntry| fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(&watch));
    let end = Instant::now() + LONG;
    while !fs::read_dir("/proc/self/fdinfo").unwrap().any(|entry| watches(entry.unwrap())) {
        assert!(Instant::now() < end, "the thread never watched the folder");
        thread::yield_now();
    }
}

#[test]
fn a_folder_that_is_made_later() {
    let (folder, _) = folder();
    let path = folder.path().join("below/ticket");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| FileTenancy::open(&path, LONG).unwrap().1);
        fs::create_dir(path.parent().unwrap()).unwrap();
        let lease = FileLease::publish(&path, b"a ticket").unwrap();
        assert_eq!(waiting.join().unwrap(), b"a ticket");
        lease.withdraw(LONG).unwrap();
    });
}

fn a_folder(path: &Path) {
    fs::create_dir(path).unwrap();
}

fn a_link(path: &Path) {
    symlink("/etc/hostname", path).unwrap();
}

fn a_pipe(path: &Path) {
    mkfifoat(CWD, path, Mode::RWXU).unwrap();
}

/// Only root can make one. For others, this case repeats the first.
fn a_file_of_another_user(path: &Path) {
    if !rustix::process::getuid().is_root() {
        return a_folder(path);
    }
    fs::write(path, "precious").unwrap();
    std::os::unix::fs::chown(path, Some(1), None).unwrap();
}

/// What stands at the path, or beside it, and is not a file of this user stays. It is an error at once.
#[rstest]
fn what_is_no_file_of_this_user_is_left_alone(
    #[values(a_folder, a_link, a_pipe, a_file_of_another_user)] prepare: fn(&Path),
    #[values(false, true)] is_beside: bool,
) {
    let (_folder, path) = folder();
    let place = if is_beside { beside(&path) } else { path.clone() };
    prepare(&place);
    let before = fs::symlink_metadata(&place).unwrap();
    let assert_named = |error: LivenessError| match error {
        LivenessError::System(error) => assert!(error.to_string().contains(place.to_str().unwrap()), "{error}"),
        other => panic!("{other}"),
    };
    assert_named(FileLease::publish(&path, b"a ticket").unwrap_err());
    if !is_beside {
        assert_named(FileTenancy::open(&path, LONG).unwrap_err());
    }
    let after = fs::symlink_metadata(&place).unwrap();
    assert_eq!((after.ino(), after.len()), (before.ino(), before.len()));
}

#[test]
fn an_owner_removes_its_own_file_only() {
    let (_folder, path) = folder();
    let lease = FileLease::publish(&path, b"a ticket").unwrap();
    fs::remove_file(&path).unwrap();
    let _successor = FileLease::publish(&path, b"the next").unwrap();
    lease.withdraw(Duration::ZERO).unwrap();
    drop(lease);
    assert_eq!(FileTenancy::open(&path, Duration::ZERO).unwrap().1, b"the next");
}

/// A file that is as long as possible is published again and again. Readers find all of it or nothing.
#[test]
fn a_reader_never_finds_a_part() {
    let (_folder, path) = folder();
    let bytes = vec![7; 16 << 20];
    thread::scope(|scope| {
        let publishing = scope.spawn(|| {
            for _ in 0..20 {
                FileLease::publish(&path, &bytes).unwrap().withdraw(LONG).unwrap();
            }
        });
        while !publishing.is_finished() {
            if let Ok((_tenancy, found)) = FileTenancy::open(&path, Duration::ZERO) {
                assert_eq!(found.len(), bytes.len());
            }
        }
    });
}

/// Threads publish and drop as fast as they can. None is disturbed by a file that another one has just moved or
/// removed.
#[test]
fn owners_that_come_and_go_do_not_disturb_each_other() {
    let (folder, path) = folder();
    let own_some = &|name: u8| {
        let mut left = 100;
        while left > 0 {
            match FileLease::publish(&path, &[name]) {
                Ok(_lease) => {
                    assert_eq!(fs::read(&path).unwrap(), [name]);
                    left -= 1;
                }
                Err(LivenessError::InUse { .. }) => thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|name| drop(scope.spawn(move || own_some(name)))));
    assert!(names(&folder).is_empty());
}

#[test]
fn the_longest_file_is_16_mib() {
    let (_folder, path) = folder();
    let longest = vec![7; 16 << 20];
    let lease = FileLease::publish(&path, &longest).unwrap();
    assert!(FileTenancy::open(&path, Duration::ZERO).unwrap().1 == longest);
    // Its owner makes it longer than any owner can publish.
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len((16 << 20) + 1).unwrap();
    let is_too_large = |error: &LivenessError| match error {
        LivenessError::System(error) => {
            error.source.kind() == ErrorKind::FileTooLarge && error.path.as_deref() == Some(path.as_path())
        }
        _ => false,
    };
    let error = FileTenancy::open(&path, Duration::ZERO).unwrap_err();
    assert!(is_too_large(&error), "{error}");
    drop(lease);
    let error = FileLease::publish(&path, &vec![7; (16 << 20) + 1]).unwrap_err();
    assert!(is_too_large(&error), "{error}");
    assert!(error.to_string().ends_with("16777217 bytes are too many: at most 16777216 can be published"), "{error}");
    assert!(!path.exists());
}

roles! {
    fn role_publishes(connection) {
        let _lease = FileLease::publish(told(&connection), b"from the role").unwrap();
        say("done");
        wait_for_the_end();
    }

    fn role_is_a_tenant(connection) {
        let (_tenancy, bytes) = FileTenancy::open(told(&connection), LONG).unwrap();
        assert_eq!(bytes, b"a ticket");
        say("done");
        wait_for_the_end();
    }

    fn role_withdraws(connection) {
        let lease = FileLease::publish(told(&connection), b"a ticket").unwrap();
        say("done");
        connection.receive().unwrap();
        assert_held(&lease);
        say("held");
        let _ = lease.withdraw(Duration::MAX);
    }

    fn role_competes(connection) {
        let path = told(&connection);
        say("done");
        connection.receive().unwrap();
        match FileLease::publish(path, std::process::id().to_string().as_bytes()) {
            Ok(_lease) => {
                say("won");
                wait_for_the_end();
            }
            Err(LivenessError::InUse { .. }) => say("in use"),
            Err(error) => say(&error.to_string()),
        }
    }
}

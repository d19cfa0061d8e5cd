//! Processes that connect to a rank, or listen where it does, and send anything.

use std::fs::Permissions;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cuda_ipc::transport::{Address, Connection, Group, Listener, TransportError};
use rstest::rstest;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

use super::{PATIENCE, frame, greeting, hello, socket_of};
use crate::addresses::folder;
use crate::peer::with_timeout;
use crate::raw::Traced;

/// Whoever may write to the folder can connect to a rank. The group is formed nevertheless.
#[test]
fn strangers_do_not_keep_a_group_from_forming() {
    let (_folder, path) = folder();
    let traced = Traced::new();
    thread::scope(|scope| {
        let first = scope.spawn(|| Group::join(&path, 0, 2, PATIENCE).unwrap());
        let silent = greeting(&path, 0);
        let mut strangers = vec![silent];
        for (bytes, descriptors) in [
            (b"what?".to_vec(), 0),
            (Vec::new(), 0),
            (hello(0, 2), 0), // Rank 0 itself.
            (hello(2, 2), 0), // No rank of this group.
            (hello(7, 3), 0), // No rank of any group.
            (hello(1, 2), 1), // A rank greets without descriptors.
            ([hello(1, 2), vec![0]].concat(), 0),
            (frame(b"CGB", 0), 0),
        ] {
            let stranger = greeting(&path, 0);
            stranger.send(&bytes, &traced.times(descriptors)).unwrap();
            // Rank 0 has closed its end.
            assert!(stranger.receive().unwrap_err().is_disconnected());
            strangers.push(stranger);
        }
        let raw = UnixStream::from(greeting(&path, 0));
        crate::raw::send(&raw, b"GET / HTTP/1.1\r\n", &[]);
        let second = Group::join(&path, 1, 2, PATIENCE).unwrap();
        let first = first.join().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| first.finish(PATIENCE).unwrap());
            second.finish(PATIENCE).unwrap();
        });
    });
    traced.assert_closed();
}

/// A process of another user is no rank, even if it may open the socket and greets as one. Only root can start it.
#[test]
fn another_user_does_not_join() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::getuid().is_root() {
        return;
    }
    let (folder, path) = folder();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    thread::scope(|scope| {
        let first = scope.spawn(|| Group::join(&path, 0, 2, PATIENCE)?.finish(PATIENCE));
        drop(greeting(&path, 0));
        std::fs::set_permissions(socket_of(&path, 0), Permissions::from_mode(0o777)).unwrap();
        let stranger = scope.spawn(|| {
            // SAFETY: the system call itself, without the C library, changes the user of this thread alone.
            assert_eq!(unsafe { libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) }, 0);
            let stranger = with_timeout(Connection::connect(&Address::Path(socket_of(&path, 0)), PATIENCE).unwrap());
            // Rank 0 may have closed its end already.
            let _ = stranger.send(&hello(1, 2), &[]);
            assert!(stranger.receive().unwrap_err().is_disconnected());
        });
        stranger.join().unwrap();
        let second = Group::join(&path, 1, 2, PATIENCE).unwrap();
        second.finish(PATIENCE).unwrap();
        first.join().unwrap().unwrap();
    });
}

/// Who says that it is this rank, or a lower one, which does not connect to this one, is refused.
#[rstest]
fn a_lower_rank_does_not_connect(#[values(0, 1)] rank: u32) {
    let (_folder, path) = folder();
    thread::scope(|scope| {
        let second = scope.spawn(|| Group::join(&path, 1, 2, PATIENCE)?.finish(PATIENCE));
        let stranger = greeting(&path, 1);
        let file = sealed(SealFlags::SHRINK);
        let files = [file.as_fd()];
        stranger.send(&hello(rank, 2), &files[usize::try_from(rank).unwrap()..]).unwrap();
        assert!(stranger.receive().unwrap_err().is_disconnected());
        Group::join(&path, 0, 2, PATIENCE).unwrap().finish(PATIENCE).unwrap();
        second.join().unwrap().unwrap();
    });
}

/// Who listens where rank 0 does, and says that it is rank 2, is refused.
#[test]
fn a_rank_at_the_socket_of_another_is_refused() {
    let (_folder, path) = folder();
    let listener = Listener::bind(&Address::Path(socket_of(&path, 0))).unwrap();
    thread::scope(|scope| {
        let joining = scope.spawn(|| Group::join(&path, 1, 3, Some(Duration::from_millis(300))).unwrap_err());
        let stranger = with_timeout(listener.accept(PATIENCE).unwrap());
        stranger.send(&hello(2, 3), &[]).unwrap();
        let error = joining.join().unwrap();
        assert!(matches!(&error, TransportError::RanksMissing { ranks, .. } if *ranks == [0, 2]), "{error}");
    });
}

fn sealed(seals: SealFlags) -> OwnedFd {
    let file = memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
    fcntl_add_seals(&file, seals).unwrap();
    file
}

/// What says that it is rank 0 has to bring the file in which deaths are noted, and nothing else.
#[rstest]
#[case::no_file(Vec::new())]
#[case::two_files(vec![sealed(SealFlags::SHRINK), sealed(SealFlags::SHRINK)])]
#[case::a_file_without_seals(vec![sealed(SealFlags::empty())])]
#[case::another_file(vec![UnixStream::pair().unwrap().0.into()])]
fn a_rank_0_without_the_file_of_deaths_is_ignored(#[case] files: Vec<OwnedFd>) {
    let (_folder, path) = folder();
    let listener = Listener::bind(&Address::Path(socket_of(&path, 0))).unwrap();
    thread::scope(|scope| {
        let joining = scope.spawn(|| Group::join(&path, 1, 2, PATIENCE).unwrap());
        let refused = with_timeout(listener.accept(PATIENCE).unwrap());
        refused.send(&hello(0, 2), &files.iter().map(|file| file.as_fd()).collect::<Vec<_>>()).unwrap();
        assert_eq!(refused.receive().unwrap().bytes, hello(1, 2));
        assert!(refused.receive().unwrap_err().is_disconnected());
        // It is not the last attempt.
        drop(listener);
        let first = Group::join(&path, 0, 2, PATIENCE).unwrap();
        let second = joining.join().unwrap();
        scope.spawn(|| first.finish(PATIENCE).unwrap());
        second.finish(PATIENCE).unwrap();
    });
}

/// Rank 0 has noted something before, or has closed the file for further notes.
#[rstest]
#[case::nothing(&[], SealFlags::SHRINK, 0)]
#[case::no_rank(&[9, 0, 0, 0], SealFlags::SHRINK, 0)]
#[case::the_number_of_ranks(&[3, 0, 0, 0], SealFlags::SHRINK, 0)]
#[case::half_a_number(&[2, 0], SealFlags::SHRINK, 0)]
#[case::another_rank(&[2, 0, 0, 0], SealFlags::SHRINK, 2)]
#[case::no_notes(&[], SealFlags::SHRINK | SealFlags::WRITE | SealFlags::GROW, 0)]
fn any_notes_name_a_rank(#[case] notes: &[u8], #[case] seals: SealFlags, #[case] expected: usize) {
    let (_folder, path) = folder();
    let listener = Listener::bind(&Address::Path(socket_of(&path, 0))).unwrap();
    let file = sealed(SealFlags::empty());
    rustix::io::pwrite(&file, notes, 0).unwrap();
    fcntl_add_seals(&file, seals).unwrap();
    thread::scope(|scope| {
        let joining = scope.spawn(|| Group::join(&path, 1, 3, PATIENCE).unwrap_err());
        let connection = with_timeout(listener.accept(PATIENCE).unwrap());
        assert_eq!(connection.receive().unwrap().bytes, hello(1, 3));
        connection.send(&hello(0, 3), &[file.as_fd()]).unwrap();
        drop(connection);
        let error = joining.join().unwrap();
        assert!(matches!(error, TransportError::RankDied { rank, .. } if rank == expected), "{error}");
    });
}

fn is_out_of_step(error: &TransportError) -> bool {
    matches!(error, TransportError::OutOfStep { rank: 1, .. })
}

fn is_other_protocol(error: &TransportError) -> bool {
    matches!(error, TransportError::OtherProtocol)
}

/// A rank whose bytes are no message has not died.
#[test]
fn a_rank_without_messages_ends_the_group() {
    let (_folder, path) = folder();
    thread::scope(|scope| {
        let path = &path;
        let first = scope.spawn(move || {
            let joined = Group::join(path, 0, 2, PATIENCE);
            joined.and_then(|mut group| group.barrier(PATIENCE)).unwrap_err()
        });
        let rank = greeting(path, 0);
        rank.send(&hello(1, 2), &[]).unwrap();
        rank.send(&frame(b"CGB", 0), &[]).unwrap();
        assert_eq!(rank.receive().unwrap().bytes, frame(b"CGB", 0));
        let rank = UnixStream::from(rank);
        crate::raw::send(&rank, b"GET / HTTP/1.1\r\n", &[]);
        let error = first.join().unwrap();
        assert!(matches!(error, TransportError::OtherProtocol), "{error}");
    });
}

/// A rank sends something else than its next message.
#[rstest]
#[case::no_frame(&[b"what?".to_vec()], is_other_protocol)]
#[case::nothing(&[Vec::new()], is_other_protocol)]
#[case::another_version(&[b"CGB\x02\x01\0\0\0\0\0\0\0".to_vec()], is_other_protocol)]
#[case::a_second_greeting(&[hello(1, 2)], is_out_of_step)]
#[case::an_old_step(&[frame(b"CGB", 0)], is_out_of_step)]
#[case::a_later_step(&[frame(b"CGB", 2)], is_out_of_step)]
#[case::another_step(&[frame(b"CGG", 1)], is_out_of_step)]
#[case::the_end(&[frame(b"CGF", 1)], is_out_of_step)]
#[case::many_steps(&[frame(b"CGB", 1), frame(b"CGB", 2), frame(b"CGB", 3)], is_out_of_step)]
fn a_rank_that_breaks_the_protocol_ends_the_group(
    #[case] messages: &[Vec<u8>],
    #[case] is_expected: fn(&TransportError) -> bool,
) {
    let (_folder, path) = folder();
    let (sent, all_sent) = mpsc::sync_channel(1);
    thread::scope(|scope| {
        let path = &path;
        // The messages may arrive before rank 0 has passed the barrier at the end of `join`.
        let first = scope.spawn(move || match Group::join(path, 0, 2, PATIENCE) {
            Ok(mut group) => {
                // A first step that is right would let the barrier pass before the second one arrives.
                all_sent.recv().unwrap();
                [group.barrier(PATIENCE).unwrap_err(), group.check().unwrap_err()]
            }
            Err(error) => [error.clone(), error],
        });
        let rank = greeting(path, 0);
        rank.send(&hello(1, 2), &[]).unwrap();
        rank.send(&frame(b"CGB", 0), &[]).unwrap();
        assert_eq!(rank.receive().unwrap().bytes, frame(b"CGB", 0));
        messages.iter().for_each(|message| rank.send(message, &[]).unwrap());
        // Nobody receives it if `join` has failed.
        let _ = sent.send(());
        let [error, again] = first.join().unwrap();
        assert!(is_expected(&error), "{error}");
        assert_eq!(error.to_string(), again.to_string());
    });
}

//! Frames between two processes: they arrive whole, or the receiver learns what is missing.

use std::io::{ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use peer::wire::{Channel, LONGEST_FRAME, MOST_DESCRIPTORS, ReceiveError};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use rstest::rstest;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

/// The kernel's SCM_MAX_FD: the most descriptors that one message carries.
const MOST_CARRIED: usize = 253;

proptest! {
    #[test]
    fn any_bytes_arrive(bytes in vec(any::<u8>(), 0..4096)) {
        let (one, other) = Channel::pair().unwrap();
        one.send(&bytes, &[], None).unwrap();
        prop_assert_eq!(other.receive(None).unwrap().bytes, bytes);
    }

    /// A stream that ends inside a frame is truncated, and one that ends between frames is closed.
    #[test]
    fn a_truncated_frame_is_reported(bytes in vec(any::<u8>(), 1..512), cut: usize) {
        let mut stream = u32::try_from(bytes.len()).unwrap().to_le_bytes().to_vec();
        stream.extend(&bytes);
        let kept = cut % stream.len();
        let (one, other) = Channel::pair().unwrap();
        let socket = one.into_socket();
        rustix::io::write(&socket, &stream[..kept]).unwrap();
        drop(socket);
        match other.receive(None) {
            Err(ReceiveError::Closed) => prop_assert_eq!(kept, 0),
            Err(ReceiveError::Truncated { .. }) => prop_assert!(kept > 0),
            other => prop_assert!(false, "{} of {} bytes gave {:?}", kept, stream.len(), other),
        }
    }
}

#[test]
fn a_length_above_the_limit_is_refused_before_anything_is_read() {
    let (one, other) = Channel::pair().unwrap();
    rustix::io::write(one.into_socket(), &(LONGEST_FRAME as u32 + 1).to_le_bytes()).unwrap();
    assert!(matches!(other.receive(None), Err(ReceiveError::TooLong(_))));
}

#[test]
fn descriptors_arrive_with_their_frame_and_close_on_exec() {
    let (one, other) = Channel::pair().unwrap();
    let file = tempfile::tempfile().unwrap();
    one.send(b"with two", &[file.as_fd(), file.as_fd()], None).unwrap();
    let frame = other.receive(None).unwrap();
    assert_eq!(frame.descriptors.len(), 2);
    for descriptor in &frame.descriptors {
        assert!(rustix::io::fcntl_getfd(descriptor).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
    }
    assert!(one.send(b"too many", &vec![file.as_fd(); MOST_DESCRIPTORS + 1], None).is_err());
}

/// The receiver reports descriptors that do not fit its room as lost. The kernel does not send more than its limit.
#[rstest]
#[case::more_than_the_receiver_has_room_for(2 * MOST_DESCRIPTORS)]
#[case::as_many_as_the_kernel_carries(MOST_CARRIED)]
#[case::more_than_the_kernel_carries(MOST_CARRIED + 1)]
fn lost_descriptors_are_reported(#[case] count: usize) {
    let (one, other) = Channel::pair().unwrap();
    let file = tempfile::tempfile().unwrap();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_CARRIED + 1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = vec![file.as_fd(); count];
    assert!(ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)));
    // A frame of no bytes is only a header, which carries the descriptors.
    let header = 0_u32.to_le_bytes();
    let sent = sendmsg(one.into_socket(), &[IoSlice::new(&header)], &mut ancillary, SendFlags::NOSIGNAL);
    if count > MOST_CARRIED {
        assert_eq!(sent, Err(Errno::INVAL));
        return;
    }
    assert_eq!(sent, Ok(header.len()));
    let lost = other.receive(None).unwrap_err();
    assert!(matches!(lost, ReceiveError::DescriptorsLost) && lost.to_string().contains("RLIMIT_NOFILE"), "{lost}");
}

/// A message that does not fit the socket waits for its reader until the deadline, and no longer.
#[test]
fn a_message_that_nobody_reads_has_a_deadline() {
    let (one, other) = Channel::pair().unwrap();
    let deadline = Instant::now() + Duration::from_millis(50);
    let sent = one.send(&vec![1; 1 << 20], &[], Some(deadline)).unwrap_err();
    assert_eq!(sent.kind(), ErrorKind::TimedOut);
    assert!(Instant::now() >= deadline);
    drop(other);
}

/// A message that does not fit the socket arrives if the other side reads it.
#[test]
fn a_message_longer_than_the_socket_arrives() {
    let (one, other) = Channel::pair().unwrap();
    let reader = std::thread::spawn(move || other.receive(None).unwrap().bytes.len());
    one.send(&vec![1; 4 << 20], &[], Some(Instant::now() + Duration::from_secs(60))).unwrap();
    assert_eq!(reader.join().unwrap(), 4 << 20);
}

/// The end of the watched process closes the connection, although the other end of the socket is still open. What the
/// process sent before arrives first.
#[test]
fn a_watched_process_that_ends_closes_its_connection() {
    let (mut one, other) = Channel::pair().unwrap();
    let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_child(&child);
    one.watch(pidfd_open(pid, PidfdFlags::empty()).unwrap());
    other.send(b"the last words", &[], None).unwrap();
    assert!(!one.has_ended(Instant::now()).unwrap());
    child.kill().unwrap();
    assert_eq!(one.receive(None).unwrap().bytes, b"the last words");
    assert!(matches!(one.receive(None), Err(ReceiveError::Closed)));
    assert!(one.is_ready(None).unwrap() && one.has_ended(Instant::now()).unwrap());
    let unread = one.send(&vec![1; 1 << 20], &[], None).unwrap_err();
    assert_eq!(unread.kind(), ErrorKind::BrokenPipe);
    child.wait().unwrap();
}

/// Marks the second process of the next test.
const WAITS: &str = "PEER_TEST_WAITS";

/// The time in which a process is stopped does not count: whoever must send was stopped too, and goes on only now.
#[test]
fn a_deadline_does_not_pass_while_the_process_is_stopped() {
    const DEADLINE: Duration = Duration::from_secs(2);
    if std::env::var_os(WAITS).is_some() {
        let channel = peer::inherited().unwrap();
        channel.send(b"waits", &[], None).unwrap();
        channel.receive(Some(Instant::now() + DEADLINE)).unwrap();
        return;
    }
    let (mut command, channel) = peer::command().unwrap();
    command.env(WAITS, "1").args(["--exact", "a_deadline_does_not_pass_while_the_process_is_stopped"]);
    let mut child = command.spawn().unwrap();
    channel.receive(Some(Instant::now() + 5 * DEADLINE)).unwrap();
    let process = Pid::from_child(&child);
    kill_process(process, Signal::STOP).unwrap();
    // Its deadline passes meanwhile.
    std::thread::sleep(DEADLINE + DEADLINE / 2);
    kill_process(process, Signal::CONT).unwrap();
    // The kernel lets the wait that was interrupted begin again. A process that gives up does so after that.
    std::thread::sleep(DEADLINE / 4);
    // If the process has given up, its exit code says so.
    let _ = channel.send(b"late", &[], None);
    assert!(child.wait().unwrap().success());
}

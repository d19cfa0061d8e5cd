//! Messages between runner and roles.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;

use conformance::wire::{Channel, LONGEST_FRAME, MOST_DESCRIPTORS, ReceiveError};
use conformance::{Outcome, check, random};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRng, TestRunner};
use rstest::rstest;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::suite::harness;

/// The kernel's SCM_MAX_FD.
const MOST_CARRIED: usize = 253;

/// A runner of properties whose cases follow from the seed of the run.
fn properties() -> TestRunner {
    let seed: [u8; 32] = std::array::from_fn({
        let mut random = random();
        move |_| random.u8(..)
    });
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

fn broken(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// Any bytes arrive as they were sent.
#[rstest]
#[conformance::test()]
fn any_bytes_arrive() -> Outcome {
    let property = |bytes: Vec<u8>| {
        let (one, other) = Channel::pair().map_err(broken)?;
        one.send(&bytes, &[]).map_err(broken)?;
        let frame = other.receive(None).map_err(broken)?;
        if frame.bytes == bytes { Ok(()) } else { Err(broken("the bytes differ")) }
    };
    properties().run(&vec(any::<u8>(), 0..4096), property).map_err(harness)
}

/// A stream that ends inside a message is told as cut, and one that ends between messages as closed.
#[rstest]
#[conformance::test()]
fn a_cut_message_is_told() -> Outcome {
    let property = |(bytes, cut): (Vec<u8>, usize)| {
        let mut stream = u32::try_from(bytes.len()).map_err(broken)?.to_le_bytes().to_vec();
        stream.extend(&bytes);
        let kept = cut % stream.len();
        let (one, other) = Channel::pair().map_err(broken)?;
        let socket = one.into_socket();
        rustix::io::write(&socket, &stream[..kept]).map_err(broken)?;
        drop(socket);
        match other.receive(None) {
            Err(ReceiveError::Closed) if kept == 0 => Ok(()),
            Err(ReceiveError::Truncated { .. }) if kept > 0 => Ok(()),
            other => Err(broken(format!("{kept} of {} bytes gave {other:?}", stream.len()))),
        }
    };
    properties().run(&(vec(any::<u8>(), 1..512), any::<usize>()), property).map_err(harness)
}

/// A length that no message has is refused before anything is read.
#[rstest]
#[conformance::test()]
fn a_senseless_length_is_refused() -> Outcome {
    let (one, other) = Channel::pair().map_err(harness)?;
    rustix::io::write(one.into_socket(), &(LONGEST_FRAME as u32 + 1).to_le_bytes()).map_err(harness)?;
    check!(matches!(other.receive(None), Err(ReceiveError::TooLong(_))));
    Ok(())
}

/// Descriptors arrive with their message, closed on exec; more than fit are not sent.
#[rstest]
#[conformance::test()]
fn descriptors_arrive() -> Outcome {
    let (one, other) = Channel::pair().map_err(harness)?;
    let file = tempfile::tempfile().map_err(harness)?;
    one.send(b"with two", &[file.as_fd(), file.as_fd()]).map_err(harness)?;
    let frame = other.receive(None).map_err(harness)?;
    check!(frame.descriptors.len() == 2, "{} descriptors arrived", frame.descriptors.len());
    for descriptor in &frame.descriptors {
        let flags = rustix::io::fcntl_getfd(descriptor).map_err(harness)?;
        check!(flags.contains(rustix::io::FdFlags::CLOEXEC), "a descriptor would be inherited");
    }
    check!(one.send(b"too many", &vec![file.as_fd(); MOST_DESCRIPTORS + 1]).is_err());
    Ok(())
}

/// Descriptors that do not fit the receiver's room are told as lost, and more than the kernel carries are not sent.
#[rstest]
#[case::more_than_there_is_room_for(2 * MOST_DESCRIPTORS)]
#[case::as_many_as_the_kernel_carries(MOST_CARRIED)]
#[case::more_than_the_kernel_carries(MOST_CARRIED + 1)]
#[conformance::test("VMM-IMP-029", needs(gpus = 0))]
fn lost_descriptors_are_told(#[case] count: usize) -> Outcome {
    let (one, other) = Channel::pair().map_err(harness)?;
    let file = tempfile::tempfile().map_err(harness)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_CARRIED + 1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = vec![file.as_fd(); count];
    check!(ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)));
    // A message of no bytes: its header, which the descriptors ride on, is all of it.
    let header = 0_u32.to_le_bytes();
    let sent = sendmsg(one.into_socket(), &[IoSlice::new(&header)], &mut ancillary, SendFlags::NOSIGNAL);
    if count > MOST_CARRIED {
        check!(sent == Err(Errno::INVAL), "{count} descriptors: {sent:?}");
        return Ok(());
    }
    check!(sent == Ok(header.len()), "{count} descriptors: {sent:?}");
    let received = other.receive(None);
    check!(matches!(received, Err(ReceiveError::DescriptorsLost)), "{count} descriptors gave {received:?}");
    Ok(())
}

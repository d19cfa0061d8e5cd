//! The module `python/cuda_ipc_ticket.py` reads and writes the same tickets and messages as this crate.

use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use cuda_ipc::Parcel;
use cuda_ipc::ticket::{Contents, Handle, PhysicalMemory, Ticket};
use cuda_ipc::transport::Connection;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use rstest::rstest;

use crate::golden::UNSEALED;
use crate::{contents, generate, rewritten};

const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python");

/// Writes each ticket that it reads, or why it refuses the bytes.
const READER: &str = "
import sys
from cuda_ipc_ticket import Ticket, TicketError
for line in sys.stdin:
    try:
        print(Ticket.from_bytes(bytes.fromhex(line)).to_bytes().hex())
    except TicketError as error:
        print('refused:', error)
";

/// Sends back what it receives, with the key and the kind of message that its arguments name.
const ECHO: &str = "
import os, socket, sys
from cuda_ipc_ticket import receive, receive_with, send
connection, key = socket.socket(fileno=0), bytes.fromhex(sys.argv[1]) or None
if sys.argv[2] == 'alone':
    ticket, descriptors = receive(connection, key)
    message = None
else:
    ticket, descriptors, message = receive_with(connection, key)
send(connection, ticket, descriptors, message, key)
";

fn python(script: &str) -> Command {
    let mut python = Command::new("python3");
    python.args(["-B", "-c", script]).env("PYTHONPATH", MODULE);
    python
}

fn echo(key: &str, message: &str) -> (Child, Connection) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut python = python(ECHO);
    let child = python.args([key, message]).stdin(OwnedFd::from(theirs)).spawn().expect("python3 is installed");
    let mut connection = Connection::from(ours);
    connection.set_timeout(Some(std::time::Duration::from_secs(60)));
    (child, connection)
}

/// Returns tickets, half of them with a few changed bytes and a valid checksum.
fn samples() -> Vec<Vec<u8>> {
    let mut runner = TestRunner::default();
    let change = (any::<prop::sample::Index>(), prop_oneof![Just(0), Just(0xFF), any::<u8>()]);
    let changes = prop_oneof![Just(Vec::new()), prop::collection::vec(change, 1..4)];
    let sample = (generate::ticket(), changes).prop_map(|(ticket, changes)| {
        rewritten(&ticket.to_bytes(), |bytes| {
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        })
    });
    (0..4000).map(|_| sample.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
#[ignore = "needs python3: .ci/run python"]
fn both_read_the_same_tickets() {
    let samples: Vec<_> = UNSEALED.iter().map(|ticket| ticket.to_vec()).chain(samples()).collect();
    let mut reader = python(READER).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 is installed");
    let mut input = reader.stdin.take().unwrap();
    let lines: String = samples.iter().map(|bytes| hex(bytes) + "\n").collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = reader.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let answers: Vec<_> = str::from_utf8(&output.stdout).unwrap().lines().collect();
    assert_eq!(answers.len(), samples.len());
    let mut refused = 0;
    for (bytes, answer) in samples.iter().zip(answers) {
        match Ticket::from_bytes(bytes) {
            Ok(_) => assert_eq!(answer, hex(bytes)),
            Err(error) => {
                refused += 1;
                assert!(answer.starts_with("refused: "), "this crate refuses it ({error}): {}", hex(bytes));
            }
        }
    }
    assert!((200..2000).contains(&refused), "{refused} of {} were refused", samples.len());
}

#[rstest]
#[case::without_descriptors(0)]
#[case::a_batch(253)]
#[case::several_batches(600)]
#[ignore = "needs python3: .ci/run python"]
fn a_parcel_comes_back(
    #[case] chunks: u16,
    #[values("alone", "with")] message: &str,
    #[values(false, true)] lease: bool,
) {
    let mut parcel = parcel(chunks);
    let lease = lease.then(|| parcel.lease().unwrap());
    let (mut child, connection) = echo("", message);
    let back = if message == "alone" {
        parcel.send(&connection).unwrap();
        Parcel::receive(&connection).unwrap()
    } else {
        parcel.send_with(&connection, b"frame 7").unwrap();
        let (back, message) = Parcel::receive_with(&connection).unwrap();
        assert_eq!(message, b"frame 7");
        back
    };
    assert!(child.wait().unwrap().success());
    assert_eq!((&back.ticket, back.descriptors.len()), (&parcel.ticket, parcel.descriptors.len()));
    for (sent, received) in parcel.descriptors.iter().zip(&back.descriptors) {
        assert_eq!(inode(sent), inode(received));
    }
    assert_eq!(back.tenancy.is_some(), lease.is_some());
}

#[cfg(feature = "mac")]
#[rstest]
#[ignore = "needs python3: .ci/run python"]
fn a_sealed_parcel_comes_back(#[values(0, 2)] chunks: u16) {
    use cuda_ipc::ticket::Key;
    let (parcel, key) = (parcel(chunks), Key::from_bytes([0xA5; 32]));
    let (mut child, connection) = echo(&"a5".repeat(32), "alone");
    parcel.send_sealed(&connection, &key).unwrap();
    assert_eq!(Parcel::receive_sealed(&connection, &key).unwrap().ticket, parcel.ticket);
    assert!(child.wait().unwrap().success());

    let (mut child, connection) = echo(&"a5".repeat(32), "with");
    parcel.send_sealed_with(&connection, &key, b"frame 7").unwrap();
    let (back, message) = Parcel::receive_sealed_with(&connection, &key).unwrap();
    assert_eq!((back.ticket, &*message), (parcel.ticket, &b"frame 7"[..]));
    assert!(child.wait().unwrap().success());
}

/// Returns a parcel with so many chunks of virtual memory, each with a descriptor of its own, or with legacy memory.
fn parcel(chunks: u16) -> Parcel {
    use cuda_ipc::ipc::MemHandle;
    use cuda_ipc::ticket::{Chunk, Chunks};
    use cuda_ipc::vmm::Access;
    if chunks == 0 {
        return Parcel::of(Ticket::new(contents(Handle::LegacyMemory(MemHandle::from_bytes([7; 64])))).unwrap());
    }
    let list = (0..chunks).map(|index| Chunk { size: 2 << 20, handle: chunks - 1 - index }).collect();
    let memory = PhysicalMemory { granularity: 2 << 20, access: Access::Read, chunks: Chunks::Descriptors(list) };
    let size = u64::from(chunks) * (2 << 20);
    let ticket = Ticket::new(Contents { size, ..contents(Handle::PhysicalMemory(memory)) }).unwrap();
    let descriptors = (0..chunks).map(|_| UnixStream::pair().unwrap().0.into()).collect();
    Parcel { descriptors, ..Parcel::of(ticket) }
}

fn inode(descriptor: &OwnedFd) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::File::from(descriptor.as_fd().try_clone_to_owned().unwrap()).metadata().unwrap().ino()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Other processes. A peer performs one step after the other, as it is told; memory travels as it does between
//! programs: descriptors as rights of a socket, fabric handles as bytes.
#![allow(dead_code, reason = "no test uses everything")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::ptr;

use cuda_ipc_sys::{CUdevice_attribute, CUmemAccess_flags, CUmemAllocationHandleType, CUmemLocation, CUresult};

use crate::calls::{self, Access, Answer, Types};

/// What a peer is told: a number that names it, its arguments, and 64 bytes.
#[derive(Clone, Copy)]
enum Step {
    Create,
    Release,
    Map,
    Unmap,
    Grant,
    Read,
    Write,
    FreeBytes,
    ExportDescriptor,
    ImportDescriptor,
    ExportFabric,
    ImportFabric,
    Attribute,
    CreateMulticast,
    AddDevice,
    Bind,
}

impl Step {
    const ALL: [Self; 16] = [
        Self::Create,
        Self::Release,
        Self::Map,
        Self::Unmap,
        Self::Grant,
        Self::Read,
        Self::Write,
        Self::FreeBytes,
        Self::ExportDescriptor,
        Self::ImportDescriptor,
        Self::ExportFabric,
        Self::ImportFabric,
        Self::Attribute,
        Self::CreateMulticast,
        Self::AddDevice,
        Self::Bind,
    ];
}

/// Words and bytes, one way or the other.
#[derive(Clone, Copy)]
struct Message {
    words: [u64; 4],
    bytes: [u8; 64],
}

impl Message {
    fn to_wire(self) -> [u8; 96] {
        let mut wire = [0; 96];
        for (place, word) in wire.chunks_exact_mut(8).zip(self.words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        wire[32..].copy_from_slice(&self.bytes);
        wire
    }

    fn from_wire(wire: &[u8; 96]) -> Self {
        let mut message = Self { words: [0; 4], bytes: [0; 64] };
        for (word, place) in message.words.iter_mut().zip(wire.chunks_exact(8)) {
            *word = u64::from_le_bytes(place.try_into().expect("8 bytes"));
        }
        message.bytes.copy_from_slice(&wire[32..]);
        message
    }
}

pub(crate) struct Peer {
    process: Child,
    socket: UnixStream,
}

impl Peer {
    /// A process with a context, on the machine of the others.
    pub(crate) fn new(environment: &[(&str, &str)]) -> Self {
        Self::on("peers", environment)
    }

    /// On a machine whose memory nobody else uses.
    pub(crate) fn on(machine: &str, environment: &[(&str, &str)]) -> Self {
        let (socket, theirs) = UnixStream::pair().expect("the system has sockets");
        let program = std::env::current_exe().expect("a test executable has a path");
        let machine = format!("{machine}-{}", std::process::id());
        let process = Command::new(program)
            .args(["peer", "--exact", "--ignored", "--quiet"])
            .env("REFERENCE_DRIVER_MACHINE", machine)
            .env("REFERENCE_DRIVER_DEVICES", "2")
            .envs(environment.iter().copied())
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .spawn()
            .expect("the peer starts");
        Self { process, socket }
    }

    /// End it at once, whatever it has.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("it lives");
        self.process.wait().expect("it is our child");
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    fn ask(&mut self, step: Step, arguments: &[u64], bytes: [u8; 64]) -> Answer<Message> {
        let mut words = [step as u64 + 1, 0, 0, 0];
        words[1..=arguments.len()].copy_from_slice(arguments);
        self.socket.write_all(&Message { words, bytes }.to_wire()).expect("the peer listens");
        let mut wire = [0; 96];
        self.socket.read_exact(&mut wire).expect("the peer answers");
        let answer = Message::from_wire(&wire);
        CUresult(answer.words[0] as u32).result().map(|()| answer)
    }

    fn number(&mut self, step: Step, arguments: &[u64]) -> Answer<u64> {
        self.ask(step, arguments, [0; 64]).map(|answer| answer.words[1])
    }

    pub(crate) fn create(&mut self, size: usize, types: Types) -> Answer<u64> {
        self.number(Step::Create, &[size as u64, types.0.into()])
    }

    pub(crate) fn create_on(&mut self, device: i32, size: usize, types: Types) -> Answer<u64> {
        self.number(Step::Create, &[size as u64, types.0.into(), device as u64])
    }

    pub(crate) fn create_multicast(&mut self, devices: u32, size: usize) -> Answer<u64> {
        self.number(Step::CreateMulticast, &[devices.into(), size as u64])
    }

    pub(crate) fn add_device(&mut self, multicast: u64, device: i32) -> Answer<()> {
        self.number(Step::AddDevice, &[multicast, device as u64]).map(|_| ())
    }

    pub(crate) fn bind(&mut self, multicast: u64, memory: u64, size: usize) -> Answer<()> {
        self.number(Step::Bind, &[multicast, memory, size as u64]).map(|_| ())
    }

    pub(crate) fn release(&mut self, handle: u64) -> Answer<()> {
        self.number(Step::Release, &[handle]).map(|_| ())
    }

    pub(crate) fn map(&mut self, handle: u64, size: usize) -> Answer<u64> {
        self.number(Step::Map, &[handle, size as u64])
    }

    pub(crate) fn unmap(&mut self, base: u64, size: usize) -> Answer<()> {
        self.number(Step::Unmap, &[base, size as u64]).map(|_| ())
    }

    pub(crate) fn grant(&mut self, base: u64, size: usize, flags: Access) -> Answer<()> {
        self.number(Step::Grant, &[base, size as u64, flags.0.into()]).map(|_| ())
    }

    /// Map memory, and grant access to it.
    pub(crate) fn open(&mut self, handle: u64, size: usize) -> Answer<u64> {
        let base = self.map(handle, size)?;
        self.grant(base, size, calls::READ_WRITE).map(|()| base)
    }

    pub(crate) fn read(&mut self, pointer: u64) -> Answer<u64> {
        self.number(Step::Read, &[pointer])
    }

    pub(crate) fn write(&mut self, pointer: u64, word: u32) -> Answer<()> {
        self.number(Step::Write, &[pointer, word.into()]).map(|_| ())
    }

    pub(crate) fn free_bytes(&mut self) -> usize {
        self.number(Step::FreeBytes, &[]).expect("it succeeds") as usize
    }

    /// A descriptor that the peer exports, sends, and closes.
    pub(crate) fn export_descriptor(&mut self, handle: u64) -> Answer<OwnedFd> {
        self.number(Step::ExportDescriptor, &[handle])?;
        Ok(receive_descriptor(&self.socket))
    }

    /// Let the peer import a descriptor, which it closes at once.
    pub(crate) fn import_descriptor(&mut self, descriptor: &OwnedFd) -> Answer<u64> {
        send_descriptor(&self.socket, descriptor.as_raw_fd());
        self.number(Step::ImportDescriptor, &[])
    }

    pub(crate) fn export_fabric(&mut self, handle: u64) -> Answer<[u8; 64]> {
        self.ask(Step::ExportFabric, &[handle], [0; 64]).map(|answer| answer.bytes)
    }

    pub(crate) fn attribute(&mut self, attribute: CUdevice_attribute) -> Answer<u64> {
        self.number(Step::Attribute, &[attribute.0.into()])
    }

    pub(crate) fn import_fabric(&mut self, bytes: [u8; 64]) -> Answer<u64> {
        self.ask(Step::ImportFabric, &[], bytes).map(|answer| answer.words[1])
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends when it is told no more; a test that failed does not wait for it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const DESCRIPTOR_SPACE: usize = 64;

/// A message of one byte, and a descriptor or room for one.
fn with_descriptor_message<T>(perform: impl FnOnce(&mut libc::msghdr) -> T) -> T {
    let (mut byte, mut control) = ([0_u8], [0_u64; DESCRIPTOR_SPACE / 8]);
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: all zeros are an empty message.
    let mut message: libc::msghdr = unsafe { zeroed() };
    (message.msg_iov, message.msg_iovlen) = (&mut part, 1);
    message.msg_control = control.as_mut_ptr().cast();
    // SAFETY: a computation.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as _;
    assert!(message.msg_controllen as usize <= DESCRIPTOR_SPACE);
    perform(&mut message)
}

pub(crate) fn send_descriptor(socket: &UnixStream, descriptor: RawFd) {
    with_descriptor_message(|message| {
        // SAFETY: the message has room for one header with a descriptor.
        unsafe {
            let header = libc::CMSG_FIRSTHDR(message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
            libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
        }
        // SAFETY: the message is whole.
        assert_eq!(unsafe { libc::sendmsg(socket.as_raw_fd(), message, 0) }, 1);
    });
}

pub(crate) fn receive_descriptor(socket: &UnixStream) -> OwnedFd {
    with_descriptor_message(|message| {
        // SAFETY: the message has room for one byte and one descriptor.
        assert_eq!(unsafe { libc::recvmsg(socket.as_raw_fd(), message, libc::MSG_CMSG_CLOEXEC) }, 1);
        // SAFETY: the header, if there is one, lies in the message.
        let header = unsafe { libc::CMSG_FIRSTHDR(message) };
        assert_ne!(header, ptr::null_mut(), "a descriptor arrives");
        // SAFETY: it holds the descriptor, which is ours from here on.
        unsafe { OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()) }
    })
}

/// What the peer's process does: steps, until it is told no more. The socket is its standard input.
pub(crate) fn perform() {
    // SAFETY: nothing else in this process uses its standard input.
    let mut socket = unsafe { UnixStream::from_raw_fd(0) };
    let _context = calls::Context::new();
    loop {
        // A descriptor comes before the step that uses it, with a byte that no step has.
        let mut first = [0_u8];
        // SAFETY: one byte of a local.
        let peeked = unsafe { libc::recv(0, first.as_mut_ptr().cast(), 1, libc::MSG_PEEK) };
        if peeked <= 0 {
            return;
        }
        let mut wire = [0; 96];
        let mut arrived = None;
        if first[0] == 0 {
            arrived = Some(receive_descriptor(&socket));
        }
        if socket.read_exact(&mut wire).is_err() {
            return;
        }
        let (result, sent) = step(&Message::from_wire(&wire), arrived.as_ref());
        let (code, message) = match result {
            Ok(message) => (CUresult::CUDA_SUCCESS, message),
            Err(code) => (code, Message { words: [0; 4], bytes: [0; 64] }),
        };
        let words = [code.0.into(), message.words[1], 0, 0];
        socket.write_all(&Message { words, ..message }.to_wire()).expect("the test listens");
        if let Some(descriptor) = sent {
            send_descriptor(&socket, descriptor.as_raw_fd());
        }
    }
}

fn step(message: &Message, arrived: Option<&OwnedFd>) -> (Answer<Message>, Option<File>) {
    let [step, first, second, third] = message.words;
    let step = Step::ALL[step as usize - 1];
    let mut sent = None;
    let mut bytes = [0; 64];
    let number = match step {
        Step::Create => {
            let location = CUmemLocation::device(third as i32);
            calls::create_at(location, first as usize, CUmemAllocationHandleType(second as u32))
        }
        Step::CreateMulticast => calls::create_multicast(first as u32, second as usize, calls::DESCRIPTOR),
        Step::AddDevice => calls::add_device(first, second as i32).map(|()| 0),
        Step::Bind => calls::bind(first, 0, second, 0, third as usize).map(|()| 0),
        Step::Release => calls::release(first).map(|()| 0),
        Step::Map => calls::map(first, second as usize),
        Step::Unmap => calls::unmap(first, second as usize).map(|()| 0),
        Step::Grant => calls::grant(first, second as usize, CUmemAccess_flags(third as u32)).map(|()| 0),
        Step::Read => calls::read(first).map(u64::from),
        Step::Write => calls::write(first, second as u32).map(|()| 0),
        Step::FreeBytes => Ok(calls::free_bytes() as u64),
        Step::ExportDescriptor => calls::export_descriptor(first).map(|descriptor| {
            // SAFETY: the descriptor is new, and nobody else has it.
            sent = Some(unsafe { File::from_raw_fd(descriptor) });
            0
        }),
        Step::ImportDescriptor => calls::import_descriptor(arrived.expect("a descriptor came").as_raw_fd()),
        Step::ExportFabric => calls::export_fabric(first).map(|handle| {
            bytes = handle;
            0
        }),
        Step::ImportFabric => calls::import_fabric(message.bytes),
        Step::Attribute => calls::attribute(CUdevice_attribute(first as u32)).map(|value| value as u64),
    };
    (number.map(|number| Message { words: [0, number, 0, 0], bytes }), sent)
}

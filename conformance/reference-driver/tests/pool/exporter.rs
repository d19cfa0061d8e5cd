//! A child process that exports a pool, performs orders from a socket, and can be killed.

use std::fs;
use std::io::{Read as _, Write as _};
use std::mem;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::ptr;

/// The child process: this test executable, which runs only the test `exporter`, with the socket as standard input.
pub(crate) struct Exporter {
    process: Child,
    socket: UnixStream,
}

impl Exporter {
    /// Starts an exporter that sees one device of the machine.
    pub(crate) fn start(machine: &str, device: &str) -> Self {
        let (socket, its) = UnixStream::pair().expect("the system has sockets");
        let program = std::env::current_exe().expect("a test executable has a path");
        let mut command = Command::new(program);
        command.args(["--exact", "exporter", "--ignored", "--nocapture"]);
        command.env("REFERENCE_DRIVER_MACHINE", machine).env("CUDA_VISIBLE_DEVICES", device);
        command.stdin(OwnedFd::from(its)).stdout(Stdio::null());
        Self { process: command.spawn().expect("the test executable starts"), socket }
    }

    /// Receives the descriptor of the exporter's pool.
    pub(crate) fn pool(&mut self) -> OwnedFd {
        receive_descriptor(&self.socket)
    }

    /// Makes the exporter allocate, fill every word and export the pointer.
    pub(crate) fn allocate(&mut self, size: u64, word: u32) -> [u8; 64] {
        self.tell(b'a', size, word);
        let mut data = [0; 64];
        self.socket.read_exact(&mut data).expect("the exporter sends the data");
        data
    }

    /// Returns the first word of the exporter's newest allocation.
    pub(crate) fn read(&mut self) -> u32 {
        self.tell(b'r', 0, 0);
        self.answer()
    }

    /// Makes the exporter free its newest allocation.
    pub(crate) fn free(&mut self) {
        self.tell(b'f', 0, 0);
        self.answer();
    }

    /// Makes the exporter destroy the pool.
    pub(crate) fn destroy(&mut self) {
        self.tell(b'd', 0, 0);
        self.answer();
    }

    fn tell(&mut self, what: u8, size: u64, word: u32) {
        let mut message = vec![what];
        message.extend(size.to_le_bytes());
        message.extend(word.to_le_bytes());
        self.socket.write_all(&message).expect("the exporter reads orders");
    }

    fn answer(&mut self) -> u32 {
        let mut word = [0; 4];
        self.socket.read_exact(&mut word).expect("the exporter answers");
        u32::from_le_bytes(word)
    }

    /// Returns the paths that the exporter maps or has open. The folder of the build and the standard error, which it
    /// shares with this process, are left out.
    pub(crate) fn paths(&self) -> Vec<String> {
        let folder = format!("/proc/{}", self.process.id());
        let maps = fs::read_to_string(format!("{folder}/maps")).expect("the process lives");
        let mapped = maps.lines().filter_map(|line| Some(line.get(line.find('/')?..)?.to_owned()));
        let open = fs::read_dir(format!("{folder}/fd")).expect("the process lives").flatten();
        let opened = open.filter(|entry| entry.file_name() != "2");
        let program = std::env::current_exe().expect("a test executable has a path");
        let build = program.parent().expect("it lies in a folder").display().to_string();
        let opened = opened.filter_map(|entry| Some(fs::read_link(entry.path()).ok()?.display().to_string()));
        mapped.chain(opened).filter(|path| !path.starts_with(&build)).collect()
    }

    /// Ends the exporter with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it is our child");
        self.process.wait().expect("it is our child");
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Receives orders in the child, until the parent closes the socket or ends.
pub(crate) fn orders(mut socket: &UnixStream) -> impl Iterator<Item = (u8, u64, u32)> {
    std::iter::from_fn(move || {
        let mut message = [0; 13];
        socket.read_exact(&mut message).ok()?;
        let size = u64::from_le_bytes(message[1..9].try_into().expect("8 bytes"));
        let word = u32::from_le_bytes(message[9..].try_into().expect("4 bytes"));
        Some((message[0], size, word))
    })
}

/// Room for one descriptor beside a message, aligned as its header must be.
type Ancillary = [u64; 4];

/// Builds a message of one byte with a descriptor beside it. It points to the arguments.
fn message(byte: &mut libc::iovec, ancillary: &mut Ancillary) -> libc::msghdr {
    // SAFETY: all zeros are a valid, empty message.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = byte;
    message.msg_iovlen = 1;
    message.msg_control = ancillary.as_mut_ptr().cast();
    // SAFETY: the call only computes a size.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as usize;
    message
}

pub(crate) fn send_descriptor(socket: &UnixStream, descriptor: RawFd) {
    let (mut byte, mut ancillary) = (0_u8, Ancillary::default());
    let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let message = message(&mut part, &mut ancillary);
    // SAFETY: the message has room for one header with a descriptor, and everything it points to is a local.
    let sent = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize;
        ptr::write_unaligned(libc::CMSG_DATA(header).cast(), descriptor);
        libc::sendmsg(socket.as_raw_fd(), &message, 0)
    };
    assert_eq!(sent, 1, "{}", std::io::Error::last_os_error());
}

fn receive_descriptor(socket: &UnixStream) -> OwnedFd {
    let (mut byte, mut ancillary) = (0_u8, Ancillary::default());
    let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let mut message = message(&mut part, &mut ancillary);
    // SAFETY: the message has room for what is received, and everything it points to is a local.
    let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
    assert_eq!(received, 1, "the exporter sends its pool");
    // SAFETY: the kernel wrote the header. A message with one has a descriptor, which is new, and nobody else has it.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        assert!(!header.is_null(), "the message has a descriptor");
        OwnedFd::from_raw_fd(ptr::read_unaligned(libc::CMSG_DATA(header).cast()))
    }
}

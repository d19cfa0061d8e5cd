//! Frames over a Unix socket: a length, the bytes, and file descriptors beside them.

use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

/// No message of ours is longer; a longer length is a broken stream.
pub const LONGEST_FRAME: usize = 64 << 20;

/// The most descriptors that travel with one frame.
pub const MOST_DESCRIPTORS: usize = 64;

const HEADER: usize = 4;

/// One end of a connection between the runner and a role.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
    /// A pidfd of the process at the other end.
    process: Option<OwnedFd>,
}

/// What a wait found.
enum Found {
    /// The socket is ready.
    Ready,
    /// The process at the other end has ended, and the socket is not ready.
    Ended,
    /// The deadline passed.
    Nothing,
}

/// What was received.
#[derive(Debug)]
pub struct Frame {
    /// The message.
    pub bytes: Vec<u8>,
    /// The descriptors that came with it, close-on-exec.
    pub descriptors: Vec<OwnedFd>,
}

/// Why nothing was received.
#[derive(Debug)]
pub enum ReceiveError {
    /// The other side is gone, and nothing of a message had arrived.
    Closed,
    /// The other side is gone, or stopped sending, in the middle of a message.
    Truncated {
        /// Bytes that arrived.
        received: usize,
        /// Bytes that were announced.
        announced: usize,
    },
    /// The announced length is longer than any message.
    TooLong(usize),
    /// More descriptors came than fit or than this process may open; the kernel dropped some.
    DescriptorsLost,
    /// The deadline passed.
    Deadline,
    /// The socket failed.
    Io(io::Error),
}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => write!(f, "the connection was closed"),
            Self::Truncated { received, announced } => {
                write!(f, "the connection was closed after {received} of {announced} bytes of a message")
            }
            Self::TooLong(length) => write!(f, "a message announced {length} bytes, more than {LONGEST_FRAME}"),
            Self::DescriptorsLost => write!(
                f,
                "descriptors were lost: a message came with more than {MOST_DESCRIPTORS}, or this process can open no more \
                 files (RLIMIT_NOFILE)"
            ),
            Self::Deadline => write!(f, "the deadline passed"),
            Self::Io(error) => write!(f, "the socket failed: {error}"),
        }
    }
}

impl std::error::Error for ReceiveError {}

impl Channel {
    /// Two connected ends.
    ///
    /// # Errors
    /// Where the system has no descriptor left.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        Ok((Self::from_socket(one), Self::from_socket(other)))
    }

    /// An end that came from elsewhere.
    #[must_use]
    pub const fn from_socket(socket: OwnedFd) -> Self {
        Self { socket, process: None }
    }

    /// Watches the process at the other end, by a pidfd. From then on the connection is closed once that process has
    /// ended, even if another process still holds the other end of the socket.
    pub fn watch(&mut self, process: OwnedFd) {
        self.process = Some(process);
    }

    /// The socket.
    #[must_use]
    pub fn into_socket(self) -> OwnedFd {
        self.socket
    }

    /// Send a message, with descriptors that the other side will own copies of, until the deadline where there is one.
    ///
    /// # Errors
    /// The other side is gone, or the message is too long. [`io::ErrorKind::TimedOut`]: the other side has not read it
    /// before the deadline. A part of it may have been sent, so nothing else can be.
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>], deadline: Option<Instant>) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).ok().filter(|length| *length as usize <= LONGEST_FRAME);
        let length =
            length.ok_or_else(|| io::Error::other(format!("a message of {} bytes is too long", bytes.len())))?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let fits = descriptors.len() <= MOST_DESCRIPTORS;
        if !fits || !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(io::Error::other(format!("{} descriptors are too many for one message", descriptors.len())));
        }
        // The descriptors ride on the header, so that they arrive with the first byte.
        self.send_all(&length.to_le_bytes(), &mut ancillary, deadline)?;
        self.send_all(bytes, &mut SendAncillaryBuffer::new(&mut []), deadline)
    }

    fn send_all(
        &self,
        mut bytes: &[u8],
        ancillary: &mut SendAncillaryBuffer<'_, '_, '_>,
        deadline: Option<Instant>,
    ) -> io::Result<()> {
        // A call that waits in the kernel for room would know no deadline.
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        while !bytes.is_empty() {
            match sendmsg(&self.socket, &[IoSlice::new(bytes)], ancillary, flags) {
                Ok(sent) => {
                    bytes = &bytes[sent..];
                    ancillary.clear();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match self.wait(PollFlags::OUT, deadline)? {
                    Found::Ready => {}
                    Found::Ended => return Err(io::ErrorKind::BrokenPipe.into()),
                    Found::Nothing => return Err(io::ErrorKind::TimedOut.into()),
                },
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Receive a message, until the deadline where there is one.
    ///
    /// # Errors
    /// [`ReceiveError`].
    pub fn receive(&self, deadline: Option<Instant>) -> Result<Frame, ReceiveError> {
        let mut descriptors = Vec::new();
        let mut header = [0; HEADER];
        let received = self.receive_all(&mut header, &mut descriptors, deadline)?;
        match received {
            0 => return Err(ReceiveError::Closed),
            HEADER => {}
            _ => return Err(ReceiveError::Truncated { received, announced: HEADER }),
        }
        let announced = u32::from_le_bytes(header) as usize;
        if announced > LONGEST_FRAME {
            return Err(ReceiveError::TooLong(announced));
        }
        let mut bytes = vec![0; announced];
        let received = self.receive_all(&mut bytes, &mut descriptors, deadline)?;
        if received < announced {
            return Err(ReceiveError::Truncated { received, announced });
        }
        Ok(Frame { bytes, descriptors })
    }

    /// Fill the buffer; fewer bytes mean that the connection ended.
    fn receive_all(
        &self,
        buffer: &mut [u8],
        descriptors: &mut Vec<OwnedFd>,
        deadline: Option<Instant>,
    ) -> Result<usize, ReceiveError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.wait(PollFlags::IN, deadline).map_err(ReceiveError::Io)? {
                Found::Ready => {}
                Found::Ended => break,
                Found::Nothing => return Err(ReceiveError::Deadline),
            }
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let parts = &mut [IoSliceMut::new(&mut buffer[filled..])];
            let received = match recvmsg(&self.socket, parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
                Ok(received) => received,
                Err(Errno::INTR) => continue,
                // A peer that died with our message unread resets the connection; that is an end like another.
                Err(Errno::CONNRESET) => break,
                Err(error) => return Err(ReceiveError::Io(error.into())),
            };
            for message in ancillary.drain() {
                if let RecvAncillaryMessage::ScmRights(rights) = message {
                    descriptors.extend(rights);
                }
            }
            if received.flags.contains(ReturnFlags::CTRUNC) {
                return Err(ReceiveError::DescriptorsLost);
            }
            if received.bytes == 0 {
                break;
            }
            filled += received.bytes;
        }
        Ok(filled)
    }

    /// Waits until a message arrives or the connection ends. Returns false if neither happens before the deadline.
    ///
    /// # Errors
    /// The system cannot wait.
    pub fn is_ready(&self, deadline: Option<Instant>) -> io::Result<bool> {
        Ok(!matches!(self.wait(PollFlags::IN, deadline)?, Found::Nothing))
    }

    /// Waits until the watched process has ended. Returns false if it has not before the deadline.
    ///
    /// # Errors
    /// The system cannot wait.
    pub fn has_ended(&self, deadline: Instant) -> io::Result<bool> {
        let Some(process) = &self.process else { return Ok(false) };
        Ok(poll_until(&mut [PollFd::new(process, PollFlags::IN)], Some(deadline))? > 0)
    }

    fn wait(&self, wanted: PollFlags, deadline: Option<Instant>) -> io::Result<Found> {
        let socket = || PollFd::new(&self.socket, wanted);
        let is_ready = match &self.process {
            Some(process) => {
                let mut both = [socket(), PollFd::new(process, PollFlags::IN)];
                if poll_until(&mut both, deadline)? == 0 {
                    return Ok(Found::Nothing);
                }
                // What the process sent before it ended may have arrived between the looks at the two.
                !both[0].revents().is_empty() || poll_until(&mut [socket()], Some(Instant::now()))? > 0
            }
            None if poll_until(&mut [socket()], deadline)? == 0 => return Ok(Found::Nothing),
            None => true,
        };
        Ok(if is_ready { Found::Ready } else { Found::Ended })
    }
}

/// Waits until one is ready or the deadline has passed. Returns how many are ready.
///
/// If this process is stopped, as by Ctrl-Z or with its container, the process at the other end usually is too. So this
/// time does not count.
fn poll_until(descriptors: &mut [PollFd<'_>], mut deadline: Option<Instant>) -> io::Result<usize> {
    /// The longest wait at a time. If it takes twice as long, this process was stopped.
    const AT_A_TIME: Duration = Duration::from_millis(250);
    loop {
        let began = Instant::now();
        let wait = deadline.map(|deadline| deadline.saturating_duration_since(began).min(AT_A_TIME));
        match poll(descriptors, wait.map(timespec).as_ref()) {
            Ok(0) | Err(Errno::INTR) => {}
            ready => return Ok(ready?),
        }
        let (Some(wait), Some(until)) = (wait, deadline) else { continue };
        let lost = began.elapsed().saturating_sub(wait);
        if lost > AT_A_TIME && !wait.is_zero() {
            deadline = Some(until + lost);
        } else if Instant::now() >= until {
            return Ok(0);
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().cast_signed(), tv_nsec: duration.subsec_nanos().into() }
}

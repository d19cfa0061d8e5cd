//! Another process, which exports memory and an event.

use std::io::{Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::ptr;

use cuda_ipc_sys::{CUevent, CUevent_flags, CUipcEventHandle, CUipcMemHandle};

use crate::calls::{Answer, Context, GRANULE};

/// What every word of the memory is.
pub(crate) const WORD: u32 = 0x0707_0707;

/// A child process that ends with the socket.
pub(crate) struct Exporter {
    process: Child,
    _socket: UnixStream,
    memory: [u8; 64],
    event: [u8; 64],
}

impl Exporter {
    pub(crate) fn start() -> Self {
        let (mut socket, its) = UnixStream::pair().expect("sockets are to be had");
        let mut command = Command::new(std::env::current_exe().expect("a test executable has a path"));
        command.args(["--exact", "exporter::exporter", "--ignored", "--nocapture"]);
        let process = command.stdin(OwnedFd::from(its)).stdout(Stdio::null()).spawn();
        let process = process.expect("the test executable starts");
        drop(command);
        let (mut memory, mut event) = ([0; 64], [0; 64]);
        socket.read_exact(&mut memory).expect("the exporter answers");
        socket.read_exact(&mut event).expect("the exporter answers");
        Self { process, _socket: socket, memory, event }
    }

    pub(crate) fn open_memory(&self) -> Answer<u64> {
        let mut pointer = 0;
        let handle = CUipcMemHandle::from_bytes(self.memory);
        code!(cuIpcOpenMemHandle(&mut pointer, handle, 1)).result().map(|()| pointer)
    }

    pub(crate) fn open_event(&self) -> Answer<CUevent> {
        let mut event = ptr::null_mut();
        let handle = CUipcEventHandle::from_bytes(self.event);
        code!(cuIpcOpenEventHandle(&mut event, handle)).result().map(|()| event)
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The child process.
#[test]
#[ignore = "the other end of the tests here"]
fn exporter() {
    // SAFETY: standard input is a socket, which nothing else in this process uses.
    let mut socket = unsafe { UnixStream::from_raw_fd(0) };
    let _context = Context::new();
    let (mut memory, mut event) = (0, ptr::null_mut());
    let (mut memory_handle, mut event_handle) = (CUipcMemHandle::default(), CUipcEventHandle::default());
    call!(cuMemAlloc(&mut memory, GRANULE));
    call!(cuMemsetD32(memory, WORD, GRANULE / 4));
    call!(cuIpcGetMemHandle(&mut memory_handle, memory));
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS.0 | CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
    call!(cuEventCreate(&mut event, flags));
    call!(cuEventRecord(event, ptr::null_mut()));
    call!(cuIpcGetEventHandle(&mut event_handle, event));
    call!(cuCtxSynchronize());
    for handle in [memory_handle.to_bytes(), event_handle.to_bytes()] {
        socket.write_all(&handle).expect("the parent listens");
    }
    // The parent writes nothing: this ends when it is gone.
    let _ = socket.read(&mut [0]);
}

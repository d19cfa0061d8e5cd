//! A child process that exports memory and an event, and performs orders.

use std::io::{Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::ptr;

use cuda_ipc_sys::{CUevent, CUevent_flags, CUipcEventHandle, CUipcMemHandle, CUresult};

use crate::calls::{self, Answer, Context, GRANULE};
use crate::resources::NOWHERE;

/// The first value of every word of the memory.
pub(crate) const WORD: u32 = 0x0707_0707;

/// The seed of the pattern that `Exporter::fill` writes.
pub(crate) const SEED: u32 = 9;

/// An order to the child, sent as one byte.
#[derive(Clone, Copy)]
enum Order {
    Fill,
    Fail,
    FreeBytes,
}

/// The child process, which ends when the socket is closed.
pub(crate) struct Exporter {
    process: Child,
    socket: UnixStream,
    memory: [u8; 64],
    event: [u8; 64],
}

impl Exporter {
    pub(crate) fn start() -> Self {
        let (mut socket, its) = UnixStream::pair().expect("the system has sockets");
        let mut command = Command::new(std::env::current_exe().expect("a test executable has a path"));
        command.args(["--exact", "exporter::exporter", "--ignored", "--nocapture"]);
        let process = command.stdin(OwnedFd::from(its)).stdout(Stdio::null()).spawn();
        let process = process.expect("the test executable starts");
        drop(command);
        let (mut memory, mut event) = ([0; 64], [0; 64]);
        socket.read_exact(&mut memory).expect("the exporter sends its handles");
        socket.read_exact(&mut event).expect("the exporter sends its handles");
        Self { process, socket, memory, event }
    }

    /// Makes the exporter fill its memory with a kernel.
    pub(crate) fn fill(&mut self) -> Answer<()> {
        CUresult(self.ask(Order::Fill) as u32).result()
    }

    /// Makes the exporter launch a kernel that writes to an address without memory.
    pub(crate) fn fail(&mut self) -> Answer<()> {
        CUresult(self.ask(Order::Fail) as u32).result()
    }

    /// Returns the free bytes of the exporter's device.
    pub(crate) fn free_bytes(&mut self) -> u64 {
        self.ask(Order::FreeBytes)
    }

    fn ask(&mut self, order: Order) -> u64 {
        let mut answer = [0; 8];
        self.socket.write_all(&[order as u8]).expect("the exporter reads orders");
        self.socket.read_exact(&mut answer).expect("the exporter answers");
        u64::from_le_bytes(answer)
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

/// Runs in the child process.
#[test]
#[ignore = "started by the tests here, as another process"]
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
        socket.write_all(&handle).expect("the parent reads");
    }
    // Until the parent closes the socket or ends.
    let mut order = [0];
    while socket.read_exact(&mut order).is_ok() {
        let code = |answer: Answer<()>| answer.err().map_or(0, |code| code.0.into());
        let answer: u64 = match order {
            [order] if order == Order::Fill as u8 => code(calls::fill(memory, GRANULE as u64 / 4, SEED)),
            [order] if order == Order::Fail as u8 => code(calls::fill(NOWHERE, 1, SEED)),
            _ => calls::free_bytes() as u64,
        };
        socket.write_all(&answer.to_le_bytes()).expect("the parent reads");
    }
}

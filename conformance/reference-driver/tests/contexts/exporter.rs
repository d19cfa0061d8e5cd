//! A child process that exports memory and an event, and performs orders.

use std::ptr;

use cuda_ipc_sys::{CUevent, CUevent_flags, CUipcEventHandle, CUipcMemHandle, CUresult};
use peer::Peer;
use serde::{Deserialize, Serialize};

use crate::calls::{self, Answer, Context, GRANULE};
use crate::resources::NOWHERE;

/// The first value of every word of the memory.
pub(crate) const WORD: u32 = 0x0707_0707;

/// The seed of the pattern that `Exporter::fill` writes.
pub(crate) const SEED: u32 = 9;

/// An order to the child.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Order {
    Handles,
    Fill,
    Fail,
    FreeBytes,
}

/// The child process.
pub(crate) struct Exporter {
    process: Peer,
    memory: [u8; 64],
    event: [u8; 64],
}

impl Exporter {
    pub(crate) fn start() -> Self {
        let process = Peer::start(|command| {
            command.args(["--exact", "exporter::exporter", "--ignored", "--nocapture"]);
        });
        let process = process.expect("the test executable starts");
        let (handles, _) = process.ask::<_, Vec<u8>>(&Order::Handles, &[]).expect("the exporter sends its handles");
        let (handles, _) = handles.as_chunks();
        Self { memory: handles[0], event: handles[1], process }
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
        let (answer, _) = self.process.ask::<_, Vec<u8>>(&order, &[]).expect("the exporter answers");
        u64::from_le_bytes(answer.try_into().expect("8 bytes"))
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

/// Runs in the child process.
#[test]
#[ignore = "started by the tests here, as another process"]
fn exporter() {
    let channel = peer::inherited().expect("standard input is a channel");
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
    let handles = [memory_handle.to_bytes(), event_handle.to_bytes()];
    let served = peer::serve(&channel, |order, _| {
        let code = |answer: Answer<()>| answer.err().map_or(0, |code| u64::from(code.0));
        let answer = match order {
            Order::Handles => handles.as_flattened().to_vec(),
            Order::Fill => code(calls::fill(memory, GRANULE as u64 / 4, SEED)).to_le_bytes().to_vec(),
            Order::Fail => code(calls::fill(NOWHERE, 1, SEED)).to_le_bytes().to_vec(),
            Order::FreeBytes => (calls::free_bytes() as u64).to_le_bytes().to_vec(),
        };
        (answer, Vec::new())
    });
    served.expect("the parent asks in whole frames");
}

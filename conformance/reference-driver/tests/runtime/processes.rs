//! Handles between processes, and calls in a process that has no device or was forked.

use std::ptr;

use cuda_ipc_sys::runtime::{cudaError, cudaIpcEventHandle_t, cudaIpcMemHandle_t};
use cuda_ipc_sys::{CUipcEventHandle, CUipcMemHandle};
use peer::Peer;
use serde::{Deserialize, Serialize};

use crate::*;

const SIZE: usize = 2 * MIB;
const WORD: u32 = 0x0707_0707;

/// The API that the exporter uses.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Api {
    Runtime,
    Driver,
}

/// A child process that exports memory and an event, and ends when the socket is closed.
struct Exporter {
    _process: Peer,
    memory: [u8; 64],
    event: [u8; 64],
}

impl Exporter {
    fn start(api: Api) -> Self {
        let process = Peer::start(|command| {
            command.args(["--exact", "processes::exporter", "--ignored", "--nocapture"]);
        });
        let process = process.expect("the test executable starts");
        let (handles, _) = process.ask::<_, Vec<u8>>(&api, &[]).expect("the exporter sends its handles");
        let (handles, _) = handles.as_chunks();
        Self { memory: handles[0], event: handles[1], _process: process }
    }
}

fn export_by_runtime() -> [[u8; 64]; 2] {
    let (mut handle, mut event_handle) = (cudaIpcMemHandle_t::default(), cudaIpcEventHandle_t::default());
    let (memory, mut event) = (memory(SIZE), ptr::null_mut());
    call!(cudaMemset(memory, 7, SIZE));
    call!(cudaIpcGetMemHandle(&mut handle, memory));
    call!(cudaEventCreateWithFlags(&mut event, 2 | 4));
    call!(cudaEventRecord(event, DEFAULT));
    call!(cudaIpcGetEventHandle(&mut event_handle, event));
    call!(cudaDeviceSynchronize());
    [handle.to_bytes(), event_handle.to_bytes()]
}

fn export_by_driver() -> [[u8; 64]; 2] {
    let (mut handle, mut event_handle) = (CUipcMemHandle::default(), CUipcEventHandle::default());
    let (mut memory, mut event) = (0, ptr::null_mut());
    created(0);
    driver_call!(cuMemAlloc(&mut memory, SIZE));
    driver_call!(cuMemsetD32(memory, WORD, SIZE / 4));
    driver_call!(cuIpcGetMemHandle(&mut handle, memory));
    driver_call!(cuEventCreate(&mut event, 2 | 4));
    driver_call!(cuEventRecord(event, DEFAULT));
    driver_call!(cuIpcGetEventHandle(&mut event_handle, event));
    driver_call!(cuCtxSynchronize());
    [handle.to_bytes(), event_handle.to_bytes()]
}

/// Runs in the child process.
#[test]
#[ignore = "started by the tests here, as another process"]
fn exporter() {
    let channel = peer::inherited().expect("standard input is a channel");
    let served = peer::serve(&channel, |api, _| {
        let handles = match api {
            Api::Runtime => export_by_runtime(),
            Api::Driver => export_by_driver(),
        };
        (handles.as_flattened().to_vec(), Vec::new())
    });
    served.expect("the parent asks in whole frames");
}

fn open(handle: [u8; 64], flags: u32) -> Result<*mut c_void> {
    let mut pointer = ptr::null_mut();
    let handle = cudaIpcMemHandle_t::from_bytes(handle);
    code!(cudaIpcOpenMemHandle(&mut pointer, handle, flags)).result().map(|()| pointer)
}

fn open_event(handle: [u8; 64]) -> Result<cuda_ipc_sys::CUevent> {
    let mut event = ptr::null_mut();
    let handle = cudaIpcEventHandle_t::from_bytes(handle);
    code!(cudaIpcOpenEventHandle(&mut event, handle)).result().map(|()| event)
}

fn driver_read(pointer: u64) -> u32 {
    let mut word = 0_u32;
    driver_call!(cuMemcpyDtoH((&raw mut word).cast(), pointer, 4));
    word
}

tests! {
    fn opening_is_the_first_call_that_is_needed() {
        let exporter = Exporter::start(Api::Runtime);
        let pointer = open(exporter.memory, 1).unwrap();
        assert!(is_active(0));
        assert_eq!(driver_read(pointer as u64), WORD);
        assert_eq!(open(exporter.memory, 1), Ok(pointer), "one more reference");
        call!(cudaIpcCloseMemHandle(pointer));
        assert_eq!(driver_read(pointer as u64), WORD);
        call!(cudaIpcCloseMemHandle(pointer));
        assert_eq!(code!(cudaIpcCloseMemHandle(pointer)), INVALID_VALUE);
    }

    fn handles_of_one_api_open_in_the_other() {
        let exporter = Exporter::start(Api::Driver);
        assert_eq!(driver_read(open(exporter.memory, 1).unwrap() as u64), WORD);
        let event = open_event(exporter.event).unwrap();
        call!(cudaEventSynchronize(event));
        call!(cudaEventDestroy(event));
        let exporter = Exporter::start(Api::Runtime);
        let (mut pointer, mut event) = (0, ptr::null_mut());
        driver_call!(cuIpcOpenMemHandle(&mut pointer, CUipcMemHandle::from_bytes(exporter.memory), 1));
        assert_eq!(driver_read(pointer), WORD);
        driver_call!(cuIpcOpenEventHandle(&mut event, CUipcEventHandle::from_bytes(exporter.event)));
        driver_call!(cuEventSynchronize(event));
        call!(cudaIpcCloseMemHandle(pointer as *mut c_void));
    }

    fn an_import_is_closed_and_not_freed() {
        let exporter = Exporter::start(Api::Runtime);
        let pointer = open(exporter.memory, 1).unwrap();
        assert_eq!(code!(cudaFree(pointer)), INVALID_VALUE);
        assert_eq!(code!(cudaFreeAsync(pointer, DEFAULT)), INVALID_VALUE);
        assert_eq!(driver_read(pointer as u64), WORD);
    }

    fn a_reset_ends_imports_and_they_open_again() {
        let exporter = Exporter::start(Api::Runtime);
        let pointer = open(exporter.memory, 1).unwrap();
        call!(cudaDeviceReset());
        assert_eq!(code!(cudaIpcCloseMemHandle(pointer)), INVALID_VALUE);
        assert_eq!(driver_read(open(exporter.memory, 1).unwrap() as u64), WORD);
    }

    fn refusals_have_the_drivers_numbers() {
        let exporter = Exporter::start(Api::Runtime);
        assert_eq!(open(exporter.memory, 0), Err(INVALID_VALUE));
        assert_eq!(open([0; 64], 1), Err(INVALID_VALUE));
        assert_eq!(open_event([0; 64]), Err(cudaError::cudaErrorMapBufferObjectFailed));
        let mut handle = cudaIpcMemHandle_t::default();
        call!(cudaIpcGetMemHandle(&mut handle, memory(4)));
        assert_eq!(open(handle.to_bytes(), 1), Err(cudaError::cudaErrorDeviceUninitialized), "its own handle");
        let (mut event, mut handle) = (ptr::null_mut(), cudaIpcEventHandle_t::default());
        call!(cudaEventCreateWithFlags(&mut event, 2));
        let refused = code!(cudaIpcGetEventHandle(&mut handle, event));
        assert_eq!(refused, cudaError::cudaErrorInvalidResourceHandle, "the event was not created as interprocess");
    }

    fn a_forked_child_cannot_go_on() {
        call!(cudaSetDevice(0));
        // SAFETY: the child only calls the library, which reads an atomic first, and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = code!(cudaSetDevice(0));
            // SAFETY: the call ends the child at once.
            unsafe { libc::_exit(code.0.cast_signed()) };
        }
        let mut status = 0;
        // SAFETY: the child is ours, and the output is a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status));
        assert_eq!(libc::WEXITSTATUS(status), cudaError::cudaErrorInitializationError.0.cast_signed());
    }
}

#[test]
fn without_a_device_every_call_says_so() {
    let path = "runtime::processes::without_a_device_every_call_says_so";
    own_process::run(path, &[("CUDA_VISIBLE_DEVICES", "")], || {
        const NO_DEVICE: cudaError = cudaError::cudaErrorNoDevice;
        let mut count = 77;
        assert_eq!((code!(cudaGetDeviceCount(&mut count)), count), (NO_DEVICE, 77));
        assert_eq!((malloc(4), current_device()), (Err(NO_DEVICE), Err(NO_DEVICE)));
        assert_eq!(
            [code!(cudaGetLastError()), code!(cudaGetLastError())],
            [NO_DEVICE; 2],
            "reading the error does not clear it"
        );
    });
}

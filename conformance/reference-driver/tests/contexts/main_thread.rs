//! A process whose main thread has ended while another thread goes on. For the system it is a zombie with threads.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::ptr;

use cuda_ipc_sys::{
    CUevent_flags, CUipcEventHandle, CUipcMemHandle, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation,
    CUmemPoolProps, CUmemRangeHandleType, CUresult,
};

use crate::calls::{self, Context, GRANULE};
use crate::resources::allocate;

const WORD: u32 = 0x0707_0707;
const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// What was imported or exported, and the code that the call returned.
type Codes = [(&'static str, CUresult); 4];

/// Whether the main thread of this process has ended.
fn is_alone() -> bool {
    let own = std::process::id();
    let text = std::fs::read_to_string(format!("/proc/{own}/task/{own}/stat")).expect("the process lives");
    text.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('Z'))
}

/// Returns the codes of calls that look up a descriptor of the calling process in `/proc`.
fn codes_of_descriptors() -> Codes {
    let (mut handle, mut pool, mut imported) = (0, ptr::null_mut(), ptr::null_mut());
    let memory = calls::export_descriptor(calls::create(GRANULE, DESCRIPTOR).unwrap()).unwrap();
    let memory =
        code!(cuMemImportFromShareableHandle(&mut handle, memory.cast_unsigned() as usize as *mut _, DESCRIPTOR));
    let multicast = calls::create_multicast(2, GRANULE, DESCRIPTOR).unwrap();
    let multicast = calls::export_descriptor(multicast).unwrap();
    let multicast =
        code!(cuMemImportFromShareableHandle(&mut handle, multicast.cast_unsigned() as usize as *mut _, DESCRIPTOR));
    let properties = CUmemPoolProps {
        allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: DESCRIPTOR,
        location: CUmemLocation::device(0),
        ..Default::default()
    };
    let mut descriptor = -1_i32;
    call!(cuMemPoolCreate(&mut pool, &properties));
    call!(cuMemPoolExportToShareableHandle((&raw mut descriptor).cast(), pool, DESCRIPTOR, 0));
    let pool = code!(cuMemPoolImportFromShareableHandle(
        &mut imported,
        descriptor.cast_unsigned() as usize as *mut _,
        DESCRIPTOR,
        0
    ));
    let kind = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
    let buffer =
        code!(cuMemGetHandleForAddressRange((&raw mut descriptor).cast(), allocate(GRANULE), GRANULE, kind, 0));
    [("memory", memory), ("multicast object", multicast), ("pool", pool), ("dma-buf", buffer)]
}

/// Returns for each thread of a process how many descriptors it shows.
fn descriptors_of(process: libc::pid_t) -> Vec<usize> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("the process is not waited for");
    let count = |thread: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_dir(thread.ok()?.path().join("fd")).map(Iterator::count).ok()
    };
    threads.map(|thread| count(thread).unwrap_or(0)).collect()
}

/// What the other thread does: it sends two handles, waits for a byte, closes every descriptor as a process does that is
/// ending, and waits until it is killed.
fn export(mut parent: &UnixStream) {
    while !is_alone() {
        std::thread::yield_now();
    }
    let _context = Context::new();
    let memory = allocate(GRANULE);
    calls::write(memory, WORD).unwrap();
    let (mut of_memory, mut of_event) = (CUipcMemHandle::default(), CUipcEventHandle::default());
    call!(cuIpcGetMemHandle(&mut of_memory, memory));
    let mut event = ptr::null_mut();
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS.0 | CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
    call!(cuEventCreate(&mut event, flags));
    call!(cuIpcGetEventHandle(&mut of_event, event));
    let failed: Vec<_> = codes_of_descriptors().into_iter().filter(|(_, code)| code.result().is_err()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    // SAFETY: both handles are plain bytes.
    let handles: [[u8; 64]; 2] = unsafe { std::mem::transmute((of_memory, of_event)) };
    parent.write_all(handles.as_flattened()).unwrap();
    let _ = parent.read(&mut [0]);
    // SAFETY: nothing in this process uses a descriptor any more.
    unsafe { libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0) };
    loop {
        std::thread::park();
    }
}

tests! {
    fn a_process_whose_main_thread_has_ended_still_lives() {
        // The child could not find the library any more, because `/proc/self/exe` belongs to the main thread.
        crate::common::driver();
        let (mut from_child, to_parent) = UnixStream::pair().unwrap();
        // SAFETY: no other thread of this process has called the library, so the child may use it.
        let child = unsafe { libc::fork() };
        if child == 0 {
            drop(from_child);
            std::thread::spawn(move || export(&to_parent));
            // SAFETY: the first call sets a timer, whose signal ends a child that hangs. The second one ends this thread
            // alone, which uses nothing any more, so the last one is never reached.
            unsafe {
                libc::alarm(30);
                libc::syscall(libc::SYS_exit, 0);
                libc::_exit(1)
            }
        }
        drop(to_parent);
        let mut handles = [[0; 64]; 2];
        from_child.read_exact(handles.as_flattened_mut()).expect("the child sends its handles");
        // SAFETY: both handles are plain bytes.
        let (of_memory, of_event): (CUipcMemHandle, CUipcEventHandle) = unsafe { std::mem::transmute(handles) };

        let _context = Context::new();
        let (mut memory, mut event, mut total, mut free) = (0, ptr::null_mut(), 0, 0);
        call!(cuIpcOpenMemHandle(&mut memory, of_memory, 1));
        assert_eq!(calls::read(memory), Ok(WORD));
        call!(cuIpcOpenEventHandle(&mut event, of_event));
        call!(cuIpcCloseMemHandle(memory));
        call!(cuMemGetInfo(&mut free, &mut total));
        assert!(free < total, "its memory counts as used");

        // A process that is ending has closed its descriptors, and is still there.
        from_child.write_all(&[0]).unwrap();
        while descriptors_of(child).iter().any(|count| *count > 0) {
            std::thread::yield_now();
        }
        assert_eq!(code!(cuIpcOpenMemHandle(&mut memory, of_memory, 1)), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert_eq!(descriptors_of(child).len(), 2, "the child has ended");

        // SAFETY: the child is ours, and nothing has waited for it.
        unsafe { (libc::kill(child, libc::SIGKILL), libc::waitpid(child, ptr::null_mut(), 0)) };
        assert_eq!(code!(cuIpcOpenMemHandle(&mut memory, of_memory, 1)), CUresult::CUDA_ERROR_INVALID_HANDLE);
        call!(cuMemGetInfo(&mut free, &mut total));
        assert_eq!(free, total);
    }
}

//! Calls in a forked child of a process that has initialised the driver. Each returns NOT_INITIALIZED at once, whatever
//! the other threads of the parent were doing.

use std::ffi::{CStr, c_void};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use cuda_ipc_sys::{CUresult, CUstream};

use crate::calls::{self, Context, GRANULE};
use crate::functions::{Function, functions, with_zeros};
use crate::resources::allocate;

const FORKS: usize = 40;
const NOT_INITIALIZED: u32 = CUresult::CUDA_ERROR_NOT_INITIALIZED.0;
const INVALID_VALUE: u32 = CUresult::CUDA_ERROR_INVALID_VALUE.0;

/// Functions that need no initialised driver, and that refuse null arguments.
const FREE: [&CStr; 7] = [
    c"cuDriverGetVersion",
    c"cuGetErrorName",
    c"cuGetErrorString",
    c"cuGetProcAddress",
    c"cuGetProcAddress_v2",
    c"cudaDriverGetVersion",
    c"cudaRuntimeGetVersion",
];

/// Calls every function with zeros, then makes four calls that also work in a child. Returns their codes.
fn ask_everything(functions: &[(&CStr, Function)]) -> Vec<u32> {
    let mut codes: Vec<u32> = functions.iter().map(|(_, function)| with_zeros(*function)).collect();
    let (mut version, mut text, mut other_text, mut address) = (0, ptr::null(), ptr::null(), ptr::null_mut());
    let working = [
        code!(cuDriverGetVersion(&mut version)),
        code!(cuGetErrorName(CUresult(700), &mut text)),
        code!(cuGetErrorString(CUresult(2), &mut other_text)),
        code!(cuGetProcAddress(c"cuInit".as_ptr(), &mut address, 12000, 0, ptr::null_mut())),
    ];
    codes.extend(working.map(|code| code.0));
    codes
}

/// Performs one kind of work, which keeps locks of the driver busy. Each thread has a kind of its own.
fn work(kind: usize) {
    let (mut address, mut event, mut text): (*mut c_void, _, _) = (ptr::null_mut(), ptr::null_mut(), ptr::null());
    match kind {
        0 => call!(cuMemFree(allocate(512))),
        1 => calls::release(calls::create(GRANULE, calls::NO_TYPE).unwrap()).unwrap(),
        2 => {
            call!(cuEventCreate(&mut event, 6));
            call!(cuEventRecord(event, ptr::null_mut()));
            call!(cuEventDestroy(event));
        }
        3 => {
            let mut stream: CUstream = ptr::null_mut();
            call!(cuStreamCreate(&mut stream, 0));
            call!(cuMemFreeAsync(allocate(512), stream));
            call!(cuStreamSynchronize(stream));
            call!(cuStreamDestroy(stream));
        }
        4 => drop(Context::new()),
        5 => (0..=999).for_each(|number| {
            // Most numbers are not codes, which is an error.
            let _ = code!(cuGetErrorName(CUresult(number), &mut text));
            let _ = code!(cuGetErrorString(CUresult(number), &mut text));
        }),
        6 => call!(cuGetProcAddress(c"cuMemAlloc".as_ptr(), &mut address, 12000, 0, ptr::null_mut())),
        _ => {
            let mut context = ptr::null_mut();
            call!(cuDevicePrimaryCtxRetain(&mut context, 1));
            call!(cuCtxPushCurrent(context));
            // The release waits for the kernel, and holds a lock meanwhile.
            calls::spin(Duration::from_millis(5)).unwrap();
            call!(cuDevicePrimaryCtxRelease(1));
            call!(cuCtxPopCurrent(&mut context));
        }
    }
}

/// Forks a child and returns its codes, or the signal that ended it.
fn codes_of_child(functions: &[(&CStr, Function)]) -> Result<Vec<u32>, i32> {
    use std::os::fd::FromRawFd as _;
    let mut pipe = [0; 2];
    // SAFETY: the output has room for two descriptors.
    assert_eq!(unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) }, 0);
    // SAFETY: the descriptors are new, and nothing else owns them.
    let [mut from_child, mut to_parent] = pipe.map(|descriptor| unsafe { File::from_raw_fd(descriptor) });
    // SAFETY: the child calls the library, writes into the pipe and exits. It takes no lock that another thread may
    // hold, except the lock of the allocator, for which `fork` provides.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: the call only sets a timer, whose signal ends a child that hangs.
        unsafe { libc::alarm(10) };
        let codes = ask_everything(functions);
        let bytes: Vec<u8> = codes.iter().flat_map(|code| code.to_ne_bytes()).collect();
        let is_written = to_parent.write_all(&bytes).is_ok();
        // SAFETY: the call ends the child at once.
        unsafe { libc::_exit(i32::from(!is_written)) };
    }
    drop(to_parent);
    let (mut bytes, mut status) = (Vec::new(), 0);
    from_child.read_to_end(&mut bytes).expect("the pipe can be read");
    // SAFETY: the child is ours, and the output is a local.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    let codes = bytes.as_chunks().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect();
    if libc::WIFSIGNALED(status) { Err(libc::WTERMSIG(status)) } else { Ok(codes) }
}

tests! {
    fn no_call_in_a_child_works_or_hangs() {
        let functions = functions();
        let expected = |name: &CStr| if FREE.contains(&name) { INVALID_VALUE } else { NOT_INITIALIZED };
        let _context = Context::new();
        let (is_over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for kind in 0..8 {
                let (is_over, done) = (&is_over, &done);
                scope.spawn(move || {
                    let _context = Context::new();
                    while !is_over.load(Ordering::Acquire) {
                        work(kind);
                        done.fetch_add(1, Ordering::AcqRel);
                    }
                });
            }
            let children: Result<Vec<_>, i32> = (1..=FORKS)
                .map(|number| {
                    // Each fork happens during other work.
                    while done.load(Ordering::Acquire) < 100 * number {
                        std::thread::yield_now();
                    }
                    codes_of_child(&functions)
                })
                .collect();
            is_over.store(true, Ordering::Release);
            for codes in children.unwrap_or_else(|signal| panic!("signal {signal} ended a child")) {
                assert_eq!(codes.len(), functions.len() + 4);
                let answers = functions.iter().zip(&codes).map(|((name, _), code)| (name, *code));
                let wrong: Vec<_> = answers.filter(|(name, code)| *code != expected(name)).collect();
                assert!(wrong.is_empty(), "{wrong:?}");
                assert_eq!(codes[functions.len()..], [0; 4], "calls that need no initialised driver work");
            }
        });
        call!(cuMemFree(allocate(512)));
    }

    fn a_process_that_forked_before_can_use_the_driver_on_both_sides() {
        // SAFETY: no other thread of this process has called the library, so the child may use it as the parent does.
        let child = unsafe { libc::fork() };
        let _context = Context::new();
        call!(cuMemFree(allocate(512)));
        if child == 0 {
            // SAFETY: the call ends the child at once.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: the child is ours, and the output is a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
}

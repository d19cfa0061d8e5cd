//! A forked child of a process that has initialised the driver: every call answers at once that the driver is not
//! initialised there, whatever other threads of the parent were doing.

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

/// What needs no initialised driver, and refuses the null that it is given.
const FREE: [&CStr; 7] = [
    c"cuDriverGetVersion",
    c"cuGetErrorName",
    c"cuGetErrorString",
    c"cuGetProcAddress",
    c"cuGetProcAddress_v2",
    c"cudaDriverGetVersion",
    c"cudaRuntimeGetVersion",
];

/// The codes of all functions, and of those that work in a child too.
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

/// Keep the driver's locks busy, one kind of them a thread.
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
            code!(cuGetErrorName(CUresult(number), &mut text));
            code!(cuGetErrorString(CUresult(number), &mut text));
        }),
        6 => call!(cuGetProcAddress(c"cuMemAlloc".as_ptr(), &mut address, 12000, 0, ptr::null_mut())),
        _ => {
            let mut context = ptr::null_mut();
            call!(cuDevicePrimaryCtxRetain(&mut context, 1));
            call!(cuCtxPushCurrent(context));
            // The release waits for it, with a lock of its own.
            calls::spin(Duration::from_millis(5)).unwrap();
            call!(cuDevicePrimaryCtxRelease(1));
            call!(cuCtxPopCurrent(&mut context));
        }
    }
}

/// The codes of a forked child, or the signal that ended it where it hung.
fn codes_of_child(functions: &[(&CStr, Function)]) -> Result<Vec<u32>, i32> {
    use std::os::fd::FromRawFd as _;
    let mut pipe = [0; 2];
    // SAFETY: room for two descriptors.
    assert_eq!(unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) }, 0);
    // SAFETY: the descriptors are new, and nobody else has them.
    let [mut from_child, mut to_parent] = pipe.map(|descriptor| unsafe { File::from_raw_fd(descriptor) });
    // SAFETY: the child calls the library, writes into the pipe and ends. It asks for no lock that another thread may
    // hold, except that of the allocator, which the system's fork looks after.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a child that hangs ends by a signal.
        unsafe { libc::alarm(10) };
        let codes = ask_everything(functions);
        let bytes: Vec<u8> = codes.iter().flat_map(|code| code.to_ne_bytes()).collect();
        let is_written = to_parent.write_all(&bytes).is_ok();
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::from(!is_written)) };
    }
    drop(to_parent);
    let (mut bytes, mut status) = (Vec::new(), 0);
    from_child.read_to_end(&mut bytes).expect("the pipe is there");
    // SAFETY: our child, and a local.
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
                    // Each fork meets other work.
                    while done.load(Ordering::Acquire) < 100 * number {
                        std::thread::yield_now();
                    }
                    codes_of_child(&functions)
                })
                .collect();
            is_over.store(true, Ordering::Release);
            for codes in children.unwrap_or_else(|signal| panic!("a child hung, and ended by signal {signal}")) {
                assert_eq!(codes.len(), functions.len() + 4);
                let answers = functions.iter().zip(&codes).map(|((name, _), code)| (name, *code));
                let wrong: Vec<_> = answers.filter(|(name, code)| *code != expected(name)).collect();
                assert!(wrong.is_empty(), "{wrong:?}");
                assert_eq!(codes[functions.len()..], [0; 4], "what needs no initialised driver works");
            }
        });
        call!(cuMemFree(allocate(512)));
    }

    fn a_process_that_forked_before_can_use_the_driver_on_both_sides() {
        // SAFETY: no other thread of this process has called the library, so the child is as free as the parent.
        let child = unsafe { libc::fork() };
        let _context = Context::new();
        call!(cuMemFree(allocate(512)));
        if child == 0 {
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: our child, and a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
}

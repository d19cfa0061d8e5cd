//! Kernels of libraries, and captures of them: the parts that the recording of an H200 does not show.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{
    CUcontext, CUdeviceptr, CUfunction, CUkernel, CUlibrary, CUresult, CUstream, CUstreamCaptureMode,
    CUstreamCaptureStatus,
};

use crate::calls::{Context, GRANULE, free_bytes};
use crate::resources::allocate;

const WORDS: usize = 64;

fn load() -> CUlibrary {
    let mut library = ptr::null_mut();
    let (none, no_values) = (ptr::null_mut(), ptr::null_mut());
    let image = kernels::FILL.ptx.as_ptr().cast();
    call!(cuLibraryLoadData(&mut library, image, none, no_values, 0, ptr::null_mut(), ptr::null_mut(), 0));
    library
}

fn kernel_of(library: CUlibrary) -> CUkernel {
    let mut kernel = ptr::null_mut();
    call!(cuLibraryGetKernel(&mut kernel, library, kernels::FILL.entry.as_ptr()));
    kernel
}

fn launch(function: CUfunction, words: CUdeviceptr, seed: u32, stream: CUstream) -> CUresult {
    let count = WORDS as u64;
    let mut arguments: [*mut c_void; 3] = [
        (&raw const words).cast_mut().cast(),
        (&raw const count).cast_mut().cast(),
        (&raw const seed).cast_mut().cast(),
    ];
    code!(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments.as_mut_ptr(), ptr::null_mut()))
}

fn has_pattern(words: CUdeviceptr, seed: u32) -> bool {
    let mut found = [0_u32; WORDS];
    call!(cuCtxSynchronize());
    call!(cuMemcpyDtoH(found.as_mut_ptr().cast(), words, size_of_val(&found)));
    (0..).zip(found).all(|(index, word)| word == kernels::pattern(seed, index))
}

tests! {
    fn a_failed_load_takes_no_memory() {
        let _context = Context::new();
        let image = |last| format!(".version 6.0\n.target sm_70\n.global .b8 one[4];\n.global .b8 other[{last}];\n\0");
        let load = |image: &str| {
            let mut module = ptr::null_mut();
            code!(cuModuleLoadData(&mut module, image.as_ptr().cast())).result().map(|()| module)
        };
        let before = free_bytes();
        assert_eq!(load(&image(before)), Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!(free_bytes(), before);
        let module = load(&image(GRANULE)).unwrap();
        assert_eq!(before - free_bytes(), 2 * GRANULE);
        call!(cuModuleUnload(module));
        assert_eq!(free_bytes(), before);
    }

    fn a_kernel_of_a_library_runs_in_every_context_and_ends_with_its_library() {
        let first = Context::new();
        let library = load();
        let kernel = kernel_of(library);
        let words = allocate(4096);
        assert_eq!(launch(kernel.cast(), words, 3, ptr::null_mut()), CUresult::CUDA_SUCCESS);
        assert!(has_pattern(words, 3));

        let mut second: CUcontext = ptr::null_mut();
        call!(cuCtxCreate(&mut second, 0, 0));
        let others = allocate(4096);
        assert_eq!(launch(kernel.cast(), others, 4, ptr::null_mut()), CUresult::CUDA_SUCCESS);
        assert!(has_pattern(others, 4));

        let (mut function, mut again, mut of_kernel) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        call!(cuKernelGetFunction(&mut function, kernel));
        call!(cuKernelGetFunction(&mut again, kernel));
        call!(cuKernelGetLibrary(&mut of_kernel, kernel));
        assert_eq!((function, of_kernel), (again, library));
        assert_eq!(launch(function, others, 5, ptr::null_mut()), CUresult::CUDA_SUCCESS);
        assert!(has_pattern(others, 5));
        call!(cuCtxSetCurrent(first.0));
        assert_eq!(launch(function, words, 6, ptr::null_mut()), CUresult::CUDA_ERROR_INVALID_HANDLE, "of another context");

        let mut count = 0;
        call!(cuLibraryGetKernelCount(&mut count, library));
        assert_eq!(count, 1);
        call!(cuLibraryUnload(library));
        assert_eq!(launch(kernel.cast(), words, 7, ptr::null_mut()), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert!(has_pattern(words, 3), "a refused launch changes nothing");
    }

    fn a_capture_holds_kernels_copies_and_values_until_its_graph_is_launched() {
        let _context = Context::new();
        let kernel = kernel_of(load());
        let mut stream = ptr::null_mut();
        call!(cuStreamCreate(&mut stream, 1));
        let words = [(); 3].map(|()| allocate(4096));
        let mut from_host = [9_u8; 16];
        let (mut graph, mut executable) = (ptr::null_mut(), ptr::null_mut());

        call!(cuStreamBeginCapture(stream, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL));
        assert_eq!(launch(kernel.cast(), words[2], 8, stream), CUresult::CUDA_SUCCESS);
        call!(cuMemcpyDtoDAsync(words[0], words[2], WORDS * 4, stream));
        call!(cuMemcpyHtoDAsync(words[1], from_host.as_ptr().cast(), from_host.len(), stream));
        call!(cuStreamWriteValue32(stream, words[1] + 16, 77, 0));
        call!(cuStreamEndCapture(stream, &mut graph));
        assert!(!has_pattern(words[0], 8), "nothing runs before the launch");

        from_host = [5; 16];
        call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        for _ in 0..2 {
            words.iter().for_each(|words| call!(cuMemsetD8(*words, 0, 4096)));
            call!(cuCtxSynchronize());
            call!(cuGraphLaunch(executable, stream));
            assert!(has_pattern(words[0], 8));
            let mut found = [0_u8; 20];
            call!(cuMemcpyDtoH(found.as_mut_ptr().cast(), words[1], found.len()));
            assert_eq!(found[..16], from_host, "the source is read at the launch");
            assert_eq!(found[16..], 77_u32.to_ne_bytes());
        }
    }

    fn a_thread_may_ask_not_to_heed_captures() {
        let _context = Context::new();
        let (mut stream, mut graph) = (ptr::null_mut(), ptr::null_mut());
        call!(cuStreamCreate(&mut stream, 1));
        let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        call!(cuThreadExchangeStreamCaptureMode(&mut mode));
        assert_eq!(mode, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL);
        call!(cuStreamBeginCapture(stream, mode));
        allocate(4096);
        let (mut status, mut id, none) = (CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE, 0, ptr::null_mut());
        call!(cuStreamGetCaptureInfo_v2(stream, &mut status, &mut id, none, ptr::null_mut(), ptr::null_mut()));
        assert_eq!(status, CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE);
        assert_ne!(id, 0);
        call!(cuThreadExchangeStreamCaptureMode(&mut mode));
        assert_eq!(mode, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED);
        let mut memory = 0;
        assert_eq!(code!(cuMemAlloc(&mut memory, 4096)), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        assert_eq!(code!(cuStreamEndCapture(stream, &mut graph)), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }

    fn work_of_a_stream_that_joined_a_capture_must_be_joined_again() {
        let _context = Context::new();
        let memory = allocate(4096);
        let unjoined = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
        let [first, second, third] = [(); 3].map(|()| {
            let mut stream = ptr::null_mut();
            call!(cuStreamCreate(&mut stream, 1));
            stream
        });
        let mut event = ptr::null_mut();
        call!(cuEventCreate(&mut event, 2));
        let joins = |other, stream| {
            call!(cuEventRecord(event, stream));
            call!(cuStreamWaitEvent(other, event, 0));
        };
        let work = |stream| call!(cuMemsetD8Async(memory, 1, 4096, stream));
        let captured = |steps: &dyn Fn()| {
            let mut graph = ptr::null_mut();
            call!(cuStreamBeginCapture(first, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED));
            steps();
            code!(cuStreamEndCapture(first, &mut graph))
        };
        let cases: [(&str, &dyn Fn(), CUresult); 6] = [
            ("not joined", &|| (joins(second, first), work(second)).1, unjoined),
            ("joined", &|| (joins(second, first), work(second), joins(first, second)).2, CUresult::CUDA_SUCCESS),
            ("work afterwards", &|| (joins(second, first), joins(first, second), work(second)).2, unjoined),
            ("work of the first stream", &|| (work(first), joins(second, first), work(first)).2, CUresult::CUDA_SUCCESS),
            (
                "by way of a third stream",
                &|| (joins(second, first), work(second), joins(third, second), joins(first, third)).3,
                CUresult::CUDA_SUCCESS,
            ),
            ("the third stream waits too early", &|| {
                joins(second, first);
                joins(third, second);
                work(second);
                joins(first, third);
            }, unjoined),
        ];
        for (name, steps, expected) in cases {
            assert_eq!(captured(steps), expected, "{name}");
        }
        // The legacy default stream joins no capture, and ends one that it is asked to join.
        let refused = captured(&|| {
            call!(cuEventRecord(event, first));
            let refused = code!(cuStreamWaitEvent(ptr::null_mut(), event, 0));
            assert_eq!(refused, CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        });
        assert_eq!(refused, CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }

    fn a_stream_that_joined_a_capture_counts_like_its_first_stream() {
        let _context = Context::new();
        let memory = allocate(4096);
        let (mut first, mut graph, mut event) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        call!(cuStreamCreate(&mut first, 1));
        call!(cuEventCreate(&mut event, 2));
        let begin = |other| {
            call!(cuStreamBeginCapture(first, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED));
            call!(cuEventRecord(event, first));
            call!(cuStreamWaitEvent(other, event, 0));
        };
        let status = |stream| {
            let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
            code!(cuStreamIsCapturing(stream, &mut status)).result().map(|()| status)
        };
        let implicit = CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        for (flags, is_blocking) in [(0, true), (1, false)] {
            let mut other = ptr::null_mut();
            call!(cuStreamCreate(&mut other, flags));
            begin(other);
            let nothing = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
            let expected = if is_blocking { Err(implicit) } else { Ok(nothing) };
            assert_eq!(status(ptr::null_mut()), expected, "flags {flags}");
            assert_eq!(status(first), Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE));
            let filled = code!(cuMemsetD8Async(memory, 1, 4096, ptr::null_mut())).result();
            assert_eq!(filled, if is_blocking { Err(implicit) } else { Ok(()) }, "flags {flags}");
            let ended = code!(cuStreamEndCapture(first, &mut graph));
            let invalidated = CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
            // The stream has added nothing, so nothing need wait for it.
            assert_eq!(ended, if is_blocking { invalidated } else { CUresult::CUDA_SUCCESS }, "flags {flags}");
            assert_eq!(status(ptr::null_mut()), Ok(nothing));
        }

        // A stream that was destroyed blocks nothing.
        let mut other = ptr::null_mut();
        call!(cuStreamCreate(&mut other, 0));
        begin(other);
        assert_eq!(status(ptr::null_mut()), Err(implicit));
        call!(cuStreamDestroy(other));
        assert_eq!(status(ptr::null_mut()), Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE));
        call!(cuStreamEndCapture(first, &mut graph));

        // A captured stream of another context: that context cannot be synchronised.
        let (mut second, mut other): (CUcontext, _) = (ptr::null_mut(), ptr::null_mut());
        call!(cuCtxCreate(&mut second, 0, 0));
        call!(cuStreamCreate(&mut other, 1));
        begin(other);
        assert_eq!(code!(cuCtxSynchronize()), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        assert_eq!(code!(cuStreamEndCapture(first, &mut graph)), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
}

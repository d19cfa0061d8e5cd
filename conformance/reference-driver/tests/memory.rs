//! The rules of every kind of memory within one process, and what becomes of it when its owner ends.
//!
//! The conformance suite checks the rules between processes.

// A failing kernel ends the device work of its whole process, so that test runs in a process of its own.
#[macro_use]
#[path = "common/own_process.rs"]
mod own_process;
#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;

use std::ffi::c_void;
use std::ptr;

use calls::{Context, GRANULE, INVALID_VALUE, free_bytes, read, write};
use common::turn::my_turn;
use cuda_ipc_sys::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdeviceptr, CUfunction, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemLocation, CUmemPoolProps, CUmemoryPool,
    CUpointer_attribute as Attribute, CUresult, CUstream,
};

const DEFAULT: CUstream = ptr::null_mut();
const MIB: usize = 1 << 20;

const ILLEGAL_ADDRESS: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;

fn allocate(size: usize) -> CUdeviceptr {
    let mut pointer = 0;
    call!(cuMemAlloc(&mut pointer, size));
    pointer
}

/// Returns a pointer attribute that is a number of 32 or 64 bits.
fn attribute(attribute: Attribute, pointer: CUdeviceptr) -> Result<u64, CUresult> {
    let mut value = 0_u64;
    code!(cuPointerGetAttribute((&raw mut value).cast(), attribute, pointer)).result().map(|()| value)
}

fn kernel(kernel: &kernels::Kernel) -> CUfunction {
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    call!(cuModuleLoadData(&mut module, kernel.ptx.as_ptr().cast()));
    call!(cuModuleGetFunction(&mut function, module, kernel.entry.as_ptr()));
    function
}

/// Launches 2 blocks of 4 threads.
fn launch(function: CUfunction, arguments: &[*const c_void]) -> CUresult {
    let arguments = arguments.as_ptr().cast_mut().cast();
    code!(cuLaunchKernel(function, 2, 1, 1, 4, 1, 1, 0, DEFAULT, arguments, ptr::null_mut()))
}

fn fill(words: CUdeviceptr, count: u64, seed: u32) -> CUresult {
    launch(kernel(&kernels::FILL), &[(&raw const words).cast(), (&raw const count).cast(), (&raw const seed).cast()])
}

fn pinned(size: usize) -> Result<u64, CUresult> {
    let properties = CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation::device(0),
        ..Default::default()
    };
    let mut handle = 0;
    code!(cuMemCreate(&mut handle, size, &properties, 0)).result().map(|()| handle)
}

fn grant(pointer: CUdeviceptr, size: usize, flags: CUmemAccess_flags) -> CUresult {
    code!(cuMemSetAccess(pointer, size, &CUmemAccessDesc { location: CUmemLocation::device(0), flags }, 1))
}

#[test]
fn kernels_do_what_their_grid_does() {
    let _turn = my_turn();
    let _context = Context::new();
    let memory = allocate(4096);
    assert_eq!(fill(memory, 1000, 7), CUresult::CUDA_SUCCESS);
    assert_eq!(read(memory + 4 * 999), Ok(kernels::pattern(7, 999)));
    assert_eq!(read(memory + 4 * 1000), Ok(0));
    let (counter, value, rounds) = (memory, 3_u32, 5_u64);
    assert_eq!(write(counter, 1), Ok(()));
    let arguments = [(&raw const counter).cast(), (&raw const value).cast(), (&raw const rounds).cast()];
    assert_eq!(launch(kernel(&kernels::ADD), &arguments), CUresult::CUDA_SUCCESS);
    assert_eq!(read(counter), Ok(1 + 8 * 3 * 5));
}

#[test]
fn destroying_a_context_ends_what_would_wait_for_ever() {
    let _turn = my_turn();
    let context = Context::new();
    let before = free_bytes();
    let flag = allocate(GRANULE);
    let value = 1_u32;
    let arguments = [(&raw const flag).cast(), (&raw const value).cast()];
    assert_eq!(launch(kernel(&kernels::LATCH), &arguments), CUresult::CUDA_SUCCESS);
    assert_eq!(code!(cuStreamQuery(DEFAULT)), CUresult::CUDA_ERROR_NOT_READY);
    drop(context);
    assert_eq!(read(flag), Err(CUresult::CUDA_ERROR_INVALID_CONTEXT));
    let _next = Context::new();
    assert_eq!(free_bytes(), before);
}

#[test]
fn host_code_in_a_stream_cannot_call_the_driver() {
    unsafe extern "C" fn ask(code: *mut c_void) {
        let answer = code!(cuCtxSynchronize());
        // SAFETY: the address of the local below, whose owner waits for this function.
        unsafe { code.cast::<CUresult>().write(answer) };
    }
    let _turn = my_turn();
    let _context = Context::new();
    let mut answer = CUresult::CUDA_SUCCESS;
    call!(cuLaunchHostFunc(DEFAULT, Some(ask), (&raw mut answer).cast()));
    call!(cuStreamSynchronize(DEFAULT));
    assert_eq!(answer, CUresult::CUDA_ERROR_NOT_PERMITTED);
}

#[test]
fn memory_is_filled_with_words_of_16_bits() {
    let _turn = my_turn();
    let _context = Context::new();
    let memory = allocate(16);
    call!(cuMemsetD32(memory, 0, 4));
    call!(cuMemsetD16(memory + 2, 0x0102, 2));
    call!(cuMemsetD16Async(memory + 8, 0x0304, 3, DEFAULT));
    let words = [0, 4, 8, 12].map(|offset| read(memory + offset).unwrap());
    assert_eq!(words, [0x0102_0000, 0x0000_0102, 0x0304_0304, 0x0000_0304]);
    assert_eq!(code!(cuMemsetD16(memory + 1, 0, 1)), INVALID_VALUE);
    assert_eq!(code!(cuMemsetD16Async(memory + 2, 0, 8, DEFAULT)), INVALID_VALUE);
}

#[test]
fn copies_stay_inside_one_allocation() {
    let _turn = my_turn();
    let _context = Context::new();
    let (one, other) = (allocate(1000), allocate(1000));
    let mut bytes = vec![0_u8; 2000];
    let host = bytes.as_mut_ptr().cast::<c_void>();
    call!(cuMemcpyDtoH(host, one, 1000));
    for (pointer, size) in [(one, 1001), (one + 999, 2), (one - 1, 1), (other + 1000, 1), (0, 1)] {
        assert_eq!(code!(cuMemcpyDtoH(host, pointer, size)), INVALID_VALUE);
        assert_eq!(code!(cuMemsetD8(pointer, 1, size)), INVALID_VALUE);
    }
    assert_eq!(code!(cuMemcpyDtoH(ptr::null_mut(), one, 1)), INVALID_VALUE);
    call!(cuMemFree(one));
    assert_eq!(code!(cuMemcpy(host as u64, one, 1)), INVALID_VALUE);
    assert_eq!(code!(cuMemFree(one)), INVALID_VALUE);
    let again = allocate(1000);
    assert_eq!((again, read(again)), (one, Ok(0)), "the old bytes are gone");
}

#[test]
fn attributes_tell_the_kinds_of_memory_apart() {
    let _turn = my_turn();
    type A = Attribute;
    let context = Context::new();
    let (mut managed, mut pooled, mut host) = (0, 0, ptr::null_mut());
    let linear = allocate(4096);
    call!(cuMemAllocManaged(&mut managed, 4096, 1));
    call!(cuMemAllocAsync(&mut pooled, 4096, DEFAULT));
    call!(cuMemAllocHost(&mut host, 4096));
    let host = host as u64;
    let all = [linear, managed, pooled, host];
    let of_all = |name| all.map(|pointer| attribute(name, pointer + 1).unwrap());
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), [2, 2, 2, 1]);
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE), [1, 0, 0, 0]);
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_IS_MANAGED), [0, 1, 0, 0]);
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE), [1, 0, 0, 0]);
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS), [3; 4]);
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), all);
    assert_eq!(of_all(A::CU_POINTER_ATTRIBUTE_CONTEXT)[0], context.0 as u64);
    assert_ne!(of_all(A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)[2], 0);
    let none = linear + 4096;
    assert_eq!(attribute(A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, none), Err(INVALID_VALUE));
    let (mut kind, mut start) = (7_u32, 7_u64);
    let mut names = [A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR];
    let mut outputs = [(&raw mut kind).cast(), (&raw mut start).cast()];
    call!(cuPointerGetAttributes(2, names.as_mut_ptr(), outputs.as_mut_ptr(), none));
    assert_eq!((kind, start), (0, 0));
    call!(cuMemFreeAsync(pooled, DEFAULT));
    assert_eq!(code!(cuMemFreeAsync(pooled, DEFAULT)), INVALID_VALUE);
}

/// The results are those of an H200.
#[test]
fn attributes_need_no_context_but_one() {
    let _turn = my_turn();
    type A = Attribute;
    let context = Context::new();
    let linear = allocate(4096);
    let mut pooled = 0;
    call!(cuMemAllocAsync(&mut pooled, 4096, DEFAULT));
    let (mut mapping, handle) = (0, pinned(GRANULE).unwrap());
    call!(cuMemAddressReserve(&mut mapping, GRANULE, 0, 0, 0));
    call!(cuMemMap(mapping, GRANULE, 0, handle, 0));
    assert_eq!(grant(mapping, GRANULE, CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUresult::CUDA_SUCCESS);
    let access = || [linear, pooled, mapping].map(|pointer| attribute(A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, pointer));
    assert_eq!(access(), [Ok(3); 3]);
    call!(cuCtxPopCurrent(&mut ptr::null_mut()));
    assert_eq!(access(), [Ok(3), Ok(3), Ok(0)], "the access to a mapping depends on the current context");
    assert_eq!(attribute(A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, linear), Ok(2));
    let no_pointer = attribute(A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, linear);
    assert_eq!(no_pointer, Err(CUresult::CUDA_ERROR_INVALID_CONTEXT));
    call!(cuCtxSetCurrent(context.0));
    call!(cuMemUnmap(mapping, GRANULE));
    call!(cuMemAddressFree(mapping, GRANULE));
    call!(cuMemRelease(handle));
    call!(cuMemFree(pooled));
}

tests! {
    fn mappings_have_the_access_that_was_granted() {
        type F = CUmemAccess_flags;
        let _context = Context::new();
        let mut base = 0;
        call!(cuMemAddressReserve(&mut base, 2 * GRANULE, 0, 0, 0));
        let (one, other) = (pinned(GRANULE).unwrap(), pinned(GRANULE).unwrap());
        assert_eq!(pinned(GRANULE + 1), Err(INVALID_VALUE));
        call!(cuMemMap(base, GRANULE, 0, one, 0));
        assert_eq!(code!(cuMemMap(base, GRANULE, 0, other, 0)), INVALID_VALUE, "memory is already mapped there");
        call!(cuMemMap(base + GRANULE as u64, GRANULE, 0, other, 0));
        call!(cuMemRelease(one));
        assert_eq!(code!(cuMemRelease(one)), INVALID_VALUE);

        assert_eq!((read(base), write(base, 1)), (Err(INVALID_VALUE), Err(INVALID_VALUE)));
        assert_eq!(grant(base, 2 * GRANULE, F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUresult::CUDA_SUCCESS);
        let seam = base + GRANULE as u64 - 400;
        assert_eq!(fill(seam, 200, 5), CUresult::CUDA_SUCCESS);
        let mut words = [0_u32; 200];
        call!(cuMemcpyDtoH(words.as_mut_ptr().cast(), seam, 800));
        assert_eq!(words.to_vec(), (0..200).map(|index| kernels::pattern(5, index)).collect::<Vec<_>>());

        assert_eq!(grant(base, GRANULE, F::CU_MEM_ACCESS_FLAGS_PROT_READ), CUresult::CUDA_SUCCESS);
        assert_eq!((read(base), write(base, 1)), (Ok(0), Err(INVALID_VALUE)));
        assert_eq!(attribute(Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, base), Ok(1));
        assert_eq!(attribute(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE, base), Ok(2 * GRANULE as u64));
        let (mut chunk, mut size) = (0, 0);
        call!(cuMemGetAddressRange(&mut chunk, &mut size, seam + 500));
        assert_eq!((chunk, size), (base + GRANULE as u64, GRANULE));

        assert_eq!(code!(cuMemUnmap(base, GRANULE / 2)), INVALID_VALUE);
        assert_eq!(code!(cuMemAddressFree(base, 2 * GRANULE)), INVALID_VALUE, "memory is still mapped there");
        let mut retained = 0;
        call!(cuMemRetainAllocationHandle(&mut retained, (base + 8) as *mut c_void));
        assert_eq!(retained, one, "it is the handle that was mapped");
        call!(cuMemUnmap(base, 2 * GRANULE));
        assert_eq!(attribute(Attribute::CU_POINTER_ATTRIBUTE_MAPPED, base), Ok(0));
        call!(cuMemMap(base, GRANULE, 0, retained, 0));
        assert_eq!(read(base), Err(INVALID_VALUE), "a new mapping starts without access");
        assert_eq!(fill(base, 1, 0), CUresult::CUDA_SUCCESS);
        assert_eq!(code!(cuCtxSynchronize()), ILLEGAL_ADDRESS);
        call!(cuMemUnmap(base, GRANULE));
        call!(cuMemAddressFree(base, 2 * GRANULE));
        call!(cuMemRelease(retained));
        call!(cuMemRelease(other));
    }
}

#[test]
fn a_pool_counts_limits_and_outlives_its_destruction() {
    let _turn = my_turn();
    let _context = Context::new();
    let mut properties = CUmemPoolProps {
        allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation::device(0),
        maxSize: 4 * MIB,
        ..Default::default()
    };
    let (mut pool, mut pointer, mut more): (CUmemoryPool, _, _) = (ptr::null_mut(), 0, 0);
    call!(cuMemPoolCreate(&mut pool, &properties));
    call!(cuMemAllocFromPoolAsync(&mut pointer, 3 * MIB, pool, DEFAULT));
    let full = code!(cuMemAllocFromPoolAsync(&mut more, 2 * MIB, pool, DEFAULT));
    assert_eq!(full, CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    let used = |pool| {
        let mut value = 0_u64;
        let name = cuda_ipc_sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
        code!(cuMemPoolGetAttribute(pool, name, (&raw mut value).cast())).result().map(|()| value)
    };
    assert_eq!(used(pool), Ok(3 * MIB as u64));
    call!(cuMemPoolDestroy(pool));
    assert_eq!(used(pool), Err(INVALID_VALUE));
    assert_eq!((write(pointer, 5), read(pointer)), (Ok(()), Ok(5)));
    call!(cuMemFreeAsync(pointer, DEFAULT));
    call!(cuStreamSynchronize(DEFAULT));
    assert_eq!(read(pointer), Err(INVALID_VALUE));
    call!(cuDeviceGetDefaultMemPool(&mut pool, 0));
    assert_eq!(code!(cuMemPoolDestroy(pool)), INVALID_VALUE);
    properties.handleTypes = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32;
    assert_eq!(code!(cuMemPoolCreate(&mut pool, &properties)), INVALID_VALUE, "as the device attribute says");
}

#[test]
fn a_graph_owns_what_its_nodes_allocate() {
    let _turn = my_turn();
    let _context = Context::new();
    let (mut graph, mut node, mut executable) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    call!(cuGraphCreate(&mut graph, 0));
    let mut parameters = CUDA_MEM_ALLOC_NODE_PARAMS { bytesize: 4096, ..Default::default() };
    parameters.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location = CUmemLocation::device(0);
    call!(cuGraphAddMemAllocNode(&mut node, graph, ptr::null(), 0, &mut parameters));
    call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));
    let pointer = parameters.dptr;
    assert_eq!(read(pointer), Err(INVALID_VALUE), "nothing is allocated before the launch");
    call!(cuGraphLaunch(executable, DEFAULT));
    call!(cuStreamSynchronize(DEFAULT));
    assert_eq!((write(pointer, 5), read(pointer)), (Ok(()), Ok(5)));
    assert_eq!(code!(cuGraphLaunch(executable, DEFAULT)), INVALID_VALUE, "its memory was not freed");
    call!(cuMemFreeAsync(pointer, DEFAULT));
    call!(cuGraphLaunch(executable, DEFAULT));
    call!(cuStreamSynchronize(DEFAULT));
    call!(cuMemFree(pointer));
    parameters.poolProps.handleTypes = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let refused = code!(cuGraphAddMemAllocNode(&mut node, graph, ptr::null(), 0, &mut parameters));
    assert_eq!(refused, INVALID_VALUE);
    call!(cuGraphExecDestroy(executable));
    call!(cuGraphDestroy(graph));
}

/// `cuGraphInstantiateWithFlags` takes the flags that mean something for it. Another one is invalid, and so are frees on
/// launch together with launches by kernels.
#[test]
fn an_instantiation_takes_the_flags_that_are_documented_for_it() {
    use cuda_ipc_sys::CUgraphInstantiate_flags as Flags;
    let _turn = my_turn();
    let _context = Context::new();
    let frees = Flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let priorities = Flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    let devices = Flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    let expected = [
        (frees, CUresult::CUDA_SUCCESS),
        (priorities, CUresult::CUDA_SUCCESS),
        (frees | priorities, CUresult::CUDA_SUCCESS),
        (devices, CUresult::CUDA_ERROR_NOT_SUPPORTED),
        (frees | devices, INVALID_VALUE),
        (Flags::CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, INVALID_VALUE),
        (Flags(16), INVALID_VALUE),
    ];
    let mut graph = ptr::null_mut();
    call!(cuGraphCreate(&mut graph, 0));
    for (flags, code) in expected {
        let mut executable = ptr::null_mut();
        assert_eq!(code!(cuGraphInstantiateWithFlags(&mut executable, graph, u64::from(flags.0))), code, "{flags:?}");
    }
    call!(cuGraphDestroy(graph));
}

#[test]
fn a_launched_graph_waits_for_an_event_and_records_another() {
    let _turn = my_turn();
    let _context = Context::new();
    let (mut stream, mut graph, mut node, mut executable) =
        (ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let (mut awaited, mut recorded) = (ptr::null_mut(), ptr::null_mut());
    call!(cuStreamCreate(&mut stream, 1));
    call!(cuEventCreate(&mut awaited, 2));
    call!(cuEventCreate(&mut recorded, 2));
    call!(cuGraphCreate(&mut graph, 0));
    call!(cuGraphAddEventWaitNode(&mut node, graph, ptr::null(), 0, awaited));
    let first = node;
    call!(cuGraphAddEventRecordNode(&mut node, graph, &first, 1, recorded));
    assert_eq!(code!(cuGraphAddEventWaitNode(&mut node, graph, &graph.cast(), 1, awaited)), INVALID_VALUE);
    call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));

    let flag = allocate(4);
    call!(cuStreamWaitValue32(stream, flag, 1, 0));
    call!(cuEventRecord(awaited, stream));
    call!(cuGraphLaunch(executable, DEFAULT));
    assert_eq!(code!(cuEventQuery(recorded)), CUresult::CUDA_ERROR_NOT_READY);
    let mut other = ptr::null_mut();
    call!(cuStreamCreate(&mut other, 1));
    call!(cuStreamWriteValue32(other, flag, 1, 0));
    call!(cuEventSynchronize(recorded));
    call!(cuEventQuery(awaited));
}

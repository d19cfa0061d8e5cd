//! A resource of every kind that a context can have.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{
    CUdeviceptr, CUevent, CUevent_flags, CUfunction, CUgraph, CUgraphExec, CUipcMemHandle, CUmodule, CUresult, CUstream,
};

use crate::calls::GRANULE;

/// An address at which there is no memory, and never can be.
pub(crate) const NOWHERE: CUdeviceptr = 0x1000;

/// Resources of the context that was current.
pub(crate) struct Resources {
    /// An allocation with a block of its own, which was exported, and one in a shared block.
    pub(crate) memory: [CUdeviceptr; 2],
    pub(crate) managed: CUdeviceptr,
    pub(crate) host: *mut c_void,
    /// Memory from the device's pool.
    pub(crate) pooled: CUdeviceptr,
    pub(crate) stream: CUstream,
    /// A local event and an interprocess event, both recorded.
    pub(crate) events: [CUevent; 2],
    pub(crate) module: CUmodule,
    pub(crate) function: CUfunction,
    /// A graph that records the first event.
    pub(crate) graph: CUgraph,
    pub(crate) executable: CUgraphExec,
}

impl Resources {
    pub(crate) fn new() -> Self {
        let mut stream = ptr::null_mut();
        call!(cuStreamCreate(&mut stream, 0));
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        call!(cuModuleLoadData(&mut module, kernels::FILL.ptx.as_ptr().cast()));
        call!(cuModuleGetFunction(&mut function, module, kernels::FILL.entry.as_ptr()));
        let memory = [GRANULE, 512].map(allocate);
        call!(cuIpcGetMemHandle(&mut CUipcMemHandle::default(), memory[0]));
        let (mut managed, mut host, mut pooled) = (0, ptr::null_mut(), 0);
        call!(cuMemAllocManaged(&mut managed, 4096, 1));
        call!(cuMemAllocHost(&mut host, 4096));
        call!(cuMemAllocAsync(&mut pooled, 4096, stream));
        let interprocess = CUevent_flags::CU_EVENT_INTERPROCESS.0 | CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
        let events = [0, interprocess].map(|flags| {
            let mut event = ptr::null_mut();
            call!(cuEventCreate(&mut event, flags));
            call!(cuEventRecord(event, stream));
            event
        });
        let (mut graph, mut executable) = (ptr::null_mut(), ptr::null_mut());
        call!(cuGraphCreate(&mut graph, 0));
        call!(cuGraphAddEventRecordNode(&mut ptr::null_mut(), graph, ptr::null(), 0, events[0]));
        call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        call!(cuStreamSynchronize(stream));
        Self { memory, managed, host, pooled, stream, events, module, function, graph, executable }
    }

    /// Launches the kernel in a stream, on words at an address without memory.
    pub(crate) fn launch(&self, stream: CUstream) -> CUresult {
        let (words, count, seed) = (NOWHERE, 4_u64, 1_u32);
        let arguments: [*const c_void; 3] =
            [(&raw const words).cast(), (&raw const count).cast(), (&raw const seed).cast()];
        let arguments = arguments.as_ptr().cast_mut().cast();
        code!(cuLaunchKernel(self.function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, ptr::null_mut()))
    }
}

pub(crate) fn allocate(size: usize) -> CUdeviceptr {
    let mut pointer = 0;
    call!(cuMemAlloc(&mut pointer, size));
    pointer
}

//! Graphs, as far as they own memory.

use std::ptr;

use cuda_ipc_sys::{CUDA_MEM_ALLOC_NODE_PARAMS, CUmemAllocationType, CUmemLocation};

use crate::role::ledger::Resource;
use crate::{Pointer, Stream};

calls! {
    /// Memory of a `cuGraphAddMemAllocNode` node, after its graph ran once.
    fn graph_mem_alloc(session, size: u64) -> Pointer {
        let device = session.device;
        let mut graph = ptr::null_mut();
        cuda!(session.cuGraphCreate(&mut graph, 0));
        session.ledger.add(Resource::Graph(graph as u64));
        let mut node = ptr::null_mut();
        let mut parameters = CUDA_MEM_ALLOC_NODE_PARAMS { bytesize: size as usize, ..Default::default() };
        parameters.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters.poolProps.location = CUmemLocation::device(device);
        cuda!(session.cuGraphAddMemAllocNode(&mut node, graph, ptr::null(), 0, &mut parameters));
        let mut executable = ptr::null_mut();
        cuda!(session.cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        session.ledger.add(Resource::GraphExec(executable as u64));
        cuda!(session.cuGraphLaunch(executable, Stream::DEFAULT.0 as _));
        cuda!(session.cuStreamSynchronize(Stream::DEFAULT.0 as _));
        session.ledger.add(Resource::Allocation(parameters.dptr));
        Ok(Pointer(parameters.dptr))
    }
}

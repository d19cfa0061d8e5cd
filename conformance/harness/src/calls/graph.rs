//! Graphs of memory and events.

use std::ptr;

use cuda_ipc_sys::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUgraph, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation,
};

use crate::message::Refused;
use crate::role::{Resource, Session};
use crate::{Event, Graph, GraphExec, Pointer, Stream};

calls! {
    /// `cuGraphCreate`.
    fn graph_create(session) -> Graph {
        let mut graph = ptr::null_mut();
        cuda!(session.cuGraphCreate(&mut graph, 0));
        session.ledger.add(Resource::Graph(graph as u64));
        Ok(Graph(graph as u64))
    }

    /// `cuGraphAddEventRecordNode`, without dependencies.
    fn graph_add_event_record_node(session, graph: Graph, event: Event) -> () {
        let mut node = ptr::null_mut();
        cuda!(session.cuGraphAddEventRecordNode(&mut node, graph.0 as _, ptr::null(), 0, event.0 as _));
        Ok(())
    }

    /// `cuGraphAddEventWaitNode`, without dependencies.
    fn graph_add_event_wait_node(session, graph: Graph, event: Event) -> () {
        let mut node = ptr::null_mut();
        cuda!(session.cuGraphAddEventWaitNode(&mut node, graph.0 as _, ptr::null(), 0, event.0 as _));
        Ok(())
    }

    /// `cuGraphInstantiateWithFlags` and `cuGraphLaunch`.
    fn graph_launch(session, graph: Graph, stream: Stream) -> () {
        let mut executable = ptr::null_mut();
        cuda!(session.cuGraphInstantiateWithFlags(&mut executable, graph.0 as _, 0));
        session.ledger.add(Resource::GraphExec(executable as u64));
        cuda!(session.cuGraphLaunch(executable, stream.0 as _));
        Ok(())
    }

    /// `cuGraphInstantiateWithFlags`.
    fn graph_instantiate(session, graph: Graph) -> GraphExec {
        let mut executable = ptr::null_mut();
        cuda!(session.cuGraphInstantiateWithFlags(&mut executable, graph.0 as _, 0));
        session.ledger.add(Resource::GraphExec(executable as u64));
        Ok(GraphExec(executable as u64))
    }

    /// `cuGraphLaunch` of an executable graph, which may have run before.
    fn graph_exec_launch(session, executable: GraphExec, stream: Stream) -> () {
        cuda!(session.cuGraphLaunch(executable.0 as _, stream.0 as _));
        Ok(())
    }

    /// `cuGraphAddMemAllocNode` in a new graph, for memory that is exportable as these handle types.
    fn graph_add_mem_alloc_node(session, size: u64, handle_types: u32) -> () {
        session.graph_add_mem_alloc_node(size, handle_types).map(drop)
    }

    /// Allocates memory by a graph with one `cuGraphAddMemAllocNode` node, which runs once.
    fn graph_mem_alloc(session, size: u64) -> Pointer {
        let (graph, pointer) = session.graph_add_mem_alloc_node(size, 0)?;
        let mut executable = ptr::null_mut();
        cuda!(session.cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        session.ledger.add(Resource::GraphExec(executable as u64));
        cuda!(session.cuGraphLaunch(executable, Stream::DEFAULT.0 as _));
        cuda!(session.cuStreamSynchronize(Stream::DEFAULT.0 as _));
        session.ledger.add(Resource::Allocation(pointer.0));
        Ok(pointer)
    }
}

impl Session {
    /// Creates a graph with one node that allocates. Returns the graph and the address of the memory.
    fn graph_add_mem_alloc_node(&mut self, size: u64, handle_types: u32) -> Result<(CUgraph, Pointer), Refused> {
        let session = self;
        let mut graph = ptr::null_mut();
        cuda!(session.cuGraphCreate(&mut graph, 0));
        session.ledger.add(Resource::Graph(graph as u64));
        let mut node = ptr::null_mut();
        let mut parameters = CUDA_MEM_ALLOC_NODE_PARAMS { bytesize: size as usize, ..Default::default() };
        parameters.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters.poolProps.handleTypes = CUmemAllocationHandleType(handle_types);
        parameters.poolProps.location = CUmemLocation::device(session.device);
        cuda!(session.cuGraphAddMemAllocNode(&mut node, graph, ptr::null(), 0, &mut parameters));
        Ok((graph, Pointer(parameters.dptr)))
    }
}

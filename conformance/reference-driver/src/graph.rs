//! Graphs, as far as they own memory: allocation and free nodes, in the order in which they were added.

use std::sync::Arc;

use cuda_ipc_sys::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode, CUmemLocationType, CUstream,
};

use crate::answer::{INVALID_VALUE, Result, give, give_if_asked, wanted};
use crate::block::Block;
use crate::memory::Kind;
use crate::process::state;

#[derive(Clone, Debug)]
enum Node {
    Allocate { block: Arc<Block>, size: u64, device_index: usize },
    Free(u64),
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
}

#[derive(Debug)]
pub(crate) struct Executable {
    nodes: Vec<Node>,
}

entry_points! {
    fn cuGraphCreate(output: *mut CUgraph, flags: u32) {
        wanted(output)?;
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        let mut state = state()?;
        let id = state.new_id();
        state.graphs.insert(id, Graph::default());
        give(output, id as CUgraph)
    }

    fn cuGraphDestroy(graph: CUgraph) {
        state()?.graphs.remove(&(graph as u64)).map(|_| ()).ok_or(INVALID_VALUE)
    }

    fn cuGraphAddMemAllocNode(
        output: *mut CUgraphNode, graph: CUgraph, _dependencies: *const CUgraphNode, _count: usize,
        parameters: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) {
        wanted(parameters)?;
        let mut wished = crate::answer::take(parameters.cast_const())?;
        let of_device = wished.poolProps.location.type_ == CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        // POOL-CREATE-014: a graph's memory cannot be exported.
        if wished.poolProps.handleTypes.0 != 0 || !of_device || wished.bytesize == 0 {
            return Err(INVALID_VALUE);
        }
        let mut state = state()?;
        if !state.graphs.contains_key(&(graph as u64)) {
            return Err(INVALID_VALUE);
        }
        let device_index = state.device(wished.poolProps.location.id())?.index;
        let size = wished.bytesize as u64;
        let block = Arc::new(Block::new(device_index, size)?);
        wished.dptr = block.base;
        let id = state.new_id();
        if let Some(graph) = state.graphs.get_mut(&(graph as u64)) {
            graph.nodes.push(Node::Allocate { block, size, device_index });
        }
        give(parameters, wished)?;
        give_if_asked(output, id as CUgraphNode);
        Ok(())
    }

    fn cuGraphAddMemFreeNode(
        output: *mut CUgraphNode, graph: CUgraph, _dependencies: *const CUgraphNode, _count: usize,
        pointer: CUdeviceptr,
    ) {
        let mut state = state()?;
        let id = state.new_id();
        let graph = state.graphs.get_mut(&(graph as u64)).ok_or(INVALID_VALUE)?;
        graph.nodes.push(Node::Free(pointer));
        give_if_asked(output, id as CUgraphNode);
        Ok(())
    }

    fn cuGraphInstantiateWithFlags(output: *mut CUgraphExec, graph: CUgraph, _flags: u64) {
        wanted(output)?;
        let mut state = state()?;
        let nodes = state.graphs.get(&(graph as u64)).ok_or(INVALID_VALUE)?.nodes.clone();
        let id = state.new_id();
        state.executables.insert(id, Executable { nodes });
        give(output, id as CUgraphExec)
    }

    fn cuGraphExecDestroy(executable: CUgraphExec) {
        state()?.executables.remove(&(executable as u64)).map(|_| ()).ok_or(INVALID_VALUE)
    }

    fn cuGraphLaunch(executable: CUgraphExec, queue: CUstream) {
        let mut locked = state()?;
        let stream = locked.stream(queue)?;
        let nodes = locked.executables.get(&(executable as u64)).ok_or(INVALID_VALUE)?.nodes.clone();
        let context = stream.context;
        locked.enqueue(&stream, move || perform(nodes, context))?;
        Ok(())
    }
}

fn perform(nodes: Vec<Node>, context: u64) -> Result<()> {
    for node in nodes {
        let mut state = state()?;
        match node {
            Node::Allocate { block, size, device_index } => {
                let base = block.base;
                state.add_range(base, size, Kind::GraphOwned { block }, context, device_index);
            }
            Node::Free(pointer) => state.forget(pointer),
        }
    }
    Ok(())
}

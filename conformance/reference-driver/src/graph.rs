//! Graphs of memory and event nodes. Nodes are performed in the order in which they were added. That respects every
//! dependency, since a node can only depend on nodes that already exist.

use std::sync::Arc;

use cuda_ipc_sys::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdeviceptr, CUevent, CUgraph, CUgraphExec, CUgraphInstantiate_flags, CUgraphNode,
    CUmemAllocationType, CUmemLocationType, CUstream,
};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::Block;
use crate::event::record_in;
use crate::process::{State, state};
use crate::range::Memory;
use crate::stream::Stream;

#[derive(Clone, Debug)]
enum Node {
    Allocate { block: Arc<Block>, size: u64, device: usize },
    Free(u64),
    Record(u64),
    Wait(u64),
}

impl Node {
    /// The address that the node allocates.
    fn allocated(&self) -> Option<u64> {
        if let Self::Allocate { block, .. } = self { Some(block.base) } else { None }
    }

    /// The address that the node frees.
    const fn freed(&self) -> Option<u64> {
        if let Self::Free(pointer) = self { Some(*pointer) } else { None }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<(u64, Node)>,
}

#[derive(Debug)]
pub(crate) struct Executable {
    nodes: Vec<Node>,
    frees_on_launch: bool,
}

impl State {
    fn graph(&mut self, graph: CUgraph) -> Result<&mut Graph> {
        self.graphs.get_mut(&(graph as u64)).ok_or(INVALID_VALUE)
    }

    fn add_node(
        &mut self,
        graph: CUgraph,
        dependencies: Input<CUgraphNode>,
        count: usize,
        node: Node,
    ) -> Result<CUgraphNode> {
        // SAFETY: the caller promises `count` dependencies.
        let dependencies = unsafe { dependencies.values(count) }?;
        let id = self.new_id();
        let graph = self.graph(graph)?;
        let is_known = |node: &CUgraphNode| graph.nodes.iter().any(|(id, _)| *id == *node as u64);
        if !dependencies.iter().all(is_known) {
            return Err(INVALID_VALUE);
        }
        graph.nodes.push((id, node));
        Ok(id as CUgraphNode)
    }

    /// The addresses that an earlier launch allocated and that are not freed yet.
    fn live_allocations(&self, nodes: &[Node]) -> Vec<u64> {
        let is_live = |base: &u64| self.ranges.get(base).is_some_and(|range| !range.is_freed);
        nodes.iter().filter_map(Node::allocated).filter(is_live).collect()
    }
}

/// Enqueues the work of a node.
fn enqueue(stream: &Arc<Stream>, node: Node) -> Result<()> {
    match node {
        Node::Allocate { block, size, device } => {
            state()?.enqueue(stream, move |_| {
                state()?.add_range(block.base, size, 0, device, Memory::Graph(block));
                Ok(())
            })?;
        }
        Node::Free(pointer) => {
            state()?.enqueue(stream, move |_| {
                state()?.ranges.remove(&pointer);
                Ok(())
            })?;
        }
        Node::Record(event) => record_in(stream, event as CUevent)?,
        Node::Wait(event) => state()?.wait_for_event(stream, event as CUevent)?,
    }
    Ok(())
}

/// Checks the parameters of an allocation node, and returns the device and the size.
fn check_allocation(state: &mut State, wished: &CUDA_MEM_ALLOC_NODE_PARAMS) -> Result<(usize, u64)> {
    let properties = &wished.poolProps;
    let is_pinned = properties.allocType == CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    // POOL-CREATE-014: a graph's memory cannot be exported.
    let has_types = properties.handleTypes.0 != 0
        && !fault!(
            "graph-allocation-takes-handle-types",
            ["POOL-CREATE-014"],
            "A graph allocation node can have a handle type."
        );
    if !is_pinned || has_types || wished.bytesize == 0 {
        return Err(INVALID_VALUE);
    }
    if properties.location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
        return Err(INVALID_VALUE);
    }
    // Access for other devices is not implemented.
    if wished.accessDescCount != 0 {
        return Err(NOT_SUPPORTED);
    }
    Ok((state.device(properties.location.id())?.index, wished.bytesize as u64))
}

entry_points! {
    fn cuGraphCreate(output: Output<CUgraph>, flags: u32) {
        let mut state = state()?;
        output.wanted()?;
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        let id = state.new_id();
        state.graphs.insert(id, Graph::default());
        output.give(id as CUgraph)
    }

    fn cuGraphDestroy(graph: CUgraph) {
        state()?.graphs.remove(&(graph as u64)).map(|_| ()).ok_or(INVALID_VALUE)
    }

    fn cuGraphAddMemAllocNode(
        output: Output<CUgraphNode>,
        graph: CUgraph,
        dependencies: Input<CUgraphNode>,
        count: usize,
        parameters: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) {
        let mut state = state()?;
        output.wanted()?;
        // SAFETY: the caller promises null, or parameters that can be read and written.
        let (wished, answered) = unsafe { (Input::new(parameters), Output::new(parameters)) };
        let mut wished: CUDA_MEM_ALLOC_NODE_PARAMS = wished.value()?;
        let (device, size) = check_allocation(&mut state, &wished)?;
        state.graph(graph)?;
        let block = Arc::new(Block::new(device, size)?);
        wished.dptr = block.base;
        let node = state.add_node(graph, dependencies, count, Node::Allocate { block, size, device })?;
        answered.give(wished)?;
        output.give(node)
    }

    fn cuGraphAddMemFreeNode(
        output: Output<CUgraphNode>,
        graph: CUgraph,
        dependencies: Input<CUgraphNode>,
        count: usize,
        pointer: CUdeviceptr,
    ) {
        let mut state = state()?;
        output.wanted()?;
        let allocates = |(_, node): &(u64, Node)| node.allocated() == Some(pointer);
        let frees = |(_, node): &(u64, Node)| node.freed() == Some(pointer);
        let is_allocated = state.graphs.values().any(|graph| graph.nodes.iter().any(allocates));
        if !is_allocated || state.graph(graph)?.nodes.iter().any(frees) {
            return Err(INVALID_VALUE);
        }
        output.give(state.add_node(graph, dependencies, count, Node::Free(pointer))?)
    }

    fn cuGraphAddEventRecordNode(
        output: Output<CUgraphNode>,
        graph: CUgraph,
        dependencies: Input<CUgraphNode>,
        count: usize,
        event: CUevent,
    ) {
        let mut state = state()?;
        output.wanted()?;
        state.event(event).map_err(|_| INVALID_VALUE)?;
        output.give(state.add_node(graph, dependencies, count, Node::Record(event as u64))?)
    }

    fn cuGraphAddEventWaitNode(
        output: Output<CUgraphNode>,
        graph: CUgraph,
        dependencies: Input<CUgraphNode>,
        count: usize,
        event: CUevent,
    ) {
        let mut state = state()?;
        output.wanted()?;
        state.event(event).map_err(|_| INVALID_VALUE)?;
        output.give(state.add_node(graph, dependencies, count, Node::Wait(event as u64))?)
    }

    fn cuGraphInstantiateWithFlags(output: Output<CUgraphExec>, graph: CUgraph, flags: u64) {
        const FREES: u64 = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH.0 as u64;
        let mut state = state()?;
        output.wanted()?;
        if flags & !FREES != 0 {
            return Err(NOT_SUPPORTED);
        }
        let nodes = state.graph(graph)?.nodes.iter().map(|(_, node)| node.clone()).collect();
        let id = state.new_id();
        state.executables.insert(id, Executable { nodes, frees_on_launch: flags == FREES });
        output.give(id as CUgraphExec)
    }

    fn cuGraphExecDestroy(executable: CUgraphExec) {
        state()?.executables.remove(&(executable as u64)).map(|_| ()).ok_or(INVALID_VALUE)
    }

    fn cuGraphLaunch(executable: CUgraphExec, stream: CUstream) {
        let (stream, nodes, live) = {
            let mut state = state()?;
            let stream = state.stream(stream)?;
            let executable = state.executables.get(&(executable as u64)).ok_or(INVALID_VALUE)?;
            let live = state.live_allocations(&executable.nodes);
            if !live.is_empty() && !executable.frees_on_launch {
                return Err(INVALID_VALUE);
            }
            (stream, executable.nodes.clone(), live)
        };
        let frees = live.into_iter().map(Node::Free);
        frees.chain(nodes).try_for_each(|node| enqueue(&stream, node))
    }
}

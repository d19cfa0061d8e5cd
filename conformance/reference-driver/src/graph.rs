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
use crate::health::Health;
use crate::process::{State, state};
use crate::range::Memory;
use crate::stream::Stream;

type Repeated = dyn Fn(&Health) -> Result<()> + Send + Sync;

/// Work that can be done again and again.
#[derive(Clone)]
pub(crate) struct Work(pub(crate) Arc<Repeated>);

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A copy, a fill, a launch, a call of the host, or an operation on a value.
    Work(Work),
    Allocate {
        block: Arc<Block>,
        size: u64,
        device: usize,
    },
    Free(u64),
    Record(u64),
    Wait(u64),
}

impl Node {
    fn allocate(device: usize, size: u64) -> Result<Self> {
        Ok(Self::Allocate { block: Arc::new(Block::new(device, size)?), size, device })
    }

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
    pub(crate) nodes: Vec<(u64, Node)>,
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

    /// Whether a node of a graph allocates an address.
    fn is_of_a_graph(&self, address: u64) -> bool {
        let mut nodes = self.graphs.values().flat_map(|graph| &graph.nodes);
        nodes.any(|(_, node)| node.allocated() == Some(address))
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
        Node::Work(Work(work)) => {
            state()?.enqueue(stream, move |health| work(health))?;
        }
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

/// Checks the flags of an instantiation, and returns whether a launch frees the allocations of the last one.
fn check_flags(flags: u64) -> Result<bool> {
    use CUgraphInstantiate_flags as Flags;
    let has = |flag: Flags| flags & u64::from(flag.0) != 0;
    let frees = has(Flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    let is_for_devices = has(Flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
    // No node has a priority, so nothing follows from this flag.
    let with_priorities = Flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    // The flag for an upload is documented for cuGraphInstantiateWithParams only.
    let known = with_priorities
        | Flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
        | Flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    if flags & !u64::from(known.0) != 0 || frees && is_for_devices {
        return Err(INVALID_VALUE);
    }
    // Kernels, which would launch the graph, are functions on the CPU.
    if is_for_devices { Err(NOT_SUPPORTED) } else { Ok(frees) }
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
        let node = Node::allocate(device, size)?;
        wished.dptr = node.allocated().unwrap_or_default();
        let node = state.add_node(graph, dependencies, count, node)?;
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
        let frees = |(_, node): &(u64, Node)| node.freed() == Some(pointer);
        if !state.is_of_a_graph(pointer) || state.graph(graph)?.nodes.iter().any(frees) {
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

    // With a null array the call counts the nodes; otherwise it writes as many as fit.
    fn cuGraphGetNodes(graph: CUgraph, nodes: Output<CUgraphNode>, count: Output<usize>) {
        let mut state = state()?;
        count.wanted()?;
        let found: Vec<_> = state.graph(graph)?.nodes.iter().map(|(id, _)| *id as CUgraphNode).collect();
        if nodes.wanted().is_err() {
            return count.give(found.len());
        }
        let written = count.old().min(found.len());
        // SAFETY: the caller promises room for as many nodes as it says, and no more are written.
        unsafe { nodes.give_all(&found[..written]) };
        count.give(written)
    }

    fn cuGraphInstantiateWithFlags(output: Output<CUgraphExec>, graph: CUgraph, flags: u64) {
        let mut state = state()?;
        output.wanted()?;
        let frees_on_launch = check_flags(flags)?;
        let nodes = state.graph(graph)?.nodes.iter().map(|(_, node)| node.clone()).collect();
        let id = state.new_id();
        state.executables.insert(id, Executable { nodes, frees_on_launch });
        output.give(id as CUgraphExec)
    }

    fn cuGraphExecDestroy(executable: CUgraphExec) {
        state()?.executables.remove(&(executable as u64)).map(|_| ()).ok_or(INVALID_VALUE)
    }

    fn cuGraphLaunch(executable: CUgraphExec, stream: CUstream) {
        let (stream, nodes, live) = {
            let mut state = state()?;
            let stream = state.stream(stream)?;
            state.check_not_capturing(&stream)?;
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

//! Captures of streams, and the graphs that they make.

use cuda_ipc_sys::{
    CUgraph, CUgraphEdgeData, CUgraphExec, CUgraphNode, CUstream, CUstreamCaptureMode, CUstreamCaptureStatus,
};

use crate::answer::Output;

runtime_calls! {
    active fn cudaStreamBeginCapture(stream: CUstream, mode: CUstreamCaptureMode) {
        driver!(capture::cuStreamBeginCapture_v2(stream, mode))
    }

    active fn cudaStreamEndCapture(stream: CUstream, graph: Output<CUgraph>) {
        driver!(capture::cuStreamEndCapture(stream, graph))
    }

    active fn cudaStreamIsCapturing(stream: CUstream, status: Output<CUstreamCaptureStatus>) {
        driver!(capture::cuStreamIsCapturing(stream, status))
    }

    // The signature of CUDA 13. With older ones, a call can only ask for the status and the number.
    active fn cudaStreamGetCaptureInfo(
        stream: CUstream,
        status: Output<CUstreamCaptureStatus>,
        id: Output<u64>,
        graph: Output<CUgraph>,
        dependencies: Output<*const CUgraphNode>,
        edges: Output<*const CUgraphEdgeData>,
        count: Output<usize>,
    ) {
        driver!(capture::cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, count))
    }

    initialised fn cudaThreadExchangeStreamCaptureMode(mode: Output<CUstreamCaptureMode>) {
        driver!(capture::cuThreadExchangeStreamCaptureMode(mode))
    }

    initialised fn cudaGraphGetNodes(graph: CUgraph, nodes: Output<CUgraphNode>, count: Output<usize>) {
        driver!(graph::cuGraphGetNodes(graph, nodes, count))
    }

    initialised fn cudaGraphDestroy(graph: CUgraph) {
        driver!(graph::cuGraphDestroy(graph))
    }

    // The signature since CUDA 12.
    initialised fn cudaGraphInstantiate(executable: Output<CUgraphExec>, graph: CUgraph, flags: u64) {
        driver!(graph::cuGraphInstantiateWithFlags(executable, graph, flags))
    }

    initialised fn cudaGraphInstantiateWithFlags(executable: Output<CUgraphExec>, graph: CUgraph, flags: u64) {
        driver!(graph::cuGraphInstantiateWithFlags(executable, graph, flags))
    }

    active fn cudaGraphLaunch(executable: CUgraphExec, stream: CUstream) {
        driver!(graph::cuGraphLaunch(executable, stream))
    }

    initialised fn cudaGraphExecDestroy(executable: CUgraphExec) {
        driver!(graph::cuGraphExecDestroy(executable))
    }
}

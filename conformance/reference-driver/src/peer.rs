//! Peer access between contexts, as far as the topology allows it.

use std::ffi::c_int;

use cuda_ipc_sys::{CUatomicOperation, CUcontext, CUdevice, CUdevice_P2PAttribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE, Input, Output};
use crate::process::{State, state};
use crate::topology::topology;

impl State {
    /// Whether kernels of a context can access the memory of another context. Memory of other processes is accessible
    /// to the context that opened it, whatever device the memory is on. Apart from that, opening memory enables no
    /// access, as on an H200 (IPCMEM-OPEN-034).
    pub(crate) fn has_peer_access(&self, context: u64, owner: u64) -> bool {
        self.contexts.get(&context).is_some_and(|context| context.peers.contains(&owner))
    }
}

impl State {
    /// The imports that a context has of a device's memory.
    fn imports_of_a_peer(&self, context: u64, device: usize) -> Vec<u64> {
        let ranges = self.imports.pointers().filter_map(|pointer| self.ranges.get(pointer));
        ranges.filter(|range| range.context == context && range.device == device).map(|range| range.base).collect()
    }
}

entry_points! {
    fn cuDeviceCanAccessPeer(output: Output<c_int>, device: CUdevice, peer: CUdevice) {
        let mut state = state()?;
        // P2P-001
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        output.give(c_int::from(topology().reaches(one, other)))
    }

    fn cuDeviceGetP2PAttribute(
        output: Output<c_int>,
        attribute: CUdevice_P2PAttribute,
        device: CUdevice,
        peer: CUdevice,
    ) {
        type A = CUdevice_P2PAttribute;
        let mut state = state()?;
        output.wanted()?;
        // P2P-008
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        if one == other {
            return Err(INVALID_DEVICE);
        }
        output.give(match attribute {
            // P2P-009
            A::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED => topology().reaches(one, other).into(),
            // P2P-011
            A::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED => topology().has_native_atomics(one, other).into(),
            // P2P-010: 0 is the best rank. There are no CUDA arrays here, and no atomic operation is missing.
            A::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK
            | A::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED
            | A::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED => 0,
            _ => return Err(INVALID_VALUE),
        })
    }

    fn cuDeviceGetP2PAtomicCapabilities(
        capabilities: Output<u32>,
        operations: Input<CUatomicOperation>,
        count: u32,
        device: CUdevice,
        peer: CUdevice,
    ) {
        // Signed and unsigned operations and reductions, on scalars of 32 and 64 bits.
        const NATIVE: u32 = 0b1_1111;
        let mut state = state()?;
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        if one == other {
            return Err(INVALID_DEVICE);
        }
        capabilities.wanted()?;
        if count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises `count` operations.
        let operations = unsafe { operations.values(count as usize) }?;
        if operations.iter().any(|operation| operation.0 >= CUatomicOperation::CU_ATOMIC_OPERATION_MAX.0) {
            return Err(INVALID_VALUE);
        }
        let native = if topology().has_native_atomics(one, other) { NATIVE } else { 0 };
        // SAFETY: the caller promises room for `count` capabilities.
        unsafe { capabilities.give_all(&vec![native; operations.len()]) };
        Ok(())
    }

    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32) {
        let mut state = state()?;
        let current = state.current()?;
        // P2P-006
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        let peer_device = state.context(peer as u64)?.device_index;
        if fault!("open-prevents-peer-access", ["IPCMEM-OPEN-034"], "Beside an import, peer access cannot be enabled.")
            && !state.imports_of_a_peer(current, peer_device).is_empty()
        {
            return Err(CUresult::CUDA_ERROR_TOO_MANY_PEERS);
        }
        // P2P-003
        if peer as u64 == current {
            return Err(INVALID_CONTEXT);
        }
        if !topology().reaches(state.context(current)?.device_index, peer_device) {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        // P2P-004
        if state.has_peer_access(current, peer as u64) {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        }
        state.context_mut(current)?.peers.insert(peer as u64);
        Ok(())
    }

    fn cuCtxDisablePeerAccess(peer: CUcontext) {
        let mut state = state()?;
        let current = state.current()?;
        let peer_device = state.context(peer as u64)?.device_index;
        if fault!("disable-peer-access-unmaps-imports", ["IPCMEM-OPEN-034"], "Imports of a peer end with its access.") {
            for pointer in state.imports_of_a_peer(current, peer_device) {
                state.ranges.remove(&pointer);
            }
        }
        // P2P-005
        let was_enabled = state.context_mut(current)?.peers.remove(&(peer as u64));
        if was_enabled { Ok(()) } else { Err(CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) }
    }
}

//! Peer access: every device of the machine reaches every other.

use std::ffi::c_int;

use cuda_ipc_sys::{CUcontext, CUdevice, CUdevice_P2PAttribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE, give, wanted};
use crate::process::state;

entry_points! {
    fn cuDeviceCanAccessPeer(output: *mut c_int, device: CUdevice, peer: CUdevice) {
        let mut state = state()?;
        wanted(output)?;
        // P2P-001
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        give(output, c_int::from(one != other))
    }

    fn cuDeviceGetP2PAttribute(output: *mut c_int, attribute: CUdevice_P2PAttribute, device: CUdevice, peer: CUdevice) {
        type A = CUdevice_P2PAttribute;
        let mut state = state()?;
        wanted(output)?;
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        // P2P-008
        if one == other {
            return Err(INVALID_DEVICE);
        }
        give(output, match attribute {
            A::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
            | A::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
            | A::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => 1,
            // P2P-010: 0 is the best.
            A::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK => 0,
            _ => return Err(INVALID_VALUE),
        })
    }

    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32) {
        let mut state = state()?;
        let current = state.current()?;
        let device = state.context(current)?.device_index;
        // P2P-006
        let peer_device = state.context(peer as u64)?.device_index;
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        // P2P-003: the documentation names INVALID_CONTEXT for oneself; the H200 answers this.
        if peer_device == device {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        let context = state.contexts.get_mut(&current).ok_or(INVALID_CONTEXT)?;
        // P2P-004
        if context.peers.insert(peer as u64) { Ok(()) } else { Err(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) }
    }

    fn cuCtxDisablePeerAccess(peer: CUcontext) {
        let mut state = state()?;
        let current = state.current()?;
        state.context(peer as u64)?;
        let context = state.contexts.get_mut(&current).ok_or(INVALID_CONTEXT)?;
        // P2P-005
        if context.peers.remove(&(peer as u64)) { Ok(()) } else { Err(CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) }
    }
}

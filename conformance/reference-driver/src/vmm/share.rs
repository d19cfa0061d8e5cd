//! Sharing of physical memory between processes, by descriptors and fabric handles.

use std::ffi::c_void;

use cuda_ipc_sys::{CUmemAllocationHandleType, CUmemGenericAllocationHandle, CUmemLocationType};

use super::Allocation;
use super::fabric::{self, Exported};
use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::block::{Block, HOST};
use crate::handle::Kind;
use crate::multicast::Object;
use crate::process::{State, state};

type HandleType = CUmemAllocationHandleType;

/// Nothing is ever mapped below this address.
const FIRST_ADDRESS: usize = 1 << 16;

impl State {
    /// The allocation that a handle names, if it was created with this handle type (VMM-EXP-003). VMM-EXP-008: an
    /// imported allocation cannot be exported again, as on an H200.
    fn exportable(&self, handle: u64, kind: HandleType) -> Result<&Allocation> {
        let allocation = self.allocation(handle)?;
        let was_asked_for = allocation.handle_types.0 & kind.0 != 0;
        if was_asked_for { Ok(allocation) } else { Err(INVALID_VALUE) }
    }
}

entry_points! {
    fn cuMemExportToShareableHandle(
        output: Output<c_void>,
        handle: CUmemGenericAllocationHandle,
        kind: CUmemAllocationHandleType,
        flags: u64,
    ) {
        let state = state()?;
        // VMM-EXP-004, -005
        output.wanted()?;
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        match kind {
            HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR if state.multicasts.contains_key(&handle) => {
                let descriptor = state.multicast(handle)?.export()?;
                // SAFETY: for this handle type, the caller promises room for a descriptor.
                unsafe { output.cast::<i32>() }.give(descriptor)
            }
            HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {
                // VMM-EXP-007: each export creates its own descriptor.
                let descriptor = state.exportable(handle, kind)?.block.export()?;
                // SAFETY: for this handle type, the caller promises room for a descriptor.
                unsafe { output.cast::<i32>() }.give(descriptor)
            }
            HandleType::CU_MEM_HANDLE_TYPE_FABRIC => {
                let Allocation { block, device, .. } = state.exportable(handle, kind)?;
                let (descriptor, inode) = (block.descriptor(), block.inode);
                let kind = Kind::Fabric;
                let bytes = fabric::export(&Exported { kind, descriptor, inode, size: block.size, place: *device })?;
                // SAFETY: for a fabric handle the caller promises room for one.
                unsafe { output.cast::<[u8; 64]>() }.give(bytes)
            }
            _ => Err(INVALID_VALUE),
        }
    }

    // VMM-IMP-035: needs no context. VMM-IMP-009: this process's own memory is imported like any other.
    fn cuMemImportFromShareableHandle(
        output: Output<CUmemGenericAllocationHandle>,
        shared: *mut c_void,
        kind: CUmemAllocationHandleType,
    ) {
        let mut state = state()?;
        // VMM-IMP-011
        output.wanted()?;
        let (block, device) = match kind {
            // VMM-IMP-002: the descriptor is passed by value. A number that does not fit cannot be a descriptor.
            HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {
                let descriptor = i32::try_from(shared as isize).map_err(|_| INVALID_VALUE)?;
                // MC-003
                if let Some(object) = Object::of_descriptor(descriptor)? {
                    return output.give(state.add_multicast(object));
                }
                Block::of_descriptor(descriptor)?
            }
            // VMM-IMP-010: such a small value is a descriptor, not an address.
            HandleType::CU_MEM_HANDLE_TYPE_FABRIC if (shared as usize) < FIRST_ADDRESS => return Err(INVALID_VALUE),
            HandleType::CU_MEM_HANDLE_TYPE_FABRIC => {
                // SAFETY: for a fabric handle the caller promises 64 bytes.
                let bytes = unsafe { Input::new(shared.cast::<[u8; 64]>()) }.value()?;
                fabric::import(Kind::Fabric, &bytes, |handle, device| {
                    Block::of_process(handle.process, handle.descriptor, device, handle.inode)
                })?
            }
            // VMM-IMP-010
            _ => return Err(INVALID_VALUE),
        };
        // VMM-IMP-006: every import returns a new handle.
        let handle_types = HandleType::CU_MEM_HANDLE_TYPE_NONE;
        // Host memory can be shared only if it belongs to a NUMA node.
        let location_type = match device {
            HOST => CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA,
            _ => CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
        };
        let allocation = Allocation { block, device, location_type, handle_types, is_shareable: true };
        output.give(state.add_allocation(allocation))
    }
}

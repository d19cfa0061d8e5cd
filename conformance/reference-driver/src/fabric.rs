//! Fabric handles: 64 bytes that lead to memory without a descriptor.
//!
//! They name a file of the exporting process, as the handles of `cuIpcGetMemHandle` do, and work as long as the
//! allocation lives there. Who may import is a question of channels: a process has the one of its user.

use cuda_ipc_sys::{CUmemFabricHandle, CUresult};

use crate::answer::{INVALID_VALUE, Input, NOT_PERMITTED, NOT_SUPPORTED, Result};
use crate::block::{Block, Elsewhere};
use crate::environment::{Fabric, environment};
use crate::handle::{Handle, Kind};
use crate::process::{own_start_time, start_time};
use crate::vmm::{Allocation, Location};

/// The fabric's software does not run: the code that the documentation has for multicast objects.
const NOT_READY: CUresult = CUresult::CUDA_ERROR_SYSTEM_NOT_READY;

/// Whether the device's attribute says that there are fabric handles. FAB-002: it does where no channel is.
pub(crate) fn is_there() -> bool {
    environment().fabric != Fabric::Absent
}

/// VMM-CREATE-011, -012: whether memory may be made for fabric handles.
pub(crate) fn check_create(location: Location) -> Result<()> {
    match environment().fabric {
        // FAB-001: a device without fabric accepts the wish, and refuses the export.
        Fabric::Absent => Ok(()),
        // FAB-002: where an H200 answers it.
        Fabric::NoChannel => Err(NOT_PERMITTED),
        // FAB-014
        Fabric::NotReady => Err(NOT_READY),
        // The attribute for nodes of the host reads 0.
        Fabric::Channel(_) if !matches!(location, Location::Device(_)) => Err(NOT_SUPPORTED),
        Fabric::Channel(_) => Ok(()),
    }
}

/// FAB-009: always the same bytes for one allocation. FAB-007: they keep nothing alive.
pub(crate) fn export(allocation: &Allocation) -> Result<[u8; 64]> {
    let channel = match environment().fabric {
        Fabric::Absent => return Err(INVALID_VALUE),
        Fabric::NoChannel => return Err(NOT_PERMITTED),
        Fabric::NotReady => return Err(NOT_READY),
        Fabric::Channel(channel) => channel,
    };
    let block = &allocation.block;
    let handle = Handle {
        kind: Kind::Fabric,
        process: std::process::id(),
        start_time: own_start_time(),
        descriptor: block.descriptor(),
        inode: block.inode,
        place: channel,
        size: block.size,
        // The file is this allocation's alone.
        serial: 0,
        device: allocation.location.device() as u32,
    };
    Ok(handle.to_bytes(environment().machine_number()))
}

/// FAB-003
pub(crate) fn import(handle: Input<CUmemFabricHandle>) -> Result<(Block, Location)> {
    // VMM-IMP-010
    let bytes = handle.value()?.to_bytes();
    let channel = match environment().fabric {
        Fabric::Absent => return Err(NOT_SUPPORTED),
        // What an H200 answers to zeros, and to other bytes.
        Fabric::NoChannel if bytes == [0; 64] => return Err(NOT_SUPPORTED),
        Fabric::NoChannel => return Err(NOT_PERMITTED),
        Fabric::NotReady => return Err(NOT_READY),
        Fabric::Channel(channel) => channel,
    };
    // FAB-005: every bit counts.
    let handle = Handle::from_bytes(&bytes, Kind::Fabric, environment().machine_number()).ok_or(INVALID_VALUE)?;
    // FAB-004
    if handle.place != channel {
        return Err(NOT_PERMITTED);
    }
    // FAB-006: nothing is named any more when the exporter is gone, or has neither handle nor mapping.
    if start_time(handle.process) != Some(handle.start_time) {
        return Err(INVALID_VALUE);
    }
    let device = handle.device as usize;
    let block = Block::of_process(handle.process, handle.descriptor, device, handle.inode);
    // FAB-008: from here on the importer has the memory, whatever becomes of the exporter.
    let block = block.map_err(|reason| match reason {
        Elsewhere::Gone | Elsewhere::Replaced => INVALID_VALUE,
        Elsewhere::Forbidden => NOT_PERMITTED,
        Elsewhere::Failed(code) => code,
    })?;
    if block.size == handle.size { Ok((block, Location::Device(device))) } else { Err(INVALID_VALUE) }
}

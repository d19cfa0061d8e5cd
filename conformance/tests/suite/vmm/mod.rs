//! Virtual memory management (VMM): `cuMemCreate` and related calls.

mod access;
mod create;
mod export;
mod hidden;
mod import;
mod lifetime;
mod map;
mod null;
mod reserve;
mod retain;
mod stale;
mod transport;

use conformance::{MIB, MemProperties, Physical, Pointer, Role, Stop};
use cuda_ipc_sys::{CUmemAccess_flags, CUmemAllocationHandleType, CUresult};

/// Several times the granularity of every GPU tested so far.
const SIZE: u64 = 8 * MIB;
const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const FABRIC: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0;

const NONE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE.0;
const READ: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ.0;
const READ_WRITE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0;

const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];
const NOT_INITIALIZED: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_INITIALIZED];
/// The documentation lists both codes, but not when each is returned.
const REFUSED: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE, CUresult::CUDA_ERROR_NOT_SUPPORTED];
/// The documentation lists both codes for a nonexistent device.
const INVALID_DEVICE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_DEVICE, CUresult::CUDA_ERROR_INVALID_VALUE];

/// Creates physical memory on GPU 0.
fn create(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0), 0)
}

/// Creates physical memory on GPU 0 that can be exported as a descriptor.
fn create_exportable(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)
}

fn reserve(role: &Role, size: u64) -> Result<Pointer, Stop> {
    role.mem_address_reserve(size, 0, Pointer::NULL, 0)
}

/// Maps all of the memory, without access.
fn map(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = reserve(role, SIZE)?;
    role.mem_map(address, SIZE, 0, physical, 0)?;
    Ok(address)
}

/// Maps all of the memory, and gives GPU 0 access.
fn map_readable_and_writable(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = map(role, physical)?;
    role.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    Ok(address)
}

/// Exports memory and imports it in the other process. The descriptor is passed through `SCM_RIGHTS`.
pub(crate) fn import(exporter: &Role, physical: Physical, importer: &Role) -> Result<Physical, Stop> {
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)
}

//! Virtual memory management: `cuMemCreate` and its family.

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

/// Several granules of every GPU so far.
const SIZE: u64 = 8 * MIB;
const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const FABRIC: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0;

const NONE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE.0;
const READ: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ.0;
const READ_WRITE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0;

const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];
const NOT_INITIALIZED: &[CUresult] = &[CUresult::CUDA_ERROR_NOT_INITIALIZED];
/// The documentation lists both, and says of neither when.
const REFUSED: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE, CUresult::CUDA_ERROR_NOT_SUPPORTED];
/// The documentation lists both for a device that is not there.
const INVALID_DEVICE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_DEVICE, CUresult::CUDA_ERROR_INVALID_VALUE];

/// Physical memory of GPU 0.
fn create(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0), 0)
}

/// The same, for other processes too.
fn create_exportable(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)
}

fn reserve(role: &Role, size: u64) -> Result<Pointer, Stop> {
    role.mem_address_reserve(size, 0, Pointer::NULL, 0)
}

/// All of it, mapped for nobody.
fn map(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = reserve(role, SIZE)?;
    role.mem_map(address, SIZE, 0, physical, 0)?;
    Ok(address)
}

/// All of it, mapped for GPU 0.
fn map_readable_and_writable(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = map(role, physical)?;
    role.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    Ok(address)
}

/// The memory of one process in another, over a descriptor that travels as SCM_RIGHTS does.
pub(crate) fn import(exporter: &Role, physical: Physical, importer: &Role) -> Result<Physical, Stop> {
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)
}
